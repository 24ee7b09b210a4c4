// One thread writes, and takes what has come together into one transaction: a commit costs one wait for the disk,
// however many runs share it. Every operation looks before it writes (is the run there, has it as many entries as
// expected), so a refused one leaves the others of its transaction alone. When a transaction fails, its operations are
// tried again one by one: on a full disk a small append may still fit, and each gets its own answer.

#include "native/store/sqlite_store.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <future>
#include <map>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>

#include "native/store/schema.hpp"
#include "native/store/store_lock.hpp"

namespace plumb::store {

namespace {

constexpr std::size_t readers_kept = 8;
constexpr std::size_t removed_at_once = 100;  // runs of one transaction, so that appends need not wait for long
constexpr std::size_t limit_max = 1000;
constexpr std::uint64_t number_max = 0xFFFFFFFF;  // of an entry in its run

constexpr const char* row_columns =
    "number, id, pipeline, version, owner, fingerprint, request_key, state, error, created_ms, changed_ms, entries, "
    "bytes, forked_from, imported";

Error store_error(ErrorCode code, std::string message, std::string where) {
  return Error{code, std::move(message), std::move(where), 0, 0};
}

Error not_there(std::string_view id) {
  return store_error(ErrorCode::not_found, "there is no run '" + std::string(id) + "'", "");
}

// What SQLite says, as a sentence that helps.
Error sqlite_error(const SQLite::Exception& error, sqlite3* database, const std::string& file) {
  std::string message;
  const int system = database == nullptr ? 0 : sqlite3_system_errno(database);
  switch (error.getErrorCode()) {
    case SQLITE_FULL:
      message = "cannot be written: the disk is full";
      break;
    case SQLITE_READONLY:
      message = "cannot be written: it is read-only";
      break;
    case SQLITE_CANTOPEN:
      message = "cannot be opened";
      break;
    case SQLITE_NOTADB:
      message = "is no store of runs";
      break;
    default:
      message = std::string("cannot be read or written: ") + error.what();
      break;
  }
  if (system != 0 && error.getErrorCode() != SQLITE_FULL) {
    message += std::string(" (") + std::strerror(system) + ")";
  }
  return store_error(ErrorCode::unavailable, std::move(message), file);
}

std::int64_t number_of(std::uint64_t value) { return static_cast<std::int64_t>(value); }

std::uint64_t batch_bytes(const Batch& batch) {
  std::uint64_t bytes = 0;
  for (const run::Stored& entry : *batch) {
    bytes += entry.line.size();
    for (const run::Blob& blob : entry.blobs) {
      bytes += blob.text.size();
    }
  }
  return bytes;
}

bool state_of(std::string_view name, run::State& state) {
  for (const run::State one : {run::State::waiting, run::State::done, run::State::failed, run::State::cancelled}) {
    if (run::state_name(one) == name) {
      state = one;
      return true;
    }
  }
  return false;
}

// A connection with its prepared statements.
class Connection {
 public:
  Connection(const std::string& file, int flags, int busy_ms) : database_(file, flags, busy_ms) {}

  SQLite::Database& database() { return database_; }
  SQLite::Statement& prepared(const std::string& sql) {
    std::unique_ptr<SQLite::Statement>& statement = statements_[sql];
    if (statement == nullptr) {
      statement = std::make_unique<SQLite::Statement>(database_, sql);
    }
    statement->tryReset();
    statement->clearBindings();
    return *statement;
  }

 private:
  SQLite::Database database_;
  std::map<std::string, std::unique_ptr<SQLite::Statement>> statements_;
};

// Leaves the statement so that it holds no lock.
class Use {
 public:
  explicit Use(SQLite::Statement& statement) : statement_(statement) {}
  ~Use() { statement_.tryReset(); }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  SQLite::Statement* operator->() { return &statement_; }
  SQLite::Statement& operator*() { return statement_; }

 private:
  SQLite::Statement& statement_;
};

RunRow row_of(SQLite::Statement& statement) {
  auto text = [&](int column) { return statement.getColumn(column).getString(); };
  auto number = [&](int column) { return static_cast<std::uint64_t>(statement.getColumn(column).getInt64()); };
  RunRow row;
  row.number = number(0);
  row.id = text(1);
  row.pipeline = text(2);
  row.version = number(3);
  row.owner = text(4);
  row.fingerprint = text(5);
  row.request_key = text(6);
  state_of(text(7), row.state);
  row.error = text(8);
  row.created_ms = number(9);
  row.changed_ms = number(10);
  row.entries = number(11);
  row.bytes = number(12);
  row.forked_from = text(13);
  row.imported = number(14) != 0;
  return row;
}

// Something that the writer does inside a transaction. An error: it was refused and has written nothing.
struct Operation {
  std::function<Outcome(Connection&)> work;
  Done done;
  std::uint64_t bytes = 0;
};

class SqliteStore final : public Store {
 public:
  // `passing`: the folder goes with the store.
  SqliteStore(SqliteSettings settings, std::optional<StoreLock> lock, std::string passing)
      : settings_(std::move(settings)), lock_(std::move(lock)), passing_(std::move(passing)) {}
  ~SqliteStore() override;
  std::optional<Error> open();

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

 private:
  void submit(Operation operation);
  void write();
  void write_group(std::vector<Operation>& group, std::vector<Outcome>& outcomes);
  // Does it and waits.
  Outcome written(std::function<Outcome(Connection&)> work);
  void put_entries(Connection& connection, std::int64_t run, const std::vector<run::Stored>& entries);

  template <class T>
  Result<T> read(const std::function<Result<T>(Connection&)>& work);

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

  std::mutex readers_mutex_;
  std::vector<std::unique_ptr<Connection>> readers_;
};

std::optional<Error> SqliteStore::open() {
  if (settings_.read_only) {
    if (::access(settings_.file.c_str(), F_OK) != 0) {
      return store_error(ErrorCode::not_found, "there is no store of runs here yet", settings_.file);
    }
    const Result<bool> fits = read<bool>([&](Connection& connection) -> Result<bool> {
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
  // Made here, so that it is nobody else's to read; SQLite gives its other files the same mode.
  const int made = ::open(settings_.file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (made < 0) {
    return store_error(ErrorCode::unavailable, std::string("cannot be opened for writing: ") + std::strerror(errno),
                       settings_.file);
  }
  ::close(made);
  try {
    writer_ = std::make_unique<Connection>(settings_.file, SQLite::OPEN_READWRITE, static_cast<int>(settings_.busy_ms));
    SQLite::Database& database = writer_->database();
    SQLite::Statement mode(database, "PRAGMA journal_mode = WAL");
    if (!mode.executeStep() || mode.getColumn(0).getString() != "wal") {
      return store_error(ErrorCode::unavailable, "has no write-ahead log: this file system cannot share memory",
                         settings_.file);
    }
    mode.tryReset();
    database.exec("PRAGMA synchronous = FULL");
    database.exec("PRAGMA foreign_keys = ON");
    database.exec("PRAGMA wal_autocheckpoint = 4000");  // pages of 4 KB
    database.exec("PRAGMA temp_store = MEMORY");
    database.exec("PRAGMA secure_delete = ON");  // what is removed is gone from the file
    if (std::optional<Error> error = bring_up_to_date(database, migrations(), settings_.file)) {
      return error;
    }
    database.exec("CREATE TEMP TABLE gone (number INTEGER PRIMARY KEY)");
    database.exec("CREATE TEMP TABLE gone_texts (number INTEGER PRIMARY KEY)");
  } catch (const SQLite::Exception& error) {
    return sqlite_error(error, writer_ == nullptr ? nullptr : writer_->database().getHandle(), settings_.file);
  }
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

void SqliteStore::put_entries(Connection& connection, std::int64_t run, const std::vector<run::Stored>& entries) {
  for (const run::Stored& entry : entries) {
    int place = 0;
    for (const run::Blob& blob : entry.blobs) {
      Use text(connection.prepared("INSERT INTO texts (hash, text) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING"));
      text->bindNoCopy(1, blob.hash);
      text->bindNoCopy(2, blob.text);
      text->exec();
      Use named(connection.prepared(
          "INSERT INTO entry_texts (run, n, place, text) SELECT ?, ?, ?, number FROM texts WHERE hash = ?"));
      named->bind(1, run);
      named->bind(2, number_of(entry.number));
      named->bind(3, place++);
      named->bindNoCopy(4, blob.hash);
      named->exec();
    }
    Use line(connection.prepared("INSERT INTO lines (number, line) VALUES ((? << 32) | ?, ?)"));
    line->bind(1, run);
    line->bind(2, number_of(entry.number));
    line->bindNoCopy(3, entry.line);
    line->exec();
  }
}

void SqliteStore::create(RunRow row, Batch entries, Done done) {
  const std::uint64_t bytes = batch_bytes(entries);
  auto work = [this, row = std::move(row), entries, bytes](Connection& connection) -> Outcome {
    auto there = [&](const char* sql, const std::string& first, const std::string& second) -> std::string {
      Use found(connection.prepared(sql));
      found->bindNoCopy(1, first);
      if (!second.empty()) {
        found->bindNoCopy(2, second);
      }
      return found->executeStep() ? found->getColumn(0).getString() : std::string();
    };
    if (!there("SELECT id FROM runs WHERE id = ?", row.id, "").empty()) {
      return store_error(ErrorCode::invalid_argument, "the run '" + row.id + "' is in the store already",
                         settings_.file);
    }
    if (!row.request_key.empty()) {
      const std::string other =
          there("SELECT id FROM runs WHERE request_key = ?2 AND owner = ?1", row.owner, row.request_key);
      if (!other.empty()) {
        return store_error(ErrorCode::invalid_argument, "the run '" + other + "' has this request key already",
                           settings_.file);
      }
    }
    if (!row.fingerprint.empty() && row.state == run::State::waiting) {
      const std::string other =
          there("SELECT id FROM runs WHERE fingerprint = ? AND state = 'waiting'", row.fingerprint, "");
      if (!other.empty()) {
        return store_error(ErrorCode::invalid_argument, "the run '" + other + "' has this fingerprint and goes on",
                           settings_.file);
      }
    }
    Use added(
        connection.prepared("INSERT INTO runs (id, pipeline, version, owner, fingerprint, request_key, state, error, "
                            "created_ms, changed_ms, "
                            "entries, bytes, forked_from, imported) "
                            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
    added->bindNoCopy(1, row.id);
    added->bindNoCopy(2, row.pipeline);
    added->bind(3, number_of(row.version));
    added->bindNoCopy(4, row.owner);
    added->bindNoCopy(5, row.fingerprint);
    added->bindNoCopy(6, row.request_key);
    added->bind(7, std::string(run::state_name(row.state)));
    added->bindNoCopy(8, row.error);
    added->bind(9, number_of(row.created_ms));
    added->bind(10, number_of(row.changed_ms));
    added->bind(11, number_of(entries->size()));
    added->bind(12, number_of(bytes));
    added->bindNoCopy(13, row.forked_from);
    added->bind(14, row.imported ? 1 : 0);
    added->exec();
    put_entries(connection, connection.database().getLastInsertRowid(), *entries);
    return std::nullopt;
  };
  submit({std::move(work), std::move(done), bytes});
}

void SqliteStore::append(std::string id, std::uint64_t expected, Batch entries, Change change, Done done) {
  const std::uint64_t bytes = batch_bytes(entries);
  auto work = [this, id = std::move(id), expected, entries, change = std::move(change),
               bytes](Connection& connection) -> Outcome {
    std::int64_t run = 0;
    {
      Use found(connection.prepared("SELECT number, entries, state FROM runs WHERE id = ?"));
      found->bindNoCopy(1, id);
      if (!found->executeStep()) {
        return not_there(id);
      }
      run = found->getColumn(0).getInt64();
      const std::int64_t has = found->getColumn(1).getInt64();
      if (has != number_of(expected)) {
        return store_error(ErrorCode::invalid_argument,
                           "the run '" + id + "' has " + std::to_string(has) + " entries, not " +
                               std::to_string(expected) + ": something else has gone on with it",
                           settings_.file);
      }
      if (found->getColumn(2).getString() != "waiting") {
        return store_error(ErrorCode::invalid_argument, "the run '" + id + "' has ended", settings_.file);
      }
    }
    put_entries(connection, run, *entries);
    Use changed(connection.prepared(
        "UPDATE runs SET entries = entries + ?, bytes = bytes + ?, changed_ms = max(changed_ms, ?), error = ? "
        "WHERE number = ?"));
    changed->bind(1, number_of(entries->size()));
    changed->bind(2, number_of(bytes));
    changed->bind(3, number_of(change.at_ms));
    changed->bindNoCopy(4, change.error);
    changed->bind(5, run);
    changed->exec();
    if (change.state != run::State::waiting) {
      Use ended(connection.prepared("UPDATE runs SET state = ? WHERE number = ?"));
      ended->bind(1, std::string(run::state_name(change.state)));
      ended->bind(2, run);
      ended->exec();
      Use freed(connection.prepared("DELETE FROM claims WHERE run = ?"));
      freed->bind(1, run);
      freed->exec();
    }
    return std::nullopt;
  };
  submit({std::move(work), std::move(done), bytes});
}

void SqliteStore::waits(std::string id, std::string why) {
  auto work = [id = std::move(id), why = std::move(why)](Connection& connection) -> Outcome {
    Use told(connection.prepared("UPDATE runs SET error = ? WHERE id = ? AND state = 'waiting'"));
    told->bindNoCopy(1, why);
    told->bindNoCopy(2, id);
    told->exec();
    return std::nullopt;
  };
  submit({std::move(work), [](const Outcome&) {}, 0});
}

Result<bool> SqliteStore::adopt(std::string_view id) {
  const Outcome outcome = written([id = std::string(id)](Connection& connection) -> Outcome {
    Use adopted(connection.prepared("UPDATE runs SET imported = 0 WHERE id = ?"));
    adopted->bindNoCopy(1, id);
    return adopted->exec() == 1 ? Outcome() : Outcome(not_there(id));
  });
  return outcome ? Result<bool>(*outcome) : Result<bool>(true);
}

Result<Claimed> SqliteStore::claim(const ClaimWish& wish) {
  const auto out = std::make_shared<Claimed>();
  const Outcome outcome = written([out, wish](Connection& connection) -> Outcome {
    *out = {};
    std::int64_t number = 0;
    {
      Use run(connection.prepared("SELECT number FROM runs WHERE id = ? AND state = 'waiting'"));
      run->bindNoCopy(1, wish.run);
      if (!run->executeStep()) {
        return not_there(wish.run);
      }
      number = run->getColumn(0).getInt64();
    }
    for (const std::string& name : wish.names) {
      Use found(
          connection.prepared("SELECT claims.run, runs.id, claims.part FROM claims JOIN runs ON runs.number = "
                              "claims.run WHERE claims.name = ?"));
      found->bindNoCopy(1, name);
      if (found->executeStep() &&
          (found->getColumn(0).getInt64() != number || found->getColumn(2).getString() != wish.by)) {
        out->held.push_back({name, found->getColumn(1).getString(), found->getColumn(2).getString()});
      }
    }
    out->granted = out->held.empty() && !wish.release;
    for (const std::string& name : wish.names) {
      if (wish.release) {
        Use freed(connection.prepared("DELETE FROM claims WHERE name = ? AND run = ? AND part = ?"));
        freed->bindNoCopy(1, name);
        freed->bind(2, number);
        freed->bindNoCopy(3, wish.by);
        freed->exec();
      } else if (out->granted) {
        Use taken(
            connection.prepared("INSERT INTO claims (name, run, part) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING"));
        taken->bindNoCopy(1, name);
        taken->bind(2, number);
        taken->bindNoCopy(3, wish.by);
        taken->exec();
      }
    }
    return std::nullopt;
  });
  if (outcome) {
    return *outcome;
  }
  return *out;
}

namespace {

// The runs of the table `gone`, their journals, and texts that no other run refers to. How many texts.
std::uint64_t remove_gone(SQLite::Database& database) {
  database.exec("DELETE FROM gone_texts");
  database.exec("INSERT OR IGNORE INTO gone_texts SELECT text FROM entry_texts WHERE run IN (SELECT number FROM gone)");
  database.exec("DELETE FROM runs WHERE number IN (SELECT number FROM gone)");
  return static_cast<std::uint64_t>(
      database.exec("DELETE FROM texts WHERE number IN (SELECT number FROM gone_texts) AND NOT EXISTS "
                    "(SELECT 1 FROM entry_texts WHERE entry_texts.text = texts.number)"));
}

}  // namespace

Result<bool> SqliteStore::remove(std::string_view id) {
  const auto there = std::make_shared<bool>(false);
  const Outcome outcome = written([there, id = std::string(id)](Connection& connection) -> Outcome {
    SQLite::Database& database = connection.database();
    Use state(connection.prepared("SELECT state FROM runs WHERE id = ?"));
    state->bindNoCopy(1, id);
    if (!state->executeStep()) {
      return not_there(id);
    }
    if (state->getColumn(0).getString() == "waiting") {
      return store_error(ErrorCode::invalid_argument, "the run has not ended; cancel it first", "run " + id);
    }
    database.exec("DELETE FROM gone");
    Use chosen(connection.prepared("INSERT INTO gone SELECT number FROM runs WHERE id = ?"));
    chosen->bindNoCopy(1, id);
    *there = chosen->exec() == 1;
    (void)remove_gone(database);
    return std::nullopt;
  });
  if (outcome) {
    return *outcome;
  }
  return *there;
}

Result<Removed> SqliteStore::remove_ended(std::uint64_t ended_before_ms) {
  Removed all;
  for (;;) {
    const auto removed = std::make_shared<Removed>();
    const Outcome outcome = written([removed, ended_before_ms](Connection& connection) -> Outcome {
      SQLite::Database& database = connection.database();
      database.exec("DELETE FROM gone");
      Use chosen(
          connection.prepared("INSERT INTO gone SELECT number FROM runs WHERE state <> 'waiting' AND changed_ms < ? "
                              "ORDER BY changed_ms LIMIT ?"));
      chosen->bind(1, number_of(ended_before_ms));
      chosen->bind(2, number_of(removed_at_once));
      removed->runs = static_cast<std::uint64_t>(chosen->exec());
      removed->texts = remove_gone(database);
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

template <class T>
Result<T> SqliteStore::read(const std::function<Result<T>(Connection&)>& work) {
  std::unique_ptr<Connection> connection;
  {
    const std::lock_guard<std::mutex> lock(readers_mutex_);
    if (!readers_.empty()) {
      connection = std::move(readers_.back());
      readers_.pop_back();
    }
  }
  try {
    if (connection == nullptr) {
      connection =
          std::make_unique<Connection>(settings_.file, SQLite::OPEN_READONLY, static_cast<int>(settings_.busy_ms));
    }
    Result<T> result = [&] {
      // What one call reads is of one moment.
      const SQLite::Transaction transaction(connection->database());
      return work(*connection);
    }();
    const std::lock_guard<std::mutex> lock(readers_mutex_);
    if (readers_.size() < readers_kept) {
      readers_.push_back(std::move(connection));
    }
    return result;
  } catch (const SQLite::Exception& error) {
    return sqlite_error(error, connection == nullptr ? nullptr : connection->database().getHandle(), settings_.file);
  }
}

Result<RunRow> SqliteStore::find(std::string_view id) {
  return read<RunRow>([&](Connection& connection) -> Result<RunRow> {
    Use found(connection.prepared(std::string("SELECT ") + row_columns + " FROM runs WHERE id = ?"));
    found->bind(1, std::string(id));
    if (!found->executeStep()) {
      return not_there(id);
    }
    return row_of(*found);
  });
}

Result<RunRow> SqliteStore::find_request(std::string_view owner, std::string_view request_key) {
  return read<RunRow>([&](Connection& connection) -> Result<RunRow> {
    Use found(connection.prepared(std::string("SELECT ") + row_columns +
                                  " FROM runs WHERE owner = ? AND request_key = ? AND request_key <> ''"));
    found->bind(1, std::string(owner));
    found->bind(2, std::string(request_key));
    if (!found->executeStep()) {
      return store_error(ErrorCode::not_found, "no run has this request key", "");
    }
    return row_of(*found);
  });
}

Result<Page> SqliteStore::list(const ListQuery& query) {
  if (query.limit == 0 || query.limit > limit_max) {
    return store_error(ErrorCode::invalid_argument, "a page has 1 to 1000 runs", "");
  }
  return read<Page>([&](Connection& connection) -> Result<Page> {
    std::string sql = std::string("SELECT ") + row_columns + " FROM runs WHERE 1";
    sql += query.before != 0 ? " AND number < ?1" : "";
    sql += query.pipeline.empty() ? "" : " AND pipeline = ?2";
    sql += query.owner.empty() ? "" : " AND owner = ?3";
    sql += query.state ? " AND state = ?4" : "";
    sql += " ORDER BY number DESC LIMIT ?5";
    Use found(connection.prepared(sql));
    if (query.before != 0) {
      found->bind(1, number_of(query.before));
    }
    if (!query.pipeline.empty()) {
      found->bind(2, query.pipeline);
    }
    if (!query.owner.empty()) {
      found->bind(3, query.owner);
    }
    if (query.state) {
      found->bind(4, std::string(run::state_name(*query.state)));
    }
    found->bind(5, number_of(query.limit + 1));
    Page page;
    while (found->executeStep()) {
      if (page.runs.size() == query.limit) {
        page.next = page.runs.back().number;
        break;
      }
      page.runs.push_back(row_of(*found));
    }
    return page;
  });
}

Result<std::vector<RunRow>> SqliteStore::waiting() {
  return read<std::vector<RunRow>>([&](Connection& connection) -> Result<std::vector<RunRow>> {
    Use found(connection.prepared(std::string("SELECT ") + row_columns +
                                  " FROM runs WHERE state = 'waiting' ORDER BY number"));
    std::vector<RunRow> rows;
    while (found->executeStep()) {
      rows.push_back(row_of(*found));
    }
    return rows;
  });
}

Result<JournalPart> SqliteStore::journal(std::string_view id, std::uint64_t from, std::size_t entries_max,
                                         std::uint64_t bytes_max) {
  return read<JournalPart>([&](Connection& connection) -> Result<JournalPart> {
    JournalPart part;
    std::int64_t run = 0;
    {
      Use found(connection.prepared("SELECT number, entries FROM runs WHERE id = ?"));
      found->bind(1, std::string(id));
      if (!found->executeStep()) {
        return not_there(id);
      }
      run = found->getColumn(0).getInt64();
      part.total = static_cast<std::uint64_t>(found->getColumn(1).getInt64());
    }
    Use lines(connection.prepared(
        "SELECT number & 4294967295, line FROM lines WHERE number >= ((?1 << 32) | ?2) AND number < ((?1 + 1) << 32) "
        "ORDER BY number"));
    lines->bind(1, run);
    lines->bind(2, number_of(std::min(from, number_max)));
    std::uint64_t bytes = 0;
    while (part.entries.size() < entries_max && lines->executeStep()) {
      run::Stored entry;
      entry.number = static_cast<std::uint64_t>(lines->getColumn(0).getInt64());
      entry.line = lines->getColumn(1).getString();
      bytes += entry.line.size();
      Use texts(
          connection.prepared("SELECT texts.hash, texts.text FROM entry_texts JOIN texts ON texts.number = "
                              "entry_texts.text WHERE run = ? AND "
                              "n = ? ORDER BY place"));
      texts->bind(1, run);
      texts->bind(2, number_of(entry.number));
      while (texts->executeStep()) {
        entry.blobs.push_back({texts->getColumn(0).getString(), texts->getColumn(1).getString()});
        bytes += entry.blobs.back().text.size();
      }
      if (bytes > bytes_max && !part.entries.empty()) {
        break;
      }
      part.entries.push_back(std::move(entry));
    }
    return part;
  });
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
    Result<StoreLock> taken = StoreLock::take(settings.file, settings.server);
    if (!taken) {
      return taken.error();
    }
    lock.emplace(std::move(taken).value());
  }
  auto store = std::make_unique<SqliteStore>(settings, std::move(lock), passing);
  if (std::optional<Error> error = store->open()) {
    return *error;
  }
  return std::unique_ptr<Store>(std::move(store));
}

Result<run::Journal> read_journal(Store& store, std::string_view id) {
  constexpr std::size_t entries_at_once = 1000;
  constexpr std::uint64_t bytes_at_once = std::uint64_t{32} << 20U;
  std::vector<run::Stored> entries;
  for (;;) {
    Result<JournalPart> part = store.journal(id, entries.size(), entries_at_once, bytes_at_once);
    if (!part) {
      return part.error();
    }
    if (part.value().entries.empty()) {
      break;
    }
    for (run::Stored& entry : part.value().entries) {
      entries.push_back(std::move(entry));
    }
    if (entries.size() >= part.value().total) {
      break;
    }
  }
  std::vector<std::string_view> lines;
  std::unordered_map<std::string_view, const std::string*> texts;
  for (const run::Stored& entry : entries) {
    lines.push_back(entry.line);
    for (const run::Blob& blob : entry.blobs) {
      texts.emplace(blob.hash, &blob.text);
    }
  }
  Result<run::Journal> journal = run::Journal::read(lines, [&](std::string_view hash) -> const std::string* {
    const auto found = texts.find(hash);
    return found == texts.end() ? nullptr : found->second;
  });
  if (!journal) {
    Error error = journal.error();
    error.where = "run " + std::string(id);
    return error;
  }
  return journal;
}

}  // namespace plumb::store
