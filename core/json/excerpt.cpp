#include "core/json/excerpt.hpp"

#include "core/json/writer.hpp"

namespace plumb::json {

namespace {

constexpr std::string_view ellipsis = "\xe2\x80\xa6";

// The bytes of the character or escape at `at`: both halves of a surrogate pair belong together.
std::size_t unit_at(std::string_view json, std::size_t at) {
  if (json[at] != '\\') {
    return 1;
  }
  if (at + 1 >= json.size() || json[at + 1] != 'u') {
    return 2;
  }
  const bool high = at + 3 < json.size() && (json[at + 2] == 'd' || json[at + 2] == 'D') &&
                    std::string_view("89abAB").find(json[at + 3]) != std::string_view::npos;
  return high ? 12 : 6;
}

}  // namespace

std::string excerpt_json(std::string_view json, std::size_t code_points_max) {
  std::string cut = excerpt(json, code_points_max);
  if (cut == json) {
    return cut;
  }
  if (json.front() != '"' || cut.size() <= ellipsis.size()) {
    std::string out;
    append_string(out, cut);
    return out;
  }
  const std::size_t end = cut.size() - ellipsis.size();
  std::size_t keep = 1;
  while (keep < end && keep + unit_at(json, keep) <= end) {
    keep += unit_at(json, keep);
  }
  cut.resize(keep);
  cut += ellipsis;
  cut += '"';
  return cut;
}

}  // namespace plumb::json
