// A person decides on a task that the loop cannot bring further.
#include <algorithm>
#include <array>

#include "core/pipelines/workflow/parts.hpp"

namespace plumb::pipelines::workflow {

namespace {

constexpr std::array<std::string_view, 6> answers = {"retry", "approve", "decompose", "model", "reject", "stop"};

}  // namespace

Fields Escalated::fields() {
  static constexpr Field table[] = {field<&Escalated::decision>("decision"), field<&Escalated::words>("words"),
                                    field<&Escalated::by>("by"), field<&Escalated::model>("model")};
  return table;
}

Escalated escalate(Work& work, const std::string& reason) {
  if (work.state != TaskState::escalated) {
    move(work, TaskState::escalated, reason);
  }
  work.run.emit("escalation", Data::of(EscalationNote{work.desk.plan.slug, work.task.id, reason, work.last_verdict,
                                                      work.feedback, work.runs_all}));
  run::Effect effect;
  effect.kind = run::EffectKind::person;
  effect.request = [&] {
    return object([&](json::Writer& json) {
      json.member("question",
                  "Task " + work.task.id + " (" + json::excerpt(work.task.description, 200) + "): " + reason);
      json.member("kind", "choice").key("options").begin_array();
      for (const std::string_view one : answers) {
        json.string(one);
      }
      json.end_array().member("task", work.task.id).member("reason", reason);
      json.member("signal", "answer").member("commit", work.at);
      write_texts(json, "changed", work.changed);
    });
  };
  const Reply& reply = work.run.ask(effect);
  if (!reply.ok()) {
    return {"stop", {}, "the run's end", {}};
  }
  Escalated out = reply.value.as<Escalated>();
  if (out.decision.size() == 1 && out.decision.front() >= '1' && out.decision.front() <= '6') {
    out.decision = answers[static_cast<std::size_t>(out.decision.front() - '1')];
  }
  // Words alone are a retry with them.
  if (std::find(answers.begin(), answers.end(), out.decision) == answers.end()) {
    out.words = out.words.empty() ? out.decision : out.decision + ": " + out.words;
    out.decision = "retry";
  }
  return out;
}

}  // namespace plumb::pipelines::workflow
