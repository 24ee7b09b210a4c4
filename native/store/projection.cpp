#include "native/store/projection.hpp"

#include <array>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "core/reason.hpp"
#include "native/store/run_tables.hpp"

namespace plumb::store {

namespace {

constexpr int busy_ms = 10'000;
constexpr std::uint64_t run_number_max = 0x7FFFFFFF;  // an entry's number has its run's above 32 bits
constexpr int erased_at_once = 100;
constexpr int files_max = 16;  // processes of one user on one machine

constexpr const char* log_tables = R"sql(
CREATE TABLE IF NOT EXISTS log (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  made TEXT NOT NULL,
  position INTEGER NOT NULL,
  last_id TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS log_hosts (
  host TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS log_runs (
  run INTEGER PRIMARY KEY REFERENCES runs (number) ON DELETE CASCADE,
  sequence INTEGER NOT NULL,
  driver TEXT NOT NULL,
  id TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS log_messages (
  sequence INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE
) STRICT;
CREATE INDEX IF NOT EXISTS log_messages_run ON log_messages (run);
CREATE TABLE IF NOT EXISTS log_bodies (
  name TEXT PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS log_bodies_run ON log_bodies (run);
CREATE TABLE IF NOT EXISTS log_refused (
  sequence INTEGER PRIMARY KEY
) STRICT;
CREATE TABLE IF NOT EXISTS log_gone (
  id TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS log_gone_sequence ON log_gone (sequence);
)sql";

// Columns that a copy of an earlier version has not. Of when its runs were removed nothing is known: now.
constexpr std::array<std::array<const char*, 2>, 2> later_columns = {{{"log", "current_ms"}, {"log_gone", "at_ms"}}};

void add_later_columns(SQLite::Database& database, std::uint64_t now_ms) {
  for (const auto& [table, column] : later_columns) {
    SQLite::Statement there(database, "SELECT 1 FROM pragma_table_info(?) WHERE name = ?");
    there.bind(1, table);
    there.bind(2, column);
    if (!there.executeStep()) {
      database.exec(std::string("ALTER TABLE ") + table + " ADD COLUMN " + column + " INTEGER NOT NULL DEFAULT 0");
      database.exec(std::string("UPDATE ") + table + " SET " + column + " = " + std::to_string(now_ms));
    }
  }
}

bool set_aside(const std::string& file) {
  std::error_code failed;
  for (const char* part : {"-wal", "-shm"}) {
    std::filesystem::remove(file + part, failed);
  }
  std::filesystem::rename(file, file + ".aside", failed);
  return !failed;
}

}  // namespace

Result<std::unique_ptr<Projection>> Projection::open(Place& place) {
  for (int n = 1;; ++n) {
    const std::string file = place.file + (n == 1 ? "" : "-" + std::to_string(n)) + ".db";
    Result<StoreLock> lock = StoreLock::take(file);
    if (!lock) {
      if (lock.error().reason == Reason::in_use && n < files_max) {
        continue;
      }
      return lock.error();
    }
    std::unique_ptr<Projection> out(new Projection(file, std::move(lock).value()));
    if (std::optional<Error> error = out->begin(place)) {
      return *error;
    }
    return out;
  }
}

std::optional<Error> Projection::begin(Place& place) {
  for (int round = 0;; ++round) {
    Result<std::unique_ptr<Connection>> writer = open_for_writing(file_, busy_ms, false);
    if (!writer) {
      return writer.error();
    }
    writer_ = std::move(writer).value();
    writer_->keep_text_numbers();
    try {
      SQLite::Database& database = writer_->database();
      database.exec("PRAGMA cache_size = -8192");  // 8 MB: hashes of texts lie all over their index
      database.exec(log_tables);
      add_later_columns(database, place.now_ms);
      std::string made;
      std::uint64_t current_ms = 0;
      {
        Use row(writer_->prepared("SELECT made, position, last_id, current_ms FROM log"));
        if (row->executeStep()) {
          made = row->getColumn(0).getString();
          position_ = static_cast<std::uint64_t>(row->getColumn(1).getInt64());
          last_id_ = row->getColumn(2).getString();
          current_ms = static_cast<std::uint64_t>(row->getColumn(3).getInt64());
        }
      }
      const bool other = !made.empty() && made != place.log.made;
      const bool ahead = !made.empty() && !other && position_ > place.log.last;
      const bool outdated = !made.empty() && place.now_ms > current_ms + place.kept_ms;
      if ((other || ahead || outdated) && round == 0) {
        place.told = ahead
                         ? "the servers have " + std::to_string(place.log.last) + " messages, and this host had read " +
                               std::to_string(position_) + ": what came after was lost there, by a loss of power"
                     : other ? "the log was made anew since this host last read it"
                             : "this host has not read the log for so long that it may have missed which runs were "
                               "removed";
        place.told += "; what this host had read is set aside as " + file_ + ".aside";
        writer_.reset();
        if (!set_aside(file_)) {
          return store_error(ErrorCode::unavailable, "is of another log, and cannot be set aside", file_);
        }
        position_ = 0;
        last_id_.clear();
        continue;
      }
      Use now(writer_->prepared(
          "INSERT OR IGNORE INTO log (one, made, position, last_id, current_ms) VALUES (1, ?, 0, '', ?)"));
      now->bindNoCopy(1, place.log.made);
      now->bind(2, number_of(place.now_ms));
      now->exec();
      begin_host(place.host);
    } catch (const SQLite::Exception& error) {
      return sqlite_error(error, writer_ == nullptr ? nullptr : writer_->database().getHandle(), file_);
    }
    return std::nullopt;
  }
}

// One process at a time has the file, so whoever had it before is no more; of those with runs that wait it is
// remembered.
void Projection::begin_host(const std::string& host) {
  writer_->database().exec(
      "DELETE FROM log_hosts WHERE NOT EXISTS (SELECT 1 FROM log_runs JOIN runs ON runs.number = log_runs.run WHERE "
      "driver = host AND state = 'waiting')");
  {
    Use before(writer_->prepared("SELECT host FROM log_hosts"));
    while (before->executeStep()) {
      hosts_before_.push_back(before->getColumn(0).getString());
    }
  }
  if (!host.empty()) {
    Use now(writer_->prepared("INSERT OR IGNORE INTO log_hosts (host) VALUES (?)"));
    now->bindNoCopy(1, host);
    now->exec();
  }
}

Result<std::vector<Applied>> Projection::apply(const std::vector<ReadMessage>& messages) {
  std::vector<Applied> out;
  try {
    SQLite::Transaction transaction(writer_->database(), SQLite::TransactionBehavior::IMMEDIATE);
    for (const ReadMessage& one : messages) {
      out.push_back(one.lost ? Applied{} : apply_one(one));
      if (out.back().refused) {
        refuse(one.message.sequence);
      }
    }
    Use now(writer_->prepared("UPDATE log SET position = ?, last_id = ?"));
    now->bind(1, number_of(messages.back().message.sequence));
    now->bindNoCopy(2, messages.back().message.id);
    now->exec();
    transaction.commit();
  } catch (const SQLite::Exception& error) {
    writer_->forget_text_numbers();
    return sqlite_error(error, writer_->database().getHandle(), file_);
  }
  position_ = messages.back().message.sequence;
  last_id_ = messages.back().message.id;
  return out;
}

std::int64_t Projection::number_of_run(const std::string& id) {
  Use found(writer_->prepared("SELECT number FROM runs WHERE id = ?"));
  found->bindNoCopy(1, id);
  return found->executeStep() ? found->getColumn(0).getInt64() : 0;
}

void Projection::note_message(const ReadMessage& one, std::int64_t run) {
  Use noted(writer_->prepared("INSERT OR IGNORE INTO log_messages (sequence, run) VALUES (?, ?)"));
  noted->bind(1, number_of(one.message.sequence));
  noted->bind(2, run);
  noted->exec();
}

void Projection::refuse(std::uint64_t sequence) {
  Use noted(writer_->prepared("INSERT OR IGNORE INTO log_refused (sequence) VALUES (?)"));
  noted->bind(1, number_of(sequence));
  noted->exec();
}

void Projection::note_run(const ReadMessage& one, std::int64_t run, bool drives) {
  if (drives) {
    Use noted(writer_->prepared(
        "INSERT INTO log_runs (run, sequence, driver, id) VALUES (?, ?, ?, ?) ON CONFLICT (run) DO UPDATE SET "
        "sequence = excluded.sequence, driver = excluded.driver, id = CASE WHEN ? THEN excluded.id ELSE id END"));
    noted->bind(1, run);
    noted->bind(2, number_of(one.message.sequence));
    noted->bindNoCopy(3, one.message.by);
    noted->bindNoCopy(4, one.message.id);
    noted->bind(5, one.op.op == LogOp::take ? 0 : 1);
    noted->exec();
    return;
  }
  Use noted(writer_->prepared("UPDATE log_runs SET sequence = ? WHERE run = ?"));
  noted->bind(1, number_of(one.message.sequence));
  noted->bind(2, run);
  noted->exec();
}

void Projection::gone(const ReadMessage& one, Applied& out) {
  {
    Use messages(writer_->prepared(
        "SELECT sequence FROM log_messages WHERE run = (SELECT number FROM runs WHERE id = ?) ORDER BY sequence"));
    messages->bindNoCopy(1, one.op.run);
    while (messages->executeStep()) {
      out.messages.push_back(static_cast<std::uint64_t>(messages->getColumn(0).getInt64()));
    }
    Use texts(writer_->prepared(
        "SELECT name FROM log_bodies WHERE run = (SELECT number FROM runs WHERE id = ?1) UNION ALL "
        "SELECT hash FROM texts WHERE length(CAST(text AS BLOB)) > ?2 AND number IN (SELECT text FROM entry_texts "
        "WHERE run = (SELECT number FROM runs WHERE id = ?1)) AND NOT EXISTS (SELECT 1 FROM entry_texts WHERE "
        "entry_texts.text = texts.number AND run <> (SELECT number FROM runs WHERE id = ?1))"));
    texts->bindNoCopy(1, one.op.run);
    texts->bind(2, number_of(often_bytes));
    while (texts->executeStep()) {
      out.texts.push_back(texts->getColumn(0).getString());
    }
  }
  if (one.old) {
    // Whoever removed the run did not come to its messages.
    for (const std::uint64_t sequence : out.messages) {
      refuse(sequence);
    }
  }
  out.outcome = remove_run(*writer_, one.op.run, out.texts_removed);
  if (out.outcome && out.outcome->code == ErrorCode::not_found) {
    out.outcome.reset();  // it was removed before this host had read of it
  }
  out.state = run::State::done;
  if (!out.outcome) {
    Use noted(writer_->prepared("INSERT OR REPLACE INTO log_gone (id, sequence, at_ms) VALUES (?, ?, ?)"));
    noted->bindNoCopy(1, one.op.run);
    noted->bind(2, number_of(one.message.sequence));
    noted->bind(3, number_of(one.message.at_ms));
    noted->exec();
  }
}

Applied Projection::apply_one(const ReadMessage& one) {
  Applied out;
  const LoggedOp& op = one.op;
  std::int64_t run = 0;
  switch (op.op) {
    case LogOp::create: {
      RunRow row = op.row;
      row.number = one.message.sequence;
      out.outcome = row.number > run_number_max
                        ? store_error(ErrorCode::limit, "has had 2,147,483,647 messages, the most there may be", file_)
                        : create_run(*writer_, row, op.entries, file_, op.more_bytes);
      run = number_of(row.number);
      break;
    }
    case LogOp::append:
      out.outcome = append_to_run(*writer_, op.run, op.expected, op.entries, op.change, file_, {&run, op.more_bytes});
      break;
    case LogOp::waits:
      out.outcome = note_waits(*writer_, op.run, op.why);
      break;
    case LogOp::adopt:
      out.outcome = adopt_run(*writer_, op.run);
      break;
    case LogOp::take: {
      const Result<RunRow> row = find_run(*writer_, op.run);
      if (!row) {
        out.outcome = row.error();
      } else if (row.value().state != run::State::waiting) {
        out.outcome = store_error(ErrorCode::invalid_argument, "the run '" + op.run + "' has ended", file_);
      }
      break;
    }
    case LogOp::gone:
      gone(one, out);
      return out;
    case LogOp::claim:
      out.outcome = claim_names(*writer_, op.wish, out.claimed);
      out.refused = out.outcome || (!op.wish.release && !out.claimed.granted);
      if (!out.refused) {
        note_message(one, number_of_run(op.run));
      }
      return out;
  }
  out.refused = out.outcome.has_value();
  if (out.refused) {
    return out;
  }
  run = run != 0 ? run : number_of_run(op.run);
  if (run == 0) {
    return out;
  }
  note_message(one, run);
  note_run(one, run, op.op == LogOp::create || op.op == LogOp::append || op.op == LogOp::take);
  if (!one.body_name.empty()) {
    Use named(writer_->prepared("INSERT OR IGNORE INTO log_bodies (name, run) VALUES (?, ?)"));
    named->bindNoCopy(1, one.body_name);
    named->bind(2, run);
    named->exec();
  }
  if (op.op == LogOp::append || op.op == LogOp::create) {
    out.entries = op.op == LogOp::append ? op.expected + op.entries->size() : op.entries->size();
    out.state = op.op == LogOp::append ? op.change.state : op.row.state;
    return out;
  }
  const Result<RunRow> row = find_run(*writer_, op.run);
  if (row) {
    out.entries = row.value().entries;
    out.state = row.value().state;
  }
  return out;
}

std::optional<std::uint64_t> Projection::text_bytes(const std::string& hash) {
  try {
    const Connection::TextNumber found = find_text(*writer_, hash);
    return found.number == 0 ? std::nullopt : std::optional(found.bytes);
  } catch (const SQLite::Exception&) {
    return std::nullopt;  // it is asked of the log
  }
}

Result<RunInLog> Projection::run(std::string_view id) {
  return readers_.read<RunInLog>([&](Connection& connection) -> Result<RunInLog> {
    const Result<RunRow> row = find_run(connection, id);
    if (!row) {
      return row.error();
    }
    RunInLog out;
    out.entries = row.value().entries;
    out.state = row.value().state;
    Use found(connection.prepared("SELECT sequence, driver, id FROM log_runs WHERE run = ?"));
    found->bind(1, number_of(row.value().number));
    if (found->executeStep()) {
      out.sequence = static_cast<std::uint64_t>(found->getColumn(0).getInt64());
      out.driver = found->getColumn(1).getString();
      out.id = found->getColumn(2).getString();
    }
    return out;
  });
}

Result<std::uint64_t> Projection::removed_at(std::string_view id) {
  return readers_.read<std::uint64_t>([&](Connection& connection) -> Result<std::uint64_t> {
    Use found(connection.prepared("SELECT sequence FROM log_gone WHERE id = ?"));
    found->bind(1, std::string(id));
    return found->executeStep() ? static_cast<std::uint64_t>(found->getColumn(0).getInt64()) : std::uint64_t{0};
  });
}

Result<std::vector<std::string>> Projection::drivers() {
  return readers_.read<std::vector<std::string>>([&](Connection& connection) -> Result<std::vector<std::string>> {
    Use found(connection.prepared(
        "SELECT DISTINCT driver FROM runs JOIN log_runs ON log_runs.run = runs.number WHERE state = 'waiting'"));
    std::vector<std::string> out;
    while (found->executeStep()) {
      out.push_back(found->getColumn(0).getString());
    }
    return out;
  });
}

Result<std::vector<std::string>> Projection::driven_by(const std::string& driver) {
  return readers_.read<std::vector<std::string>>([&](Connection& connection) -> Result<std::vector<std::string>> {
    Use found(connection.prepared(
        "SELECT runs.id FROM runs JOIN log_runs ON log_runs.run = runs.number WHERE state = 'waiting' AND driver = "
        "? ORDER BY number"));
    found->bind(1, driver);
    std::vector<std::string> out;
    while (found->executeStep()) {
      out.push_back(found->getColumn(0).getString());
    }
    return out;
  });
}

Result<std::vector<std::string>> Projection::ended_before(std::uint64_t ms, std::size_t runs_max) {
  return readers_.read<std::vector<std::string>>([&](Connection& connection) -> Result<std::vector<std::string>> {
    Use found(
        connection.prepared("SELECT id FROM runs WHERE state <> 'waiting' AND changed_ms < ? AND pipeline <> "
                            "'calibration' ORDER BY changed_ms LIMIT ?"));
    found->bind(1, number_of(ms));
    found->bind(2, number_of(runs_max));
    std::vector<std::string> out;
    while (found->executeStep()) {
      out.push_back(found->getColumn(0).getString());
    }
    return out;
  });
}

Result<bool> Projection::needs_text(const std::string& name) {
  return readers_.read<bool>([&](Connection& connection) -> Result<bool> {
    Use found(
        connection.prepared("SELECT 1 FROM log_bodies WHERE name = ?1 UNION ALL SELECT 1 FROM texts WHERE hash = ?1"));
    found->bind(1, name);
    return found->executeStep();
  });
}

Result<std::vector<std::uint64_t>> Projection::refused(std::uint64_t before) {
  return readers_.read<std::vector<std::uint64_t>>([&](Connection& connection) -> Result<std::vector<std::uint64_t>> {
    Use found(connection.prepared("SELECT sequence FROM log_refused WHERE sequence < ? ORDER BY sequence LIMIT ?"));
    found->bind(1, number_of(before));
    found->bind(2, erased_at_once);
    std::vector<std::uint64_t> out;
    while (found->executeStep()) {
      out.push_back(static_cast<std::uint64_t>(found->getColumn(0).getInt64()));
    }
    return out;
  });
}

Result<std::vector<std::uint64_t>> Projection::gone_before(std::uint64_t at_ms, std::uint64_t before) {
  return readers_.read<std::vector<std::uint64_t>>([&](Connection& connection) -> Result<std::vector<std::uint64_t>> {
    Use found(connection.prepared("SELECT sequence FROM log_gone WHERE at_ms < ? AND sequence < ? LIMIT ?"));
    found->bind(1, number_of(at_ms));
    found->bind(2, number_of(before));
    found->bind(3, erased_at_once);
    std::vector<std::uint64_t> out;
    while (found->executeStep()) {
      out.push_back(static_cast<std::uint64_t>(found->getColumn(0).getInt64()));
    }
    return out;
  });
}

void Projection::is_current(std::uint64_t at_ms) {
  try {
    Use now(writer_->prepared("UPDATE log SET current_ms = ?"));
    now->bind(1, number_of(at_ms));
    now->exec();
  } catch (const SQLite::Exception&) {
    return;  // it is noted at the next look
  }
}

void Projection::is_erased(const std::vector<std::uint64_t>& sequences) {
  try {
    SQLite::Transaction transaction(writer_->database(), SQLite::TransactionBehavior::IMMEDIATE);
    for (const std::uint64_t sequence : sequences) {
      for (const char* from :
           {"DELETE FROM log_refused WHERE sequence = ?", "DELETE FROM log_gone WHERE sequence = ?"}) {
        Use done(writer_->prepared(from));
        done->bind(1, number_of(sequence));
        done->exec();
      }
    }
    transaction.commit();
  } catch (const SQLite::Exception&) {
    return;  // they are erased once more
  }
}

}  // namespace plumb::store
