// The risk monitor with what is really so: files of the diff, retries, equal failures (004-19, 004-21).
#include <algorithm>

#include "core/budget/ladder.hpp"
#include "core/pipelines/workflow/parts.hpp"

namespace plumb::pipelines::workflow {

using budget::Response;
using plumb::workflow::retries_exceeded;

namespace {

// How full the window was at the task's newest call of a model, in hundredths of a percent, where that is known.
std::optional<std::uint64_t> newest_utilization(const Work& work) {
  const std::string within = work.run.path() + "/";
  const std::vector<Data> calls =
      work.run.notes("model_call", 1, [&](std::string_view key) { return key.starts_with(within); });
  // A conversation that goes on in a fresh one has settled it.
  const bool settled = calls.empty() || calls.back().value().find("goes_on") != nullptr;
  const std::uint64_t window = settled ? 0 : json::number_of(calls.back().value(), "window");
  return window == 0 ? std::nullopt
                     : std::optional(json::number_of(calls.back().value(), "context_tokens_used") * 10'000 / window);
}

std::string words_of(const budget::Risk& risk, std::uint64_t retries, std::uint64_t equal) {
  if (risk.signal == budget::Signal::retries && risk.response == Response::escalate) {
    return retries_exceeded(static_cast<std::uint32_t>(retries));
  }
  return risk.signal == budget::Signal::loop
             ? "the gates fail in the same way on " + std::to_string(equal) + " different trees"
             : risk.explanation;
}

}  // namespace

Judged judge_signals(Work& work, std::uint64_t retries, std::uint64_t equal) {
  const Data note = work.run.note("risk", [&] {
    budget::RiskState state;
    state.retries = retries;
    state.written = work.changed;
    if (work.desk.brief.guards) {  // new tests are free, and others are guarded
      state.written->erase(std::remove_if(state.written->begin(), state.written->end(),
                                          [&](const std::string& path) {
                                            return plumb::workflow::is_test_file(path, work.guards.tests);
                                          }),
                           state.written->end());
    }
    state.task_files = work.task.written();
    if (state.task_files.empty()) {
      state.task_files = {"**"};
    }
    state.loop_calls = equal > 1 ? equal : 0;
    state.utilization = newest_utilization(work);
    const budget::Risks risks = budget::judge_risk(state, work.desk.brief.risk.policy);
    std::string reason;
    for (const budget::Risk& one : risks.signals) {
      if (!one.known || one.response == Response::observe) {
        continue;
      }
      reason += (reason.empty() ? "" : "; ") + words_of(one, retries, equal);
    }
    RiskNote told{work.task.id, std::string(budget::response_name(risks.response)), std::move(reason), {}};
    for (const budget::Risk& one : risks.signals) {
      if (one.known && one.response > Response::observe) {
        told.signals.push_back({std::string(budget::signal_name(one.signal)),
                                std::string(budget::response_name(one.response)), words_of(one, retries, equal)});
      }
    }
    return Data::of(std::move(told));
  });
  const RiskNote& told = note.as<RiskNote>();
  Judged out;
  out.response = budget::response_named(told.response).value_or(Response::observe);
  out.reason = told.reason;
  // The reviewer sees what is warned of, also where more is called for: each rung has those below it.
  for (const ToldSignal& one : told.signals) {
    const bool warns = budget::response_named(one.response).value_or(Response::observe) >= Response::warn;
    if (warns && std::find(work.warned.begin(), work.warned.end(), one.explanation) == work.warned.end()) {
      work.warned.push_back(one.explanation);
    }
  }
  return out;
}

bool paused(Work& work, const std::string& reason) {
  // What was done so far is kept under a ref: no work is only in a folder while somebody is waited for (004-30).
  const Reply& kept = ask_worktree(work.run, work.desk.brief.repository, "take", [&](json::Writer& json) {
    json.member("tree", work.task.id).member("from", work.at);
    json.member("message", "Task " + work.task.id + ": paused").member_boolean("publish", true);
  });
  if (kept.status == run::Status::cancelled) {
    return false;
  }
  if (!kept.ok()) {
    give_up(work.run, "take", kept);
  }
  run::Effect effect;
  effect.kind = run::EffectKind::person;
  effect.request = [&] {
    return object([&](json::Writer& json) {
      json.member("question", "Task " + work.task.id + " is paused: " + reason);
      json.member("kind", "choice").key("options").begin_array().string("go on").string("stop").end_array();
      json.member("reason", reason).member("signal", "resume").member("response", "pause");
      json.member("phase", "task " + work.task.id).member("task", work.task.id);
    });
  };
  const Reply& reply = work.run.ask(effect);
  const std::string_view said = reply.ok() ? text_of(reply.value.value(), "decision") : std::string_view("stop");
  return said != "stop" && said != "2";
}

}  // namespace plumb::pipelines::workflow
