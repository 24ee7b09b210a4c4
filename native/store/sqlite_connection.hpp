// A connection to an SQLite file with its prepared statements, and readers that are kept for the next who reads.
// Internal to native/store. SQLite's errors are exceptions until sqlite_error() has made a sentence of them.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/result.hpp"

struct sqlite3;

namespace plumb::store {

Error store_error(ErrorCode code, std::string message, std::string where);
// What SQLite says, as a sentence that helps. `database` may be nullptr.
Error sqlite_error(const SQLite::Exception& error, sqlite3* database, const std::string& file);

inline std::int64_t number_of(std::uint64_t value) { return static_cast<std::int64_t>(value); }

// Used by one thread at a time.
class Connection {
 public:
  Connection(const std::string& file, int flags, int busy_ms);

  SQLite::Database& database() { return database_; }
  SQLite::Statement& prepared(const std::string& sql);
  // A literal is known by its address.
  template <std::size_t size>
  SQLite::Statement& prepared(const char (&literal)[size]) {
    return prepared_literal(literal);
  }

  // Numbers of texts that were lately put, by their hashes, so that a text of many runs is not looked for at each. To
  // be forgotten where a text goes or a transaction is taken back. Nothing is kept unless somebody says so.
  void keep_text_numbers() { keeps_texts_ = true; }
  void forget_text_numbers() { text_numbers_.clear(); }
  struct TextNumber {
    std::int64_t number = 0;
    std::uint64_t bytes = 0;
  };
  TextNumber text_number(const std::string& hash) const;  // 0: it is not known
  void is_text_number(const std::string& hash, TextNumber number);

 private:
  SQLite::Statement& prepared_literal(const char* literal);

  SQLite::Database database_;
  std::map<std::string, std::unique_ptr<SQLite::Statement>> statements_;
  std::unordered_map<const char*, SQLite::Statement*> literals_;
  bool keeps_texts_ = false;
  std::unordered_map<std::string, TextNumber> text_numbers_;
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

// A file for writing, made where it is not there, readable by its owner only, with a write-ahead log and the tables of
// this version. `lasting`: a commit waits for the disk; else the last ones may be gone after a loss of power.
Result<std::unique_ptr<Connection>> open_for_writing(const std::string& file, int busy_ms, bool lasting);

// Connections that only read, at most eight of them kept. From any thread.
class Readers {
 public:
  Readers(std::string file, int busy_ms) : file_(std::move(file)), busy_ms_(busy_ms) {}

  // What one call reads is of one moment.
  template <class T>
  Result<T> read(const std::function<Result<T>(Connection&)>& work) {
    std::unique_ptr<Connection> connection;
    try {
      connection = take();
      Result<T> result = [&] {
        const SQLite::Transaction transaction(connection->database());
        return work(*connection);
      }();
      give_back(std::move(connection));
      return result;
    } catch (const SQLite::Exception& error) {
      return sqlite_error(error, connection == nullptr ? nullptr : connection->database().getHandle(), file_);
    }
  }

 private:
  std::unique_ptr<Connection> take();
  void give_back(std::unique_ptr<Connection> connection);

  const std::string file_;
  const int busy_ms_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> kept_;
};

}  // namespace plumb::store
