// Developers: a model, a declared command, a person, or the fixes that gates print. Whoever it is, what was changed is
// read from the tree.
#include <algorithm>

#include "core/budget/risk.hpp"
#include "core/contract/render.hpp"
#include "core/json/number_text.hpp"
#include "core/pipelines/workflow/parts.hpp"
#include "core/workflow/findings.hpp"
#include "core/workflow/fixes.hpp"

namespace plumb::pipelines::workflow {

namespace {

constexpr std::size_t files_told_max = 40;
constexpr std::size_t fixed_files_max = 100;

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
  for (const GateResult& one : results_of(gated)) {
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
  for (const std::string& path : paths) {
    const std::optional<std::string> text = file_at(run, work, work.at, path);
    files += "File " + path + (text ? ":\n" + fenced("file", *text) + "\n" : " is not there yet.\n");
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
    out.too_large = answer.error.starts_with("window_exceeded");
    out.failed = answer.cancelled ? "cancelled" : answer.error;
    return out;
  }
  const contract::Contract& contract = run.contract("contract-develop");
  const std::string text = strict_json(contract, answer.text);
  const contract::Verdict& verdict = run.judge(*answer.reply, contract);
  if (text.empty() || !verdict.valid) {
    out.unusable = "The answer keeps not to its form, and nothing of it was used:\n" +
                   contract::render_llm(verdict, "develop", "Answer again with one JSON object of the form asked for.");
    return out;
  }
  const Data said = Data::written(text);
  out.claimed = json::texts_of(said.value(), "files_modified");
  for (const std::string& path : json::texts_of(said.value(), "files_created")) {
    out.claimed.push_back(path);
  }
  for (const Value& one : json::list_of(said.value(), "decisions")) {
    out.decisions.push_back(read_decision(one));
    out.decisions.back().derived_from = work.task.id;
  }
  if (text_of(said.value(), "result") == "blocked") {
    out.failed = "the developer says that it cannot go on: " + std::string(text_of(said.value(), "changes_summary"));
    return out;
  }
  const Value* edits = said.value().find("edits");
  if (edits != nullptr && edits->size > 0) {
    out.unusable = change(run, work, work.at, json::value_text(*edits));
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
  const Reply& reply = run.ask(std::move(effect));
  Did out;
  const std::string_view said = reply.ok() ? text_of(reply.value.value(), "decision") : std::string_view("give up");
  if (said == "give up" || said == "2" || said == "stop" || said == "reject") {
    out.failed = "the developer gave it up";
    if (reply.ok() && !text_of(reply.value.value(), "words").empty()) {
      out.failed += ": " + std::string(text_of(reply.value.value(), "words"));
    }
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

Changes changes_of(const Value& taken) {
  Changes out;
  for (const Value& one : json::list_of(taken, "changed")) {
    Change change;
    change.path = text_of(one, "path");
    const std::string_view status = text_of(one, "status");
    change.kind = status == "A" ? ChangeKind::added : status == "D" ? ChangeKind::removed : ChangeKind::modified;
    change.binary = json::flag_of(one, "binary");
    change.listed = true;
    change.added = json::number_of(one, "added");
    change.removed = json::number_of(one, "removed");
    out.files.push_back(std::move(change));
  }
  return out;
}

void append(std::vector<FileFinding>& to, std::vector<FileFinding> more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

void write_findings(json::Writer& json, const std::vector<FileFinding>& findings) {
  json.key("findings").begin_array();
  for (const FileFinding& one : findings) {
    json.begin_object().member("path", one.path).member("rule", one.finding.rule);
    json.member("severity", one.finding.severity == contract::Severity::error ? "error" : "warning");
    json.member("message", one.finding.message).end_object();
  }
  json.end_array();
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
  const Value& value = taken.value.value();
  const Changes changes = changes_of(value);
  std::vector<FileFinding> findings;
  for (const Value& one : json::list_of(value, "findings")) {
    findings.push_back(
        in_file(std::string(text_of(one, "path")), 0,
                make_finding(text_of(one, "rule"), contract::Severity::error, contract::FindingClass::inner, "",
                             "Task " + work.task.id, std::string(text_of(one, "message")))));
  }
  append(findings, beyond_task(work.task, changes));
  append(findings, protected_changes(work.task, work.desk.brief.protect, work.desk.plan.do_not_touch, changes));
  append(findings, claims_without_diff(did.claimed, changes));
  const bool refused = text_of(value, "commit").empty();
  return object([&](json::Writer& json) {
    json.member("task", work.task.id).member("commit", refused ? work.at : text_of(value, "commit"));
    json.member("tree_hash", refused ? work.tree_hash : text_of(value, "tree_hash"));
    // Nothing was changed in this run of the developer, or nothing is left of what was.
    json.member_boolean("empty",
                        refused || json::flag_of(value, "empty") || text_of(value, "tree_hash") == work.tree_hash);
    write_texts(json, "changed", changes.paths());
    write_findings(json, findings);
    if (did.interrupted) {
      json.member_boolean("interrupted", true);
    }
    json.key("decisions").begin_array();
    for (const Decision& one : did.decisions) {
      write_decision(json, one);
    }
    json.end_array();
    // It cannot go on, and what it has done so far is kept.
    json.member("failed", did.failed).member("unusable", did.unusable).member_boolean("too_large", did.too_large);
  });
}

}  // namespace

std::optional<std::string> file_at(Run& run, const Work& work, const std::string& at, const std::string& path) {
  const Reply& read = ask_worktree(run, work.desk.brief.repository, "read",
                                   [&](json::Writer& json) { json.member("at", at).member("path", path); });
  return read.ok() ? std::optional(std::string(text_of(read.value.value(), "text"))) : std::nullopt;
}

std::string findings_text(const Value& reply) {
  std::string out;
  for (const Value& one : json::list_of(reply, "findings")) {
    out += "- " + std::string(text_of(one, "path")) + ": " + std::string(text_of(one, "message")) + "\n";
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
  const std::string wrong = findings_text(reply.value.value());
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
  list("In scope", plan.constraints_in);
  list("Out of scope", plan.constraints_out);
  list("Not to be touched", plan.do_not_touch);
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
      return object([&](json::Writer& json) {
        json.member("task", work.task.id).member("commit", work.at).member_boolean("empty", true);
        if (did.lost) {
          json.member_boolean("lost", true);
        }
        json.member("failed", did.failed).member("unusable", did.unusable).member_boolean("too_large", did.too_large);
      });
    }
    return take(part, work, did);
  });
  const Value& value = done.value();
  Developed out;
  out.commit = text_of(value, "commit");
  out.tree_hash = text_of(value, "tree_hash");
  out.empty = json::flag_of(value, "empty");
  out.changed = json::texts_of(value, "changed");
  out.unusable = text_of(value, "unusable");
  out.failed = text_of(value, "failed");
  out.lost = json::flag_of(value, "lost");
  out.too_large = json::flag_of(value, "too_large");
  for (const Value& one : json::list_of(value, "findings")) {
    out.findings.push_back(in_file(
        std::string(text_of(one, "path")), 0,
        make_finding(text_of(one, "rule"),
                     text_of(one, "severity") == "error" ? contract::Severity::error : contract::Severity::warning,
                     contract::FindingClass::inner, "", "Task " + work.task.id, std::string(text_of(one, "message")))));
  }
  for (const Value& one : json::list_of(value, "decisions")) {
    out.decisions.push_back(read_decision(one));
  }
  if (json::flag_of(value, "interrupted") && out.empty) {
    out.failed = "the developer was interrupted before it changed anything, and is not declared `repeatable`";
  }
  return out;
}

}  // namespace plumb::pipelines::workflow
