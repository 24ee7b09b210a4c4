// Three threads drive the engine (log_engine.hpp): the follower, the runner and the keeper. What is asked here and
// waits for an answer waits for them.

#include "native/store/log_store.hpp"

#include <sys/random.h>
#include <time.h>

#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

#include "core/json/sha256.hpp"
#include "native/store/log_engine.hpp"
#include "native/store/run_tables.hpp"
#include "native/store/sharing.hpp"

namespace plumb::store {

namespace {

constexpr std::uint64_t follow_ms = 50;
constexpr std::uint64_t gather_ms = 50;  // how long what others wrote may lie where nobody here waits for it
constexpr std::uint64_t fresh_ms = 5;    // who asks for what has come gets what was there so long ago, at least
constexpr std::uint64_t refresh_ms = 250;
constexpr std::uint64_t sync_ms = 5'000;
constexpr std::uint64_t stall_ms = 30'000;  // without a message of those that there are, at the beginning
constexpr std::size_t removed_at_once = 100;

std::uint64_t steady_ms() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

std::uint64_t system_ms() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
}

// Goes on while the machine sleeps, and never back.
std::uint64_t boot_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000 + static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000;
}

std::string random_name() {
  std::uint64_t bits = 0;
  const ssize_t size = ::getrandom(&bits, sizeof bits, 0);
  PLUMB_REQUIRE(size == static_cast<ssize_t>(sizeof bits), "the system gives 8 random bytes at once");
  return json::sha256_hex(std::to_string(bits)).substr(0, 12);
}

class LogStore final : public Store, public Sharing {
 public:
  LogStore(std::unique_ptr<SharedLog> log, LogStoreSettings settings)
      : engine_(std::move(log), std::move(settings), LogClock{steady_ms, system_ms, boot_ms}, random_name(),
                [this](Woken what) { woken(what); }) {}
  ~LogStore() override;
  std::optional<Error> open();

  void create(RunRow row, Batch entries, Done done) override;
  void append(std::string id, std::uint64_t expected, Batch entries, Change change, Done done) override;
  void waits(std::string id, std::string why) override;
  Result<RunRow> find(std::string_view id) override;
  Result<RunRow> find_request(std::string_view owner, std::string_view request_key) override;
  Result<Page> list(const ListQuery& query) override {
    refresh();
    return engine_.projection().readers().read<Page>(
        [&](Connection& connection) { return list_runs(connection, query); });
  }
  Result<std::vector<RunRow>> waiting() override {
    refresh();
    return engine_.projection().readers().read<std::vector<RunRow>>(
        [](Connection& connection) { return waiting_runs(connection); });
  }
  Result<JournalPart> journal(std::string_view id, std::uint64_t from, std::size_t entries_max,
                              std::uint64_t bytes_max) override;
  Result<bool> adopt(std::string_view id) override;
  Result<Claimed> claim(const ClaimWish& wish) override;
  Result<bool> remove(std::string_view id) override;
  Result<Removed> remove_ended(std::uint64_t ended_before_ms) override;
  std::string problem() override { return engine_.problem(); }
  Sharing* sharing() override { return engine_.settings().read_only ? nullptr : this; }

  Result<bool> take(std::string_view id) override;
  bool elsewhere(std::string_view id) override;
  Result<std::string> ask(std::string_view id, std::string text, std::uint64_t timeout_ms) override;
  void hear(Heard heard) override { engine_.hear(std::move(heard)); }

 private:
  Outcome written(LoggedOp op, Applied* applied = nullptr);
  Result<bool> sync();
  void refresh();
  // What `look_up` finds of a run here; another host may have made it a moment ago.
  template <class LookUp>
  auto looked_up(const LookUp& look_up) {
    refresh();
    auto found = look_up();
    return found || found.error().code != ErrorCode::not_found || !sync() ? found : look_up();
  }
  void woken(Woken what);
  Result<std::uint64_t> remove_one(std::string_view id);
  void forget_texts(const std::vector<std::string>& names);
  void sweep_texts();
  Error cannot_be_read();
  template <class Until>
  bool wait(std::uint64_t ms, Until until) {
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, std::chrono::milliseconds(ms), std::move(until));
  }
  void run();
  void follow();
  void keep();

  std::mutex mutex_;                                        // of nothing: for who waits
  std::condition_variable works_, reads_, changed_, ends_;  // of the runner, the follower, who asks, and the keeper
  LogEngine engine_;
  std::thread follower_, runner_, keeper_;
};

std::optional<Error> LogStore::open() {
  const Result<std::uint64_t> last = engine_.open();
  if (!last) {
    return last.error();
  }
  follower_ = std::thread([this] { follow(); });
  runner_ = std::thread([this] { run(); });
  keeper_ = std::thread([this] { keep(); });
  engine_.await(last.value());
  // All that there is, before anybody asks.
  for (std::uint64_t at = engine_.position(); at < last.value(); at = engine_.position()) {
    if (!wait(stall_ms, [&] { return engine_.position() > at; })) {
      return cannot_be_read();
    }
  }
  return std::nullopt;
}

LogStore::~LogStore() {
  engine_.stop_hearing();
  engine_.close();
  for (std::thread* one : {&follower_, &keeper_, &runner_}) {
    if (one->joinable()) {
      one->join();
    }
  }
  engine_.log_goes();
}

Error LogStore::cannot_be_read() {
  const std::string problem = engine_.follower_problem();
  return store_error(ErrorCode::unavailable,
                     "cannot be read: " + (problem.empty() ? "the servers give nothing" : problem),
                     engine_.settings().name);
}

void LogStore::woken(Woken what) {
  {
    // Who is about to wait has looked, or is told.
    const std::lock_guard<std::mutex> lock(mutex_);
  }
  const bool all = what == Woken::all;
  if (all || what == Woken::work) {
    works_.notify_one();
  }
  if (all || what == Woken::reading) {
    reads_.notify_one();
  }
  if (all || what == Woken::read) {
    changed_.notify_all();
  }
  if (all) {
    ends_.notify_one();
  }
}

void LogStore::run() {
  for (;;) {
    while (engine_.work()) {
    }
    std::unique_lock<std::mutex> lock(mutex_);
    works_.wait(lock, [&] { return engine_.has_work() || engine_.is_over(); });
    if (!engine_.has_work()) {
      return;
    }
  }
}

void LogStore::follow() {
  while (!engine_.is_over()) {
    const std::uint64_t pause_ms = engine_.follow(follow_ms);
    std::unique_lock<std::mutex> lock(mutex_);
    if (engine_.is_broken()) {
      reads_.wait(lock, [&] { return engine_.is_over(); });
    } else if (pause_ms > 0) {
      reads_.wait_for(lock, std::chrono::milliseconds(pause_ms), [&] { return engine_.is_closed(); });
    } else {
      reads_.wait_for(lock, std::chrono::milliseconds(gather_ms), [&] { return engine_.is_awaited(); });
    }
  }
}

void LogStore::keep() {
  const auto over = [&] {
    std::unique_lock<std::mutex> lock(mutex_);
    return ends_.wait_for(lock, std::chrono::milliseconds(engine_.keep_ms()), [&] { return engine_.is_over(); });
  };
  while (!over()) {
    engine_.keep();
  }
}

// What has come, and may lie there unread.
void LogStore::refresh() {
  if (const auto asked = engine_.await_what_came(fresh_ms)) {
    (void)wait(refresh_ms, [&] { return engine_.was_read(*asked) || engine_.is_closed(); });
  }
}

// Until all has been read that the log has now.
Result<bool> LogStore::sync() {
  const Result<LogHead> head = engine_.log().head();
  if (!head) {
    return head.error();
  }
  engine_.await(head.value().last);
  if (!wait(sync_ms, [&] { return engine_.position() >= head.value().last || engine_.is_closed(); })) {
    return cannot_be_read();
  }
  return true;
}

// Does it and waits.
Outcome LogStore::written(LoggedOp op, Applied* applied) {
  const auto answer = std::make_shared<std::promise<std::pair<Outcome, Applied>>>();
  std::future<std::pair<Outcome, Applied>> done = answer->get_future();
  engine_.submit(std::move(op), 0, [answer](const Outcome& outcome, const Applied& what) {
    answer->set_value({outcome, what});
  });
  std::pair<Outcome, Applied> got = done.get();
  if (applied != nullptr) {
    *applied = std::move(got.second);
  }
  return got.first;
}

void LogStore::create(RunRow row, Batch entries, Done done) {
  LoggedOp op;
  op.op = LogOp::create;
  op.run = row.id;
  op.row = std::move(row);
  op.entries = std::move(entries);
  const std::uint64_t bytes = batch_bytes(op.entries);
  engine_.submit(std::move(op), bytes,
                 [done = std::move(done)](const Outcome& outcome, const Applied&) { done(outcome); });
}

void LogStore::append(std::string id, std::uint64_t expected, Batch entries, Change change, Done done) {
  LoggedOp op;
  op.op = LogOp::append;
  op.run = std::move(id);
  op.expected = expected;
  op.entries = std::move(entries);
  op.change = std::move(change);
  const std::uint64_t bytes = batch_bytes(op.entries);
  engine_.submit(std::move(op), bytes,
                 [done = std::move(done)](const Outcome& outcome, const Applied&) { done(outcome); });
}

void LogStore::waits(std::string id, std::string why) {
  LoggedOp op;
  op.op = LogOp::waits;
  op.run = std::move(id);
  op.why = std::move(why);
  engine_.submit(std::move(op), 0, [](const Outcome&, const Applied&) {});
}

Result<bool> LogStore::adopt(std::string_view id) {
  LoggedOp op;
  op.op = LogOp::adopt;
  op.run = id;
  const Outcome outcome = written(std::move(op));
  return outcome ? Result<bool>(*outcome) : Result<bool>(true);
}

Result<Claimed> LogStore::claim(const ClaimWish& wish) {
  LoggedOp op;
  op.op = LogOp::claim;
  op.run = wish.run;
  op.wish = wish;
  Applied applied;
  if (const Outcome outcome = written(std::move(op), &applied)) {
    return *outcome;
  }
  return applied.claimed;
}

Result<bool> LogStore::remove(std::string_view id) {
  const Result<std::uint64_t> removed = remove_one(id);
  return removed ? Result<bool>(true) : Result<bool>(removed.error());
}

// How many texts went with it.
Result<std::uint64_t> LogStore::remove_one(std::string_view id) {
  LoggedOp op;
  op.op = LogOp::gone;
  op.run = id;
  Applied applied;
  if (const Outcome outcome = written(std::move(op), &applied)) {
    return *outcome;
  }
  for (const std::uint64_t sequence : applied.messages) {
    (void)engine_.log().erase(sequence);  // what is left comes to nothing, since the run is gone after it
  }
  forget_texts(applied.texts);
  return applied.texts_removed;
}

Result<Removed> LogStore::remove_ended(std::uint64_t ended_before_ms) {
  Removed out;
  for (;;) {
    const Result<std::vector<std::string>> ids = engine_.projection().ended_before(ended_before_ms, removed_at_once);
    if (!ids) {
      return ids.error();
    }
    for (const std::string& id : ids.value()) {
      const Result<std::uint64_t> removed = remove_one(id);
      if (!removed && removed.error().code != ErrorCode::not_found) {  // another host was faster
        return removed.error();
      }
      out.runs += removed ? 1 : 0;
      out.texts += removed ? removed.value() : 0;
    }
    if (ids.value().size() < removed_at_once) {
      break;
    }
  }
  sweep_texts();
  return out;
}

// Those that somebody may be about to need are left for the next sweep.
void LogStore::forget_texts(const std::vector<std::string>& names) {
  const std::uint64_t now = system_ms();
  if (names.empty() || now < engine_.settings().text_grace_ms || !sync()) {
    return;
  }
  for (const std::string& name : names) {
    const Result<bool> needed = engine_.projection().needs_text(name);
    if (needed && !needed.value()) {
      (void)engine_.log().remove_text(name, now - engine_.settings().text_grace_ms);
    }
  }
}

// Also what a host has left that died between two steps.
void LogStore::sweep_texts() {
  const Result<std::vector<std::string>> names = engine_.log().text_names();
  if (!names) {
    return;
  }
  std::vector<std::string> unneeded;
  for (const std::string& name : names.value()) {
    const Result<bool> needed = engine_.projection().needs_text(name);
    if (needed && !needed.value()) {
      unneeded.push_back(name);
    }
  }
  forget_texts(unneeded);
}

Result<RunRow> LogStore::find(std::string_view id) {
  const auto look_up = [&] {
    return engine_.projection().readers().read<RunRow>(
        [&](Connection& connection) { return find_run(connection, id); });
  };
  return looked_up(look_up);
}

Result<RunRow> LogStore::find_request(std::string_view owner, std::string_view request_key) {
  const auto look_up = [&] {
    return engine_.projection().readers().read<RunRow>(
        [&](Connection& connection) { return find_run_of_request(connection, owner, request_key); });
  };
  Result<RunRow> found = look_up();
  if (found) {
    refresh();
    found = look_up();
  } else if (!request_key.empty() && found.error().code == ErrorCode::not_found && sync()) {
    found = look_up();
  }
  return found;
}

Result<JournalPart> LogStore::journal(std::string_view id, std::uint64_t from, std::size_t entries_max,
                                      std::uint64_t bytes_max) {
  refresh();
  return engine_.projection().readers().read<JournalPart>(
      [&](Connection& connection) { return read_entries(connection, id, from, entries_max, bytes_max); });
}

Result<bool> LogStore::take(std::string_view id) {
  LoggedOp op;
  op.op = LogOp::take;
  op.run = id;
  if (const Outcome outcome = written(std::move(op))) {
    return *outcome;
  }
  const Result<RunInLog> now = engine_.projection().run(id);
  return now ? Result<bool>(now.value().driver == engine_.host()) : Result<bool>(now.error());
}

bool LogStore::elsewhere(std::string_view id) {
  const Result<RunInLog> now = looked_up([&] { return engine_.projection().run(id); });
  return now && now.value().state == run::State::waiting && now.value().driver != engine_.host() &&
         engine_.is_alive(now.value().driver);
}

Result<std::string> LogStore::ask(std::string_view id, std::string text, std::uint64_t timeout_ms) {
  const Result<RunInLog> now = looked_up([&] { return engine_.projection().run(id); });
  if (!now) {
    return now.error();
  }
  return engine_.log().ask("ask." + now.value().driver, text, timeout_ms);
}

}  // namespace

Result<std::unique_ptr<Store>> open_log_store(std::unique_ptr<SharedLog> log, LogStoreSettings settings) {
  auto store = std::make_unique<LogStore>(std::move(log), std::move(settings));
  if (std::optional<Error> error = store->open()) {
    return *error;
  }
  return std::unique_ptr<Store>(std::move(store));
}

}  // namespace plumb::store
