// Edits as models write them: JSON edits, whole files in code blocks, SEARCH/REPLACE blocks, unified diffs.
//
//   WrittenEdits read = read_edit_blocks(answer);                  // what is no JSON
//   std::vector<WrittenEdit> edits = read_json_edits(value);       // `edits` of the contract developer-output
//   EditedFiles edited = apply_edits(edits, text_of_a_file);
//   if (edited.wrong.empty()) change(edits_json(edited));
//
// A piece to replace is looked for to the letter, then without blanks at line ends, then without indentation, which the
// new text gets too. The line numbers and counts of a diff only choose between several places; up to three lines of
// context at its ends may differ. A piece that is not there, or is there several times, is an error that says so.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json/value.hpp"

namespace plumb::workflow {

inline constexpr std::size_t written_edits_max = 200;
inline constexpr std::size_t written_bytes_max = std::size_t{4} << 20U;

struct WrittenEdit {
  enum class Kind : std::uint8_t { whole, replace, remove } kind = Kind::whole;
  std::string path;
  std::string find;                   // replace: what is there now; empty: a place by its line alone
  std::string text;                   // whole: the file; replace: what is there then
  std::uint32_t line = 0;             // replace: near which line; 0: not known
  std::size_t before = 0, after = 0;  // lines of context at the ends of `find` and of `text`
};
struct WrittenEdits {
  std::vector<WrittenEdit> edits;
  std::vector<std::string> left_out;  // what looked like an edit and is none, a sentence each
};
WrittenEdits read_edit_blocks(std::string_view answer);
std::vector<WrittenEdit> read_json_edits(const json::Value& edits);

struct EditedFiles {
  std::vector<std::pair<std::string, std::optional<std::string>>> files;  // path and text; nullopt: it is removed
  std::vector<std::string> wrong;                                         // edits that do not apply, a sentence each
};
// In their order, later ones on what earlier ones made. `read` gives a file's text; it is asked for files alone of
// which a piece is replaced.
EditedFiles apply_edits(std::span<const WrittenEdit> edits,
                        const std::function<std::optional<std::string>(const std::string&)>& read);
// [{"path", "text"}, {"path", "delete"}]: the member `edits` of the worktree effect's `change`.
std::string edits_json(const EditedFiles& edited);

}  // namespace plumb::workflow
