// From the first version to the end: free fixes, at most two repairs, and what becomes of the best version: delivered,
// delivered in part, or kept with the reason why the run failed.

#include <algorithm>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/artifact/better.hpp"
#include "core/pipelines/artifact/contract_rules.hpp"
#include "core/pipelines/artifact/counts.hpp"
#include "core/pipelines/artifact/job.hpp"
#include "core/pipelines/artifact/version.hpp"
#include "core/repair/progress.hpp"
#include "core/wording.hpp"

namespace plumb::pipelines::artifact {

namespace {

using json::Value;
using run::Data;

std::string listed(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& one : texts) {
    out += out.size() > 1 ? ", " : "";
    json::append_string(out, one);
  }
  return out + "]";
}

std::string unverified_reason(const Version& version) {
  if (!version.judge_error.empty()) {
    return version.judge_error;
  }
  return "the judge did not settle " + counted(version.undecided, "question") +
         (version.again_error.empty() ? "" : " (asked again: " + version.again_error + ")");
}

// What the judge, or what is known beneath it, only warns of.
void add_warnings(const Data& judgement, std::vector<std::string>& out) {
  for (const Value& issue : json::list_of(judgement.value(), "issues")) {
    if (json::text_of(issue, "severity") != "error") {
      out.emplace_back(json::text_of(issue, "message"));
    }
  }
}

// A member of what the judge said, as it is; a list of nothing where it is not there.
Data part_of(const Data& judgement, std::string_view name) {
  const Value* found = judgement.value().find(name);
  return Data::written(found == nullptr ? "[]" : json::value_text(*found));
}

Outcome result_of(const Job& job, const Version& version, std::uint64_t attempts, bool unverified, const Spent& spent) {
  Outcome out;
  out.artifact = Data::written(version.text);
  out.judge_distrusted = !unverified && !job.judged_by.distrust.empty();
  out.decision = unverified || out.judge_distrusted ? "accept_unverified"
                 : version.warned                   ? "accept_with_warnings"
                                                    : "accept";
  out.attempts = attempts;
  out.evidence = part_of(version.judgement, "proofs");
  out.unverified = part_of(version.judgement, "undecided");
  if (unverified) {
    out.unverified_reason = unverified_reason(version);
  } else if (out.judge_distrusted) {
    out.unverified_reason = job.judged_by.distrust;
  }
  if (job.way >= 2) {
    out.warnings = version.coverage;
    add_warnings(version.judgement, out.warnings);
  }
  out.tokens = spent.tokens;
  return out;
}

// What the judge quoted.
struct Proof {
  std::string rule;
  std::string at;
  std::uint64_t chunk = 0;
  std::string quote;
  static std::span<const json::Field> fields() {
    static constexpr json::Field table[] = {json::field<&Proof::rule>("rule"), json::field<&Proof::at>("at"),
                                            json::field<&Proof::chunk>("chunk"), json::field<&Proof::quote>("quote")};
    return table;
  }
};
struct Proofs {
  std::vector<Proof> proofs;
  static std::span<const json::Field> fields() {
    static constexpr json::Field table[] = {json::field<&Proofs::proofs>("proofs")};
    return table;
  }
};

// Those that speak of items that are kept, where these stand now.
Proofs kept_proofs(const Version& version, const Kept& kept) {
  Proofs out;
  for (const Proof& proof : version.judgement.as<Proofs>().proofs) {
    const auto item =
        std::find_if(kept.places.begin(), kept.places.end(), [&](const auto& one) { return one.first == proof.at; });
    if (item != kept.places.end()) {
      out.proofs.push_back({proof.rule, item->second, proof.chunk, proof.quote});
    }
  }
  return out;
}

// What the built-in provider says of the items that it did not make: {"fewer", "left_out": [{"name", "reason"}]}.
struct Shortfall {
  std::string fewer;
  Data left_out;
  std::string reasons;  // the first ones, in words
};
Shortfall shortfall_of(const Version& version) {
  constexpr std::size_t reasons_told = 3;
  constexpr std::size_t said_max = 160;
  json::Arena arena;
  const Result<Value> artifact = json::parse(version.text, arena);
  Shortfall out;
  if (!artifact || json::text_of(artifact.value(), "fewer").empty()) {
    return out;
  }
  out.fewer = json::excerpt(json::text_of(artifact.value(), "fewer"), said_max);
  const auto left_out = json::list_of(artifact.value(), "left_out");
  for (std::size_t i = 0; i < left_out.size() && i < reasons_told; ++i) {
    out.reasons += (i == 0 ? "" : "; ") + json::excerpt(json::text_of(left_out[i], "name"), said_max) + ": " +
                   json::excerpt(json::text_of(left_out[i], "reason"), said_max);
  }
  if (!left_out.empty()) {
    out.left_out = Data::written(json::value_text(*artifact.value().find("left_out")));
  }
  return out;
}

// The errors of a version: its rule, and where that is in the contract.
std::vector<std::pair<std::string, std::string>> broken_rules(const Version& version) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [data, name] : {std::pair{&version.verdict, "findings"}, std::pair{&version.judgement, "issues"}}) {
    for (const Value& one : json::list_of(data->value(), name)) {
      std::pair<std::string, std::string> rule(json::text_of(one, "rule"), json::text_of(one, "schemaLocation"));
      if (json::text_of(one, "severity") == "error" && one.find("shadowedBy") == nullptr &&
          std::find(out.begin(), out.end(), rule) == out.end()) {
        out.push_back(std::move(rule));
      }
    }
  }
  return out;
}

// Why a repair was not kept, for the next one; none of its text.
std::string told(const std::vector<std::string>& broken, const std::string& why) {
  return broken.empty() ? (why.empty() ? "it is not better" : why) : "it broke " + plumb::joined(broken);
}

repair::Standing standing(const Version& version) { return {version.errors, version.judged, version.issues}; }

bool judge_failed(const Version& version) { return !version.judge_error.empty(); }

class Settling {
 public:
  Settling(run::Run& run, const Job& job, Spent& spent, const Data& plan, const Version& first)
      : run_(run),
        job_(job),
        spent_(spent),
        plan_(plan),
        first_(first),
        best_(first),
        plan_prompt_(pinned_prompt(run, "prompt-plan")) {
    seen_.push_back(first);
  }

  Result<Data> go() {
    for (;;) {
      if (run_.cancelled()) {
        return cancelled_result();
      }
      if (std::optional<Result<Data>> done = outcome()) {
        return std::move(*done);
      }
      if (free_fixes()) {
        continue;
      }
      if (attempts_ == repairs_max) {
        run_.emit("exhausted", Data::of(ExhaustedNote{attempts_}));
        return give_up("Validation failed after " + json::uint_text(attempts_) + " repair attempts. Violations: " +
                       listed(best_.violations) + " Issues: " + listed(best_.semantic));
      }
      if (std::optional<Result<Data>> done = attempt()) {
        return std::move(*done);
      }
    }
  }

 private:
  // A judge that cannot be reached costs no repair, since nobody could tell whether it helped. An error of structure is
  // known without it, and repaired.
  std::optional<Result<Data>> outcome() {
    const Version& best = best_;
    if (best.errors == 0 && (judge_failed(best) || (best.judged && best.issues == 0 && best.undecided > 0))) {
      if (job_.passes_unverified && !best.final) {
        return Data::of(result_of(job_, best, attempts_, true, spent_));
      }
      return give_up((judge_failed(best) && best.final ? "" : "not verified - ") + unverified_reason(best),
                     best.final ? Reason::over_budget : Reason::none);
    }
    if (best.holds() && !wants_coverage()) {
      return Data::of(result_of(job_, best, attempts_, false, spent_));
    }
    if (attempts_ == 0 && !best.holds()) {
      run_.emit("invalid", Data::of(InvalidNote{best.errors, best.issues}));
    }
    if (judge_failed(best) && (best.final || best.errors == 0 || job_.way < 3)) {
      return give_up((best.final ? "" : "not verified - ") + unverified_reason(best),
                     best.final ? Reason::over_budget : Reason::none);
    }
    return std::nullopt;
  }

  // Sound, but nothing is about an entry of the plan: one repair is spent on that, where there is room for more items.
  bool wants_coverage() const {
    const std::uint64_t most = job_.count.exactly > 0 ? job_.count.exactly : job_.count.most;
    const bool free = job_.free[static_cast<std::size_t>(Phase::repair)];
    return job_.way >= 2 && best_.open > 0 && attempts_ == 0 && !free && (most == 0 || best_.items < most);
  }

  bool free_fixes() {
    Freed freed = free_tier(run_, job_, plan_, best_);
    if (freed.note.count == 0) {
      return false;
    }
    run_.emit("freed", Data::of(std::move(freed.note)));
    best_ = std::move(freed.version);
    seen_.push_back(best_);
    return true;
  }

  std::optional<Result<Data>> attempt() {
    const bool sound = best_.holds();
    ++attempts_;
    run_.emit("repair", Data::of(RepairNote{attempts_, repairs_max, sound ? std::optional(best_.open) : std::nullopt}));
    const Part repaired = take_part(spent_, run_.scope("repair", [&](run::Run& part) {
      return repair_artifact(part, job_, spent_, plan_, best_, {kept_, broke_});
    }));
    if (repaired.cancelled) {
      return Result<Data>(cancelled_result());
    }
    if (!repaired.error.empty()) {
      return unrepaired(repaired, sound);
    }
    const auto& text = repaired.value.as<Version>();
    if (job_.way >= 2 && already_seen(text)) {
      note_repaired(false, false, "it was there before, and is not judged again", Reason::none);
      kept_ = false;
      broke_ = "the artifact came out as it was in an earlier version";
      return std::nullopt;
    }
    const Part validated = take_part(spent_, run_.scope("revalidate", [&](run::Run& part) {
      return validate(part, job_, spent_, plan_, text, attempts_);
    }));
    const auto& next = validated.value.as<Version>();
    const Comparison comparison = compared(next);
    kept_ = comparison.better;
    broke_ = kept_ ? "" : told(newly_broken(next), comparison.why);
    note_repaired(kept_, next.holds() && next.undecided == 0 && (kept_ || job_.way < 2), comparison.why,
                  comparison.reason);
    seen_.push_back(next);
    if (kept_) {
      best_ = next;
    }
    return std::nullopt;
  }

  // A model that declines has made no attempt, and declines again if it is asked for the same again.
  std::optional<Result<Data>> unrepaired(const Part& repaired, bool sound) {
    run_.emit("unrepaired", Data::of(UnrepairedNote{attempts_, repaired.error}));
    const bool ends = repaired.reason == Reason::over_budget || (job_.way >= 2 && repaired.outage) || repaired.refused;
    attempts_ -= repaired.refused ? 1 : 0;
    if (ends && sound) {
      return Result<Data>(Data::of(result_of(job_, best_, attempts_, false, spent_)));
    }
    if (ends && ((repaired.outage && job_.way >= 2) || repaired.refused)) {
      return give_up(repaired.error + " (while repairing, attempt " +
                     json::uint_text(attempts_ + (repaired.refused ? 1 : 0)) + " of " + json::uint_text(repairs_max) +
                     ")");
    }
    if (ends) {
      return give_up(repaired.error, repaired.reason);
    }
    kept_ = false;
    return std::nullopt;
  }

  Comparison compared(const Version& next) const {
    const bool unjudged = judge_failed(next);
    if (job_.way < 2) {
      const bool known_wrong = next.errors < best_.errors || (next.errors == best_.errors && best_.issues > 0);
      return {unjudged ? known_wrong : repair::is_better(standing(next), standing(best_)), {}};
    }
    Comparison out = compare(run_, job_, plan_prompt_.made, next, best_);
    if (unjudged && !out.better && out.reason == Reason::not_better && next.errors == best_.errors &&
        best_.issues > 0) {
      // Sound, and nobody can tell whether it is right: the version before was known to be wrong.
      out = {true, {}, Reason::none};
    }
    return out;
  }

  // The rules that a version breaks and the best one keeps, as the prompt lists them.
  std::vector<std::string> newly_broken(const Version& next) const {
    const auto before = broken_rules(best_);
    const std::vector<Rule> rules = rules_of(run_.contract(pin_contract));
    std::vector<std::string> out;
    for (const auto& [name, location] : broken_rules(next)) {
      if (std::find(before.begin(), before.end(), std::pair(name, location)) != before.end()) {
        continue;
      }
      const auto known =
          std::find_if(rules.begin(), rules.end(),
                       [&, at = std::string_view(location)](const Rule& one) { return one.schema_location == at; });
      const std::string text = known == rules.end() ? name == "syntax" ? "the form of JSON" : "the rule `" + name + "`"
                               : known->place.empty() ? "\"" + known->text + "\""
                                                      : "`" + known->place + "` (" + known->text + ")";
      if (std::find(out.begin(), out.end(), text) == out.end()) {
        out.push_back(text);
      }
    }
    return out;
  }

  bool already_seen(const Version& version) const {
    return std::any_of(seen_.begin(), seen_.end(), [&](const Version& one) {
      return one.is_json == version.is_json && same_artifact(one, version);
    });
  }

  void note_repaired(bool kept, bool valid, const std::string& why, Reason reason) {
    RepairedNote note{attempts_, kept, valid, {}, {}};
    if (!kept && job_.way >= 2) {
      note.why = why;
      note.reason = reason;
    }
    run_.emit("repaired", Data::of(std::move(note)));
  }

  std::uint64_t asked() const {
    const std::uint64_t wanted = wanted_items(job_, plan_prompt_, plan_.value());
    return wanted > 0 ? wanted : best_.items;
  }

  // What a failed run keeps, before its error; or what is salvaged of it.
  Result<Data> give_up(const std::string& message, Reason reason = Reason::none) {
    const Kept kept = job_.way < 2 ? Kept() : kept_items(run_, job_, plan_prompt_.made, best_);
    if (job_.salvages && kept.items > 0) {
      if (std::optional<Data> partial = salvaged(kept, message)) {
        return std::move(*partial);
      }
    }
    const bool by_extract = job_.way >= 2 && job_.free[static_cast<std::size_t>(Phase::generate)];
    const Shortfall short_of = by_extract ? shortfall_of(best_) : Shortfall();
    FailedNote note;
    note.attempts = attempts_;
    note.violations = best_.violations;
    note.issues = best_.semantic;
    note.initial_violations = first_.violations;
    note.initial_issues = first_.semantic;
    note.artifact = kept.items > 0 ? kept.text : best_.text;
    note.unverified = part_of(best_.judgement, "undecided");
    note.fewer = short_of.fewer;
    note.left_out = short_of.left_out;
    if (job_.way >= 2) {
      note.asked = asked();
      note.kept = kept.items;
      if (!best_.judged) {
        note.checks_not_run = asked_rules(run_.contract(pin_contract));
      }
    }
    run_.emit("failed", Data::of(std::move(note)));
    return failed(message + (short_of.fewer.empty() ? "" : " Made were " + short_of.fewer) +
                      (short_of.reasons.empty() ? "" : " (" + short_of.reasons + ")"),
                  reason);
  }

  // The items that stand, where they keep the contract but for their number, and a judge has settled them.
  std::optional<Data> salvaged(Kept kept, const std::string& message) {
    Version from = best_;
    Version version = check_structure(run_, job_, plan_, kept.text, {});
    if (!best_.judged && !judge_failed(best_)) {
      from = take_part(spent_, run_.scope("salvage", [&](run::Run& part) {
               judge_meaning(part, job_, spent_, plan_, version);
               return part_result(spent_, Data::of(version), {});
             })).value.as<Version>();
      kept = kept_items(run_, job_, plan_prompt_.made, from);
      version = check_structure(run_, job_, plan_, kept.text, {});
    }
    const bool settled = from.judged && from.judge_error.empty();
    if (!settled || kept.items < std::max<std::uint64_t>(job_.count.least, 1) || !only_counts(version)) {
      return std::nullopt;
    }
    run_.emit("salvaged", Data::of(SalvagedNote{asked(), kept.items, plan_prompt_.made.words(kept.items), message}));
    Outcome out;
    out.artifact = Data::written(kept.text);
    out.decision = "completed_partial";
    out.partial = true;
    out.asked = asked();
    out.kept = kept.items;
    out.reason = message;
    out.attempts = attempts_;
    out.evidence = part_of(Data::of(kept_proofs(from, kept)), "proofs");
    out.unverified = Data::written("[]");
    out.violations = best_.violations;
    out.issues = best_.semantic;
    out.tokens = spent_.tokens;
    return Data::of(std::move(out));
  }

  // Whether nothing but numbers of things is wrong with it.
  static bool only_counts(const Version& version) {
    const auto findings = json::list_of(version.verdict.value(), "findings");
    return version.is_json && std::all_of(findings.begin(), findings.end(), [](const Value& one) {
             return json::text_of(one, "severity") != "error" || one.find("shadowedBy") != nullptr ||
                    (json::text_of(one, "class") == "count" && json::text_of(one, "rule") != "depth");
           });
  }

  run::Run& run_;
  const Job& job_;
  Spent& spent_;
  const Data& plan_;
  const Version& first_;
  Version best_;
  const Prompt plan_prompt_;
  std::vector<Version> seen_;
  std::uint64_t attempts_ = 0;
  bool kept_ = true;
  std::string broke_;  // by the last repair, which was not kept
};

}  // namespace

Result<Data> settle(run::Run& run, const Job& job, Spent& spent, const Data& plan, const Version& first) {
  return Settling(run, job, spent, plan, first).go();
}

}  // namespace plumb::pipelines::artifact
