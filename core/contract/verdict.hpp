// A verdict: all findings of one artifact under one contract, and the decision that follows from them.
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

// One line of a scorecard: a rule at one place, or over all items where it says `each`.
struct ScorecardLine {
  std::string id;
  std::string title;
  std::string at;
  Outcome outcome = Outcome::undecided;
  bool asks = false;  // left to a judge: there is an `ask` and no check could decide
  bool blocks = false;
  std::string action;
  std::string reason;      // broken: what its check found; undecided by its check: why
  std::uint64_t from = 0;  // the bytes it was decided by, half open; 0, 0 for a line that no check decided
  std::uint64_t to = 0;

  bool operator==(const ScorecardLine&) const = default;
};

// A rule that stays undecided, and why.
struct Undecided {
  std::string rule;
  std::string at;
  std::string schema_location;
  std::string ask;            // the question for a judge, or empty
  std::string wants_context;  // "context:/queries/*", or empty
  std::string reason;         // one sentence

  bool operator==(const Undecided&) const = default;
};

// A signal beside the verdict: the stream has become degenerate (white space, digits or one item without end).
struct Signal {
  std::string kind;  // "degenerate"
  std::string detail;
  std::uint64_t at_byte = 0;
};

struct Verdict {
  std::string contract;  // the contract's name
  std::string hash;      // "sha256:..."
  bool valid = false;    // no broken error
  Decision decision = Decision::undecided;
  std::vector<Finding> findings;                            // in the order of a plain walk of the contract
  std::vector<std::pair<std::string, std::uint64_t>> more;  // rule -> findings beyond those listed
  std::vector<Edit> edits;                                  // made or offered, in the order of the text
  std::vector<Undecided> undecided;
  std::vector<ScorecardLine> scorecard;
  std::vector<std::pair<std::string, std::string>> labels;
  std::vector<Signal> signals;
  std::uint64_t bytes = 0;  // size of the artifact
  // No finding, no signal, no line of a rule but of those that every text gets: under a contract and a context all
  // clean texts have the same verdict, but for `bytes` and edits.
  bool clean = false;

  // What counts in text, feedback and totals: findings that nothing shadows.
  std::uint64_t count(Severity severity) const;
};

}  // namespace plumb::contract
