// `plumb runs`: what is in the store, and what can be done with it.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <csignal>
#include <ctime>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "core/json/writer.hpp"
#include "core/pipelines/call_monitor.hpp"
#include "core/run/journal_file.hpp"
#include "core/run/replay.hpp"
#include "core/run/stamp.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/file_bytes.hpp"
#include "native/cli/provider_setup.hpp"
#include "native/cli/run_text.hpp"
#include "native/cli/store_file.hpp"
#include "native/cli/stored_journal.hpp"
#include "native/cli/terminal.hpp"
#include "native/host/host.hpp"
#include "native/host/routes.hpp"
#include "native/store/sqlite_store.hpp"

namespace plumb::cli {

namespace {

constexpr std::uint64_t file_bytes_max = std::uint64_t{1} << 30U;
constexpr std::uint64_t stop_grace_ms = 10'000;
constexpr std::uint64_t cancel_ms = 60'000;
constexpr std::size_t lately_runs_max = 20;
constexpr std::size_t looks_max = 500;  // of 20 ms

Error told(ErrorCode code, std::string message, std::string where = {}) {
  return Error{code, std::move(message), std::move(where), 0, 0};
}

int out(std::string_view text) {
  if (write_all(STDOUT_FILENO, text))
    return exit_clean;
  return fail(told(ErrorCode::unavailable, "cannot be written", "standard output"));
}

// A name that can be no id of a run is a file.
bool is_file_name(std::string_view name) { return name == "-" || name.find_first_of("./") != std::string_view::npos; }

// The journal of a run in the store, or in a file.
Result<run::JournalFile> journal_named(const Arguments& arguments, const std::string& name) {
  if (is_file_name(name)) {
    const Result<std::string> text = read_file(name, file_bytes_max);
    if (!text)
      return text.error();
    Result<run::JournalFile> file = run::JournalFile::read(text.value());
    if (!file) {
      Error error = file.error();
      error.where = name;
      return error;
    }
    return file;
  }
  const Result<std::unique_ptr<store::Store>> store = open_store(arguments, true);
  if (!store)
    return store.error();
  return stored_file(*store.value(), name);
}

// ---------------------------------------------------------------- list, show

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width)
    text.append(width - text.size(), ' ');
  return text;
}

// One line, as wide as the terminal where there is one.
std::string one_line(const std::string& error, std::size_t before) {
  std::string line = error.substr(0, error.find('\n'));
  const std::size_t columns = terminal_columns(STDOUT_FILENO);
  const std::size_t most = columns > before + 20 ? columns - before : 20;
  if (!is_terminal(STDOUT_FILENO) || line.size() <= most)
    return line;
  std::size_t end = most - 3;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U)
    --end;
  return line.substr(0, end) + "...";
}

std::string list_text(const store::Page& page, const contract::TextStyle& style) {
  if (page.runs.empty())
    return "no runs\n";
  std::size_t width = 8;
  for (const store::RunRow& row : page.runs)
    width = std::max(width, row.pipeline.size());
  std::string text = bold(padded("run", 23) + padded("pipeline", width + 2) + padded("state", 11) +
                              padded("begun", 22) + padded("entries", 9) + "error",
                          style) +
                     "\n";
  for (const store::RunRow& row : page.runs) {
    const std::string state = padded(std::string(run::state_name(row.state)), 11);
    text += padded(row.id, 23) + padded(row.pipeline, width + 2) +
            (row.state == run::State::done     ? green(state, style)
             : row.state == run::State::failed ? red(state, style)
                                               : yellow(state, style)) +
            padded(run::iso_time(row.created_ms), 22) + padded(std::to_string(row.entries), 9) +
            one_line(row.error, 23 + width + 2 + 11 + 22 + 9);
    while (text.back() == ' ')
      text.pop_back();
    text += "\n";
  }
  if (page.next != 0)
    text += "more: plumb runs list --before " + std::to_string(page.next) + "\n";
  return text;
}

std::string list_json(const store::Page& page) {
  std::string text;
  json::Writer json(text);
  json.begin_object().key("runs").begin_array();
  for (const store::RunRow& row : page.runs) {
    json.begin_object().member("id", row.id).member("pipeline", row.pipeline).member_uint("version", row.version);
    json.member("state", run::state_name(row.state));
    if (!row.owner.empty())
      json.member("owner", row.owner);
    if (!row.error.empty())
      json.member("error", row.error);
    json.member("created_at", run::iso_time(row.created_ms)).member("updated_at", run::iso_time(row.changed_ms));
    json.member_uint("entries", row.entries).member_uint("bytes", row.bytes).end_object();
  }
  json.end_array();
  if (page.next != 0)
    json.member_uint("next", page.next);
  json.end_object();
  return text + "\n";
}

int list(const Arguments& arguments) {
  store::ListQuery query;
  query.pipeline = arguments.text("--pipeline");
  query.owner = arguments.text("--owner");
  const std::string state = arguments.text("--state");
  for (const run::State one : {run::State::waiting, run::State::done, run::State::failed, run::State::cancelled}) {
    if (run::state_name(one) == state)
      query.state = one;
  }
  const Result<std::uint64_t> limit = arguments.number("--limit", 20, 1, 1000);
  const Result<std::uint64_t> before = arguments.number("--before", 0, 1, std::uint64_t{1} << 60U);
  if (!limit)
    return fail(limit.error());
  if (!before)
    return fail(before.error());
  query.limit = static_cast<std::size_t>(limit.value());
  query.before = before.value();
  const Result<std::unique_ptr<store::Store>> store = open_store(arguments, true);
  if (!store && store.error().code != ErrorCode::not_found)
    return fail(store.error());
  store::Page page;  // where there is no store yet there are no runs
  if (store) {
    Result<store::Page> read = store.value()->list(query);
    if (!read)
      return fail(read.error());
    page = std::move(read).value();
  } else if (arguments.has("--store")) {
    return fail(store.error());
  }
  return out(arguments.has("--json") ? list_json(page) : list_text(page, style_for(arguments, STDOUT_FILENO)));
}

// The boundaries of the last runs of this pipeline; none for a journal in a file, which has no others beside it.
void add_lately(const Arguments& arguments, const std::string& name, const std::string& pipeline, RunShown& shown) {
  if (is_file_name(name))
    return;
  const Result<std::unique_ptr<store::Store>> store = open_store(arguments, true);
  store::ListQuery query;
  query.pipeline = pipeline;
  query.limit = lately_runs_max;
  const Result<store::Page> page = store ? store.value()->list(query) : Result<store::Page>(store.error());
  if (!page)
    return;
  for (const store::RunRow& row : page.value().runs) {
    const Result<run::JournalFile> file = stored_file(*store.value(), row.id);
    const Result<run::Journal> journal = file ? file.value().journal() : Result<run::Journal>(file.error());
    if (!journal)
      continue;
    ++shown.lately_runs;
    add_accounts(shown.lately, boundaries_of(journal.value()));
  }
}

int show(const Arguments& arguments) {
  const Result<std::uint64_t> share = arguments.number("--share", share_usual, 1, 100);
  if (!share)
    return fail(share.error());
  const Result<run::JournalFile> file = journal_named(arguments, arguments.positionals().front());
  if (!file)
    return fail(file.error());
  const Result<run::Journal> journal = file.value().journal();
  if (!journal)
    return fail(journal.error());
  const pipelines::Known* known = pipelines::known_pipeline(journal.value().begin().name);
  RunShown shown;
  shown.entries = arguments.has("--entries");
  shown.share_max = share.value();
  if (!boundaries_of(journal.value()).empty())
    add_lately(arguments, arguments.positionals().front(), journal.value().begin().name, shown);
  return out(arguments.has("--json") ? run_json(journal.value(), known, shown)
                                     : run_text(journal.value(), known, shown, style_for(arguments, STDOUT_FILENO)));
}

// ---------------------------------------------------------------- replay

struct Played {
  run::Replayed bytes;
  bool same = true;          // as far as was asked for
  std::uint64_t drifts = 0;  // requests that are other than stored, where the result is the same for all that
  std::string problem;       // why the pipeline cannot go this way any more
};

// Where bytes differ: does the pipeline still come to the same end, with the stored replies to what it asks now?
void play_on(const run::Pipeline& pipeline, const run::Journal& journal, Played& played) {
  const std::vector<run::Entry>& entries = journal.entries();
  const bool ended = entries.back().kind == run::EntryKind::end;
  // Parts that have finished are entered again: what they ask now is what is wanted.
  run::Journal open;
  for (const run::Entry& entry : entries) {
    if (entry.kind != run::EntryKind::scope && entry.kind != run::EntryKind::end)
      open.append(entry);
  }
  const std::size_t before = open.entries().size();
  Result<run::Machine> machine = run::Machine::resume(pipeline, std::move(open), {}, entries.back().at_ms);
  if (!machine) {
    played.problem = machine.error().message;
    return;
  }
  const run::State state = machine.value().step(entries.back().at_ms);
  const std::vector<run::Entry>& now = machine.value().journal().entries();
  for (std::size_t n = before; n < now.size(); ++n)
    played.drifts += now[n].kind == run::EntryKind::drift ? 1 : 0;
  if (state == run::State::failed && machine.value().error().message.rfind("journal_mismatch", 0) == 0) {
    played.problem = machine.value().error().message + " (" + machine.value().error().where + ")";
  } else if (ended) {
    const run::Entry& was = entries.back();
    const run::Entry& is = now.back();
    if (is.kind != run::EntryKind::end || is.status != was.status || is.data.text() != was.data.text() ||
        is.error != was.error)
      played.problem = "it comes to another end";
  }
}

Result<Played> play(const Arguments& arguments, const std::string& name) {
  const Result<run::JournalFile> file = journal_named(arguments, name);
  if (!file)
    return file.error();
  const Result<run::Journal> journal = file.value().journal();
  if (!journal)
    return journal.error();
  const std::string& pipeline = journal.value().begin().name;
  const pipelines::Known* known = pipelines::known_pipeline(pipeline);
  if (known == nullptr)
    return told(ErrorCode::not_found, "this program has no pipeline '" + pipeline + "'");
  Result<run::Replayed> bytes = run::replay(known->pipeline, file.value());
  if (!bytes)
    return bytes.error();
  Played played;
  played.bytes = std::move(bytes).value();
  played.same = played.bytes.same;
  if (!played.same && !arguments.has("--strict")) {
    play_on(known->pipeline, journal.value(), played);
    played.same = played.problem.empty() && played.drifts > 0;
  }
  return played;
}

// The first byte that is another one, with what stands around it.
std::string difference(const std::string& stored, const std::string& now) {
  if (now.empty())
    return "  stored: " + stored.substr(0, 160) + "\n  now:    nothing\n";
  const auto at = static_cast<std::size_t>(std::mismatch(stored.begin(), stored.end(), now.begin(), now.end()).first -
                                           stored.begin());
  const std::size_t from = at > 60 ? at - 60 : 0;
  auto around = [&](const std::string& text) {
    return (from > 0 ? "..." : "") + text.substr(std::min(from, text.size()), 160) +
           (from + 160 < text.size() ? "..." : "");
  };
  return "  byte " + std::to_string(at) + "\n  stored: " + around(stored) + "\n  now:    " + around(now) + "\n";
}

int replay(const Arguments& arguments) {
  const contract::TextStyle style = style_for(arguments, STDOUT_FILENO);
  int code = exit_clean;
  std::string text;
  std::string json;
  for (const std::string& name : arguments.positionals()) {
    const Result<Played> result = play(arguments, name);
    if (!result) {
      Error error = result.error();
      error.where = error.where.empty() ? name : error.where;
      code = std::max(code, fail(error));
      continue;
    }
    const Played& played = result.value();
    if (!played.same)
      code = std::max(code, exit_findings);
    json::Writer writer(json);
    writer.begin_object().member("run", name).member_boolean("same", played.same);
    writer.member_boolean("bytes", played.bytes.same).member_uint("entries", played.bytes.entries);
    writer.member_uint("drifts", played.drifts);
    const std::string entries = std::to_string(played.bytes.entries);
    const std::string good = style.ascii ? "ok " : "✓ ";
    const std::string bad = style.ascii ? "x " : "✗ ";
    if (played.bytes.same) {
      text += green(good, style) + name + ": " + entries + " entries, every byte is the same\n";
    } else {
      writer.member("stored", played.bytes.stored).member("now", played.bytes.now);
      if (!played.problem.empty())
        writer.member("problem", played.problem);
      text += (played.same ? yellow(good, style) : red(bad, style)) + name + ": entry " + entries + " is another one" +
              (played.same ? "; the requests have changed (" + std::to_string(played.drifts) +
                                 "), with the stored replies it comes to the same end"
               : played.problem.empty() ? ""
                                        : ": " + played.problem) +
              "\n" + difference(played.bytes.stored, played.bytes.now);
    }
    writer.end_object();
    json += "\n";
  }
  const int written = out(arguments.has("--json") ? json : text);
  return std::max(code, written);
}

// ---------------------------------------------------------------- export, import

int export_run(const Arguments& arguments) {
  const Result<std::unique_ptr<store::Store>> store = open_store(arguments, true);
  if (!store)
    return fail(store.error());
  const Result<run::JournalFile> file = stored_file(*store.value(), arguments.positionals().front());
  if (!file)
    return fail(file.error());
  std::string text;
  for (const run::Stored& entry : file.value().entries)
    run::append_to_file(text, entry);
  if (!arguments.has("--output"))
    return out(text);
  // Its owner's only: a journal holds all that the run was given.
  const mode_t mask = ::umask(077);
  const Result<bool> written = write_file(arguments.text("--output"), text);
  ::umask(mask);
  return written ? exit_clean : fail(written.error());
}

store::Outcome import_file(store::Store& store, const run::JournalFile& file, const run::Journal& journal) {
  const RunAccount account = account_of(journal);
  store::RunRow row;
  row.id = account.id;
  row.pipeline = account.pipeline;
  if (const json::Value* version = journal.begin().data.value().find("version")) {
    const std::string_view digits = version->str();
    (void)std::from_chars(digits.data(), digits.data() + digits.size(), row.version);
  }
  row.created_ms = account.begun_ms;
  // An old run is kept as long as one that has ended now: who imports it wants it here.
  row.changed_ms = std::max(account.last_ms, static_cast<std::uint64_t>(std::time(nullptr)) * 1000);
  row.error = account.error;
  for (const run::State one : {run::State::waiting, run::State::done, run::State::failed, run::State::cancelled}) {
    if (run::state_name(one) == account.state)
      row.state = one;
  }
  if (row.id.empty())
    return told(ErrorCode::invalid_argument, "the first entry does not say which run this is");
  std::promise<store::Outcome> done;
  store.create(std::move(row), std::make_shared<const std::vector<run::Stored>>(file.entries),
               [&](const store::Outcome& outcome) { done.set_value(outcome); });
  return done.get_future().get();
}

int import_runs(const Arguments& arguments) {
  const Result<std::unique_ptr<store::Store>> store = open_store(arguments, false);
  if (!store)
    return fail(store.error());
  int code = exit_clean;
  for (const std::string& name : arguments.positionals()) {
    auto refused = [&](Error error) {
      error.where = error.where.empty() ? name : name + ": " + error.where;
      code = std::max(code, fail(error));
    };
    const Result<std::string> text = read_file(name, file_bytes_max);
    if (!text) {
      code = std::max(code, fail(text.error()));
      continue;
    }
    const Result<run::JournalFile> file = run::JournalFile::read(text.value());
    if (!file) {
      refused(file.error());
      continue;
    }
    const Result<run::Journal> journal = file.value().journal();
    if (!journal) {
      refused(journal.error());
      continue;
    }
    if (const store::Outcome outcome = import_file(*store.value(), file.value(), journal.value())) {
      refused(*outcome);
      continue;
    }
    const RunAccount account = account_of(journal.value());
    code = std::max(code, out(account.id + " " + account.state + "\n"));
  }
  return code;
}

// ---------------------------------------------------------------- resume, cancel

Error with_hint(Error error) {
  if (error.message.rfind("is in use by", 0) == 0)
    error.message += "; a server goes on with its runs by itself, and cancels one with DELETE /ai/artifact/ID";
  return error;
}

int cancel(const Arguments& arguments) {
  const Result<std::unique_ptr<store::Store>> store = open_store(arguments, false);
  if (!store)
    return fail(with_hint(store.error()));
  host::Routes nobody;  // a cancelled run asks for nothing more
  host::HostSettings settings;
  settings.pipelines = pipelines::known_pipelines();
  settings.take_up = false;
  settings.keep_ms = 0;
  const Result<std::unique_ptr<host::Host>> host = host::Host::open(*store.value(), nobody, settings);
  if (!host)
    return fail(host.error());
  int code = exit_clean;
  for (const std::string& id : arguments.positionals()) {
    const Result<bool> cancelled = host.value()->cancel(id, arguments.text("--why", "cancelled from the command line"));
    if (!cancelled) {
      code = std::max(code, fail(cancelled.error()));
      continue;
    }
    const Result<host::Summary> summary = host.value()->wait(id, cancel_ms);
    if (!summary) {
      code = std::max(code, fail(summary.error()));
      continue;
    }
    if (!cancelled.value())
      note(id + " had ended already");
    code = std::max(code, out(id + " " + std::string(run::state_name(summary.value().row.state)) + "\n"));
  }
  return code;
}

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
    if (entry.kind != run::EntryKind::attempt || entry.count > 1)
      continue;
    const bool open = std::none_of(journal.entries().begin(), journal.entries().end(), [&](const run::Entry& one) {
      return one.kind == run::EntryKind::reply && one.key == entry.key;
    });
    if (open && entry.name != "person")
      return {};
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
  std::vector<std::string> questions = {};  // that are answered with "go on", as soon as the run stands at them
};

// Writes the log lines of new entries. False when nothing came of this run any more.
void follow(host::Host& host, Followed& one, bool many, const contract::TextStyle& style, int& code) {
  const host::Watch::Event event = one.watch->next(20);
  if (event.what == host::Watch::What::entry && one.known != nullptr && one.known->log != nullptr) {
    const Result<std::shared_ptr<const run::Journal>> journal = host.snapshot(one.id);
    if (!journal || one.logged > event.entry.number)
      return;
    for (const pipelines::LogLine& line : one.known->log(*journal.value(), one.logged)) {
      code = std::max(code, out((many ? one.id + " " : "") + dim(run::clock_time(line.at_ms), style) + " " +
                                (style.ascii ? pipelines::ascii_line(line.text) : line.text) + "\n"));
    }
    one.logged = journal.value()->entries().size();
  } else if (event.what == host::Watch::What::ended) {
    one.over = true;
    const Result<host::Summary> summary = host.summary(one.id);
    if (summary) {
      const store::RunRow& row = summary.value().row;
      code = std::max(code, out(one.id + " " + std::string(run::state_name(row.state)) +
                                (row.error.empty() ? "" : ": " + row.error) + "\n"));
      if (row.state == run::State::failed)
        code = std::max(code, exit_findings);
    }
  } else if (event.what == host::Watch::What::dropped || event.what == host::Watch::What::stopped) {
    one.over = true;
    code = std::max(code, fail(told(ErrorCode::unavailable, event.name.empty() ? "the host has stopped" : event.name,
                                    "run " + one.id)));
  } else if (event.what == host::Watch::What::nothing) {
    const Result<host::Summary> summary = host.summary(one.id);
    if (summary && !summary.value().problem.empty() &&
        summary.value().problem.find("tried again") == std::string::npos) {
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
    const bool stands_soon = !one.questions.empty() && ++one.looks < looks_max;
    if (!people.empty() && !stands_soon) {
      one.over = true;
      code = std::max(code, fail(told(ErrorCode::unavailable, "it waits for a person: " + people, "run " + one.id)));
    }
  }
}

int resume(const Arguments& arguments) {
  const Result<std::unique_ptr<store::Store>> store = open_store(arguments, false);
  if (!store)
    return fail(with_hint(store.error()));
  const Result<ReadyProviders> models = ready_providers(arguments);
  if (!models)
    return fail(models.error());
  const auto stop = asked_to_stop();
  host::Routes routes;
  routes.add(run::EffectKind::model, *models.value().fulfiller);
  host::HostSettings settings;
  settings.pipelines = pipelines::known_pipelines();
  settings.take_up = false;
  settings.keep_ms = 0;
  const Result<std::unique_ptr<host::Host>> opened = host::Host::open(*store.value(), routes, settings);
  if (!opened)
    return fail(opened.error());
  host::Host& host = *opened.value();
  std::vector<std::string> ids = arguments.positionals();
  if (ids.empty()) {
    const Result<std::vector<store::RunRow>> waiting = store.value()->waiting();
    if (!waiting)
      return fail(waiting.error());
    for (const store::RunRow& row : waiting.value())
      ids.push_back(row.id);
    if (ids.empty())
      note("no run waits");
  }
  int code = exit_clean;
  std::vector<Followed> runs;
  for (const std::string& id : ids) {
    const Result<host::Summary> taken = host.resume(id);
    if (!taken) {
      Error error = taken.error();
      error.where = error.where.empty() ? "run " + id : error.where;
      code = std::max(code, fail(error));
      continue;
    }
    // Who names a run has looked at it, and lets it go on where it has paused.
    std::vector<std::string> questions;
    const Result<std::shared_ptr<const run::Journal>> journal = host.snapshot(id);
    if (journal && !arguments.positionals().empty()) {
      for (const pipelines::Question& question : pipelines::open_questions(*journal.value()))
        questions.push_back(question.key);
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
  const contract::TextStyle style = style_for(arguments, STDOUT_FILENO);
  std::size_t going_on = runs.size();
  while (going_on > 0 && !*stop) {
    going_on = 0;
    for (Followed& one : runs) {
      if (!one.over)
        follow(host, one, runs.size() > 1, style, code);
      going_on += one.over ? 0 : 1;
    }
  }
  if (going_on > 0) {
    note("ending; the runs stay in the store (plumb runs resume goes on with them)");
    code = exit_undecided;
  }
  host.stop(going_on > 0 ? stop_grace_ms : 0);
  return code;
}

}  // namespace

int run_runs(const Arguments& arguments) {
  const std::string_view path = arguments.command()->path;
  if (path == "runs list")
    return list(arguments);
  if (path == "runs show")
    return show(arguments);
  if (path == "runs replay")
    return replay(arguments);
  if (path == "runs resume")
    return resume(arguments);
  if (path == "runs cancel")
    return cancel(arguments);
  if (path == "runs export")
    return export_run(arguments);
  PLUMB_REQUIRE(path == "runs import", "every command of runs is run");
  return import_runs(arguments);
}

}  // namespace plumb::cli
