#include "native/base/setting.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace plumb {

namespace {

using Unit = std::pair<std::string_view, std::uint64_t>;

// In the largest unit that leaves no remainder.
std::string text_in(std::uint64_t value, std::span<const Unit> units) {
  for (const auto& [name, size] : units) {
    if (value >= size && value % size == 0) {
      return std::to_string(value / size) + std::string(name);
    }
  }
  return std::to_string(value);
}

}  // namespace

std::vector<std::string_view> keys_below(const SettingTable& table, std::string_view path) {
  std::vector<std::string_view> out;
  for (const Setting& one : table) {
    std::string_view rest = one.path;
    if (!path.empty()) {
      if (!rest.starts_with(path) || rest.size() <= path.size() || rest[path.size()] != '.') {
        continue;
      }
      rest.remove_prefix(path.size() + 1);
    }
    const bool is_key = std::any_of(rest.begin(), rest.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    if (is_key && rest.find('.') == std::string_view::npos) {
      out.push_back(rest);
    }
  }
  return out;
}

std::string text_of_ms(std::uint64_t ms) {
  static constexpr Unit units[] = {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}};
  return ms == 86'400'000 ? "24h" : text_in(ms, units);
}

std::string text_of_bytes(std::uint64_t bytes) {
  static constexpr Unit units[] = {{"GB", 1U << 30}, {"MB", 1U << 20}, {"KB", 1U << 10}};
  return text_in(bytes, units);
}

std::string one_of_type(const std::vector<std::string_view>& choices) {
  std::string out = "one of";
  for (const std::string_view choice : choices) {
    out += (out.size() == 6 ? " " : ", ") + std::string(choice);
  }
  return out;
}

}  // namespace plumb
