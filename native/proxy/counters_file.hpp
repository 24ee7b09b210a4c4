// The file that carries the day's counts over a restart: JSON, replaced atomically, with today's accounts only.
//
// Tokens reserved for calls in progress are written as used, so after a kill the counts may be too high, but not too
// low.
#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"
#include "native/proxy/ledger.hpp"

namespace plumb::proxy {

std::string counters_text(const std::vector<Used>& used, std::uint64_t today);
Result<std::vector<Used>> read_counters(std::string_view text, const std::string& where);
// A missing file has no counts.
Result<std::vector<Used>> read_counters_file(const std::string& path);

}  // namespace plumb::proxy
