// A task in parts (004-27): the parts partition its criteria and scenarios, cover its files, at most 8 of them and 2
// levels deep.
//
//   Decomposition parts = decompose_by_size(task, sizes, limits);          // without a model
//   Decomposition parts = read_decomposition(answer, task);                // a model's, under the contract
//
// Part ids are the task's with a letter: T2a, T2b; of these T2a1. A part waits for what the task waited for, and for
// the parts that it names. Without a model files go as core/budget/task_size.hpp cuts them, and a criterion goes to the
// part whose files it names, else to the last: it is judged when all parts are there.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/budget/task_size.hpp"
#include "core/workflow/plan.hpp"

namespace plumb::workflow {

inline constexpr std::size_t parts_max = 8;
inline constexpr std::uint32_t levels_max = 2;

struct Decomposition {
  std::vector<Task> parts;    // empty where it cannot be done
  std::string why_not;        // "task T2 cannot be cut: ..."
  contract::Verdict verdict;  // of an answer
};

// How deep a task's id lies: T2 is 0, T2a 1, T2a1 2.
std::uint32_t level_of(std::string_view id, std::string_view root);

// The context document for the contract `decomposition`: {"criteria": ["A1"...], "scenarios": ["S1"...], "files":
// [...]}.
std::string decomposition_context(const Task& task);
Decomposition read_decomposition(std::string_view json, const Task& task, std::uint32_t level);

struct SizedFile {
  std::string path;
  budget::Tokens tokens = 0;
  static std::span<const json::Field> fields();
};
Decomposition decompose_by_size(const Task& task, std::span<const SizedFile> files, const budget::SizeLimits& limits,
                                std::uint32_t level);

// A continuation (004-32): the task with the criteria that are open, and what is known of the others.
Task continuation_of(const Task& task, std::span<const std::string> met, std::uint32_t number);
inline constexpr std::uint32_t continuations_max = 3;

}  // namespace plumb::workflow
