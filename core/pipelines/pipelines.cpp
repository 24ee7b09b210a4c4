#include "core/pipelines/pipelines.hpp"

#include <array>
#include <utility>

#include "core/pipelines/artifact/artifact.hpp"
#include "core/pipelines/boundary/boundary_pipeline.hpp"
#include "core/pipelines/discovery/discovery.hpp"
#include "core/pipelines/prompt.hpp"
#include "core/pipelines/research/research.hpp"

namespace plumb::pipelines {

namespace {

constexpr std::array<Known, 4> all = {{
    {{"artifact", 1, artifact::pipeline},
     "Plans, generates, validates and repairs a quiz, flashcards, a mindmap or an artifact of your own contract.",
     artifact::prepare,
     artifact::view,
     artifact::log_lines},
    {{"boundary", 1, boundary::pipeline},
     "Judges items by the contract of who will work with them, and has those that are sent back revised, at most "
     "twice.",
     boundary::prepare,
     boundary::view,
     boundary::log_lines},
    {{"research", 1, research::pipeline},
     "Turns a question into an objective, searches in rounds, and reports with a citation for every claim.",
     research::prepare,
     research::view,
     research::log_lines},
    {{"discovery", 1, discovery::pipeline},
     "Makes ranked opportunities, with evidence, of conversations, figures, code and documents, for people to decide "
     "on.",
     discovery::prepare,
     discovery::view,
     discovery::log_lines},
}};

// Symbols of log lines; longer ones first.
constexpr std::pair<std::string_view, std::string_view> symbols[] = {
    {"⚠️", "[!]"}, {"⚙️", "[*]"}, {"✅", "[ok]"}, {"❌", "[failed]"}, {"🔧", "[fix]"}, {"📋", "[plan]"},
    {"🔨", "[make]"},   {"✓", "ok"},       {"✗", "x"},    {"→", "->"},       {"≥", ">="},    {"≤", "<="}};

constexpr std::string_view plan_variables[] = {"type", "data_rule", "source", "options", "count", "shape"};
constexpr std::string_view generate_variables[] = {"type",    "data_rule", "source", "plan",
                                                   "options", "count",     "made",   "shape"};
constexpr std::string_view judge_variables[] = {"type", "data_rule", "source", "artifact", "questions", "shape"};
constexpr std::string_view repair_variables[] = {"type",       "data_rule", "source", "plan",  "artifact", "stopped",
                                                 "structural", "semantic",  "rules",  "scope", "shape"};
constexpr std::string_view validate_variables[] = {"consumer", "role",     "work",  "producer", "producer_role", "what",
                                                   "count",    "criteria", "items", "shape",    "data_rule"};
constexpr std::string_view revise_variables[] = {
    "consumer", "role",   "work",       "producer", "producer_role", "what",  "id",    "name",     "item",
    "rule",     "reason", "suggestion", "action",   "upstream",      "parts", "shape", "data_rule"};
constexpr std::string_view discovery_variables[] = {"domain",   "hint",       "wrong",     "before",    "data_rule",
                                                    "shape",    "explorer",   "looks_for", "units",     "findings",
                                                    "coverage", "brief",      "proposal",  "challenge", "round",
                                                    "solution", "assessment", "risk",      "packages",
                                                    "may_send_back"};
constexpr std::string_view guard_variables[] = {"data_rule", "what",    "artifact",  "stopped", "delivered",
                                                "feedback",  "refused", "unchanged", "shape"};
constexpr std::string_view guard_judge_variables[] = {"data_rule", "given", "artifact", "questions",
                                                      "evidence",  "wrong", "shape"};
// Each role's prompt is built from what its contract lets the role read, and from what every prompt has.
constexpr std::string_view intake_variables[] = {"data_rule", "purpose", "scorecard",    "gates",       "shape",
                                                 "feedback",  "message", "conversation", "constraints", "lookups"};
constexpr std::string_view brain_variables[] = {"data_rule", "purpose",   "scorecard",        "gates",    "shape",
                                                "feedback",  "objective", "success_criteria", "completed"};
constexpr std::string_view researcher_variables[] = {"data_rule", "purpose",   "scorecard", "gates", "shape",
                                                     "feedback",  "objective", "question",  "goal",  "history"};
constexpr std::string_view answer_variables[] = {"data_rule", "purpose",  "scorecard", "gates",   "shape",
                                                 "objective", "question", "goal",      "passages"};
constexpr std::string_view report_variables[] = {"data_rule", "purpose",   "scorecard",        "gates",
                                                 "shape",     "objective", "success_criteria", "evidence"};
constexpr std::string_view research_judge_variables[] = {"data_rule", "purpose", "scorecard", "gates",
                                                         "shape",     "given",   "decision",  "questions"};

struct Variables {
  std::string_view prefix;
  std::span<const std::string_view> names;
};
constexpr Variables variables[] = {{"artifact-plan", plan_variables},
                                   {"artifact-generate", generate_variables},
                                   {"artifact-judge", judge_variables},
                                   {"artifact-repair", repair_variables},
                                   {"artifact-patch", repair_variables},
                                   {"guard-repair", guard_variables},
                                   {"guard-judge", guard_judge_variables},
                                   {"boundary-validate", validate_variables},
                                   {"boundary-revise", revise_variables},
                                   {"discovery-", discovery_variables},
                                   {"research-intake", intake_variables},
                                   {"research-brain", brain_variables},
                                   {"research-researcher", researcher_variables},
                                   {"research-answer", answer_variables},
                                   {"research-report", report_variables},
                                   {"research-judge", research_judge_variables}};

}  // namespace

std::span<const Known> known_pipelines() { return all; }

const Known* known_pipeline(std::string_view name) {
  for (const Known& one : all) {
    if (one.pipeline.name == name) {
      return &one;
    }
  }
  return nullptr;
}

std::string ascii_line(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t taken = 0;
    for (const auto& [symbol, ascii] : symbols) {
      if (text.substr(0, symbol.size()) == symbol) {
        out += ascii;
        taken = symbol.size();
        break;
      }
    }
    if (taken == 0) {
      out += text.front();
      taken = 1;
    }
    text.remove_prefix(taken);
  }
  return out;
}

std::span<const std::string_view> prompt_variables(std::string_view name) {
  for (const Variables& one : variables) {
    if (name.substr(0, one.prefix.size()) == one.prefix) {
      return one.names;
    }
  }
  return {};
}

}  // namespace plumb::pipelines
