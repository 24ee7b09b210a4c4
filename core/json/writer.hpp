// Writing JSON text, append-only, into a string. Every JSON text that Plumbline emits is written with this.
//
//   std::string out;
//   Writer json(out);
//   json.begin_object();
//   json.key("valid").boolean(false);
//   json.key("findings").begin_array();
//   json.string("one").uint(2).value(tree);
//   json.end_array().end_object();          {"valid":false,"findings":["one",2,...]}
//
// Commas are written where they belong. What comes out is valid JSON in valid UTF-8 whatever the strings hold:
//  - quote, backslash and controls below U+0020 are escaped (\b \f \n \r \t, else \u00XX), nothing else;
//  - a surrogate encoded by itself (three bytes, as the scanner decodes a lone \uD800) is written as \uD800 again;
//  - bytes that are no UTF-8 become U+FFFD, one for each maximal piece as Unicode recommends.
// Compact by default: no white space at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/json/value.hpp"

namespace plumb::json {

// Appends `utf8` as a JSON string, with its quotes.
void append_string(std::string& out, std::string_view utf8);

// Appends a tree, compact, members in their order, numbers as they were written. Recurses as deep as the tree does.
void append_value(std::string& out, const Value& value);
std::string value_text(const Value& value);

// At most `code_points_max` code points of `utf8`: where there are more, the last of them is the ellipsis U+2026. Cuts
// between code points; a byte that is no UTF-8 counts as one and is kept as it is.
std::string excerpt(std::string_view utf8, std::size_t code_points_max);

class Writer {
 public:
  // Appends to `out`, which must outlive the writer. With an indent, each member and item gets a line of its own.
  explicit Writer(std::string& out, unsigned indent = 0) : out_(out), indent_(indent) {}

  Writer& begin_object();
  Writer& end_object();
  Writer& begin_array();
  Writer& end_array();
  // The name of the next member. What follows is its value.
  Writer& key(std::string_view name);

  Writer& string(std::string_view utf8);
  Writer& uint(std::uint64_t number);
  Writer& integer(std::int64_t number);
  Writer& boolean(bool yes);
  Writer& null();
  // A tree, compact.
  Writer& value(const Value& tree);
  // Text that is already one JSON value, as it is.
  Writer& raw(std::string_view json);

  // Members in one step: key() and the value.
  Writer& member(std::string_view name, std::string_view utf8) { return key(name).string(utf8); }
  Writer& member_uint(std::string_view name, std::uint64_t number) { return key(name).uint(number); }
  Writer& member_boolean(std::string_view name, bool yes) { return key(name).boolean(yes); }

  // One value has been written and everything begun has been ended.
  bool complete() const { return open_.empty() && any_; }

 private:
  void before_value();
  void begin(char bracket);
  void end(char bracket);
  void line();

  std::string& out_;
  unsigned indent_ = 0;
  bool any_ = false;  // something comes before in the same object or array, or at the top
  bool after_key_ = false;
  std::string open_;  // the opening brackets in whose values we are
};

}  // namespace plumb::json
