#include "native/cli/watched_run.hpp"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <thread>
#include <utility>

#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/call_monitor.hpp"
#include "core/reason.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/job_display.hpp"
#include "native/cli/server_run.hpp"
#include "native/cli/store_file.hpp"
#include "native/cli/stored_journal.hpp"
#include "native/cli/terminal.hpp"
#include "native/host/host.hpp"
#include "native/host/isolated_call.hpp"
#include "native/store/nats/nats_address.hpp"
#include "native/store/sqlite_store.hpp"
#include "native/store/store_lock.hpp"

namespace plumb::cli {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::minutes store_wait_max{10};
constexpr std::chrono::milliseconds store_wait_untold{500};  // another command opens it
constexpr std::chrono::milliseconds server_look{300};
constexpr std::uint64_t stop_grace_ms = 10'000;
constexpr std::uint64_t wait_shown_ms = 10'000;

std::uint64_t number_at(const json::Value& view, std::string_view name) {
  const json::Value* found = view.find(name);
  std::uint64_t number = 0;
  return found != nullptr && json::read_uint(found->str(), number) ? number : 0;
}

std::uint64_t wall_ms() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
}

struct Signals {
  std::atomic<int> interrupts{0};
  std::atomic<bool> ends{false};
};
std::shared_ptr<Signals> watch_signals() {
  auto told = std::make_shared<Signals>();
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  std::thread([told, signals] {
    for (;;) {
      int got = 0;
      sigwait(&signals, &got);
      if (told->ends || (got == SIGINT && ++told->interrupts > 1)) {
        ::_exit(exit_undecided);
      }
      told->ends = got == SIGTERM;
    }
  }).detach();
  return told;
}

// Follows a run to its end. Ctrl-C cancels it once; a second one leaves at once: the run stays in the store. SIGTERM
// leaves it there too, after the calls under way.
class Following {
 public:
  Following(host::Host& host, const std::string& id, JobDisplay& display, const Watching& what)
      : host_(host),
        id_(id),
        display_(display),
        known_(*pipelines::known_pipeline(what.pipeline)),
        enough_(what.enough),
        answer_(what.answer) {}

  Result<store::RunRow> to_the_end() {
    Result<std::unique_ptr<host::Watch>> watch = host_.watch(id_, 0);
    if (!watch) {
      return watch.error();
    }
    const std::shared_ptr<Signals> signals = watch_signals();
    interrupts_ = std::shared_ptr<std::atomic<int>>(signals, &signals->interrupts);
    bool cancelling = false;
    for (;;) {
      if (signals->ends) {
        left_ = true;
        break;
      }
      if (*interrupts_ > 0 && !cancelling) {
        cancelling = true;
        if (const Result<bool> done = host_.cancel(id_, "interrupted by the user"); !done) {
          return done.error();
        }
      }
      const host::Watch::Event event = watch.value()->next(200);
      using What = host::Watch::What;
      if (event.what == What::told && event.name == "text") {
        display_.received(event.json.size());
      } else if (event.what == What::told && event.name == "index") {
        const run::Data told = run::Data::written(event.json);
        display_.line(wall_ms(), "  → The corpus is indexed first: " + grouped_digits(number_at(told.value(), "done")) +
                                     " of " + grouped_digits(number_at(told.value(), "all")) + " documents");
      } else if (event.what == What::told && event.name == "retry") {
        show_wait(run::Data::written(event.json));
      } else if (event.what == What::entry || event.what == What::ended) {
        unshown_ = true;
      } else if (event.what == What::dropped || event.what == What::stopped) {
        watch = host_.watch(id_, 0);
        if (!watch) {
          return watch.error();
        }
      }
      const bool idle = event.what != What::entry && event.what != What::told;
      if (unshown_ && (idle || Clock::now() >= next_show_) && show() && event.what != What::ended) {
        break;
      }
      if (event.what == What::ended) {
        break;
      }
      display_.tick();
      const Result<host::Summary> summary = host_.summary(id_);
      if (summary && !summary.value().problem.empty()) {
        return Error{ErrorCode::unavailable, summary.value().problem, id_, 0, 0};
      }
    }
    display_.wipe();
    const Result<host::Summary> summary = host_.summary(id_);
    if (!summary) {
      return summary.error();
    }
    return summary.value().row;
  }

  const std::string& paused() const { return paused_; }
  bool left() const { return left_; }  // it was told to end

 private:
  // A provider has asked to be left alone, so long that somebody may wonder.
  void show_wait(const run::Data& retry) {
    const std::uint64_t wait_ms = number_at(retry.value(), "wait_ms");
    if (wait_ms > wait_shown_ms) {
      display_.line(wall_ms(), "  → The provider asks to wait: next try in " + grouped_digits((wait_ms + 999) / 1'000) +
                                   " s (HTTP " + grouped_digits(number_at(retry.value(), "status")) + ")");
    }
  }

  // True: what is shown is enough.
  bool show() {
    unshown_ = false;
    const Clock::time_point begun = Clock::now();
    const Result<std::shared_ptr<const run::Journal>> journal = host_.snapshot(id_);
    if (!journal) {
      return false;
    }
    for (const pipelines::LogLine& line : known_.log(*journal.value(), shown_)) {
      display_.line(line.at_ms, line.text);
    }
    shown_ = journal.value()->entries().size();
    const run::Data view = run::Data::written(known_.view(*journal.value()));
    display_.state(number_at(view.value(), "progress"), view.value().find("status")->str(),
                   number_at(view.value(), "tokens_used"));
    // A long journal takes its time to read: a run with many entries is not shown after each of them.
    next_show_ = Clock::now() + std::max<Clock::duration>(std::chrono::milliseconds(50), 5 * (Clock::now() - begun));
    if (const std::vector<pipelines::Question> open = pipelines::open_questions(*journal.value()); !open.empty()) {
      paused_ = open.front().text;
      return !goes_on(open.front());
    }
    paused_.clear();
    if (const json::Value* asks = view.value().find("asks");
        asks != nullptr && answer_ && !answered(*asks, view.value())) {
      return true;
    }
    return enough_ && enough_(view.value());
  }

  // Asks who sits at the terminal, once for each question. False: nobody does.
  bool goes_on(const pipelines::Question& question) {
    if (question.key == asked_) {
      return true;
    }
    if (!is_terminal(STDIN_FILENO) || !is_terminal(STDERR_FILENO)) {
      return false;
    }
    display_.wipe();
    write_all(STDERR_FILENO, question.text + "\nGo on? [y/N] ");
    std::string said;
    for (char c = 0; said.size() < 100 && *interrupts_ == 0;) {
      pollfd waiting{STDIN_FILENO, POLLIN, 0};
      if (::poll(&waiting, 1, 200) <= 0) {
        continue;
      }
      if (::read(STDIN_FILENO, &c, 1) != 1 || c == '\n') {
        break;
      }
      said += c;
    }
    if (said != "y" && said != "Y" && said != "yes") {
      return *interrupts_ > 0;
    }
    asked_ = question.key;
    paused_.clear();
    (void)host_.answer(id_, question.key, run::Data::written(R"({"decision":"go on"})"));
    return true;
  }

  // False: nobody is there to answer.
  bool answered(const json::Value& asks, const json::Value& view) {
    const std::string key(asks.find("key")->str());
    if (key == asked_) {
      return true;
    }
    display_.wipe();
    const std::optional<std::string> said = answer_(view, [this] { return *interrupts_ > 0; });
    if (!said) {
      return *interrupts_ > 0;
    }
    asked_ = key;
    std::string value;
    if (!said->empty() && said->front() == '{') {
      value = *said;
    } else {
      json::Writer(value).begin_object().member("decision", *said).end_object();
    }
    const Result<bool> taken = host_.answer(id_, key, run::Data::written(std::move(value)));
    if (!taken || !taken.value()) {
      note(taken ? "this question was answered already: what was said now does not count" : taken.error().message);
    }
    return true;
  }

  host::Host& host_;
  const std::string& id_;
  JobDisplay& display_;
  const pipelines::Known& known_;
  const std::function<bool(const json::Value&)>& enough_;
  const std::function<std::optional<std::string>(const json::Value&, const Watching::Interrupted&)>& answer_;
  std::shared_ptr<std::atomic<int>> interrupts_;
  std::string asked_;
  std::string paused_;  // why it waits for somebody to let it go on
  bool left_ = false;
  std::uint64_t shown_ = 0;
  bool unshown_ = false;
  Clock::time_point next_show_{};
};

bool interrupted() {
  sigset_t pending;
  sigemptyset(&pending);
  return sigpending(&pending) == 0 && (sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1);
}

// Another command that writes the store has it as long as its run takes; a server has it for good.
Result<std::unique_ptr<store::Store>> waited_for(const store::SqliteSettings& settings,
                                                 Result<std::unique_ptr<store::Store>> store) {
  const Clock::time_point begun = Clock::now();
  bool told = false;
  while (!store && Clock::now() < begun + store_wait_max && !interrupted()) {
    const store::Writer writer = store::writer_of(settings.file);
    if (!writer.server.empty()) {
      break;
    }
    if (store.error().reason == Reason::in_use && Clock::now() > begun + store_wait_untold &&
        !std::exchange(told, true)) {
      note("waits for " + settings.file + ", which " +
           store.error().message.substr(0, store.error().message.find(':')) + "; '--store none' waits for nobody");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    store = store::open_sqlite(settings);
  }
  return store;
}

// Only one process at a time may run the same job. The second one waits; then it continues the run that the first one
// left behind, or starts a new run.
Result<std::optional<store::JobLock>> hold_job(const Arguments& arguments, const std::string& fingerprint) {
  const Result<std::string> file = store_file(arguments);
  if (fingerprint.empty() || !file || arguments.text("--store") == "none" || store::is_nats_address(file.value())) {
    return std::optional<store::JobLock>();
  }
  const Clock::time_point until = Clock::now() + store_wait_max;
  for (bool told = false; Clock::now() < until && !interrupted();) {
    Result<std::optional<store::JobLock>> lock = store::JobLock::take(file.value(), fingerprint);
    if (!lock || lock.value()) {
      return lock;
    }
    if (!std::exchange(told, true)) {
      note("waits for another command that does the same job; '--store none' waits for nobody");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return Error{ErrorCode::unavailable, "another command does the same job, and has not ended", file.value(), 0, 0};
}

// Why a run waits for somebody, or nothing.
std::string waits_for(const run::Journal& journal, const json::Value& view) {
  if (const std::vector<pipelines::Question> open = pipelines::open_questions(journal); !open.empty()) {
    return open.front().text;
  }
  const json::Value* asks = view.find("asks");
  const json::Value* question = asks == nullptr ? nullptr : asks->find("question");
  return question == nullptr ? std::string() : "it waits for an answer: " + std::string(question->str());
}

// The server that has the store does it, where that is the same there.
Result<WatchedRun> watch_on_server(const std::string& address, const Watching& what,
                                   const pipelines::Prepared& prepared, JobDisplay& display) {
  const std::string fingerprint = host::fingerprint_of(prepared, what.asked_of);
  Result<ServerRun> begun =
      fingerprint.empty() || what.request.empty()
          ? Result<ServerRun>(Error{ErrorCode::invalid_argument, "a run of this kind cannot be handed over", "", 0, 0})
          : ServerRun::begin(address, what.pipeline, what.request, fingerprint);
  if (!begun) {
    Error error = begun.error();
    error.message = "has the store, and does not take this run: " + error.message +
                    "; '--store none' keeps nothing and needs no store, '--store FILE' names another";
    error.where = "the server at " + address;
    return error;
  }
  ServerRun& run = begun.value();
  note("the server at " + address + " has the store: handed over as run " + run.id());
  const pipelines::Known& known = *pipelines::known_pipeline(what.pipeline);
  const std::shared_ptr<Signals> signals = watch_signals();
  WatchedRun out;
  out.id = run.id();
  std::uint64_t shown = 0;
  for (bool cancelling = false;; std::this_thread::sleep_for(server_look)) {
    if (signals->interrupts > 0 && !std::exchange(cancelling, true)) {
      if (const Result<bool> done = run.cancel("interrupted by the user"); !done) {
        return done.error();
      }
    }
    Result<run::Journal> journal = run.journal();
    if (!journal) {
      return journal.error();
    }
    out.journal = std::make_shared<const run::Journal>(std::move(journal).value());
    for (const pipelines::LogLine& line : known.log(*out.journal, shown)) {
      display.line(line.at_ms, line.text);
    }
    shown = out.journal->entries().size();
    const run::Data view = run::Data::written(known.view(*out.journal));
    display.state(number_at(view.value(), "progress"), view.value().find("status")->str(),
                  number_at(view.value(), "tokens_used"));
    const run::Entry& last = out.journal->entries().back();
    out.row.state = last.kind != run::EntryKind::end        ? run::State::waiting
                    : last.status == run::Status::ok        ? run::State::done
                    : last.status == run::Status::cancelled ? run::State::cancelled
                                                            : run::State::failed;
    out.row.error = last.kind == run::EntryKind::end ? last.error : "";
    if (last.kind == run::EntryKind::end || (what.enough && what.enough(view.value()))) {
      break;
    }
    const Result<std::string> problem = run.problem();
    if (!problem || !problem.value().empty()) {
      return problem ? Error{ErrorCode::unavailable, problem.value(), "run " + out.id, 0, 0} : problem.error();
    }
    const std::string waits = waits_for(*out.journal, view.value());
    out.paused = signals->ends || !waits.empty();
    if (out.paused) {
      note(waits.empty() ? "ending; the server goes on with it" : waits + "; it is answered at " + address);
      break;
    }
  }
  display.wipe();
  out.row.id = out.id;
  out.row.pipeline = std::string(what.pipeline);
  return out;
}

// `--store none` keeps nothing. `server`: the address of the one that has the store, where it is one.
Result<std::unique_ptr<store::Store>> store_of(const Arguments& arguments, const Watching& what, std::string& server) {
  store::SqliteSettings settings;
  settings.beside = what.beside;
  if (arguments.text("--store") == "none") {
    settings.file = ":memory:";
    return store::open_sqlite(settings);
  }
  const Result<std::string> file = store_file(arguments);
  if (!file) {
    return file.error();
  }
  if (store::is_nats_address(file.value())) {
    return open_store(arguments, false);
  }
  settings.file = file.value();
  Result<std::unique_ptr<store::Store>> store = store::open_sqlite(settings);
  if (!store && store.error().reason == Reason::in_use) {
    store = waited_for(settings, std::move(store));
  }
  if (!store) {
    server = store::writer_of(settings.file).server;
  }
  // The programs of this command are not the server's.
  if (!store && !server.empty() && what.beside && what.resumes.empty() && what.request.empty()) {
    note("the server at " + server + " has the store, so this run is not kept");
    settings.file = ":memory:";
    return store::open_sqlite(settings);
  }
  if (!store && store.error().code == ErrorCode::unavailable) {
    Error error = store.error();
    error.message += "; '--store none' keeps nothing and needs no store";
    return error;
  }
  return store;
}

}  // namespace

std::string grouped_digits(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) {
    digits.insert(at - 3, ",");
  }
  return digits;
}

void block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  host::install_requirement_handler();
}

Result<WatchedRun> watch_run(const Arguments& arguments, const Watching& what, pipelines::Prepared prepared,
                             host::Fulfiller& fulfiller) {
  std::string server;
  const Result<std::unique_ptr<store::Store>> store = store_of(arguments, what, server);
  if (!store && server.empty()) {
    return store.error();
  }
  JobDisplay::Look look;
  const bool quiet = arguments.has("--quiet");
  const contract::TextStyle style = style_for(arguments, STDERR_FILENO);
  look.lines = !quiet;
  look.bar = !quiet && is_terminal(STDERR_FILENO);
  look.ascii = style.ascii;
  look.color = style.color;
  look.columns = terminal_columns(STDERR_FILENO);
  JobDisplay display(look);
  if (!quiet && !what.before.empty()) {
    write_all(STDERR_FILENO, dim(what.before, style) + "\n");
  }
  if (!store) {
    return watch_on_server(server, what, prepared, display);
  }
  const bool is_new = what.beside && what.resumes.empty();
  const Result<std::optional<store::JobLock>> job =
      hold_job(arguments, is_new ? host::fingerprint_of(prepared, what.asked_of) : std::string());
  if (!job) {
    return job.error();
  }
  host::HostSettings settings;
  settings.pipelines = pipelines::known_pipelines();
  settings.take_up = false;
  settings.asked_of = what.asked_of;
  const Result<std::unique_ptr<host::Host>> host = host::Host::open(*store.value(), fulfiller, settings);
  if (!host) {
    return host.error();
  }
  WatchedRun out;
  out.id = what.resumes;
  bool goes_on = !what.resumes.empty();
  if (!goes_on) {
    const Result<host::Started> started = host.value()->start(what.pipeline, std::move(prepared));
    if (!started) {
      return started.error();
    }
    out.id = started.value().id;
    goes_on = !started.value().fresh;
    if (goes_on) {
      note("this job was begun before and not ended: it goes on");
    }
  }
  if (goes_on) {
    if (const Result<host::Summary> resumed = host.value()->resume(out.id); !resumed) {
      return resumed.error();
    }
  }
  Following following(*host.value(), out.id, display, what);
  Result<store::RunRow> row = following.to_the_end();
  if (!row) {
    return row.error();
  }
  out.row = std::move(row).value();
  if (following.left()) {
    host.value()->stop(stop_grace_ms);
    out.paused = true;
    note(arguments.text("--store") == "none" ? "ending; nothing is kept with --store none"
                                             : "ending; 'plumb runs resume " + out.id + "' goes on with it");
  }
  const bool pauses = !following.left() && out.row.state == run::State::waiting && !following.paused().empty();
  out.paused = out.paused || pauses;
  if (pauses) {
    note(following.paused());
    note(arguments.text("--store") == "none"
             ? "nothing is kept with --store none, so it cannot go on"
             : "'plumb runs resume " + out.id + "' lets it go on, 'plumb runs cancel " + out.id + "' ends it");
  }
  Result<std::shared_ptr<const run::Journal>> journal = host.value()->snapshot(out.id);
  if (!journal) {
    return journal.error();
  }
  out.journal = std::move(journal).value();
  host.value()->stop(0);
  return out;
}

}  // namespace plumb::cli
