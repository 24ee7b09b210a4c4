// The document, read from top to bottom: intake, rounds of questions, the report.

#include "core/pipelines/research/research.hpp"

#include <algorithm>

#include "core/json/number_text.hpp"
#include "core/pipelines/research/loop.hpp"
#include "core/run/reasons.hpp"

namespace plumb::pipelines::research {

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
  Objective objective = take_in(run, brief, spent);
  objective.tokens = spent.tokens;
  return Data::of(std::move(objective));
}

Data round_part(run::Run& run, Brief brief, std::uint64_t tokens_left, const Objective& objective,
                const std::vector<Data>& completed, std::uint64_t round) {
  brief.token_budget = tokens_left;
  Spent spent;
  Round planned = plan_round(run, brief, spent, objective, completed, round);
  planned.tokens = spent.tokens;
  return Data::of(std::move(planned));
}

// Of a run that ends before its planner has said what is met.
std::vector<Criterion> unmet(const Objective& objective, std::string_view ended) {
  std::vector<Criterion> out;
  for (const std::string& one : objective.criteria) {
    out.push_back({one, false, "undecided", "The run ended before it was judged: " + std::string(ended) + ".", {}});
  }
  return out;
}

struct State {
  std::vector<Data> completed;
  std::vector<Criterion> criteria;
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
  const Data part_result = run.scope(
      "round", [&](run::Run& part) { return round_part(part, brief, left, objective, state.completed, round); });
  const Round& planned = part_result.as<Round>();
  state.spent.tokens += planned.tokens;
  if (!planned.error.empty()) {
    state.ended = ended_by(planned.error, run::reason_of(planned.reason, planned.error), planned.cancelled);
    state.error = planned.error;
    return;
  }
  if (planned.decision == "gates_unmet") {
    state.ended = planned.decision;
    return;
  }
  if (planned.decision == "done" || planned.questions.empty()) {
    state.ended = "done";
    state.criteria = planned.criteria;
    return;
  }
  std::vector<Question> questions = planned.questions;
  for (Question& one : questions) {
    one.round = round;
  }
  const std::uint64_t still = brief.token_budget > state.spent.tokens ? brief.token_budget - state.spent.tokens : 0;
  const std::vector<Data> done = run.each(
      "questions-" + json::uint_text(round), questions.size(),
      [&](run::Run& part, std::size_t i) {
        return Data::of(
            research_question(part, brief, objective.text, questions[i], still / questions.size(), begun_ms));
      },
      3);
  bool answered = false;
  bool failed = false;
  for (const Data& data : done) {
    const auto& one = data.as<QuestionResult>();
    state.spent.tokens += one.tokens;
    if (one.ended == "provider" || one.ended == "cancelled") {
      state.ended = one.ended;
      state.error = one.error;
    }
    answered = answered || one.answered;
    if (one.ended == "search_failed" && !one.answered) {
      failed = true;
      state.outage = one.error;
      state.retry_after_ms = std::max(state.retry_after_ms, one.retry_after_ms);
    }
    state.completed.push_back(data);
  }
  // Who cannot search has nothing to plan with.
  if (failed && !answered && state.ended.empty() && brief.steps >= steps_of_phases) {
    state.ended = "search";
    state.error = state.outage;
  }
}

bool all_met(const std::vector<Criterion>& criteria) {
  return std::all_of(criteria.begin(), criteria.end(), [](const Criterion& one) { return one.met; });
}

}  // namespace

std::string_view ended_by(std::string_view error, Reason reason, bool cancelled) {
  return cancelled ? "cancelled" : error.empty() ? "" : reason == Reason::over_budget ? "tokens" : "provider";
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
  const auto& objective = taken.as<Objective>();
  State state;
  state.spent.tokens = objective.tokens;
  if (objective.text.empty()) {
    if (objective.stopped == "cancelled") {
      return Data::of(Ended{"cancelled", {}, 0});
    }
    return failed("intake failed: " + (objective.error.empty() ? objective.stopped : objective.error));
  }
  state.ended = objective.stopped;
  state.error = state.ended.empty() ? "" : objective.error;
  // The time that people took to answer is not the run's.
  const std::uint64_t begun_ms = run.now_ms();
  for (std::uint64_t round = 1; state.ended.empty(); ++round) {
    state.ended = round > brief.limits.rounds ? "rounds" : stop_reason(run, brief, state.spent, begun_ms);
    if (state.ended.empty()) {
      run_round(run, brief, objective, round, begun_ms, state);
    }
  }
  if (state.criteria.empty()) {
    state.criteria = unmet(objective, state.ended);
  }
  // What could not be searched for is not known to be absent.
  if (state.ended == "done" && !state.outage.empty() && !all_met(state.criteria) && brief.steps >= steps_of_phases) {
    state.ended = "search";
    state.error = state.outage;
  }
  const Ended ended{state.ended, state.error, state.retry_after_ms};
  return run.scope("report", [&](run::Run& part) {
    return write_report(part, brief, state.spent, objective, state.completed, state.criteria, ended, begun_ms);
  });
}

}  // namespace plumb::pipelines::research
