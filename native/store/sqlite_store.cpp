// One thread writes, and takes what has come together into one transaction: a commit costs one wait for the disk,
// however many runs share it. Every operation looks before it writes (is the run there, has it as many entries as
// expected), so a refused one leaves the others of its transaction alone. When a transaction fails, its operations are
// tried again one by one: on a full disk a small append may still fit, and each gets its own answer.

#include "native/store/sqlite_store.hpp"

#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

#include "native/store/run_tables.hpp"
#include "native/store/schema.hpp"
#include "native/store/store_lock.hpp"
#include "native/store/told_marks.hpp"
#include "native/store/told_tables.hpp"

namespace plumb::store {

namespace {

constexpr std::size_t removed_at_once = 100;  // runs of one transaction, so that appends need not wait for long

// Something that the writer does inside a transaction. An error: it was refused and has written nothing.
struct Operation {
  std::function<Outcome(Connection&)> work;
  Done done;
  std::uint64_t bytes = 0;
};

class SqliteStore final : public Store, public ToldMarks {
 public:
  // `passing`: the folder goes with the store.
  SqliteStore(SqliteSettings settings, std::optional<StoreLock> lock, std::string passing)
      : settings_(std::move(settings)),
        lock_(std::move(lock)),
        passing_(std::move(passing)),
        readers_(settings_.file, static_cast<int>(settings_.busy_ms)) {}
  ~SqliteStore() override;
  std::optional<Error> open();
  void opened() const {
    if (settings_.beside && lock_) {
      lock_->share();
    }
  }

  void create(RunRow row, Batch entries, Done done) override;
  void append(std::string id, std::uint64_t expected, Batch entries, Change change, Done done) override;
  void waits(std::string id, std::string why) override;
  Result<RunRow> find(std::string_view id) override;
  Result<RunRow> find_request(std::string_view owner, std::string_view request_key) override;
  Result<Page> list(const ListQuery& query) override;
  Result<std::vector<RunRow>> waiting() override;
  Result<JournalPart> journal(std::string_view id, std::uint64_t from, std::size_t entries_max,
                              std::uint64_t bytes_max) override;
  Result<bool> adopt(std::string_view id) override;
  Result<Claimed> claim(const ClaimWish& wish) override;
  Result<Removed> remove_ended(std::uint64_t ended_before_ms) override;
  Result<bool> remove(std::string_view id) override;
  std::string problem() override;

  ToldMarks* told_marks() override { return this; }
  Result<std::uint64_t> begin(std::uint64_t newest, const std::vector<std::string>& waiting) override;
  Result<std::optional<std::uint64_t>> told(std::string_view run) override;
  Result<bool> mark(const std::string& run, std::uint64_t entries) override;
  void sweep(const std::function<bool(const std::string& run)>& /*is_there*/) override {}  // they go with their runs

 private:
  void submit(Operation operation);
  void write();
  void write_group(std::vector<Operation>& group, std::vector<Outcome>& outcomes);
  // Does it and waits.
  Outcome written(std::function<Outcome(Connection&)> work);

  SqliteSettings settings_;
  std::optional<StoreLock> lock_;
  std::string passing_;
  std::unique_ptr<Connection> writer_;
  std::mutex problem_mutex_;
  std::string problem_;  // of the last write; empty: it was stored

  std::mutex queue_mutex_;
  std::condition_variable queue_changed_;
  std::deque<Operation> queue_;
  std::uint64_t queue_bytes_ = 0;
  bool closing_ = false;
  std::thread thread_;

  Readers readers_;
};

std::optional<Error> SqliteStore::open() {
  if (settings_.read_only) {
    if (::access(settings_.file.c_str(), F_OK) != 0) {
      return store_error(ErrorCode::not_found, "there is no store of runs here yet", settings_.file);
    }
    const Result<bool> fits = readers_.read<bool>([&](Connection& connection) -> Result<bool> {
      if (std::optional<Error> error = check_version(connection.database(), migrations(), settings_.file)) {
        return *error;
      }
      return true;
    });
    if (!fits) {
      return fits.error();
    }
    return std::nullopt;
  }
  Result<std::unique_ptr<Connection>> writer =
      open_for_writing(settings_.file, static_cast<int>(settings_.busy_ms), true);
  if (!writer) {
    return writer.error();
  }
  writer_ = std::move(writer).value();
  thread_ = std::thread([this] { write(); });
  return std::nullopt;
}

SqliteStore::~SqliteStore() {
  {
    const std::lock_guard<std::mutex> lock(queue_mutex_);
    closing_ = true;
  }
  queue_changed_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  }
  if (!passing_.empty()) {
    std::error_code ignored;
    std::filesystem::remove_all(passing_, ignored);
  }
}

// ---------------------------------------------------------------- writing

void SqliteStore::submit(Operation operation) {
  {
    const std::lock_guard<std::mutex> lock(queue_mutex_);
    if (settings_.read_only || queue_bytes_ + operation.bytes > settings_.queue_bytes) {
      Error error = settings_.read_only
                        ? store_error(ErrorCode::unavailable, "was opened for reading only", settings_.file)
                        : store_error(ErrorCode::limit,
                                      "has " + std::to_string(queue_bytes_) +
                                          " bytes waiting to be written, the most there may be; try again",
                                      settings_.file);
      if (thread_.joinable()) {
        operation.work = [error](Connection&) -> Outcome { return error; };
        operation.bytes = 0;
      } else {
        operation.done(error);
        return;
      }
    }
    queue_bytes_ += operation.bytes;
    queue_.push_back(std::move(operation));
  }
  queue_changed_.notify_all();
}

void SqliteStore::write() {
  for (;;) {
    std::vector<Operation> group;
    {
      std::unique_lock<std::mutex> lock(queue_mutex_);
      queue_changed_.wait(lock, [&] { return closing_ || !queue_.empty(); });
      if (queue_.empty()) {
        return;
      }
      std::uint64_t bytes = 0;
      while (!queue_.empty() && group.size() < settings_.group_max &&
             (group.empty() || bytes + queue_.front().bytes <= settings_.group_bytes)) {
        bytes += queue_.front().bytes;
        group.push_back(std::move(queue_.front()));
        queue_.pop_front();
      }
      queue_bytes_ -= bytes;
    }
    std::vector<Outcome> outcomes(group.size());
    write_group(group, outcomes);
    for (std::size_t i = 0; i < group.size(); ++i) {
      group[i].done(outcomes[i]);
    }
  }
}

void SqliteStore::write_group(std::vector<Operation>& group, std::vector<Outcome>& outcomes) {
  auto attempt = [&](std::size_t from, std::size_t to) -> Outcome {
    try {
      SQLite::Transaction transaction(writer_->database(), SQLite::TransactionBehavior::IMMEDIATE);
      for (std::size_t i = from; i < to; ++i) {
        outcomes[i] = group[i].work(*writer_);
      }
      transaction.commit();
      return std::nullopt;
    } catch (const SQLite::Exception& error) {
      return sqlite_error(error, writer_->database().getHandle(), settings_.file);
    }
  };
  std::string problem;
  if (attempt(0, group.size())) {
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (Outcome failed = attempt(i, i + 1)) {
        problem = failed->message;
        outcomes[i] = std::move(failed);
      }
    }
  }
  const std::lock_guard<std::mutex> lock(problem_mutex_);
  problem_ = std::move(problem);
}

// What failed once may go again: the mark that is written now tells.
std::string SqliteStore::problem() {
  {
    const std::lock_guard<std::mutex> lock(problem_mutex_);
    if (problem_.empty()) {
      return {};
    }
  }
  const Outcome outcome = written([](Connection& connection) -> Outcome {
    connection.database().exec("PRAGMA user_version = " + std::to_string(migrations().size()));
    return std::nullopt;
  });
  return outcome ? outcome->message : std::string();
}

Outcome SqliteStore::written(std::function<Outcome(Connection&)> work) {
  const auto outcome = std::make_shared<std::promise<Outcome>>();
  std::future<Outcome> answer = outcome->get_future();
  submit({std::move(work), [outcome](const Outcome& how) { outcome->set_value(how); }, 0});
  return answer.get();
}

void SqliteStore::create(RunRow row, Batch entries, Done done) {
  const std::uint64_t bytes = batch_bytes(entries);
  auto work = [this, row = std::move(row), entries](Connection& connection) -> Outcome {
    return create_run(connection, row, entries, settings_.file);
  };
  submit({std::move(work), std::move(done), bytes});
}

void SqliteStore::append(std::string id, std::uint64_t expected, Batch entries, Change change, Done done) {
  const std::uint64_t bytes = batch_bytes(entries);
  auto work = [this, id = std::move(id), expected, entries,
               change = std::move(change)](Connection& connection) -> Outcome {
    return append_to_run(connection, id, expected, entries, change, settings_.file);
  };
  submit({std::move(work), std::move(done), bytes});
}

void SqliteStore::waits(std::string id, std::string why) {
  auto work = [id = std::move(id), why = std::move(why)](Connection& connection) -> Outcome {
    return note_waits(connection, id, why);
  };
  submit({std::move(work), [](const Outcome&) {}, 0});
}

Result<bool> SqliteStore::adopt(std::string_view id) {
  const Outcome outcome =
      written([id = std::string(id)](Connection& connection) -> Outcome { return adopt_run(connection, id); });
  return outcome ? Result<bool>(*outcome) : Result<bool>(true);
}

Result<std::uint64_t> SqliteStore::begin(std::uint64_t newest, const std::vector<std::string>& waiting) {
  const Outcome outcome =
      written([newest, waiting](Connection& connection) -> Outcome { return begin_told(connection, newest, waiting); });
  return outcome ? Result<std::uint64_t>(*outcome) : readers_.read<std::uint64_t>(told_since);
}

Result<std::optional<std::uint64_t>> SqliteStore::told(std::string_view run) {
  return readers_.read<std::optional<std::uint64_t>>(
      [run](Connection& connection) { return told_of(connection, run); });
}

Result<bool> SqliteStore::mark(const std::string& run, std::uint64_t entries) {
  const auto there = std::make_shared<bool>(false);
  const Outcome outcome = written(
      [run, entries, there](Connection& connection) -> Outcome { return mark_told(connection, run, entries, *there); });
  return outcome ? Result<bool>(*outcome) : Result<bool>(*there);
}

Result<Claimed> SqliteStore::claim(const ClaimWish& wish) {
  const auto out = std::make_shared<Claimed>();
  const Outcome outcome =
      written([out, wish](Connection& connection) -> Outcome { return claim_names(connection, wish, *out); });
  if (outcome) {
    return *outcome;
  }
  return *out;
}

Result<bool> SqliteStore::remove(std::string_view id) {
  const Outcome outcome = written([id = std::string(id)](Connection& connection) -> Outcome {
    std::uint64_t texts = 0;
    return remove_run(connection, id, texts);
  });
  return outcome ? Result<bool>(*outcome) : Result<bool>(true);
}

Result<Removed> SqliteStore::remove_ended(std::uint64_t ended_before_ms) {
  Removed all;
  for (;;) {
    const auto removed = std::make_shared<Removed>();
    const Outcome outcome = written([removed, ended_before_ms](Connection& connection) -> Outcome {
      *removed = remove_some_ended(connection, ended_before_ms, removed_at_once);
      return std::nullopt;
    });
    if (outcome) {
      return *outcome;
    }
    all.runs += removed->runs;
    all.texts += removed->texts;
    if (removed->runs < removed_at_once) {
      return all;
    }
  }
}

// ---------------------------------------------------------------- reading

Result<RunRow> SqliteStore::find(std::string_view id) {
  return readers_.read<RunRow>([&](Connection& connection) { return find_run(connection, id); });
}

Result<RunRow> SqliteStore::find_request(std::string_view owner, std::string_view request_key) {
  return readers_.read<RunRow>(
      [&](Connection& connection) { return find_run_of_request(connection, owner, request_key); });
}

Result<Page> SqliteStore::list(const ListQuery& query) {
  return readers_.read<Page>([&](Connection& connection) { return list_runs(connection, query); });
}

Result<std::vector<RunRow>> SqliteStore::waiting() {
  return readers_.read<std::vector<RunRow>>([&](Connection& connection) { return waiting_runs(connection); });
}

Result<JournalPart> SqliteStore::journal(std::string_view id, std::uint64_t from, std::size_t entries_max,
                                         std::uint64_t bytes_max) {
  return readers_.read<JournalPart>(
      [&](Connection& connection) { return read_entries(connection, id, from, entries_max, bytes_max); });
}

}  // namespace

Result<std::unique_ptr<Store>> open_sqlite(const SqliteSettings& wanted) {
  SqliteSettings settings = wanted;
  std::string passing;
  if (settings.file == ":memory:") {
    // Readers have connections of their own, so it is a file for all that: in memory where the system has a place
    // there.
    const char* place = ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : std::getenv("TMPDIR");
    passing = std::string(place == nullptr ? "/tmp" : place) + "/plumb_store_XXXXXX";
    if (::mkdtemp(passing.data()) == nullptr) {
      return store_error(ErrorCode::unavailable, std::string("cannot be made: ") + std::strerror(errno), passing);
    }
    settings.file = passing + "/runs.db";
  }
  std::optional<StoreLock> lock;
  if (settings.read_only && is_older(settings.file)) {
    // Nobody reads the form of an earlier version any more: brought up to date where nobody else writes it.
    SqliteSettings writing = settings;
    writing.read_only = false;
    (void)open_sqlite(writing);
  }
  if (!settings.read_only) {
    Result<StoreLock> taken = StoreLock::take(settings.file, settings.server, settings.beside);
    if (!taken) {
      return taken.error();
    }
    lock.emplace(std::move(taken).value());
  }
  auto store = std::make_unique<SqliteStore>(settings, std::move(lock), passing);
  if (std::optional<Error> error = store->open()) {
    return *error;
  }
  store->opened();
  return std::unique_ptr<Store>(std::move(store));
}

}  // namespace plumb::store
