// Templates for prompts and pages: Mustache's variables, sections, inverted sections and comments. No escaping, no
// partials, no lambdas, no other delimiters.
//
//   Result<Template> read = Template::read("Write {{count}} questions.{{#hard}} Make them hard.{{/hard}}\n");
//   std::string text = read.value().render(object);
//
//   {{name}}  {{a.b}}         the value: a string as it is, a number as it is written, true, false; null and what is
//                             not there are nothing; a list or an object as compact JSON
//   {{#name}}...{{/name}}     once for a value that is neither null, false nor "", once for each item of a list
//   {{^name}}...{{/name}}     once where the section above would be left out
//   {{.}}                     the item itself
//   {{! any text }}           nothing
//
// Names are looked up in the innermost section's object first, then outwards. A line with a section's mark or a comment
// and white space only leaves nothing behind. What a value holds is never read as a template.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/value.hpp"
#include "core/result.hpp"

namespace plumb::text {

inline constexpr std::size_t template_levels_max = 32;

class Template {
 public:
  // The error has line and column, counted from `first_line`.
  static Result<Template> read(std::string_view text, std::size_t first_line = 1);

  // A name that is looked up, with its place: to check that it is one that will be given.
  struct Name {
    std::string name;    // "a.b"
    std::string within;  // the outermost section it is in, of which it may be a member; or empty
    std::size_t line = 0;
    std::size_t column = 0;
  };
  // In the order of the text; without ".".
  const std::vector<Name>& names() const { return names_; }

  std::string render(const json::Value& values) const;

 private:
  enum class Kind : std::uint8_t { text, value, section, inverted };
  struct Piece {
    Kind kind = Kind::text;
    std::string text;     // or the name
    std::size_t end = 0;  // of a section: the index behind its last piece
  };
  void render(std::size_t from, std::size_t to, std::vector<const json::Value*>& around, std::string& out) const;

  std::vector<Piece> pieces_;  // sections are followed by what is in them
  std::vector<Name> names_;
};

}  // namespace plumb::text
