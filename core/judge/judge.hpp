// What a contract leaves to a judge, and what becomes of the judge's answer.
//
//   std::vector<Question> asked = questions(contract, verdict, artifact, items);
//   ...a judge answers {"claims": [{"rule": "answerable", "at": "/questions/0", "holds": true, "chunk": 3,
//                                   "quote": "..."}, ...]}
//   Judgement judged = settle(asked, read_claims(answer), chunks, artifact_text);
//
// A judge is not believed, it is checked: a claim that something holds counts only with a quote that stands in the
// source, as people read both (core/text/rendered_quote.hpp), and, where that is asked, has a word in common with what
// it proves. Without one, and where nothing was claimed, the question stays undecided, and whoever asked may ask these
// again. A quote is shown as the source has it; one with an ellipsis is the source's words from its first part to its
// last. What is broken becomes an ordinary finding of class `meaning`, with the judge's reason as its message and its
// quote as evidence. The message begins with the item's label, or, under a floor, with the text that the item has
// first.
//
// With ProofRules::floor words decide beneath the judge (core/judge/floor.hpp): an item with a number, date or name
// that the source lacks, with an answer that it contradicts, or that says nothing, is broken whatever the judge says. A
// quote for `answer-correct` must hold the answer. A judge who says that the source does not tell has found an issue.
// The same quote for every one of three places and more is a warning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/contract.hpp"
#include "core/contract/verdict.hpp"
#include "core/json/value.hpp"
#include "core/judge/floor.hpp"
#include "core/result.hpp"

namespace plumb::judge {

inline constexpr std::size_t questions_max = 1'000;
inline constexpr std::size_t claims_max = 4'000;
inline constexpr std::size_t reason_code_points_max = 300;
// The rule about the answer of a choice.
inline constexpr std::string_view rule_correct = "answer-correct";

// One rule at one place.
struct Question {
  std::string rule;
  std::string title;
  std::string ask;
  std::string at;      // JSON Pointer into the artifact
  std::string item;    // the place's label, "Question 1", or empty
  std::string prefix;  // what messages about it begin with, or empty
  contract::Severity severity = contract::Severity::error;
  bool blocks = false;
  std::string action;
  std::string schema_location;
};

// What `verdict` (of this contract, on this artifact) left to a judge: for a rule with `each`, one question an item;
// for one without that stands at the root, one question for each of the places `items` (JSON Pointers), so that an
// answer says which item it means. In the order of the contract, then of the artifact; at most questions_max.
std::vector<Question> questions(const contract::Contract& contract, const contract::Verdict& verdict,
                                const json::Value& artifact, std::span<const std::string> items);

struct Claim {
  std::string rule;
  std::string at;
  contract::Outcome outcome = contract::Outcome::undecided;
  std::optional<std::uint64_t> chunk;
  std::string quote;
  std::string reason;
};

// The claims of an answer that keeps the judge's contract; others than objects with `rule` and `at` are left out. With
// `asked`, a place may also be written "questions[0]", "$.questions.0", "Question 1", or be several with commas.
std::vector<Claim> read_claims(const json::Value& answer, std::span<const Question> asked = {});

struct Issue {
  contract::Finding finding;
  std::optional<std::uint64_t> chunk;  // evidence, verified
  std::string quote;
};

// A question that holds, with what proves it.
struct Proof {
  std::string rule;
  std::string at;
  std::uint64_t chunk = 0;
  std::string quote;
};

struct Judgement {
  std::vector<Issue> issues;  // in the order of the questions
  std::vector<contract::Undecided> undecided;
  std::vector<Proof> proofs;
  std::size_t ignored = 0;         // claims about nothing that was asked
  std::vector<std::size_t> again;  // questions that the judge said nothing of, or proved by what proves nothing
};

// What a quote must be besides words of the source.
struct ProofRules {
  bool shares_word = false;  // a word that says something stands in it and in the place that it proves
  bool floor = false;        // words decide beneath the judge
};

// `artifact_text`: the text that `artifact` was read from, for the places of findings.
Judgement settle(std::span<const Question> asked, std::span<const Claim> claims, std::span<const Passage> passages,
                 const json::Value& artifact, std::string_view artifact_text, ProofRules rules = {});

// A judgement for journals and reports:
// {"issues": [finding and "evidence"...], "undecided": [...], "proofs": [...], "ignored"}.
std::string judgement_json(const Judgement& judgement);

}  // namespace plumb::judge
