// A task, from its size to its end.
#include <algorithm>

#include "core/budget/window.hpp"
#include "core/json/number_text.hpp"
#include "core/pipelines/workflow/guard.hpp"
#include "core/pipelines/workflow/parts.hpp"
#include "core/pipelines/workflow/planning.hpp"
#include "core/require.hpp"
#include "core/workflow/decompose.hpp"
#include "core/workflow/findings.hpp"

namespace plumb::pipelines::workflow {

using plumb::workflow::retries_exceeded;
using plumb::workflow::reviews_max;

namespace {

using budget::Response;

// Paths that a task names one by one; folders and patterns only allow.
std::vector<std::string> named_paths(const std::vector<std::string>& paths) {
  std::vector<std::string> out;
  for (const std::string& path : paths) {
    if (path.find_first_of("*?") == std::string::npos && !path.empty() && path.back() != '/') {
      out.push_back(path);
    }
  }
  return out;
}

struct Sized {
  std::vector<SizedFile> files;
  std::string size, why, counted;
  static Fields fields() {
    static constexpr Field table[] = {field<&Sized::files>("files"), field<&Sized::size>("size"),
                                      field<&Sized::why>("why"), field<&Sized::counted>("counted")};
    return table;
  }
};

// Whether the task is too large to be begun, and why (004-26): by its files and what they leave of the window. Who the
// developer is may be a program of its own, whose window nobody knows: then files are counted.
std::string too_large(Work& work) {
  const Brief& brief = work.desk.brief;
  const bool modelled = brief.developer == DeveloperKind::model || brief.developer == DeveloperKind::conversation;
  const std::optional<std::uint64_t> window = modelled ? window_of_phase(work.run, "develop") : std::nullopt;
  work.limits.working_memory = window;
  const Data sized = work.run.scope("size", [&](Run& part) {
    const std::vector<std::string> paths = named_paths(work.task.written());
    std::vector<budget::TaskFile> files;
    Sized out;
    for (const std::string& path : paths) {
      const Reply* read =
          window ? &ask_worktree(part, work.desk.brief.repository, "read",
                                 [&](json::Writer& json) { json.member("at", work.from).member("path", path); })
                 : nullptr;
      const bool there = read != nullptr && read->ok();
      budget::TaskFile file;
      file.tokens = there ? estimate_of(text_of(read->value.value(), "text")).safe : 0;
      out.files.push_back({path, file.tokens});
      files.push_back(std::move(file));
    }
    const budget::TaskSize size = budget::size_task(files, work.limits);
    std::string& why = out.why;
    if (size.too_many_files) {
      why = "it writes " + json::uint_text(paths.size()) + " files, at most " + json::uint_text(work.limits.files_max) +
            " are done at once";
    } else if (size.size == budget::Size::too_large) {
      why = "its files have " + json::uint_text(size.tokens) + " tokens, too many for a window of " +
            json::uint_text(window.value_or(0));
    }
    budget::WindowBudget budgeted;
    if (window) {
      const std::string_view name =
          brief.developer == DeveloperKind::conversation ? "prompt-converse" : "prompt-develop";
      budget::WindowPlan plan;
      plan.profile.context_window = *window;
      plan.system = estimate_of(part.pin(name).value().str()).safe;
      plan.task = estimate_of(task_text(work, work.task)).safe + size.tokens;
      plan.output = std::clamp<std::uint64_t>(size.tokens, 1'000, pinned_prompt(part, name).output_tokens_max);
      budgeted = budget::budget_window(plan);
      if (why.empty() && budgeted.fit == budget::Fit::decompose) {
        why = "it leaves " +
              json::uint_text(static_cast<std::uint64_t>(std::max<std::int64_t>(budgeted.available, 0))) + " of " +
              json::uint_text(*window) + " tokens, and 8000 are to be left";
      }
    }
    out.size = !why.empty() ? "too_large" : size.size == budget::Size::warn ? "warn" : "fits";
    out.counted = window ? "files and tokens" : "files: the developer's window is not known";
    return Data::of(std::move(out));
  });
  work.sizes = sized.as<Sized>().files;
  return sized.as<Sized>().why;
}

// The files that a task writes, by host and repository: another one's files of the same name are others.
ClaimNames claimed_by(const Work& work) {
  ClaimNames out;
  for (const std::string& path : work.task.written()) {
    if (out.names.size() < 100 && path.size() <= 200) {
      out.names.push_back(work.desk.brief.claims + ":" + path);
    }
  }
  out.by = work.task.id;
  return out;
}

void claim(Work& work) {
  work.run.scope("claim", [&](Run& part) {
    ClaimNames names = claimed_by(work);
    names.wait = true;
    const bool held = names.names.empty() || ask_claim(part, names);
    return object([&](json::Writer& json) { json.member_boolean("held", held); });
  });
}

void let_go(Work& work) {
  if (const ClaimNames names = claimed_by(work); !names.names.empty()) {
    release_claim(work.run, names);
  }
}

std::string text_of_finding(const ToldFinding& one) { return (one.path.empty() ? "" : one.path + ": ") + one.message; }

std::string findings_text(const std::vector<ToldFinding>& findings) {
  std::string out;
  for (const ToldFinding& one : findings) {
    out += "- " + text_of_finding(one) + "\n";
  }
  return out;
}

// What becomes of a task at a point of its loop.
enum class Next : std::uint8_t { go_on, again, over };

struct Loop {
  Work& work;
  std::uint32_t level = 0;
  std::vector<Task> parts = {};

  Next decompose(const std::string& why) {
    Decomposition found = cut_task(work, level, why);
    if (work.run.cancelled()) {
      return cancelled();
    }
    if (found.parts.empty()) {
      return asked(why + "; " + found.why_not);
    }
    parts = std::move(found.parts);
    move(work, TaskState::rejected, "it is cut in parts: " + why);
    return Next::over;
  }

  // A person decides.
  Next asked(const std::string& reason) {
    std::string why = reason;
    for (;;) {
      const Escalated said = escalate(work, why);
      const std::string by = said.by.empty() ? "a person" : said.by;
      if (said.decision == "approve") {
        if (work.changed.empty() || said.words.empty() || said.by.empty()) {
          why = work.changed.empty() ? "nothing was changed, and nothing can be approved; " + reason
                                     : "an approval needs a reason and a name; " + reason;
          continue;
        }
        work.approved_by = said.by + ": " + said.words;
        move(work, TaskState::approved, "approved by " + work.approved_by);
        return Next::over;
      }
      if (said.decision == "decompose") {
        Decomposition found = cut_task(work, level, said.words.empty() ? reason : said.words);
        if (found.parts.empty()) {
          why = "it cannot be cut: " + found.why_not + "; " + reason;
          continue;
        }
        parts = std::move(found.parts);
        move(work, TaskState::rejected, by + " has it cut in parts");
        return Next::over;
      }
      if (said.decision == "reject") {
        move(work, TaskState::rejected, "rejected by " + by + (said.words.empty() ? "" : ": " + said.words));
        return Next::over;
      }
      if (said.decision == "stop" || work.run.cancelled()) {
        move(work, TaskState::halted, "stopped by " + by + (said.words.empty() ? "" : ": " + said.words));
        return Next::over;
      }
      if (said.decision == "model") {
        const auto also = json::texts_of(work.run.input().value(), "also");
        if (std::find(also.begin(), also.end(), said.model) == also.end()) {
          why = "'" + json::excerpt(said.model, 60) + "' is none of providers.also; " + reason;
          continue;
        }
        work.provider = said.model;
      }
      if (!said.words.empty()) {
        work.feedback += "\n" + by + " says:\n" + said.words + "\n";
      }
      work.runs = work.runs_all > 0 ? 1 : 0;  // what comes now is a retry, of which there are three again
      work.reviews = work.losses = 0;
      work.failures.clear();
      work.since_ms = work.run.now_ms();
      move(work, TaskState::developing, said.decision == "model" ? "another model, by " + by : "again, by " + by);
      return Next::again;
    }
  }

  // Does what the signals call for.
  Next heed(std::uint64_t retries, std::uint64_t equal) {
    const Judged judged = judge_signals(work, retries, equal);
    if (judged.response == Response::halt) {
      move(work, TaskState::halted, judged.reason);
      return Next::over;
    }
    if (judged.response == Response::pause && !paused(work, judged.reason)) {
      move(work, TaskState::halted, "stopped by a person: " + judged.reason);
      return Next::over;
    }
    return judged.response == Response::escalate ? asked(judged.reason) : Next::go_on;
  }

  // The next run of the developer is a retry, whatever the cause.
  Next retry(const std::string& why, std::uint64_t equal = 0) {
    const Next next = heed(work.runs, equal);
    if (next == Next::go_on) {
      move(work, TaskState::developing, why);
      return Next::again;
    }
    return next;
  }

  // The task itself is wrong: its planner says it anew, once.
  Next replan(const ReviewVerdict& verdict) {
    if (work.desk.brief.plan_free) {
      return asked(verdict.reason);
    }
    if (work.revised) {
      return asked("its task was revised once already; " + verdict.reason);
    }
    Replanned found = revise_task(work, verdict);
    if (work.run.cancelled()) {
      return cancelled();
    }
    if (!found.task) {
      return asked(verdict.reason + "; the task could not be revised: " + found.why_not);
    }
    work.revised = true;
    let_go(work);
    work.task = std::move(*found.task);
    move(work, TaskState::ready, "its plan was revised");
    claim(work);
    work.feedback = "The task was revised, since its reviewer said: " + verdict.reason + "\n" + verdict.feedback +
                    "\nIt now reads as above. What you changed before is still there.";
    return retry("a developer begins with the revised task");
  }

  // What the developer left, also where it did not come to an end.
  void adopt(const Developed& done) {
    if (done.tree_hash.empty()) {
      return;
    }
    work.at = done.commit;
    work.tree_hash = done.tree_hash;
    work.changed = done.changed;
  }

  Next cancelled() {
    move(work, TaskState::halted, "the run was cancelled");
    return Next::over;
  }

  Next out_of_time() {
    const std::uint64_t now = work.run.now_ms();
    return now > work.since_ms + work.desk.brief.times.task_ms
               ? asked("the task's time of " + json::uint_text(work.desk.brief.times.task_ms / 60'000) + " min is over")
               : Next::go_on;
  }

  // A round: it is developed, its gates are run, it is reviewed.
  Next round();
  Next at_gates(const Developed& done, std::vector<ToldFinding> errors);
  Next at_review(const std::vector<GateResult>& results);
  Next nothing_changed(const Developed& done, const std::vector<ToldFinding>& errors);
  void keep_decisions(const Developed& done);
};

Next Loop::round() {
  if (const Next next = out_of_time(); next != Next::go_on) {
    return next;
  }
  ++work.runs;
  ++work.runs_all;
  const Developed done = develop(work);
  work.warnings.clear();
  if (done.lost) {
    --work.runs;  // counts for nobody
    --work.runs_all;
    return ++work.losses >= losses_max
               ? asked("the developer's host was lost " + json::uint_text(work.losses) + " times")
               : Next::again;
  }
  if (work.run.cancelled()) {
    return cancelled();
  }
  if (!done.failed.empty()) {
    adopt(done);
    if (done.too_large) {
      return decompose(done.failed);
    }
    return asked(done.failed);
  }
  if (!done.unusable.empty()) {
    adopt(done);
    work.feedback = done.unusable;
    return retry("the answer could not be used: a retry");
  }
  std::vector<ToldFinding> errors;
  for (const ToldFinding& one : done.findings) {
    if (one.severity == "error") {
      errors.push_back(one);
    } else {
      work.warnings.push_back(text_of_finding(one));
    }
  }
  if (done.empty) {
    return nothing_changed(done, errors);
  }
  adopt(done);
  keep_decisions(done);
  return at_gates(done, std::move(errors));
}

Next Loop::at_gates(const Developed& done, std::vector<ToldFinding> errors) {
  move(work, TaskState::gating, "something was changed");
  std::vector<GateResult> results = gate(work.run, work.desk, work.at, work.tree_hash, work.changed);
  if (work.run.cancelled()) {
    return cancelled();
  }
  work.gates = work.desk.gated[work.tree_hash];
  work.gated.push_back(work.gates);
  results = against_base(work.task, work.desk.base_gates, std::move(results),
                         held_against(work.desk.brief, names_tests(work.task, work.guards.tests)));
  const GatesVerdict gated = judge_gates(results);
  if (gated.lost) {
    return asked("a gate's host was lost " + json::uint_text(losses_max) + " times");
  }
  work.warnings.insert(work.warnings.end(), gated.warnings.begin(), gated.warnings.end());
  if (gated.passed) {
    for (const ToldFinding& one : run_with_base(work, done)) {
      one.severity == "error" ? errors.push_back(one) : work.warnings.push_back(text_of_finding(one));
    }
    if (work.run.cancelled()) {
      return cancelled();
    }
  }
  std::uint64_t equal = 0;
  for (const GateResult& one : results) {
    if (!one.passed() && one.required && !one.fingerprint.empty()) {
      work.failures.push_back({one.fingerprint, work.tree_hash});
      equal = std::max<std::uint64_t>(equal, equal_failures(work.failures));
    }
  }
  if (!gated.passed || !errors.empty()) {
    work.last_verdict = "gates";
    work.feedback = gated.feedback + (errors.empty() ? "" : "\nWhat may not be changed:\n" + findings_text(errors));
    return retry(errors.empty() ? "a required gate failed: a retry" : "what may not be changed was: a retry", equal);
  }
  // Files beyond the task are judged on the tree that would be reviewed.
  if (const Next next = heed(0, 0); next != Next::go_on) {
    return next;
  }
  return at_review(results);
}

Next Loop::at_review(const std::vector<GateResult>& results) {
  move(work, TaskState::reviewing, "its required gates let it through");
  work.warnings.insert(work.warnings.end(), work.warned.begin(), work.warned.end());
  work.warned.clear();
  ++work.reviews;
  ++work.reviews_all;
  const ReviewVerdict verdict = review(work, results);
  if (work.run.cancelled()) {
    return cancelled();
  }
  work.last_verdict = review_outcome_name(verdict.outcome);
  work.last_feedback = verdict.feedback;
  work.unverified = verdict.unverified;
  work.open = verdict.open;
  switch (verdict.outcome) {
    case ReviewOutcome::approved:
    case ReviewOutcome::approved_unverified:
      move(work, TaskState::approved, verdict.reason);
      return Next::over;
    case ReviewOutcome::developer:
      if (work.reviews >= reviews_max) {
        return asked(retries_exceeded(work.runs));
      }
      work.feedback = verdict.feedback;
      return retry(verdict.reason);
    case ReviewOutcome::decompose:
      return decompose(verdict.reason);
    case ReviewOutcome::planner:
      return replan(verdict);
    case ReviewOutcome::escalate:
      break;
  }
  return asked(verdict.reason);
}

Next Loop::nothing_changed(const Developed& done, const std::vector<ToldFinding>& errors) {
  const bool undone = !work.changed.empty() && done.changed.empty() && !done.tree_hash.empty();
  if (undone) {
    work.at = done.commit;
    work.tree_hash = done.tree_hash;
    work.changed.clear();
  }
  work.feedback = (undone ? "Nothing is left of what was changed.\n" : "Nothing was changed in the tree.\n") +
                  findings_text(errors) +
                  (work.feedback.empty() ? "" : "\nWhat was said before still holds:\n" + work.feedback);
  return retry("nothing was changed: a retry");
}

void Loop::keep_decisions(const Developed& done) {
  for (const Decision& one : done.decisions) {
    const auto same = std::find_if(work.decisions.begin(), work.decisions.end(),
                                   [&](const Decision& other) { return other.id == one.id; });
    same == work.decisions.end() ? work.decisions.push_back(one) : void(*same = one);
    work.run.emit("decision", object([&](json::Writer& json) {
                    json.member("task", work.task.id).key("decision");
                    json::write_record(json, one);
                  }));
  }
}

Data told(const Work& work, const std::vector<Task>& parts) {
  TaskResult out;
  out.id = work.task.id;
  out.state = work.state;
  out.from = work.from;
  out.commit = work.at;
  out.tree_hash = work.tree_hash;
  out.runs = work.runs_all;
  out.reviews = work.reviews_all;
  out.changed = work.changed;
  out.unverified = work.unverified;
  out.approved_by = work.approved_by;
  out.tests_named = work.desk.brief.guards && names_tests(work.task, work.guards.tests);
  out.gates = work.gates;
  // What gates said of trees is known to the tasks behind it (004-17).
  for (const Data& one : work.gated) {
    if (one.text() != work.gates.text()) {
      out.gated.push_back(one);
    }
  }
  out.decisions = work.decisions;
  for (const Task& part : parts) {
    out.parts.push_back(Data::of(part));
  }
  return Data::of(std::move(out));
}

}  // namespace

Data carry_out(Run& run, Desk& desk, const Task& task, std::uint32_t level) {
  Work work{run, desk, task, desk.head, desk.head};
  work.since_ms = run.now_ms();
  Loop loop{work, level};
  if (const auto refused = refused_by_base(task, desk.base_gates, desk.brief.base_failures)) {
    move(work, TaskState::failed, *refused);
    return told(work, {});
  }
  if (const std::string why = too_large(work); !why.empty()) {
    Decomposition found = cut_task(work, level, why);
    if (!found.parts.empty()) {
      move(work, TaskState::rejected, "it is replaced by its parts: " + why);
      return told(work, found.parts);
    }
    if (loop.asked("the task is too large: " + why + "; " + found.why_not) == Next::over) {
      return told(work, loop.parts);
    }
  } else {
    move(work, TaskState::developing, "a developer begins");
  }
  claim(work);
  const Reply& opened = ask_worktree(run, desk.brief.repository, "open",
                                     [&](json::Writer& json) { json.member("tree", task.id).member("at", work.from); });
  if (opened.status == run::Status::cancelled) {
    (void)loop.cancelled();
    return told(work, {});
  }
  if (!opened.ok()) {
    give_up(run, "open", opened);
  }
  work.guards = guards_at(run, desk, work.from);
  while (loop.round() != Next::over) {
  }
  // What was halted or failed is kept under a ref (004-30); what waits is kept as it is; what is settled needs no
  // folder any more (004-34).
  if (work.state == TaskState::rejected) {
    (void)ask_worktree(run, desk.brief.repository, "close", [&](json::Writer& json) { json.member("tree", task.id); });
  }
  if ((work.state == TaskState::halted || work.state == TaskState::failed) && work.at != work.from &&
      !run.cancelled()) {
    const Reply& kept = ask_worktree(run, desk.brief.repository, "take", [&](json::Writer& json) {
      json.member("tree", task.id).member("from", work.from);
      json.member("message", "Task " + task.id + ": " + std::string(state_name(work.state)));
      json.member_boolean("publish", true);
    });
    if (!kept.ok() && kept.status != run::Status::cancelled) {
      give_up(run, "take", kept);
    }
  }
  let_go(work);
  return told(work, loop.parts);
}

}  // namespace plumb::pipelines::workflow
