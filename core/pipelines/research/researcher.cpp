// One question: search, evaluate, search again, until it is answered or brings nothing new.

#include <algorithm>

#include "core/contract/check.hpp"
#include "core/contract/measured.hpp"
#include "core/extract/research.hpp"
#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/pipelines/research/evidence.hpp"
#include "core/pipelines/research/inquiry.hpp"
#include "core/text/facts.hpp"
#include "core/text/quotes.hpp"

namespace plumb::pipelines::research {

namespace {

using contract::Finding;
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

void write_task(json::Writer& json, const Inquiry& inquiry, const std::vector<run::Data>& searches) {
  json.member("objective", inquiry.objective).member("question", inquiry.question.question);
  json.member("goal", inquiry.question.goal).key("history").raw(history_json(searches));
}

std::string done_by_rule(const extract::Subject& subject) {
  return std::string(object([&](json::Writer& json) {
                       json.member("decision", "done");
                       json.member("reasoning", "Nothing new is left to ask. The one missing evidence piece is: " +
                                                    subject.attribute + " of " + subject.entity + ".");
                       json.member("query", "").key("missing").begin_object();
                       json.member("entity", subject.entity).member("attribute", subject.attribute).end_object();
                     }).text());
}

// The next query by rule: what the author said is missing, else what the question is about, asked for in words that no
// earlier query had. Done where there is none.
std::string query_by_rule(const run::Run& run, const Inquiry& inquiry, const std::vector<run::Data>& searches,
                          const Value* last) {
  std::vector<extract::Subject> subjects;
  const extract::Subject own = extract::subject_of(inquiry.question.question);
  if (const Value* missing = last == nullptr ? nullptr : last->find("missing"); missing != nullptr) {
    extract::Subject said;
    said.entity = text_of(*missing, "entity");
    said.attribute = text_of(*missing, "attribute");
    said.scope = own.scope;
    if (!said.entity.empty() && !said.attribute.empty()) {
      subjects.push_back(std::move(said));
    }
  }
  subjects.push_back(own);
  const std::string context = "{\"history\":" + history_json(searches) + "}";
  for (const extract::Subject& subject : subjects) {
    for (const std::string& query : extract::queries_for(subject)) {
      std::string decision(object([&](json::Writer& json) {
                             json.member("decision", "continue");
                             json.member("reasoning", "The one missing evidence piece is: " + subject.attribute +
                                                          " of " + subject.entity + ".");
                             json.member("query", query).key("missing").begin_object();
                             json.member("entity", subject.entity).member("attribute", subject.attribute);
                             if (!subject.scope.empty()) {
                               json.member("scope", subject.scope);
                             }
                             json.end_object();
                           }).text());
      contract::CheckOptions options;
      options.context = context;
      if (contract::check_text(run.contract("researcher-evaluate"), decision, options).valid) {
        return decision;
      }
    }
  }
  return done_by_rule(own);
}

Decided evaluate(run::Run& run, const Inquiry& inquiry, Spent& spent, const std::vector<run::Data>& searches) {
  Asking asking;
  asking.author = "researcher";
  asking.context = "{\"history\":" + history_json(searches) + "}";
  asking.reads = {{"objective", std::string(inquiry.objective)},
                  {"question", inquiry.question.question},
                  {"goal", inquiry.question.goal},
                  {"history", history_text(searches)}};
  asking.task = [&](json::Writer& json) { write_task(json, inquiry, searches); };
  asking.rules = [&](const Value& decision, std::vector<Finding>& out) { scope_rule(inquiry, decision, out); };
  asking.rewrite = [&](const Value* last, const std::vector<Finding>&) {
    return query_by_rule(run, inquiry, searches, last);
  };
  return decide(run, inquiry.brief, spent, asking);
}

// Ends after which nobody is asked any more.
bool is_stop(std::string_view ended) {
  return ended == "cancelled" || ended == "stopped" || ended == "time" || ended == "tokens" || ended == "provider";
}

struct Progress {
  std::vector<run::Data> searches;
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

std::string missing_said(const Value& decision) {
  const Value* missing = decision.find("missing");
  if (missing != nullptr && !text_of(*missing, "attribute").empty()) {
    return std::string(text_of(*missing, "attribute")) + " of " + std::string(text_of(*missing, "entity"));
  }
  return std::string(text_of(decision, "reasoning"));
}

void note_cycle(run::Run& run, const Inquiry& inquiry, const run::Data& search, const Decided* decided,
                std::uint64_t number, std::string_view stopped) {
  const Value& found = search.value();
  run.emit(
      "cycle", object([&](json::Writer& json) {
        json.member_uint("question", inquiry.question.number).member_uint("cycle", number);
        for (const std::string_view name : {"query", "status", "error", "answer", "evidence_delta", "novelty",
                                            "grounding", "facts", "streak", "labels"}) {
          if (const Value* value = found.find(name)) {
            json.key(name).value(*value);
          }
        }
        json.key("sources").begin_array();
        for (const Value& source : list_of(found, "sources")) {
          if (flag_of(source, "cited")) {
            json.begin_object();
            for (const std::string_view name : {"title", "url", "file", "line"}) {
              json.key(name).value(*source.find(name));
            }
            json.end_object();
          }
        }
        json.end_array();
        if (decided != nullptr) {
          const Value& decision = decided->value.value();
          json.member("decision", text_of(decision, "decision")).member("reasoning", text_of(decision, "reasoning"));
          json.member("next", text_of(decision, "query")).key("decision_labels").raw(decided->labels);
          json.key("own_labels").begin_object();
          for (const std::string_view name : {"specificity", "novelty", "evidence_delta", "grounding"}) {
            if (const std::string_view own = text_of(decision, name); !own.empty()) {
              json.member(name, own);
            }
          }
          json.end_object();
          json.key("gates").raw(decided->gates).member_boolean("rewritten", decided->rewritten);
          json.member_boolean("disagrees", decided->disagrees);
        } else {
          json.member("decision", "done").member("reasoning", stopped).key("gates").raw("[]");
        }
      }));
}

// One search and what is decided on it: {"search", "decision", "query", "missing", "ended", "tokens", ...}.
run::Data cycle_part(run::Run& run, const Inquiry& inquiry, std::uint64_t tokens_left, std::string_view query,
                     const Progress& before, std::uint64_t number) {
  Brief brief = inquiry.brief;
  brief.token_budget = tokens_left;
  const Inquiry own{brief, inquiry.objective, inquiry.question, inquiry.begun_ms};
  const run::Data search = search_once(run, brief, query, before.searches);
  const Value& found = search.value();
  std::vector<run::Data> searches = before.searches;
  searches.push_back(search);
  Spent spent;
  const bool failed = text_of(found, "status") == "error" || text_of(found, "status") == "rate_limited";
  std::string ended = stop_reason(run, inquiry.brief, spent, inquiry.begun_ms);
  if (flag_of(found, "cancelled")) {
    ended = "cancelled";
  }
  std::string why = ended;
  std::string missing;
  std::string error;
  std::string next;
  Decided decided;
  const bool told = number_of(found, "retry_after_ms") > 0 && brief.steps >= steps_now;
  if (ended.empty() && failed && (before.failed_in_a_row > 0 || told)) {
    ended = "search_failed";
    why = (told ? "The search failed: " : "Two searches in a row failed: ") + std::string(text_of(found, "error"));
  } else if (ended.empty() && !failed && number_of(found, "streak") >= streak_max) {
    ended = "no_change";
    missing = before.missing.empty() ? inquiry.question.goal : before.missing;
    why = "Two searches in a row brought nothing new. Missing: " + missing;
    Finding gate =
        gate_finding("stop-discipline", "Stop at diminishing returns", "", why, "Stop and summarize what is missing.");
    note_gate(run, "researcher", gate, "stopped", number);
  } else if (ended.empty() && number >= inquiry.brief.limits.searches_max) {
    ended = "searches";
    why = "The most searches for one question have been made.";
  }
  const bool evaluates = ended.empty();
  if (evaluates) {
    decided = evaluate(run, own, spent, searches);
    if (!decided.error.empty()) {
      ended = ended_by(decided.error, decided.cancelled);
      error = decided.error;
      why = decided.error;
    } else {
      const Value& decision = decided.value.value();
      missing = missing_said(decision);
      next = text_of(decision, "query");
      ended = text_of(decision, "decision") == "done" ? "done" : "";
    }
  }
  note_cycle(run, own, search, evaluates && error.empty() ? &decided : nullptr, number, why);
  return object([&](json::Writer& json) {
    json.key("search").raw(search.text()).member("query", next).member("missing", missing).member("ended", ended);
    json.member("error", error).member_uint("tokens", spent.tokens).member_boolean("failed", failed);
    json.member_uint("rejections", decided.rejections).member_boolean("disagrees", decided.disagrees);
    const bool duplicate = decided.gates.find("\"query-novel\"") != std::string::npos;
    json.member_boolean("duplicate_refused", duplicate);
  });
}

void take_cycle(const run::Data& cycle, Progress& progress) {
  const Value& value = cycle.value();
  progress.searches.push_back(run::Data::part(cycle, value.find("search")));
  progress.tokens += number_of(value, "tokens");
  progress.failed_in_a_row = flag_of(value, "failed") ? progress.failed_in_a_row + 1 : 0;
  progress.longest_streak = std::max(progress.longest_streak, number_of(*value.find("search"), "streak"));
  progress.rejections += number_of(value, "rejections");
  progress.disagreements += flag_of(value, "disagrees") ? 1 : 0;
  progress.duplicates_refused += flag_of(value, "duplicate_refused") ? 1 : 0;
  if (const std::string_view missing = text_of(value, "missing"); !missing.empty()) {
    progress.missing = missing;
  }
  progress.ended = text_of(value, "ended");
  progress.error = text_of(value, "error");
  const Value& search = *value.find("search");
  progress.retry_after_ms = number_of(search, "retry_after_ms");
  if (progress.ended == "search_failed" && progress.error.empty()) {
    progress.error = "the search failed: " + std::string(text_of(search, "error"));
  }
}

// Done before its time: only where the goal is met with a verified quote, or nothing is left to find.
bool may_end(const Inquiry& inquiry, const Progress& progress, const run::Data& answer) {
  const Value& last = progress.searches.back().value();
  return progress.searches.size() >= inquiry.brief.limits.searches_min || standing(answer.value()) > 0 ||
         text_of(last, "evidence_delta") == "dead_end";
}

void write_metrics(json::Writer& json, const Progress& progress, const std::string& history, std::uint64_t ms) {
  json::Arena arena;
  const Result<Value> list = json::parse(history, arena);
  const std::string text = contract::measure_history(list.value());
  const Result<Value> measured = json::parse(text, arena);
  std::uint64_t failed = 0;
  for (const run::Data& one : progress.searches) {
    failed += one.value().find("error") != nullptr ? 1 : 0;
  }
  json.key("metrics").begin_object().member_uint("searches", progress.searches.size()).member_uint("failed", failed);
  json.member_uint("duplicate_queries", number_of(measured.value(), "duplicate_queries"));
  json.member_uint("duplicates_refused", progress.duplicates_refused);
  json.member_uint("no_change_streak", progress.longest_streak);
  for (const std::string_view name : {"facts", "sources", "domains"}) {
    json.member_uint(name, number_of(measured.value(), name));
  }
  json.member_uint("rejections", progress.rejections).member_uint("disagreements", progress.disagreements);
  json.member_uint("ms", ms).end_object();
}

}  // namespace

run::Data research_question(run::Run& run, const Brief& brief, std::string_view objective, const Question& question,
                            std::uint64_t tokens_left, std::uint64_t begun_ms) {
  const Inquiry inquiry{brief, objective, question, begun_ms};
  const std::uint64_t asked_ms = run.now_ms();
  Progress progress;
  run::Data answer;
  std::string query = question.question;
  run.emit("question", object([&](json::Writer& json) {
             json.member_uint("question", question.number).member_uint("round", question.round);
             json.member("text", question.question).member("goal", question.goal);
           }));
  while (progress.ended.empty()) {
    Spent spent;
    progress.ended = stop_reason(run, brief, spent, begun_ms);
    if (!progress.ended.empty()) {
      break;
    }
    const std::uint64_t number = progress.searches.size() + 1;
    const std::uint64_t left = tokens_left > progress.tokens ? tokens_left - progress.tokens : 0;
    const run::Data cycle =
        run.scope("cycle", [&](run::Run& part) { return cycle_part(part, inquiry, left, query, progress, number); });
    take_cycle(cycle, progress);
    query = text_of(cycle.value(), "query");
    if (progress.ended != "done") {
      continue;
    }
    answer = run.scope("answer", [&](run::Run& part) {
      return answer_part(part, inquiry, left, progress.searches, is_stop(progress.ended));
    });
    progress.tokens += number_of(answer.value(), "tokens");
    if (may_end(inquiry, progress, answer)) {
      continue;
    }
    const Finding gate = gate_finding(
        "searches-min", "Not done before the goal is met or the fewest searches are made", "/decision",
        "done after " + json::uint_text(progress.searches.size()) + " without a quote that states what is asked",
        "Search on for the missing piece.");
    note_gate(run, "researcher", gate, "overridden", number);
    const run::Data next = run::Data::written(query_by_rule(run, inquiry, progress.searches, nullptr));
    query = text_of(next.value(), "query");
    progress.ended = query.empty() ? "done" : "";
    answer = query.empty() ? answer : run::Data();
  }
  if (answer.is_null()) {
    const std::uint64_t left = tokens_left > progress.tokens ? tokens_left - progress.tokens : 0;
    answer = run.scope("answer", [&](run::Run& part) {
      return answer_part(part, inquiry, left, progress.searches, is_stop(progress.ended));
    });
    progress.tokens += number_of(answer.value(), "tokens");
  }
  const Value& written = answer.value();
  const bool answered = standing(written) > 0;
  if (progress.ended == "done" && ended_by(text_of(written, "error"), false) == "tokens") {
    progress.ended = "tokens";
  }
  const std::string_view said = text_of(written, "missing");
  // What the researcher named goes before what the writer missed.
  const bool stopped_short = !answered || (progress.ended != "done" && !brief.is_free("finish"));
  std::string missing = stopped_short && !progress.missing.empty() ? progress.missing : std::string(said);
  if (!answered && !said.empty() && missing.find(said) == std::string::npos &&
      said.find(missing) == std::string_view::npos) {
    missing += (missing.empty() || missing.back() == '.' ? " " : ". ") + std::string(said);
  }
  const std::string history = history_json(progress.searches);
  const auto write_done = [&](json::Writer& json) {
    json.member_uint("number", question.number).member_uint("round", question.round);
    json.member("question", question.question).member("goal", question.goal).member("ended", progress.ended);
    json.member_boolean("answered", answered)
        .member_boolean("found", number_of(written, "verified") > 0)
        .key("claims")
        .value(*written.find("claims"));
    json.member("confidence", text_of(written, "confidence")).member("missing", missing);
    json.member("error", progress.error.empty() ? text_of(written, "error") : progress.error);
    json.member_uint("tokens", progress.tokens);
    if (progress.retry_after_ms > 0) {
      json.member_uint("retry_after_ms", progress.retry_after_ms);
    }
    write_metrics(json, progress, history, run.now_ms() - asked_ms);
  };
  run.emit("question_done", object(write_done));
  return object([&](json::Writer& json) {
    write_done(json);
    json.key("history").raw(history);
  });
}

}  // namespace plumb::pipelines::research
