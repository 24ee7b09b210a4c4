#include "core/pipelines/workflow/guard.hpp"

namespace plumb::pipelines::workflow {

using plumb::workflow::FileFinding;
using plumb::workflow::gates_again;
using plumb::workflow::guarded_changes;

namespace {

std::optional<std::string> text_at(Run& run, const Brief& brief, const std::string& at, const std::string& path) {
  const Reply& read = ask_worktree(run, brief.repository, "read",
                                   [&](json::Writer& json) { json.member("at", at).member("path", path); });
  return read.ok() ? std::optional(std::string(text_of(read.value.value(), "text"))) : std::nullopt;
}

// Edits that lay out the files that the task began with.
std::string edits_back(Run& run, const Work& work, const Developed& done) {
  std::string out;
  json::Writer json(out);
  json.begin_array();
  for (const std::string& path : done.guarded) {
    // What is no text, or has more bytes than are read, stays as it is.
    if (const std::optional<std::string> was = text_at(run, work.desk.brief, work.from, path)) {
      json.begin_object().member("path", path).member("text", *was);
      if (was->starts_with("#!")) {
        json.member_boolean("executable", true);
      }
      json.end_object();
    }
  }
  for (const std::string& path : done.guarded_new) {
    json.begin_object().member("path", path).member_boolean("delete", true).end_object();
  }
  json.end_array();
  return out == "[]" ? std::string() : out;
}

}  // namespace

Guards guards_at(Run& run, const Desk& desk, const std::string& commit) {
  if (!desk.brief.guards || desk.brief.gates.empty()) {
    return {{}, desk.brief.tests};
  }
  return run
      .scope("guards",
             [&](Run& part) {
               return Data::of(guards_of(desk.brief.gates, desk.brief.tests, [&](const std::string& path) {
                 return text_at(part, desk.brief, commit, path);
               }));
             })
      .as<Guards>();
}

Guarded guarded_in(Run& run, const Work& work, const Changes& changes, const std::string& at) {
  return guarded_changes(
      work.task, work.guards, changes,
      [&](const std::string& path) {
        std::optional<std::string> was = text_at(run, work.desk.brief, work.from, path);
        return std::pair(std::move(was), text_at(run, work.desk.brief, at, path));
      },
      contract::Severity::error);
}

AgainstBase held_against(const Brief& brief, bool tests_named) {
  AgainstBase out(brief.base_failures);
  out.tests_named = brief.guards && tests_named;
  out.unknown_told = brief.guards;
  return out;
}

std::vector<ToldFinding> run_with_base(Work& work, const Developed& done) {
  std::vector<ToldFinding> out;
  if (done.gates_again.empty()) {
    return out;
  }
  Guarded guarded;
  guarded.paths = done.guarded;
  guarded.fresh = done.guarded_new;
  guarded.named = !done.guarded_unnamed;
  const Data said = work.run.scope("with_base", [&](Run& part) {
    const std::string edits = edits_back(part, work, done);
    GatesRun ran;
    if (!edits.empty() && !part.cancelled()) {
      const Called called{gates_again(work.desk.brief.gates, done.gates_again), work.changed};
      ran = run_in_checkout(part, work.desk, work.at, called, edits);
    }
    WithBase told{work.task.id, done.guarded, std::move(ran.wrong), std::move(ran.results)};
    told.files.insert(told.files.end(), done.guarded_new.begin(), done.guarded_new.end());
    return Data::of(std::move(told));
  });
  const WithBase& told = said.as<WithBase>();
  if (!told.wrong.empty()) {
    out.push_back({"", "base-file", "warning",
                   "The gates were not run with the files of before, which could not be laid out: " + told.wrong});
  }
  for (const FileFinding& one : failures_with_base(guarded, told.results, contract::Severity::error)) {
    const bool error = one.finding.severity == contract::Severity::error;
    out.push_back({one.path, one.finding.rule, error ? "error" : "warning", one.finding.message});
  }
  return out;
}

}  // namespace plumb::pipelines::workflow
