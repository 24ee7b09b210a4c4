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
  static std::span<const json::Field> fields() {
    static constexpr json::Field table[] = {
        json::field<&Times::develop_ms>("develop_ms"), json::field<&Times::gates_ms>("gates_ms"),
        json::field<&Times::review_ms>("review_ms"), json::field<&Times::task_ms>("task_ms")};
    return table;
  }
};

struct Settings {
  run::Data gates;  // core/workflow/gates.hpp
  bool setup = false;
  std::vector<std::string> caches, developers, developer_reads, tests;
  std::optional<std::vector<std::string>> protect;
  std::string developer, base_failures;  // empty: nothing is said
  std::string isolation;                 // full, partial
  std::string claims;                    // host and repository, under which files are claimed
  run::Data times;                       // those of Times that are declared
  std::vector<plumb::workflow::SopFile> sops;
  run::Data conventions;  // core/workflow/convention.hpp
  static std::span<const json::Field> fields() {
    static constexpr json::Field table[] = {json::field<&Settings::gates>("gates"),
                                            json::field<&Settings::setup>("setup"),
                                            json::field<&Settings::caches>("caches"),
                                            json::field<&Settings::developers>("developers"),
                                            json::field<&Settings::developer_reads>("developer_reads"),
                                            json::field_if_set<&Settings::protect>("protected"),
                                            json::field_if_set<&Settings::tests>("tests"),
                                            json::field_if_set<&Settings::developer>("developer"),
                                            json::field_if_set<&Settings::base_failures>("base_failures"),
                                            json::field<&Settings::isolation>("isolation"),
                                            json::field_if_set<&Settings::claims>("claims"),
                                            json::field<&Settings::times>("times"),
                                            json::field<&Settings::sops>("sops"),
                                            json::field<&Settings::conventions>("conventions")};
    return table;
  }
};

enum class DeveloperKind : std::uint8_t { extract, model, conversation, person, command };
inline std::span<const std::string_view> names_of(DeveloperKind) {
  static constexpr std::string_view names[] = {"extract", "model", "conversation", "person", "command"};
  return names;
}

// Who answers in each phase; empty or `extract`: nobody that costs tokens.
struct Providers {
  std::string plan, develop, review;
  static bool is_free(std::string_view name) { return name.empty() || name == "extract"; }
  static std::span<const json::Field> fields() {
    static constexpr json::Field table[] = {json::field_if_set<&Providers::plan>("plan"),
                                            json::field_if_set<&Providers::develop>("develop"),
                                            json::field_if_set<&Providers::review>("review")};
    return table;
  }
};

// 2: what a gate runs and the tests that were there are guarded, and reports decide. 3: models' answers are read
// tolerantly, files named by a glob are shown, and a review at odds with itself is asked again. 4: a developer that
// converses can search.
inline constexpr std::uint32_t rules_guards = 2, rules_tolerant = 3, rules_search = 4;
inline constexpr std::uint32_t rules_now = 4;

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
  std::uint32_t rules = 0;  // by which gates, tests and files are judged: rules_now, or none of a run of version 1
  run::Data settings;       // Settings, as the host has them
  std::vector<std::string> also;
  Providers providers;
  static std::span<const json::Field> fields() {
    static constexpr json::Field table[] = {json::field_if_set<&Input::plan>("plan"),
                                            json::field_if_set<&Input::idea>("idea"),
                                            json::field<&Input::repositories>("repositories"),
                                            json::field<&Input::at>("at"),
                                            json::field<&Input::promoted>("promoted"),
                                            json::field<&Input::developer>("developer"),
                                            json::field<&Input::developer_name>("developer_name"),
                                            json::field<&Input::reviewer>("reviewer"),
                                            json::field<&Input::base_failures>("base_failures"),
                                            json::field<&Input::token_budget>("token_budget"),
                                            json::field_if_set<&Input::rules>("rules"),
                                            json::field<&Input::settings>("settings"),
                                            json::field_if_set<&Input::also>("also"),
                                            json::field<&Input::providers>("providers")};
    return table;
  }
};

}  // namespace plumb::pipelines::workflow
