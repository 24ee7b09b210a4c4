// What a thing is at, one phase at a time, and what may come after what: a table that can be read, drawn in
// docs/architecture.md and held by a test.
//
//   enum class Light : std::uint8_t { red, green };
//   inline constexpr std::array<PhaseRow<Light, 1>, 2> lights = {{
//       {Light::red, "red", {Light::green}},
//       {Light::green, "green", {Light::red}},
//   }};
//   PhaseProgress<lights> at{Light::red};
//   at.enter(Light::green);   // where that cannot follow: a broken requirement
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include "core/require.hpp"

namespace plumb {

// Rows are in the order of the enumeration.
template <class Phase, std::size_t followers>
struct PhaseRow {
  using Of = Phase;
  Phase phase;
  std::string_view name;
  std::array<Phase, followers> next;  // filled up with the first
};

template <class Rows, class Phase>
constexpr bool may_follow(const Rows& rows, Phase phase, Phase next) {
  for (const Phase one : rows[static_cast<std::size_t>(phase)].next) {
    if (one == next) {
      return true;
    }
  }
  return false;
}

template <const auto& rows>
class PhaseProgress {
 public:
  using Phase = typename std::remove_cvref_t<decltype(rows)>::value_type::Of;

  explicit PhaseProgress(Phase begin) : phase_(begin) {}
  void enter(Phase next) {
    PLUMB_REQUIRE(may_follow(rows, phase_, next), "a phase follows as its table says");
    phase_ = next;
  }
  Phase now() const { return phase_; }
  bool is(Phase phase) const { return phase_ == phase; }

 private:
  Phase phase_;
};

}  // namespace plumb
