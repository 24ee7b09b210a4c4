// Conventions: patterns of approved reviews that reach later ones (004-45, 004-46).
//
//   Conventions all = ...;
//   note_convention(all, "shop", {"Table-driven tests", "Tests are tables of cases", {"*_test.go"}}, "T2", "qwen3:8b");
//   for (const Convention* one : conventions_for(all, paths)) ...
//
// Near duplicates (core/text/novelty.hpp) are one, counted. One reaches reviews after two approved tasks or a person's
// word; a retired one reaches none and is not learnt again. At most 200 a project, 300 characters each: fenced data,
// which never weakens an SOP.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/record.hpp"
#include "core/result.hpp"

namespace plumb::workflow {

inline constexpr std::size_t conventions_max = 200;
inline constexpr std::size_t convention_characters_max = 300;

struct NotedPattern {
  std::string name, pattern;
  std::vector<std::string> applies_to;
  static std::span<const json::Field> fields();
};

// What became of a convention in a review that it was shown to.
enum class ConventionUse : std::uint8_t {
  shown,
  cited,         // the review names it, or notes the same pattern again
  contradicted,  // the review names it, and rejects the work
};
std::span<const std::string_view> names_of(ConventionUse);
inline constexpr std::size_t uses_max = 100;  // of a convention, the latest
struct ReviewUse {
  std::string review;  // "RUN/TASK/2"
  ConventionUse use = ConventionUse::shown;
  static std::span<const json::Field> fields();
};

struct Convention {
  std::string id;  // "semspec.convention.PROJECT.table-driven-tests"
  std::string name, pattern;
  std::vector<std::string> applies_to;
  std::vector<std::string> source_tasks;  // "RUN/TASK" that it was approved in, each once
  std::string approved_by;                // who reviewed the first
  std::string confirmed_by;               // a person; empty: none yet
  bool retired = false;
  std::string source_task = {};                // written only: the first of these
  std::vector<ReviewUse> uses = {};            // each review once
  std::size_t count(ConventionUse use) const;  // of reviews: all of them were shown it, some cited it, ...
  bool used() const { return !retired && (source_tasks.size() >= 2 || !confirmed_by.empty()); }
  static std::span<const json::Field> fields();
};

struct Noted {
  enum class What : std::uint8_t { fresh, again, retired, full, refused } what = What::fresh;
  std::string id;     // of the convention that it is
  std::string words;  // why it was not taken
};
Noted note_convention(std::vector<Convention>& all, std::string_view project, const NotedPattern& pattern,
                      std::string_view source_task, std::string_view approved_by);
// By id, or its last part. The error names near ones.
Result<bool> retire_convention(std::vector<Convention>& all, std::string_view id);
Result<bool> confirm_convention(std::vector<Convention>& all, std::string_view id, std::string_view person);

// Notes what became of the conventions that a review was shown, by their ids. `words`: all that the review says;
// `patterns`: those that it notes; `approved`: what it decided.
struct ReviewWords {
  std::string review, words;
  bool approved = false;
  std::span<const NotedPattern> patterns;
};
void note_uses(std::vector<Convention>& all, std::span<const std::string> shown, const ReviewWords& said);

// Those in use that apply to one of the paths; those seen most often first.
std::vector<const Convention*> conventions_for(std::span<const Convention> all, std::span<const std::string> paths);

std::string conventions_json(std::span<const Convention> all);
Result<std::vector<Convention>> read_conventions(std::string_view json);
// [{"id", "triples": [{"predicate": "semspec.convention.name", "object"}]}]
std::string convention_entities(std::span<const Convention> all);

}  // namespace plumb::workflow
