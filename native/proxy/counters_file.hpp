// The file that carries the day's counts over a restart: JSON, replaced in one step, of today's accounts alone.
//
// What was promised to calls under way is written as used: after a kill the counts are rather too high than too low.
#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"
#include "native/proxy/ledger.hpp"

namespace plumb::proxy {

std::string counters_text(const std::vector<Used>& used, std::uint64_t today);
Result<std::vector<Used>> read_counters(std::string_view text, const std::string& where);
// A file that is not there has none.
Result<std::vector<Used>> read_counters_file(const std::string& path);

}  // namespace plumb::proxy
