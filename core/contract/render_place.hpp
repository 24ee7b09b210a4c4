// The place of a rendered finding: the file and line that a reader can open, and the forms of a place that renderers
// share. Internal to the renderers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/contract/finding.hpp"
#include "core/contract/render.hpp"

namespace plumb::contract {

// A verdict's file name, split. "quiz.jsonl:3" names the artifact on line 3 of a file of JSON lines, so its line 1 is
// line 3 of the file. Other names have no lines before the artifact.
struct Place {
  std::string_view path;
  std::uint64_t lines_before = 0;
  bool json_lines = false;
  bool recorded = false;  // the artifact is a text inside a record, so everything is at the record's line

  std::uint64_t line(std::uint32_t of_artifact) const { return lines_before + (recorded ? 1 : of_artifact); }
  std::uint32_t column(std::uint32_t of_artifact) const { return recorded ? 1 : of_artifact; }
};
Place place_of(std::string_view file);
Place place_of(const FileVerdict& one);

// The known parts of the record, such as "chatcmpl-7, gpt-4o, choice 2". Empty if there is no record.
std::string record_text(const FileVerdict& one);

// "path:line:column" of a finding. The path "-" becomes "stdin".
std::string place_text(const Place& place, const Span& span);

// A JSON Pointer in the notation of programs and models: "/questions/0/options" becomes "questions[0].options". A
// member whose name is not an identifier becomes `["odd name"]`, and the whole artifact "(root)". Digits count as an
// index.
std::string field_path(std::string_view pointer);

// Appends a member's name, escaped for a JSON Pointer: "~" becomes "~0", "/" becomes "~1".
void append_pointer_token(std::string& out, std::string_view name);

// Reads one code point of UTF-8 from `text` and moves `at` past it. A byte that begins no character gives U+FFFD; so
// does an encoded surrogate, which UTF-8 excludes. `at` must be less than the size.
char32_t next_code_point(std::string_view text, std::size_t& at);

// The approximate number of terminal columns of the text. It is good enough for alignment, and nothing else depends on
// it.
std::size_t terminal_width(std::string_view text);

// `text` as it may be shown: on one line, without control sequences for a terminal, and in ASCII if `ascii`.
std::string shown(std::string_view text, bool ascii);

// The FNV-1a hash in 64 bits, as 16 hexadecimal digits. It is equal in every build. It is for fingerprints, and no
// protection against crafted input.
std::string fingerprint(std::string_view text);

}  // namespace plumb::contract
