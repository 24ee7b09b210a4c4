// The request of a research run as its input says it. Internal to this folder.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/record.hpp"
#include "core/pipelines/research/research.hpp"
#include "core/pipelines/research/search_effect.hpp"

namespace plumb::pipelines::research {

// What a run does since its steps were changed; one that was begun before has its own number in its input, or none, and
// goes on as it did.
inline constexpr std::uint64_t steps_of_phases = 2;  // each role has a phase of its own
inline constexpr std::uint64_t steps_of_floor = 3;   // nobody's words are rewritten, and words are held against "met"
inline constexpr std::uint64_t steps_now = steps_of_floor;
inline constexpr std::array<std::string_view, 6> prompt_names = {"intake", "brain",  "researcher",
                                                                 "answer", "report", "judge"};

struct SearchBrief {
  std::vector<std::string> providers;
  std::vector<std::string> lookup;  // who is asked for a term that the intake does not know
  std::size_t limit = search_limit_default;
  static std::span<const json::Field> fields();
};

struct Brief {
  std::string question;
  std::uint64_t steps = 1;
  std::vector<std::string> answers;
  std::vector<std::string> constraints;
  std::string ask;
  std::string judge;
  std::uint64_t token_budget = token_budget_default;
  SearchBrief search;
  Limits limits;
  std::vector<std::string> free;  // no member: phases whose provider costs no tokens

  bool asks() const { return ask != "never"; }
  bool judges() const { return judge == "model"; }
  bool has_floor() const { return steps >= steps_of_floor; }
  bool is_free(std::string_view phase) const;
  static std::span<const json::Field> fields();
};
Brief read_brief(const run::Data& input);

}  // namespace plumb::pipelines::research
