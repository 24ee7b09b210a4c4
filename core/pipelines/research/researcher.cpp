// One question: search, evaluate, search again, until it is answered or brings nothing new.

#include <algorithm>

#include "core/json/number_text.hpp"
#include "core/pipelines/research/evidence.hpp"
#include "core/pipelines/research/inquiry.hpp"
#include "core/pipelines/research/step.hpp"
#include "core/pipelines/research/steps_two.hpp"
#include "core/run/reasons.hpp"
#include "core/text/facts.hpp"
#include "core/text/quotes.hpp"

namespace plumb::pipelines::research {

namespace {

using contract::Finding;
using json::Field;
using json::field;
using json::Value;

constexpr std::uint64_t streak_max = 2;  // searches without progress

// The dates of the question that a query leaves out: without them answers cannot be compared.
void scope_rule(const Inquiry& inquiry, const Value& decision, std::vector<Finding>& out) {
  if (text_of(decision, "decision") != "continue") {
    return;
  }
  const std::string_view query = text_of(decision, "query");
  const std::string& asked = inquiry.question.question;
  for (const text::Fact& fact : text::facts(asked, text::fact_bit(text::FactKind::date))) {
    const std::string_view scope = text::piece(asked, fact.where);
    if (!text::find_folded(scope, query, {.lowercase = true})) {
      out.push_back(gate_finding("scope-present", "Scope needed for comparability is present", "/query",
                                 "query leaves out '" + std::string(scope) + "'", "Add the scope variable."));
      out.back().provided = query;
      return;
    }
  }
}

// Whether a finding is about the query, not about what is said of it.
bool is_of_query(const Finding& broken) {
  return broken.at == "/query" || broken.at.starts_with("/query/") || broken.rule == "stop-discipline" ||
         broken.rule == "syntax";
}

// What stands of a decision that broke gates to the end, in its own words: a query that broke one is dropped.
std::string standing_step(const Value* last, const std::vector<Finding>& broken) {
  Decision out = last == nullptr ? Decision() : json::record_of<Decision>(*last);
  const bool done = out.decision == "done";
  if (!done &&
      (out.decision != "continue" || out.query.empty() || std::any_of(broken.begin(), broken.end(), is_of_query))) {
    out.decision = "dropped";
    out.query.clear();
  }
  return json::record_text(out);
}

// `refused`: why its last decision, to be done, is not taken.
Decided evaluate(run::Run& run, const Inquiry& inquiry, Spent& spent, const std::vector<Search>& searches,
                 std::optional<Finding> refused = {}) {
  const History history = history_of(searches);
  Asking asking;
  asking.author = "researcher";
  asking.context = json::record_text(history);
  asking.reads = {{"objective", std::string(inquiry.objective)},
                  {"question", inquiry.question.question},
                  {"goal", inquiry.question.goal},
                  {"history", history_text(searches)}};
  asking.task = [&](json::Writer& json) {
    json.member("objective", inquiry.objective).member("question", inquiry.question.question);
    json.member("goal", inquiry.question.goal);
    json::write_fields(json, history);
    if (refused) {
      json.member_boolean("go_on", true);
    }
  };
  asking.refused = refused;
  asking.rules = [&](const Value& decision, std::vector<Finding>& out) { scope_rule(inquiry, decision, out); };
  asking.stands = [&](const Value* last, const std::vector<Finding>& broken) {
    return inquiry.brief.has_floor() ? standing_step(last, broken)
                                     : json::record_text(steps_two::rewritten_query(run, inquiry, searches, last));
  };
  asking.outcome = [&](const Finding& broken) -> std::string_view {
    return !inquiry.brief.has_floor() ? "rewritten" : is_of_query(broken) ? "dropped" : "flagged";
  };
  return decide(run, inquiry.brief, spent, asking);
}

// Ends after which nobody is asked any more.
bool is_stop(std::string_view ended) {
  return ended == "cancelled" || ended == "stopped" || ended == "time" || ended == "tokens" || ended == "provider";
}

struct Progress {
  std::vector<Search> searches;
  std::uint64_t tokens = 0;
  std::uint64_t failed_in_a_row = 0;
  std::uint64_t longest_streak = 0;
  std::uint64_t duplicates_refused = 0;
  std::uint64_t rejections = 0;
  std::uint64_t disagreements = 0;
  std::string missing;  // what the researcher said last
  std::string ended;
  std::string error;
  std::uint64_t retry_after_ms = 0;  // of the last search, where it failed and said when it may be asked again
};

std::string missing_said(const Decision& decision) {
  return decision.missing.attribute.empty() ? decision.reasoning
                                            : decision.missing.attribute + " of " + decision.missing.entity;
}

void note_cycle(run::Run& run, const Inquiry& inquiry, const Search& search, const Decided* decided,
                std::uint64_t number, std::string_view stopped) {
  CycleNote note;
  note.question = inquiry.question.number;
  note.cycle = number;
  note.query = search.query;
  note.status = search.status;
  note.error = search.error;
  note.answer = search.answer;
  note.evidence_delta = search.evidence_delta;
  note.novelty = search.novelty;
  note.grounding = search.grounding;
  note.facts = search.facts;
  note.streak = search.streak;
  note.labels = search.labels;
  note.sources = places_of(search);
  note.decision = "done";
  note.reasoning = stopped;
  if (decided != nullptr) {
    const auto& decision = decided->value.as<Decision>();
    note.decision = decision.decision;
    note.reasoning = decision.reasoning;
    note.next = decision.query;
    note.decision_labels = decided->labels;
    note.own_labels = object([&](json::Writer& json) {
      for (const std::string_view name : {"specificity", "novelty", "evidence_delta", "grounding"}) {
        if (const std::string_view own = text_of(decided->value.value(), name); !own.empty()) {
          json.member(name, own);
        }
      }
    });
    note.gates = decided->gates;
    note.evidence_delta = decision.decision == "dropped" ? "dead_end" : note.evidence_delta;
    note.rewritten = decided->rewritten;
    note.disagrees = decided->disagrees;
  }
  run.emit("cycle", run::Data::of(std::move(note)));
}

// One search and what is decided on it.
struct Cycle {
  Search search;
  std::string query;  // the next
  std::string missing;
  std::string ended;
  std::string error;
  std::uint64_t tokens = 0;
  bool failed = false;
  std::uint64_t rejections = 0;
  bool disagrees = false;
  bool duplicate_refused = false;
  static std::span<const Field> fields() {
    static constexpr Field table[] = {
        field<&Cycle::search>("search"),       field<&Cycle::query>("query"),
        field<&Cycle::missing>("missing"),     field<&Cycle::ended>("ended"),
        field<&Cycle::error>("error"),         field<&Cycle::tokens>("tokens"),
        field<&Cycle::failed>("failed"),       field<&Cycle::rejections>("rejections"),
        field<&Cycle::disagrees>("disagrees"), field<&Cycle::duplicate_refused>("duplicate_refused")};
    return table;
  }
};

Cycle cycle_part(run::Run& run, const Inquiry& inquiry, std::uint64_t tokens_left, std::string_view query,
                 const Progress& before, std::uint64_t number) {
  Brief brief = inquiry.brief;
  brief.token_budget = tokens_left;
  const Inquiry own{brief, inquiry.objective, inquiry.question, inquiry.begun_ms};
  std::vector<Search> searches = before.searches;
  searches.push_back(search_once(run, brief, query, before.searches));
  const Search& search = searches.back();
  Spent spent;
  Cycle out;
  out.failed = is_failed(search.status);
  out.ended = stop_reason(run, inquiry.brief, spent, inquiry.begun_ms);
  if (search.cancelled) {
    out.ended = "cancelled";
  }
  std::string why = out.ended;
  Decided decided;
  const bool told = search.retry_after_ms > 0 && brief.steps >= steps_of_phases;
  if (out.ended.empty() && out.failed && (before.failed_in_a_row > 0 || told)) {
    out.ended = "search_failed";
    why = (told ? "The search failed: " : "Two searches in a row failed: ") + search.error;
  } else if (out.ended.empty() && !out.failed && search.streak >= streak_max) {
    out.ended = "no_change";
    out.missing = before.missing.empty() ? inquiry.question.goal : before.missing;
    why = "Two searches in a row brought nothing new. Missing: " + out.missing;
    Finding gate =
        gate_finding("stop-discipline", "Stop at diminishing returns", "", why, "Stop and summarize what is missing.");
    note_gate(run, "researcher", gate, "stopped", number);
  } else if (out.ended.empty() && number >= inquiry.brief.limits.searches_max) {
    out.ended = "searches";
    why = "The most searches for one question have been made.";
  }
  const bool evaluates = out.ended.empty();
  if (evaluates) {
    decided = evaluate(run, own, spent, searches);
    if (!decided.error.empty()) {
      out.ended = ended_by(decided.error, decided.reason, decided.cancelled);
      out.error = decided.error;
      why = decided.error;
    } else {
      const auto& decision = decided.value.as<Decision>();
      out.missing = missing_said(decision);
      out.query = decision.query;
      out.ended = decision.decision == "done" ? "done" : decision.decision == "dropped" ? "dead_end" : "";
    }
  }
  note_cycle(run, own, search, evaluates && out.error.empty() ? &decided : nullptr, number, why);
  out.search = std::move(searches.back());
  out.tokens = spent.tokens;
  out.rejections = decided.rejections;
  out.disagrees = decided.disagrees;
  out.duplicate_refused = std::any_of(decided.gates.begin(), decided.gates.end(),
                                      [](const Gate& one) { return one.rule == "query-novel"; });
  return out;
}

// What the researcher decides once more where it was done too early.
Cycle again_part(run::Run& run, const Inquiry& inquiry, std::uint64_t tokens_left, const Progress& progress,
                 const Finding& gate) {
  Brief brief = inquiry.brief;
  brief.token_budget = tokens_left;
  const Inquiry own{brief, inquiry.objective, inquiry.question, inquiry.begun_ms};
  Spent spent;
  const Decided decided = evaluate(run, own, spent, progress.searches, gate);
  Cycle out;
  out.tokens = spent.tokens;
  out.rejections = decided.rejections + 1;
  out.error = decided.error;
  out.ended = ended_by(decided.error, decided.reason, decided.cancelled);
  if (decided.error.empty()) {
    const auto& decision = decided.value.as<Decision>();
    out.query = decision.query;
    out.missing = missing_said(decision);
    out.ended = decision.decision == "done" ? "done" : decision.decision == "dropped" ? "dead_end" : "";
  }
  return out;
}

void take_decision(const Cycle& cycle, Progress& progress) {
  progress.tokens += cycle.tokens;
  progress.rejections += cycle.rejections;
  progress.disagreements += cycle.disagrees ? 1 : 0;
  progress.duplicates_refused += cycle.duplicate_refused ? 1 : 0;
  if (!cycle.missing.empty()) {
    progress.missing = cycle.missing;
  }
  progress.ended = cycle.ended;
  progress.error = cycle.error;
}

void take_cycle(const Cycle& cycle, Progress& progress) {
  progress.searches.push_back(cycle.search);
  progress.failed_in_a_row = cycle.failed ? progress.failed_in_a_row + 1 : 0;
  progress.longest_streak = std::max(progress.longest_streak, cycle.search.streak);
  take_decision(cycle, progress);
  progress.retry_after_ms = cycle.search.retry_after_ms;
  if (progress.ended == "search_failed" && progress.error.empty()) {
    progress.error = "the search failed: " + cycle.search.error;
  }
}

// Done before its time: only where the goal is met with a verified quote, or nothing is left to find.
bool may_end(const Inquiry& inquiry, const Progress& progress, const Answered& answer) {
  return progress.searches.size() >= inquiry.brief.limits.searches_min || answer.support() > 0 ||
         progress.searches.back().evidence_delta == "dead_end";
}

QuestionMetrics metrics_of(const Progress& progress, const std::vector<Past>& history, std::uint64_t ms) {
  const Measured all = measured(history);
  QuestionMetrics out;
  out.searches = progress.searches.size();
  out.failed = static_cast<std::uint64_t>(std::count_if(progress.searches.begin(), progress.searches.end(),
                                                        [](const Search& one) { return is_failed(one.status); }));
  out.duplicate_queries = all.duplicate_queries;
  out.duplicates_refused = progress.duplicates_refused;
  out.no_change_streak = progress.longest_streak;
  out.facts = all.facts;
  out.sources = all.sources;
  out.domains = all.domains;
  out.rejections = progress.rejections;
  out.disagreements = progress.disagreements;
  out.ms = ms;
  return out;
}

// What is told to be missing: what the researcher named goes before what the writer missed.
std::string missing_of(const Brief& brief, const Progress& progress, const Answered& written) {
  const bool answered = written.support() > 0;
  const std::string& said = written.missing;
  const bool stopped_short = !answered || (progress.ended != "done" && !brief.is_free("finish"));
  std::string out = stopped_short && !progress.missing.empty() ? progress.missing : said;
  if (!answered && !said.empty() && out.find(said) == std::string::npos && said.find(out) == std::string::npos) {
    out += (out.empty() || out.back() == '.' ? " " : ". ") + said;
  }
  return out;
}

}  // namespace

QuestionResult research_question(run::Run& run, const Brief& brief, std::string_view objective,
                                 const Question& question, std::uint64_t tokens_left, std::uint64_t begun_ms) {
  const Inquiry inquiry{brief, objective, question, begun_ms};
  const std::uint64_t asked_ms = run.now_ms();
  Progress progress;
  std::optional<Answered> answer;
  std::string query = question.question;
  run.emit("question", run::Data::of(QuestionNote{question.number, question.round, question.question, question.goal}));
  const auto write_answer = [&](std::uint64_t left) {
    const run::Data part_result = run.scope("answer", [&](run::Run& part) {
      return run::Data::of(answer_part(part, inquiry, left, progress.searches, is_stop(progress.ended)));
    });
    answer = part_result.as<Answered>();
    progress.tokens += answer->tokens;
  };
  while (progress.ended.empty()) {
    Spent spent;
    progress.ended = stop_reason(run, brief, spent, begun_ms);
    if (!progress.ended.empty()) {
      break;
    }
    const std::uint64_t number = progress.searches.size() + 1;
    const std::uint64_t left = tokens_left > progress.tokens ? tokens_left - progress.tokens : 0;
    const run::Data cycle = run.scope("cycle", [&](run::Run& part) {
      return run::Data::of(cycle_part(part, inquiry, left, query, progress, number));
    });
    take_cycle(cycle.as<Cycle>(), progress);
    query = cycle.as<Cycle>().query;
    if (progress.ended != "done") {
      continue;
    }
    write_answer(left);
    if (may_end(inquiry, progress, *answer)) {
      continue;
    }
    const Finding gate = gate_finding(
        "searches-min", "Not done before the goal is met or the fewest searches are made", "/decision",
        "done after " + json::uint_text(progress.searches.size()) + " without a quote that states what is asked",
        "Search on for the missing piece.");
    note_gate(run, "researcher", gate, brief.has_floor() ? "rejected" : "overridden", number);
    if (brief.has_floor()) {
      const std::uint64_t rest = tokens_left > progress.tokens ? tokens_left - progress.tokens : 0;
      const run::Data again = run.scope(
          "again", [&](run::Run& part) { return run::Data::of(again_part(part, inquiry, rest, progress, gate)); });
      take_decision(again.as<Cycle>(), progress);
      query = again.as<Cycle>().query;
    } else {
      query = steps_two::rewritten_query(run, inquiry, progress.searches, nullptr).query;
    }
    if (!query.empty()) {
      progress.ended = "";
      answer.reset();
    }
  }
  if (!answer) {
    write_answer(tokens_left > progress.tokens ? tokens_left - progress.tokens : 0);
  }
  if (progress.ended == "done" && run::reason_of(answer->reason, answer->error) == Reason::over_budget) {
    progress.ended = "tokens";
  }
  QuestionResult out;
  out.number = question.number;
  out.round = question.round;
  out.question = question.question;
  out.goal = question.goal;
  out.ended = progress.ended;
  out.answered = answer->support() > 0;
  out.found = answer->verified > 0;
  out.missing = missing_of(brief, progress, *answer);
  out.claims = std::move(answer->claims);
  out.confidence = answer->confidence;
  out.error = progress.error.empty() ? answer->error : progress.error;
  out.tokens = progress.tokens;
  out.retry_after_ms = progress.retry_after_ms;
  std::vector<Past> history = history_of(progress.searches).history;
  out.metrics = metrics_of(progress, history, run.now_ms() - asked_ms);
  run.emit("question_done", run::Data::of(out));
  out.history = std::move(history);
  return out;
}

}  // namespace plumb::pipelines::research
