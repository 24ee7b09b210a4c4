#include "core/extract/research.hpp"

#include <algorithm>
#include <array>

#include "core/ascii.hpp"
#include "core/contract/check.hpp"
#include "core/extract/floor.hpp"
#include "core/extract/quoting.hpp"
#include "core/extract/wanted.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/roles/clarify.hpp"
#include "core/text/facts.hpp"
#include "core/text/mentions.hpp"
#include "core/text/novelty.hpp"
#include "core/text/phrases.hpp"
#include "core/text/sentences.hpp"
#include "core/text/unknowns.hpp"

namespace plumb::extract {

namespace {

using json::Value;

constexpr std::string_view prefix = "research.";
constexpr std::size_t questions_max = 3;
constexpr std::size_t statements_max = 3;
constexpr std::size_t statements_read = 12;  // of which those that answer are taken
constexpr std::size_t nearest_percent = 45;
constexpr std::size_t subject_points = 24;
constexpr std::size_t covered_enough = 60;

Error unknown(std::string message) { return Error{ErrorCode::invalid_argument, std::move(message), "/task", 0, 0}; }

contract::Verdict verdict_of(std::string_view contract_name, std::string_view artifact, std::string_view context) {
  const contract::BuiltIn* built_in = contract::built_in_contract(contract_name);
  const Result<contract::Contract> read = contract::Contract::read(built_in->text);
  contract::CheckOptions options;
  options.context = context;
  return contract::check_text(read.value(), artifact, options);
}

// ---------------------------------------------------------------- intake

std::string start_call(std::string_view objective) {
  std::string out;
  json::Writer json(out);
  json.begin_array().begin_object().member("tool", "startResearch").key("arguments").begin_object();
  json.member("message", "I look this up.").member("objective", objective);
  json.key("successCriteria").begin_array();
  json.string("The answer is stated with at least one source that it is quoted from.");
  json.end_array().end_object().end_object().end_array();
  return out;
}

// What the user said first, and what they answered since, as one objective.
std::string objective_from(std::string_view message, std::span<const Value> answers) {
  std::string objective(ascii::trim(message, " \n\t"));
  for (const Value& one : answers) {
    const std::string answer(ascii::trim(one.str(), " \n\t"));
    if (answer.empty()) {
      continue;
    }
    const std::string as_question(ascii::trim(answer, " ."));
    const bool whole = text::Words(answer).size() >= 5 &&
                       text::judge_phrases(answer, text::PhraseList::bare_topic) == text::Judgement::holds;
    if (whole) {
      objective = as_question;
      continue;
    }
    // "How heavy is Mercury?" and "the planet": the question remains, with what is meant.
    if (!objective.empty() && objective.back() == '?' && text::Words(objective).size() >= 3) {
      objective = std::string(ascii::trim(objective, " ?")) + " (" + as_question + ")?";
      continue;
    }
    // "Explore electric cars." and "battery range": What is the battery range of electric cars?
    std::string topic(ascii::trim(objective, " .?!"));
    for (const text::PhraseList list : {text::PhraseList::exploratory, text::PhraseList::vague}) {
      for (const text::PhraseHit& hit : text::find_phrases(topic, list)) {
        const std::string behind(ascii::trim(std::string_view(topic).substr(hit.where.to), " :,"));
        topic = text::Words(behind).size() > 0 ? behind : topic;
        break;
      }
    }
    objective = "What is the " + std::string(ascii::trim(answer, " .?")) + " of " + topic + "?";
  }
  return objective;
}

std::string intake(const Value& task) {
  const std::string objective = objective_from(text_of(task, "message"), list_of(task, "answers"));
  std::string context;
  json::Writer json(context);
  json.begin_object().key("constraints");
  const Value* constraints = task.find("constraints");
  constraints == nullptr ? json.raw("[]") : json.value(*constraints);
  json.key("lookups").raw("[]").end_object();
  std::string call = start_call(objective);
  const contract::Verdict verdict = verdict_of("intake", call, context);
  if (const std::optional<roles::Clarification> asks = roles::clarify(verdict)) {
    return "[" + roles::clarification_json(*asks) + "]";
  }
  return call;
}

// ---------------------------------------------------------------- planner

std::string first_words(const std::string& text, std::size_t count) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < count && end < text.size(); ++i) {
    end = std::min(text.find(' ', end + 1), text.size());
  }
  return text.substr(0, end);
}

std::string brain(const Value& task) {
  const std::span<const Value> completed = list_of(task, "completed");
  std::string out;
  json::Writer json(out);
  json.begin_object();
  if (!completed.empty()) {
    const auto has = [&](std::string_view name) {
      return std::any_of(completed.begin(), completed.end(), [&](const Value& one) {
        const Value* said = one.find(name);
        return said != nullptr && said->boolean;
      });
    };
    // Words say whether it was answered: few of them say that it was not, and so does what is still missing.
    // Of an objective that was taken apart each part has to be, and a question that was put in the place of one, as a
    // gate has it where it refuses what was asked, answers something else.
    const std::vector<std::string> parts = questions_in(text_of(task, "objective"));
    const bool met = std::all_of(completed.begin(), completed.end(), [&](const Value& one) {
      const Value* answered = one.find("answered");
      return answered != nullptr && answered->boolean && text_of(one, "confidence") != "low" &&
             text_of(one, "missing").empty() &&
             std::find(parts.begin(), parts.end(), text_of(one, "question")) != parts.end();
    });
    const bool found = has("found") || has("answered");
    json.member("decision", "done");
    json.member("reasoning", met     ? "A source states what was asked."
                             : found ? "What was found does not state what was asked."
                                     : "Nothing that answers it was found.");
    json.key("questions").raw("[]").key("criteria").begin_array();
    for (std::size_t i = 0; i < list_of(task, "success_criteria").size(); ++i) {
      json.begin_object().member_uint("criterion", i).key("met").raw(met ? "true" : found ? "null" : "false");
      json.member("why", met     ? "An answer is quoted from its source."
                         : found ? "What is quoted is near, and does not state what was asked for."
                                 : "No source answers it.");
      json.end_object();
    }
    json.end_array().end_object();
    return out;
  }
  json.member("decision", "continue").member("reasoning", "Nothing has been looked up yet.");
  json.key("questions").begin_array();
  for (const std::string& question : questions_in(text_of(task, "objective"))) {
    json.begin_object().member("question", question);
    json.member("description", "It gives the objective what it needs to know of " +
                                   first_words(subject_of(question).entity, 2) +
                                   ", quoted from a document, so that the answer has its source.");
    json.member("goal", "A sentence that states it, quoted from a source.").end_object();
  }
  json.end_array().end_object();
  return out;
}

// ---------------------------------------------------------------- researcher

std::string missing_sentence(const Subject& subject) {
  return "The one missing evidence piece is: " + subject.attribute + " of " + subject.entity + ".";
}

std::string evaluate(const Value& task) {
  const std::string_view question = text_of(task, "question");
  const std::vector<std::string> words = key_words(question);
  const std::span<const Value> history = list_of(task, "history");
  text::Earlier earlier;
  std::size_t covered = 0;
  for (const Value& one : history) {
    earlier.add(text_of(one, "query"));
    if (!list_of(one, "sources").empty()) {
      covered = std::max(covered, coverage(words, text_of(one, "answer")));
    }
  }
  const Subject subject = subject_of(question);
  std::string out;
  json::Writer json(out);
  json.begin_object();
  std::string query;
  const Value* go_on = task.find("go_on");  // it was done too early
  covered = go_on != nullptr && go_on->boolean ? 0 : covered;
  if (covered < covered_enough) {
    for (const std::string& one : queries_for(subject)) {
      if (earlier.judge(one).novelty == text::Novelty::fresh) {
        query = one;
        break;
      }
    }
  }
  json.member("decision", query.empty() ? "done" : "continue");
  json.member("reasoning", !query.empty()              ? missing_sentence(subject)
                           : covered >= covered_enough ? "The passages state what was asked."
                                                       : "Nothing new to ask. " + missing_sentence(subject));
  json.member("query", query).key("missing").begin_object();
  json.member("entity", subject.entity).member("attribute", subject.attribute);
  if (!subject.scope.empty()) {
    json.member("scope", subject.scope);
  }
  json.end_object().end_object();
  return out;
}

// ---------------------------------------------------------------- writer

std::string answer(const Value& task) {
  std::vector<Found> passages;
  for (const Value& one : list_of(task, "passages")) {
    passages.push_back({static_cast<std::size_t>(number_of(one, "n")), text_of(one, "title"), text_of(one, "heading"),
                        text_of(one, "passage")});
  }
  const std::string_view question = text_of(task, "question");
  const Wanted wanted = wanted_by(question);
  const std::vector<std::string> unnamed = unnamed_words(question, passages);
  std::vector<Statement> best = best_statements(question, passages, statements_read, nearest_percent);
  std::vector<Statement> proven;
  const auto around = [&](const Statement& one) {
    const auto at = std::find_if(passages.begin(), passages.end(),
                                 [&](const Found& passage) { return passage.number == one.number; });
    return at == passages.end() ? std::string() : around_quote({one.quote, at->title, at->heading, at->text}, one.head);
  };
  const std::string shared = shared_subject(question, passages);
  std::copy_if(best.begin(), best.end(), std::back_inserter(proven), [&](const Statement& one) {
    return unnamed.empty() && proven.size() < statements_max && !is_notation(one.quote) &&
           proves(question, wanted, one.quote, around(one) + shared);
  });
  const bool proved = !proven.empty();
  if (proved) {
    // What begins with its subject tells of it, what has it in the middle mentions it.
    const std::vector<std::string> words = key_words(question);
    std::stable_partition(proven.begin(), proven.end(), [&](const Statement& one) {
      return coverage(words, text::first_code_points(one.quote, subject_points)) > 0;
    });
    best = std::move(proven);
  } else if (best.size() > statements_max) {
    best.resize(statements_max);  // the nearest that there is
  }
  const std::size_t covered = proved ? best.front().covered : 0;
  std::string out;
  json::Writer json(out);
  json.begin_object().key("answer").begin_array();
  for (const Statement& one : best) {
    json.begin_object().member("claim", as_claim(one.quote)).member_uint("source", one.number);
    json.member("quote", one.quote).end_object();
  }
  json.end_array().member("confidence", covered >= 75 ? "high" : proved ? "medium" : "low");
  std::string missing;
  if (!proved && unnamed.empty()) {
    missing = best.empty() ? missing_sentence(subject_of(question)) : "No passage states " + wanted.says + ".";
  }
  for (std::size_t i = 0; i < unnamed.size(); ++i) {
    missing += (i == 0 ? "No passage names " : ", ") + unnamed[i] + (i + 1 == unnamed.size() ? "." : "");
  }
  json.member("missing", missing).end_object();
  return out;
}

std::string report(const Value& task) {
  std::string out;
  json::Writer json(out);
  json.begin_object().key("claims").begin_array();
  for (const Value& one : list_of(task, "evidence")) {
    json.begin_object().member("claim", text_of(one, "claim")).key("citations").begin_array();
    json.uint(number_of(one, "n")).end_array().end_object();
  }
  json.end_array().end_object();
  return out;
}

}  // namespace

std::vector<std::string> questions_in(std::string_view objective) {
  std::vector<std::string> out;
  const text::Judgement single = text::single_unknown(objective).outcome;
  if (single == text::Judgement::holds) {
    return {std::string(objective)};
  }
  // Where it only may be two questions, a second question word says so.
  static constexpr std::array<std::string_view, 8> all = {" and how ",   " and when ", " and which ", " and what ",
                                                          " and where ", " and who ",  ", and ",      "? "};
  const std::span<const std::string_view> joints =
      std::span(all).first(single == text::Judgement::broken ? all.size() : 6);
  std::string_view rest = objective;
  while (out.size() + 1 < questions_max && !rest.empty()) {
    std::size_t at = std::string_view::npos;
    std::size_t size = 0;
    for (const std::string_view joint : joints) {
      const std::size_t found = rest.find(joint);
      if (found != std::string_view::npos && found < at) {
        at = found;
        size = joint.starts_with(" and ") ? 5 : joint.size();
      }
    }
    if (at == std::string_view::npos) {
      break;
    }
    out.push_back(std::string(ascii::trim(rest.substr(0, at), " ?.,")));
    rest = rest.substr(at + size);
  }
  if (std::string last(ascii::trim(rest, " ?.,")); !last.empty()) {
    out.push_back(std::move(last));
  }
  if (out.size() < 2) {
    return {std::string(objective)};
  }
  const std::string entity = subject_of(out.front()).entity;
  for (std::string& one : out) {
    for (const std::string_view pronoun : {" it ", " they ", " its ", " them "}) {
      if (const std::size_t at = (" " + one + " ").find(pronoun); at != std::string::npos && !entity.empty()) {
        const bool owns = pronoun == " its ";
        std::string padded = " " + one + " ";
        padded.replace(at, pronoun.size(), " " + entity + (owns ? "'s " : " "));
        one = ascii::trim(padded, " ");
      }
    }
    if (!one.empty() && ascii::is_lower(one.front())) {
      one.front() = static_cast<char>(one.front() - 'a' + 'A');
    }
    one += "?";
  }
  return out;
}

bool is_research_task(std::string_view name) { return name.starts_with(prefix); }

Result<std::string> research(std::string_view name, const Value& task) {
  if (name == "research.intake") {
    return intake(task);
  }
  if (name == "research.brain") {
    return brain(task);
  }
  if (name == "research.evaluate") {
    return evaluate(task);
  }
  if (name == "research.answer") {
    return answer(task);
  }
  if (name == "research.report") {
    return report(task);
  }
  if (name == "research.judge") {
    return std::string(R"({"claims":[]})");
  }
  return unknown("extract does not know the task '" + std::string(name) + "': choose a provider with a model");
}

}  // namespace plumb::extract
