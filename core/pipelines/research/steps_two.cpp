#include "core/pipelines/research/steps_two.hpp"

#include <algorithm>

#include "core/contract/check.hpp"
#include "core/extract/research.hpp"
#include "core/json/number_text.hpp"
#include "core/pipelines/research/evidence.hpp"
#include "core/text/novelty.hpp"

namespace plumb::pipelines::research::steps_two {

namespace {

using contract::Finding;
using json::Value;

std::string piece_missing(const extract::Subject& subject) {
  return "The one missing evidence piece is: " + subject.attribute + " of " + subject.entity + ".";
}

// A question by rule about what a rejected one was about; none where even that breaks a gate.
std::optional<Question> question_by_rule(const run::Run& run, const Planning& planning, std::string_view rejected,
                                         const text::Earlier& earlier) {
  if (searches_nothing(rejected)) {
    return {};
  }
  const extract::Subject subject = extract::subject_of(rejected);
  const std::string scope = subject.scope.empty() ? "" : " in " + subject.scope;
  const extract::Subject whole = extract::subject_of(planning.objective.text);
  Question out;
  out.description = "It gives the objective the missing " + subject.attribute + ", as far as it concerns " +
                    whole.attribute + " of " + whole.entity + ".";
  out.goal = "A sentence that states it, quoted from a source.";
  for (const std::string& question :
       {"What is the " + subject.attribute + " of " + subject.entity + scope + "?",
        "Which " + subject.attribute + " does " + subject.entity + " have" + scope + "?",
        "What is the " + subject.attribute + " that " + subject.entity + " has for " + whole.entity + scope + "?"}) {
    if (earlier.judge(question).novelty != text::Novelty::fresh || searches_nothing(question)) {
      continue;
    }
    out.question = question;
    const std::string decision = json::record_text(Plan{"continue", "rewritten", {out}, {}, {}});
    contract::CheckOptions options;
    const std::string context = context_of(planning);
    options.context = context;
    if (contract::check_text(run.contract("brain-evaluate"), decision, options).valid) {
      return out;
    }
  }
  return {};
}

// The criteria by number, of a decision that names no further question.
std::vector<Settled> settle_criteria(const Planning& planning, const Plan& said) {
  const bool any = any_answered(planning);
  std::vector<Settled> out;
  for (std::size_t i = 0; i < planning.objective.criteria.size(); ++i) {
    bool met = false;
    bool denied = false;
    for (const Settled& one : said.criteria.value_or(std::vector<Settled>())) {
      met = met || (any && one.criterion == i && one.met == true);
      denied = denied || (one.criterion == i && one.met == false);
    }
    const bool open = !met && !denied && any_found(planning);
    out.push_back({i, open ? std::nullopt : std::optional(met),
                   met ? "The planner says so, and a source is quoted." : "Not shown to be met."});
  }
  return out;
}

}  // namespace

std::string rewritten_plan(const run::Run& run, const Planning& planning, const Value* last,
                           const std::vector<Finding>& broken) {
  const std::span<const Value> questions = last == nullptr ? std::span<const Value>() : list_of(*last, "questions");
  const bool done = last != nullptr && text_of(*last, "decision") == "done" && !planning.completed.empty();
  Plan out;
  text::Earlier earlier;
  for (const run::Data& one : planning.completed) {
    earlier.add(one.as<QuestionResult>().question);
  }
  for (std::size_t i = 0; i < questions.size() && !done && out.questions.size() < planning.brief.limits.questions;
       ++i) {
    const std::string place = "/questions/" + json::uint_text(i);
    const bool good =
        std::none_of(broken.begin(), broken.end(), [&](const Finding& one) { return is_at(one.at, place); });
    auto said = json::record_of<Question>(questions[i]);
    said.number = 0;
    std::optional<Question> kept;
    if (good && !said.question.empty()) {
      kept = said;
    } else if (!said.question.empty()) {
      kept = question_by_rule(run, planning, said.question, earlier);
    }
    if (kept) {
      earlier.add(said.question);
      out.questions.push_back(std::move(*kept));
    }
  }
  if (out.questions.empty() && planning.completed.empty()) {
    return plan_by_rule(planning);
  }
  const bool ends = out.questions.empty();
  out.decision = ends ? "done" : "continue";
  out.reasoning = ends ? "No further question passes the gates." : "Rewritten by rule.";
  if (ends) {
    out.criteria = settle_criteria(planning, last == nullptr ? Plan() : json::record_of<Plan>(*last));
  }
  return json::record_text(out);
}

Decision rewritten_query(const run::Run& run, const Inquiry& inquiry, const std::vector<Search>& searches,
                         const Value* last) {
  std::vector<extract::Subject> subjects;
  const extract::Subject own = extract::subject_of(inquiry.question.question);
  if (last != nullptr) {
    const Missing missing = json::record_of<Decision>(*last).missing;
    extract::Subject said;
    said.entity = missing.entity;
    said.attribute = missing.attribute;
    said.scope = own.scope;
    if (!said.entity.empty() && !said.attribute.empty()) {
      subjects.push_back(std::move(said));
    }
  }
  subjects.push_back(own);
  const std::string context = json::record_text(history_of(searches));
  for (const extract::Subject& subject : subjects) {
    for (const std::string& query : extract::queries_for(subject)) {
      Decision decision{"continue", piece_missing(subject), query, {subject.entity, subject.attribute, subject.scope}};
      contract::CheckOptions options;
      options.context = context;
      if (contract::check_text(run.contract("researcher-evaluate"), json::record_text(decision), options).valid) {
        return decision;
      }
    }
  }
  return {"done", "Nothing new is left to ask. " + piece_missing(own), "", {own.entity, own.attribute, ""}};
}

}  // namespace plumb::pipelines::research::steps_two
