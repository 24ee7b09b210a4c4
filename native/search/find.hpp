// The search itself, on an index that is open.
//
// Candidates are the passages that BM25 puts first for any of the terms; those that hold more of the terms, and hold
// them close together, come before others. At most two passages of a file are among the first, while other files have
// some.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string_view>

#include "core/result.hpp"
#include "native/search/hit.hpp"

namespace plumb::search {

inline constexpr std::size_t hits_max = 50;

// The error: a query without a word in it. Throws SQLite::Exception.
Result<Hits> find(SQLite::Database& database, std::string_view text, std::size_t limit);

}  // namespace plumb::search
