// The document, read from top to bottom: plan, generate, validate; then at most two repairs.

#include "core/pipelines/artifact/artifact.hpp"

#include <algorithm>

#include "core/extract/chunks.hpp"
#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/artifact/job.hpp"
#include "core/repair/check.hpp"
#include "core/repair/patch.hpp"
#include "core/repair/progress.hpp"
#include "core/text/tokens.hpp"

namespace plumb::pipelines::artifact {

namespace {

using json::Kind;
using json::Value;
using run::Data;

Error failed(std::string message) {
  Error error;
  error.code = ErrorCode::unavailable;
  error.message = std::move(message);
  return error;
}

template <class Write>
Data object(Write write) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  write(json);
  json.end_object();
  return Data::written(std::move(out));
}

void note_phase(run::Run& run, std::string_view phase) {
  run.emit("phase", object([&](json::Writer& json) { json.member("phase", phase); }));
}

void write_list(json::Writer& json, std::string_view name, const std::vector<std::string>& texts) {
  json.key(name).begin_array();
  for (const std::string& one : texts) {
    json.string(one);
  }
  json.end_array();
}

std::string listed(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& one : texts) {
    out += out.size() > 1 ? ", " : "";
    json::append_string(out, one);
  }
  return out + "]";
}

// What a part hands on: a value or an error, with what has been spent until then.
Data part_result(const Spent& spent, const Data& value, const Answer& answer) {
  return object([&](json::Writer& json) {
    json.member_uint("tokens", spent.tokens).key("value").raw(value.text());
    json.member("error", answer.error).member_boolean("cancelled", answer.cancelled);
  });
}

struct Part {
  Data value;
  std::string error;
  bool cancelled = false;
};

Part take_part(Spent& spent, const Data& result) {
  const Value& all = result.value();
  Part out;
  if (const Value* tokens = all.find("tokens")) {
    json::read_uint(tokens->str(), spent.tokens);
  }
  out.error = all.find("error")->str();
  out.cancelled = all.find("cancelled")->boolean;
  if (const Value* value = all.find("value"); !value->is(Kind::null)) {
    out.value = Data::written(json::value_text(*value));
  }
  return out;
}

Data plan_artifact(run::Run& run, const Job& job, Spent& spent) {
  const Prompt prompt = pinned_prompt(run, "prompt-plan");
  note_phase(run, "plan");
  Call what;
  what.phase = Phase::plan;
  what.prompt = "prompt-plan";
  what.contract = pin_plan_contract;
  Answer answer;
  // A plan that breaks its contract is no artifact to repair: it is asked for once more.
  for (int attempt = 1; attempt <= 2; ++attempt) {
    what.bolder = attempt > 1;
    what.variables = [&](json::Writer& json) {
      json.member("type", job.type);
      json.member_uint("count", wanted_items(job, prompt, {})).key("options").raw(options_json(job, prompt));
      json.member("source", source_text(job, {}));
    };
    what.task = [&](json::Writer& json) {
      json.member("name", "artifact.plan").member("kind", job.type);
      json.key("options").raw(task_options(job, prompt, {})).key("chunks").value(*job.chunks);
    };
    answer = call(run, job, spent, what);
    if (!answer.error.empty()) {
      return part_result(spent, {}, answer);
    }
    repair::EditOptions edits;
    edits.level = contract::EditLevel::certain;
    edits.keep_text = true;
    repair::Check check(run.contract(pin_plan_contract), {}, edits);
    const contract::Verdict verdict = check.whole(answer.text);
    if (verdict.valid) {
      const Data plan = Data::written(check.mended() ? check.text() : answer.text);
      const std::uint64_t count = prompt.planned.count(plan.value());
      run.emit("planned", object([&](json::Writer& json) {
                 json.member_uint("count", count).member("words", prompt.planned.words(count));
                 json.key("plan").raw(plan.text());
               }));
      return part_result(spent, plan, answer);
    }
    answer.error = "planning failed - the plan breaks its contract";
    answer.error += verdict.findings.empty() ? "" : ": " + verdict.findings.front().message;
    if (attempt == 1) {
      run.emit("retry",
               object([&](json::Writer& json) { json.member("phase", "plan").member("error", answer.error); }));
    }
  }
  return part_result(spent, {}, answer);
}

Data generate_artifact(run::Run& run, const Job& job, Spent& spent, const Data& plan) {
  const Prompt plan_prompt = pinned_prompt(run, "prompt-plan");
  note_phase(run, "generate");
  Call what;
  what.phase = Phase::generate;
  what.prompt = "prompt-generate";
  what.contract = pin_contract;
  what.early_stop = job.early_stop;
  const std::uint64_t count = wanted_items(job, plan_prompt, plan.value());
  what.variables = [&](json::Writer& json) {
    json.member("type", job.type).member("made", plan_prompt.made.many);
    if (count > 0) {
      json.member_uint("count", count);
    }
    json.key("options").raw(options_json(job, plan_prompt)).member("plan", fenced("plan", plan.text()));
    json.member("source", source_text(job, plan.value()));
  };
  what.task = [&](json::Writer& json) {
    json.member("name", "artifact.generate").member("kind", job.type);
    json.key("options").raw(task_options(job, plan_prompt, plan.value())).key("plan").raw(plan.text());
    json.key("chunks").value(*job.chunks);
  };
  const Answer answer = call(run, job, spent, what);
  if (!answer.error.empty()) {
    return part_result(spent, {}, answer);
  }
  json::Arena arena;
  Version version = check_structure(run, answer.text, answer.stopped);
  const Result<Value> artifact = json::parse(version.text, arena);
  const std::uint64_t made = artifact ? plan_prompt.made.count(artifact.value()) : 0;
  const Value* stopped = answer.reply->value.value().find("stopped");
  run.emit("made", object([&](json::Writer& json) {
             json.member_uint("count", made).member("words", plan_prompt.made.words(made));
             json.member_boolean("is_json", static_cast<bool>(artifact));
             if (stopped != nullptr) {
               json.key("stopped").value(*stopped);
             }
           }));
  return part_result(spent, version.data(), answer);
}

void note_structure(run::Run& run, const Version& version, int attempt) {
  run.emit("structure", object([&](json::Writer& json) {
             json.member_uint("attempt", static_cast<std::uint64_t>(attempt)).member_uint("errors", version.errors);
             json.member("text", version.text);
             json.key("verdict").raw(version.verdict.empty() ? "null" : version.verdict);
           }));
}

void note_meaning(run::Run& run, const Version& version, int attempt) {
  run.emit("meaning", object([&](json::Writer& json) {
             json.member_uint("attempt", static_cast<std::uint64_t>(attempt)).member_boolean("judged", version.judged);
             json.member_uint("issues", version.issues).member_uint("undecided", version.undecided);
             write_list(json, "semantic", version.semantic);
             if (!version.judge_error.empty()) {
               json.member("error", version.judge_error);
             }
             if (!version.judgement.empty()) {
               json.key("judgement").raw(version.judgement);
             }
           }));
}

// Both steps on the first artifact; on a repaired one meaning only where the structure holds.
Data validate(run::Run& run, const Job& job, Spent& spent, const Data& plan, Version version, int attempt) {
  run.emit("step", object([&](json::Writer& json) {
             json.member("step", "structure").member_uint("attempt", static_cast<std::uint64_t>(attempt));
           }));
  note_structure(run, version, attempt);
  const bool judges = version.is_json && version.stopped.empty() && (attempt == 0 || version.errors == 0);
  if (judges || attempt == 0) {
    run.emit("step", object([&](json::Writer& json) {
               json.member("step", "meaning").member_uint("attempt", static_cast<std::uint64_t>(attempt));
               json.member_boolean("skipped", !judges);
             }));
  }
  if (judges) {
    judge_meaning(run, job, spent, plan, version);
    note_meaning(run, version, attempt);
  }
  return part_result(spent, version.data(), {});
}

// An answer to a patch prompt, applied; empty where it cannot be.
std::string patched(const run::Run& run, const std::string& answer, const Version& version,
                    const std::vector<std::string>& scope, std::string& why) {
  repair::EditOptions edits;
  edits.level = contract::EditLevel::certain;
  edits.keep_text = true;
  repair::Check check(run.contract(pin_patch_contract), {}, edits);
  const contract::Verdict verdict = check.whole(answer);
  json::Arena arena;
  const Result<Value> patch = json::parse(check.mended() ? std::string_view(check.text()) : answer, arena);
  const Result<Value> artifact = json::parse(version.text, arena);
  if (!verdict.valid || !patch || !artifact) {
    why = "the patch breaks its contract";
    return {};
  }
  Result<std::string> done = repair::apply_patch(artifact.value(), *patch.value().find("patch"), scope);
  if (!done) {
    why = done.error().message;
    return {};
  }
  return std::move(done).value();
}

std::vector<std::string> scope_of(const run::Run& run, const Version& version) {
  const contract::Contract& contract = run.contract(pin_contract);
  std::vector<contract::Finding> findings = contract::check_text(contract, version.text).findings;
  json::Arena arena;
  if (const Result<Value> judged = json::parse(version.judgement.empty() ? "{}" : version.judgement, arena); judged) {
    if (const Value* issues = judged.value().find("issues")) {
      for (const Value& issue : issues->array()) {
        contract::Finding finding;
        finding.at = issue.find("at")->str();
        findings.push_back(std::move(finding));
      }
    }
  }
  return repair::repair_scope(contract, findings);
}

// What is wrong, structure and meaning, in one list: {"findings": [...]}.
std::string all_findings(const Version& version) {
  std::string out;
  json::Writer json(out);
  json.begin_object().key("findings").begin_array();
  for (const auto& [text, name] : {std::pair{&version.verdict, "findings"}, std::pair{&version.judgement, "issues"}}) {
    json::Arena arena;
    const Result<Value> read = json::parse(text->empty() ? "{}" : *text, arena);
    const Value* list = read ? read.value().find(name) : nullptr;
    for (const Value& one : list == nullptr ? std::span<const Value>() : list->array()) {
      json.value(one);
    }
  }
  json.end_array().end_object();
  return out;
}

// One attempt: the new version, unjudged.
Data repair_artifact(run::Run& run, const Job& job, Spent& spent, const Data& plan, const Version& version,
                     bool bolder) {
  const Prompt plan_prompt = pinned_prompt(run, "prompt-plan");
  const std::vector<std::string> scope =
      job.patches && version.is_json ? scope_of(run, version) : std::vector<std::string>();
  const bool whole_artifact = scope.size() == 1 && scope.front().empty();
  Answer answer;
  for (const bool patch : {true, false}) {
    if (patch && (scope.empty() || whole_artifact)) {
      continue;
    }
    Call what;
    what.phase = Phase::repair;
    what.prompt = patch ? "prompt-patch" : "prompt-repair";
    what.contract = patch ? pin_patch_contract : pin_contract;
    what.bolder = bolder;
    what.output_tokens_min = patch ? 0 : text::estimate_tokens(version.text).safe;
    what.variables = [&](json::Writer& json) {
      json.member("type", job.type).member("plan", fenced("plan", plan.text()));
      json.member("source", source_text(job, plan.value())).member("artifact", fenced("artifact", version.text));
      json.member("stopped", version.stopped);
      json.member("structural", fenced("violations", bullets(version.violations)));
      json.member("semantic", fenced("issues", bullets(version.semantic)));
      json.member("rules", rules_text(run.contract(pin_contract))).member("scope", bullets(scope));
    };
    what.task = [&](json::Writer& json) {
      json.member("name", "artifact.repair").member("kind", job.type);
      json.key("options").raw(task_options(job, plan_prompt, plan.value()));
      json.key("plan").raw(plan.text());
      if (version.is_json) {
        json.key("artifact").raw(version.text);
      } else {
        json.member("text", version.text);
      }
      json.key("verdict").raw(all_findings(version)).member_boolean("patch", patch).key("chunks").value(*job.chunks);
    };
    answer = call(run, job, spent, what);
    if (!answer.error.empty()) {
      break;
    }
    if (!patch) {
      return part_result(spent, check_structure(run, answer.text, answer.stopped).data(), answer);
    }
    std::string why;
    std::string text = patched(run, answer.text, version, scope, why);
    run.emit("patch", object([&](json::Writer& json) {
               json.member_boolean("applied", !text.empty()).member("why", why);
               write_list(json, "scope", scope);
             }));
    if (!text.empty()) {
      return part_result(spent, check_structure(run, std::move(text), {}).data(), answer);
    }
  }
  return part_result(spent, {}, answer);
}

std::string unverified_reason(const Version& version) {
  if (!version.judge_error.empty()) {
    return version.judge_error;
  }
  return "the judge did not settle " + json::uint_text(version.undecided) +
         (version.undecided == 1 ? " question" : " questions");
}

std::string unverified_of(const Version& version) {
  json::Arena arena;
  const Result<Value> judged = json::parse(version.judgement.empty() ? "{}" : version.judgement, arena);
  const Value* open = judged ? judged.value().find("undecided") : nullptr;
  return open == nullptr ? "[]" : json::value_text(*open);
}

Data result_of(const Version& version, std::uint64_t attempts, bool unverified, const Spent& spent) {
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
    json.member_uint("tokens", spent.tokens);
  });
}

// What a failed run keeps, before its error.
Error give_up(run::Run& run, const Version& first, const Version& last, std::uint64_t attempts, std::string message) {
  run.emit("failed", object([&](json::Writer& json) {
             json.member_uint("attempts", attempts);
             write_list(json, "violations", last.violations);
             write_list(json, "issues", last.semantic);
             write_list(json, "initial_violations", first.violations);
             write_list(json, "initial_issues", first.semantic);
             json.member("artifact", last.text).key("unverified").raw(unverified_of(last));
           }));
  return failed(std::move(message));
}

repair::Standing standing(const Version& version) { return {version.errors, version.judged, version.issues}; }

}  // namespace

Result<Data> pipeline(run::Run& run) {
  const Job job = read_job(run.input());
  Spent spent;
  const auto cancelled = [&] { return object([](json::Writer& json) { json.member("cancelled", "on request"); }); };

  const Part plan =
      take_part(spent, run.scope("plan", [&](run::Run& part) { return plan_artifact(part, job, spent); }));
  if (!plan.error.empty()) {
    return plan.cancelled ? Result<Data>(cancelled()) : Result<Data>(failed(plan.error));
  }
  const Part made = take_part(
      spent, run.scope("generate", [&](run::Run& part) { return generate_artifact(part, job, spent, plan.value); }));
  if (!made.error.empty()) {
    return made.cancelled ? Result<Data>(cancelled()) : Result<Data>(failed(made.error));
  }

  note_phase(run, "validate");
  Version best = version_of(take_part(spent, run.scope("validate", [&](run::Run& part) {
                              return validate(part, job, spent, plan.value, version_of(made.value), 0);
                            })).value);
  const Version first = best;

  // A judge that cannot be reached costs no repair: nobody could tell whether it helped.
  const auto judge_failed = [&](const Version& version) { return !version.judge_error.empty(); };
  std::uint64_t attempts = 0;
  bool kept = true;
  for (;;) {
    if (run.cancelled()) {
      return cancelled();
    }
    if (best.errors == 0 && (judge_failed(best) || (best.judged && best.issues == 0 && best.undecided > 0))) {
      if (job.passes_unverified && !best.final) {
        return result_of(best, attempts, true, spent);
      }
      return give_up(run, first, best, attempts,
                     (judge_failed(best) && best.final ? "" : "not verified - ") + unverified_reason(best));
    }
    if (best.holds()) {
      return result_of(best, attempts, false, spent);
    }
    if (attempts == 0) {
      run.emit("invalid", object([&](json::Writer& json) {
                 json.member_uint("errors", best.errors).member_uint("issues", best.issues);
               }));
    }
    if (judge_failed(best)) {
      return give_up(run, first, best, attempts, (best.final ? "" : "not verified - ") + unverified_reason(best));
    }
    const Freed freed = free_tier(run, best);
    if (freed.count > 0) {
      run.emit("freed", object([&](json::Writer& json) {
                 json.member_uint("count", freed.count).key("fixes").raw(freed.fixes);
                 json.member_uint("errors", freed.version.errors).member("text", freed.version.text);
               }));
      best = freed.version;
      continue;
    }
    if (attempts == repairs_max) {
      run.emit("exhausted", object([&](json::Writer& json) { json.member_uint("attempts", attempts); }));
      return give_up(run, first, best, attempts,
                     "Validation failed after " + json::uint_text(attempts) + " repair attempts. Violations: " +
                         listed(best.violations) + " Issues: " + listed(best.semantic));
    }
    ++attempts;
    run.emit("repair",
             object([&](json::Writer& json) { json.member_uint("attempt", attempts).member_uint("of", repairs_max); }));
    const Part repaired = take_part(spent, run.scope("repair", [&](run::Run& part) {
      return repair_artifact(part, job, spent, plan.value, best, !kept);
    }));
    if (repaired.cancelled) {
      return cancelled();
    }
    if (!repaired.error.empty()) {
      run.emit("unrepaired", object([&](json::Writer& json) {
                 json.member_uint("attempt", attempts).member("error", repaired.error);
               }));
      if (repaired.error.substr(0, 15) == "budget_exceeded") {
        return give_up(run, first, best, attempts, repaired.error);
      }
      kept = false;
      continue;
    }
    Version next = version_of(take_part(spent, run.scope("revalidate", [&](run::Run& part) {
                                return validate(part, job, spent, plan.value, version_of(repaired.value),
                                                static_cast<int>(attempts));
                              })).value);
    if (judge_failed(next)) {
      // Sound, and nobody can tell whether it is right: the version before was known to be wrong.
      kept = next.errors < best.errors || (next.errors == best.errors && best.issues > 0);
    } else {
      kept = repair::is_better(standing(next), standing(best));
    }
    const bool done = next.holds() && next.undecided == 0;
    run.emit("repaired", object([&](json::Writer& json) {
               json.member_uint("attempt", attempts).member_boolean("kept", kept).member_boolean("valid", done);
             }));
    if (kept) {
      best = std::move(next);
    }
  }
}

}  // namespace plumb::pipelines::artifact
