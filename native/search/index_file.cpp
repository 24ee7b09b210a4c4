#include "native/search/index_file.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "core/json/sha256.hpp"

namespace plumb::search {

namespace {

constexpr int application_id = 0x706c6d63;  // "plmc"
constexpr int form = 1;                     // raised when documents are read or cut in another way
constexpr int busy_ms = 10'000;

// The rowid of a passage is its file's number times 2^20 and its own number in the file.
constexpr const char* tables = R"sql(
CREATE TABLE about (folder TEXT NOT NULL) STRICT;
CREATE TABLE files (
  number INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  changed_ns INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  hash TEXT NOT NULL,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  passages INTEGER NOT NULL,
  text_bytes INTEGER NOT NULL,
  skipped TEXT NOT NULL,
  why TEXT NOT NULL
) STRICT;
CREATE INDEX files_skipped ON files (skipped, path) WHERE skipped <> '';
CREATE VIRTUAL TABLE passages USING fts5 (
  path, title, heading, text, lines UNINDEXED, tokenize = 'porter unicode61 remove_diacritics 2'
);
)sql";

int number_of(SQLite::Database& database, const char* pragma) {
  SQLite::Statement statement(database, pragma);
  return statement.executeStep() ? statement.getColumn(0).getInt() : 0;
}

std::string folder_of(SQLite::Database& database) {
  SQLite::Statement statement(database, "SELECT folder FROM about");
  return statement.executeStep() ? statement.getColumn(0).getString() : std::string();
}

Error wrong(ErrorCode code, std::string message, const std::string& file) {
  return Error{code, std::move(message), file, 0, 0};
}

// Of an index file: ours and of this form (1), ours and of another form (0), empty (-1).
Result<int> form_of(SQLite::Database& database, const std::string& file) {
  const int kind = number_of(database, "PRAGMA application_id");
  const bool empty = number_of(database, "SELECT count(*) FROM sqlite_master") == 0;
  if (kind == 0 && empty) {
    return -1;
  }
  if (kind != application_id) {
    return wrong(ErrorCode::invalid_argument,
                 "is an SQLite file of another program, not an index of documents; name another with --index", file);
  }
  return number_of(database, "PRAGMA user_version") == form ? 1 : 0;
}

Error other_folder(const std::string& is, const std::string& file) {
  return wrong(ErrorCode::invalid_argument, "is the index of " + is + "; name another with --index", file);
}

void make(SQLite::Database& database, const std::string& folder) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  for (const char* table : {"passages", "files", "about"}) {
    database.exec(std::string("DROP TABLE IF EXISTS ") + table);
  }
  database.exec(tables);
  database.exec(std::string("INSERT INTO passages (passages, rank) VALUES ('rank', '") + rank_setting + "')");
  // What is collected in memory before a segment is written, in bytes: fewer segments, fewer merges.
  database.exec("INSERT INTO passages (passages, rank) VALUES ('hashsize', 33554432)");
  SQLite::Statement about(database, "INSERT INTO about (folder) VALUES (?)");
  about.bind(1, folder);
  about.exec();
  database.exec("PRAGMA application_id = " + std::to_string(application_id));
  database.exec("PRAGMA user_version = " + std::to_string(form));
  transaction.commit();
}

}  // namespace

Error index_error(const SQLite::Exception& error, const std::string& file) {
  switch (error.getErrorCode()) {
    case SQLITE_FULL:
      return wrong(ErrorCode::unavailable, "cannot be written: the disk is full", file);
    case SQLITE_READONLY:
      return wrong(ErrorCode::unavailable, "cannot be written: it is read-only", file);
    case SQLITE_CANTOPEN:
      return wrong(ErrorCode::unavailable, "cannot be opened; say where the index may be kept with --index FILE", file);
    case SQLITE_NOTADB:
      return wrong(ErrorCode::invalid_argument, "is not an index of documents; name another file with --index", file);
    case SQLITE_CORRUPT:
      return wrong(ErrorCode::unavailable, "is damaged; remove it, and it is made again", file);
    default:
      return wrong(ErrorCode::unavailable, std::string("cannot be read or written: ") + error.what(), file);
  }
}

Result<std::unique_ptr<SQLite::Database>> open_index(const std::string& file, const std::string& folder) {
  // Made here, so that it is nobody else's to read.
  const int made = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (made < 0) {
    return wrong(ErrorCode::unavailable,
                 std::string("cannot be opened for writing: ") + std::strerror(errno) +
                     "; say where the index may be kept with --index FILE",
                 file);
  }
  ::close(made);
  try {
    auto database = std::make_unique<SQLite::Database>(file, SQLite::OPEN_READWRITE, busy_ms);
    const Result<int> is = form_of(*database, file);
    if (!is) {
      return is.error();
    }
    SQLite::Statement mode(*database, "PRAGMA journal_mode = WAL");
    mode.executeStep();
    mode.tryReset();
    // A lost index is made again: what matters is that it is never half.
    database->exec("PRAGMA synchronous = NORMAL");
    database->exec("PRAGMA temp_store = MEMORY");
    database->exec("PRAGMA cache_size = -65536");
    if (is.value() == 1) {
      if (const std::string of = folder_of(*database); of != folder) {
        return other_folder(of, file);
      }
    } else {
      make(*database, folder);
    }
    return database;
  } catch (const SQLite::Exception& error) {
    return index_error(error, file);
  }
}

Result<std::unique_ptr<SQLite::Database>> open_index_to_read(const std::string& file, const std::string& folder) {
  Error none =
      wrong(ErrorCode::not_found, "there is no index of " + folder + " yet; plumb corpus index makes it", file);
  if (::access(file.c_str(), F_OK) != 0) {
    return none;
  }
  try {
    auto database = std::make_unique<SQLite::Database>(file, SQLite::OPEN_READONLY, busy_ms);
    const Result<int> is = form_of(*database, file);
    if (!is) {
      return is.error();
    }
    if (is.value() != 1) {
      return none;
    }
    if (const std::string of = folder_of(*database); of != folder) {
      return other_folder(of, file);
    }
    database->exec("PRAGMA cache_size = -65536");
    database->exec("PRAGMA mmap_size = 1073741824");
    return database;
  } catch (const SQLite::Exception& error) {
    return index_error(error, file);
  }
}

Result<std::string> real_folder(const std::string& folder) {
  char* const resolved = ::realpath(folder.c_str(), nullptr);
  if (resolved == nullptr) {
    return wrong(errno == ENOENT ? ErrorCode::not_found : ErrorCode::unavailable,
                 errno == ENOENT ? "there is no such folder" : std::string("cannot be read: ") + std::strerror(errno),
                 folder);
  }
  std::string path = resolved;
  std::free(resolved);  // NOLINT: realpath's
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0 || !S_ISDIR(about.st_mode)) {
    return wrong(ErrorCode::invalid_argument, "is not a folder; a corpus is a folder of documents", folder);
  }
  return path;
}

Result<std::string> usual_index_file(const std::string& folder) {
  const char* said = std::getenv("XDG_CACHE_HOME");
  std::string cache = said == nullptr ? "" : said;
  if (cache.empty()) {
    const char* home = std::getenv("HOME");
    if (home == nullptr || *home == '\0') {
      return wrong(ErrorCode::not_found, "there is no HOME to keep the index in; say where with --index FILE", "");
    }
    cache = std::string(home) + "/.cache";
  }
  const std::filesystem::path in = std::filesystem::path(cache) / "plumb" / "corpus";
  std::error_code failed;
  std::filesystem::create_directories(in, failed);
  if (failed) {
    return wrong(ErrorCode::unavailable,
                 "cannot be made for the index: " + failed.message() + "; say where with --index FILE", in.string());
  }
  std::string name = std::filesystem::path(folder).filename().string();
  if (name.empty() || name.size() > 64) {
    name = "corpus";
  }
  return (in / (name + "-" + json::sha256_hex(folder).substr(0, 12) + ".db")).string();
}

}  // namespace plumb::search
