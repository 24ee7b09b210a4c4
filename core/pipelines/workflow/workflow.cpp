#include "core/pipelines/workflow/workflow.hpp"

#include <algorithm>
#include <deque>

#include "core/json/number_text.hpp"
#include "core/pipelines/workflow/guard.hpp"
#include "core/pipelines/workflow/parts.hpp"
#include "core/pipelines/workflow/planning.hpp"
#include "core/require.hpp"
#include "core/workflow/decompose.hpp"
#include "core/workflow/findings.hpp"

namespace plumb::pipelines::workflow {

using plumb::workflow::level_of;
using plumb::workflow::Move;
using plumb::workflow::no_gates_warning;

namespace {

constexpr std::size_t tasks_carried_max = 400;  // with parts of parts

struct Order {
  std::vector<std::vector<std::uint32_t>> waits, waves;
};

// Tasks and what became of them, in the order in which they are worked on.
struct Carried {
  Task task;
  std::uint32_t level = 0;
  std::vector<std::string> after;  // what it waits for
  Data told, merged;
  TaskState state = TaskState::ready;
};

std::string branch_of(const Plan& plan) { return "plumb/" + plan.slug; }

void told_state(Run& run, const std::string& task, TaskState from, TaskState to, std::string_view why) {
  const Move* allowed = may_move(from, to);
  PLUMB_REQUIRE(allowed != nullptr, "a task moves as the table of its states says");
  (void)run.note("task_state", [&] {
    return Data::of(StateNote{task, from, to, std::string(why.empty() ? allowed->when : why)});
  });
}

// The commit that all begins at, the setup of the gates' tree, and what the gates say before any change.
void begin_at_base(Run& run, Desk& desk) {
  const Brief& brief = desk.brief;
  const Data based = run.scope("base", [&](Run& part) {
    const Reply& opened = ask_worktree(part, brief.repository, "open", [&](json::Writer& json) {
      json.member("tree", gate_tree).member("at", brief.at).member("lands", branch_of(desk.plan));
    });
    if (opened.status == run::Status::cancelled) {
      return Data();
    }
    if (!opened.ok()) {
      give_up(part, "open", opened);
    }
    const auto& at_base = opened.value.as<Base>();
    const std::string& commit = at_base.commit;
    if (brief.setup) {
      (void)ask_worktree(part, brief.repository, "close", [](json::Writer& json) { json.member("tree", gate_tree); });
      const Reply& fresh = ask_worktree(part, brief.repository, "open", [&](json::Writer& json) {
        json.member("tree", gate_tree).member("at", commit).member("since", commit);
      });
      if (fresh.status == run::Status::cancelled) {
        return Data();
      }
      if (!fresh.ok()) {
        give_up(part, "open", fresh);
      }
      CommandWish wish;
      wish.name = "setup";
      wish.tree = gate_tree;
      wish.isolation_full = brief.isolation_full;
      const Reply& reply = ask_command(part, wish);
      if (reply.status == run::Status::cancelled) {
        return Data();
      }
      const bool good = reply.ok() && text_of(reply.value.value(), "end") == "exited" &&
                        json::number_of(reply.value.value(), "exit_code", 1) == 0;
      if (!good) {
        Error error;
        error.code = ErrorCode::unavailable;
        error.message = "the workflow's setup did not end with 0" +
                        (reply.ok() ? ": " + plumb::workflow::first_and_last(
                                                 std::string(text_of(reply.value.value(), "stdout")) +
                                                     std::string(text_of(reply.value.value(), "stderr")),
                                                 600)
                                    : ": " + reply.error);
        part.stop(std::move(error));
      }
      if (!brief.caches.empty()) {
        const Reply& kept = ask_worktree(part, brief.repository, "keep", [&](json::Writer& json) {
          json.member("tree", gate_tree);
          write_texts(json, "caches", brief.caches);
        });
        if (kept.status == run::Status::cancelled) {
          return Data();
        }
        if (!kept.ok()) {
          give_up(part, "keep", kept);
        }
      }
    }
    (void)ask_worktree(part, brief.repository, "close", [](json::Writer& json) { json.member("tree", gate_tree); });
    return Data::of(at_base);
  });
  desk.base = based.as<Base>().commit;
  desk.head = desk.base;
}

void gate_base(Run& run, Desk& desk) {
  desk.base_gates = gate(run, desk, desk.base, "base", {});
  if (run.cancelled()) {
    return;
  }
  std::string refused;
  for (const GateResult& one : desk.base_gates) {
    if (one.required && (one.outcome == GateOutcome::not_found || one.outcome == GateOutcome::not_started)) {
      refused += (refused.empty() ? "" : "; ") + one.words;
    }
  }
  if (!refused.empty()) {
    Error error;
    error.code = ErrorCode::unavailable;
    error.message = refused;
    run.stop(std::move(error));
  }
}

// Approved work onto what was approved before it, with the gates on the whole; then the branch.
TaskState merge(Run& run, Desk& desk, const TaskResult& told, Data& merged) {
  const std::string& id = told.id;
  const auto halted = [](std::string why) { return object([&](json::Writer& json) { json.member("halted", why); }); };
  merged = run.scope(part_name("merge-", id), [&](Run& part) {
    const Reply& reply = ask_worktree(part, desk.brief.repository, "merge", [&](json::Writer& json) {
      json.member("ours", desk.head).member("theirs", told.commit);
      json.member("message", "Merge task " + id + " of " + desk.plan.slug);
    });
    if (reply.status == run::Status::cancelled) {
      return Data();
    }
    if (!reply.ok()) {
      give_up(part, "merge", reply);
    }
    const Value& value = reply.value.value();
    const std::string commit(text_of(value, "commit"));
    if (!json::flag_of(value, "merged")) {
      return halted("it conflicts with what was merged before it: " + some_of(json::texts_of(value, "conflicts")));
    }
    // A merge that went on from the head has the task's own tree, which was gated.
    const std::string tree(text_of(value, "tree_hash").empty() ? told.tree_hash : text_of(value, "tree_hash"));
    const bool known = desk.brief.gates.empty() || !gated_before(part, desk, tree).is_null();
    const std::vector<GateResult> results = gate(part, desk, commit, tree, told.changed);
    if (part.cancelled()) {
      return Data();
    }
    if (!known) {  // what a person approved was not gated before; the tasks behind it begin with this tree
      part.emit("gated", desk.gated[tree]);
    }
    Task whole;
    const GatesVerdict verdict =
        judge_gates(against_base(whole, desk.base_gates, results, held_against(desk.brief, told.tests_named)));
    if (!verdict.passed && told.approved_by.empty()) {
      return halted("the gates fail on the whole: " + some_of(verdict.failed));
    }
    const Reply& landed = ask_worktree(part, desk.brief.repository, "land", [&](json::Writer& json) {
      json.member("commit", commit).member("branch", branch_of(desk.plan));
    });
    if (landed.status == run::Status::cancelled) {
      return Data();
    }
    if (!landed.ok()) {
      give_up(part, "land", landed);
    }
    Merged out = landed.value.as<Merged>();
    out.commit = commit;
    out.tree_hash = tree;
    if (out.landed) {
      (void)ask_worktree(part, desk.brief.repository, "close", [&](json::Writer& json) { json.member("tree", id); });
    }
    return Data::of(std::move(out));
  });
  if (merged.is_null()) {
    return TaskState::approved;  // the run was cancelled before it was merged
  }
  const Merged& whole = merged.as<Merged>();
  if (!whole.halted.empty()) {
    return TaskState::halted;
  }
  desk.head = whole.commit;
  desk.head_tree = whole.tree_hash;
  if (const Data gated = gated_before(run, desk, desk.head_tree); !gated.is_null()) {
    desk.base_gates = base_after(std::move(desk.base_gates), results_of(gated.value()));
  }
  return whole.landed ? TaskState::landed : TaskState::approved;
}

bool is_done(TaskState state) { return state == TaskState::approved || state == TaskState::landed; }

// Why a task cannot be begun: what it stands behind did not come.
std::string lacking(const Carried& one, const std::vector<Carried>& before) {
  for (const std::string& name : one.after) {
    for (const Carried& other : before) {
      if (other.task.id == name && !is_done(other.state) && other.told.as<TaskResult>().parts.empty()) {
        return "it comes after task " + name + ", which is " + std::string(state_name(other.state));
      }
    }
  }
  return {};
}

// What was decided in the tasks that a task stands behind, and in those that they stand behind; of a task that was cut,
// in its parts.
std::vector<Decision> decided_before(const Carried& task, const std::vector<Carried>& before) {
  std::vector<Decision> out;
  std::vector<std::string> names = task.after;
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (const Carried& other : before) {
      const std::string& id = other.task.id;
      const bool part = other.level > 0 && level_of(id, names[i]) > 0;
      if (id != names[i] && !part) {
        continue;
      }
      for (const std::string& name : other.after) {
        if (std::find(names.begin(), names.end(), name) == names.end()) {
          names.push_back(name);
        }
      }
      for (const Decision& one : other.told.as<TaskResult>().decisions) {
        if (std::none_of(out.begin(), out.end(), [&](const Decision& known) {
              return known.id == one.id && known.derived_from == one.derived_from;
            })) {
          out.push_back(one);
        }
      }
    }
  }
  return out;
}

Data result_of(const Desk& desk, const std::vector<Carried>& all) {
  bool good = !all.empty();
  bool approved = good;
  const Carried* left = nullptr;  // approved, and not on the branch
  bool unverified = desk.brief.gates.empty();
  for (const Carried& one : all) {
    if (!one.told.as<TaskResult>().parts.empty()) {
      continue;  // it is its parts
    }
    good = good && one.state == TaskState::landed;
    approved = approved && is_done(one.state);
    left = one.state == TaskState::approved && !one.merged.is_null() ? &one : left;
    unverified = unverified || !one.told.as<TaskResult>().unverified.empty();
  }
  return object([&](json::Writer& json) {
    json.member("decision", !good ? "revise" : unverified ? "accept_unverified" : "accept");
    json.member("slug", desk.plan.slug).member("branch", branch_of(desk.plan));
    json.member("base", desk.base).member("commit", desk.head);
    if (approved && left != nullptr) {
      json.key("not_landed").begin_object().member("why", left->merged.as<Merged>().why);
      json.member("command", left->merged.as<Merged>().command).end_object();
    }
    json.key("tasks").begin_array();
    for (const Carried& one : all) {
      json.begin_object().member("id", one.task.id).member("state", state_name(one.state));
      for (const std::string_view name : {"commit", "tree_hash", "runs", "reviews", "unverified", "approved_by"}) {
        if (const Value* found = one.told.is_null() ? nullptr : one.told.value().find(name)) {
          json.key(name).value(*found);
        }
      }
      json.end_object();
    }
    json.end_array();
    if (desk.brief.gates.empty()) {
      json.key("warnings").begin_array().string(no_gates_warning).end_array();
    }
  });
}

}  // namespace

std::string part_name(std::string_view prefix, std::string_view id) {
  std::string out(prefix);
  for (const char c : id) {
    out += c == '.' ? '_' : c;
  }
  return out;
}

Data object(const std::function<void(json::Writer&)>& members) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  members(json);
  json.end_object();
  return Data::written(std::move(out));
}

void write_texts(json::Writer& json, std::string_view name, const std::vector<std::string>& texts) {
  json.key(name).begin_array();
  for (const std::string& one : texts) {
    json.string(one);
  }
  json.end_array();
}

Data spending(Run& run, Desk& desk, std::string_view name, const std::function<Data(Run&)>& part) {
  const std::uint64_t before = desk.spent.tokens;
  Data out = run.scope(name, [&](Run& inner) {
    Data done = part(inner);
    if (desk.spent.tokens == before) {
      return done;
    }
    std::string text(done.text());
    text.pop_back();
    return Data::written(text + ",\"tokens\":" + json::uint_text(desk.spent.tokens - before) + "}");
  });
  desk.spent.tokens = before + json::number_of(out.value(), "tokens");
  return out;
}

void give_up(Run& run, std::string_view what, const Reply& reply) {
  Error error;
  error.code = ErrorCode::unavailable;
  error.message =
      std::string(what) + ": " + (reply.error.empty() ? std::string(run::status_name(reply.status)) : reply.error);
  run.stop(std::move(error));
}

void move(Work& work, TaskState to, std::string_view why) {
  told_state(work.run, work.task.id, work.state, to, why);
  work.state = to;
}

Result<Data> pipeline(Run& run) {
  const std::shared_ptr<const Brief> brief = run.keep<Brief>("brief", [&] { return read_brief(run); });
  Desk desk{*brief};
  if (!brief->plan || !brief->promoted) {
    // A plan that is not carried out yet asks for no command.
    desk.base = brief->at;
  }
  desk.plan = settle_plan(run, desk);
  if (desk.plan.tasks.empty()) {
    return result_of(desk, {});
  }
  for (const Task& task : desk.plan.tasks) {
    told_state(run, task.id, TaskState::draft, TaskState::ready, "");
  }
  begin_at_base(run, desk);
  if (!run.cancelled()) {
    gate_base(run, desk);
  }
  std::deque<Carried> waiting;
  // Each of two tasks is held against the other: worked out once.
  const auto order = run.keep<Order>("order", [&] { return Order{waits_for(desk.plan), waves(desk.plan, 1)}; });
  for (const std::vector<std::uint32_t>& wave : order->waves) {
    for (const std::uint32_t i : wave) {
      Carried one;
      one.task = desk.plan.tasks[i];
      for (const std::uint32_t before : order->waits[i]) {
        one.after.push_back(desk.plan.tasks[before].id);
      }
      waiting.push_back(std::move(one));
    }
  }
  std::vector<Carried> all;
  while (!waiting.empty() && all.size() < tasks_carried_max) {
    Carried one = std::move(waiting.front());
    waiting.pop_front();
    if (const std::string why = run.cancelled() ? "the run was cancelled" : lacking(one, all); !why.empty()) {
      told_state(run, one.task.id, TaskState::ready, TaskState::halted, why);
      one.state = TaskState::halted;
      one.told = object([&](json::Writer& json) { json.member("id", one.task.id); });
      all.push_back(std::move(one));
      continue;
    }
    desk.decisions = decided_before(one, all);
    one.told = spending(run, desk, part_name("task-", one.task.id),
                        [&](Run& part) { return carry_out(part, desk, one.task, one.level); });
    const TaskResult& told = one.told.as<TaskResult>();
    one.state = told.state;
    for (const Data& gates : told.gated) {
      desk.gated[std::string(text_of(gates.value(), "tree_hash"))] = gates;
    }
    if (!told.gates.is_null()) {
      desk.gated[told.tree_hash] = told.gates;
    }
    if (one.state == TaskState::approved) {
      one.state = merge(run, desk, told, one.merged);
      if (one.state != TaskState::approved) {
        const Merged& merged = one.merged.as<Merged>();
        told_state(run, one.task.id, TaskState::approved, one.state,
                   merged.halted.empty() ? merged.why : merged.halted);
      }
    }
    const std::vector<Data>& parts = told.parts;
    for (std::size_t i = parts.size(); i > 0; --i) {
      if (Result<Task> part = read_task(parts[i - 1].text())) {
        Carried next;
        next.after = part.value().after;
        next.task = std::move(part).value();
        next.level = one.level + 1;
        waiting.push_front(std::move(next));
      }
    }
    for (const Data& part : parts) {
      told_state(run, part.as<Task>().id, TaskState::draft, TaskState::ready, "it is a part of " + one.task.id);
    }
    all.push_back(std::move(one));
  }
  return result_of(desk, all);
}

}  // namespace plumb::pipelines::workflow
