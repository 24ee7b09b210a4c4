// What a review is worth: the rules of the seed over what a reviewer answered, and where the task goes from there.
//
//   ReviewVerdict verdict = judge_review(*read_review(json), {.task = task, .sops = held, .evidence = {diff, gates}});
//   verdict.outcome == ReviewOutcome::developer     // with verdict.feedback
//
// A criterion or scenario with a `check` is decided by that gate. Evidence is a quote of diff or gate output, as a
// whole, line by line, or between backticks, compared as people read it (core/text/rendered_quote.hpp). The first that
// applies decides:
//   an SOP without an entry, or `not_applicable` without a reason       escalate "SOP {id} not reviewed"
//   an entry without evidence                                           escalate "SOP {id} has no evidence"
//   approved with a violated SOP of severity error                      rejected "Cannot approve with error-level
//                                                                       violations"
//   confidence below 0.7                                                escalate "Low confidence review"
//   approved, and a criterion is not met, has no entry, or its evidence
//   is in neither diff nor gate output                                  rejected
//   rejected: fixable to the developer; misscoped and architectural to the planner; too_big is decomposed; else
//             escalate
// A pattern check that was broken counts as a violated SOP whatever the reviewer says.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/record.hpp"
#include "core/result.hpp"
#include "core/workflow/convention.hpp"
#include "core/workflow/gate_results.hpp"
#include "core/workflow/sop.hpp"

namespace plumb::workflow {

inline constexpr std::uint32_t reviews_max = 3;
inline constexpr std::uint32_t retries_max = 3;
inline constexpr std::uint32_t confidence_min_hundredths = 70;

struct SopEntry {
  std::string sop_id, status, evidence, reason;  // status: passed, violated, not_applicable
  std::vector<std::string> violations;
  bool unverified = false;  // nobody could decide it
  static std::span<const json::Field> fields();
};
struct CriterionEntry {
  std::string criterion;  // "A1", "S2"
  bool met = false;
  std::string evidence;     // a quote of diff or gate output
  bool unverified = false;  // nobody could decide it
  static std::span<const json::Field> fields();
};
struct Review {
  bool approved = false;
  std::string rejection_type;  // fixable, misscoped, architectural, too_big; empty: none
  std::vector<SopEntry> sop_review;
  std::vector<CriterionEntry> criteria;
  std::uint32_t confidence_hundredths = 0;
  std::string feedback;
  std::vector<NotedPattern> patterns;
  static std::span<const json::Field> fields();
};
// Of an answer that keeps the contract `review`, which has no `unverified`: only review_without_model() says so.
Review read_review(const json::Value& value);
void write_review(json::Writer& json, const Review& review);

enum class ReviewOutcome : std::uint8_t {
  approved,
  approved_unverified,  // nothing speaks against it, and not everything is proven (004-58)
  developer,            // rejected, fixable
  planner,              // misscoped, architectural
  decompose,            // too_big
  escalate,
};
std::string_view review_outcome_name(ReviewOutcome outcome);
std::span<const std::string_view> names_of(ReviewOutcome);

struct ReviewState {
  const Task* task = nullptr;
  std::span<const Sop* const> sops;              // that the reviewer was given
  std::span<const FileFinding> broken_patterns;  // of check_patterns()
  std::span<const std::string> evidence;         // of evidence_of()
  std::span<const GateResult> gates;
  bool gates_configured = true;
};
// What may be quoted: of each hunk what is there now and what was, as text and with its signs; what gates wrote.
std::vector<std::string> evidence_of(const Changes& changes, std::span<const GateResult> gates);
// Whether it is a quote of these.
bool is_evidence(std::string_view said, std::span<const std::string> evidence);

struct ReviewVerdict {
  ReviewOutcome outcome = ReviewOutcome::escalate;
  std::string reason;                   // one sentence
  std::vector<FileFinding> findings;    // all rules that were broken, the one that decided first
  std::vector<std::string> open;        // criteria that are not met
  std::vector<std::string> unverified;  // criteria and SOPs that nobody proved
  std::string feedback;                 // for the developer or planner
};
ReviewVerdict judge_review(const Review& review, const ReviewState& state);

// What is wrong with a review as such, and only its reviewer can mend: an SOP or a criterion without an entry or its
// evidence, an approval beside an open criterion or a violated SOP. Sentences.
std::vector<std::string> own_faults(const Review& review, const ReviewState& state);

// "Max retries exceeded after 4 attempts"
std::string retries_exceeded(std::uint32_t attempts);

// The reviewer `extract`: SOPs by their checks, scenarios by their `check`; all else is unverified.
Review review_without_model(const ReviewState& state);

struct PlanReviewFinding {
  std::string sop_id, status, reason;  // compliant, violation, not_applicable
  static std::span<const json::Field> fields();
};
struct PlanReview {
  bool approved = false;  // else needs_changes
  std::vector<PlanReviewFinding> findings;
  std::string feedback;
  static std::span<const json::Field> fields();
};
// `approved` holds only where every SOP has a finding, not_applicable has a reason, and none of severity error is
// violated.
ReviewVerdict judge_plan_review(const PlanReview& review, std::span<const Sop* const> sops);

}  // namespace plumb::workflow
