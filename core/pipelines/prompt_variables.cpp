// The table is with the prompts and not with the pipelines that fill them in: whoever reads a prompt is told of a name
// that nobody gives, a guarded stream among them, without linking a pipeline.
#include <span>
#include <string_view>

#include "core/pipelines/prompt.hpp"

namespace plumb::pipelines {

namespace {

constexpr std::string_view plan_variables[] = {"type", "data_rule", "source",   "options", "count",
                                               "made", "exactly",   "language", "shape"};
constexpr std::string_view generate_variables[] = {"type", "data_rule", "source",   "plan",     "options", "count",
                                                   "made", "exactly",   "manifest", "language", "shape"};
constexpr std::string_view judge_variables[] = {"type", "data_rule", "source", "artifact", "questions",
                                                "tree", "choice",    "again",  "shape"};
constexpr std::string_view repair_variables[] = {"type",       "data_rule", "source", "plan",   "artifact", "stopped",
                                                 "structural", "semantic",  "rules",  "scope",  "manifest", "last",
                                                 "missing",    "invalid",   "levels", "choice", "language", "shape"};
constexpr std::string_view validate_variables[] = {"consumer", "role",     "work",  "producer", "producer_role", "what",
                                                   "count",    "criteria", "items", "shape",    "data_rule"};
constexpr std::string_view revise_variables[] = {
    "consumer", "role",   "work",       "producer", "producer_role", "what",  "id",    "name",      "item",
    "rule",     "reason", "suggestion", "action",   "upstream",      "parts", "shape", "data_rule", "unusable"};
constexpr std::string_view discovery_variables[] = {
    "domain",    "hint",     "wrong",      "before",   "data_rule", "shape",        "explorer",
    "looks_for", "units",    "findings",   "coverage", "brief",     "proposal",     "challenge",
    "round",     "solution", "assessment", "risk",     "packages",  "may_send_back"};
constexpr std::string_view guard_variables[] = {"data_rule", "what",    "artifact",  "stopped", "delivered",
                                                "feedback",  "refused", "unchanged", "shape"};
constexpr std::string_view guard_judge_variables[] = {"data_rule", "given", "artifact", "questions",
                                                      "evidence",  "wrong", "shape"};
// Each role's prompt is built from what its contract lets the role read, and from what every prompt has.
constexpr std::string_view intake_variables[] = {"data_rule",   "purpose",  "scorecard", "gates",
                                                 "shape",       "feedback", "message",   "conversation",
                                                 "constraints", "lookups",  "offer"};
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
constexpr std::string_view workflow_plan_variables[] = {"data_rule", "shape", "idea", "paths", "gates", "wrong"};
constexpr std::string_view workflow_plan_review_variables[] = {"data_rule", "shape", "plan", "sops", "wrong"};
// The developer is told nothing of SOPs and reviews, but what its task's text says where it is configured.
constexpr std::string_view workflow_develop_variables[] = {"data_rule", "shape", "task", "files", "feedback"};
constexpr std::string_view workflow_converse_variables[] = {"data_rule", "shape", "task", "so_far", "feedback"};
constexpr std::string_view workflow_revise_variables[] = {"data_rule", "shape", "plan", "task",
                                                          "reason",    "gates", "wrong"};
constexpr std::string_view workflow_decompose_variables[] = {"data_rule", "shape", "task", "reason", "wrong"};
constexpr std::string_view workflow_review_variables[] = {"data_rule", "shape",    "task",   "diff",
                                                          "gates",     "context",  "sops",   "criteria",
                                                          "open",      "warnings", "broken", "wrong"};

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
                                   {"research-judge", research_judge_variables},
                                   {"workflow-plan-review", workflow_plan_review_variables},
                                   {"workflow-plan", workflow_plan_variables},
                                   {"workflow-develop", workflow_develop_variables},
                                   {"workflow-converse", workflow_converse_variables},
                                   {"workflow-revise", workflow_revise_variables},
                                   {"workflow-decompose", workflow_decompose_variables},
                                   {"workflow-review", workflow_review_variables}};

}  // namespace

std::span<const std::string_view> prompt_variables(std::string_view name) {
  for (const Variables& one : variables) {
    if (name.starts_with(one.prefix)) {
      return one.names;
    }
  }
  return {};
}

}  // namespace plumb::pipelines
