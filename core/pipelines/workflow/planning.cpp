// The plan: given or made by a model, held against the SOPs of plans, and a draft until somebody promotes it.
#include "core/pipelines/workflow/planning.hpp"
#include "core/contract/render.hpp"
#include "core/pipelines/workflow/parts.hpp"
#include "core/run/reasons.hpp"
#include "core/wording.hpp"
#include "core/workflow/findings.hpp"

namespace plumb::pipelines::workflow {

using plumb::workflow::PlanReview;

namespace {

constexpr int attempts_max = 3;

[[noreturn]] void no_plan(Run& run, std::string why, Reason reason = Reason::none) {
  Error error;
  error.reason = reason;
  error.code = ErrorCode::unavailable;
  error.message = std::move(why);
  run.stop(std::move(error));
}

std::vector<const Sop*> plan_sops(const Brief& brief, const Plan* plan) {
  std::vector<std::string> paths;
  if (plan != nullptr) {
    for (const Task& task : plan->tasks) {
      for (const std::string& path : task.touched()) {
        paths.push_back(path);
      }
    }
  }
  return sops_for(brief.sops, paths, SopScope::plan);
}

std::string sops_text(const std::vector<const Sop*>& sops) {
  std::string out;
  for (const Sop* one : sops) {
    out += one->id + " (" + one->title + ")\n" + one->parent_text() + "\n";
  }
  return out;
}

}  // namespace

PlanJudged judge_plan(Run& part, Desk& desk, const Plan& plan) {
  PlanJudged out;
  const std::vector<const Sop*> sops = plan_sops(desk.brief, &plan);
  if (sops.empty()) {
    out.approved = true;
    return out;
  }
  ModelCall asks;
  asks.phase = "review";
  asks.prompt = "prompt-plan-review";
  asks.contract = "contract-plan-review";
  asks.free = desk.brief.review_free;
  asks.token_budget = desk.brief.token_budget;
  asks.only_noted = true;
  asks.variables = [&](json::Writer& json) {
    json.member("plan", fenced("plan", plan_json(plan))).member("sops", fenced("sops", sops_text(sops)));
    json.member("wrong", "");
  };
  const Answer judged = call_model(part, desk.spent, asks);
  const contract::Contract& form = part.contract("contract-plan-review");
  const StrictAnswer strict = judged.error.empty() ? strict_answer(form, judged.text) : StrictAnswer();
  out.said = strict.text;
  const bool valid = desk.brief.tolerant || out.said.empty() ? strict.usable() : part.judge(*judged.reply, form).valid;
  if (!valid) {
    out.error = judged.error.empty() ? "the plan's review keeps not to its form" : judged.error;
    out.reason = judged.reason;
    return out;
  }
  const Data whole = Data::written(out.said);
  const ReviewVerdict verdict = judge_plan_review(whole.as<PlanReview>(), sops);
  out.approved = verdict.outcome == ReviewOutcome::approved;
  out.error = verdict.reason;
  out.wrong = "The plan's reviewer says: " + verdict.reason + "\n" + verdict.feedback;
  return out;
}

std::vector<std::string> gate_names(const Brief& brief) {
  GateList gates;
  gates.gates = brief.gates;
  return gates.names();
}

namespace {

// An idea becomes a plan: written, read by the rules, reviewed against the SOPs of plans.
Data planned(Run& part, Desk& desk) {
  const Brief& brief = desk.brief;
  const Reply& listed =
      ask_worktree(part, brief.repository, "read", [&](json::Writer& json) { json.member("at", desk.base); });
  std::string paths;
  if (listed.ok()) {
    for (const std::string& path : json::texts_of(listed.value.value(), "paths")) {
      if (paths.size() < 64'000) {
        paths += path + "\n";
      }
    }
  }
  std::string names = joined(gate_names(brief));
  std::string wrong;
  std::string error;
  Reason reason = Reason::none;
  for (int attempt = 1; attempt <= attempts_max; ++attempt) {
    ModelCall call;
    call.phase = "plan";
    call.prompt = "prompt-plan";
    call.contract = "contract-plan";
    call.free = brief.plan_free;
    call.token_budget = brief.token_budget;
    call.only_noted = true;
    call.again = attempt > 1;
    call.variables = [&](json::Writer& json) {
      json.member("idea", fenced("idea", brief.idea)).member("paths", fenced("paths", paths));
      json.member("gates", names).member("wrong", wrong);
    };
    const Answer answer = call_model(part, desk.spent, call);
    if (!answer.error.empty()) {
      error = answer.error;
      reason = answer.reason;
      break;
    }
    const contract::Contract& contract = part.contract("contract-plan");
    const std::string text = strict_json(contract, answer.text);
    const PlanReading read = read_plan(text.empty() ? answer.text : text, {gate_names(brief)});
    if (!read.plan) {
      wrong = contract::render_llm(read.verdict, "plan", "Answer again with the whole plan as one JSON object.");
      error = "the model's plan breaks the rules of plans, " + std::to_string(attempts_max) + " times";
      reason = Reason::none;
      continue;
    }
    const PlanJudged judged = judge_plan(part, desk, *read.plan);
    if (judged.approved) {
      ModelSaid said;
      said.plan = Data::of(*read.plan);
      said.review = judged.said.empty() ? Data() : Data::written(judged.said);
      return Data::of(std::move(said));
    }
    wrong = judged.wrong.empty() ? wrong : judged.wrong;
    reason = judged.wrong.empty() ? judged.reason : Reason::none;
    error = judged.wrong.empty()
                ? judged.error
                : "the plan was not approved in " + std::to_string(attempts_max) + " attempts: " + judged.error;
  }
  return Data::of(failed(std::move(error), reason));
}

}  // namespace

Plan settle_plan(Run& run, Desk& desk) {
  Plan plan;
  if (desk.brief.plan) {
    plan = *desk.brief.plan;
  } else {
    const Data made = spending(run, desk, "plan", [&](Run& part) { return planned(part, desk); });
    if (run.cancelled()) {
      return plan;
    }
    const ModelSaid& said = made.as<ModelSaid>();
    if (said.plan.is_null()) {
      no_plan(run, said.failed, run::reason_of(said.reason, said.failed));
    }
    PlanReading read = read_plan(said.plan.text());
    if (!read.plan) {
      no_plan(run, "the plan in the journal cannot be read");
    }
    plan = std::move(*read.plan);
  }
  (void)run.note("plan", [&] { return Data::of(PlanNote{plan}); });
  if (desk.brief.promoted) {
    return plan;
  }
  run::Effect effect;
  effect.kind = run::EffectKind::person;
  effect.request = [&] {
    return object([&](json::Writer& json) {
      json.member("question", "The plan '" + plan.title + "' is a draft of " + counted(plan.tasks.size(), "task") +
                                  ": is it promoted?");
      json.member("kind", "choice").key("options").begin_array().string("promote").string("reject").end_array();
      json.member("signal", "promote").member("work", "promote");
    });
  };
  const Reply& reply = run.ask(effect);
  const std::string said = reply.ok() ? reply.value.as<Escalated>().decision : "reject";
  if (said != "promote" && said != "1") {
    for (const Task& task : plan.tasks) {
      run.emit("task_state",
               Data::of(StateNote{task.id, TaskState::draft, TaskState::rejected, "its plan is rejected"}));
    }
    plan.tasks.clear();
  }
  return plan;
}

}  // namespace plumb::pipelines::workflow
