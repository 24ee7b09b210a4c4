// Intake: one question to the user, or an objective with its success criteria. At most one look-up, and only for a term
// that neither the message explains nor the corpus knows.

#include <algorithm>

#include "core/ascii.hpp"
#include "core/extract/quoting.hpp"
#include "core/extract/research.hpp"
#include "core/json/number_text.hpp"
#include "core/pipelines/research/calls.hpp"
#include "core/pipelines/research/loop.hpp"
#include "core/pipelines/research/search_effect.hpp"
#include "core/require.hpp"
#include "core/roles/clarify.hpp"
#include "core/roles/scorecard.hpp"
#include "core/text/fold.hpp"
#include "core/text/sentences.hpp"

namespace plumb::pipelines::research {

namespace {

using contract::Finding;
using json::Value;

constexpr std::uint64_t search_limit_ms = 60'000;
constexpr std::size_t summary_points_max = 600;
constexpr std::string_view lookup_offer =
    "For a term that is unfamiliar, quick_web_search {query} may be called once, in place of the other tools: it looks "
    "the "
    "term up, and you are asked again.";

struct Turn {
  std::string question;
  std::string answer;
};

struct Lookup {
  std::string query;
  std::string envelope;
};

std::string conversation_text(const std::vector<Turn>& turns) {
  std::string out;
  for (const Turn& turn : turns) {
    out += "You asked: " + turn.question + "\nThe user answered: " + turn.answer + "\n";
  }
  return out;
}

// A word that looks like a name and that the message does not explain.
std::string unfamiliar_term(std::string_view message) {
  std::string entity = extract::subject_of(message).entity;
  // A word in quotation marks is one that the user takes for a name.
  for (const std::string_view mark : {"\"", "\xE2\x80\x9C", "'"}) {
    const std::size_t from = message.find(mark);
    const std::string_view end = mark == "\xE2\x80\x9C" ? "\xE2\x80\x9D" : mark;
    const std::size_t to = from == std::string_view::npos ? from : message.find(end, from + mark.size());
    if (to != std::string_view::npos && (from == 0 || message[from - 1] == ' ')) {
      const std::string_view word = message.substr(from + mark.size(), to - from - mark.size());
      if (text::Words(word, 2).size() == 1 && word.find(' ') == std::string_view::npos) {
        return std::string(word);
      }
    }
  }
  const bool named = std::any_of(entity.begin(), entity.end(), [](char c) {
    return ascii::is_upper(c) || c == '-' || c == '_' || ascii::is_digit(c);
  });
  if (entity.empty() || !named || entity.find(' ') != std::string::npos) {
    return {};
  }
  const std::size_t at = message.find(entity);
  if (at != std::string_view::npos) {
    const std::string_view behind = message.substr(at + entity.size());
    for (const std::string_view sign : {" (", " is a ", " is the ", ", a ", ", the ", ", which "}) {
      if (behind.starts_with(sign)) {
        return {};
      }
    }
  }
  return entity;
}

run::Effect search_effect(std::string query, std::vector<std::string> providers, std::size_t limit) {
  run::Effect effect;
  effect.kind = run::EffectKind::search;
  effect.deadline_ms = search_limit_ms;
  effect.request = [query = std::move(query), providers = std::move(providers), limit] {
    return run::Data::written(search_request(query, providers, limit));
  };
  return effect;
}

// The query of a decision that is the look-up and nothing else; else empty.
std::string lookup_query(const Value& calls) {
  if (calls.array().size() != 1) {
    return {};
  }
  const Value& call = calls.array().front();
  const Value* arguments = call.find("arguments");
  return text_of(call, "tool") == lookup_tool && arguments != nullptr ? std::string(text_of(*arguments, "query"))
                                                                      : std::string();
}

// Looks a term up, once, and notes what came of it.
Lookup look_up(run::Run& run, const Brief& brief, std::string query) {
  const run::Reply& reply = run.ask(search_effect(query, brief.search.lookup, 3));
  const SearchReply found = read_search(reply, query);
  LookupNote note{query, found.status, {}, {}, found.failed() ? found.error : ""};
  for (const SearchResult& one : found.results) {
    note.summary += (note.summary.empty() ? "" : " ") + extract::as_claim(one.passage);
    note.citations.push_back({one.title, one.uri});
  }
  note.summary = json::excerpt(note.summary, summary_points_max);
  run.emit("lookup", run::Data::of(std::move(note)));
  return {std::move(query), search_envelope(found)};
}

IntakeDecision read_call(const Decided& decided) {
  const Value& call = decided.value.value().array().front();
  const std::string_view tool = text_of(call, "tool");
  const Value* found = call.find("arguments");
  const Value arguments = found == nullptr ? Value{} : *found;
  IntakeDecision out;
  out.type = tool == "textInput"           ? "text_input"
             : tool == "multiChoiceSelect" ? "multi_choice_select"
                                           : "start_research";
  out.message = text_of(arguments, "message");
  // Models say it where their tools have a place for it, and where they are used to.
  for (const std::string_view said : {text_of(arguments, "reason"), text_of(arguments, "reasoning"),
                                      text_of(call, "reasoning"), text_of(call, "reason")}) {
    out.reasoning = out.reasoning.empty() ? std::string(said) : out.reasoning;
  }
  for (const Value& option : list_of(arguments, "options")) {
    out.options.emplace_back(text_of(option, "label"));
  }
  out.objective = text_of(arguments, "objective");
  if (!out.objective.empty()) {
    out.criteria = texts_of(arguments, "successCriteria");
  }
  out.rewritten = decided.rewritten;
  out.gates = decided.gates;
  return out;
}

// What is told of the conversation so far to who decides without a model.
struct Task {
  std::string message;
  std::vector<std::string> answers;
  std::vector<std::string> constraints;
  static std::span<const json::Field> fields() {
    static constexpr json::Field table[] = {json::field<&Task::message>("message"),
                                            json::field<&Task::answers>("answers"),
                                            json::field<&Task::constraints>("constraints")};
    return table;
  }
};

Task task_of(const Brief& brief, const std::vector<Turn>& turns) {
  Task out{brief.question, {}, brief.constraints};
  for (const Turn& turn : turns) {
    out.answers.push_back(turn.answer);
  }
  return out;
}

std::string call_by_rule(const Brief& brief, const std::vector<Turn>& turns) {
  return extract::research("research.intake", run::Data::of(task_of(brief, turns)).value()).value();
}

// Starts with what there is, where nothing more may be asked.
IntakeDecision start_anyway(const Brief& brief, const std::vector<Turn>& turns) {
  IntakeDecision out;
  out.type = "start_research";
  out.reasoning = "Nothing more may be asked: it starts with the best reading.";
  out.objective = turns.empty() || turns.back().answer.empty() ? brief.question : turns.back().answer;
  if (out.objective != brief.question && text::Words(out.objective).size() < 5) {
    out.objective = brief.question + " (" + out.objective + ")";
  }
  out.criteria = std::vector<std::string>{"The answer is stated with at least one source that it is quoted from."};
  return out;
}

// Where the intake's own call is not taken: the user is asked where their words are not clear, else research starts
// with these very words.
std::string own_words(const Brief& brief, const std::vector<Turn>& turns) {
  std::string call = call_by_rule(brief, turns);
  json::Arena arena;
  const Result<Value> asks = json::parse(call, arena);
  if (!asks || asks.value().array().empty() || text_of(asks.value().array()[0], "tool") != "startResearch") {
    return call;
  }
  const IntakeDecision start = start_anyway(brief, turns);
  call.clear();
  json::Writer json(call);
  json.begin_array().begin_object().member("tool", "startResearch").key("arguments").begin_object();
  json.member("message", "I look this up.").member("objective", start.objective);
  json::write_list(json, "successCriteria", start.criteria.value());
  json.end_object().end_object().end_array();
  return call;
}

// A choice may be answered by its number: what is meant is the option.
std::string chosen(const IntakeDecision& call, std::string_view said) {
  const std::string answer(text::trim(said));
  std::uint64_t index = 0;
  return !call.options.empty() && json::read_uint(answer, index) && index >= 1 && index <= call.options.size()
             ? call.options[static_cast<std::size_t>(index - 1)]
             : answer;
}

// The user's answer, or nothing where nobody is asked.
std::string ask_person(run::Run& run, const IntakeDecision& call, std::size_t number, std::string& stopped) {
  run::Effect effect;
  effect.kind = run::EffectKind::person;
  effect.request = [&] {
    return run::Data::of(PersonQuestion{call.message, call.options.empty() ? "text" : "choice", call.options,
                                        call.reasoning, "answer-" + json::uint_text(number)});
  };
  const run::Reply& reply = run.ask(effect);
  if (!reply.ok()) {
    stopped = run::status_name(reply.status);
    return {};
  }
  const Value* decision = reply.value.value().find("decision");
  std::string answer = chosen(call, decision == nullptr ? std::string_view() : decision->str());
  run.emit("intake_answer", run::Data::of(IntakeAnswer{call.message, answer, false}));
  return answer;
}

// Whether a look-up is worth offering: somebody could be asked, and nobody knows the term.
bool offers_lookup(run::Run& run, const Brief& brief, const roles::Role& role) {
  if (brief.search.lookup.empty() || role.may_have("search") == 0) {
    return false;
  }
  const std::string term = unfamiliar_term(brief.question);
  if (term.empty()) {
    return false;
  }
  // Whoever would look it up is not asked whether it is known: the web knows every word.
  std::vector<std::string> corpora;
  std::copy_if(brief.search.providers.begin(), brief.search.providers.end(), std::back_inserter(corpora),
               [&](const std::string& one) {
                 return brief.steps < steps_of_phases ||
                        std::find(brief.search.lookup.begin(), brief.search.lookup.end(), one) ==
                            brief.search.lookup.end();
               });
  if (corpora.empty() && !brief.search.providers.empty()) {
    return true;
  }
  const run::Reply& known = run.ask(search_effect(term, corpora, 1));
  return read_search(known, term).status == SearchStatus::no_results;
}

// What the user is asked where the judge says that the objective may mean several things: the author infers, and has
// done so again after it was told not to.
std::string ask_back(const std::vector<Finding>& broken) {
  for (const Finding& one : broken) {
    if (one.rule == "ambiguity-resolved") {
      return "[" + roles::clarification_json(roles::clarify_reading(one.message)) + "]";
    }
  }
  return {};
}

Decided decide_call(run::Run& run, const Brief& brief, Spent& spent, const std::vector<Turn>& turns,
                    const std::vector<Lookup>& lookups, bool offered) {
  Asking asking;
  asking.author = "intake";
  asking.context = std::string(object([&](json::Writer& json) {
                                 json::write_list(json, "constraints", brief.constraints);
                                 json.key("lookups").begin_array();
                                 for (const Lookup& one : lookups) {
                                   json.string(one.query);
                                 }
                                 json.end_array();
                               }).text());
  std::string constraints;
  for (const std::string& one : brief.constraints) {
    constraints += "- " + one + "\n";
  }
  std::string seen;
  for (const Lookup& one : lookups) {
    seen += one.envelope + "\n";
  }
  asking.reads = {{"message", brief.question},
                  {"conversation", conversation_text(turns)},
                  {"constraints", constraints},
                  {"lookups", seen}};
  asking.says = {{"offer", offered ? std::string(lookup_offer) : std::string()}};
  asking.contract = offered ? "contract-intake-lookup" : "contract-intake";
  asking.unwrap = calls_of;
  if (brief.steps < steps_of_phases) {
    // As it was asked before: the offer inside of the fence, the list at the top.
    asking.says.clear();
    asking.contract = {};
    asking.unwrap = {};
    asking.reads.back().second = offered
                                     ? "The tool quick_web_search {query} may be called once, in place of the others, "
                                       "for a term that is unfamiliar.\n" +
                                           seen
                                     : seen;
  }
  asking.task = [&](json::Writer& json) { json::write_fields(json, task_of(brief, turns)); };
  if (offered) {
    asking.takes = [](const Value& calls) { return !lookup_query(calls).empty(); };
  } else if (!lookups.empty()) {
    asking.rules = [](const Value& calls, std::vector<Finding>& out) {
      if (!lookup_query(calls).empty()) {
        out.push_back(gate_finding("one-lookup", "At most one quick lookup", "/0", "one look-up was made already",
                                   "Decide from what is known: ask the user, or start research."));
      }
    };
  }
  asking.stands = [&](const Value*, const std::vector<Finding>& broken) {
    const std::string asks = ask_back(broken);
    return !asks.empty() ? asks : brief.has_floor() ? own_words(brief, turns) : call_by_rule(brief, turns);
  };
  asking.outcome = [&](const Finding&) -> std::string_view { return brief.has_floor() ? "overridden" : "rewritten"; };
  return decide(run, brief, spent, asking);
}

// The answer to a question of the intake: given beforehand, or a person's. False where nobody is asked.
bool answer_of(run::Run& run, const Brief& brief, const IntakeDecision& call, std::vector<Turn>& turns,
               std::string& stopped) {
  if (turns.size() < brief.answers.size()) {
    const std::string answer = chosen(call, brief.answers[turns.size()]);
    run.emit("intake_answer", run::Data::of(IntakeAnswer{call.message, answer, true}));
    turns.push_back({call.message, answer});
    return true;
  }
  if (!brief.asks()) {
    return false;
  }
  std::string answer = ask_person(run, call, turns.size() + 1, stopped);
  turns.push_back({call.message, std::move(answer)});
  return true;
}

}  // namespace

Objective take_in(run::Run& run, const Brief& brief, Spent& spent) {
  const roles::Role role = roles::read_role(run.contract("intake"));
  bool offered = offers_lookup(run, brief, role);
  std::vector<Lookup> lookups;
  std::vector<Turn> turns;
  Objective out;
  for (;;) {
    const Decided decided = decide_call(run, brief, spent, turns, lookups, offered);
    if (!decided.error.empty()) {
      out.error = decided.error;
      out.stopped = decided.cancelled ? "cancelled" : "";
      if (ended_by(decided.error, decided.reason, decided.cancelled) == "tokens") {
        // It ends with a report all the same, and says why.
        out.stopped = "tokens";
        out.text = start_anyway(brief, turns).objective;
        out.criteria = start_anyway(brief, turns).criteria.value();
      }
      return out;
    }
    if (std::string query = offered ? lookup_query(decided.value.value()) : std::string(); !query.empty()) {
      lookups.push_back(look_up(run, brief, std::move(query)));
      offered = false;
      continue;
    }
    IntakeDecision call = read_call(decided);
    run.emit("intake_decision", run::Data::of(call));
    if (!call.starts()) {
      const bool more = turns.size() < intake_questions_max;
      if (more && answer_of(run, brief, call, turns, out.stopped)) {
        if (!out.stopped.empty()) {
          return out;
        }
        continue;
      }
      call = start_anyway(brief, turns);
      run.emit("intake_decision", run::Data::of(call));
    }
    out.text = call.objective;
    out.criteria = call.criteria.value_or(std::vector<std::string>());
    return out;
  }
}

}  // namespace plumb::pipelines::research
