// The document, read from top to bottom: plan, generate, validate; then at most two repairs.

#include "core/pipelines/artifact/artifact.hpp"

#include <algorithm>

#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/artifact/counts.hpp"
#include "core/pipelines/artifact/job.hpp"
#include "core/pipelines/artifact/source.hpp"
#include "core/pipelines/artifact/version.hpp"
#include "core/repair/check.hpp"
#include "core/wording.hpp"

namespace plumb::pipelines::artifact {

namespace {

using json::Value;
using run::Data;

void note_phase(run::Run& run, std::string_view phase) { run.emit("phase", Data::of(PhaseNote{std::string(phase)})); }

// What a plan of so many entries may take: each has a name, a passage and a sentence of it.
std::uint64_t plan_tokens(std::uint64_t entries) {
  constexpr std::uint64_t entry_tokens = 80;
  constexpr std::uint64_t frame_tokens = 100;
  return entries == 0 ? 0 : entries * entry_tokens + frame_tokens;
}

// A plan of these passages. One that breaks its contract is no artifact to repair: it is asked for once more.
Answer ask_plan(run::Run& run, const Job& job, Spent& spent, const std::string& source, Data& plan) {
  const Prompt prompt = pinned_prompt(run, "prompt-plan");
  Call what;
  what.phase = Phase::plan;
  what.prompt = "prompt-plan";
  what.contract = pin_plan_contract;
  if (job.way >= 3) {
    what.output_tokens_usual = plan_tokens(wanted_items(job, prompt, {}));
    what.shape = run.remembered("shape of the plan", [&] { return whole_shape_text(run.contract(pin_plan_contract)); });
  }
  const std::uint64_t count = wanted_items(job, prompt, {});
  Answer answer;
  for (int attempt = 1; attempt <= 2; ++attempt) {
    what.bolder = attempt > 1;
    if (answer.at_limit && job.way >= 2) {
      what.output_tokens_usual = 2 * std::max<std::uint64_t>({prompt.output_tokens_max, what.output_tokens_usual, 600});
    }
    what.variables = [&](json::Writer& json) {
      json.member("type", job.type);
      json.member_uint("count", count).member("made", count == 1 ? prompt.made.one : prompt.made.many);
      json.member_boolean("exactly", job.count.exactly > 0).key("options").raw(options_json(job, prompt));
      json.member("source", source).member("language", language_words(job));
    };
    what.task = [&](json::Writer& json) {
      json.member("name", "artifact.plan").member("kind", job.type);
      json.key("options").raw(task_options(job, prompt, {})).key("chunks").value(*job.chunks);
    };
    answer = call(run, job, spent, what);
    if (!answer.error.empty()) {
      const bool prose = answer.refused && !answer.text.empty();
      answer.error = (prose ? "planning failed - the plan breaks its contract: " : "") + answer.error;
      return answer;
    }
    repair::EditOptions edits;
    edits.level = contract::EditLevel::certain;
    edits.keep_text = true;
    repair::Check check(run.contract(pin_plan_contract), {}, edits);
    const contract::Verdict verdict = check.whole(answer.text);
    if (verdict.valid) {
      plan = Data::written(check.mended() ? check.text() : answer.text);
      return answer;
    }
    answer.error = answer.at_limit && job.way >= 2
                       ? "planning failed - the plan ended at its limit of tokens, and breaks its contract"
                       : "planning failed - the plan breaks its contract";
    answer.error += verdict.findings.empty() ? "" : ": " + verdict.findings.front().message;
    if (job.way >= 3) {
      what.feedback = feedback_text(verdict, check.mended() ? check.text() : answer.text, answer.at_limit);
    }
    if (attempt == 1) {
      run.emit("retry", Data::of(RetryNote{"plan", answer.error, 0}));
    }
  }
  return answer;
}

void note_plan(run::Run& run, const Prompt& prompt, const Data& plan) {
  const std::uint64_t count = prompt.planned.count(plan.value());
  run.emit("planned", Data::of(CountNote{count, prompt.planned.words(count), plan, {}, false, {}}));
}

Data plan_artifact(run::Run& run, const Job& job, Spent& spent) {
  const Prompt prompt = pinned_prompt(run, "prompt-plan");
  note_phase(run, "plan");
  Data plan;
  if (job.way < 2) {
    const Answer answer = ask_plan(run, job, spent, shown_source(job, Phase::plan, {}).text, plan);
    if (answer.error.empty()) {
      note_plan(run, prompt, plan);
    }
    return part_result(spent, plan, answer);
  }
  // What is read in several parts is planned in as many.
  const SourceSplit reading = reading_of(job, prompt);
  if (reading.parts.size() > 1 || !reading.left_out.empty()) {
    run.emit("source", Data::of(reading_note(job, reading)));
  }
  std::vector<Data> plans;
  Answer answer;
  for (const std::vector<std::size_t>& part : reading.parts) {
    Data one;
    answer = ask_plan(run, job, spent, part_text(job, part), one);
    if (!answer.error.empty()) {
      return part_result(spent, {}, answer);
    }
    plans.push_back(std::move(one));
  }
  plan = plans.size() == 1 ? plans.front() : Data::written(merged_plan(plans, prompt, wanted_items(job, prompt, {})));
  note_plan(run, prompt, plan);
  return part_result(spent, plan, answer);
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
  what.output_tokens_usual = job.way < 2 ? 0 : answer_tokens(count);
  const Shown shown = shown_source(job, Phase::generate, plan.value());
  const bool free = job.free[static_cast<std::size_t>(Phase::generate)];
  if (job.way >= 2 && !free && !shown.left_out.empty()) {
    run.emit("hidden", Data::of(HiddenNote{shown.left_out.size(), counted(shown.left_out.size(), "passage")}));
  }
  what.variables = [&](json::Writer& json) {
    json.member("type", job.type).member("made", count == 1 ? plan_prompt.made.one : plan_prompt.made.many);
    if (count > 0) {
      json.member_uint("count", count);
    }
    json.key("options").raw(options_json(job, plan_prompt)).member("plan", fenced("plan", plan.text()));
    json.member("source", shown.text).member("language", language_words(job));
    if (job.way >= 2) {
      json.member_boolean("exactly", job.count.exactly > 0);
      json.member("manifest", manifest_text(job, plan_prompt, plan.value(), {}, 0, false));
    }
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
  Version version = check_structure(run, job, plan, answer.text, stopped_by(job, answer));
  const Result<Value> artifact = json::parse(version.text, arena);
  const std::uint64_t made = artifact ? plan_prompt.made.count(artifact.value()) + version.cut : 0;
  std::optional<Data> stopped_early;
  if (const Value* stopped = answer.reply->value.value().find("stopped")) {
    stopped_early = Data::written(json::value_text(*stopped));
  }
  run.emit("made", Data::of(CountNote{made,
                                      plan_prompt.made.words(made),
                                      {},
                                      static_cast<bool>(artifact),
                                      version.stopped == "length",
                                      stopped_early}));
  note_cut(run, version);
  return part_result(spent, Data::of(std::move(version)), answer);
}

void note_structure(run::Run& run, const Version& version, std::uint64_t attempt) {
  run.emit("structure", Data::of(StructureNote{attempt, version.errors, version.text, version.verdict}));
}

void note_meaning(run::Run& run, const Version& version, std::uint64_t attempt) {
  run.emit("meaning", Data::of(MeaningNote{attempt, version.judged, version.issues, version.undecided, version.semantic,
                                           version.judge_error, version.judgement}));
}

}  // namespace

Data validate(run::Run& run, const Job& job, Spent& spent, const Data& plan, Version version, std::uint64_t attempt) {
  run.emit("step", Data::of(StepNote{"structure", attempt, {}, {}, ""}));
  note_structure(run, version, attempt);
  const bool judges = version.is_json && version.stopped.empty() && (attempt == 0 || version.errors == 0);
  if (judges || attempt == 0) {
    StepNote step{"meaning", attempt, !judges, {}, ""};
    if (!judges && job.way >= 2) {
      step.not_run = asked_rules(run.contract(pin_contract));
      step.why = version.stopped.empty() ? "the artifact is no JSON" : "the artifact is not complete";
    }
    run.emit("step", Data::of(std::move(step)));
  }
  if (judges) {
    judge_meaning(run, job, spent, plan, version);
    note_meaning(run, version, attempt);
  }
  return part_result(spent, Data::of(std::move(version)), {});
}

Result<Data> pipeline(run::Run& run) {
  const Job job = read_job(run.input());
  Spent spent;
  const Part plan =
      take_part(spent, run.scope("plan", [&](run::Run& part) { return plan_artifact(part, job, spent); }));
  if (!plan.error.empty()) {
    return plan.cancelled ? Result<Data>(cancelled_result()) : Result<Data>(failed(plan.error, plan.reason));
  }
  const Part made = take_part(
      spent, run.scope("generate", [&](run::Run& part) { return generate_artifact(part, job, spent, plan.value); }));
  if (!made.error.empty()) {
    return made.cancelled ? Result<Data>(cancelled_result()) : Result<Data>(failed(made.error, made.reason));
  }

  note_phase(run, "validate");
  const Part first = take_part(spent, run.scope("validate", [&](run::Run& part) {
    return validate(part, job, spent, plan.value, made.value.as<Version>(), 0);
  }));
  return settle(run, job, spent, plan.value, first.value.as<Version>());
}

}  // namespace plumb::pipelines::artifact
