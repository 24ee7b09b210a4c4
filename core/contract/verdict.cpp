#include "core/contract/verdict.hpp"

#include <array>

#include "core/require.hpp"

namespace plumb::contract {

namespace {

// Names are in the order of their enumerators. Any other value is a bug.
template <std::size_t Size>
std::string_view name_at(const std::array<std::string_view, Size>& names, std::size_t index) {
  PLUMB_REQUIRE(index < Size, "the enumerator has a name");
  return names[index];
}

constexpr std::array<std::string_view, 6> decision_names = {
    "accept", "accept_with_warnings", "accept_unverified", "undecided", "revise", "block"};
constexpr std::array<std::string_view, 3> outcome_names = {"holds", "broken", "undecided"};
constexpr std::array<std::string_view, 3> severity_names = {"error", "warning", "info"};
constexpr std::array<std::string_view, 4> class_names = {"inner", "reference", "count", "meaning"};

}  // namespace

std::string_view decision_name(Decision decision) {
  return name_at(decision_names, static_cast<std::size_t>(decision));
}
std::string_view outcome_name(Outcome outcome) { return name_at(outcome_names, static_cast<std::size_t>(outcome)); }
std::string_view severity_name(Severity severity) {
  return name_at(severity_names, static_cast<std::size_t>(severity));
}
std::string_view class_name(FindingClass c) { return name_at(class_names, static_cast<std::size_t>(c)); }

std::uint64_t Verdict::count(Severity severity) const {
  std::uint64_t total = 0;
  for (const Finding& finding : findings) {
    if (finding.shadowed_by == 0 && finding.severity == severity) {
      ++total;
    }
  }
  return total;
}

}  // namespace plumb::contract
