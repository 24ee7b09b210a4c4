// `plumb runs resume` and `plumb runs result`: runs go on, and what they were begun for is written.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <ctime>
#include <map>
#include <memory>
#include <thread>
#include <utility>

#include "core/pipelines/call_monitor.hpp"
#include "core/pipelines/outcomes.hpp"
#include "core/run/stamp.hpp"
#include "native/base/duration.hpp"
#include "native/base/file_bytes.hpp"
#include "native/cli/bugs.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/provider_setup.hpp"
#include "native/cli/run_text.hpp"
#include "native/cli/runs_parts.hpp"
#include "native/cli/search_setup.hpp"
#include "native/cli/stored_journal.hpp"
#include "native/cli/terminal.hpp"
#include "native/cli/work_setup.hpp"
#include "native/host/file_reads.hpp"
#include "native/host/host.hpp"
#include "native/host/routes.hpp"
#include "native/outcome/boundary_outcome.hpp"
#include "native/outcome/deliverable.hpp"
#include "native/outcome/exported.hpp"
#include "native/outcome/outcome_table.hpp"
#include "native/store/sqlite_store.hpp"

namespace plumb::cli {

namespace {

constexpr std::uint64_t stop_grace_ms = 10'000;
constexpr std::size_t looks_max = 500;  // of 20 ms

// The first of SIGINT and SIGTERM is taken note of, the second ends the process at once.
std::shared_ptr<std::atomic<bool>> asked_to_stop() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  auto asked = std::make_shared<std::atomic<bool>>(false);
  std::thread([signals, asked] {
    int got = 0;
    sigwait(&signals, &got);
    *asked = true;
    sigwait(&signals, &got);
    ::_exit(exit_undecided);
  }).detach();
  return asked;
}

// People whom a run waits for: keys and questions of effects without a reply. Nothing where it waits for something
// else.
std::string waits_for_people(const run::Journal& journal) {
  std::string people;
  for (const run::Entry& entry : journal.entries()) {
    if (entry.kind != run::EntryKind::attempt || entry.count > 1) {
      continue;
    }
    const bool open = std::none_of(journal.entries().begin(), journal.entries().end(), [&](const run::Entry& one) {
      return one.kind == run::EntryKind::reply && one.key == entry.key;
    });
    if (open && entry.name != "person") {
      return {};
    }
    if (open) {
      const json::Value* question = entry.data.value().find("question");
      people +=
          (people.empty() ? "" : "; ") + entry.key + " " + (question == nullptr ? "" : std::string(question->str()));
    }
  }
  return people;
}

struct Followed {
  std::string id;
  const pipelines::Known* known = nullptr;
  std::unique_ptr<host::Watch> watch;
  std::uint64_t logged = 0;  // entries whose lines were written
  bool over = false;
  std::size_t looks = 0;                    // for a run to come to its questions
  std::vector<std::string> questions = {};  // that are answered with "go on", as soon as the run is at them
};

// Where lines about runs go: beside the deliverable of one, or, of several, to standard output.
struct LineOutput {
  bool many = false;
  contract::TextStyle style;

  int operator()(const std::string& line) const {
    return many ? print(line) : write_all(STDERR_FILENO, line) ? exit_clean : exit_undecided;
  }
};

// What a command ends with for a run that has ended, or that waits.
int exit_code_of(const run::Journal& journal) {
  const bool ended = journal.entries().back().kind == run::EntryKind::end;
  return ended ? outcome::row_of(pipelines::outcome_of(journal).came_to).exit_code : exit_undecided;
}

// Writes the log lines of new entries, and tells of the end.
void follow(host::Host& host, Followed& one, const LineOutput& tell, int& code) {
  const host::Watch::Event event = one.watch->next(20);
  if (event.what == host::Watch::What::entry && one.known != nullptr && one.known->log != nullptr) {
    const Result<std::shared_ptr<const run::Journal>> journal = host.snapshot(one.id);
    if (!journal || one.logged > event.entry.number) {
      return;
    }
    for (const pipelines::LogLine& line : one.known->log(*journal.value(), one.logged)) {
      code = std::max(code, tell((tell.many ? one.id + " " : "") + dim(run::clock_time(line.at_ms), tell.style) + " " +
                                 (tell.style.ascii ? pipelines::ascii_line(line.text) : line.text) + "\n"));
    }
    one.logged = journal.value()->entries().size();
  } else if (event.what == host::Watch::What::ended) {
    one.over = true;
    const Result<host::Summary> summary = host.summary(one.id);
    if (summary) {
      const store::RunRow& row = summary.value().row;
      code = std::max(code, tell(one.id + " " + std::string(run::state_name(row.state)) +
                                 (row.error.empty() ? "" : ": " + row.error) + "\n"));
      const Result<std::shared_ptr<const run::Journal>> journal = host.snapshot(one.id);
      code = std::max(code, journal ? exit_code_of(*journal.value()) : fail(journal.error()));
    }
  } else if (event.what == host::Watch::What::dropped || event.what == host::Watch::What::stopped) {
    one.over = true;
    code = std::max(code, fail(told(ErrorCode::unavailable, event.name.empty() ? "the host has stopped" : event.name,
                                    "run " + one.id)));
  } else if (event.what == host::Watch::What::nothing) {
    const Result<host::Summary> summary = host.summary(one.id);
    if (summary && !summary.value().problem.empty() && !summary.value().stored_again) {
      one.over = true;
      code = std::max(code, fail(told(ErrorCode::unavailable, summary.value().problem, "run " + one.id)));
      return;
    }
    const auto answered = [&](const std::string& key) {
      const Result<bool> taken = host.answer(one.id, key, run::Data::written(R"({"decision":"go on"})"));
      return taken && taken.value();
    };
    if (const auto found = std::find_if(one.questions.begin(), one.questions.end(), answered);
        found != one.questions.end()) {
      one.questions.erase(found);
      return;
    }
    const Result<std::shared_ptr<const run::Journal>> journal = host.snapshot(one.id);
    const std::string people = journal ? waits_for_people(*journal.value()) : std::string();
    const bool may_ask_soon = !one.questions.empty() && ++one.looks < looks_max;
    if (!people.empty() && !may_ask_soon) {
      one.over = true;
      code = std::max(code, fail(told(ErrorCode::unavailable, "it waits for a person: " + people, "run " + one.id)));
    }
  }
}

// What somebody has chosen in words, as the journal will have it.
std::string chosen_by(const host::AskedOf& asked_of) {
  std::string out;
  for (const host::Asked& one : asked_of) {
    const std::string words = one.flag + " " + (one.model.empty() ? one.provider : one.provider + "/" + one.model);
    if (one.said && out.find(words) == std::string::npos) {
      out += (out.empty() ? "plumb runs resume " : " ") + words;
    }
  }
  return out;
}

// The text of what a run has come to. `envelope`: of a boundary with its warnings beside the items.
Result<std::string> result_of(const run::Journal& journal, const contract::TextStyle& style, bool envelope) {
  const run::Entry& end = journal.entries().back();
  const pipelines::Known* known = pipelines::known_pipeline(journal.begin().name);
  if (known == nullptr || known->view == nullptr || end.kind != run::EntryKind::end) {
    return std::string();
  }
  const run::Data view = run::Data::written(known->view(journal));
  for (const std::string& line : outcome::beside_lines(journal.begin().name, view.value())) {
    complain(line);
  }
  if (envelope && journal.begin().name == "boundary") {
    return outcome::boundary_envelope(view.value());
  }
  return outcome::deliverable(*known, journal, style);
}

// The exit code.
int put_export(const Arguments& arguments, const run::Journal& journal, const std::string& delivered) {
  const exports::Format& format = *exports::format_named(arguments.text("--as"));
  const Result<std::string> text =
      outcome::exported(*pipelines::known_pipeline(journal.begin().name), journal, delivered, format);
  if (!text) {
    return fail(text.error());
  }
  if (const std::string mark = outcome::export_mark(journal); !mark.empty()) {
    complain("exported with this mark: " + mark);
  }
  return put_out(arguments, text.value());
}

int write_result(const Arguments& arguments, host::Host& host, const std::string& id) {
  const Result<std::shared_ptr<const run::Journal>> journal = host.snapshot(id);
  if (!journal) {
    return fail(journal.error());
  }
  const int code = exit_code_of(*journal.value());
  const Result<std::string> text =
      result_of(*journal.value(), style_for(arguments, STDOUT_FILENO), arguments.has("--envelope"));
  if (!text) {
    return fail_by_a_bug(text.error());
  }
  if (text.value().empty() && outcome::has_rejected_artifact(*journal.value())) {
    note("'plumb runs result --rejected " + id + "' gives the best of what was rejected");
  }
  return text.value().empty() ? code : std::max(code, put_out(arguments, text.value()));
}

// The runs that go on; what is wrong with others is told, and is in `code`. `named`: somebody names them.
std::vector<Followed> taken_up(host::Host& host, const std::vector<std::string>& ids, const std::string& chosen,
                               bool named, int& code) {
  std::vector<Followed> runs;
  for (const std::string& id : ids) {
    const Result<host::Summary> taken = host.resume(id, chosen.empty() ? host::GoOn::same : host::GoOn::chosen, chosen);
    if (!taken) {
      Error error = taken.error();
      error.where = error.where.empty() ? "run " + id : error.where;
      code = std::max(code, fail(error));
      continue;
    }
    // Who names a run has looked at it, and lets it go on where it has paused.
    std::vector<std::string> questions;
    const Result<std::shared_ptr<const run::Journal>> journal = host.snapshot(id);
    if (journal && named) {
      for (const pipelines::Question& question : pipelines::open_questions(*journal.value())) {
        questions.push_back(question.key);
      }
    }
    const std::uint64_t from = taken.value().row.entries;
    Result<std::unique_ptr<host::Watch>> watch = host.watch(id, from);
    if (!watch) {
      code = std::max(code, fail(watch.error()));
      continue;
    }
    runs.push_back({id, pipelines::known_pipeline(taken.value().row.pipeline), std::move(watch).value(), from, false, 0,
                    std::move(questions)});
  }
  return runs;
}

}  // namespace

int resume_runs(const Arguments& arguments) {
  if (const Result<bool> can = can_be_written(arguments.text("--output")); !can) {
    return fail(can.error());
  }
  const Result<std::unique_ptr<store::Store>> store = open_store(arguments, false);
  if (!store) {
    return fail(with_hint(store.error()));
  }
  const Result<ReadyProviders> models = ready_providers(arguments);
  if (!models) {
    return fail(models.error());
  }
  const Result<ReadySearch> searches = ready_search(arguments);
  if (!searches) {
    return fail(searches.error());
  }
  const Result<std::map<std::string, std::string>> roots = declared_roots(arguments);
  if (!roots) {
    return fail(roots.error());
  }
  Result<ReadyWork> work = ready_work(arguments);
  if (!work) {
    return fail(work.error());
  }
  if (arguments.has("--adopt") && arguments.positionals().empty()) {
    return fail(Error{ErrorCode::invalid_argument, "names the runs that it lets do work", "--adopt", 0, 0});
  }
  for (const std::string& id : arguments.has("--adopt") ? arguments.positionals() : std::vector<std::string>()) {
    if (const Result<bool> adopted = store.value()->adopt(id); !adopted) {
      return fail(adopted.error());
    }
  }
  sweep(work.value(), *store.value());
  const auto stop = asked_to_stop();
  host::FileReads files(roots.value(), {});
  host::Routes routes;
  routes.add(run::EffectKind::model, *models.value().fulfiller);
  routes.add(run::EffectKind::read, files);
  add_work(routes, work.value());
  if (searches.value().fulfiller) {
    routes.add(run::EffectKind::search, *searches.value().fulfiller);
    searches.value().fulfiller->prepare();
  }
  host::HostSettings settings;
  settings.pipelines = pipelines::known_pipelines();
  settings.take_up = false;
  settings.keep_ms = 0;
  settings.asked_of = models.value().asked_of;
  for (const host::AskedOf& more : {searches.value().asked_of, asked_of_roots(roots.value()), work.value().asked_of}) {
    settings.asked_of.insert(settings.asked_of.end(), more.begin(), more.end());
  }
  const std::string chosen = chosen_by(settings.asked_of);
  const Result<std::unique_ptr<host::Host>> opened = host::Host::open(*store.value(), routes, settings);
  if (!opened) {
    return fail(opened.error());
  }
  host::Host& host = *opened.value();
  std::vector<std::string> ids = arguments.positionals();
  if (ids.empty()) {
    const Result<std::vector<store::RunRow>> waiting = store.value()->waiting();
    if (!waiting) {
      return fail(waiting.error());
    }
    for (const store::RunRow& row : waiting.value()) {
      ids.push_back(row.id);
    }
    if (ids.empty()) {
      note("no run waits");
    }
  }
  int code = exit_clean;
  std::vector<Followed> runs = taken_up(host, ids, chosen, !arguments.positionals().empty(), code);
  const LineOutput tell{runs.size() > 1, style_for(arguments, runs.size() > 1 ? STDOUT_FILENO : STDERR_FILENO)};
  std::size_t going_on = runs.size();
  while (going_on > 0 && !*stop) {
    going_on = 0;
    for (Followed& one : runs) {
      if (!one.over) {
        follow(host, one, tell, code);
      }
      going_on += one.over ? 0 : 1;
    }
  }
  if (going_on > 0) {
    note("ending; the runs stay in the store (to continue them: plumb runs resume)");
    code = exit_undecided;
  }
  if (runs.size() == 1 && going_on == 0) {
    code = std::max(code, write_result(arguments, host, runs.front().id));
  }
  host.stop(going_on > 0 ? stop_grace_ms : 0);
  return code;
}

int show_result(const Arguments& arguments) {
  const std::string& name = arguments.positionals().front();
  const Result<run::JournalFile> file = journal_named(arguments, name);
  if (!file) {
    return fail(file.error());
  }
  const Result<run::Journal> journal = file.value().journal();
  if (!journal) {
    return fail(journal.error());
  }
  const run::Entry& end = journal.value().entries().back();
  if (arguments.has("--rejected")) {
    const Result<std::string> rejected = outcome::rejected_artifact(journal.value());
    if (!rejected) {
      return fail_by_a_bug(rejected.error());
    }
    if (rejected.value().empty()) {
      return fail(told(ErrorCode::not_found, "has rejected no artifact: only a run of 'artifact' that failed has one",
                       "run " + name));
    }
    return std::max(put_out(arguments, rejected.value()), exit_findings);
  }
  if (end.kind != run::EntryKind::end) {
    return fail(told(ErrorCode::unavailable, "has not ended yet; 'plumb runs resume " + name + "' continues it",
                     "run " + name));
  }
  const int code = exit_code_of(journal.value());
  const Result<std::string> text =
      result_of(journal.value(), style_for(arguments, STDOUT_FILENO), arguments.has("--envelope"));
  if (!text) {
    return fail_by_a_bug(text.error());
  }
  if (end.status != run::Status::ok) {
    note("the run has ended as " + std::string(end.status == run::Status::cancelled ? "cancelled" : "failed") +
         (end.error.empty() ? "" : ": " + end.error));
    if (outcome::has_rejected_artifact(journal.value())) {
      note("--rejected gives the best of what was rejected, with what is wrong with it");
    }
  }
  if (text.value().empty() && end.status == run::Status::ok && code == exit_clean) {
    return fail(told(ErrorCode::not_found, "has no result that this program knows to write", "run " + name));
  }
  if (text.value().empty()) {
    return code;
  }
  return std::max(code, arguments.has("--as") ? put_export(arguments, journal.value(), text.value())
                                              : put_out(arguments, text.value()));
}

int delete_runs(const Arguments& arguments) {
  const std::vector<std::string>& ids = arguments.positionals();
  if (ids.empty() != arguments.has("--ended-before")) {
    return fail(told(ErrorCode::invalid_argument, "say which: ids of runs, or --ended-before WHILE"));
  }
  const Result<std::uint64_t> ms =
      ids.empty() ? read_duration(arguments.text("--ended-before")) : Result<std::uint64_t>(std::uint64_t{0});
  if (!ms) {
    return fail(told(ErrorCode::invalid_argument, ms.error().message, "--ended-before"));
  }
  const Result<std::unique_ptr<store::Store>> store = open_store(arguments, false);
  if (!store) {
    return fail(with_hint(store.error()));
  }
  if (ids.empty()) {
    const auto now = static_cast<std::uint64_t>(std::time(nullptr)) * 1000;
    const Result<store::Removed> removed = store.value()->remove_ended(now > ms.value() ? now - ms.value() : 0);
    return removed ? print(std::to_string(removed.value().runs) + " deleted\n") : fail(removed.error());
  }
  int code = exit_clean;
  for (const std::string& id : ids) {
    const Result<bool> removed = store.value()->remove(id);
    code = std::max(code, removed ? print(id + " deleted\n") : fail(removed.error()));
  }
  return code;
}

}  // namespace plumb::cli
