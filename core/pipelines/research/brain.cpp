// The planner: done with every success criterion met or named as unmet, or the next one to three questions.

#include <algorithm>

#include "core/extract/floor.hpp"
#include "core/json/number_text.hpp"
#include "core/pipelines/research/plan.hpp"
#include "core/pipelines/research/steps_two.hpp"
#include "core/text/novelty.hpp"

namespace plumb::pipelines::research {

namespace {

using contract::Finding;
using json::Field;
using json::field;
using json::Value;

constexpr std::size_t questions_most = 100;  // of a plan whose gates are told apart

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

std::string_view text_or_nothing(const std::optional<std::string>& text) { return text ? std::string_view(*text) : ""; }

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

// Whether a finding is about the question itself, not about what is said of it.
bool is_of_question(const Finding& broken, std::size_t index) {
  return is_at(broken.at, "/questions/" + json::uint_text(index) + "/question");
}

// What stands of a plan that broke gates to the end, in its own words: questions that broke one are dropped, those of
// which only the description or the goal did are flagged. A first plan that cannot be read is made by rule.
std::string standing_plan(const Planning& planning, const Value* last, const std::vector<Finding>& broken) {
  const Plan said = last == nullptr ? Plan() : json::record_of<Plan>(*last);
  const bool done = said.decision == "done";
  const bool is_plan = done || (said.decision == "continue" && !said.questions.empty());
  if ((!is_plan || done) && planning.completed.empty()) {
    return plan_by_rule(planning);
  }
  Plan out{said.decision, said.reasoning, {}, {}, {}};
  for (std::size_t i = 0; i < said.questions.size() && !done; ++i) {
    Question one{said.questions[i].question, said.questions[i].description, said.questions[i].goal, 0, 1, {}};
    bool keeps = !one.question.empty();
    for (const Finding& finding : broken) {
      keeps = keeps && !is_of_question(finding, i);
      const bool flags = is_at(finding.at, "/questions/" + json::uint_text(i)) && !finding.rule.empty();
      if (flags && std::find(one.flags.begin(), one.flags.end(), finding.rule) == one.flags.end()) {
        one.flags.push_back(finding.rule);
      }
    }
    keeps ? out.questions.push_back(std::move(one)) : out.dropped.push_back(std::move(one.question));
  }
  out.decision = done ? "done" : out.questions.empty() ? "gates_unmet" : "continue";
  if (done) {
    out.criteria = said.criteria;
  }
  return json::record_text(out);
}

// The quotes of all questions.
std::vector<extract::Answering> quotes_of(const std::vector<run::Data>& completed) {
  std::vector<extract::Answering> out;
  for (const run::Data& data : completed) {
    const auto& one = data.as<QuestionResult>();
    for (const Claim& claim : one.claims) {
      if (claim.verified) {
        out.push_back({one.question,
                       text_or_nothing(claim.url),
                       {claim.quote, text_or_nothing(claim.title), text_or_nothing(claim.heading),
                        text_or_nothing(claim.passage)},
                       extract::floor_named(claim.floor)});
      }
    }
  }
  return out;
}

// What the planner calls met is met where words confirm it, and unmet where they contradict it.
void hold_to_floor(const Planning& planning, Criterion& one) {
  const extract::Floor floor =
      extract::floor_of_criterion(one.criterion, planning.objective.text, quotes_of(planning.completed));
  const bool answered = any_answered(planning);
  one.floor = extract::floor_name(floor);
  one.state = floor == extract::Floor::confirmed && answered ? "met"
              : floor == extract::Floor::contradicted        ? "unmet"
              : answered                                     ? "judge_only"
              : any_found(planning)                          ? "undecided"
                                                             : "unmet";
  one.met = one.state == "met";
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
    out.criteria.push_back({planning.objective.criteria[i],
                            met,
                            met        ? "met"
                            : last.met ? "unmet"
                                       : "undecided",
                            last.why,
                            {}});
    if (met && planning.brief.has_floor()) {
      hold_to_floor(planning, out.criteria.back());
    }
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
    note.questions.push_back({one.number, one.question, one.description, one.goal, one.flags});
  }
  if (planned.decision == "done") {
    note.criteria = planned.criteria;
  }
  note.dropped = plan.dropped;
  note.rewritten = decided.rewritten;
  note.gates = decided.gates;
  run.emit("brain_round", run::Data::of(std::move(note)));
}

}  // namespace

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

std::string plan_by_rule(const Planning& planning) {
  const run::Data task = object([&](json::Writer& json) { write_task(json, planning); });
  return extract::research("research.brain", task.value()).value();
}

bool is_at(std::string_view at, std::string_view place) {
  return at.starts_with(place) && (at.size() == place.size() || at[place.size()] == '/');
}

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
  asking.stands = [&](const Value* last, const std::vector<Finding>& broken) {
    return brief.has_floor() ? standing_plan(planning, last, broken)
                             : steps_two::rewritten_plan(run, planning, last, broken);
  };
  asking.outcome = [&](const Finding& broken) -> std::string_view {
    bool drops = false;
    for (std::size_t i = 0; i < questions_most && !drops; ++i) {
      drops = is_of_question(broken, i);
    }
    return !brief.has_floor() ? "rewritten" : drops ? "dropped" : "flagged";
  };
  const Decided decided = decide(run, brief, spent, asking);
  Round out;
  if (!decided.error.empty()) {
    out.error = decided.error;
    out.reason = decided.reason;
    out.cancelled = decided.cancelled;
    return out;
  }
  auto plan = decided.value.as<Plan>();
  if (!decided.stands) {  // these are ours to say
    plan.dropped.clear();
    std::for_each(plan.questions.begin(), plan.questions.end(), [](Question& one) { one.flags.clear(); });
  }
  out = read_round(planning, plan, round);
  note_round(run, out, plan, decided, round);
  return out;
}

}  // namespace plumb::pipelines::research
