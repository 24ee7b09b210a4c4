// Marks of what was told in the tables of a store (told_marks.hpp), inside a transaction of who calls. Internal to
// native/store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "native/store/sqlite_connection.hpp"
#include "native/store/store.hpp"

namespace plumb::store {

Outcome begin_told(Connection& connection, std::uint64_t newest, const std::vector<std::string>& waiting);
Result<std::uint64_t> told_since(Connection& connection);
Result<std::optional<std::uint64_t>> told_of(Connection& connection, std::string_view run);
// `there`: the run is.
Outcome mark_told(Connection& connection, const std::string& run, std::uint64_t entries, bool& there);

}  // namespace plumb::store
