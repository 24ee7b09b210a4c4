// /api/discovery: runs of the pipeline `discovery`, and what people decide in them.
#include <algorithm>
#include <chrono>
#include <memory>

#include "core/ascii.hpp"
#include "core/json/arena.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/discovery/reentry.hpp"
#include "core/reason.hpp"
#include "native/control/begin_run.hpp"
#include "native/control/control.hpp"
#include "native/control/route_table.hpp"
#include "native/control/run_answers.hpp"

namespace plumb::control {

namespace {

constexpr std::string_view pipeline_name = "discovery";
constexpr std::size_t runs_per_page_max = 200;
// How long a decision is waited for; the run takes it as soon as a worker is free.
constexpr std::uint64_t decided_ms = 10'000;

std::string text_in(const json::Value& object, std::string_view name) {
  const json::Value* value = object.find(name);
  return value != nullptr && value->is(json::Kind::string) ? std::string(value->str()) : std::string();
}

struct FoundRun {
  host::Summary summary;
  std::optional<Answer> refused;
};
FoundRun find_run(Control& control, std::string_view id) {
  Result<host::Summary> found = control.host->summary(id);
  if (!found && found.error().code != ErrorCode::not_found) {
    return {{}, refuse(found.error())};
  }
  if (!found || found.value().row.pipeline != pipeline_name) {
    return {{}, refuse(Wrong::not_found, "Discovery run not found: " + std::string(id))};
  }
  return {std::move(found).value(), std::nullopt};
}

Answer run_view(Control& control, const std::string& id) {
  if (FoundRun found = find_run(control, id); found.refused) {
    return std::move(*found.refused);
  }
  return view_answer(control, *control.known(pipeline_name), id, 200);
}

// An opportunity of a view, by its id, or why there is none. Positions move with every ranking, so that one which was
// read a moment ago may be another opportunity's: they are refused, and not taken for an id that nobody has.
struct FoundOpportunity {
  const json::Value* value = nullptr;
  std::optional<Answer> refused;
};
FoundOpportunity opportunity_of(const json::Value& view, std::string_view id) {
  const json::Value* all = view.find("opportunities");
  std::string names;
  for (const json::Value& one : all == nullptr ? std::span<const json::Value>() : all->array()) {
    const std::string known = text_in(one, "opportunity_id");
    if (known == id) {
      return {&one, std::nullopt};
    }
    names += (names.empty() ? "" : ", ") + known;
  }
  if (ascii::only(id, ascii::digits)) {
    return {nullptr, refuse(Wrong::bad_request, "An opportunity is named by its opportunity_id, not by its position (" +
                                                    std::string(id) + "), which moves; there are: " + names)};
  }
  return {nullptr, refuse(Wrong::not_found, "There is no opportunity '" + json::excerpt(id, 60) +
                                                "' in this run; there are: " + (names.empty() ? "none" : names))};
}

// What became of the signal with this mark; nullptr: nothing yet.
const json::Value* outcome_of(const json::Value& view, std::string_view mark) {
  const json::Value* signals = view.find("signals");
  for (const json::Value& one : signals == nullptr ? std::span<const json::Value>() : signals->array()) {
    if (text_in(one, "request") == mark) {
      return &one;
    }
  }
  return nullptr;
}

Answer told(Control& control, const std::string& id, const json::Value& outcome) {
  const json::Value* accepted = outcome.find("accepted");
  if (accepted == nullptr || !accepted->boolean) {
    const bool second = text_in(outcome, "reason") == reason_name(Reason::decided);
    return refuse(second ? Wrong::conflict : Wrong::not_processable, text_in(outcome, "why"));
  }
  (void)control;
  std::string text;
  json::Writer json(text);
  json.begin_object().member("run_id", id).member_boolean("accepted", true);
  json.member("kind", text_in(outcome, "kind")).member("opportunity_id", text_in(outcome, "opportunity_id"));
  json.member("by", text_in(outcome, "by")).end_object();
  return json_answer(200, std::move(text));
}

// Sends what a person decided to the run, and tells what the run made of it.
Answer send_review(Control& control, const std::string& id, std::string_view kind, std::string_view opportunity,
                   const std::string& body) {
  const std::string mark = control.next_mark();
  json::Arena arena;
  const Result<json::Value> said = json::parse(body.empty() ? "{}" : body, arena);
  if (!said) {
    return refuse(Wrong::bad_request, said.error());
  }
  if (!said.value().is(json::Kind::object)) {
    return refuse(Wrong::bad_request, "The body is a JSON object.");
  }
  if (const json::Value* named = said.value().find("opportunity_id");
      named != nullptr && !opportunity.empty() && named->str() != opportunity) {
    return refuse(Wrong::not_processable, "The path is about '" + std::string(opportunity) +
                                              "', the body about another opportunity: '" +
                                              json::excerpt(named->str(), 60) + "'.");
  }
  std::string signal;
  json::Writer json(signal);
  json.begin_object().member("kind", kind).member("request", mark);
  if (!opportunity.empty()) {
    json.member("opportunity_id", opportunity);
  }
  for (const json::Member& member : said.value().object()) {
    if (member.key != "kind" && member.key != "request" && (opportunity.empty() || member.key != "opportunity_id")) {
      json.key(member.key).value(member.value);
    }
  }
  json.end_object();
  Result<std::unique_ptr<host::Watch>> watch = control.host->watch(id, 0);
  if (!watch) {
    return refuse(watch.error());
  }
  const Result<bool> sent = control.host->signal(id, "review", run::Data::written(std::move(signal)));
  if (!sent) {
    return refuse(sent.error());
  }
  if (!sent.value()) {
    return refuse(Wrong::conflict, "The run has ended; nothing more is decided in it.");
  }
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(decided_ms);
  while (std::chrono::steady_clock::now() < until) {
    Answer view = run_view(control, id);
    if (view.problem) {
      return view;
    }
    json::Arena of_view;
    const Result<json::Value> read = json::parse(view.body, of_view);
    if (const json::Value* outcome = read ? outcome_of(read.value(), mark) : nullptr) {
      return told(control, id, *outcome);
    }
    using What = host::Watch::What;
    const host::Watch::Event event = watch.value()->next(200);
    if (event.what == What::dropped || event.what == What::stopped) {
      break;
    }
  }
  return refuse(Wrong::conflict,
                "The run is not at its review: what was sent is kept, and counts when the review begins.");
}

Answer begun_answer(const BegunRun& begun) {
  if (begun.refused) {
    return *begun.refused;
  }
  std::string text;
  json::Writer(text).begin_object().member("run_id", begun.id).member_boolean("fresh", begun.fresh).end_object();
  Answer answer = json_answer(202, std::move(text));
  answer.headers.emplace_back("Location", "/api/discovery/runs/" + begun.id);
  return answer;
}

}  // namespace

Answer post_discovery(Control& control, const Request& request) {
  json::Arena arena;
  const Result<json::Value> read = json::parse(*request.body, arena);
  if (!read) {
    return refuse(Wrong::bad_request, read.error());
  }
  std::string body = *request.body;
  // People decide over HTTP unless the request says otherwise.
  if (read.value().is(json::Kind::object) && read.value().find("review") == nullptr) {
    const std::string members = json::value_text(read.value());
    body = R"({"review":true)" + std::string(members.size() > 2 ? "," : "") + members.substr(1);
  }
  return begun_answer(begin_run(control, pipeline_name, body, {"", std::string(request.header("Idempotency-Key"))}));
}

// A run that goes on from this one with what experiments have shown.
Answer post_experiments(Control& control, const Request& request) {
  const std::string id(request.value("id"));
  if (FoundRun found = find_run(control, id); found.refused) {
    return std::move(*found.refused);
  }
  json::Arena arena;
  const Result<json::Value> read = json::parse(*request.body, arena);
  if (!read) {
    return refuse(Wrong::bad_request, read.error());
  }
  const json::Value* results = read.value().find("results");
  if (results == nullptr || read.value().size != 1) {
    return refuse(Wrong::bad_request, R"(The body is {"results": [...]}, each an experiment-result.)");
  }
  const Result<std::shared_ptr<const run::Journal>> journal = control.host->snapshot(id);
  if (!journal) {
    return refuse(journal.error());
  }
  const Result<std::string> body = pipelines::discovery::reentry_request(*journal.value(), *results);
  if (!body) {
    return refuse(Wrong::conflict, body.error());
  }
  const std::string key(request.header("Idempotency-Key"));
  return begun_answer(begin_run(control, pipeline_name, body.value(), {"", key}));
}

Answer get_discoveries(Control& control, const Request& request) {
  if (std::optional<Answer> refused = unknown_query(request, {"limit", "cursor"})) {
    return std::move(*refused);
  }
  PageAsked asked = page_asked(control, request, runs_per_page_max);
  if (asked.refused) {
    return std::move(*asked.refused);
  }
  asked.query.pipeline = pipeline_name;
  return page_answer(control, asked.query);
}

Answer get_discovery(Control& control, const Request& request) {
  if (std::optional<Answer> refused = unknown_query(request, {})) {
    return std::move(*refused);
  }
  return run_view(control, std::string(request.value("id")));
}

Answer get_opportunities(Control& control, const Request& request) {
  if (std::optional<Answer> refused = unknown_query(request, {})) {
    return std::move(*refused);
  }
  Answer view = run_view(control, std::string(request.value("id")));
  if (view.problem) {
    return view;
  }
  json::Arena arena;
  const Result<json::Value> read = json::parse(view.body, arena);
  PLUMB_REQUIRE(static_cast<bool>(read), "a view is JSON");
  std::string text;
  json::Writer(text).begin_object().key("opportunities").value(*read.value().find("opportunities")).end_object();
  return json_answer(200, std::move(text));
}

Answer get_opportunity(Control& control, const Request& request) {
  if (std::optional<Answer> refused = unknown_query(request, {})) {
    return std::move(*refused);
  }
  Answer view = run_view(control, std::string(request.value("id")));
  if (view.problem) {
    return view;
  }
  json::Arena arena;
  const Result<json::Value> read = json::parse(view.body, arena);
  PLUMB_REQUIRE(static_cast<bool>(read), "a view is JSON");
  FoundOpportunity found = opportunity_of(read.value(), request.value("opportunity_id"));
  return found.refused ? std::move(*found.refused) : json_answer(200, json::value_text(*found.value));
}

Answer post_decide(Control& control, const Request& request) {
  const std::string id(request.value("id"));
  Answer view = run_view(control, id);
  if (view.problem) {
    return view;
  }
  json::Arena arena;
  const Result<json::Value> read = json::parse(view.body, arena);
  PLUMB_REQUIRE(static_cast<bool>(read), "a view is JSON");
  FoundOpportunity found = opportunity_of(read.value(), request.value("opportunity_id"));
  if (found.refused) {
    return std::move(*found.refused);
  }
  return send_review(control, id, "decide", text_in(*found.value, "opportunity_id"), *request.body);
}

Answer post_rank(Control& control, const Request& request) {
  const std::string id(request.value("id"));
  if (FoundRun found = find_run(control, id); found.refused) {
    return std::move(*found.refused);
  }
  return send_review(control, id, "rank", "", *request.body);
}

Answer post_complete(Control& control, const Request& request) {
  const std::string id(request.value("id"));
  if (FoundRun found = find_run(control, id); found.refused) {
    return std::move(*found.refused);
  }
  return send_review(control, id, "complete", "", *request.body);
}

}  // namespace plumb::control
