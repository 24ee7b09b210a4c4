// The phases of the answer to an HTTP request, and the allowed transitions. docs/architecture.md has the diagram; a
// test compares both.
#pragma once

#include <array>
#include <cstdint>

#include "native/base/phase_table.hpp"

namespace plumb::proxy {

enum class AnswerPhase : std::uint8_t {
  none,   // its head is not written, or the connection has no request
  begun,  // more will follow
  ended,  // complete
  cut,    // incomplete for good; the connection is closed
};

inline constexpr std::array<PhaseRow<AnswerPhase, 4>, 4> answer_phases = {{
    // An answer that ends without having begun is nothing.
    {AnswerPhase::none, "none", {AnswerPhase::begun, AnswerPhase::ended, AnswerPhase::cut, AnswerPhase::none}},
    {AnswerPhase::begun, "begun", {AnswerPhase::ended, AnswerPhase::cut, AnswerPhase::ended, AnswerPhase::ended}},
    // The next request.
    {AnswerPhase::ended, "ended", {AnswerPhase::none, AnswerPhase::none, AnswerPhase::none, AnswerPhase::none}},
    {AnswerPhase::cut, "cut", {AnswerPhase::cut, AnswerPhase::cut, AnswerPhase::cut, AnswerPhase::cut}},
}};

class AnswerProgress : public PhaseProgress<answer_phases> {
 public:
  AnswerProgress() : PhaseProgress(AnswerPhase::none) {}
  bool is_begun() const { return !is(AnswerPhase::none); }
  // Nothing more can be written to it.
  bool is_over() const { return is(AnswerPhase::ended) || is(AnswerPhase::cut); }
};

}  // namespace plumb::proxy
