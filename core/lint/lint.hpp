// What is worth a second look in a contract that is one: rules that can never hold or never break, lists and texts
// without an end, an order of members in which a rule decides late, keywords that nobody reads.
//
//   LintReport report = lint(contract);
//   for (const LintFinding& finding : report.findings) ...     rule, severity, place, message, why, fix
//   Fixed fixed = fix(text, options);                          the text with all certain fixes applied
//
// Severities: `error` where nothing, or nothing but an empty artifact, can keep the contract; `warning` where it says
// something else than it seems to; `info` where it costs or could be better. A fix is given where what to do is clear;
// it is `certain` where it changes no verdict, and only then applied by fix(). Fixes are edits of the text, so that all
// else keeps its form.
//
// A contract may say that something is meant as it is, for a schema and all below: "$comment": "lint-allow RULE: why".
//
// The rules are listed in core/lint/rules.hpp. Linear in the contract, but for members that are compared with their
// neighbours. At most findings_max findings; more are counted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/contract.hpp"
#include "core/contract/finding.hpp"
#include "core/contract/verdict.hpp"

namespace plumb::lint {

inline constexpr std::size_t findings_max = 500;

// Half-open byte range of the contract's text, and what takes its place.
struct Edit {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::string text;
};

struct Fix {
  std::string title;  // "Remove 'minimum'"
  std::vector<Edit> edits;
  bool certain = false;
};

struct LintFinding {
  std::string rule;  // see core/lint/rules.hpp
  contract::Severity severity = contract::Severity::warning;
  std::string at;  // JSON Pointer into the contract
  contract::Span span;
  std::string message;
  std::optional<Fix> fix;
};

// What the contract says is meant as it is.
struct Allowed {
  std::string rule;
  std::string at;
  std::string reason;
};

struct LintReport {
  std::string name;
  std::string hash;
  std::vector<LintFinding> findings;  // by place
  std::uint64_t more = 0;             // beyond findings_max
  std::vector<Allowed> allowed;
};

struct LintOptions {
  std::vector<std::string> targets;        // names of derived targets (core/derive/derive.hpp) that will be used
  std::uint64_t prompt_tokens_max = 1500;  // a prompt that costs more is told; 0: never
};

LintReport lint(const contract::Contract& contract, const LintOptions& options = {});
// The same of a text; one that is no contract has one finding, `no-contract`.
LintReport lint(std::string_view text, const contract::ReadOptions& read, const LintOptions& options = {});

struct Fixed {
  std::string text;
  std::vector<std::string> done;  // titles of the fixes, in the order in which they were made
};
// Fixes, and looks again, until no certain fix is left. The text is untouched where it is no contract.
Fixed fix(std::string_view text, const contract::ReadOptions& options);

// "why it matters" of a rule; empty for a name that is none.
std::string_view why(std::string_view rule);

// One JSON document: file (where given), contract, hash, findings [{rule, severity, at, message, why, span, fix}],
// allowed.
std::string lint_json(const LintReport& report, std::string_view file);
// As a verdict, for the renderers of core/contract/render.hpp.
contract::Verdict verdict_of(const LintReport& report);

}  // namespace plumb::lint
