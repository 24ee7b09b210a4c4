// The planner: done with every success criterion met or named as unmet, or the next one to three questions.

#include <algorithm>

#include "core/contract/check.hpp"
#include "core/extract/research.hpp"
#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/pipelines/research/loop.hpp"
#include "core/text/novelty.hpp"

namespace plumb::pipelines::research {

namespace {

using contract::Finding;
using json::Value;

struct Planning {
  const Brief& brief;
  const Objective& objective;
  const std::vector<run::Data>& completed;
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
  for (const run::Data& one : completed) {
    const Value& value = one.value();
    out +=
        "## " + std::string(text_of(value, "question")) + "\nconfidence: " + std::string(text_of(value, "confidence"));
    const bool answered = flag_of(value, "answered");
    out += answered ? "" : "\nnot answered: no quote states what was asked";
    for (const Value& claim : list_of(value, "claims")) {
      const bool near = !answered && flag_of(claim, "verified");
      out += (near ? "\n- near: " : "\n- ") + std::string(text_of(claim, "claim")) +
             (flag_of(claim, "verified") ? "" : " (uncited)");
    }
    if (const std::string_view missing = text_of(value, "missing"); !missing.empty()) {
      out += "\nmissing: " + std::string(missing);
    }
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
  return std::string(object([&](json::Writer& json) { write_texts(json, "terms", terms); }).text());
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
                     [](const run::Data& one) { return flag_of(one.value(), "answered"); });
}

// Whether sources said something near, though no question was answered.
bool any_found(const Planning& planning) {
  return std::any_of(planning.completed.begin(), planning.completed.end(), [](const run::Data& one) {
    return flag_of(one.value(), "answered") || flag_of(one.value(), "found");
  });
}

void question_rules(const Planning& planning, const Value& decision, std::vector<Finding>& out) {
  text::Earlier earlier;
  for (const run::Data& one : planning.completed) {
    earlier.add(text_of(one.value(), "question"));
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

std::string plan_task(const Planning& planning) {
  return std::string(object([&](json::Writer& json) {
                       json.member("objective", planning.objective.text);
                       write_texts(json, "success_criteria", planning.objective.criteria);
                       json.key("completed").begin_array();
                       for (const run::Data& one : planning.completed) {
                         json.begin_object().member("question", text_of(one.value(), "question"));
                         json.member_boolean("answered", flag_of(one.value(), "answered"));
                         json.member_boolean("found", flag_of(one.value(), "found"));
                         json.member("confidence", text_of(one.value(), "confidence"));
                         json.member("missing", text_of(one.value(), "missing")).end_object();
                       }
                       json.end_array();
                     }).text());
}

std::string plan_by_rule(const Planning& planning) {
  json::Arena arena;
  const std::string task = plan_task(planning);
  const Result<Value> value = json::parse(task, arena);
  return extract::research("research.brain", value.value()).value();
}

void write_question(json::Writer& json, std::string_view question, std::string_view description,
                    std::string_view goal) {
  json.begin_object().member("question", question).member("description", description).member("goal", goal).end_object();
}

// A question by rule about what a rejected one was about; empty where even that breaks a gate.
std::string question_by_rule(const run::Run& run, const Planning& planning, std::string_view rejected,
                             const text::Earlier& earlier) {
  if (searches_nothing(rejected)) {
    return {};
  }
  const extract::Subject subject = extract::subject_of(rejected);
  const std::string scope = subject.scope.empty() ? "" : " in " + subject.scope;
  const extract::Subject whole = extract::subject_of(planning.objective.text);
  for (const std::string& question :
       {"What is the " + subject.attribute + " of " + subject.entity + scope + "?",
        "Which " + subject.attribute + " does " + subject.entity + " have" + scope + "?",
        "What is the " + subject.attribute + " that " + subject.entity + " has for " + whole.entity + scope + "?"}) {
    if (earlier.judge(question).novelty != text::Novelty::fresh || searches_nothing(question)) {
      continue;
    }
    std::string out;
    json::Writer json(out);
    write_question(json, question,
                   "It gives the objective the missing " + subject.attribute + ", as far as it concerns " +
                       whole.attribute + " of " + whole.entity + ".",
                   "A sentence that states it, quoted from a source.");
    const std::string decision = "{\"decision\":\"continue\",\"reasoning\":\"rewritten\",\"questions\":[" + out + "]}";
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

// The good questions of a rejected decision stay, the others are rewritten; done names what is unmet.
std::string rewrite_plan(const run::Run& run, const Planning& planning, const Value* last,
                         const std::vector<Finding>& broken) {
  const std::span<const Value> questions = last == nullptr ? std::span<const Value>() : list_of(*last, "questions");
  const bool done = last != nullptr && text_of(*last, "decision") == "done" && !planning.completed.empty();
  std::vector<std::string> kept;
  text::Earlier earlier;
  for (const run::Data& one : planning.completed) {
    earlier.add(text_of(one.value(), "question"));
  }
  for (std::size_t i = 0; i < questions.size() && !done && kept.size() < planning.brief.limits.questions; ++i) {
    const std::string place = "/questions/" + json::uint_text(i);
    const bool good =
        std::none_of(broken.begin(), broken.end(), [&](const Finding& one) { return is_at(one.at, place); });
    const std::string_view question = text_of(questions[i], "question");
    std::string text;
    if (good && !question.empty()) {
      json::Writer json(text);
      write_question(json, question, text_of(questions[i], "description"), text_of(questions[i], "goal"));
    } else if (!question.empty()) {
      text = question_by_rule(run, planning, question, earlier);
    }
    if (!text.empty()) {
      earlier.add(question);
      kept.push_back(std::move(text));
    }
  }
  if (kept.empty() && planning.completed.empty()) {
    return plan_by_rule(planning);
  }
  std::string out;
  json::Writer json(out);
  json.begin_object().member("decision", kept.empty() ? "done" : "continue");
  json.member("reasoning", kept.empty() ? "No further question passes the gates." : "Rewritten by rule.");
  json.key("questions").begin_array();
  for (const std::string& one : kept) {
    json.raw(one);
  }
  json.end_array();
  if (kept.empty()) {
    const bool any = any_answered(planning);
    json.key("criteria").begin_array();
    for (std::size_t i = 0; i < planning.objective.criteria.size(); ++i) {
      bool met = false;
      bool denied = false;
      for (const Value& one : last == nullptr ? std::span<const Value>() : list_of(*last, "criteria")) {
        const Value* said = number_of(one, "criterion", i + 1) == i ? one.find("met") : nullptr;
        met = met || (any && said != nullptr && said->is(json::Kind::boolean) && said->boolean);
        denied = denied || (said != nullptr && said->is(json::Kind::boolean) && !said->boolean);
      }
      const bool open = !met && !denied && any_found(planning);
      json.begin_object().member_uint("criterion", i).key("met").raw(met ? "true" : open ? "null" : "false");
      json.member("why", met ? "The planner says so, and a source is quoted." : "Not shown to be met.").end_object();
    }
    json.end_array();
  }
  json.end_object();
  return out;
}

Round read_round(const Planning& planning, const Value& decision, std::uint64_t round) {
  Round out;
  out.decision = text_of(decision, "decision");
  std::string criteria;
  json::Writer json(criteria);
  json.begin_array();
  for (std::size_t i = 0; i < planning.objective.criteria.size(); ++i) {
    bool met = false;
    bool decided = false;
    std::string_view why;
    for (const Value& one : list_of(decision, "criteria")) {
      if (number_of(one, "criterion", i + 1) == i) {
        const Value* said = one.find("met");
        decided = said != nullptr && said->is(json::Kind::boolean);
        met = decided && said->boolean;
        why = text_of(one, "why");
      }
    }
    json.begin_object().member("criterion", planning.objective.criteria[i]).member_boolean("met", met);
    json.member("state", met ? "met" : decided ? "unmet" : "undecided");
    json.member("why", why).end_object();
  }
  json.end_array();
  out.criteria = run::Data::written(std::move(criteria));
  for (const Value& one : list_of(decision, "questions")) {
    if (out.decision != "continue" || out.questions.size() >= planning.brief.limits.questions) {
      break;
    }
    Question question;
    question.question = text_of(one, "question");
    question.description = text_of(one, "description");
    question.goal = text_of(one, "goal");
    question.round = round;
    question.number = planning.completed.size() + out.questions.size() + 1;
    out.questions.push_back(std::move(question));
  }
  return out;
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
  asking.task = [&](json::Writer& json) {
    const run::Data task = run::Data::written(plan_task(planning));
    for (const json::Member& member : task.value().object()) {
      json.key(member.key).value(member.value);
    }
  };
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
  const Value& decision = decided.value.value();
  out = read_round(planning, decision, round);
  run.emit("brain_round", object([&](json::Writer& json) {
             json.member_uint("round", round).member("decision", out.decision);
             json.member("rationale", text_of(decision, "reasoning")).key("questions").begin_array();
             for (const Question& one : out.questions) {
               json.begin_object().member_uint("question", one.number).member("text", one.question);
               json.member("why", one.description).member("goal", one.goal).end_object();
             }
             json.end_array().key("criteria").raw(out.decision == "done" ? out.criteria.text() : "[]");
             json.member_boolean("rewritten", decided.rewritten).key("gates").raw(decided.gates);
           }));
  return out;
}

}  // namespace plumb::pipelines::research
