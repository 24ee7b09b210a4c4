// A repair: the artifact written again, or a patch first.

#include <algorithm>

#include "core/contract/render.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/judge/judge.hpp"
#include "core/pipelines/artifact/better.hpp"
#include "core/pipelines/artifact/contract_rules.hpp"
#include "core/pipelines/artifact/counts.hpp"
#include "core/pipelines/artifact/duplicates.hpp"
#include "core/pipelines/artifact/job.hpp"
#include "core/pipelines/artifact/source.hpp"
#include "core/pipelines/artifact/version.hpp"
#include "core/repair/check.hpp"
#include "core/repair/patch.hpp"
#include "core/text/tokens.hpp"

namespace plumb::pipelines::artifact {

namespace {

using json::Value;
using run::Data;

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
  for (const Value& issue : json::list_of(version.judgement.value(), "issues")) {
    contract::Finding finding;
    finding.at = json::text_of(issue, "at");
    if (json::text_of(issue, "severity") == "error") {
      findings.push_back(std::move(finding));
    }
  }
  return repair::repair_scope(contract, findings);
}

// What is wrong, structure and meaning, in one list: {"findings": [...]}.
std::string all_findings(const Version& version) {
  std::string out;
  json::Writer json(out);
  json.begin_object().key("findings").begin_array();
  for (const auto& [data, name] : {std::pair{&version.verdict, "findings"}, std::pair{&version.judgement, "issues"}}) {
    for (const Value& one : json::list_of(data->value(), name)) {
      json.value(one);
    }
  }
  json.end_array().end_object();
  return out;
}

// An artifact as JSON. Of one that was cut off: up to the last object that was ended, with what is open there closed.
std::string whole_part(const Version& version) {
  if (version.is_json) {
    return version.text;
  }
  std::string open;
  std::string closing;
  std::size_t end = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < version.text.size(); ++i) {
    const char c = version.text[i];
    if (in_string) {
      i += c == '\\' ? 1 : 0;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      open += c == '{' ? '}' : ']';
    } else if ((c == '}' || c == ']') && !open.empty()) {
      open.pop_back();
      if (c == '}') {
        end = i + 1;
        closing = open;
      }
    }
  }
  return version.text.substr(0, end) + std::string(closing.rbegin(), closing.rend());
}

std::vector<Entry> uncovered_entries(const Job& job, const Prompt& plan_prompt, const Value& plan,
                                     const Version& version, std::uint64_t& there) {
  json::Arena arena;
  const Result<Value> artifact = json::parse(job.way < 3 ? version.text : whole_part(version), arena);
  there = artifact && job.way >= 3 ? plan_prompt.made.count(artifact.value()) : version.items;
  if (job.way >= 3 && !version.is_json) {
    return uncovered_in(job, plan_prompt, plan, version.text);  // the item at its end is about something, too
  }
  return artifact ? count_of(job, plan_prompt, plan, artifact.value()).uncovered : entries_of(job, plan_prompt, plan);
}

// A repaired artifact with the items put back that nothing was wrong with.
Held held_answer(const run::Run& run, const Job& job, const Data& plan, const Version& version, const Answer& answer) {
  const Version read = check_structure(run, job, plan, answer.text, answer.stopped);
  if (!version.is_json || !version.stopped.empty() || !read.is_json || !read.stopped.empty()) {
    return {answer.text, 0};
  }
  Held held = hold_items(run, job, pinned_prompt(run, "prompt-plan").made, version, read.text);
  return held.put_back == 0 ? Held{answer.text, 0} : std::move(held);
}

// Lists the violations in words, and again as data: the field, its value, and what is allowed. A plan entry without an
// item is not a violation.
std::string structural_text(const run::Run& run, const Job& job, const Prompt& plan_prompt, const Value& plan,
                            const Version& version) {
  std::vector<std::string> lines = version.violations;
  if (job.way < 2) {
    return fenced("violations", bullets(lines));
  }
  if (job.way < 3) {
    lines.insert(lines.end(), version.coverage.begin(), version.coverage.end());
  }
  std::vector<contract::Finding> findings;
  json::Arena arena;
  if (const Result<Value> artifact = json::parse(version.text, arena)) {
    findings = count_of(job, plan_prompt, plan, artifact.value()).findings;
  }
  for (const contract::Finding& one : findings) {
    if (job.way >= 3 && one.rule == "language") {
      lines.push_back(one.message);
    }
  }
  if (version.violations.empty()) {
    return fenced("violations", bullets(lines));
  }
  contract::Verdict verdict = contract::check_text(run.contract(pin_contract), version.text);
  add_findings(verdict, std::move(findings));
  if (job.way < 3) {
    return fenced("violations", bullets(lines)) + "\n" +
           fenced("feedback",
                  contract::render_llm(verdict, {}, "Return the complete corrected artifact.", version.text));
  }
  return fenced("violations", bullets(lines)) + "\nBy kind:\n" + classes_text(verdict) + "\n" +
         fenced_feedback(verdict, "Correct each of these issues.", version.text);
}

}  // namespace

Data repair_artifact(run::Run& run, const Job& job, Spent& spent, const Data& plan, const Version& version,
                     const LastRepair& last) {
  const Prompt plan_prompt = pinned_prompt(run, "prompt-plan");
  const std::vector<std::string> scope =
      job.patches && version.is_json ? scope_of(run, version) : std::vector<std::string>();
  const bool whole_artifact = scope.size() == 1 && scope.front().empty();
  const std::uint64_t wanted = wanted_items(job, plan_prompt, plan.value());
  const std::uint64_t levels = levels_of(job, plan_prompt);
  std::uint64_t there = 0;  // whole items, also of an artifact that was cut off
  const std::vector<Entry> uncovered = uncovered_entries(job, plan_prompt, plan.value(), version, there);
  Answer answer;
  std::string refused_patch;
  for (const bool patch : {true, false}) {
    if (patch && (scope.empty() || whole_artifact)) {
      continue;
    }
    Call what;
    what.phase = Phase::repair;
    what.prompt = patch ? "prompt-patch" : "prompt-repair";
    what.contract = patch ? pin_patch_contract : pin_contract;
    if (!patch && job.way >= 3) {
      what.shape = run.remembered("outline of the artifact", [&] { return outline_text(run.contract(pin_contract)); });
    }
    what.bolder = !last.kept;
    what.feedback = refused_patch;
    what.output_tokens_min = patch ? 0 : text::estimate_tokens(version.text).safe;
    if (!patch && job.way >= 2) {
      // What was cut at its limit gets more room.
      what.output_tokens_usual =
          std::max(answer_tokens(wanted), version.stopped == "length" ? 2 * what.output_tokens_min : 0);
    }
    what.variables = [&](json::Writer& json) {
      json.member("type", job.type).member("plan", fenced("plan", plan.text()));
      json.member("language", language_words(job));
      json.member("source", shown_source(job, Phase::repair, plan.value()).text)
          .member("artifact", fenced("artifact", version.text));
      json.member("stopped", version.stopped).member("last", job.way < 3 ? std::string() : last.broke);
      json.member("structural", structural_text(run, job, plan_prompt, plan.value(), version));
      json.member("manifest", job.way < 2 || (patch && job.way >= 3)
                                  ? std::string()
                                  : manifest_text(job, plan_prompt, plan.value(), uncovered, there, true));
      json.member("semantic", fenced("issues", bullets(version.semantic)));
      json.member("missing", version.holds() ? fenced("missing", bullets(version.coverage)) : "");
      json.member_boolean("invalid", !version.holds()).member_boolean("levels", levels > 0);
      json.member("rules", rules_text(run.contract(pin_contract), !patch, levels > 0 ? levels_text(levels) : ""));
      json.member("scope", bullets(scope));
      const std::vector<std::string> asked = asked_rules(run.contract(pin_contract));
      const bool choice = std::find(asked.begin(), asked.end(), judge::rule_correct) != asked.end();
      json.member("choice", choice ? judge::rule_correct : "");
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
      const Held held = job.way < 2 ? Held{answer.text, 0} : held_answer(run, job, plan, version, answer);
      if (held.put_back > 0) {
        run.emit("held", Data::of(CountNote{held.put_back, plan_prompt.made.words(held.put_back), {}, {}, false, {}}));
      }
      Version next = check_structure(run, job, plan, held.text, stopped_by(job, answer));
      note_cut(run, next);
      return part_result(spent, Data::of(std::move(next)), answer);
    }
    std::string why;
    std::string text = patched(run, answer.text, version, scope, why);
    run.emit("patch", Data::of(PatchNote{!text.empty(), why, scope}));
    if (!text.empty()) {
      return part_result(spent, Data::of(check_structure(run, job, plan, std::move(text), {})), answer);
    }
    if (job.way >= 3) {
      refused_patch = "A JSON Patch was asked for before, and could not be used:\n" + fenced("reason", why) +
                      "\nDo not write a patch.";
    }
  }
  return part_result(spent, {}, answer);
}

}  // namespace plumb::pipelines::artifact
