// How many: the numbers that a run is held to, as structural rules of its own (class `count`).
//
// A number that was given binds; without one the prompt's usual number is a most, and one is enough. Either is written
// into the contract that the run is pinned to, so that schema, prompt, stream and verdict say the same. Items beyond
// the number are cut before anybody judges them, and that is reported. The plan's coverage, that something is about
// each of its entries, is looked at beside it: what is missing is asked for in a repair, by the entries' ids, and told
// as a warning where it stays. Internal to this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/verdict.hpp"
#include "core/pipelines/artifact/job.hpp"

namespace plumb::pipelines::artifact {

// The bounds of the option of this name, as the plan prompt has them.
struct Bounds {
  std::uint64_t min = 1;
  std::uint64_t max = 0;
};
Bounds bounds_of(const Prompt& plan_prompt, std::string_view option);

// The contract with the numbers in it; the error says why both cannot be kept.
Result<std::string> counted_contract(std::string_view contract, const Counted& made, Count& count);
// The contract of a plan, whose list has at most as many entries as may be asked for.
std::string counted_plan(std::string_view contract, const Prompt& plan_prompt);

// The entries of a plan that something must be about, in its order: at most as many as are wanted.
struct Entry {
  std::string id;  // "concept 1"
  std::string name;
};
std::vector<Entry> entries_of(const Job& job, const Prompt& plan_prompt, const json::Value& plan);

// The entries that nothing in these words is about: none of them is a word that tells the entry from the others.
std::vector<Entry> uncovered_in(const Job& job, const Prompt& plan_prompt, const json::Value& plan,
                                std::string_view said);
// The number of levels that a tree may have, or 0; and that as a rule.
std::uint64_t levels_of(const Job& job, const Prompt& plan_prompt);
std::string levels_text(std::uint64_t levels);

// The run's own rules on an artifact that is JSON, after those of its contract.
struct Counting {
  std::uint64_t items = 0;
  std::vector<Entry> uncovered;
  std::vector<contract::Finding> findings;  // of class `count`
};
Counting count_of(const Job& job, const Prompt& plan_prompt, const json::Value& plan, const json::Value& artifact);

// An artifact with more items than may be, without those beyond: for each entry of the plan the first item about it
// stays, then others in their order. A tree is left as it is.
struct Cut {
  std::string text;
  std::uint64_t items = 0;  // that were cut
};
Cut cut_items(const Job& job, const Prompt& plan_prompt, const json::Value& plan, std::string text);

// What is there, for a prompt that has it (`made`): "2 questions are there."; and the entries of the plan.
std::string manifest_text(const Job& job, const Prompt& plan_prompt, const json::Value& plan,
                          const std::vector<Entry>& uncovered, std::uint64_t items, bool made);

}  // namespace plumb::pipelines::artifact
