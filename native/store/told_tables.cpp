#include "native/store/told_tables.hpp"

namespace plumb::store {

Outcome begin_told(Connection& connection, std::uint64_t newest, const std::vector<std::string>& waiting) {
  {
    Use there(connection.prepared("SELECT 1 FROM told_since"));
    if (there->executeStep()) {
      return std::nullopt;
    }
  }
  for (const std::string& run : waiting) {
    Use mark(connection.prepared("INSERT OR IGNORE INTO told (run, entries) SELECT number, 0 FROM runs WHERE id = ?"));
    mark->bindNoCopy(1, run);
    mark->exec();
  }
  Use since(connection.prepared("INSERT INTO told_since (one, number) VALUES (1, ?)"));
  since->bind(1, number_of(newest));
  since->exec();
  return std::nullopt;
}

Result<std::uint64_t> told_since(Connection& connection) {
  Use since(connection.prepared("SELECT number FROM told_since"));
  return since->executeStep() ? static_cast<std::uint64_t>(since->getColumn(0).getInt64()) : 0;
}

Result<std::optional<std::uint64_t>> told_of(Connection& connection, std::string_view run) {
  const std::string id(run);
  Use mark(connection.prepared("SELECT entries FROM told WHERE run = (SELECT number FROM runs WHERE id = ?)"));
  mark->bindNoCopy(1, id);
  return mark->executeStep() ? std::optional(static_cast<std::uint64_t>(mark->getColumn(0).getInt64()))
                             : std::optional<std::uint64_t>();
}

Outcome mark_told(Connection& connection, const std::string& run, std::uint64_t entries, bool& there) {
  Use mark(connection.prepared(
      "INSERT INTO told (run, entries) SELECT number, ? FROM runs WHERE id = ? ON CONFLICT (run) DO "
      "UPDATE SET entries = max(entries, excluded.entries)"));
  mark->bind(1, number_of(entries));
  mark->bindNoCopy(2, run);
  there = mark->exec() > 0;
  return std::nullopt;
}

}  // namespace plumb::store
