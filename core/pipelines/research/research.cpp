// The document, read from top to bottom: intake, rounds of questions, the report.

#include "core/pipelines/research/research.hpp"

#include <algorithm>

#include "core/json/number_text.hpp"
#include "core/pipelines/research/loop.hpp"

namespace plumb::pipelines::research {

using json::Kind;
using json::Value;
using run::Data;

namespace {

Error failed(std::string message) {
  Error error;
  error.code = ErrorCode::unavailable;
  error.message = std::move(message);
  return error;
}

Data intake_part(run::Run& run, const Brief& brief) {
  Spent spent;
  const Objective objective = take_in(run, brief, spent);
  return object([&](json::Writer& json) {
    json.member("objective", objective.text);
    write_texts(json, "criteria", objective.criteria);
    json.member("stopped", objective.stopped).member("error", objective.error).member_uint("tokens", spent.tokens);
  });
}

Data round_part(run::Run& run, Brief brief, std::uint64_t tokens_left, const Objective& objective,
                const std::vector<Data>& completed, std::uint64_t round) {
  brief.token_budget = tokens_left;
  Spent spent;
  const Round planned = plan_round(run, brief, spent, objective, completed, round);
  return object([&](json::Writer& json) {
    json.member("decision", planned.decision).member("error", planned.error);
    json.member_boolean("cancelled", planned.cancelled).member_uint("tokens", spent.tokens);
    json.key("criteria").raw(planned.criteria.is_null() ? "[]" : planned.criteria.text());
    json.key("questions").begin_array();
    for (const Question& one : planned.questions) {
      json.begin_object().member("question", one.question).member("description", one.description);
      json.member("goal", one.goal).member_uint("number", one.number).end_object();
    }
    json.end_array();
  });
}

std::vector<Question> questions_of(const Value& round_result, std::uint64_t round) {
  std::vector<Question> out;
  for (const Value& one : list_of(round_result, "questions")) {
    Question question;
    question.question = text_of(one, "question");
    question.description = text_of(one, "description");
    question.goal = text_of(one, "goal");
    question.number = number_of(one, "number");
    question.round = round;
    out.push_back(std::move(question));
  }
  return out;
}

// Of a run that ends before its planner has said what is met.
Data unmet(const Objective& objective, std::string_view ended) {
  std::string out;
  json::Writer json(out);
  json.begin_array();
  for (const std::string& one : objective.criteria) {
    json.begin_object().member("criterion", one).member_boolean("met", false).member("state", "undecided");
    json.member("why", "The run ended before it was judged: " + std::string(ended) + ".").end_object();
  }
  json.end_array();
  return Data::written(std::move(out));
}

struct State {
  std::vector<Data> completed;
  Data criteria;
  std::string ended;
  std::string error;
  std::string outage;  // why a question could not be searched for
  std::uint64_t retry_after_ms = 0;
  Spent spent;
};

// One round: what the planner asks, each question side by side.
void run_round(run::Run& run, const Brief& brief, const Objective& objective, std::uint64_t round,
               std::uint64_t begun_ms, State& state) {
  const std::uint64_t left = brief.token_budget > state.spent.tokens ? brief.token_budget - state.spent.tokens : 0;
  const Data planned = run.scope(
      "round", [&](run::Run& part) { return round_part(part, brief, left, objective, state.completed, round); });
  state.spent.tokens += number_of(planned.value(), "tokens");
  if (const std::string_view error = text_of(planned.value(), "error"); !error.empty()) {
    state.ended = ended_by(error, flag_of(planned.value(), "cancelled"));
    state.error = error;
    return;
  }
  const std::vector<Question> questions = questions_of(planned.value(), round);
  if (text_of(planned.value(), "decision") == "done" || questions.empty()) {
    state.ended = "done";
    state.criteria = Data::written(json::value_text(*planned.value().find("criteria")));
    return;
  }
  const std::uint64_t still = brief.token_budget > state.spent.tokens ? brief.token_budget - state.spent.tokens : 0;
  const std::vector<Data> done = run.each(
      "questions-" + json::uint_text(round), questions.size(),
      [&](run::Run& part, std::size_t i) {
        return research_question(part, brief, objective.text, questions[i], still / questions.size(), begun_ms);
      },
      3);
  bool answered = false;
  bool failed = false;
  for (const Data& one : done) {
    state.spent.tokens += number_of(one.value(), "tokens");
    const std::string_view ended = text_of(one.value(), "ended");
    if (ended == "provider" || ended == "cancelled") {
      state.ended = ended;
      state.error = text_of(one.value(), "error");
    }
    answered = answered || flag_of(one.value(), "answered");
    if (ended == "search_failed" && !flag_of(one.value(), "answered")) {
      failed = true;
      state.outage = text_of(one.value(), "error");
      state.retry_after_ms = std::max(state.retry_after_ms, number_of(one.value(), "retry_after_ms"));
    }
    state.completed.push_back(one);
  }
  // Who cannot search has nothing to plan with.
  if (failed && !answered && state.ended.empty() && brief.steps >= steps_now) {
    state.ended = "search";
    state.error = state.outage;
  }
}

bool all_met(const Data& criteria) {
  const std::span<const Value> all = criteria.value().array();
  return std::all_of(all.begin(), all.end(), [](const Value& one) { return flag_of(one, "met"); });
}

}  // namespace

std::string_view ended_by(std::string_view error, bool cancelled) {
  return cancelled ? "cancelled" : error.empty() ? "" : is_over_budget(error) ? "tokens" : "provider";
}

std::string stop_reason(const run::Run& run, const Brief& brief, const Spent& spent, std::uint64_t begun_ms) {
  if (!run.signals("stop").empty()) {
    return "stopped";
  }
  if (run.now_ms() >= begun_ms + brief.limits.minutes * 60'000) {
    return "time";
  }
  return spent.tokens >= brief.token_budget ? "tokens" : "";
}

Result<Data> pipeline(run::Run& run) {
  const Brief brief = read_brief(run.input());
  const Data taken = run.scope("intake", [&](run::Run& part) { return intake_part(part, brief); });
  State state;
  state.spent.tokens = number_of(taken.value(), "tokens");
  Objective objective;
  objective.text = text_of(taken.value(), "objective");
  objective.criteria = texts_of(taken.value(), "criteria");
  if (objective.text.empty()) {
    if (text_of(taken.value(), "stopped") == "cancelled") {
      return object([&](json::Writer& json) { json.member("ended", "cancelled"); });
    }
    const std::string_view error = text_of(taken.value(), "error");
    return failed("intake failed: " + std::string(error.empty() ? text_of(taken.value(), "stopped") : error));
  }
  state.ended = text_of(taken.value(), "stopped");
  state.error = state.ended.empty() ? "" : text_of(taken.value(), "error");
  // The time that people took to answer is not the run's.
  const std::uint64_t begun_ms = run.now_ms();
  for (std::uint64_t round = 1; state.ended.empty(); ++round) {
    state.ended = round > brief.limits.rounds ? "rounds" : stop_reason(run, brief, state.spent, begun_ms);
    if (state.ended.empty()) {
      run_round(run, brief, objective, round, begun_ms, state);
    }
  }
  if (state.criteria.is_null()) {
    state.criteria = unmet(objective, state.ended);
  }
  // What could not be searched for is not known to be absent.
  if (state.ended == "done" && !state.outage.empty() && !all_met(state.criteria) && brief.steps >= steps_now) {
    state.ended = "search";
    state.error = state.outage;
  }
  const Ended ended{state.ended, state.error, state.retry_after_ms};
  return run.scope("report", [&](run::Run& part) {
    return write_report(part, brief, state.spent, objective, state.completed, state.criteria, ended, begun_ms);
  });
}

void write_texts(json::Writer& json, std::string_view name, const std::vector<std::string>& texts) {
  json.key(name).begin_array();
  for (const std::string& one : texts) {
    json.string(one);
  }
  json.end_array();
}

}  // namespace plumb::pipelines::research
