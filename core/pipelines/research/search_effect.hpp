// The `search` effect: what a run asks of a search provider, what comes back, and how a model gets to see it.
//
// Request:
//
//   {"query": "Which option of apt-get removes configuration files?",   one question or phrase in natural language
//    "providers": ["corpus", "searxng"],    asked in this order until one has results; absent or []: all that there are
//    "limit": 8}                            passages at most, 1 to 50; absent: 8
//
// Value of an `ok` reply (`status` and `results` are always there, all else where it is known):
//
//   {"status": "success",      or no_results, insufficient_specificity, rate_limited, error
//    "query": "...",           as it was asked
//    "provider": "corpus",     who answered
//    "results": [{"title": "apt-get(8)", "uri": "file:///usr/share/doc/apt/guide.txt", "file": "apt/guide.txt",
//                 "line": 120, "line_to": 126, "heading": "Removing packages", "passage": "...", "score": 7.25}],
//    "insufficient_specificity": {"readings": [{"reading": "the planet", "results": [0, 3]}, ...],   at least two
//                                 "separator": "planet or metal"},
//    "retry_after_ms": 3000,   with rate_limited
//    "error": "..."}           with error and rate_limited, one sentence
//
// `passage` stands verbatim in the file, from the beginning of line `line` (counted from 1) to the end of `line_to`:
// quotes are verified against it. `uri` is unique to the document; `file` is its path under the root of the corpus, ""
// for a page of the web, whose passage is the snippet. `score` is larger for what fits better. Results come best first.
// Readings name their results by index. A provider that is down is `error`; a host that cannot search at all answers
// the effect itself as `failed`. A failed search is shown as such: it is never taken for one that found nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/record.hpp"
#include "core/run/effect.hpp"

namespace plumb::pipelines::research {

inline constexpr std::size_t search_limit_default = 8;
inline constexpr std::size_t search_limit_max = 50;
// Of a reply; more are left out and counted.
inline constexpr std::size_t passage_bytes_max = 8'000;

enum class SearchStatus : std::uint8_t { success, no_results, insufficient_specificity, rate_limited, error };
std::span<const std::string_view> names_of(SearchStatus status);
// It is never taken for a search that found nothing.
constexpr bool is_failed(SearchStatus status) {
  return status == SearchStatus::error || status == SearchStatus::rate_limited;
}

struct SearchResult {
  std::string title;
  std::string uri;
  std::string file;
  std::uint64_t line = 0;  // 0: not known
  std::uint64_t line_to = 0;
  std::string heading;
  std::string passage;
  static std::span<const json::Field> fields();
};

struct Interpretation {
  std::string reading;
  std::vector<std::size_t> results;
};

struct SearchReply {
  SearchStatus status = SearchStatus::error;
  std::string query;
  std::string provider;
  std::vector<SearchResult> results;
  std::vector<Interpretation> readings;
  std::string separator;
  std::uint64_t retry_after_ms = 0;
  std::string error;

  bool failed() const { return is_failed(status); }
};

// {"query", "providers", "limit"}.
std::string search_request(std::string_view query, std::span<const std::string> providers, std::size_t limit);

// Of any reply: one that is not ok is an `error` that says why. What has not the form above is left out.
SearchReply read_search(const run::Reply& reply, std::string_view query);

// How a model gets to see it: {"result": "success", "data": [...], "action": "..."}, {"result": "no_results", "query",
// "action"}, {"result": "error", "error", "action"}, {"result": "rate_limited", ...}. The action is last and points
// forward: none says to search again.
std::string search_envelope(const SearchReply& reply);

}  // namespace plumb::pipelines::research
