// The request of a research run as its input says it. Internal to this folder.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/pipelines/research/research.hpp"

namespace plumb::pipelines::research {

// What a run does since its steps were changed; one that was begun before has none in its input and goes on as it did.
inline constexpr std::uint64_t steps_now = 2;
inline constexpr std::array<std::string_view, 6> prompt_names = {"intake", "brain",  "researcher",
                                                                 "answer", "report", "judge"};

struct Brief {
  std::string question;
  std::vector<std::string> answers;
  std::vector<std::string> constraints;
  std::vector<std::string> providers;  // of searches
  std::vector<std::string> lookup;     // who is asked for a term that the intake does not know
  std::size_t search_limit = 8;
  Limits limits;
  std::uint64_t token_budget = token_budget_default;
  bool asks = true;
  bool judges = false;
  std::vector<std::string> free;  // phases whose provider costs no tokens
  std::uint64_t steps = 1;

  bool is_free(std::string_view phase) const;
};
Brief read_brief(const run::Data& input);

}  // namespace plumb::pipelines::research
