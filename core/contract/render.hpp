// Verdicts as text, JSON, SARIF, JUnit, GitHub annotations and feedback for a model. All output is a function of the
// verdict alone, and of what is given with it: the same gives the same bytes in every host.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/verdict.hpp"

namespace plumb::contract {

// The record of a log that an artifact is in, as a text of its own: what its writer calls it, who answered, and
// which part of it the artifact is ("choice 2"). What is not known is empty.
struct RecordName {
  std::string id;
  std::string model;
  std::string part;
};

// A verdict with the name of the file it is about ("-" for standard input, "quiz.jsonl:3" for line 3 of JSON lines).
// With a record, the line is where that begins, and spans are of the artifact alone: a finding is placed at its line.
struct FileVerdict {
  std::string file;
  Verdict verdict;
  std::optional<RecordName> record = std::nullopt;
};

struct TextStyle {
  bool color = false;  // ANSI colours
  bool ascii = false;  // no symbols outside ASCII
};

// The verdict as one JSON document on one line, without a line end: the members of design section 3, in this order:
// [file] [record] contract hash valid decision findings [more] edits undecided scorecard labels [signals].
std::string verdict_json(const Verdict& verdict, std::string_view file = {});
// A single finding as it is in a verdict; `partial` is written only when true.
std::string finding_json(const Finding& finding);

std::string render_text(const FileVerdict& one, const TextStyle& style);
// The verdict as a scorecard: each rule with its outcome, the reason, what to do instead, and the labels.
std::string render_scorecard(const FileVerdict& one, const TextStyle& style);
// The last lines of a text report over many files.
std::string render_text_summary(const std::vector<FileVerdict>& all, const TextStyle& style);
// One document; `warnings` is a list of what is told of the contracts, as JSON text, or empty.
std::string render_json(const std::vector<FileVerdict>& all, std::string_view warnings = {});
std::string render_jsonl(const FileVerdict& one);               // one line, with line end
std::string render_sarif(const std::vector<FileVerdict>& all);  // SARIF 2.1.0
std::string render_junit(const std::vector<FileVerdict>& all);  // JUnit XML
std::string render_github(const FileVerdict& one);              // workflow commands, one line a finding
// One line a finding, as compilers write: "file:line:column: error: message [rule]".
std::string render_short(const FileVerdict& one, const TextStyle& style);
// Feedback in the format of seed 003 ADR-007: result, issues{invalid,missing,unknown}, issue_count, action (last).
// At most 50 issues; issue_count is the true count. `tool` is the caller's tool name, `action` overrides the text.
// `artifact` is the text that the spans are of: with it `provided` is the value itself, else what the verdict has.
std::string render_llm(const Verdict& verdict, std::string_view tool, std::string_view action,
                       std::string_view artifact = {});

}  // namespace plumb::contract
