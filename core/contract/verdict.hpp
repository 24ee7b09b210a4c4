// Verdict: all findings of one artifact under one contract, and the decision that follows from them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/contract/edit.hpp"
#include "core/contract/finding.hpp"

namespace plumb::contract {

enum class Decision : std::uint8_t { accept, accept_with_warnings, accept_unverified, undecided, revise, block };
enum class Outcome : std::uint8_t { holds, broken, undecided };

std::string_view decision_name(Decision decision);  // "accept_with_warnings"
std::string_view outcome_name(Outcome outcome);     // "holds"
std::string_view severity_name(Severity severity);  // "error"
std::string_view class_name(FindingClass c);        // "inner"

// One line of a scorecard: a rule at one place, or over all items if it has `each`.
struct ScorecardLine {
  std::string id;
  std::string title;
  std::string at;
  Outcome outcome = Outcome::undecided;
  bool asks = false;  // a judge must decide: the rule has an `ask`, and no check could decide
  bool blocks = false;
  std::string action;
  std::string reason;      // broken: what the check found; undecided by the check: why
  std::uint64_t from = 0;  // bytes [from, to) that decided it; 0, 0 if no check did
  std::uint64_t to = 0;

  bool operator==(const ScorecardLine&) const = default;
};

// A rule that remains undecided, and the reason.
struct Undecided {
  std::string rule;
  std::string at;
  std::string schema_location;
  std::string ask;            // the question for a judge, or empty
  std::string wants_context;  // "context:/queries/*", or empty
  std::string reason;         // one sentence

  bool operator==(const Undecided&) const = default;
};

// A signal beside the verdict: the stream has become degenerate (white space, digits or repetition without end).
struct Signal {
  std::string kind;  // "degenerate"
  std::string detail;
  std::uint64_t at_byte = 0;
};

struct Verdict {
  std::string contract;  // the contract's name
  std::string hash;      // "sha256:..."
  bool valid = false;    // true if there is no finding of severity error
  Decision decision = Decision::undecided;
  std::vector<Finding> findings;                            // in the order of a walk through the contract
  std::vector<std::pair<std::string, std::uint64_t>> more;  // the number of unlisted findings, per rule
  std::vector<Edit> edits;                                  // made or offered, in the order of the text
  std::vector<Undecided> undecided;
  std::vector<ScorecardLine> scorecard;
  std::vector<std::pair<std::string, std::string>> labels;
  std::vector<Signal> signals;
  std::uint64_t bytes = 0;  // size of the artifact
  // True if there are no findings and signals, and no lines of rules except those that every text gets. Under one
  // contract and context, all clean texts have the same verdict, except for `bytes` and edits.
  bool clean = false;

  // The number of findings with this severity that no other finding shadows. Text, feedback and totals use it.
  std::uint64_t count(Severity severity) const;
};

}  // namespace plumb::contract
