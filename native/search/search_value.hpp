// What was found, as the value of a `search` effect's reply (core/pipelines/research/search_effect.hpp has its form),
// and as an artifact under the contract `search`.
//
// To a result of a corpus the value adds `quote`, `quote_line` and `quote_line_to`, and beside the results `not_found`:
// words of the query that are in no document.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "native/search/hit.hpp"

namespace plumb::search {

// "file:///usr/share/doc/a%20b.txt"
std::string file_uri(std::string_view folder, std::string_view path);

// status success, no_results or insufficient_specificity.
std::string corpus_value(std::string_view query, const Hits& hits, std::string_view folder);
// {"answer", "sources", "insufficient_specificity"?}: quotes first, each with the number of its source.
std::string corpus_answer(const Hits& hits, std::string_view folder);

// status error or, with a time, rate_limited.
std::string failed_value(std::string_view query, std::string_view provider, std::string_view error);
std::string limited_value(std::string_view query, std::string_view provider, std::string_view error,
                          std::uint64_t retry_after_ms);

// "planet or metal"; of more than two "planet, metal or car".
std::string separator_of(const Hits& hits);

// White space folded to single blanks: how a quote that runs over lines is shown.
std::string one_line(std::string_view text);

}  // namespace plumb::search
