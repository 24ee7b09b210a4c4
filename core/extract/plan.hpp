// A plan, read: what an artifact shall be about.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/extract/extract.hpp"
#include "core/extract/terms.hpp"

namespace plumb::extract {

struct Plan {
  std::vector<std::string> names;  // concepts, terms or topics
  std::string main;                // of a mindmap
  std::size_t count = 0;
  std::size_t depth = 3;
};

std::string_view plan_list(Kind kind);  // "concepts", "terms", "topics"

Result<Plan> read_plan(Kind kind, std::string_view text);

inline constexpr std::size_t questions_usual = 5;
inline constexpr std::size_t cards_usual = 10;

// Indices of terms, best first but spread over the parts of the source; each can be asked for or put on a card.
std::vector<std::uint32_t> concepts(const SourceText& reading, const Terms& terms, Kind kind, std::size_t count);

}  // namespace plumb::extract
