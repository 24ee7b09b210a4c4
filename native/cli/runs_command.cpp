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
#include "core/pipelines/outcomes.hpp"
#include "core/reason.hpp"
#include "core/run/fork.hpp"
#include "core/run/journal_file.hpp"
#include "core/run/replay.hpp"
#include "core/run/stamp.hpp"
#include "native/base/file_bytes.hpp"
#include "native/cli/bugs.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/provider_setup.hpp"
#include "native/cli/run_text.hpp"
#include "native/cli/runs_parts.hpp"
#include "native/cli/store_file.hpp"
#include "native/cli/stored_journal.hpp"
#include "native/cli/terminal.hpp"
#include "native/host/host.hpp"
#include "native/host/routes.hpp"
#include "native/outcome/outcome_table.hpp"
#include "native/store/run_result.hpp"
#include "native/store/sqlite_store.hpp"

namespace plumb::cli {

namespace {

constexpr std::uint64_t cancel_ms = 60'000;
constexpr std::size_t lately_runs_max = 20;

// ---------------------------------------------------------------- list, show

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) {
    text.append(width - text.size(), ' ');
  }
  return text;
}

// One line, as wide as the terminal where there is one.
std::string one_line(const std::string& error, std::size_t before) {
  std::string line = error.substr(0, error.find('\n'));
  const std::size_t columns = terminal_columns(STDOUT_FILENO);
  const std::size_t most = columns > before + 20 ? columns - before : 20;
  if (!is_terminal(STDOUT_FILENO) || line.size() <= most) {
    return line;
  }
  std::size_t end = most - 3;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return line.substr(0, end) + "...";
}

// What a run of a page has decided and come to.
struct Listed {
  store::RunResult result;
  std::optional<run::Outcome> outcome;  // of one that has ended
};
using Results = std::vector<Listed>;  // of the runs of a page, in their order

std::string list_text(const store::Page& page, const Results& results, const contract::TextStyle& style) {
  if (page.runs.empty()) {
    return "no runs\n";
  }
  std::size_t width = 8;
  for (const store::RunRow& row : page.runs) {
    width = std::max(width, row.pipeline.size());
  }
  std::string text = bold(padded("run", 23) + padded("pipeline", width + 2) + padded("state", 11) +
                              padded("begun", 22) + padded("entries", 9) + "result",
                          style) +
                     "\n";
  for (std::size_t i = 0; i < page.runs.size(); ++i) {
    const store::RunRow& row = page.runs[i];
    std::string told = results[i].outcome ? outcome::outcome_words(*results[i].outcome) : std::string();
    told += row.error.empty() ? "" : (told.empty() ? "" : ": ") + row.error;
    if (!row.forked_from.empty()) {
      told = "from " + row.forked_from + (told.empty() ? "" : "; " + told);
    }
    if (!row.project.empty()) {
      told = "of " + row.project + (told.empty() ? "" : "; " + told);
    }
    const std::string state = padded(std::string(run::state_name(row.state)), 11);
    text += padded(row.id, 23) + padded(row.pipeline, width + 2) +
            (row.state == run::State::done     ? green(state, style)
             : row.state == run::State::failed ? red(state, style)
                                               : yellow(state, style)) +
            padded(run::iso_time(row.created_ms), 22) + padded(std::to_string(row.entries), 9) +
            one_line(told, 23 + width + 2 + 11 + 22 + 9);
    while (text.back() == ' ') {
      text.pop_back();
    }
    text += "\n";
  }
  if (page.next != 0) {
    text += "more: plumb runs list --before " + std::to_string(page.next) + "\n";
  }
  return text;
}

std::string list_json(const store::Page& page, const Results& results) {
  std::string text;
  json::Writer json(text);
  json.begin_object().key("runs").begin_array();
  for (std::size_t i = 0; i < page.runs.size(); ++i) {
    const store::RunRow& row = page.runs[i];
    json.begin_object().member("id", row.id).member("pipeline", row.pipeline).member_uint("version", row.version);
    json.member("state", run::state_name(row.state));
    if (!row.owner.empty()) {
      json.member("owner", row.owner);
    }
    if (!row.project.empty()) {
      json.member("project", row.project);
    }
    if (!row.error.empty()) {
      json.member(row.state == run::State::waiting ? "problem" : "error", row.error);
    }
    json.member("created_at", run::iso_time(row.created_ms)).member("updated_at", run::iso_time(row.changed_ms));
    json.member_uint("entries", row.entries).member_uint("bytes", row.bytes);
    if (!row.forked_from.empty()) {
      json.member("forked_from", row.forked_from);
    }
    results[i].result.write(json);
    if (results[i].outcome) {
      outcome::write_outcome(json, *results[i].outcome);
    }
    json.end_object();
  }
  json.end_array();
  if (page.next != 0) {
    json.member_uint("next", page.next);
  }
  json.end_object();
  return text + "\n";
}

Listed listed(store::Store& store, const store::RunRow& row) {
  Listed out;
  if (row.state == run::State::waiting || row.entries == 0) {
    return out;
  }
  if (const Result<store::JournalPart> last = store.journal(row.id, row.entries - 1, 1, 1);
      last && !last.value().entries.empty()) {
    out.result = store::result_in(row, last.value());
    out.outcome = pipelines::outcome_in(row.pipeline, last.value().entries.back());
  }
  if (!out.outcome) {
    const Result<run::JournalFile> file = stored_file(store, row.id);
    const Result<run::Journal> journal = file ? file.value().journal() : Result<run::Journal>(file.error());
    if (journal && journal.value().entries().back().kind == run::EntryKind::end) {
      out.outcome = pipelines::outcome_of(journal.value());
    }
  }
  return out;
}

int list(const Arguments& arguments) {
  store::ListQuery query;
  query.pipeline = arguments.text("--pipeline");
  query.owner = arguments.text("--owner");
  query.project = arguments.text("--project");
  const std::string state = arguments.text("--state");
  for (const run::State one : {run::State::waiting, run::State::done, run::State::failed, run::State::cancelled}) {
    if (run::state_name(one) == state) {
      query.state = one;
    }
  }
  const Result<std::uint64_t> limit = arguments.number("--limit", 20, 1, 1000);
  const Result<std::uint64_t> before = arguments.number("--before", 0, 1, std::uint64_t{1} << 60U);
  if (!limit) {
    return fail(limit.error());
  }
  if (!before) {
    return fail(before.error());
  }
  query.limit = static_cast<std::size_t>(limit.value());
  query.before = before.value();
  const Result<std::unique_ptr<store::Store>> store = open_store(arguments, true);
  if (!store && store.error().code != ErrorCode::not_found) {
    return fail(store.error());
  }
  store::Page page;  // where there is no store yet there are no runs
  if (store) {
    Result<store::Page> read = store.value()->list(query);
    if (!read) {
      return fail(read.error());
    }
    page = std::move(read).value();
  } else if (arguments.has("--store")) {
    return fail(store.error());
  }
  Results results;
  for (const store::RunRow& row : page.runs) {
    results.push_back(listed(*store.value(), row));
  }
  return print(arguments.has("--json") ? list_json(page, results)
                                       : list_text(page, results, style_for(arguments, STDOUT_FILENO)));
}

// The boundaries of the last runs of this pipeline; none for a journal in a file, which has no others beside it.
void add_lately(const Arguments& arguments, const std::string& name, const std::string& pipeline, RunShown& shown) {
  if (is_file_name(name)) {
    return;
  }
  const Result<std::unique_ptr<store::Store>> store = open_store(arguments, true);
  store::ListQuery query;
  query.pipeline = pipeline;
  query.limit = lately_runs_max;
  const Result<store::Page> page = store ? store.value()->list(query) : Result<store::Page>(store.error());
  if (!page) {
    return;
  }
  for (const store::RunRow& row : page.value().runs) {
    const Result<run::JournalFile> file = stored_file(*store.value(), row.id);
    const Result<run::Journal> journal = file ? file.value().journal() : Result<run::Journal>(file.error());
    if (!journal) {
      continue;
    }
    ++shown.lately_runs;
    add_accounts(shown.lately, boundaries_of(journal.value()));
  }
}

// What the store knows of a run beside its journal; a journal in a file says nothing of it.
void add_from_store(const Arguments& arguments, const std::string& name, RunShown& shown) {
  if (is_file_name(name)) {
    return;
  }
  const Result<std::unique_ptr<store::Store>> store = open_store(arguments, true);
  const Result<store::RunRow> row = store ? store.value()->find(name) : Result<store::RunRow>(store.error());
  if (!row) {
    return;
  }
  shown.project = row.value().project;
  if (row.value().state == run::State::waiting) {
    shown.waits = row.value().error;
  }
}

int show(const Arguments& arguments) {
  const Result<std::uint64_t> share = arguments.number("--share", share_usual, 1, 100);
  if (!share) {
    return fail(share.error());
  }
  const Result<run::JournalFile> file = journal_named(arguments, arguments.positionals().front());
  if (!file) {
    return fail(file.error());
  }
  const Result<run::Journal> journal = file.value().journal();
  if (!journal) {
    return fail(journal.error());
  }
  const pipelines::Known* known = pipelines::known_pipeline(journal.value().begin().name);
  RunShown shown;
  shown.entries = arguments.has("--entries");
  shown.share_max = share.value();
  add_from_store(arguments, arguments.positionals().front(), shown);
  if (!boundaries_of(journal.value()).empty()) {
    add_lately(arguments, arguments.positionals().front(), journal.value().begin().name, shown);
  }
  if (!arguments.has("--json")) {
    return print(run_text(journal.value(), known, shown, style_for(arguments, STDOUT_FILENO)));
  }
  const Result<std::string> text = run_json(journal.value(), known, shown);
  return text ? print(text.value()) : fail_by_a_bug(text.error());
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
    if (entry.kind != run::EntryKind::scope && entry.kind != run::EntryKind::end) {
      open.append(entry);
    }
  }
  const std::size_t before = open.entries().size();
  Result<run::Machine> machine = run::Machine::resume(pipeline, std::move(open), {}, entries.back().at_ms);
  if (!machine) {
    played.problem = machine.error().message;
    return;
  }
  const run::State state = machine.value().step(entries.back().at_ms);
  const std::vector<run::Entry>& now = machine.value().journal().entries();
  for (std::size_t n = before; n < now.size(); ++n) {
    played.drifts += now[n].kind == run::EntryKind::drift ? 1 : 0;
  }
  if (state == run::State::failed && machine.value().error().reason == Reason::journal_mismatch) {
    played.problem = machine.value().error().message + " (" + machine.value().error().where + ")";
  } else if (ended) {
    const run::Entry& was = entries.back();
    const run::Entry& is = now.back();
    if (is.kind != run::EntryKind::end || is.status != was.status || is.data.text() != was.data.text() ||
        is.error != was.error) {
      played.problem = "it comes to another end";
    }
  }
}

Result<Played> play(const Arguments& arguments, const std::string& name) {
  const Result<run::JournalFile> file = journal_named(arguments, name);
  if (!file) {
    return file.error();
  }
  const Result<run::Journal> journal = file.value().journal();
  if (!journal) {
    return journal.error();
  }
  const std::string& pipeline = journal.value().begin().name;
  const pipelines::Known* known = pipelines::known_pipeline(pipeline);
  if (known == nullptr) {
    return told(ErrorCode::not_found, "this program has no pipeline '" + pipeline + "'");
  }
  Result<run::Replayed> bytes = run::replay(known->pipeline, file.value());
  if (!bytes) {
    return bytes.error();
  }
  Played played;
  played.bytes = std::move(bytes).value();
  played.same = played.bytes.same;
  if (!played.same && !arguments.has("--strict")) {
    play_on(known->pipeline, journal.value(), played);
    played.same = played.problem.empty() && played.drifts > 0;
  }
  return played;
}

// The first byte that differs, with what is around it.
std::string difference(const std::string& stored, const std::string& now) {
  if (now.empty()) {
    return "  stored: " + stored.substr(0, 160) + "\n  now:    nothing\n";
  }
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
    if (!played.same) {
      code = std::max(code, exit_findings);
    }
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
      if (!played.problem.empty()) {
        writer.member("problem", played.problem);
      }
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
  const int written = print(arguments.has("--json") ? json : text);
  return std::max(code, written);
}

// ---------------------------------------------------------------- export, import

int export_run(const Arguments& arguments) {
  const Result<std::unique_ptr<store::Store>> store = open_store(arguments, true);
  if (!store) {
    return fail(store.error());
  }
  const Result<run::JournalFile> file = stored_file(*store.value(), arguments.positionals().front());
  if (!file) {
    return fail(file.error());
  }
  std::string text;
  for (const run::Stored& entry : file.value().entries) {
    run::append_to_file(text, entry);
  }
  if (!arguments.has("--output")) {
    return print(text);
  }
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
  row.forked_from = run::forked_from(journal);
  row.imported = true;
  for (const run::State one : {run::State::waiting, run::State::done, run::State::failed, run::State::cancelled}) {
    if (run::state_name(one) == account.state) {
      row.state = one;
    }
  }
  if (row.id.empty()) {
    return told(ErrorCode::invalid_argument, "the first entry does not say which run this is");
  }
  std::promise<store::Outcome> done;
  store.create(std::move(row), std::make_shared<const std::vector<run::Stored>>(file.entries),
               [&](const store::Outcome& outcome) { done.set_value(outcome); });
  return done.get_future().get();
}

int import_runs(const Arguments& arguments) {
  const Result<std::unique_ptr<store::Store>> store = open_store(arguments, false);
  if (!store) {
    return fail(store.error());
  }
  int code = exit_clean;
  for (const std::string& name : arguments.positionals()) {
    auto refused = [&](Error error) {
      error.where = error.where.empty() ? name : name + ": " + error.where;
      code = std::max(code, fail(error));
    };
    const Result<std::string> text = read_file(name, journal_bytes_max);
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
    code = std::max(code, print(account.id + " " + account.state + "\n"));
  }
  return code;
}

// ---------------------------------------------------------------- cancel

int cancel(const Arguments& arguments) {
  const Result<std::unique_ptr<store::Store>> store = open_store(arguments, false);
  if (!store) {
    return fail(with_hint(store.error()));
  }
  host::Routes nobody;  // a cancelled run asks for nothing more
  host::HostSettings settings;
  settings.pipelines = pipelines::known_pipelines();
  settings.take_up = false;
  settings.keep_ms = 0;
  const Result<std::unique_ptr<host::Host>> host = host::Host::open(*store.value(), nobody, settings);
  if (!host) {
    return fail(host.error());
  }
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
    if (!cancelled.value()) {
      note(id + " had ended already");
    }
    code = std::max(code, print(id + " " + std::string(run::state_name(summary.value().row.state)) + "\n"));
  }
  return code;
}

}  // namespace

int run_runs(const Arguments& arguments) {
  const std::string_view path = arguments.command()->path;
  if (path == "runs list") {
    return list(arguments);
  }
  if (path == "runs show") {
    return show(arguments);
  }
  if (path == "runs replay") {
    return replay(arguments);
  }
  if (path == "runs resume") {
    return resume_runs(arguments);
  }
  if (path == "runs fork") {
    return fork_run(arguments);
  }
  if (path == "runs result") {
    return show_result(arguments);
  }
  if (path == "runs delete") {
    return delete_runs(arguments);
  }
  if (path == "runs cancel") {
    return cancel(arguments);
  }
  if (path == "runs export") {
    return export_run(arguments);
  }
  PLUMB_REQUIRE(path == "runs import", "every command of runs is run");
  return import_runs(arguments);
}

}  // namespace plumb::cli
