// A program that is run for what it writes: no shell, nothing on its input, a bound on time, memory and output.
//
//   Result<std::string> text = output_of({"pdftotext", "-q", "-enc", "UTF-8", file, "-"}, {});
//
// The program is looked for in PATH. It is killed with all that it has started when a bound is reached.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace plumb::search {

struct ChildLimits {
  std::uint64_t time_ms = 30'000;
  std::uint64_t bytes_max = std::uint64_t{64} << 20U;  // of what it writes
  std::uint64_t memory_max = std::uint64_t{1} << 30U;  // address space
};

// Whether PATH has a program of that name.
bool has_program(const std::string& name);

// The error: not found (not_found), a bound (limit), or that it ended badly, with the first line of its complaint.
Result<std::string> output_of(const std::vector<std::string>& argv, const ChildLimits& limits);

}  // namespace plumb::search
