#include "core/pipelines/workflow/telling.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/pipelines/workflow/parts.hpp"

namespace plumb::pipelines::workflow {

using plumb::workflow::SopEntry;
using plumb::workflow::task_states;

namespace {

constexpr std::size_t text_max = 4'000;
constexpr std::size_t item_text_max = 400;  // in a list
constexpr std::size_t items_max = 50;
constexpr std::size_t trees_max = 200;  // of which it is known what gates said

void text(json::Writer& json, std::string_view name, std::string_view value) {
  json.member(name, json::excerpt(value, text_max));
}

void text(json::Writer& json, std::string_view name, const Value& from) { text(json, name, text_of(from, name)); }

// Where it says something.
void optional_text(json::Writer& json, std::string_view name, std::string_view value) {
  if (!value.empty()) {
    text(json, name, value);
  }
}

void optional_text(json::Writer& json, std::string_view name, const Value& from) {
  optional_text(json, name, text_of(from, name));
}

void number(json::Writer& json, std::string_view name, const Value& from) {
  const Value* found = from.find(name);
  if (found != nullptr && found->is(json::Kind::number)) {
    json.key(name).value(*found);
  }
}

void texts(json::Writer& json, std::string_view name, const std::vector<std::string>& all) {
  json.key(name).begin_array();
  for (std::size_t i = 0; i < all.size() && i < items_max; ++i) {
    json.string(json::excerpt(all[i], item_text_max));
  }
  json.end_array();
}

std::string texts_json(const std::vector<std::string>& all) {
  std::string out;
  json::Writer json(out);
  json.begin_array();
  for (std::size_t i = 0; i < all.size() && i < items_max; ++i) {
    json.string(json::excerpt(all[i], item_text_max));
  }
  json.end_array();
  return out;
}

// Objects of a list, each with these texts of it.
template <std::size_t N>
void objects(json::Writer& json, std::span<const Value> all, const std::array<std::string_view, N>& names) {
  for (std::size_t i = 0; i < all.size() && i < items_max; ++i) {
    json.begin_object();
    for (const std::string_view name : names) {
      if (const std::string_view said = text_of(all[i], name); !said.empty()) {
        json.member(name, json::excerpt(said, item_text_max));
      }
    }
    json.end_object();
  }
}

// By state, in their order; a draft is not told.
constexpr std::array<std::string_view, task_states> subjects_of_states = {
    "",
    "workflow.events.task.ready",
    "agent.task.development",
    "workflow.gate.structural",
    "agent.task.review",
    "workflow.task.complete",
    "workflow.events.task.execution_complete",
    "workflow.events.task.escalated",
    "workflow.events.task.execution_complete",
    "workflow.events.task.execution_complete",
    "workflow.events.task.execution_complete",
};

// The name of the key's last part, without its number: "develop" of "task-T1/develop~2".
std::string_view part_of(std::string_view key) {
  const std::size_t slash = key.rfind('/');
  key.remove_prefix(slash == std::string_view::npos ? 0 : slash + 1);
  return key.substr(0, key.find_first_of("~:"));
}

// It lies in the part of a task itself, not in a part of that.
bool of_task_itself(std::string_view key) {
  const std::size_t slash = key.find('/');
  return slash != std::string_view::npos && key.find('/', slash + 1) == std::string_view::npos;
}

}  // namespace

json::Writer Telling::begin(ToldEvent& event, std::string_view subject, const run::Entry& entry,
                            const std::string& task) const {
  event.id = run_ + "." + json::uint_text(entries_ - 1) +
             (out_.empty() ? std::string() : "." + json::uint_text(out_.size() + 1));
  event.subject = subject;
  json::Writer json(event.body);
  json.begin_object().member("run_id", run_).member_uint("entry", entries_ - 1).member_uint("at", entry.at_ms);
  json.member("slug", slug_);
  if (!task.empty()) {
    json.member("task_id", task);
  }
  return json;
}

void Telling::end(ToldEvent& event, json::Writer& json) {
  json.end_object();
  out_.push_back(std::move(event));
}

std::string Telling::task_of(std::string_view key) const {
  const auto found = parts_.find(key.substr(0, key.find_first_of("/:~")));
  return found == parts_.end() ? std::string() : found->second;
}

void Telling::take_task(const plumb::workflow::Task& task) {
  if (!task.id.empty()) {
    tasks_[task.id].files = texts_json(task.written());
    parts_[part_name("task-", task.id)] = task.id;
  }
}

std::vector<ToldEvent> Telling::next(const run::Entry& entry) {
  out_.clear();
  ++entries_;
  const Value& value = entry.data.value();
  switch (entry.kind) {
    case run::EntryKind::begin: {
      const Value* input = value.find("input");
      ToldEvent event;
      json::Writer json = begin(event, "workflow.events.run.begun", entry, {});
      json.member("pipeline", entry.name);
      if (input != nullptr) {
        texts(json, "repositories", json::texts_of(*input, "repositories"));
      }
      end(event, json);
      break;
    }
    case run::EntryKind::note:
      note(entry);
      break;
    case run::EntryKind::scope:
      scope(entry);
      break;
    case run::EntryKind::attempt:
      // A task's own escalation is a note; these are asked because of pressure, or of what a call was.
      if (entry.name == "person" && entry.count <= 1 && value.find("response") != nullptr) {
        const bool pause = text_of(value, "response") == "pause";
        ToldEvent event;
        json::Writer json =
            begin(event, pause ? "user.signal.pause" : "user.signal.escalate", entry, task_of(entry.key));
        text(json, "reason", value);
        optional_text(json, "phase", value);
        end(event, json);
      }
      break;
    case run::EntryKind::cancel:
      cancelled_ = true;
      break;
    case run::EntryKind::end:
      ended(entry);
      break;
    default:
      break;
  }
  return std::move(out_);
}

void Telling::note(const run::Entry& entry) {
  const Value& value = entry.data.value();
  std::string task(text_of(value, "task"));
  if (entry.name == "plan") {
    const Plan& plan = entry.data.as<PlanNote>().plan;
    slug_ = json::excerpt(plan.slug, text_max);
    for (const plumb::workflow::Task& one : plan.tasks) {
      take_task(one);
    }
  } else if (entry.name == "task_state") {
    moved(entry);
  } else if (entry.name == "model_call") {
    monitored(entry, task_of(entry.key), false);
  } else if (entry.name == "risk") {
    if (entry.data.as<RiskNote>().response != "observe") {
      monitored(entry, task, true);
    }
  } else if (entry.name == "review") {
    reviewed(entry, task);
  } else if (entry.name == "escalation") {
    escalated(entry);
  } else if (entry.name == "developer_ended") {
    ToldEvent event;
    json::Writer json = begin(event, "user.signal.error", entry, task);
    const Value* code = value.find("exit_code");
    json.member("error", "Developer agent failed: it " + std::string(text_of(value, "end")) +
                             (code != nullptr ? " with exit code " + json::value_text(*code) : std::string()));
    end(event, json);
  } else if (entry.name == "gates_known" && of_task_itself(entry.key + "/")) {
    const auto known = trees_.find(entry.data.as<Gated>().tree_hash);
    task = task_of(entry.key);
    if (known != trees_.end() && !task.empty()) {
      tasks_[task].gated = known->second;
    }
  } else if (entry.name == "checkpoint" || entry.name == "revised") {
    if (const Data& now = entry.data.as<RevisedNote>().now; !now.is_null()) {
      take_task(now.as<plumb::workflow::Task>());
      task = now.as<plumb::workflow::Task>().id;
    }
    ToldEvent event;
    json::Writer json = begin(event, "workflow.events.task." + entry.name, entry, task);
    for (const std::string_view name : {"commit", "reason"}) {
      optional_text(json, name, value);
    }
    number(json, "number", value);
    if (entry.name == "checkpoint") {
      texts(json, "open", entry.data.as<CheckpointNote>().open);
    }
    end(event, json);
  }
}

void Telling::moved(const run::Entry& entry) {
  const StateNote& note = entry.data.as<StateNote>();
  const std::string& task = note.task;
  const TaskState to = note.to;
  if (parts_.find(part_name("task-", task)) == parts_.end()) {
    parts_[part_name("task-", task)] = task;
  }
  Task& its = tasks_[task];
  if (!std::exchange(settled_, true)) {
    const bool rejected = to == TaskState::rejected;
    ToldEvent event;
    json::Writer json =
        begin(event, rejected ? "workflow.events.plan.rejected" : "workflow.events.plan.approved", entry, {});
    json.key("tasks").begin_array();
    for (const auto& [id, one] : tasks_) {
      json.string(id);
    }
    json.end_array();
    end(event, json);
  }
  const std::string_view subject = subjects_of_states[static_cast<std::size_t>(to)];
  if (subject.empty()) {
    return;
  }
  if (note.from == TaskState::gating && !its.gated.gates.empty()) {
    const bool passed = to == TaskState::reviewing;
    ToldEvent event;
    json::Writer json =
        begin(event, passed ? "workflow.events.task.validation_passed" : "workflow.events.task.validation_failed",
              entry, task);
    json.member_uint("iteration", its.iteration).member("tree_hash", its.gated.tree);
    text(json, "reason", note.why);
    json.key("gates").raw(its.gated.gates);
    end(event, json);
    if (!passed && its.gated.failing != "[]") {
      its.findings = its.gated.failing;
    }
    its.gated = {};
  }
  ToldEvent event;
  json::Writer json = begin(event, subject, entry, task);
  const bool developing = to == TaskState::developing;
  if (developing || to == TaskState::reviewing) {
    json.member("role", developing ? "developer" : "reviewer");
  }
  json.member("status", state_name(to)).member("from", state_name(note.from));
  text(json, "reason", note.why);
  json.member_uint("iteration", its.iteration + (developing ? 1 : 0));
  if (developing && !its.files.empty()) {
    json.key("task_files").raw(its.files);
  }
  if (to == TaskState::gating && !its.written.empty()) {
    json.key("files").raw(its.written);
  }
  end(event, json);
}

void Telling::monitored(const run::Entry& entry, const std::string& task, bool signals) {
  const Value& value = entry.data.value();
  ToldEvent event;
  json::Writer json = begin(event, "agent.monitor." + run_, entry, task);
  json.member("loop_id", task.empty() ? run_ : run_ + "/" + task);
  const auto found = tasks_.find(task);
  const Task its = found == tasks_.end() ? Task{} : found->second;
  const bool developing = !signals && text_of(value, "phase") == "develop";
  const std::uint64_t iteration = its.iteration + (developing ? 1 : 0);
  json.member_uint("iteration", iteration).member_uint("retries", iteration > 0 ? iteration - 1 : 0);
  for (const std::string_view name : {"context_tokens_used", "window", "context_utilization"}) {
    number(json, name, value);
  }
  json.key("files_written").raw(its.written.empty() ? "[]" : its.written);
  json.key("task_files").raw(its.files.empty() ? "[]" : its.files);
  for (const std::string_view name : {"phase", "prompt", "color"}) {
    optional_text(json, name, value);
  }
  text(json, "response", value);
  text(json, "reason", value);
  json.key("signals").begin_array();
  objects(json, json::list_of(value, signals ? "signals" : "risks"),
          std::array<std::string_view, 3>{"signal", "response", "explanation"});
  json.end_array();
  end(event, json);
}

void Telling::reviewed(const run::Entry& entry, const std::string& task) {
  const ReviewNote& note = entry.data.as<ReviewNote>();
  Task& its = tasks_[task];
  std::string findings;
  json::Writer list(findings);
  list.begin_array();
  objects(list, json::list_of(entry.data.value(), "broken"), std::array<std::string_view, 3>{"path", "sop", "message"});
  std::size_t violated = 0;
  for (const SopEntry& one : note.review ? note.review->sop_review : std::vector<SopEntry>()) {
    if (one.status == "violated" && violated++ < items_max) {
      list.begin_object().member("sop", json::excerpt(one.sop_id, item_text_max));
      list.member("message",
                  json::excerpt(one.violations.empty() ? "is violated" : one.violations.front(), item_text_max));
      list.end_object();
    }
  }
  for (std::size_t i = 0; i < note.open.size() && i < items_max; ++i) {
    list.begin_object().member("criterion", json::excerpt(note.open[i], item_text_max)).member("message", "is not met");
    list.end_object();
  }
  list.end_array();
  its.findings = findings;
  ToldEvent event;
  json::Writer json = begin(event, "workflow.review.validate", entry, task);
  json.member_uint("iteration", its.iteration);
  text(json, "by", note.by);
  text(json, "outcome", review_outcome_name(note.outcome));
  text(json, "reason", note.reason);
  text(json, "feedback", note.feedback);
  if (note.review) {
    text(json, "verdict", note.review->approved ? "approved" : "rejected");
    number(json, "confidence", *entry.data.value().find("review"));
  }
  json.key("findings").raw(findings);
  texts(json, "unverified", note.unverified);
  end(event, json);
  if (note.review && !note.review->rejection_type.empty()) {
    ToldEvent rejected;
    json::Writer more = begin(rejected, "workflow.events.task.rejection_categorized", entry, task);
    more.member("event", "rejection_categorized");
    text(more, "type", note.review->rejection_type);
    text(more, "feedback", note.feedback);
    end(rejected, more);
  }
  if (!note.review && note.outcome == ReviewOutcome::escalate) {
    ToldEvent failed;
    json::Writer more = begin(failed, "user.signal.error", entry, task);
    text(more, "error", "Reviewer agent failed: " + note.reason);
    end(failed, more);
  }
}

void Telling::escalated(const run::Entry& entry) {
  const EscalationNote& note = entry.data.as<EscalationNote>();
  ToldEvent event;
  json::Writer json = begin(event, "user.signal.escalate", entry, note.task_id);
  text(json, "reason", note.reason);
  optional_text(json, "last_verdict", note.last_verdict);
  const auto its = tasks_.find(note.task_id);
  if (its != tasks_.end() && !its->second.findings.empty()) {
    json.key("last_findings").raw(its->second.findings);
  }
  optional_text(json, "last_feedback", note.last_feedback);
  json.member_uint("iteration", note.iteration);
  end(event, json);
}

void Telling::scope(const run::Entry& entry) {
  const Value& value = entry.data.value();
  const std::string task = task_of(entry.key);
  if (task.empty()) {
    if (entry.key == "gate") {
      gated(entry, task);  // of the base
    }
    return;
  }
  if (entry.key.find('/') == std::string::npos) {
    for (const Data& part : entry.data.as<TaskResult>().parts) {
      take_task(part.as<plumb::workflow::Task>());
    }
    return;
  }
  if (!of_task_itself(entry.key)) {
    return;
  }
  const std::string_view part = part_of(entry.key);
  if (part == "gate") {
    gated(entry, task);
  } else if (part == "develop") {
    Task& its = tasks_[task];
    const Developed& done = entry.data.as<Developed>();
    its.iteration += done.lost ? 0 : 1;
    if (value.find("changed") != nullptr) {
      its.written = texts_json(done.changed);
    }
    if (const auto found = json::list_of(value, "findings"); !found.empty()) {
      its.findings.clear();
      json::Writer json(its.findings);
      json.begin_array();
      objects(json, found, std::array<std::string_view, 4>{"path", "rule", "severity", "message"});
      json.end_array();
    }
    if (!done.failed.empty() && !cancelled_) {
      ToldEvent event;
      json::Writer json = begin(event, "user.signal.error", entry, task);
      text(json, "error", "Developer agent failed: " + done.failed);
      json.member_uint("iteration", its.iteration);
      end(event, json);
    }
  }
}

// What gates say of a tree is told when the task goes on: whether it is let through depends on the base too.
void Telling::gated(const run::Entry& entry, const std::string& task) {
  const Value& value = entry.data.value();
  const std::span<const Value> results = json::list_of(value, "results");
  GatesSaid said;
  said.tree = text_of(value, "tree_hash");
  json::Writer all(said.gates);
  json::Writer failing(said.failing);
  all.begin_array();
  failing.begin_array();
  for (std::size_t i = 0; i < results.size() && i < items_max; ++i) {
    const Value& one = results[i];
    const bool required = json::flag_of(one, "required");
    all.begin_object().member("gate", text_of(one, "gate")).member_boolean("required", required);
    all.member("outcome", text_of(one, "outcome"));
    number(all, "exit_code", one);
    number(all, "duration_ms", one);
    all.end_object();
    if (required && text_of(one, "outcome") != "passed") {
      failing.begin_object().member("gate", text_of(one, "gate")).member("outcome", text_of(one, "outcome"));
      failing.member("message", json::excerpt(text_of(one, "words"), item_text_max)).end_object();
    }
  }
  all.end_array();
  failing.end_array();
  if (trees_.size() < trees_max) {
    trees_[said.tree] = said;
  }
  if (!task.empty()) {
    tasks_[task].gated = std::move(said);
  }
}

void Telling::ended(const run::Entry& entry) {
  const Value& value = entry.data.value();
  ToldEvent event;
  json::Writer json = begin(event, "workflow.events.plan.execution_complete", entry, {});
  json.member("status", run::status_name(entry.status));
  for (const std::string_view name : {"decision", "branch", "commit"}) {
    optional_text(json, name, value);
  }
  if (!entry.error.empty()) {
    text(json, "error", entry.error);
  }
  json.key("tasks").begin_array();
  objects(json, json::list_of(value, "tasks"), std::array<std::string_view, 2>{"id", "state"});
  json.end_array();
  end(event, json);
  if (entry.status == run::Status::failed) {
    ToldEvent failed;
    json::Writer more = begin(failed, "user.signal.error", entry, {});
    text(more, "error", entry.error);
    end(failed, more);
  }
}

}  // namespace plumb::pipelines::workflow
