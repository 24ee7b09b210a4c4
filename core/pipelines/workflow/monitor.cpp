// The risk monitor with what is really so: files of the diff, retries, equal failures (004-19, 004-21).
#include "core/budget/ladder.hpp"
#include "core/pipelines/workflow/parts.hpp"

namespace plumb::pipelines::workflow {

using budget::Response;

Judged judge_signals(Work& work, std::uint64_t retries, std::uint64_t equal) {
  const Data note = work.run.note("risk", [&] {
    budget::RiskState state;
    state.retries = retries;
    state.written = work.changed;
    state.task_files = work.task.written();
    if (state.task_files.empty()) {
      state.task_files = {"**"};
    }
    state.loop_calls = equal > 1 ? equal : 0;
    const budget::Risks risks = budget::judge_risk(state, work.desk.brief.risk.policy);
    std::string reason;
    for (const budget::Risk& one : risks.signals) {
      if (!one.known || one.response == Response::observe) {
        continue;
      }
      std::string words = one.explanation;
      if (one.signal == budget::Signal::retries && one.response == Response::escalate) {
        words = retries_exceeded(static_cast<std::uint32_t>(retries));
      } else if (one.signal == budget::Signal::loop) {
        words = "the gates fail in the same way on " + std::to_string(equal) + " different trees";
      }
      reason += (reason.empty() ? "" : "; ") + words;
    }
    return object([&](json::Writer& json) {
      json.member("task", work.task.id).member("response", budget::response_name(risks.response));
      json.member("reason", reason).key("signals").begin_array();
      for (const budget::Risk& one : risks.signals) {
        if (one.known && one.response > Response::observe) {
          json.begin_object().member("signal", budget::signal_name(one.signal));
          json.member("response", budget::response_name(one.response)).member("explanation", one.explanation);
          json.end_object();
        }
      }
      json.end_array();
    });
  });
  Judged out;
  out.response = budget::response_named(text_of(note.value(), "response")).value_or(Response::observe);
  out.reason = std::string(text_of(note.value(), "reason"));
  // The reviewer sees what is warned of.
  if (out.response == Response::warn) {
    for (const Value& one : json::list_of(note.value(), "signals")) {
      if (text_of(one, "response") == "warn") {
        work.warnings.emplace_back(text_of(one, "explanation"));
      }
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
  const Reply& reply = work.run.ask(std::move(effect));
  const std::string_view said = reply.ok() ? text_of(reply.value.value(), "decision") : std::string_view("stop");
  return said != "stop" && said != "2";
}

}  // namespace plumb::pipelines::workflow
