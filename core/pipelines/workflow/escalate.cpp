// A person decides on a task that the loop cannot bring further.
#include <algorithm>
#include <array>

#include "core/pipelines/workflow/parts.hpp"

namespace plumb::pipelines::workflow {

namespace {

constexpr std::array<std::string_view, 6> answers = {"retry", "approve", "decompose", "model", "reject", "stop"};

}  // namespace

Escalated escalate(Work& work, const std::string& reason) {
  if (work.state != TaskState::escalated) {
    move(work, TaskState::escalated, reason);
  }
  work.run.emit("escalation", object([&](json::Writer& json) {
                  json.member("slug", work.desk.plan.slug).member("task_id", work.task.id).member("reason", reason);
                  if (!work.last_verdict.empty()) {
                    json.member("last_verdict", work.last_verdict);
                  }
                  if (!work.feedback.empty()) {
                    json.member("last_feedback", work.feedback);
                  }
                  json.member_uint("iteration", work.runs_all);
                }));
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
  const Reply& reply = work.run.ask(std::move(effect));
  Escalated out;
  if (!reply.ok()) {
    out.decision = "stop";
    out.by = "the run's end";
    return out;
  }
  const Value& value = reply.value.value();
  out.decision = text_of(value, "decision");
  if (out.decision.size() == 1 && out.decision.front() >= '1' && out.decision.front() <= '6') {
    out.decision = answers[static_cast<std::size_t>(out.decision.front() - '1')];
  }
  out.words = text_of(value, "words");
  out.by = text_of(value, "by");
  out.model = text_of(value, "model");
  // Words alone are a retry with them.
  if (std::find(answers.begin(), answers.end(), out.decision) == answers.end()) {
    out.words = out.words.empty() ? out.decision : out.decision + ": " + out.words;
    out.decision = "retry";
  }
  return out;
}

}  // namespace plumb::pipelines::workflow
