#include "native/store/run_tables.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace plumb::store {

namespace {

constexpr std::size_t limit_max = 1000;
constexpr std::uint64_t number_max = 0xFFFFFFFF;  // of an entry in its run

constexpr const char* row_columns =
    "number, id, pipeline, version, owner, fingerprint, request_key, state, error, created_ms, changed_ms, entries, "
    "bytes, forked_from, imported, project";

bool state_of(std::string_view name, run::State& state) {
  for (const run::State one : {run::State::waiting, run::State::done, run::State::failed, run::State::cancelled}) {
    if (run::state_name(one) == name) {
      state = one;
      return true;
    }
  }
  return false;
}

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
  row.project = text(15);
  return row;
}

// Its number. A text that is known by its hash may be given without what it says.
std::int64_t put_text(Connection& connection, const run::Blob& blob) {
  if (const Connection::TextNumber known = connection.text_number(blob.hash); known.number != 0) {
    return known.number;
  }
  Use text(connection.prepared("INSERT INTO texts (hash, text) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING"));
  text->bindNoCopy(1, blob.hash);
  text->bindNoCopy(2, blob.text);
  if (text->exec() == 1) {
    const std::int64_t number = connection.database().getLastInsertRowid();
    connection.is_text_number(blob.hash, {number, blob.text.size()});
    return number;
  }
  return find_text(connection, blob.hash).number;
}

void put_entries(Connection& connection, std::int64_t run, const std::vector<run::Stored>& entries) {
  for (const run::Stored& entry : entries) {
    int place = 0;
    for (const run::Blob& blob : entry.blobs) {
      Use named(connection.prepared("INSERT INTO entry_texts (run, n, place, text) VALUES (?, ?, ?, ?)"));
      named->bind(1, run);
      named->bind(2, number_of(entry.number));
      named->bind(3, place++);
      named->bind(4, put_text(connection, blob));
      named->exec();
    }
    Use line(connection.prepared("INSERT INTO lines (number, line) VALUES ((? << 32) | ?, ?)"));
    line->bind(1, run);
    line->bind(2, number_of(entry.number));
    line->bindNoCopy(3, entry.line);
    line->exec();
  }
}

// The runs of the table `gone`, their journals, and texts that no other run refers to. How many texts.
std::uint64_t remove_gone(Connection& connection) {
  SQLite::Database& database = connection.database();
  connection.forget_text_numbers();
  database.exec("DELETE FROM gone_texts");
  database.exec("INSERT OR IGNORE INTO gone_texts SELECT text FROM entry_texts WHERE run IN (SELECT number FROM gone)");
  database.exec("DELETE FROM runs WHERE number IN (SELECT number FROM gone)");
  return static_cast<std::uint64_t>(
      database.exec("DELETE FROM texts WHERE number IN (SELECT number FROM gone_texts) AND NOT EXISTS "
                    "(SELECT 1 FROM entry_texts WHERE entry_texts.text = texts.number)"));
}

}  // namespace

Error not_there(std::string_view id) {
  return store_error(ErrorCode::not_found, "there is no run '" + std::string(id) + "'", "");
}

Connection::TextNumber find_text(Connection& connection, const std::string& hash) {
  Connection::TextNumber found = connection.text_number(hash);
  if (found.number == 0) {
    Use there(connection.prepared("SELECT number, length(CAST(text AS BLOB)) FROM texts WHERE hash = ?"));
    there->bindNoCopy(1, hash);
    if (there->executeStep()) {
      found = {there->getColumn(0).getInt64(), static_cast<std::uint64_t>(there->getColumn(1).getInt64())};
      connection.is_text_number(hash, found);
    }
  }
  return found;
}

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

Outcome refuses_run(Connection& connection, const RunRow& row, const std::string& where) {
  auto there = [&](const char* sql, const std::string& first, const std::string& second) -> std::string {
    Use found(connection.prepared(sql));
    found->bindNoCopy(1, first);
    if (!second.empty()) {
      found->bindNoCopy(2, second);
    }
    return found->executeStep() ? found->getColumn(0).getString() : std::string();
  };
  if (!there("SELECT id FROM runs WHERE id = ?", row.id, "").empty()) {
    return store_error(ErrorCode::invalid_argument, "the run '" + row.id + "' is in the store already", where);
  }
  if (!row.request_key.empty()) {
    const std::string other =
        there("SELECT id FROM runs WHERE request_key = ?2 AND owner = ?1", row.owner, row.request_key);
    if (!other.empty()) {
      return store_error(ErrorCode::invalid_argument, "the run '" + other + "' has this request key already", where);
    }
  }
  if (!row.fingerprint.empty() && row.state == run::State::waiting) {
    const std::string other =
        there("SELECT id FROM runs WHERE fingerprint = ? AND state = 'waiting'", row.fingerprint, "");
    if (!other.empty()) {
      return store_error(ErrorCode::invalid_argument, "the run '" + other + "' has this fingerprint and goes on",
                         where);
    }
  }
  return std::nullopt;
}

Outcome create_run(Connection& connection, const RunRow& row, const Batch& entries, const std::string& where,
                   std::uint64_t more_bytes) {
  if (Outcome refused = refuses_run(connection, row, where)) {
    return refused;
  }
  const std::uint64_t bytes = batch_bytes(entries) + more_bytes;
  Use added(connection.prepared(
      "INSERT INTO runs (number, id, pipeline, version, owner, fingerprint, request_key, state, error, "
      "created_ms, changed_ms, "
      "entries, bytes, forked_from, imported, project) "
      "VALUES (nullif(?, 0), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  added->bind(1, number_of(row.number));
  added->bindNoCopy(2, row.id);
  added->bindNoCopy(3, row.pipeline);
  added->bind(4, number_of(row.version));
  added->bindNoCopy(5, row.owner);
  added->bindNoCopy(6, row.fingerprint);
  added->bindNoCopy(7, row.request_key);
  added->bind(8, std::string(run::state_name(row.state)));
  added->bindNoCopy(9, row.error);
  added->bind(10, number_of(row.created_ms));
  added->bind(11, number_of(row.changed_ms));
  added->bind(12, number_of(entries->size()));
  added->bind(13, number_of(bytes));
  added->bindNoCopy(14, row.forked_from);
  added->bind(15, row.imported ? 1 : 0);
  added->bindNoCopy(16, row.project);
  added->exec();
  put_entries(connection, connection.database().getLastInsertRowid(), *entries);
  return std::nullopt;
}

Outcome append_to_run(Connection& connection, const std::string& id, std::uint64_t expected, const Batch& entries,
                      const Change& change, const std::string& where, const FromLog& log) {
  const std::uint64_t bytes = batch_bytes(entries) + log.more_bytes;
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
                         where);
    }
    if (found->getColumn(2).getString() != "waiting") {
      return store_error(ErrorCode::invalid_argument, "the run '" + id + "' has ended", where);
    }
  }
  if (log.number != nullptr) {
    *log.number = run;
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
}

Outcome note_waits(Connection& connection, const std::string& id, const std::string& why) {
  Use told(connection.prepared("UPDATE runs SET error = ? WHERE id = ? AND state = 'waiting'"));
  told->bindNoCopy(1, why);
  told->bindNoCopy(2, id);
  told->exec();
  return std::nullopt;
}

Outcome adopt_run(Connection& connection, const std::string& id) {
  Use adopted(connection.prepared("UPDATE runs SET imported = 0 WHERE id = ?"));
  adopted->bindNoCopy(1, id);
  return adopted->exec() == 1 ? Outcome() : Outcome(not_there(id));
}

Outcome claim_names(Connection& connection, const ClaimWish& wish, Claimed& claimed) {
  claimed = {};
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
      claimed.held.push_back({name, found->getColumn(1).getString(), found->getColumn(2).getString()});
    }
  }
  claimed.granted = claimed.held.empty() && !wish.release;
  for (const std::string& name : wish.names) {
    if (wish.release) {
      Use freed(connection.prepared("DELETE FROM claims WHERE name = ? AND run = ? AND part = ?"));
      freed->bindNoCopy(1, name);
      freed->bind(2, number);
      freed->bindNoCopy(3, wish.by);
      freed->exec();
    } else if (claimed.granted) {
      Use taken(
          connection.prepared("INSERT INTO claims (name, run, part) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING"));
      taken->bindNoCopy(1, name);
      taken->bind(2, number);
      taken->bindNoCopy(3, wish.by);
      taken->exec();
    }
  }
  return std::nullopt;
}

Outcome remove_run(Connection& connection, const std::string& id, std::uint64_t& texts) {
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
  chosen->exec();
  texts = remove_gone(connection);
  return std::nullopt;
}

Removed remove_some_ended(Connection& connection, std::uint64_t ended_before_ms, std::size_t runs_max) {
  SQLite::Database& database = connection.database();
  Removed removed;
  database.exec("DELETE FROM gone");
  // What a calibration has measured counts for later runs, until somebody removes it.
  Use chosen(
      connection.prepared("INSERT INTO gone SELECT number FROM runs WHERE state <> 'waiting' AND changed_ms < ? AND "
                          "pipeline <> 'calibration' ORDER BY changed_ms LIMIT ?"));
  chosen->bind(1, number_of(ended_before_ms));
  chosen->bind(2, number_of(runs_max));
  removed.runs = static_cast<std::uint64_t>(chosen->exec());
  removed.texts = remove_gone(connection);
  return removed;
}

Result<RunRow> find_run(Connection& connection, std::string_view id) {
  Use found(connection.prepared(std::string("SELECT ") + row_columns + " FROM runs WHERE id = ?"));
  found->bind(1, std::string(id));
  if (!found->executeStep()) {
    return not_there(id);
  }
  return row_of(*found);
}

Result<RunRow> find_run_of_request(Connection& connection, std::string_view owner, std::string_view request_key) {
  Use found(connection.prepared(std::string("SELECT ") + row_columns +
                                " FROM runs WHERE owner = ? AND request_key = ? AND request_key <> ''"));
  found->bind(1, std::string(owner));
  found->bind(2, std::string(request_key));
  if (!found->executeStep()) {
    return store_error(ErrorCode::not_found, "no run has this request key", "");
  }
  return row_of(*found);
}

Result<Page> list_runs(Connection& connection, const ListQuery& query) {
  if (query.limit == 0 || query.limit > limit_max) {
    return store_error(ErrorCode::invalid_argument, "a page has 1 to 1000 runs", "");
  }
  std::string sql = std::string("SELECT ") + row_columns + " FROM runs WHERE 1";
  sql += query.before != 0 ? " AND number < ?1" : "";
  sql += query.pipeline.empty() ? "" : " AND pipeline = ?2";
  sql += query.owner.empty() ? "" : " AND owner = ?3";
  sql += query.state ? " AND state = ?4" : "";
  sql += query.project.empty() ? "" : " AND project = ?6 AND project <> ''";
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
  if (!query.project.empty()) {
    found->bind(6, query.project);
  }
  Page page;
  while (found->executeStep()) {
    if (page.runs.size() == query.limit) {
      page.next = page.runs.back().number;
      break;
    }
    page.runs.push_back(row_of(*found));
  }
  return page;
}

Result<std::vector<RunRow>> waiting_runs(Connection& connection) {
  Use found(
      connection.prepared(std::string("SELECT ") + row_columns + " FROM runs WHERE state = 'waiting' ORDER BY number"));
  std::vector<RunRow> rows;
  while (found->executeStep()) {
    rows.push_back(row_of(*found));
  }
  return rows;
}

Result<JournalPart> read_entries(Connection& connection, std::string_view id, std::uint64_t from,
                                 std::size_t entries_max, std::uint64_t bytes_max) {
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
