// What a run has come to, as a fold over its journal.
#include <algorithm>
#include <map>

#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/call_monitor.hpp"
#include "core/pipelines/workflow/parts.hpp"
#include "core/pipelines/workflow/workflow.hpp"

namespace plumb::pipelines::workflow {

namespace {

// Its readers may be several: as() is for one thread.
template <json::Record T>
T read(const run::Entry& entry) {
  return json::record_of<T>(entry.data.value());
}

// A developer's run and what followed on it.
struct Round {
  const Value* developed = nullptr;
  const Value* gates = nullptr;
  const Value* review = nullptr;
};

struct TaskView {
  std::string id;
  const Value* task = nullptr;  // of the plan, or a part of one
  TaskState state = TaskState::draft;
  std::string why;
  std::vector<Round> rounds;
  std::vector<const Value*> risks;
  std::vector<const Value*> escalations;
  std::vector<const Value*> checkpoints;
};

struct Folded {
  const Value* plan = nullptr;
  std::vector<TaskView> tasks;
  std::map<std::string_view, const Value*> gated;  // what gates said, by tree
  const run::Entry* asks = nullptr;                // the oldest question that nobody has answered

  TaskView& task(std::string_view id) {
    const auto found = std::find_if(tasks.begin(), tasks.end(), [&](const TaskView& one) { return one.id == id; });
    if (found != tasks.end()) {
      return *found;
    }
    tasks.push_back({});
    tasks.back().id = id;
    return tasks.back();
  }
};

// The task in whose part an entry lies: "task-T1/develop~2".
std::string task_of(const Folded& folded, std::string_view key) {
  const std::string_view part = key.substr(0, key.find_first_of("/:~"));
  for (const TaskView& one : folded.tasks) {
    if (part_name("task-", one.id) == part) {
      return one.id;
    }
  }
  return {};
}
// Whether it lies in the part of a task itself, not in one of that part's.
bool of_task(std::string_view key) {
  const std::size_t slash = key.find('/');
  return slash == std::string_view::npos || key.find('/', slash + 1) == std::string_view::npos;
}
// The last part's name, without its number: "develop".
std::string_view part_of(std::string_view key) {
  const std::size_t slash = key.rfind('/');
  key.remove_prefix(slash == std::string_view::npos ? 0 : slash + 1);
  return key.substr(0, key.find_first_of("~:"));
}

void fold_note(Folded& out, const run::Entry& entry) {
  const Value& value = entry.data.value();
  if (entry.name == "plan") {
    out.plan = value.find("plan");
    for (const Value& task : out.plan == nullptr ? std::span<const Value>() : json::list_of(*out.plan, "tasks")) {
      out.task(text_of(task, "id")).task = &task;
    }
    return;
  }
  if (entry.name == "gates_known" && of_task(entry.key)) {
    const auto known = out.gated.find(text_of(value, "tree_hash"));
    const std::string task = task_of(out, entry.key);
    if (!task.empty() && known != out.gated.end() && !out.task(task).rounds.empty()) {
      out.task(task).rounds.back().gates = known->second;
    }
    return;
  }
  const std::string_view id = text_of(value, "task").empty() ? text_of(value, "task_id") : text_of(value, "task");
  if (id.empty()) {
    return;
  }
  TaskView& task = out.task(id);
  if (entry.name == "task_state") {
    const auto moved = read<StateNote>(entry);
    task.state = moved.to;
    task.why = moved.why;
  } else if (entry.name == "revised") {
    task.task = value.find("now");
  } else if (entry.name == "checkpoint") {
    task.checkpoints.push_back(&value);
  } else if (entry.name == "risk" && text_of(value, "response") != "observe") {
    task.risks.push_back(&value);
  } else if (entry.name == "escalation") {
    task.escalations.push_back(&value);
  } else if (entry.name == "review") {
    if (task.rounds.empty()) {
      task.rounds.push_back({});
    }
    task.rounds.back().review = &value;
  }
}

Folded fold(const run::Journal& journal) {
  Folded out;
  std::vector<const run::Entry*> open;
  for (const run::Entry& entry : journal.entries()) {
    if (entry.kind == run::EntryKind::note) {
      fold_note(out, entry);
    } else if (entry.kind == run::EntryKind::scope) {
      const std::string id = task_of(out, entry.key);
      const std::string_view part = part_of(entry.key);
      if (!id.empty() && part == "develop") {
        out.task(id).rounds.push_back({&entry.data.value()});
      } else if (part == "gate") {
        out.gated[text_of(entry.data.value(), "tree_hash")] = &entry.data.value();
        // A developer's own are not of a round yet.
        if (!id.empty() && of_task(entry.key) && !out.task(id).rounds.empty()) {
          out.task(id).rounds.back().gates = &entry.data.value();
        }
      } else if (!id.empty() && entry.key.find('/') == std::string::npos) {
        for (const Value& one : json::list_of(entry.data.value(), "parts")) {
          out.task(text_of(one, "id")).task = &one;
        }
      }
    } else if (entry.kind == run::EntryKind::attempt && entry.name == "person" && entry.count <= 1) {
      open.push_back(&entry);
    } else if (entry.kind == run::EntryKind::reply) {
      open.erase(std::remove_if(open.begin(), open.end(), [&](const run::Entry* one) { return one->key == entry.key; }),
                 open.end());
    } else if (entry.kind == run::EntryKind::end) {
      open.clear();
    }
  }
  out.asks = open.empty() ? nullptr : open.front();
  return out;
}

std::string_view status_of(const run::Journal& journal, const Folded& folded) {
  const run::Entry& last = journal.entries().back();
  if (last.kind != run::EntryKind::end) {
    return folded.asks != nullptr ? "waiting" : journal.entries().size() == 1 ? "pending" : "running";
  }
  return last.status == run::Status::ok ? "completed" : last.status == run::Status::cancelled ? "stopped" : "failed";
}

void copy(json::Writer& json, const Value& from, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const Value* found = from.find(name)) {
      json.key(name).value(*found);
    }
  }
}

void write_round(json::Writer& json, const Round& round) {
  json.begin_object();
  if (round.developed != nullptr) {
    copy(json, *round.developed,
         {"commit", "tree_hash", "empty", "changed", "findings", "failed", "unusable", "lost", "interrupted"});
  }
  json.key("gates").begin_array();
  for (const Value& one : round.gates == nullptr ? std::span<const Value>() : json::list_of(*round.gates, "results")) {
    json.value(one);
  }
  json.end_array();
  if (round.review != nullptr) {
    json.key("review").begin_object();
    copy(json, *round.review,
         {"by", "outcome", "reason", "feedback", "open", "unverified", "warnings", "broken", "context", "review"});
    json.end_object();
  }
  json.end_object();
}

void write_told(json::Writer& json, const TaskView& task) {
  json.begin_object().member("id", task.id).member("state", state_name(task.state)).member("why", task.why);
  if (task.task != nullptr) {
    copy(json, *task.task, {"description", "files", "after", "acceptance", "scenarios", "fixes"});
  }
  const std::uint64_t reviews = static_cast<std::uint64_t>(
      std::count_if(task.rounds.begin(), task.rounds.end(), [](const Round& one) { return one.review != nullptr; }));
  json.member_uint("runs", task.rounds.size()).member_uint("reviews", reviews).key("rounds").begin_array();
  for (const Round& one : task.rounds) {
    write_round(json, one);
  }
  json.end_array().key("risks").begin_array();
  for (const Value* one : task.risks) {
    json.value(*one);
  }
  json.end_array().key("checkpoints").begin_array();
  for (const Value* one : task.checkpoints) {
    json.value(*one);
  }
  json.end_array().key("escalations").begin_array();
  for (const Value* one : task.escalations) {
    json.value(*one);
  }
  json.end_array().end_object();
}

std::string words_of_gate(const GateResult& one) {
  return (one.passed() ? "    ✓ " : one.required ? "    ✗ " : "    ⚠️ ") + one.words;
}

std::vector<std::string> note_lines(const run::Entry& entry) {
  const Value& value = entry.data.value();
  if (entry.name == "plan") {
    const Plan plan = read<PlanNote>(entry).plan;
    return {"📋 " + plan.title + ": " + std::to_string(plan.tasks.size()) + " tasks"};
  }
  if (entry.name == "task_state") {
    const auto moved = read<StateNote>(entry);
    const TaskState to = moved.to;
    const std::string mark = to == TaskState::approved || to == TaskState::landed ? "✅ "
                             : is_over(to)                                        ? "❌ "
                             : to == TaskState::escalated                         ? "⚠️ "
                                                                                  : "  → ";
    return {mark + moved.task + " " + std::string(state_name(to)) + ": " + moved.why};
  }
  if (entry.name == "risk" && text_of(value, "response") != "observe") {
    const auto risk = read<RiskNote>(entry);
    return {"    ⚠️ " + risk.response + ": " + risk.reason};
  }
  if (entry.name == "gates_known") {
    return {"    ✓ this tree was gated before"};
  }
  if (entry.name == "revised") {
    return {"    → the task was revised: " + read<RevisedNote>(entry).why};
  }
  if (entry.name == "checkpoint") {
    const auto kept = read<CheckpointNote>(entry);
    return {"    → checkpoint " + std::to_string(kept.number) + " (" + kept.reason +
            "): " + std::to_string(kept.met.size()) + " met, " + std::to_string(kept.open.size()) + " open"};
  }
  if (entry.name == "conversation") {
    return {"    🔧 conversation: " + std::to_string(json::number_of(value, "turns")) + " turns, " +
            std::string(text_of(value, "reason"))};
  }
  if (entry.name == "gate_lost") {
    return {"    ⚠️ the host was lost under gate '" + std::string(text_of(value, "gate")) + "': it is asked again"};
  }
  if (entry.name == "developer_ended") {
    return {"    ⚠️ the developer's command ended with exit code " +
            std::to_string(json::number_of(value, "exit_code", 1))};
  }
  if (entry.name == "review") {
    const auto note = read<ReviewNote>(entry);
    return {"    → review by " + note.by + ": " + std::string(review_outcome_name(note.outcome)) + ": " + note.reason};
  }
  return {};
}

std::vector<std::string> scope_lines(const run::Entry& entry) {
  std::vector<std::string> out;
  const std::string_view part = part_of(entry.key);
  if (part == "develop") {
    const auto done = read<Developed>(entry);
    if (!done.failed.empty()) {
      out.push_back("    ✗ " + done.failed);
    } else if (!done.unusable.empty()) {
      out.push_back("    ✗ the answer could not be used");
    } else {
      const std::vector<std::string>& changed = done.changed;
      std::string paths;
      for (std::size_t i = 0; i < std::min<std::size_t>(changed.size(), 5); ++i) {
        paths += (i == 0 ? "" : ", ") + changed[i];
      }
      out.push_back(done.empty
                        ? "    ✗ nothing was changed"
                        : "    🔧 changed: " + paths +
                              (changed.size() > 5 ? " and " + std::to_string(changed.size() - 5) + " more" : ""));
    }
    for (const ToldFinding& one : done.findings) {
      out.push_back("    ⚠️ " + one.path + ": " + one.message);
    }
  } else if (part == "base") {
    const auto base = read<Base>(entry);
    for (const std::string& one : base.notes) {
      out.push_back("    ⚠️ " + one);
    }
    for (const std::string& one : base.submodules) {
      out.push_back("    ⚠️ submodule '" + one + "' stays as it is, its folder empty");
    }
  } else if (part == "gate") {
    const auto gated = read<Gated>(entry);
    for (const GateResult& one : gated.results) {
      out.push_back(words_of_gate(one));
    }
  } else if (part.starts_with("merge-")) {
    const auto merged = read<Merged>(entry);
    if (!merged.command.empty()) {
      out.push_back("    ⚠️ " + merged.why + ": " + merged.command);
    }
  }
  return out;
}

std::string end_line(const Value& result) {
  const std::string_view decision = text_of(result, "decision");
  const std::string branch(text_of(result, "branch"));
  if (const Value* left = result.find("not_landed")) {
    return "⚠️ All tasks are approved, but not all of their work is on branch " + branch + ": " +
           std::string(text_of(*left, "why")) + ". It is commit " + std::string(text_of(result, "commit"));
  }
  return decision == "accept" ? "✅ All tasks are approved, on branch " + branch
         : decision == "accept_unverified"
             ? "⚠️ All tasks are on branch " + branch + "; not everything is verified (accept_unverified)"
         : text_of(result, "commit") == text_of(result, "base")
             ? "❌ No task is approved: there is nothing to land"
             : "❌ Not all tasks are approved; those that are lie on branch " + branch;
}

}  // namespace

std::string view(const run::Journal& journal) {
  const Folded folded = fold(journal);
  const run::Entry& last = journal.entries().back();
  const bool ended = last.kind == run::EntryKind::end;
  std::string out;
  json::Writer json(out);
  json.begin_object().member("run_id", text_of(journal.begin().data.value(), "run"));
  json.member("status", status_of(journal, folded));
  const std::size_t over = static_cast<std::size_t>(
      std::count_if(folded.tasks.begin(), folded.tasks.end(), [](const TaskView& one) { return is_over(one.state); }));
  json.member_uint("progress", ended ? 100 : folded.tasks.empty() ? 0 : over * 100 / folded.tasks.size());
  if (folded.plan != nullptr) {
    copy(json, *folded.plan, {"title", "slug"});
    json.member("branch", "plumb/" + std::string(text_of(*folded.plan, "slug")));
  }
  const Value* input = journal.begin().data.value().find("input");
  if (input != nullptr) {
    copy(json, *input, {"repositories", "developer", "developer_name", "reviewer"});
  }
  json.key("tasks").begin_array();
  for (const TaskView& one : folded.tasks) {
    write_told(json, one);
  }
  json.end_array();
  if (folded.asks != nullptr) {
    json.key("asks").begin_object().member("key", folded.asks->key);
    copy(json, folded.asks->data.value(),
         {"question", "options", "task", "reason", "work", "tree", "text", "response"});
    json.end_object();
  }
  if (const std::string budget = monitored_json(journal); !budget.empty()) {
    json.key("budget").raw(budget);
  }
  if (ended && last.status == run::Status::ok) {
    json.member("decision", text_of(last.data.value(), "decision")).key("result").raw(last.data.text());
  } else if (ended) {
    json.member("error", last.error);
  }
  json.end_object();
  return out;
}

std::vector<LogLine> log_lines(const run::Journal& journal, std::uint64_t from) {
  std::vector<LogLine> out;
  for (std::size_t i = 0; i < journal.entries().size(); ++i) {
    const run::Entry& entry = journal.entries()[i];
    std::vector<std::string> lines;
    if (i < from) {
      continue;
    }
    if (entry.kind == run::EntryKind::begin) {
      lines.push_back("⚙️ Workflow");
    } else if (entry.kind == run::EntryKind::note) {
      lines = note_lines(entry);
    } else if (entry.kind == run::EntryKind::scope) {
      lines = scope_lines(entry);
    } else if (entry.kind == run::EntryKind::cancel) {
      lines.push_back("✗ Cancelled: " + entry.error);
    } else if (entry.kind == run::EntryKind::end) {
      lines.push_back(entry.status == run::Status::ok ? end_line(entry.data.value()) : "❌ " + entry.error);
    }
    for (std::string& line : lines) {
      out.push_back({i, entry.at_ms, std::move(line)});
    }
  }
  return out;
}

}  // namespace plumb::pipelines::workflow
