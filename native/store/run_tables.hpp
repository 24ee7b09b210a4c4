// What is done to the tables of a store, each inside a transaction of who calls. Internal to native/store: the embedded
// store (sqlite_store.cpp) and the projection of a shared one (projection.cpp) keep runs in the same tables, and an
// operation does the same in both.
//
// Every operation looks before it writes (is the run there, has it as many entries as expected), so one that is refused
// has written nothing. What SQLite cannot do is thrown. `where` goes into errors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "native/store/sqlite_connection.hpp"
#include "native/store/store.hpp"

namespace plumb::store {

Error not_there(std::string_view id);
std::uint64_t batch_bytes(const Batch& batch);
Connection::TextNumber find_text(Connection& connection, const std::string& hash);  // 0: there is none

// `row.number` 0: the next one.
Outcome create_run(Connection& connection, const RunRow& row, const Batch& entries, const std::string& where,
                   std::uint64_t more_bytes = 0);
// Why such a run would be refused at present.
Outcome refuses_run(Connection& connection, const RunRow& row, const std::string& where);
// `number`: out, the run's. `more_bytes`: of texts that are there already and are given by their hashes alone.
struct FromLog {
  std::int64_t* number = nullptr;
  std::uint64_t more_bytes = 0;
};
Outcome append_to_run(Connection& connection, const std::string& id, std::uint64_t expected, const Batch& entries,
                      const Change& change, const std::string& where, const FromLog& log = {});
Outcome note_waits(Connection& connection, const std::string& id, const std::string& why);
Outcome adopt_run(Connection& connection, const std::string& id);
Outcome claim_names(Connection& connection, const ClaimWish& wish, Claimed& claimed);

// `texts`: that no other run refers to, and went with it.
Outcome remove_run(Connection& connection, const std::string& id, std::uint64_t& texts);
// At most `runs_max` of those that ended before, the oldest first.
Removed remove_some_ended(Connection& connection, std::uint64_t ended_before_ms, std::size_t runs_max);

Result<RunRow> find_run(Connection& connection, std::string_view id);
Result<RunRow> find_run_of_request(Connection& connection, std::string_view owner, std::string_view request_key);
Result<Page> list_runs(Connection& connection, const ListQuery& query);
Result<std::vector<RunRow>> waiting_runs(Connection& connection);
Result<JournalPart> read_entries(Connection& connection, std::string_view id, std::uint64_t from,
                                 std::size_t entries_max, std::uint64_t bytes_max);

}  // namespace plumb::store
