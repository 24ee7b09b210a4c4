#include "native/store/sqlite_connection.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "native/store/schema.hpp"

namespace plumb::store {

namespace {

constexpr std::size_t readers_kept = 8;
constexpr std::size_t text_numbers_max = 4'096;

}  // namespace

Error store_error(ErrorCode code, std::string message, std::string where) {
  return Error{code, std::move(message), std::move(where), 0, 0};
}

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
      message = "is not a store of runs";
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

// SQLite's own lock is for connections that threads share.
Connection::Connection(const std::string& file, int flags, int busy_ms)
    : database_(file, flags | SQLITE_OPEN_NOMUTEX, busy_ms) {}

Connection::TextNumber Connection::text_number(const std::string& hash) const {
  const auto found = text_numbers_.find(hash);
  return found == text_numbers_.end() ? TextNumber{} : found->second;
}

void Connection::is_text_number(const std::string& hash, TextNumber number) {
  if (keeps_texts_) {
    if (text_numbers_.size() >= text_numbers_max) {
      text_numbers_.clear();  // they are looked for once more
    }
    text_numbers_[hash] = number;
  }
}

SQLite::Statement& Connection::prepared_literal(const char* literal) {
  SQLite::Statement*& statement = literals_[literal];
  if (statement == nullptr) {
    statement = &prepared(std::string(literal));
  }
  statement->tryReset();
  statement->clearBindings();
  return *statement;
}

SQLite::Statement& Connection::prepared(const std::string& sql) {
  std::unique_ptr<SQLite::Statement>& statement = statements_[sql];
  if (statement == nullptr) {
    statement = std::make_unique<SQLite::Statement>(database_, sql);
  }
  statement->tryReset();
  statement->clearBindings();
  return *statement;
}

Result<std::unique_ptr<Connection>> open_for_writing(const std::string& file, int busy_ms, bool lasting) {
  // Made here, so that it is nobody else's to read; SQLite gives its other files the same mode.
  const int made = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (made < 0) {
    return store_error(ErrorCode::unavailable, std::string("cannot be opened for writing: ") + std::strerror(errno),
                       file);
  }
  ::close(made);
  std::unique_ptr<Connection> connection;
  try {
    connection = std::make_unique<Connection>(file, SQLite::OPEN_READWRITE, busy_ms);
    SQLite::Database& database = connection->database();
    SQLite::Statement mode(database, "PRAGMA journal_mode = WAL");
    if (!mode.executeStep() || mode.getColumn(0).getString() != "wal") {
      return store_error(ErrorCode::unavailable, "has no write-ahead log: this file system cannot share memory", file);
    }
    mode.tryReset();
    database.exec(lasting ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
    database.exec("PRAGMA foreign_keys = ON");
    database.exec("PRAGMA wal_autocheckpoint = 4000");  // pages of 4 KB
    database.exec("PRAGMA temp_store = MEMORY");
    database.exec("PRAGMA secure_delete = ON");  // what is removed is gone from the file
    if (std::optional<Error> error = bring_up_to_date(database, migrations(), file)) {
      return *error;
    }
    database.exec("CREATE TEMP TABLE gone (number INTEGER PRIMARY KEY)");  // what a removal takes
    database.exec("CREATE TEMP TABLE gone_texts (number INTEGER PRIMARY KEY)");
  } catch (const SQLite::Exception& error) {
    return sqlite_error(error, connection == nullptr ? nullptr : connection->database().getHandle(), file);
  }
  return connection;
}

std::unique_ptr<Connection> Readers::take() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!kept_.empty()) {
      std::unique_ptr<Connection> one = std::move(kept_.back());
      kept_.pop_back();
      return one;
    }
  }
  return std::make_unique<Connection>(file_, SQLite::OPEN_READONLY, busy_ms_);
}

void Readers::give_back(std::unique_ptr<Connection> connection) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (kept_.size() < readers_kept) {
    kept_.push_back(std::move(connection));
  }
}

}  // namespace plumb::store
