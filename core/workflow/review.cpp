#include "core/workflow/review.hpp"

#include <algorithm>
#include <array>

#include "core/json/decimal.hpp"
#include "core/json/field_as.hpp"
#include "core/text/fold.hpp"
#include "core/text/quotes.hpp"
#include "core/wording.hpp"
#include "core/workflow/evidence.hpp"

namespace plumb::workflow {

namespace {

using contract::FindingClass;
using contract::Severity;
using json::field;
using json::field_as;
using json::field_if_set;

constexpr std::string_view not_verified = "Not verified: no model was asked.";

constexpr std::string_view outcome_names[] = {"approved", "approved_unverified", "developer",
                                              "planner",  "decompose",           "escalate"};

std::uint32_t hundredths_of(const json::Value& value) {
  json::Decimal given;
  if (!value.is(json::Kind::number) ||
      json::Decimal::read(value.str(), json::Decimal::exponent_max_default, given) != json::DecimalStatus::ok) {
    return 0;
  }
  std::uint32_t out = 0;
  for (std::uint32_t i = 1; i <= 100; ++i) {
    json::Decimal step;
    json::Decimal::read(std::to_string(i) + "e-2", json::Decimal::exponent_max_default, step);
    out = json::compare(step, given) <= 0 ? i : out;
  }
  return out;
}

constexpr json::FieldType verdict_type = {
    [](const json::Value& value, void* at) {
      *static_cast<bool*>(at) = value.is(json::Kind::string) && value.str() == "approved";
      return true;
    },
    [](json::Writer& json, const void* at) { json.string(*static_cast<const bool*>(at) ? "approved" : "rejected"); },
    json::TypeOf<bool>::is_set};

constexpr json::FieldType text_or_null_type = {json::TypeOf<std::string>::read,
                                               [](json::Writer& json, const void* at) {
                                                 const auto& text = *static_cast<const std::string*>(at);
                                                 text.empty() ? json.null() : json.string(text);
                                               },
                                               json::TypeOf<std::string>::is_set};

constexpr json::FieldType hundredths_type = {
    [](const json::Value& value, void* at) {
      *static_cast<std::uint32_t*>(at) = hundredths_of(value);
      return true;
    },
    [](json::Writer& json, const void* at) {
      const std::uint32_t h = *static_cast<const std::uint32_t*>(at);
      json.raw(h >= 100 ? "1" : h < 10 ? "0.0" + std::to_string(h) : "0." + std::to_string(h));
    },
    json::TypeOf<std::uint32_t>::is_set};

// What is asked of a reviewer about the task: criteria and scenarios alike.
struct Asked {
  std::string_view id;
  std::string_view check;
};
std::vector<Asked> asked_of(const Task& task) {
  std::vector<Asked> out;
  for (const Criterion& one : task.acceptance) {
    out.push_back({one.id, one.check});
  }
  for (const Scenario& one : task.scenarios) {
    out.push_back({one.id, one.check});
  }
  return out;
}

const GateResult* result_of(std::span<const GateResult> gates, std::string_view name) {
  const auto at = std::find_if(gates.begin(), gates.end(), [&](const GateResult& one) { return one.gate == name; });
  return at == gates.end() ? nullptr : &*at;
}

const SopEntry* entry_of(const Review& review, const Sop& sop) {
  const auto at = std::find_if(review.sop_review.begin(), review.sop_review.end(),
                               [&](const SopEntry& one) { return one.sop_id == sop.id || one.sop_id == sop.slug; });
  return at == review.sop_review.end() ? nullptr : &*at;
}

const CriterionEntry* entry_of(const Review& review, std::string_view id) {
  const auto at = std::find_if(review.criteria.begin(), review.criteria.end(),
                               [&](const CriterionEntry& one) { return one.criterion == id; });
  return at == review.criteria.end() ? nullptr : &*at;
}

class Judge {
 public:
  Judge(const Review& review, const ReviewState& state) : review_(review), state_(state), evidence_(state.evidence) {}

  ReviewVerdict run() {
    entries();
    violations();
    if (review_.confidence_hundredths < confidence_min_hundredths) {
      break_rule("confidence", "/confidence", "", ReviewOutcome::escalate, "Low confidence review");
    }
    gates();
    for (const Asked& one : asked_of(*state_.task)) {
      criterion(one);
    }
    unknown();
    decide();
    return std::move(out_);
  }

 private:
  void break_rule(std::string_view rule, std::string at, std::string item, ReviewOutcome outcome, std::string message) {
    if (!decided_) {
      decided_ = true;
      out_.outcome = outcome;
      out_.reason = message;
    }
    out_.findings.push_back({"", make_finding(rule, Severity::error, FindingClass::meaning, std::move(at),
                                              std::move(item), std::move(message))});
  }

  static std::string place(const SopEntry* entry, const Review& review) {
    return "/sop_review/" + std::to_string(entry - review.sop_review.data());
  }

  // Every SOP has an entry, and every entry what it needs: first all that are missing, then all without evidence.
  void entries() {
    for (const Sop* sop : state_.sops) {
      const SopEntry* const entry = entry_of(review_, *sop);
      const bool reviewed = entry != nullptr && (entry->status != "not_applicable" || !text::is_blank(entry->reason));
      if (!reviewed) {
        break_rule("sop-review", entry == nullptr ? "/sop_review" : place(entry, review_), sop->id,
                   ReviewOutcome::escalate, "SOP " + sop->id + " not reviewed");
      }
    }
    for (const Sop* sop : state_.sops) {
      const SopEntry* const entry = entry_of(review_, *sop);
      if (entry == nullptr || entry->status == "not_applicable") {
        continue;
      }
      if (entry->unverified) {
        out_.unverified.push_back(sop->id);
      } else if (text::is_blank(entry->evidence)) {
        break_rule("sop-evidence", place(entry, review_) + "/evidence", sop->id, ReviewOutcome::escalate,
                   "SOP " + sop->id + " has no evidence");
      }
    }
  }

  void violations() {
    std::vector<std::string> errors;
    for (const Sop* sop : state_.sops) {
      const SopEntry* const entry = entry_of(review_, *sop);
      if (sop->severity == budget::Severity::error && entry != nullptr && entry->status == "violated") {
        errors.push_back(sop->id);
      }
    }
    for (const FileFinding& one : state_.broken_patterns) {
      if (one.finding.severity == Severity::error &&
          std::find(errors.begin(), errors.end(), one.finding.item) == errors.end()) {
        errors.push_back(one.finding.item);
      }
    }
    if (review_.approved && !errors.empty()) {
      break_rule("sop-violation", "/verdict", errors.front(), ReviewOutcome::developer,
                 "Cannot approve with error-level violations");
      out_.findings.back().finding.provided = some_of(errors);
    }
  }

  // Not asked before they passed; said again here, so that no way leads around it.
  void gates() {
    for (const GateResult& one : state_.gates) {
      if (review_.approved && one.required && !one.passed()) {
        break_rule("gate", "/verdict", one.gate, ReviewOutcome::developer, "Cannot approve: " + one.words);
      }
    }
  }

  void criterion(const Asked& asked) {
    const std::string id(asked.id);
    const GateResult* const gate = asked.check.empty() ? nullptr : result_of(state_.gates, asked.check);
    const CriterionEntry* const entry = entry_of(review_, asked.id);
    const std::string at =
        entry == nullptr ? "/criteria" : "/criteria/" + std::to_string(entry - review_.criteria.data());
    if (gate != nullptr) {
      if (!gate->passed()) {
        open(id, at, id + " is decided by gate '" + gate->gate + "', and " + gate->words);
      }
      return;
    }
    if (entry == nullptr) {
      return open(id, at, id + " has no entry");
    }
    if (!entry->met) {
      return open(id, at, id + " is not met");
    }
    if (entry->unverified) {
      out_.unverified.push_back(id);
    } else if (!evidence_.has(entry->evidence)) {
      open(id, at + "/evidence",
           text::is_blank(entry->evidence) ? id + " is said to be met, without evidence"
                                           : "the evidence of " + id + " is in neither the diff nor the gates' output");
    }
  }

  void open(const std::string& id, std::string at, std::string message) {
    out_.open.push_back(id);
    if (review_.approved) {
      break_rule("criterion", std::move(at), id, ReviewOutcome::developer, std::move(message));
    }
  }

  // What nobody asked for is told and does no harm.
  void unknown() {
    for (std::size_t i = 0; i < review_.sop_review.size(); ++i) {
      const SopEntry& entry = review_.sop_review[i];
      if (std::none_of(state_.sops.begin(), state_.sops.end(),
                       [&](const Sop* sop) { return entry.sop_id == sop->id || entry.sop_id == sop->slug; })) {
        out_.findings.push_back(
            {"", make_finding("unknown-sop", Severity::warning, FindingClass::reference,
                              "/sop_review/" + std::to_string(i) + "/sop_id", entry.sop_id,
                              "'" + json::excerpt(entry.sop_id, 100) + "' is no SOP that the reviewer was given")});
      }
    }
  }

  void decide() {
    if (!decided_ && review_.approved) {
      if (!state_.gates_configured) {
        out_.unverified.emplace_back("gates");
      }
      out_.outcome = out_.unverified.empty() ? ReviewOutcome::approved : ReviewOutcome::approved_unverified;
      out_.reason = out_.unverified.empty() ? "Approved" : "Approved, not verified: " + some_of(out_.unverified);
    } else if (!decided_) {
      constexpr std::array<std::pair<std::string_view, ReviewOutcome>, 4> types = {
          {{"fixable", ReviewOutcome::developer},
           {"misscoped", ReviewOutcome::planner},
           {"architectural", ReviewOutcome::planner},
           {"too_big", ReviewOutcome::decompose}}};
      const auto at = std::find_if(types.begin(), types.end(),
                                   [&](const auto& one) { return one.first == review_.rejection_type; });
      out_.outcome = at == types.end() ? ReviewOutcome::escalate : at->second;
      out_.reason = at == types.end() ? "Rejected without a rejection type that leads anywhere"
                                      : "Rejected: " + review_.rejection_type;
    }
    feedback();
  }

  void feedback() {
    if (out_.outcome == ReviewOutcome::approved || out_.outcome == ReviewOutcome::approved_unverified) {
      return;
    }
    std::string& text = out_.feedback;
    if (!text::is_blank(review_.feedback)) {
      text += review_.feedback + "\n";
    }
    for (const FileFinding& one : out_.findings) {
      text += one.finding.severity == Severity::error ? "- " + one.finding.message + "\n" : "";
    }
    for (const SopEntry& one : review_.sop_review) {
      for (const std::string& violation : one.violations) {
        text += one.status == "violated" ? "- " + one.sop_id + ": " + violation + "\n" : "";
      }
    }
    for (const FileFinding& one : state_.broken_patterns) {
      text += "- " + one.path + ":" + std::to_string(one.finding.span.line) + ": " + one.finding.message + "\n";
    }
    if (!review_.approved && !out_.open.empty()) {
      text += "- Open: " + some_of(out_.open, 100) + "\n";
    }
  }

  const Review& review_;
  const ReviewState& state_;
  Evidence evidence_;
  ReviewVerdict out_;
  bool decided_ = false;
};

}  // namespace

std::string_view review_outcome_name(ReviewOutcome outcome) { return outcome_names[static_cast<std::size_t>(outcome)]; }

std::span<const std::string_view> names_of(ReviewOutcome) { return outcome_names; }

std::span<const json::Field> SopEntry::fields() {
  static constexpr json::Field table[] = {
      field<&SopEntry::sop_id>("sop_id"),        field<&SopEntry::status>("status"),
      field<&SopEntry::evidence>("evidence"),    field_if_set<&SopEntry::violations>("violations"),
      field_if_set<&SopEntry::reason>("reason"), field_if_set<&SopEntry::unverified>("unverified")};
  return table;
}

std::span<const json::Field> CriterionEntry::fields() {
  static constexpr json::Field table[] = {
      field<&CriterionEntry::criterion>("criterion"), field<&CriterionEntry::met>("met"),
      field<&CriterionEntry::evidence>("evidence"), field_if_set<&CriterionEntry::unverified>("unverified")};
  return table;
}

std::span<const json::Field> Review::fields() {
  static constexpr json::Field table[] = {field_as<&Review::approved>("verdict", verdict_type),
                                          field_as<&Review::rejection_type>("rejection_type", text_or_null_type),
                                          field<&Review::sop_review>("sop_review"),
                                          field<&Review::criteria>("criteria"),
                                          field_as<&Review::confidence_hundredths>("confidence", hundredths_type),
                                          field<&Review::feedback>("feedback"),
                                          field<&Review::patterns>("patterns")};
  return table;
}

std::span<const json::Field> PlanReviewFinding::fields() {
  static constexpr json::Field table[] = {field<&PlanReviewFinding::sop_id>("sop_id"),
                                          field<&PlanReviewFinding::status>("status"),
                                          field<&PlanReviewFinding::reason>("reason")};
  return table;
}

std::span<const json::Field> PlanReview::fields() {
  static constexpr json::Field table[] = {field_as<&PlanReview::approved>("verdict", verdict_type),
                                          field<&PlanReview::findings>("findings"),
                                          field<&PlanReview::feedback>("feedback")};
  return table;
}

Review read_review(const json::Value& value) { return json::record_of<Review>(value); }

void write_review(json::Writer& json, const Review& review) { json::write_record(json, review); }

ReviewVerdict judge_review(const Review& review, const ReviewState& state) {
  PLUMB_REQUIRE(state.task != nullptr, "a review is about a task");
  return Judge(review, state).run();
}

std::vector<std::string> own_faults(const Review& review, const ReviewState& state) {
  constexpr std::array<std::string_view, 4> rules = {"sop-review", "sop-evidence", "sop-violation", "criterion"};
  const ReviewVerdict verdict = judge_review(review, state);
  const std::vector<Asked> asked = asked_of(*state.task);
  std::vector<std::string> out;
  for (const FileFinding& one : verdict.findings) {
    const bool own = std::find(rules.begin(), rules.end(), one.finding.rule) != rules.end();
    const bool gate = std::any_of(asked.begin(), asked.end(),
                                  [&](const Asked& its) { return its.id == one.finding.item && !its.check.empty(); });
    if (own && !gate) {
      out.push_back(one.finding.message);
    }
  }
  return out;
}

std::string retries_exceeded(std::uint32_t attempts) {
  return "Max retries exceeded after " + counted(attempts, "attempt");
}

Review review_without_model(const ReviewState& state) {
  PLUMB_REQUIRE(state.task != nullptr, "a review is about a task");
  Review out;
  out.approved = true;
  out.confidence_hundredths = 100;
  const auto reject = [&out](const std::string& why) {
    out.approved = false;
    out.rejection_type = "fixable";
    out.feedback += why + "\n";
  };
  for (const Sop* sop : state.sops) {
    SopEntry entry;
    entry.sop_id = sop->id;
    entry.status = "passed";
    for (const FileFinding& one : state.broken_patterns) {
      if (one.finding.item == sop->id && one.finding.rule == "sop-check") {
        entry.status = "violated";
        entry.violations.push_back(one.path + ":" + std::to_string(one.finding.span.line) + ": " + one.finding.message);
      }
    }
    const bool cut =
        std::any_of(state.broken_patterns.begin(), state.broken_patterns.end(),
                    [&](const FileFinding& one) { return one.finding.item == sop->id && one.finding.rule == "limit"; });
    if (entry.status == "violated") {
      entry.evidence = entry.violations.front();
      if (sop->severity == budget::Severity::error) {
        reject(sop->id + " is violated: see the lines below.");
      }
    } else if (sop->checks.empty() || cut) {
      entry.evidence = not_verified;
      entry.unverified = true;
    } else {
      entry.evidence = "Its patterns (" + std::to_string(sop->checks.size()) + ") hold on all added lines.";
    }
    out.sop_review.push_back(std::move(entry));
  }
  for (const Asked& one : asked_of(*state.task)) {
    const GateResult* const gate = one.check.empty() ? nullptr : result_of(state.gates, one.check);
    CriterionEntry entry;
    entry.criterion = one.id;
    entry.met = gate == nullptr || gate->passed();
    entry.evidence = gate == nullptr ? std::string(not_verified) : gate->words;
    entry.unverified = gate == nullptr;
    if (gate != nullptr && !entry.met) {
      reject(std::string(one.id) + " is not met: " + gate->words);
    }
    out.criteria.push_back(std::move(entry));
  }
  return out;
}

ReviewVerdict judge_plan_review(const PlanReview& review, std::span<const Sop* const> sops) {
  ReviewVerdict out;
  out.outcome = review.approved ? ReviewOutcome::approved : ReviewOutcome::planner;
  out.reason = review.approved ? "Approved" : "Needs changes";
  bool decided = false;
  const auto break_rule = [&](std::string_view rule, const Sop& sop, ReviewOutcome outcome, std::string message) {
    if (!decided) {
      out.outcome = outcome;
      out.reason = message;
      decided = true;
    }
    out.findings.push_back(
        {"", make_finding(rule, Severity::error, FindingClass::meaning, "/findings", sop.id, std::move(message))});
  };
  const auto finding_of = [&](const Sop& sop) {
    const auto at = std::find_if(review.findings.begin(), review.findings.end(), [&](const PlanReviewFinding& one) {
      return one.sop_id == sop.id || one.sop_id == sop.slug;
    });
    return at == review.findings.end() ? nullptr : &*at;
  };
  for (const Sop* sop : sops) {
    const PlanReviewFinding* const finding = finding_of(*sop);
    if (finding == nullptr || (finding->status == "not_applicable" && text::is_blank(finding->reason))) {
      break_rule("sop-review", *sop, ReviewOutcome::escalate, "SOP " + sop->id + " not reviewed");
    }
  }
  for (const Sop* sop : sops) {
    const PlanReviewFinding* const finding = finding_of(*sop);
    if (finding != nullptr && finding->status != "not_applicable" && text::is_blank(finding->reason)) {
      break_rule("sop-evidence", *sop, ReviewOutcome::escalate, "SOP " + sop->id + " has no evidence");
    }
  }
  for (const Sop* sop : sops) {
    const PlanReviewFinding* const finding = finding_of(*sop);
    if (review.approved && finding != nullptr && finding->status == "violation" &&
        sop->severity == budget::Severity::error) {
      break_rule("sop-violation", *sop, ReviewOutcome::planner, "Cannot approve with error-level violations");
    }
  }
  if (out.outcome != ReviewOutcome::approved) {
    out.feedback = review.feedback;
    for (const PlanReviewFinding& one : review.findings) {
      if (one.status == "violation") {
        out.feedback += (out.feedback.empty() ? "- " : "\n- ") + one.sop_id + ": " + one.reason;
      }
    }
  }
  return out;
}

}  // namespace plumb::workflow
