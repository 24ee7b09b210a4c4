#include "native/story/graph_db.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/story/story.hpp"

namespace plumb::story {

namespace {

constexpr int application_id = 0x706c7367;  // "plsg"
constexpr int format = 1;
constexpr int busy_ms = 10'000;

constexpr const char* tables = R"sql(
CREATE TABLE meta (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE nodes (id TEXT NOT NULL PRIMARY KEY, type TEXT NOT NULL, fields TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX nodes_type ON nodes (type, id);
CREATE TABLE edges (
  kind TEXT NOT NULL,
  from_id TEXT NOT NULL REFERENCES nodes (id),
  to_id TEXT NOT NULL REFERENCES nodes (id),
  PRIMARY KEY (from_id, kind, to_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX edges_to ON edges (to_id, kind);
CREATE TABLE phase_history (
  entry INTEGER PRIMARY KEY,
  stage TEXT NOT NULL,
  phase TEXT NOT NULL,
  status TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  changes INTEGER NOT NULL,
  detail TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE TABLE mutations (
  number INTEGER PRIMARY KEY,
  entry INTEGER NOT NULL REFERENCES phase_history (entry),
  at_ms INTEGER NOT NULL,
  stage TEXT NOT NULL,
  phase TEXT NOT NULL,
  operation TEXT NOT NULL,
  target TEXT NOT NULL,
  edge TEXT,
  to_id TEXT,
  delta TEXT,
  before TEXT,
  rationale TEXT NOT NULL
) STRICT;
CREATE INDEX mutations_target ON mutations (target);
)sql";

using pipelines::story::StoredPhase;

Error wrong(const std::string& file, std::string message) {
  return Error{ErrorCode::invalid_argument, std::move(message), file, 0, 0};
}

int number_of(SQLite::Database& database, const char* asked) {
  SQLite::Statement statement(database, asked);
  return statement.executeStep() ? statement.getColumn(0).getInt() : 0;
}

std::string fields_json(const Fields& fields) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  for (const auto& [field, value] : fields) {
    std::string one;
    append_field(one, value);
    json.key(name_of(field)).raw(one);
  }
  json.end_object();
  return out;
}

std::string_view run_of(const run::Journal& journal) { return json::text_of(journal.begin().data.value(), "run"); }

class Projection {
 public:
  Projection(const std::string& file, const std::function<void(std::string_view)>& at)
      : file_(file), at_(at), database_(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, busy_ms) {}

  Result<bool> catch_up(const run::Journal& journal, const std::vector<StoredPhase>& phases) {
    database_.exec("PRAGMA synchronous=FULL");
    if (const std::optional<Error> refused = make_tables()) {
      return *refused;
    }
    const std::optional<std::size_t> there = phases_in(journal, phases);
    for (std::size_t i = 0; i < there.value_or(0); ++i) {
      if (Result<bool> folded = fold_phase(phases[i]); !folded) {
        return folded;
      }
    }
    if (phases.empty() && !there) {
      SQLite::Transaction transaction(database_, SQLite::TransactionBehavior::IMMEDIATE);
      clear();
      transaction.commit();
    }
    for (std::size_t i = there.value_or(0); i < phases.size(); ++i) {
      SQLite::Transaction transaction(database_, SQLite::TransactionBehavior::IMMEDIATE);
      if (i == 0) {
        clear();
      }
      if (Result<bool> written = write_phase(journal, phases[i]); !written) {
        return written;
      }
      tell("rows");
      transaction.commit();
      tell("phase");
    }
    return true;
  }

 private:
  void tell(std::string_view where) const {
    if (at_) {
      at_(where);
    }
  }

  std::optional<Error> make_tables() {
    SQLite::Transaction transaction(database_, SQLite::TransactionBehavior::IMMEDIATE);
    const int kind = number_of(database_, "PRAGMA application_id");
    const int version = number_of(database_, "PRAGMA user_version");
    if (kind == application_id && version == format) {
      return std::nullopt;
    }
    if (kind == application_id) {
      return wrong(file_, "is a graph of version " + std::to_string(version) + ", this plumb knows version " +
                              std::to_string(format) + "; delete it, and it is made again from the journal");
    }
    if (kind != 0 || number_of(database_, "SELECT count(*) FROM sqlite_master") != 0) {
      return wrong(file_, "is an SQLite file of another program, not the graph of a story; name another file");
    }
    database_.exec(tables);
    database_.exec("PRAGMA application_id=" + std::to_string(application_id));
    database_.exec("PRAGMA user_version=" + std::to_string(format));
    transaction.commit();
    return std::nullopt;
  }

  std::string meta(const char* key) {
    SQLite::Statement asked(database_, "SELECT value FROM meta WHERE key = ?");
    asked.bind(1, key);
    return asked.executeStep() ? asked.getColumn(0).getString() : std::string();
  }

  // How many of the phases are in it; nothing: it is not of this run, or not what it says.
  std::optional<std::size_t> phases_in(const run::Journal& journal, const std::vector<StoredPhase>& phases) {
    if (meta("run") != run_of(journal)) {
      return std::nullopt;
    }
    const std::string entry = meta("entry"), hash = meta("hash");
    for (std::size_t i = 0; i < phases.size(); ++i) {
      if (std::to_string(phases[i].entry) == entry) {
        return phases[i].note.hash == hash ? std::optional<std::size_t>(i + 1) : std::nullopt;
      }
    }
    return std::nullopt;
  }

  Result<bool> fold_phase(const StoredPhase& phase) {
    for (const Mutation& m : phase.note.mutations) {
      if (Result<bool> done = graph_.replay(m); !done) {
        return done;
      }
    }
    return true;
  }

  void clear() {
    for (const char* table : {"mutations", "phase_history", "edges", "nodes", "meta"}) {
      database_.exec(std::string("DELETE FROM ") + table);
    }
    graph_ = Graph();
  }

  Result<bool> write_phase(const run::Journal& journal, const StoredPhase& phase) {
    std::set<std::string> touched;
    SQLite::Statement history(database_, "INSERT INTO phase_history VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    history.bind(1, static_cast<std::int64_t>(phase.entry));
    history.bind(2, std::string(name_of(phase.note.stage)));
    history.bind(3, phase.note.phase);
    history.bind(4, std::string(name_of(phase.note.status)));
    history.bind(5, static_cast<std::int64_t>(phase.at_ms));
    history.bind(6, static_cast<std::int64_t>(phase.note.mutations.size()));
    history.bind(7, phase.note.detail);
    history.bind(8, phase.note.hash);
    history.exec();
    for (const Mutation& m : phase.note.mutations) {
      write_mutation(phase, m, touched);
    }
    if (Result<bool> folded = fold_phase(phase); !folded) {
      return folded;
    }
    for (const std::string& id : touched) {
      write_node(id);
    }
    for (const Mutation& m : phase.note.mutations) {
      write_edge(m);
    }
    SQLite::Statement set(database_, "INSERT OR REPLACE INTO meta VALUES (?, ?)");
    const std::vector<std::pair<std::string, std::string>> rows = {
        {"run", std::string(run_of(journal))}, {"entry", std::to_string(phase.entry)}, {"hash", phase.note.hash}};
    for (const auto& [key, value] : rows) {
      set.bind(1, key);
      set.bind(2, value);
      set.exec();
      set.reset();
    }
    if (graph_.hash() != phase.note.hash) {
      return wrong(file_, "the graph after '" + phase.note.phase + "' is not the one that the journal names");
    }
    return true;
  }

  void write_mutation(const StoredPhase& phase, const Mutation& m, std::set<std::string>& touched) {
    const bool of_edge = m.operation == Operation::add_edge || m.operation == Operation::remove_edge;
    SQLite::Statement row(database_,
                          "INSERT INTO mutations (entry, at_ms, stage, phase, operation, target, edge, to_id, delta, "
                          "before, rationale) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    row.bind(1, static_cast<std::int64_t>(phase.entry));
    row.bind(2, static_cast<std::int64_t>(phase.at_ms));
    row.bind(3, std::string(name_of(phase.note.stage)));
    row.bind(4, phase.note.phase);
    row.bind(5, std::string(name_of(m.operation)));
    row.bind(6, m.target);
    if (of_edge) {
      row.bind(7, std::string(name_of(m.edge)));
      row.bind(8, m.to);
    } else {
      row.bind(9, fields_json(m.delta));
      row.bind(10, fields_json(m.before));
      touched.insert(m.target);
    }
    row.bind(11, m.rationale);
    row.exec();
  }

  // As it is after the phase.
  void write_node(const std::string& id) {
    const Node* node = graph_.find(id);
    SQLite::Statement row(database_, node == nullptr ? "DELETE FROM nodes WHERE id = ?"
                                                     : "INSERT OR REPLACE INTO nodes VALUES (?, ?, ?)");
    row.bind(1, id);
    if (node != nullptr) {
      row.bind(2, std::string(name_of(node->type())));
      row.bind(3, fields_json(node->fields()));
    }
    row.exec();
  }

  void write_edge(const Mutation& m) {
    if (m.operation != Operation::add_edge && m.operation != Operation::remove_edge) {
      return;
    }
    const bool there =
        graph_.find(m.target) != nullptr && graph_.find(m.to) != nullptr && graph_.has_edge(m.edge, m.target, m.to);
    SQLite::Statement row(database_, there ? "INSERT OR REPLACE INTO edges VALUES (?, ?, ?)"
                                           : "DELETE FROM edges WHERE kind = ? AND from_id = ? AND to_id = ?");
    row.bind(1, std::string(name_of(m.edge)));
    row.bind(2, m.target);
    row.bind(3, m.to);
    row.exec();
  }

  const std::string& file_;
  const std::function<void(std::string_view)>& at_;
  SQLite::Database database_;
  Graph graph_;
};

}  // namespace

Result<bool> project_graph(const run::Journal& journal, const std::string& file,
                           const std::function<void(std::string_view)>& at) {
  const Result<std::vector<StoredPhase>> phases = pipelines::story::phases_of(journal);
  if (!phases) {
    return phases.error();
  }
  try {
    return Projection(file, at).catch_up(journal, phases.value());
  } catch (const SQLite::Exception& problem) {
    return Error{ErrorCode::unavailable,
                 std::string("the graph cannot be written: ") + problem.what() +
                     "; the file may be deleted, it is made again from the journal",
                 file, 0, 0};
  }
}

}  // namespace plumb::story
