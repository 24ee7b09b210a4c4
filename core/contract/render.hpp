// Renderers: verdicts as text, JSON, SARIF, JUnit, GitHub annotations, and feedback for a model. The output depends
// only on the arguments. Equal arguments give equal bytes in every host.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/verdict.hpp"

namespace plumb::contract {

// Names the record of a log that contains the artifact: its id in the log, the model that answered, and the part of
// the record that is the artifact ("choice 2"). Unknown members are empty.
struct RecordName {
  std::string id;
  std::string model;
  std::string part;
};

// A verdict and the name of its file: "-" for standard input, "quiz.jsonl:3" for line 3 of JSON lines. With a record,
// the line is the record's first, and spans count within the artifact alone. Every finding is then placed at that
// line.
struct FileVerdict {
  std::string file;
  Verdict verdict;
  std::optional<RecordName> record = std::nullopt;
};

struct TextStyle {
  bool color = false;  // ANSI colours
  bool ascii = false;  // no characters outside ASCII
};

// The verdict as one line of JSON, without a line end. Its members, in this order, with optional ones in brackets:
// [file] [record] contract hash valid decision findings [more] edits undecided scorecard labels [signals].
std::string verdict_json(const Verdict& verdict, std::string_view file = {});
// One finding, as it is in a verdict. `partial` is written only if it is true.
std::string finding_json(const Finding& finding);

std::string render_text(const FileVerdict& one, const TextStyle& style);
// The verdict as a scorecard: each rule with its outcome, the reason and its `action`, then the labels.
std::string render_scorecard(const FileVerdict& one, const TextStyle& style);
// The closing lines of a text report on many files.
std::string render_text_summary(const std::vector<FileVerdict>& all, const TextStyle& style);
// One JSON document. `warnings` is a JSON list of warnings about the contracts, or empty.
std::string render_json(const std::vector<FileVerdict>& all, std::string_view warnings = {});
std::string render_jsonl(const FileVerdict& one);               // one line, with line end
std::string render_sarif(const std::vector<FileVerdict>& all);  // SARIF 2.1.0
std::string render_junit(const std::vector<FileVerdict>& all);  // JUnit XML
std::string render_github(const FileVerdict& one);              // workflow commands, one line per finding
// One line per finding, in the form of compiler messages: "file:line:column: error: message [rule]".
std::string render_short(const FileVerdict& one, const TextStyle& style);
// Feedback for a model, in the format of seed 003 ADR-007: result, issues{invalid,missing,unknown}, issue_count,
// action (last). At most 50 issues are listed; issue_count counts all. `tool` is the name of the caller's tool.
// `action`, if it is not empty, replaces the default action. `artifact` is the text that was judged: with it,
// `provided` is the complete value; without it, the verdict's bounded text.
std::string render_llm(const Verdict& verdict, std::string_view tool, std::string_view action,
                       std::string_view artifact = {});

}  // namespace plumb::contract
