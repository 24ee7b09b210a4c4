// Searches as they are handed on, kept and measured, each a record (core/json/record.hpp). Internal to this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/json/record.hpp"
#include "core/pipelines/research/search_effect.hpp"
#include "core/run/data_record.hpp"

namespace plumb::pipelines::research {

// A passage that quotes are held against.
struct Source {
  std::string title;
  std::string url;
  std::string file;
  std::uint64_t line = 0;
  std::string heading;
  std::string passage;
  bool cited = false;  // it answers the query
  static std::span<const json::Field> fields();
};

// A search and what it brought to its question.
struct Search {
  std::string query;
  SearchStatus status = SearchStatus::error;
  std::string provider;
  std::string answer;  // statements, each with the number of its source
  std::string error;   // of one that failed
  std::uint64_t retry_after_ms = 0;
  std::vector<Source> sources;        // those that are cited come first
  std::vector<std::string> readings;  // of a query that may mean several things
  std::optional<std::string> separator;
  std::string evidence_delta;
  std::string novelty;
  std::string grounding;
  std::uint64_t facts = 0;
  std::uint64_t domains = 0;
  std::uint64_t streak = 0;  // searches without progress
  bool cancelled = false;
  bool narrative = false;
  run::Data labels;
  static std::span<const json::Field> fields();
};

struct Page {
  std::string title;
  std::string url;
  static std::span<const json::Field> fields();
};

// A search as those after it are compared with it.
struct Past {
  std::string query;
  std::string answer;
  std::vector<Page> sources;
  std::string evidence_delta;  // empty: not known yet
  static std::span<const json::Field> fields();
};
struct History {
  std::vector<Past> history;
  static std::span<const json::Field> fields();
};

// What contract::measure_history() says of searches.
struct LastMeasured {
  std::string evidence_delta = "dead_end";
  std::string novelty = "new";
  std::string grounding = "uncited";
  std::uint64_t facts_new = 0;
  static std::span<const json::Field> fields();
};
struct Measured {
  std::uint64_t duplicate_queries = 0;
  std::uint64_t no_change_streak = 0;
  std::uint64_t facts = 0;
  std::uint64_t sources = 0;
  std::uint64_t domains = 0;
  std::vector<LastMeasured> last;  // the last search; none where there is none
  static std::span<const json::Field> fields();
};
Measured measured(const std::vector<Past>& searches);

}  // namespace plumb::pipelines::research
