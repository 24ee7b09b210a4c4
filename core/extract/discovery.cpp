#include "core/extract/discovery.hpp"
#include "core/extract/topics.hpp"

#include <algorithm>
#include <vector>

#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/stable_sort.hpp"
#include "core/text/sentences.hpp"
#include "core/wording.hpp"

namespace plumb::extract {

namespace {

using json::list_of;
using json::text_of;
using json::Value;

constexpr std::string_view question_nature = "question";
constexpr std::string_view by_rule = "by rule; no model has looked at it";

const Value* evidence_at(const Value& task, std::string_view id) {
  const Value* all = task.find("evidence");
  return all == nullptr ? nullptr : all->find(id);
}

// Whether a text has a word of `name`, of four letters and more.
bool speaks_of(std::string_view text, const text::Words& name) {
  const text::Words words(text, 4'000);
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (std::size_t k = 0; k < name.size(); ++k) {
      if (name.folded(k).size() >= 4 && words.folded(i) == name.folded(k)) {
        return true;
      }
    }
  }
  return false;
}

// Where something is: places in code or documents that the finding names, or that speak of the same.
std::string area_of(const Value& task, const Value& finding) {
  std::string out;
  std::size_t places = 0;
  for (const Value& one : list_of(finding, "evidence")) {
    const Value* unit = evidence_at(task, text_of(one, "source_id"));
    const std::string path(unit == nullptr ? std::string_view() : text_of(*unit, "path"));
    const std::string_view source = unit == nullptr ? std::string_view() : text_of(*unit, "source");
    if ((source == "repo" || source == "docs") && out.find(path) == std::string::npos && places < 3) {
      out += (out.empty() ? "" : ", ") + path;
      ++places;
    }
  }
  if (!out.empty()) {
    return out;
  }
  out = text_of(finding, "pattern_name");
  const text::Words name(out);
  const Value* all = task.find("evidence");
  for (const json::Member& member : all == nullptr ? std::span<const json::Member>() : all->object()) {
    const std::string_view source = text_of(member.value, "source");
    if ((source == "repo" || source == "docs") && places < 2 && speaks_of(text_of(member.value, "text"), name)) {
      out += (places == 0 ? " (see " : ", ") + std::string(member.key);
      ++places;
    }
  }
  return out + (places > 0 ? ")" : "");
}

// Which source a finding or a brief is from, by its first evidence: "conversations", "analytics", "repo", "docs".
std::string_view source_of(const Value& task, const Value& what) {
  const std::span<const Value> evidence = list_of(what, "evidence");
  if (evidence.empty()) {
    return {};
  }
  const Value* unit = evidence_at(task, text_of(evidence.front(), "source_id"));
  return unit == nullptr ? std::string_view() : text_of(*unit, "source");
}

bool is_figure(const Value& task, const Value& finding) { return source_of(task, finding) == "analytics"; }

// The figures that are about what a pattern names; of a figure, none.
std::vector<const Value*> figures_about(const Value& task, const Value& finding) {
  std::vector<const Value*> out;
  for (const Value& other : list_of(task, "findings")) {
    if (is_figure(task, other) && !is_figure(task, finding) &&
        is_about(text_of(other, "pattern_name"), text_of(finding, "pattern_name"))) {
      out.push_back(&other);
    }
  }
  return out;
}

std::string frame(const Value& task) {
  std::string out;
  json::Writer json(out);
  json.begin_object().key("briefs").begin_array();
  for (const Value& finding : list_of(task, "findings")) {
    const std::string name(text_of(finding, "pattern_name"));
    const std::string users(text_of(finding, "affected_users_estimate"));
    // A figure that is about a pattern goes with it, and makes no second opportunity.
    const std::span<const Value> all = list_of(task, "findings");
    if (is_figure(task, finding) && std::any_of(all.begin(), all.end(), [&](const Value& other) {
          return !is_figure(task, other) && is_about(name, text_of(other, "pattern_name"));
        })) {
      continue;
    }
    const std::vector<const Value*> figures = figures_about(task, finding);
    std::string problem(text_of(finding, "description"));
    for (const Value* figure : figures) {
      problem += " " + std::string(text_of(*figure, "description"));
    }
    json.begin_object().member("problem_statement", problem);
    std::string counterfactual = "Solved, \"" + name;
    counterfactual.append("\" would come up less: now it is ").append(users).append(".");
    json.member("counterfactual", counterfactual);
    json.member("affected_area", area_of(task, finding)).key("source_findings").begin_array();
    json.string(text_of(finding, "id"));
    for (const Value* figure : figures) {
      json.string(text_of(*figure, "id"));
    }
    json.end_array();
    const bool asked = text_of(finding, "description").find(asked_about) != std::string_view::npos;
    json.member("opportunity_nature", asked                                ? question_nature
                                      : source_of(task, finding) == "repo" ? "engineering"
                                                                           : "user-facing");
    json.member("severity_assessment", text_of(finding, "severity_assessment"));
    json.member("affected_users_estimate", users).member("pattern_name", name).end_object();
  }
  json.end_array().end_object();
  return out;
}

std::string propose(const Value& task) {
  const Value* brief = task.find("brief");
  const std::string area(brief == nullptr ? std::string_view() : text_of(*brief, "affected_area"));
  const std::string name(brief == nullptr ? std::string_view() : text_of(*brief, "pattern_name"));
  const std::string users(brief == nullptr ? std::string_view() : text_of(*brief, "affected_users_estimate"));
  std::string quote;
  for (const Value& one : brief == nullptr ? std::span<const Value>() : list_of(*brief, "evidence")) {
    if (const Value* unit = evidence_at(task, text_of(one, "source_id")); unit != nullptr && quote.empty()) {
      const std::string_view text = text_of(*unit, "text");
      const bool talk = text_of(*unit, "source") == "conversations";
      quote = talk ? sentence_about(text, name) : json::excerpt(text, 200);
    }
  }
  const std::string_view source = brief == nullptr ? std::string_view() : source_of(task, *brief);
  std::string solution = "Find out what is behind \"" + name + "\" and mend it; it begins with: \"" + quote + "\"";
  std::string measured = "How often \"" + name + "\" comes up: baseline " + (users.empty() ? "unknown" : users) +
                         ", target half of it in the next export.";
  if (brief != nullptr && text_of(*brief, "opportunity_nature") == question_nature) {
    solution = "Answer it where people look first, so that nobody has to ask: \"" + quote + "\"";
    measured =
        "How often \"" + name + "\" is asked about: baseline " + users + ", target half of it in the next export.";
  } else if (source == "analytics") {
    solution = "Find out what changed where \"" + name + "\" begins, and whether it is wanted; if it is not, undo it.";
    measured =
        name.substr(0, name.find(' ')) + " in the next export: baseline the later half, target the earlier half.";
  } else if (source == "repo") {
    solution = "Settle what is marked in " + area + "; it begins with: \"" + quote + "\"";
    measured = "Marked places: baseline " + users + ", target none.";
  } else if (source == "docs") {
    solution = "Decide which of the limits that " + area + " tells are to go; it begins with: \"" + quote + "\"";
    measured = "Sections that tell a limit: baseline " + users + ", target half of it.";
  }
  std::string out;
  json::Writer json(out);
  json.begin_object().member("proposed_solution", solution).member("success_metrics", measured);
  json.member("build_experiment_decision", "build_with_metrics");
  json.member("decision_rationale", "Chosen " + std::string(by_rule) + ".").end_object();
  return out;
}

std::string assess(const Value& task) {
  const Value* brief = task.find("brief");
  const Value* solution = task.find("solution");
  constexpr std::size_t places_max = 5;
  std::string places;
  const std::span<const Value> evidence = brief == nullptr ? std::span<const Value>() : list_of(*brief, "evidence");
  for (std::size_t i = 0; i < std::min(places_max, evidence.size()); ++i) {
    places += (i == 0 ? "" : ", ") + std::string(text_of(evidence[i], "source_id"));
  }
  if (evidence.size() > places_max) {
    places += " and " + json::uint_text(evidence.size() - places_max) + " more";
  }
  std::string out;
  json::Writer json(out);
  json.begin_object().member("feasibility_assessment", "feasible");
  json.member("approach", "Begin with " + std::string(brief == nullptr ? "" : text_of(*brief, "affected_area")) +
                              "; the evidence is at " + places + ".");
  json.member("effort_estimate", "Not estimated: made " + std::string(by_rule) + ".");
  json.member("dependencies", "none known");
  json.member("acceptance_criteria", solution == nullptr ? "" : text_of(*solution, "success_metrics"));
  json.member("constraints", "None known: made " + std::string(by_rule) + ".").end_object();
  return out;
}

struct Weighed {
  std::string id, rationale;
  std::size_t weight = 0;
};

std::string rank(const Value& task) {
  std::vector<Weighed> all;
  for (const Value& package : list_of(task, "packages")) {
    const Value* brief = package.find("opportunity_brief");
    const std::size_t evidence = brief == nullptr ? 0 : list_of(*brief, "evidence").size();
    const std::string severity(brief == nullptr ? std::string_view() : text_of(*brief, "severity_assessment"));
    const std::size_t times = severity.starts_with("high") ? 3 : severity.starts_with("medium") ? 2 : 1;
    all.push_back({std::string(text_of(package, "opportunity_id")),
                   counted(evidence, "piece") + " of evidence; " +
                       (severity.empty() ? "severity not known" : severity) + ". Weighed " + std::string(by_rule) + ".",
                   evidence * times});
  }
  plumb::stable_sort(all, [](const Weighed& a, const Weighed& b) { return a.weight > b.weight; });
  std::string out;
  json::Writer json(out);
  json.begin_object().key("rankings").begin_array();
  for (const Weighed& one : all) {
    json.begin_object().member("opportunity_id", one.id).member("rationale", one.rationale);
    json.key("dependencies").begin_array().end_array().key("flags").begin_array().string("by_rule").end_array();
    json.end_object();
  }
  json.end_array().end_object();
  return out;
}

}  // namespace

Result<std::string> discovery_answer(std::string_view name, const Value& task) {
  const Value* units = task.find("units");
  if (name == "discovery.explore" && units != nullptr) {
    return patterns_in(text_of(task, "source"), *units);
  }
  if (name == "discovery.frame") {
    return frame(task);
  }
  if (name == "discovery.propose") {
    return propose(task);
  }
  if (name == "discovery.assess") {
    return assess(task);
  }
  if (name == "discovery.rank") {
    return rank(task);
  }
  return Error{ErrorCode::invalid_argument,
               "extract finds patterns and ranks them; it does not know the task '" + std::string(name) +
                   "': choose a provider with a model",
               "/task", 0, 0};
}

}  // namespace plumb::extract
