// From the first version to the end: free fixes, at most two repairs, and what becomes of the best version: delivered,
// delivered in part, or kept with the reason why the run failed.

#include <algorithm>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/artifact/better.hpp"
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
  return "the judge did not settle " + counted(version.undecided, "question");
}

std::string unverified_of(const Version& version) {
  json::Arena arena;
  const Result<Value> judged = json::parse(version.judgement.empty() ? "{}" : version.judgement, arena);
  const Value* open = judged ? judged.value().find("undecided") : nullptr;
  return open == nullptr ? "[]" : json::value_text(*open);
}

Data result_of(const Job& job, const Version& version, std::uint64_t attempts, bool unverified, const Spent& spent) {
  json::Arena arena;
  const Result<Value> judged = json::parse(version.judgement.empty() ? "{}" : version.judgement, arena);
  return object([&](json::Writer& json) {
    json.key("artifact").raw(version.text);
    json.member("decision", unverified ? "accept_unverified" : version.warned ? "accept_with_warnings" : "accept");
    json.member_uint("attempts", attempts);
    const Value* proofs = judged ? judged.value().find("proofs") : nullptr;
    json.key("evidence");
    proofs == nullptr ? json.raw("[]") : json.value(*proofs);
    json.key("unverified").raw(unverified_of(version));
    if (unverified) {
      json.member("unverified_reason", unverified_reason(version));
    }
    if (job.way >= 2 && !version.coverage.empty()) {
      write_texts(json, "warnings", version.coverage);
    }
    json.member_uint("tokens", spent.tokens);
  });
}

// The proofs of a judgement that speak of items that are kept, where these stand now.
void write_kept_proofs(json::Writer& json, const Version& version, const Kept& kept) {
  json::Arena arena;
  const Result<Value> judged = json::parse(version.judgement.empty() ? "{}" : version.judgement, arena);
  json.key("evidence").begin_array();
  for (const Value& proof : judged ? json::list_of(judged.value(), "proofs") : std::span<const Value>()) {
    const std::string_view at = json::text_of(proof, "at");
    const auto item =
        std::find_if(kept.places.begin(), kept.places.end(), [&](const auto& one) { return one.first == at; });
    if (item != kept.places.end()) {
      json.begin_object().member("rule", json::text_of(proof, "rule")).member("at", item->second);
      json.member_uint("chunk", json::number_of(proof, "chunk")).member("quote", json::text_of(proof, "quote"));
      json.end_object();
    }
  }
  json.end_array();
}

// What the built-in provider says of the items that it did not make: {"fewer", "left_out": [{"name", "reason"}]}.
struct Shortfall {
  std::string fewer;
  std::string left_out;  // JSON
  std::string reasons;   // the first ones, in words
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
    out.left_out = json::value_text(*artifact.value().find("left_out"));
  }
  return out;
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
        run_.emit("exhausted", object([&](json::Writer& json) { json.member_uint("attempts", attempts_); }));
        return give_up("Validation failed after " + json::uint_text(attempts_) + " repair attempts. Violations: " +
                       listed(best_.violations) + " Issues: " + listed(best_.semantic));
      }
      if (std::optional<Result<Data>> done = attempt()) {
        return std::move(*done);
      }
    }
  }

 private:
  // A judge that cannot be reached costs no repair: nobody could tell whether it helped.
  std::optional<Result<Data>> outcome() {
    const Version& best = best_;
    if (best.errors == 0 && (judge_failed(best) || (best.judged && best.issues == 0 && best.undecided > 0))) {
      if (job_.passes_unverified && !best.final) {
        return result_of(job_, best, attempts_, true, spent_);
      }
      return give_up((judge_failed(best) && best.final ? "" : "not verified - ") + unverified_reason(best));
    }
    if (best.holds() && !wants_coverage()) {
      return result_of(job_, best, attempts_, false, spent_);
    }
    if (attempts_ == 0 && !best.holds()) {
      run_.emit("invalid", object([&](json::Writer& json) {
                  json.member_uint("errors", best.errors).member_uint("issues", best.issues);
                }));
    }
    if (judge_failed(best)) {
      return give_up((best.final ? "" : "not verified - ") + unverified_reason(best));
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
    const Freed freed = free_tier(run_, job_, plan_, best_);
    if (freed.count == 0) {
      return false;
    }
    run_.emit("freed", object([&](json::Writer& json) {
                json.member_uint("count", freed.count).key("fixes").raw(freed.fixes);
                json.member_uint("errors", freed.version.errors).member("text", freed.version.text);
              }));
    best_ = freed.version;
    seen_.push_back(best_);
    return true;
  }

  std::optional<Result<Data>> attempt() {
    const bool sound = best_.holds();
    ++attempts_;
    run_.emit("repair", object([&](json::Writer& json) {
                json.member_uint("attempt", attempts_).member_uint("of", repairs_max);
                if (sound) {
                  json.member_uint("uncovered", best_.open);
                }
              }));
    const Part repaired = take_part(spent_, run_.scope("repair", [&](run::Run& part) {
      return repair_artifact(part, job_, spent_, plan_, best_, !kept_);
    }));
    if (repaired.cancelled) {
      return Result<Data>(cancelled_result());
    }
    if (!repaired.error.empty()) {
      return unrepaired(repaired, sound);
    }
    const Version text = version_of(repaired.value);
    if (job_.way >= 2 && already_seen(text)) {
      note_repaired(false, false, "it was there before, and is not judged again");
      kept_ = false;
      return std::nullopt;
    }
    Version next = version_of(take_part(spent_, run_.scope("revalidate", [&](run::Run& part) {
                                return validate(part, job_, spent_, plan_, text, static_cast<int>(attempts_));
                              })).value);
    const Comparison comparison = compared(next);
    kept_ = comparison.better;
    note_repaired(kept_, next.holds() && next.undecided == 0 && (kept_ || job_.way < 2), comparison.why);
    seen_.push_back(next);
    if (kept_) {
      best_ = std::move(next);
    }
    return std::nullopt;
  }

  std::optional<Result<Data>> unrepaired(const Part& repaired, bool sound) {
    run_.emit("unrepaired", object([&](json::Writer& json) {
                json.member_uint("attempt", attempts_).member("error", repaired.error);
              }));
    const bool ends = is_over_budget(repaired.error) || (job_.way >= 2 && repaired.outage);
    if (ends && sound) {
      return Result<Data>(result_of(job_, best_, attempts_, false, spent_));
    }
    if (ends && repaired.outage && job_.way >= 2) {
      return give_up(repaired.error + " (while repairing, attempt " + json::uint_text(attempts_) + " of " +
                     json::uint_text(repairs_max) + ")");
    }
    if (ends) {
      return give_up(repaired.error);
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
    if (unjudged && !out.better && out.why == not_better && next.errors == best_.errors && best_.issues > 0) {
      // Sound, and nobody can tell whether it is right: the version before was known to be wrong.
      out = {true, {}};
    }
    return out;
  }

  bool already_seen(const Version& version) const {
    return std::any_of(seen_.begin(), seen_.end(), [&](const Version& one) {
      return one.is_json == version.is_json && same_artifact(one, version);
    });
  }

  void note_repaired(bool kept, bool valid, const std::string& why) {
    run_.emit("repaired", object([&](json::Writer& json) {
                json.member_uint("attempt", attempts_).member_boolean("kept", kept).member_boolean("valid", valid);
                if (!kept && job_.way >= 2) {
                  json.member("why", why);
                }
              }));
  }

  std::uint64_t asked() const {
    const std::uint64_t wanted = wanted_items(job_, plan_prompt_, plan_.value());
    return wanted > 0 ? wanted : best_.items;
  }

  // What a failed run keeps, before its error; or what is salvaged of it.
  Result<Data> give_up(const std::string& message) {
    const Kept kept = job_.way < 2 ? Kept() : kept_items(run_, job_, plan_prompt_.made, best_);
    if (job_.salvages && kept.items > 0) {
      if (std::optional<Data> partial = salvaged(kept, message)) {
        return std::move(*partial);
      }
    }
    const bool by_extract = job_.way >= 2 && job_.free[static_cast<std::size_t>(Phase::generate)];
    const Shortfall short_of = by_extract ? shortfall_of(best_) : Shortfall();
    run_.emit("failed", object([&](json::Writer& json) {
                json.member_uint("attempts", attempts_);
                write_texts(json, "violations", best_.violations);
                write_texts(json, "issues", best_.semantic);
                write_texts(json, "initial_violations", first_.violations);
                write_texts(json, "initial_issues", first_.semantic);
                json.member("artifact", kept.items > 0 ? kept.text : best_.text);
                json.key("unverified").raw(unverified_of(best_));
                if (!short_of.fewer.empty()) {
                  json.member("fewer", short_of.fewer);
                }
                if (!short_of.left_out.empty()) {
                  json.key("left_out").raw(short_of.left_out);
                }
                if (job_.way >= 2) {
                  json.member_uint("asked", asked()).member_uint("kept", kept.items);
                  if (!best_.judged) {
                    write_texts(json, "checks_not_run", asked_rules(run_.contract(pin_contract)));
                  }
                }
              }));
    return failed(message + (short_of.fewer.empty() ? "" : " Made were " + short_of.fewer) +
                  (short_of.reasons.empty() ? "" : " (" + short_of.reasons + ")"));
  }

  // The items that stand, where they keep the contract but for their number, and a judge has settled them.
  std::optional<Data> salvaged(Kept kept, const std::string& message) {
    Version from = best_;
    Version version = check_structure(run_, job_, plan_, kept.text, {});
    if (!best_.judged && !judge_failed(best_)) {
      version = version_of(take_part(spent_, run_.scope("salvage", [&](run::Run& part) {
                             judge_meaning(part, job_, spent_, plan_, version);
                             return part_result(spent_, version.data(), {});
                           })).value);
      from = version;
      kept = kept_items(run_, job_, plan_prompt_.made, version);
      version = check_structure(run_, job_, plan_, kept.text, {});
    }
    const bool settled = from.judged && from.judge_error.empty();
    if (!settled || kept.items < std::max<std::uint64_t>(job_.count.least, 1) || !only_counts(version)) {
      return std::nullopt;
    }
    run_.emit("salvaged", object([&](json::Writer& json) {
                json.member_uint("asked", asked()).member_uint("kept", kept.items);
                json.member("words", plan_prompt_.made.words(kept.items)).member("reason", message);
              }));
    return object([&](json::Writer& json) {
      json.key("artifact").raw(kept.text);
      json.member("decision", "completed_partial").member_boolean("partial", true);
      json.member_uint("asked", asked()).member_uint("kept", kept.items).member("reason", message);
      json.member_uint("attempts", attempts_);
      write_kept_proofs(json, from, kept);
      json.key("unverified").raw("[]");
      write_texts(json, "violations", best_.violations);
      write_texts(json, "issues", best_.semantic);
      json.member_uint("tokens", spent_.tokens);
    });
  }

  // Whether nothing but numbers of things is wrong with it.
  static bool only_counts(const Version& version) {
    json::Arena arena;
    const Result<Value> verdict = json::parse(version.verdict.empty() ? "{}" : version.verdict, arena);
    const auto findings = verdict ? json::list_of(verdict.value(), "findings") : std::span<const Value>();
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
};

}  // namespace

Result<Data> settle(run::Run& run, const Job& job, Spent& spent, const Data& plan, const Version& first) {
  return Settling(run, job, spent, plan, first).go();
}

}  // namespace plumb::pipelines::artifact
