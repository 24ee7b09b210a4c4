// What one search brings to a question: the passages, the statements in them that answer the query, how that compares
// with what was known, and quotes that are held against their passages. Internal to this folder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/pipelines/research/loop.hpp"
#include "core/pipelines/research/searches.hpp"

namespace plumb::pipelines::research {

// Searches once more where no source came. Notes `search` for each.
Search search_once(run::Run& run, const Brief& brief, std::string_view query, const std::vector<Search>& before);

// Searches as a context's `history`; failed ones are left out.
History history_of(const std::vector<Search>& searches);
// The same as a model gets to see it: an envelope each, the last with its passages, narrative ones in one line.
std::string history_text(const std::vector<Search>& searches);

// The passages of all searches, each once, those that answered first; as many as a writer gets to see.
inline constexpr std::size_t sources_max = 24;
inline constexpr std::size_t sources_by_rule_max = 72;  // reading them costs no tokens
std::vector<Source> sources_of(const std::vector<Search>& searches, std::size_t most = sources_max);

// Where a quote stands: in the passage that was named, from 1, else in any.
struct Quoted {
  const Source* source = nullptr;  // nullptr: nowhere
  std::uint64_t line = 0;
};
Quoted find_quoted(std::string_view quote, std::size_t number, const std::vector<Source>& sources);

}  // namespace plumb::pipelines::research
