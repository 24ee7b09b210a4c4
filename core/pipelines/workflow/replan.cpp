// A task that cannot go on as it is goes back to the planner: revised once, or cut in parts (004-27).
#include <algorithm>

#include "core/contract/render.hpp"
#include "core/pipelines/workflow/parts.hpp"
#include "core/pipelines/workflow/planning.hpp"
#include "core/wording.hpp"

namespace plumb::pipelines::workflow {

using plumb::workflow::levels_max;

namespace {

constexpr int attempts_max = 2;

// Asks the planner until what it says can be used; what is wrong with an answer goes into the next question. The
// planner is told nothing of the diff (004-49).
struct Planned {
  std::string text;   // the answer, or empty
  std::string error;  // why there is none
};
Planned planner_says(Run& part, Work& work, std::string_view name, const std::function<void(json::Writer&)>& variables,
                     const std::function<std::string(const std::string& text)>& wrong_with) {
  const std::string prompt = "prompt-" + std::string(name);
  const std::string contract = "contract-" + std::string(name);
  std::string wrong;
  Planned out;
  for (int attempt = 1; attempt <= attempts_max; ++attempt) {
    ModelCall call;
    call.phase = "plan";
    call.role = name;
    call.prompt = prompt;
    call.contract = contract;
    call.free = work.desk.brief.plan_free;
    call.token_budget = work.desk.brief.token_budget;
    call.only_noted = true;
    call.again = attempt > 1;
    call.variables = [&](json::Writer& json) {
      variables(json);
      json.member("wrong", wrong);
    };
    const Answer answer = call_model(part, work.desk.spent, call);
    if (!answer.error.empty()) {
      out.error = answer.error;
      return out;
    }
    const std::string strict = strict_json(part.contract(contract), answer.text);
    const std::string& text = strict.empty() ? answer.text : strict;
    wrong = wrong_with(text);
    if (wrong.empty()) {
      out.text = text;
      return out;
    }
    out.error = "the planner's answer breaks the rules, " + std::to_string(attempts_max) + " times";
  }
  return out;
}

std::string rendered(const contract::Verdict& verdict, std::string_view what) {
  return contract::render_llm(verdict, what, "Answer again with the whole of it as one JSON object.");
}

// The plan with this task in the place of the one of its name; a part stands by itself.
Plan with_task(const Plan& plan, const Task& task) {
  Plan out = plan;
  const auto found =
      std::find_if(out.tasks.begin(), out.tasks.end(), [&](const Task& one) { return one.id == task.id; });
  if (found != out.tasks.end()) {
    *found = task;
  } else {
    out.tasks = {task};
    out.tasks.front().after.clear();
  }
  return out;
}

std::string wrong_task(Work& work, const std::string& text, Plan* plan) {
  Result<Task> read = read_task(text);
  if (!read) {
    return read.error().message;
  }
  Task task = std::move(read).value();
  if (task.id != work.task.id) {
    return "The task keeps its id, " + work.task.id + ".";
  }
  *plan = with_task(work.desk.plan, task);
  const PlanReading judged = read_plan(plan_json(*plan), {gate_names(work.desk.brief)});
  return judged.plan ? std::string() : rendered(judged.verdict, "plan");
}

}  // namespace

Replanned revise_task(Work& work, const ReviewVerdict& verdict) {
  const Data made = spending(work.run, work.desk, "revise", [&](Run& part) {
    Plan plan;
    const Planned said = planner_says(
        part, work, "revise",
        [&](json::Writer& json) {
          json.member("plan", fenced("plan", plan_json(work.desk.plan)));
          json.member("task", fenced("task", task_json(work.task)));
          json.member("reason", fenced("reason", verdict.reason + "\n" + verdict.feedback));
          json.member("gates", joined(gate_names(work.desk.brief)));
        },
        [&](const std::string& text) { return wrong_task(work, text, &plan); });
    if (said.text.empty()) {
      return Data::of(failed(said.error));
    }
    const PlanJudged judged = judge_plan(part, work.desk, plan);
    if (!judged.approved) {
      return Data::of(failed("the revised plan is not approved: " + judged.error));
    }
    ModelSaid out;
    out.task = Data::written(said.text);
    part.emit("revised", Data::of(RevisedNote{work.task.id, verdict.reason, out.task}));
    return Data::of(std::move(out));
  });
  Replanned out;
  const ModelSaid& said = made.as<ModelSaid>();
  if (said.task.is_null()) {
    out.why_not = said.failed;
    return out;
  }
  if (Result<Task> read = read_task(said.task.text())) {
    out.task = std::move(read).value();
  }
  return out;
}

Decomposition cut_task(Work& work, std::uint32_t level, const std::string& why) {
  if (work.desk.brief.plan_free || level >= levels_max) {
    return decompose_by_size(work.task, work.sizes, work.limits, level);
  }
  const Data cut = spending(work.run, work.desk, "decompose", [&](Run& part) {
    const Planned said = planner_says(
        part, work, "decompose",
        [&](json::Writer& json) {
          json.member("task", fenced("task", task_text(work, work.task))).member("reason", fenced("reason", why));
        },
        [&](const std::string& text) {
          const Decomposition read = read_decomposition(text, work.task, level);
          return read.parts.empty() ? rendered(read.verdict, "decomposition") : std::string();
        });
    ModelSaid out = failed(said.error);
    if (!said.text.empty()) {
      out = {};
      out.said = Data::written(said.text);
    }
    return Data::of(std::move(out));
  });
  const ModelSaid& said = cut.as<ModelSaid>();
  if (!said.said.is_null()) {
    return read_decomposition(said.said.text(), work.task, level);
  }
  Decomposition out = decompose_by_size(work.task, work.sizes, work.limits, level);
  if (out.parts.empty()) {
    out.why_not += "; " + said.failed;
  }
  return out;
}

}  // namespace plumb::pipelines::workflow
