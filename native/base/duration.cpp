#include "native/base/duration.hpp"

#include <charconv>
#include <string>
#include <utility>

namespace plumb {

namespace {
constexpr std::uint64_t while_max_ms = std::uint64_t{100} * 366 * 24 * 3600 * 1000;
}  // namespace

Result<std::uint64_t> read_duration(std::string_view text) {
  if (text == "forever") {
    return std::uint64_t{0};
  }
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  std::uint64_t ms = 0;
  for (const auto& [name, in_ms] :
       {std::pair<std::string_view, std::uint64_t>{"s", 1'000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}}) {
    if (unit == name) {
      ms = in_ms;
    }
  }
  if (failed != std::errc() || ms == 0 || number == 0 || number > while_max_ms / ms) {
    return Error{ErrorCode::invalid_argument,
                 "must be a while (90d, 12h, 30m, 45s) or 'forever', not '" + std::string(text) + "'", "", 0, 0};
  }
  return number * ms;
}

}  // namespace plumb
