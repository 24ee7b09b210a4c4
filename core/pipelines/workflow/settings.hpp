// What a run of a workflow is begun with: what its host has declared for the repository, and its input, which pins
// that.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/record.hpp"
#include "core/run/data_record.hpp"
#include "core/workflow/gate_results.hpp"
#include "core/workflow/sop.hpp"

namespace plumb::pipelines::workflow {

struct Times {
  std::uint64_t develop_ms = 600'000;
  std::uint64_t gates_ms = 300'000;
  std::uint64_t review_ms = 300'000;
  std::uint64_t task_ms = 1'800'000;
  static std::span<const json::Field> fields();
};

struct Settings {
  run::Data gates;  // core/workflow/gates.hpp
  bool setup = false;
  std::vector<std::string> caches, developers, developer_reads;
  std::optional<std::vector<std::string>> protect;
  std::string developer, base_failures;  // empty: nothing is said
  std::string isolation;                 // full, partial
  run::Data times;                       // those of Times that are declared
  std::vector<plumb::workflow::SopFile> sops;
  run::Data conventions;  // core/workflow/convention.hpp
  static std::span<const json::Field> fields();
};

enum class DeveloperKind : std::uint8_t { extract, model, conversation, person, command };
std::span<const std::string_view> names_of(DeveloperKind);

// Who answers in each phase; empty or `extract`: nobody that costs tokens.
struct Providers {
  std::string plan, develop, review;
  static bool is_free(std::string_view name) { return name.empty() || name == "extract"; }
  static std::span<const json::Field> fields();
};

struct Input {
  run::Data plan;    // or
  std::string idea;  // that a model makes one of
  std::vector<std::string> repositories;
  std::string at;
  bool promoted = false;
  DeveloperKind developer = DeveloperKind::extract;
  std::string developer_name;  // of a command
  std::string reviewer;        // extract, model
  plumb::workflow::BaseFailures base_failures = plumb::workflow::BaseFailures::refuse;
  std::uint64_t token_budget = 0;
  run::Data settings;  // Settings, as the host has them
  std::vector<std::string> also;
  Providers providers;
  static std::span<const json::Field> fields();
};

}  // namespace plumb::pipelines::workflow
