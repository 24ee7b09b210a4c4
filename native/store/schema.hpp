// The tables of a store, as a list of migrations: the n-th brings a store of version n-1 to version n. A migration that
// was released is never changed.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace plumb::store {

inline constexpr int application_id = 0x706c6d62;  // "plmb": what kind of SQLite file this is

std::span<const std::string_view> migrations();

// Brings a store to the last version, all in one transaction: on an error it stays what it was. `file` is for messages.
std::optional<Error> bring_up_to_date(SQLite::Database& database, std::span<const std::string_view> steps,
                                      const std::string& file);
// A store of an earlier version.
bool is_older(const std::string& file);
// That the store has the last version, for who only reads.
std::optional<Error> check_version(SQLite::Database& database, std::span<const std::string_view> steps,
                                   const std::string& file);

}  // namespace plumb::store
