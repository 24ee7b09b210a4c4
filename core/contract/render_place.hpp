// The place of a rendered finding: the file a reader can open and the line in it, and the forms of an instance's place
// that the renderers share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/contract/finding.hpp"
#include "core/contract/render.hpp"

namespace plumb::contract {

// A verdict's file name taken apart. "quiz.jsonl:3" names an artifact on line 3 of a file of JSON lines: its own line 1
// is line 3 of the file. Any other name has no lines before it.
struct Place {
  std::string_view path;
  std::uint64_t lines_before = 0;
  bool json_lines = false;
  bool recorded = false;  // the artifact is a text in a record: all of it is at the record's line

  std::uint64_t line(std::uint32_t of_artifact) const { return lines_before + (recorded ? 1 : of_artifact); }
  std::uint32_t column(std::uint32_t of_artifact) const { return recorded ? 1 : of_artifact; }
};
Place place_of(std::string_view file);
Place place_of(const FileVerdict& one);

// "chatcmpl-7, gpt-4o, choice 2": what is known of the record; empty where there is none.
std::string record_text(const FileVerdict& one);

// "path:line:column" of a finding; a path of "-" reads "stdin".
std::string place_text(const Place& place, const Span& span);

// A JSON Pointer as a path in the notation that programs and models use: "/questions/0/options" is
// "questions[0].options", a member that is not a plain name is `["odd name"]`, the whole artifact is "(root)".
// Digits are taken as an index.
std::string field_path(std::string_view pointer);

// One member's name for a JSON Pointer: "~" is "~0", "/" is "~1".
void append_pointer_token(std::string& out, std::string_view name);

// Takes one code point of UTF-8 from `text` and moves `at` behind it. A byte that begins no character, and a surrogate,
// which UTF-8 does not have, give U+FFFD. `at` must be less than the size.
char32_t next_code_point(std::string_view text, std::size_t& at);

// Columns that a terminal gives the text. Close enough for aligning; nothing depends on it.
std::size_t terminal_width(std::string_view text);

// `text` as it may be shown: on one line, without commands to a terminal, in ASCII where that is asked for.
std::string shown(std::string_view text, bool ascii);

// FNV-1a, 64 bits, as 16 hexadecimal digits: equal in every build, for fingerprints and not against crafted input.
std::string fingerprint(std::string_view text);

}  // namespace plumb::contract
