// Golden cases as text: files tests/cases/**/*.case, and blocks fenced with ```case in docs/contract-reference.md.
//
//   === minItems: an array is too short only when it ends
//   contract: {"minItems": 2}
//   artifact: [1]
//   expect:
//   minItems at "" decided 3
//
// A case begins with `===` and its name. Sections follow; the content of one comes after the colon, or on the lines
// below it up to the next section (line ends between them, none after the last). Lines before the first section that
// begin with # are comments.
//
//   contract:        a JSON text, or the name of a built-in contract
//   document URI:    a schema document that the contract may refer to; any number
//   options:         lines `NAME VALUE`: dialect, assert_formats, edits, and the names of plumb::contract::Limits
//   context:         the context document
//   artifact:        the artifact; each is followed by its own `expect:`, and uses what is above it
//   artifact FILE:   the artifact is that file, below tests/cases
//   expect:          what the verdict says, see below
//   refused:         the contract is no contract: a JSON Pointer (quoted), then `: ` and what the message contains
//   warns:           one line for each warning about the contract, in the same form
//
// `artifact (escaped):` knows \n \r \t \\ and \xNN, and \*N{text}, which repeats the text (itself without escapes).
//
// Lines of `expect:`
//
//   valid                                            there is no broken error (its absence says that there is one)
//   RULE [warning|info] at POINTER [decided BYTE] [shadowed][: MESSAGE]
//   decision NAME
//   undecided RULE at POINTER[: CONTEXT POINTER]
//   score ID at POINTER OUTCOME
//   label NAME VALUE
//   more RULE COUNT
//   signal KIND
//   edit CLASS[?] at POINTER [offered]               ? a guess
//   text TEXT                                        what was judged, where an edit was made, as a JSON string
//
// Findings are compared always and in order, BYTE and MESSAGE where given, each other kind of line where there is
// one of its kind. A pointer that is empty or holds a blank, a colon or a quote is written as a JSON string.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/repair/check.hpp"

namespace plumb::cases {

struct Artifact {
  std::string text;
  std::vector<std::string> expected;  // lines
  std::size_t line = 0;               // of `expect:`, from 1
  std::size_t from = 0;               // byte range in the file of what follows `expect:`
  std::size_t to = 0;
};

struct Case {
  std::string name;
  std::size_t line = 0;
  std::string contract;       // a JSON text
  std::string contract_name;  // where a built-in contract was named
  std::vector<std::pair<std::string, std::string>> documents;
  std::vector<std::pair<std::string, std::string>> options;
  std::string context;
  std::vector<Artifact> artifacts;
  std::vector<std::string> refused;  // lines; empty: the contract is accepted
  std::vector<std::string> warns;
  bool has_warns = false;
};

struct CaseFile {
  std::string path;  // relative to the top of the checkout
  std::string text;
  std::vector<Case> cases;
  std::vector<std::string> problems;  // what is wrong with the file itself, with the line
};

// Reads every case file and the reference below `top`, in the order of their paths.
std::vector<CaseFile> read_case_files(const std::string& top);
CaseFile parse_case_file(std::string path, std::string text, const std::string& top);

// The lines that an `expect:` would have for this verdict on the (edited) text: findings with `decided`, with messages
// where `messages`, and the other kinds that `like` has lines of.
std::vector<std::string> expectation(const contract::Verdict& verdict, const std::string& text,
                                     const std::vector<std::string>& like, bool messages);
// Whether `line`, expected, says the same as `actual`, one of expectation() with messages.
bool agrees(std::string_view line, std::string_view actual);

// The options that a case gives. False when a name or a value is unknown.
bool apply_options(const Case& one, contract::ReadOptions& read, contract::CheckOptions& check,
                   repair::EditOptions& edits);

}  // namespace plumb::cases
