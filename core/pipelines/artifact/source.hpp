// What of a source a prompt shows: passages in their order, as many as the budget and the model's window have room for.
//
// A plan reads the source to its end: in one call where it fits, else part by part, each part in a call of its own.
// What the budget has no room for is left out, and that is told. The later phases see the passages that the plan points
// to. Internal to this folder.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/pipelines/artifact/job.hpp"

namespace plumb::pipelines::artifact {

// Fenced passages: those of the plan first, then others from the beginning.
struct Shown {
  std::string text;
  std::vector<std::size_t> left_out;  // of those that the plan points to
  std::size_t hidden = 0;             // of all
};
Shown shown_source(const Job& job, Phase phase, const json::Value& plan);

// How a plan reads the source: parts of passages, each of one call, and what is read by none.
struct SourceSplit {
  std::vector<std::vector<std::size_t>> parts;
  std::vector<std::size_t> left_out;
  std::uint64_t budget_wanted = 0;  // with which nothing would be left out
};
SourceSplit reading_of(const Job& job, const Prompt& plan_prompt);
std::string part_text(const Job& job, const std::vector<std::size_t>& part);

// Plans of parts as one: the entries of all in turn, each name once, at most `most`; all else as the first has it.
std::string merged_plan(const std::vector<run::Data>& plans, const Prompt& plan_prompt, std::uint64_t most);

// `source`: how a plan reads the source, and what is read by none.
struct LeftOut {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::vector<std::string> headings;
  static std::span<const json::Field> fields();
};
struct SourceNote {
  std::uint64_t passages = 0;
  std::uint64_t read = 0;
  std::uint64_t parts = 0;
  std::vector<LeftOut> left_out;
  std::uint64_t budget_wanted = 0;
  static std::span<const json::Field> fields();
};

SourceNote reading_note(const Job& job, const SourceSplit& reading);

}  // namespace plumb::pipelines::artifact
