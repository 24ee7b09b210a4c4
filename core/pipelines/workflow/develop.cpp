// Developers: a model, a declared command, a person, or the fixes that gates print. Whoever it is, what was changed is
// read from the tree.
#include <algorithm>
#include <map>

#include "core/budget/risk.hpp"
#include "core/contract/render.hpp"
#include "core/json/number_text.hpp"
#include "core/pipelines/workflow/guard.hpp"
#include "core/pipelines/workflow/parts.hpp"
#include "core/wording.hpp"
#include "core/workflow/findings.hpp"
#include "core/workflow/fixes.hpp"
#include "core/workflow/written_edits.hpp"

namespace plumb::pipelines::workflow {

using plumb::workflow::Access;
using plumb::workflow::EditedFiles;
using plumb::workflow::FileFinding;
using plumb::workflow::Fix;
using plumb::workflow::Fixed;
using plumb::workflow::FixReading;
using plumb::workflow::SeenFrom;
using plumb::workflow::TaskFile;
using plumb::workflow::WrittenEdit;
using plumb::workflow::WrittenEdits;

namespace {

constexpr std::size_t files_told_max = 40;
constexpr std::size_t fixed_files_max = 100;
constexpr std::size_t glob_bytes_max = 64'000;  // of files that a pattern names
constexpr std::size_t paths_named_max = 200;    // of those that are not shown

// The fixes that the gates printed last.
Did apply_printed(Run& run, Work& work) {
  const Data& gated = work.gates.is_null() ? work.desk.gated["base"] : work.gates;
  Did out;
  if (gated.is_null()) {
    out.failed = "the developer `extract` applies what gates print, and no gate has been run";
    return out;
  }
  const std::string_view tree = text_of(gated.value(), "folder");
  std::vector<Fix> fixes;
  std::vector<std::string> left;
  for (const GateResult& one : results_of(gated.value())) {
    const std::vector<Gate>& gates = work.desk.brief.gates;
    const auto gate = std::find_if(gates.begin(), gates.end(), [&](const Gate& its) { return its.name == one.gate; });
    const SeenFrom from = seen_from(gate == gates.end() ? Gate() : *gate, tree, one.output);
    FixReading read = read_fixes(one.output, from);
    fixes.insert(fixes.end(), read.fixes.begin(), read.fixes.end());
    left.insert(left.end(), read.left_out.begin(), read.left_out.end());
  }
  const std::vector<std::string> allowed = work.task.written();
  std::map<std::string, std::optional<std::string>> texts;
  for (const Fix& one : fixes) {
    for (const std::string& path : one.paths) {
      const bool may = std::any_of(allowed.begin(), allowed.end(),
                                   [&](const std::string& glob) { return budget::path_fits(glob, path); });
      if (may && texts.size() < fixed_files_max && texts.find(path) == texts.end()) {
        texts[path] = file_at(run, work, work.at, path);
      }
    }
  }
  const Fixed fixed = apply_fixes(fixes, work.task, [&](const std::string& path) {
    const auto found = texts.find(path);
    return found == texts.end() ? std::nullopt : found->second;
  });
  left.insert(left.end(), fixed.left_out.begin(), fixed.left_out.end());
  run.emit("fixes", object([&](json::Writer& json) {
             json.member("task", work.task.id).member_uint("files", fixed.files.size());
             write_texts(json, "left_out", left);
           }));
  if (fixed.files.empty()) {
    out.failed = std::string("no gate printed a fix within the task's files") +
                 (left.empty() ? " (read are -fdiagnostics-parseable-fixits of g++ and clang, SARIF and unified diffs)"
                               : ": " + some_of(left)) +
                 "; `extract` can do no more: name another developer";
    return out;
  }
  out.unusable = change(run, work, work.at, edits_json(fixed.files));
  return out;
}

using FileTexts = std::map<std::string, std::optional<std::string>>;

// Files that the task names by a pattern, as far as there is room.
std::string files_of_globs(Run& run, const Work& work, FileTexts& texts) {
  std::vector<std::string> globs;
  for (const std::string& path : work.task.touched()) {
    if (path.find_first_of("*?") != std::string::npos || path.back() == '/') {
      globs.push_back(path.back() == '/' ? path + "**" : path);
    }
  }
  if (globs.empty()) {
    return {};
  }
  const Reply& listed =
      ask_worktree(run, work.desk.brief.repository, "read", [&](json::Writer& json) { json.member("at", work.at); });
  std::string files, left;
  std::size_t shown = texts.size(), bytes = 0, not_shown = 0;
  for (const std::string& path :
       listed.ok() ? json::texts_of(listed.value.value(), "paths") : std::vector<std::string>()) {
    const bool meant =
        std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) { return budget::path_fits(glob, path); });
    if (!meant || texts.find(path) != texts.end()) {
      continue;
    }
    if (shown < files_told_max && bytes < glob_bytes_max) {
      const std::optional<std::string> text = file_at(run, work, work.at, path);
      if (text && bytes + text->size() <= glob_bytes_max) {
        files += "File " + path + ":\n" + fenced("file", *text) + "\n";
        texts[path] = text;
        bytes += text->size();
        ++shown;
        continue;
      }
    }
    left += ++not_shown <= paths_named_max ? "- " + path + "\n" : "";
  }
  if (not_shown > 0) {
    files += "Not shown, since there is no more room (" + counted(not_shown, "file") + "):\n" + left;
  }
  return files;
}

// What a model wrote, as edits of the task's tree; what does not apply, else nothing.
std::string make_edits(Run& run, const Work& work, const std::vector<WrittenEdit>& edits, FileTexts& texts) {
  const EditedFiles edited = apply_edits(edits, [&](const std::string& path) {
    const auto known = texts.find(path);
    return known != texts.end() ? known->second : texts[path] = file_at(run, work, work.at, path);
  });
  if (edited.wrong.empty()) {
    return change(run, work, work.at, plumb::workflow::edits_json(edited));
  }
  std::string out = "None of the edits was made, since some do not apply:\n";
  for (const std::string& one : edited.wrong) {
    out += "- " + one + "\n";
  }
  return out;
}

Did ask_model(Run& run, Work& work) {
  const Brief& brief = work.desk.brief;
  std::vector<std::string> paths;
  for (const std::string& path : work.task.touched()) {
    if (paths.size() < files_told_max && path.find_first_of("*?") == std::string::npos && path.back() != '/') {
      paths.push_back(path);
    }
  }
  for (const std::string& path : work.changed) {
    if (paths.size() < files_told_max && std::find(paths.begin(), paths.end(), path) == paths.end()) {
      paths.push_back(path);
    }
  }
  std::string files;
  FileTexts texts;
  for (const std::string& path : paths) {
    const std::optional<std::string>& text = texts[path] = file_at(run, work, work.at, path);
    files += "File " + path + (text ? ":\n" + fenced("file", *text) + "\n" : " is not there yet.\n");
  }
  if (brief.tolerant) {
    files += files_of_globs(run, work, texts);
  }
  ModelCall call;
  call.phase = "develop";
  call.prompt = "prompt-develop";
  call.contract = "contract-develop";
  call.provider = work.provider;
  call.free = brief.develop_free;
  call.deadline_ms = brief.times.develop_ms;
  call.token_budget = brief.token_budget;
  call.only_noted = true;
  call.again = work.runs > 1;
  call.variables = [&](json::Writer& json) {
    json.member("task", task_text(work, work.task)).member("files", files);
    json.member("feedback", fenced("feedback", work.feedback));
  };
  const Answer answer = call_model(run, work.desk.spent, call);
  Did out;
  if (!answer.error.empty()) {
    out.too_large = answer.reason == Reason::over_window;
    out.failed = answer.cancelled ? "cancelled" : answer.error;
    return out;
  }
  const contract::Contract& contract = run.contract("contract-develop");
  StrictAnswer strict = strict_answer(contract, answer.text);
  if (!brief.tolerant) {
    strict.verdict = run.judge(*answer.reply, contract);
  }
  const std::string& text = strict.text;
  const contract::Verdict& verdict = strict.verdict;
  if (brief.tolerant && !strict.usable()) {
    const WrittenEdits read = plumb::workflow::read_edit_blocks(answer.text);
    if (!read.edits.empty()) {
      out.unusable = make_edits(run, work, read.edits, texts);
      for (const std::string& one : read.left_out) {
        out.unusable += out.unusable.empty() ? "" : "- " + one + "\n";
      }
      return out;
    }
  }
  if (!strict.usable()) {
    out.unusable = "The answer keeps not to its form, and nothing of it was used:\n" +
                   contract::render_llm(verdict, "develop", "Answer again with one JSON object of the form asked for.");
    return out;
  }
  const Data whole = Data::written(text);
  const DeveloperSaid& said = whole.as<DeveloperSaid>();
  out.claimed = said.claimed();
  out.decisions = said.decisions;
  for (Decision& one : out.decisions) {
    one.derived_from = work.task.id;
  }
  if (said.result == "blocked") {
    out.failed = "the developer says that it cannot go on: " + said.changes_summary;
    return out;
  }
  if (said.edits.value().size > 0) {
    out.unusable = brief.tolerant ? make_edits(run, work, plumb::workflow::read_json_edits(said.edits.value()), texts)
                                  : change(run, work, work.at, said.edits.text());
  }
  return out;
}

Did run_command(Run& run, Work& work) {
  const Brief& brief = work.desk.brief;
  const std::string name = "developer." + brief.developer_name;
  const std::string input =
      task_text(work, work.task) + (work.feedback.empty() ? "" : "\n## What the last try came to\n\n" + work.feedback);
  CommandWish wish;
  wish.name = name;
  wish.tree = work.task.id;
  wish.input = input;
  wish.time_ms = brief.times.develop_ms;
  wish.isolation_full = brief.isolation_full;
  wish.again = false;
  Did out;
  if (command_has_git(run, name)) {
    const Reply& made =
        ask_worktree(run, brief.repository, "init", [&](json::Writer& json) { json.member("tree", work.task.id); });
    if (!made.ok()) {
      give_up(run, "init", made);
    }
  }
  const Reply& reply = ask_command(run, wish);
  if (reply.status == run::Status::interrupted) {
    // What it had done is kept; what is declared `repeatable` is put back and asked once more (004-54).
    if (!command_repeatable(run, name)) {
      out.interrupted = true;
      return out;
    }
    const Reply& kept = ask_worktree(run, brief.repository, "take", [&](json::Writer& json) {
      json.member("tree", work.task.id).member("from", work.at);
      json.member("message", "Task " + work.task.id + ": interrupted").member_boolean("publish", true);
    });
    if (kept.status == run::Status::cancelled) {
      out.failed = "cancelled";
      return out;
    }
    if (!kept.ok()) {
      give_up(run, "take", kept);
    }
    (void)ask_worktree(run, brief.repository, "reset",
                       [&](json::Writer& json) { json.member("tree", work.task.id).member("to", work.at); });
    out.lost = true;
    return out;
  }
  if (!reply.ok()) {
    out.failed = reply.status == run::Status::cancelled ? "cancelled" : reply.error;
    return out;
  }
  const Value& value = reply.value.value();
  const std::string_view end = text_of(value, "end");
  if (end != "exited" || json::number_of(value, "exit_code", 1) != 0) {
    run.emit("developer_ended", object([&](json::Writer& json) {
               json.member("task", work.task.id).member("end", end);
               json.key("exit_code").value(*value.find("exit_code"));
             }));
  }
  return out;
}

Did ask_person(Run& run, Work& work) {
  run::Effect effect;
  effect.kind = run::EffectKind::person;
  effect.request = [&] {
    return object([&](json::Writer& json) {
      json.member("question",
                  "Task " + work.task.id + " is yours to develop: " + json::excerpt(work.task.description, 300));
      json.member("kind", "choice").key("options").begin_array().string("done").string("give up").end_array();
      json.member("task", work.task.id).member("signal", "answer").member("work", "develop");
      json.member("tree", work.task.id).member("text", task_text(work, work.task) + "\n" + work.feedback);
    });
  };
  const Reply& reply = run.ask(effect);
  Did out;
  const Escalated said = reply.ok() ? reply.value.as<Escalated>() : Escalated{"give up", {}, {}, {}};
  if (said.decision == "give up" || said.decision == "2" || said.decision == "stop" || said.decision == "reject") {
    out.failed = "the developer gave it up" + (said.words.empty() ? "" : ": " + said.words);
  }
  return out;
}

Did done_by(Run& run, Work& work) {
  const DeveloperKind who = work.desk.brief.developer;
  if (!work.provider.empty() && who != DeveloperKind::conversation) {
    return ask_model(run, work);
  }
  switch (who) {
    case DeveloperKind::extract:
      return apply_printed(run, work);
    case DeveloperKind::model:
      return ask_model(run, work);
    case DeveloperKind::conversation:
      return converse_with_model(run, work);
    case DeveloperKind::person:
      return ask_person(run, work);
    case DeveloperKind::command:
      break;
  }
  return run_command(run, work);
}

void tell(std::vector<ToldFinding>& to, const std::vector<FileFinding>& more) {
  for (const FileFinding& one : more) {
    const bool error = one.finding.severity == contract::Severity::error;
    to.push_back({one.path, one.finding.rule, error ? "error" : "warning", one.finding.message});
  }
}

// What lies in the tree now, whoever wrote it, against what the task began with: what an earlier run of the developer
// changed and may not be is found until it is undone.
Data take(Run& run, Work& work, const Did& did) {
  const Reply& taken = ask_worktree(run, work.desk.brief.repository, "take", [&](json::Writer& json) {
    json.member("tree", work.task.id).member("from", work.from);
    json.member("message", json::excerpt(work.task.description, 72) + "\n\nTask " + work.task.id + " of " +
                               work.desk.plan.slug + ", developer run " + json::uint_text(work.runs_all));
  });
  if (taken.status == run::Status::cancelled) {
    return object([&](json::Writer& json) { json.member("task", work.task.id).member("failed", "cancelled"); });
  }
  if (!taken.ok()) {
    give_up(run, "take", taken);
  }
  const TreeTaken& there = taken.value.as<TreeTaken>();
  Changes changes;
  for (const ChangedFile& one : there.changed) {
    changes.files.push_back(one.change());
  }
  const bool refused = there.commit.empty();
  Developed out;
  out.task = work.task.id;
  out.commit = refused ? work.at : there.commit;
  out.tree_hash = refused ? work.tree_hash : there.tree_hash;
  out.empty = refused || there.empty || there.tree_hash == work.tree_hash;
  out.changed = changes.paths();
  out.findings = there.findings;
  for (ToldFinding& one : out.findings) {
    one.severity = "error";
  }
  if (work.desk.brief.guards) {
    const bool warns = work.desk.brief.reviewed_by_model;  // somebody looks at it
    tell(out.findings, beyond_files(work.task, work.guards.tests, changes,
                                    warns ? contract::Severity::warning : contract::Severity::error));
    Guarded guarded = refused ? Guarded() : guarded_in(run, work, changes, out.commit);
    tell(out.findings, guarded.findings);
    out.guarded = std::move(guarded.paths);
    out.guarded_new = std::move(guarded.fresh);
    out.gates_again = std::move(guarded.again);
    out.guarded_unnamed = !guarded.named;
  } else {
    tell(out.findings, beyond_task(work.task, changes));
  }
  tell(out.findings,
       protected_changes(work.task, work.desk.brief.protect, work.desk.plan.constraints.do_not_touch, changes));
  tell(out.findings, claims_without_diff(did.claimed, changes));
  out.interrupted = did.interrupted;
  out.decisions = did.decisions;
  // It cannot go on, and what it has done so far is kept.
  out.failed = did.failed;
  out.unusable = did.unusable;
  out.too_large = did.too_large;
  return Data::of(std::move(out));
}

}  // namespace

std::optional<std::string> file_at(Run& run, const Work& work, const std::string& at, const std::string& path) {
  const Reply& read = ask_worktree(run, work.desk.brief.repository, "read",
                                   [&](json::Writer& json) { json.member("at", at).member("path", path); });
  return read.ok() ? std::optional(std::string(text_of(read.value.value(), "text"))) : std::nullopt;
}

std::string findings_text(const Data& reply) {
  std::string out;
  for (const ToldFinding& one : reply.as<TreeTaken>().findings) {
    out += "- " + one.path + ": " + one.message + "\n";
  }
  return out;
}

std::string change(Run& run, const Work& work, const std::string& from, std::string_view edits) {
  const Reply& reply = ask_worktree(run, work.desk.brief.repository, "change", [&](json::Writer& json) {
    json.member("tree", work.task.id).member("from", from).key("edits").raw(edits);
  });
  if (!reply.ok()) {
    return "the edits could not be made: " + reply.error;
  }
  const std::string wrong = findings_text(reply.value);
  return wrong.empty() ? wrong : "None of the edits was made, since some cannot be:\n" + wrong;
}

std::string task_text(const Work& work, const Task& task) {
  const Plan& plan = work.desk.plan;
  std::string out = "# Task " + task.id + ": " + task.description + "\n";
  if (plan.title != task.description) {
    out += "\nIt is part of: " + plan.title + "\n";
  }
  for (const auto& [name, text] : {std::pair{"Situation", &plan.situation}, std::pair{"Mission", &plan.mission},
                                   std::pair{"Execution", &plan.execution}}) {
    out += text->empty() ? "" : "\n" + std::string(name) + ": " + *text + "\n";
  }
  const auto list = [&](std::string_view title, const std::vector<std::string>& items) {
    out += items.empty() ? "" : "\n## " + std::string(title) + "\n\n";
    for (const std::string& one : items) {
      out += "- " + one + "\n";
    }
  };
  std::vector<std::string> writes;
  std::vector<std::string> reads;
  for (const TaskFile& file : task.files) {
    (file.access == Access::write ? writes : reads).push_back(file.path);
  }
  list("Files that may be written", writes);
  list("Files to read", reads);
  std::vector<std::string> criteria;
  for (const Criterion& one : task.acceptance) {
    criteria.push_back(one.id + ": " + one.text);
  }
  list("It is done when", criteria);
  std::vector<std::string> scenarios;
  for (const Scenario& one : task.scenarios) {
    scenarios.push_back(one.id + ": given " + one.given + ", when " + one.when + ", then " + one.then);
  }
  list("Scenarios", scenarios);
  list("In scope", plan.constraints.in);
  list("Out of scope", plan.constraints.out);
  list("Not to be touched", plan.constraints.do_not_touch);
  std::vector<std::string> gates;
  for (const Gate& one : work.desk.brief.gates) {
    if (one.required) {
      gates.push_back(one.name + ": " + one.command);
    }
  }
  list("Commands that must end with 0", gates);
  const auto& reads_too = work.desk.brief.developer_reads;
  if (std::find(reads_too.begin(), reads_too.end(), "sops") != reads_too.end()) {
    for (const Sop* one : sops_for(work.desk.brief.sops, task.touched(), SopScope::code)) {
      out += "\n## " + one->title + "\n\n" + one->parent_text() + "\n";
    }
  }
  return out;
}

Developed develop(Work& work) {
  const Data done = spending(work.run, work.desk, "develop", [&](Run& part) {
    const Did did = done_by(part, work);
    if (did.lost || (!did.kept && (!did.failed.empty() || !did.unusable.empty()))) {
      Developed out;
      out.task = work.task.id;
      out.commit = work.at;
      out.empty = true;
      out.lost = did.lost;
      out.failed = did.failed;
      out.unusable = did.unusable;
      out.too_large = did.too_large;
      return object([&](json::Writer& json) { json::write_members(json, &out, Developed::fields_not_taken()); });
    }
    return take(part, work, did);
  });
  Developed out = done.as<Developed>();
  if (out.interrupted && out.empty) {
    out.failed = "the developer was interrupted before it changed anything, and is not declared `repeatable`";
  }
  return out;
}

}  // namespace plumb::pipelines::workflow
