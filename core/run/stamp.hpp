// Stamps of entries as UTC time, for people and programs. No clock is read.
#pragma once

#include <cstdint>
#include <string>

namespace plumb::run {

// 1763800000123 -> "2025-11-22T08:26:40Z" (RFC 3339, whole seconds).
std::string iso_time(std::uint64_t at_ms);
// "08:26:40"
std::string clock_time(std::uint64_t at_ms);

}  // namespace plumb::run
