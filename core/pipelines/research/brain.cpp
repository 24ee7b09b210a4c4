// The planner: done with every success criterion met or named as unmet, or the next one to three questions.

#include <algorithm>

#include "core/contract/check.hpp"
#include "core/extract/research.hpp"
#include "core/json/number_text.hpp"
#include "core/pipelines/research/loop.hpp"
#include "core/text/novelty.hpp"

namespace plumb::pipelines::research {

namespace {

using contract::Finding;
using json::Field;
using json::field;
using json::field_if_set;
using json::Value;

struct Planning {
  const Brief& brief;
  const Objective& objective;
  const std::vector<run::Data>& completed;
};

// A decision of the planner.
struct Settled {
  std::optional<std::uint64_t> criterion;
  std::optional<bool> met;  // null: not decided
  std::string why;
  static std::span<const Field> fields() {
    static constexpr Field table[] = {field<&Settled::criterion>("criterion"), field<&Settled::met>("met"),
                                      field<&Settled::why>("why")};
    return table;
  }
};
struct Plan {
  std::string decision;
  std::string reasoning;
  std::vector<Question> questions;
  std::optional<std::vector<Settled>> criteria;
  static std::span<const Field> fields() {
    static constexpr Field table[] = {field<&Plan::decision>("decision"), field<&Plan::reasoning>("reasoning"),
                                      field<&Plan::questions>("questions"), field_if_set<&Plan::criteria>("criteria")};
    return table;
  }
};

// What is told of a question that was looked into to who decides without a model.
struct Completed {
  std::string question;
  bool answered = false;
  bool found = false;
  std::string confidence;
  std::string missing;
  static std::span<const Field> fields() {
    static constexpr Field table[] = {field<&Completed::question>("question"), field<&Completed::answered>("answered"),
                                      field<&Completed::found>("found"), field<&Completed::confidence>("confidence"),
                                      field<&Completed::missing>("missing")};
    return table;
  }
};

std::string criteria_text(const Objective& objective) {
  std::string out;
  for (std::size_t i = 0; i < objective.criteria.size(); ++i) {
    out += json::uint_text(i) + ". " + objective.criteria[i] + "\n";
  }
  return out;
}

// What the planner may know of a question: that it was asked, and what came of it. No query, no passage.
std::string completed_text(const std::vector<run::Data>& completed) {
  std::string out;
  for (const run::Data& data : completed) {
    const auto& one = data.as<QuestionResult>();
    out += "## " + one.question + "\nconfidence: " + one.confidence;
    out += one.answered ? "" : "\nnot answered: no quote states what was asked";
    for (const Claim& claim : one.claims) {
      const bool near = !one.answered && claim.verified;
      out += (near ? "\n- near: " : "\n- ") + claim.claim + (claim.verified ? "" : " (uncited)");
    }
    out += one.missing.empty() ? "" : "\nmissing: " + one.missing;
    out += "\n";
  }
  return out;
}

std::string context_of(const Planning& planning) {
  std::vector<std::string> terms = extract::key_words(planning.objective.text);
  for (const std::string& criterion : planning.objective.criteria) {
    for (std::string& word : extract::key_words(criterion)) {
      terms.push_back(std::move(word));
    }
  }
  return std::string(object([&](json::Writer& json) { json::write_list(json, "terms", terms); }).text());
}

// Words that ask, without saying of what.
bool searches_nothing(std::string_view question) {
  const std::vector<std::string> empty = extract::key_words(
      "purpose meaning reason number amount many much long name value information detail answer question thing kind "
      "type "
      "example");
  const std::vector<std::string> words = extract::key_words(question);
  return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(empty.begin(), empty.end(), word) != empty.end();
  });
}

bool any_answered(const Planning& planning) {
  return std::any_of(planning.completed.begin(), planning.completed.end(),
                     [](const run::Data& one) { return one.as<QuestionResult>().answered; });
}

// Whether sources said something near, though no question was answered.
bool any_found(const Planning& planning) {
  return std::any_of(planning.completed.begin(), planning.completed.end(), [](const run::Data& one) {
    return one.as<QuestionResult>().answered || one.as<QuestionResult>().found;
  });
}

void question_rules(const Planning& planning, const Value& decision, std::vector<Finding>& out) {
  text::Earlier earlier;
  for (const run::Data& one : planning.completed) {
    earlier.add(one.as<QuestionResult>().question);
  }
  const std::span<const Value> questions = list_of(decision, "questions");
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const std::string_view question = text_of(questions[i], "question");
    if (earlier.judge(question).novelty != text::Novelty::fresh) {
      out.push_back(gate_finding("question-new", "Question is new", "/questions/" + json::uint_text(i) + "/question",
                                 "asks what an earlier question asked", "Rewrite it into the next missing evidence."));
      out.back().provided = question;
    }
    if (searches_nothing(question)) {
      out.push_back(gate_finding("question-searches", "Question can be searched for",
                                 "/questions/" + json::uint_text(i) + "/question", "names nothing to search for",
                                 "Name the thing that it is about."));
      out.back().provided = question;
    }
    earlier.add(question);
  }
}

// Done only when each success criterion is met or named as unmet, and met only where something was answered.
void criteria_rule(const Planning& planning, const Value& decision, std::vector<Finding>& out) {
  if (text_of(decision, "decision") != "done") {
    return;
  }
  std::vector<bool> named(planning.objective.criteria.size());
  const bool any = any_answered(planning);
  for (const Value& one : list_of(decision, "criteria")) {
    const std::uint64_t index = number_of(one, "criterion", named.size());
    const Value* met = one.find("met");
    if (index >= named.size() || met == nullptr || (!met->is(json::Kind::boolean) && !met->is(json::Kind::null))) {
      continue;
    }
    named[static_cast<std::size_t>(index)] = true;
    if (met->is(json::Kind::boolean) && met->boolean && !any) {
      out.push_back(gate_finding("criteria-settled", "Done only when each success criterion is met or named as unmet",
                                 "/criteria/" + json::uint_text(index),
                                 any_found(planning) ? "met, though no quote states what was asked"
                                                     : "met, though no question was answered from a source",
                                 "Name it as unmet or not decided, or ask the question that meets it."));
    }
  }
  for (std::size_t i = 0; i < named.size(); ++i) {
    if (!named[i]) {
      out.push_back(gate_finding("criteria-settled", "Done only when each success criterion is met or named as unmet",
                                 "/criteria", "criterion " + json::uint_text(i) + " is neither met nor named as unmet",
                                 "List every criterion with its number, and met true, false or null."));
    }
  }
}

void write_task(json::Writer& json, const Planning& planning) {
  json.member("objective", planning.objective.text);
  json::write_list(json, "success_criteria", planning.objective.criteria);
  json.key("completed").begin_array();
  for (const run::Data& one : planning.completed) {
    json::write_record(json, one.as<Completed>());
  }
  json.end_array();
}

std::string plan_by_rule(const Planning& planning) {
  const run::Data task = object([&](json::Writer& json) { write_task(json, planning); });
  return extract::research("research.brain", task.value()).value();
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
    const std::string decision = json::record_text(Plan{"continue", "rewritten", {out}, {}});
    contract::CheckOptions options;
    const std::string context = context_of(planning);
    options.context = context;
    if (contract::check_text(run.contract("brain-evaluate"), decision, options).valid) {
      return out;
    }
  }
  return {};
}

bool is_at(std::string_view at, std::string_view place) {
  return at.starts_with(place) && (at.size() == place.size() || at[place.size()] == '/');
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

// The good questions of a rejected decision stay, the others are rewritten; done names what is unmet.
std::string rewrite_plan(const run::Run& run, const Planning& planning, const Value* last,
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

Round read_round(const Planning& planning, const Plan& plan, std::uint64_t round) {
  Round out;
  out.decision = plan.decision;
  for (std::size_t i = 0; i < planning.objective.criteria.size(); ++i) {
    Settled last;
    for (const Settled& one : plan.criteria.value_or(std::vector<Settled>())) {
      if (one.criterion == i) {
        last = one;
      }
    }
    const bool met = last.met == true;
    out.criteria.push_back({planning.objective.criteria[i], met,
                            met        ? "met"
                            : last.met ? "unmet"
                                       : "undecided",
                            last.why});
  }
  for (const Question& one : plan.questions) {
    if (out.decision != "continue" || out.questions.size() >= planning.brief.limits.questions) {
      break;
    }
    out.questions.push_back(one);
    out.questions.back().round = round;
    out.questions.back().number = planning.completed.size() + out.questions.size();
  }
  return out;
}

void note_round(run::Run& run, const Round& planned, const Plan& plan, const Decided& decided, std::uint64_t round) {
  BrainRound note;
  note.round = round;
  note.decision = planned.decision;
  note.rationale = plan.reasoning;
  for (const Question& one : planned.questions) {
    note.questions.push_back({one.number, one.question, one.description, one.goal});
  }
  if (planned.decision == "done") {
    note.criteria = planned.criteria;
  }
  note.rewritten = decided.rewritten;
  note.gates = decided.gates;
  run.emit("brain_round", run::Data::of(std::move(note)));
}

}  // namespace

Round plan_round(run::Run& run, const Brief& brief, Spent& spent, const Objective& objective,
                 const std::vector<run::Data>& completed, std::uint64_t round) {
  const Planning planning{brief, objective, completed};
  Asking asking;
  asking.author = "brain";
  asking.context = context_of(planning);
  asking.reads = {{"objective", objective.text},
                  {"success_criteria", criteria_text(objective)},
                  {"completed", completed_text(completed)}};
  asking.task = [&](json::Writer& json) { write_task(json, planning); };
  asking.rules = [&](const Value& decision, std::vector<Finding>& out) {
    question_rules(planning, decision, out);
    criteria_rule(planning, decision, out);
  };
  asking.rewrite = [&](const Value* last, const std::vector<Finding>& broken) {
    return rewrite_plan(run, planning, last, broken);
  };
  const Decided decided = decide(run, brief, spent, asking);
  Round out;
  if (!decided.error.empty()) {
    out.error = decided.error;
    out.cancelled = decided.cancelled;
    return out;
  }
  const auto& plan = decided.value.as<Plan>();
  out = read_round(planning, plan, round);
  note_round(run, out, plan, decided, round);
  return out;
}

}  // namespace plumb::pipelines::research
