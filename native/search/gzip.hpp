// gunzip: the bytes of a .gz file, several members one behind the other taken together, within a bound.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace plumb::search {

bool is_gzip(std::string_view bytes);
// The error: no gzip, damaged, cut off, or more than `bytes_max` when unpacked (code limit).
Result<std::string> gunzip(std::string_view bytes, std::uint64_t bytes_max);

}  // namespace plumb::search
