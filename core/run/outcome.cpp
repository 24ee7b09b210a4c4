#include "core/run/outcome.hpp"

#include <array>

namespace plumb::run {

namespace {
constexpr std::array<std::string_view, 7> names = {
    "accepted", "accepted_with_warnings", "partial", "undecided", "failed", "outage", "cancelled"};
}  // namespace

std::span<const std::string_view> names_of(CameTo) { return names; }
std::string_view came_to_name(CameTo one) { return names[static_cast<std::size_t>(one)]; }

std::span<const json::Field> OutcomeReason::fields() {
  static constexpr json::Field table[] = {json::field<&OutcomeReason::code>("code"),
                                          json::field_if_set<&OutcomeReason::data>("data")};
  return table;
}

std::span<const json::Field> Outcome::fields() {
  static constexpr json::Field table[] = {json::field<&Outcome::came_to>("came_to"),
                                          json::field<&Outcome::reasons>("reasons")};
  return table;
}

}  // namespace plumb::run
