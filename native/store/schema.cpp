#include "native/store/schema.hpp"

#include <array>

namespace plumb::store {

namespace {

constexpr std::array<std::string_view, 6> all_migrations = {
    // 1. A run has one row, its entries one each. Texts are kept once; entry_texts says which entry of a run is the
    // first
    // that needs one, so a text that no row names is needed by nobody. Entries lie together by run. No index has a
    // column
    // that an append changes.
    R"sql(
CREATE TABLE runs (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  pipeline TEXT NOT NULL,
  version INTEGER NOT NULL,
  owner TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  request_key TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'failed', 'cancelled')),
  error TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  changed_ms INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX runs_fingerprint ON runs (fingerprint) WHERE state = 'waiting' AND fingerprint <> '';
CREATE UNIQUE INDEX runs_request ON runs (owner, request_key) WHERE request_key <> '';
CREATE INDEX runs_pipeline ON runs (pipeline, number);
CREATE INDEX runs_owner ON runs (owner, number);
CREATE INDEX runs_waiting ON runs (number) WHERE state = 'waiting';
CREATE INDEX runs_ended ON runs (changed_ms) WHERE state <> 'waiting';
CREATE TABLE entries (
  run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
  n INTEGER NOT NULL,
  line TEXT NOT NULL,
  PRIMARY KEY (run, n)
) STRICT, WITHOUT ROWID;
CREATE TABLE texts (
  number INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  text TEXT NOT NULL
) STRICT;
CREATE TABLE entry_texts (
  run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
  n INTEGER NOT NULL,
  place INTEGER NOT NULL,
  text INTEGER NOT NULL REFERENCES texts (number),
  PRIMARY KEY (run, n, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX entry_texts_text ON entry_texts (text);
CREATE TABLE claims (
  name TEXT NOT NULL PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX claims_run ON claims (run);
)sql",
    // 2. An entry's number is its run's number and its own in one: rows of a table with row ids lie whole on a page of
    // 4 KB, where those of one without go to a page of their own from 1 KB on, so that a small run takes half the room.
    R"sql(
CREATE TABLE lines (
  number INTEGER PRIMARY KEY,
  line TEXT NOT NULL
) STRICT;
INSERT INTO lines (number, line) SELECT (run << 32) | n, line FROM entries ORDER BY run, n;
DROP TABLE entries;
CREATE TRIGGER runs_lines AFTER DELETE ON runs BEGIN
  DELETE FROM lines WHERE number >= (OLD.number << 32) AND number < ((OLD.number + 1) << 32);
END;
)sql",
    // 3. A fork names the run that it goes on from, also when that is gone.
    R"sql(
ALTER TABLE runs ADD COLUMN forked_from TEXT NOT NULL DEFAULT '';
)sql",
    // 4. A name is held on behalf of a part of a run; a run that was imported is known as such.
    R"sql(
ALTER TABLE runs ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;
ALTER TABLE claims ADD COLUMN part TEXT NOT NULL DEFAULT '';
)sql",
    // 5. A run belongs to the project whose key it was begun with.
    R"sql(
ALTER TABLE runs ADD COLUMN project TEXT NOT NULL DEFAULT '';
CREATE INDEX runs_project ON runs (project, number) WHERE project <> '';
)sql",
    // 6. How many entries of a run were told to others, and which run was the newest when telling was begun.
    R"sql(
CREATE TABLE told (
  run INTEGER PRIMARY KEY REFERENCES runs (number) ON DELETE CASCADE,
  entries INTEGER NOT NULL
) STRICT;
CREATE TABLE told_since (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  number INTEGER NOT NULL
) STRICT;
)sql"};

int number_of(SQLite::Database& database, const char* pragma) {
  SQLite::Statement statement(database, pragma);
  return statement.executeStep() ? statement.getColumn(0).getInt() : 0;
}

Error wrong(const std::string& file, std::string message) {
  Error error;
  error.code = ErrorCode::invalid_argument;
  error.message = std::move(message);
  error.where = file;
  return error;
}

std::optional<Error> refused(SQLite::Database& database, int version, int known, const std::string& file) {
  const int kind = number_of(database, "PRAGMA application_id");
  const bool empty = version == 0 && number_of(database, "SELECT count(*) FROM sqlite_master") == 0;
  if (kind != application_id && !(kind == 0 && empty)) {
    return wrong(file, "is an SQLite file of another program, not a store of runs; name another file");
  }
  if (version > known) {
    return wrong(file, "is a store of version " + std::to_string(version) + ", this plumb knows versions up to " +
                           std::to_string(known) + "; use the plumb that wrote it, or a later one");
  }
  return std::nullopt;
}

}  // namespace

std::span<const std::string_view> migrations() { return all_migrations; }

bool is_older(const std::string& file) {
  try {
    SQLite::Database database(file, SQLite::OPEN_READONLY);
    const int version = number_of(database, "PRAGMA user_version");
    return number_of(database, "PRAGMA application_id") == application_id && version > 0 &&
           version < static_cast<int>(all_migrations.size());
  } catch (const SQLite::Exception&) {
    return false;
  }
}

std::optional<Error> check_version(SQLite::Database& database, std::span<const std::string_view> steps,
                                   const std::string& file) {
  const int version = number_of(database, "PRAGMA user_version");
  const int known = static_cast<int>(steps.size());
  if (std::optional<Error> error = refused(database, version, known, file)) {
    return error;
  }
  if (version < known) {
    return wrong(file, "is a store of version " + std::to_string(version) + ", this plumb reads version " +
                           std::to_string(known) + "; a command that writes brings it up to date (plumb serve)");
  }
  return std::nullopt;
}

std::optional<Error> bring_up_to_date(SQLite::Database& database, std::span<const std::string_view> steps,
                                      const std::string& file) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  const int version = number_of(database, "PRAGMA user_version");
  const int known = static_cast<int>(steps.size());
  if (std::optional<Error> error = refused(database, version, known, file)) {
    return error;
  }
  for (int at = version; at < known; ++at) {
    database.exec(std::string(steps[static_cast<std::size_t>(at)]));
  }
  if (version < known) {
    database.exec("PRAGMA application_id = " + std::to_string(application_id));
    database.exec("PRAGMA user_version = " + std::to_string(known));
    transaction.commit();
  }
  return std::nullopt;
}

}  // namespace plumb::store
