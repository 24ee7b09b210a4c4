// A call from its admission to its account, and what is told of it.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "native/proxy/access_log.hpp"
#include "native/proxy/policy_state.hpp"
#include "native/proxy/trace_context.hpp"
#include "tests/native/proxy_policy_setup.hpp"

using namespace plumb;
using namespace plumb::proxy;
using Json = nlohmann::json;
using proxy_setup::after;
using proxy_setup::Folder;
using proxy_setup::usage;

namespace {

constexpr std::uint64_t seed = 42;

Ask asking(std::string_view model, std::uint64_t input = 100, std::uint64_t output = 50) {
  Ask ask;
  ask.route = "/v1/chat/completions";
  ask.model = model;
  ask.input_tokens = input;
  ask.output_tokens_max = output;
  return ask;
}

std::unique_ptr<Call> begin(Policy& policy, const Ask& ask, std::uint64_t ms = 0, std::uint64_t random = seed) {
  Begun begun = policy.begin(proxy_setup::local(policy), ask, after(ms), random);
  if (begun.refused)
    FAIL(begun.refused->code << ": " << begun.refused->message);
  return std::move(begun.call);
}

wire::Failure refused(Policy& policy, const Ask& ask, std::uint64_t ms = 0) {
  const Begun begun = policy.begin(proxy_setup::local(policy), ask, after(ms), seed);
  REQUIRE(begun.refused);
  CHECK(begun.call == nullptr);
  return *begun.refused;
}

CallEnd ended(CallResult result, int status, std::string_view error = {}) {
  CallEnd end;
  end.result = result;
  end.status = status;
  end.error = error;
  return end;
}

void answer(Policy& policy, const Ask& ask, std::uint64_t ms, const wire::Usage& used, const CallEnd& end = {}) {
  const auto call = begin(policy, ask, ms);
  REQUIRE(call->next(after(ms)).kind == StepKind::ask);
  call->first_byte(after(ms + 20));
  call->answered(used, after(ms + 100));
  call->end(end, after(ms + 100));
}

Json state(Policy& policy, std::uint64_t ms) { return Json::parse(policy.state_json(after(ms))); }

std::string metrics(Policy& policy, std::uint64_t ms = 1'000) {
  std::string out;
  policy.append_metrics(out, after(ms));
  return out;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("calls: an answered call costs what was used, and is counted, logged and shown the same") {
  const Folder folder;
  const auto opened = proxy_setup::open(folder);
  Policy& policy = *opened.policy;
  CallEnd end;
  end.contract = "quiz";
  end.mode = "enforce";
  end.decision = "accept";
  end.edits = 2;
  answer(policy, asking("fast"), 0, usage(90, 30), end);
  // 90 * 2 + 30 * 10 millionths of a dollar.
  const Json now = state(policy, 200);
  CHECK(now["totals"]["calls"] == 1);
  CHECK(now["totals"]["input_tokens"] == 90);
  CHECK(now["totals"]["output_tokens"] == 30);
  CHECK(now["totals"]["usd"] == 0.00048);
  CHECK(now["totals"]["accepted"] == 1);
  CHECK(now["open"] == 0);
  CHECK(now["rows"][0]["key"] == "local");
  CHECK(now["rows"][0]["model"] == "fast");
  CHECK(now["rows"][0]["first_byte_ms"] == 20.0);
  CHECK(now["rows"][0]["took_ms"] == 100.0);
  CHECK(now["calls"][0]["target"] == "one/small");
  CHECK(now["calls"][0]["decision"] == "accept");
  CHECK(now["steps"].back()["calls"] == 1);
  CHECK(now["steps"].size() == 120);
  for (const Json& used : now["used"]) {
    CHECK(used["tokens_minute"] == 120);
    CHECK(used["tokens_reserved"] == 0);
    CHECK(used["calls"] == 0);
  }
  const std::string text = metrics(policy);
  CHECK(has(text, R"(plumb_proxy_calls_total{key="local",model="fast",result="answered"} 1)"));
  CHECK(has(text, R"(plumb_proxy_tokens_total{key="local",model="fast",direction="input",estimated="false"} 90)"));
  CHECK(has(text, R"(plumb_proxy_cost_usd_total{key="local",model="fast"} 0.00048)"));
  CHECK(has(text, R"(plumb_proxy_verdicts_total{key="local",model="fast",decision="accept"} 1)"));
  CHECK(has(text, R"(plumb_proxy_first_byte_seconds_bucket{model="fast",le="0.025"} 1)"));
  CHECK(has(text, R"(plumb_proxy_call_seconds_bucket{model="fast",le="0.05"} 0)"));
  CHECK(has(text, R"(plumb_proxy_upstream_tries_total{upstream="one"} 1)"));
  REQUIRE(opened.lines->size() == 1);
  const Json line = Json::parse(opened.lines->front());
  CHECK(line["event"] == "call");
  CHECK(line["time"] == "2024-10-04T12:00:00.000Z");
  CHECK(line["key"] == "local");
  CHECK(line["ms"] == 100.0);
  CHECK(line["usd"] == 0.00048);
  CHECK(line["contract"] == "quiz");
  CHECK(line["edits"] == 2);
  CHECK(line["id"] == now["calls"][0]["id"]);
  CHECK_FALSE(line.contains("estimated"));
}

TEST_CASE("calls: a fallback is asked when the first provider fails, and both tries are told") {
  const Folder folder;
  const auto opened = proxy_setup::open(folder);
  Policy& policy = *opened.policy;
  const auto call = begin(policy, asking("safe"));
  const Step first = call->next(after(0));
  REQUIRE(first.kind == StepKind::ask);
  CHECK(first.upstream->name == "one");
  CHECK(first.model == "big");
  const std::string first_trace(first.traceparent);
  call->failed(wire::make_failure(wire::FailureClass::unreachable, "no connection"), after(30));
  const Step second = call->next(after(30));
  REQUIRE(second.kind == StepKind::ask);
  CHECK(second.upstream->name == "two");
  CHECK(second.traceparent != first_trace);
  CHECK(second.traceparent.substr(0, 36) == first_trace.substr(0, 36));
  call->first_byte(after(40));
  call->answered(usage(10, 10), after(50));
  call->end({}, after(50));
  const Json now = state(policy, 100);
  CHECK(now["calls"][0]["tries"] == 2);
  CHECK(now["calls"][0]["target"] == "two/big");
  CHECK(now["totals"]["retries"] == 1);
  CHECK(now["totals"]["usd"] == 0.00005);  // the price of the one that answered
  CHECK(now["upstreams"][0]["failures"] == 1);
  CHECK(now["upstreams"][0]["last_failure"] == "unreachable");
  CHECK(has(metrics(policy), R"(plumb_proxy_upstream_failures_total{upstream="one",class="unreachable"} 1)"));
}

TEST_CASE("calls: when all have failed the last failure is given, and when all rest a time to come again") {
  const Folder folder;
  const auto opened = proxy_setup::open(folder, "  retries: {max: 0}\n  breaker: {failures: 2, open_ms: 4000}\n");
  Policy& policy = *opened.policy;
  for (int i = 0; i < 2; ++i) {
    const auto call = begin(policy, asking("fast"));
    REQUIRE(call->next(after(0)).kind == StepKind::ask);
    call->failed(wire::make_failure(wire::FailureClass::server, "it broke"), after(0));
    const Step step = call->next(after(0));
    REQUIRE(step.kind == StepKind::give_up);
    CHECK(step.failure.message == "it broke");
    CallEnd end;
    end.result = CallResult::failed;
    end.status = 502;
    end.error = "server";
    call->end(end, after(0));
  }
  CHECK(state(policy, 0)["upstreams"][0]["breaker"] == "open");
  const auto call = begin(policy, asking("fast"), 1'000);
  const Step step = call->next(after(1'000));
  REQUIRE(step.kind == StepKind::give_up);
  CHECK(step.failure.status == 503);
  CHECK(step.failure.code == "upstreams_unavailable");
  CHECK(step.failure.retry_after_ms == 3'000);
  call->end(ended(CallResult::failed, 503, "upstreams_unavailable"), after(1'000));
  CHECK(has(metrics(policy), R"(plumb_proxy_breaker_state{upstream="one",model="small"} 1)"));
  // The probe that a client's leaving ends says nothing; the next call may probe.
  {
    const auto probe = begin(policy, asking("fast"), 5'000);
    REQUIRE(probe->next(after(5'000)).kind == StepKind::ask);
    probe->end(ended(CallResult::client_left, 499), after(5'001));
  }
  const auto probe = begin(policy, asking("fast"), 5'002);
  REQUIRE(probe->next(after(5'002)).kind == StepKind::ask);
  probe->answered(usage(1, 1), after(5'003));
  probe->end({}, after(5'003));
  CHECK(state(policy, 5'003)["upstreams"][0]["breaker"] == "closed");
}

TEST_CASE("calls: what nobody told the usage of is estimated, and says so") {
  const Folder folder;
  const auto opened = proxy_setup::open(folder);
  Policy& policy = *opened.policy;
  const auto call = begin(policy, asking("fast", 100, 50));
  REQUIRE(call->next(after(0)).kind == StepKind::ask);
  call->first_byte(after(5));
  CallEnd end;
  end.result = CallResult::client_left;
  end.status = 499;
  end.output_bytes = 81;
  call->end(end, after(10));
  const Json line = Json::parse(opened.lines->back());
  CHECK(line["estimated"] == true);
  CHECK(line["input_tokens"] == 100);
  CHECK(line["output_tokens"] == 21);
  CHECK(line["usd"] == 0.00041);
  CHECK(has(metrics(policy), R"(direction="output",estimated="true"} 21)"));
}

TEST_CASE("calls: one that failed before anything was written costs nothing") {
  const Folder folder;
  const auto opened = proxy_setup::open(folder);
  Policy& policy = *opened.policy;
  const auto call = begin(policy, asking("fast"));
  REQUIRE(call->next(after(0)).kind == StepKind::ask);
  call->failed(*wire::failure_of(400, {}, R"({"error":{"message":"bad"}})", 0), after(0));
  CHECK(call->next(after(0)).kind == StepKind::give_up);
  call->end(ended(CallResult::failed, 400, "bad_request"), after(0));
  const Json now = state(policy, 0);
  CHECK(now["totals"]["input_tokens"] == 0);
  CHECK(now["totals"]["failed"] == 1);
  CHECK(now["upstreams"][0]["breaker"] == "closed");
}

TEST_CASE("calls: a call that nobody ends is settled when it goes, once") {
  const Folder folder;
  const auto opened = proxy_setup::open(folder);
  Policy& policy = *opened.policy;
  {
    const auto call = begin(policy, asking("fast"));
    REQUIRE(call->next(after(0)).kind == StepKind::ask);
    call->first_byte(after(1));
  }
  const Json now = state(policy, 10);
  CHECK(now["open"] == 0);
  CHECK(now["totals"]["calls"] == 1);
  CHECK(now["calls"][0]["error"] == "lost");
  CHECK(now["calls"][0]["result"] == "cut");
  CHECK(now["upstreams"][0]["calls"] == 0);
  for (const Json& used : now["used"])
    CHECK(used["tokens_reserved"] == 0);
}

TEST_CASE("calls: a model or contract that is not there, or not allowed, is refused by name with the nearest") {
  const Folder folder;
  ClientKey key;
  key.id = "kone";
  key.name = "one";
  key.models = {"fast"};
  key.contracts = {"quiz"};
  auto caller = std::make_shared<Caller>();
  caller->id = key.id;
  caller->key = key;
  caller->keyed = true;
  const auto opened = proxy_setup::open(folder);
  Policy& policy = *opened.policy;
  CHECK(refused(policy, asking("fasst")).code == "model_not_found");
  CHECK(refused(policy, asking("fasst")).message.find("did you mean 'fast'?") != std::string::npos);
  Ask ask = asking("fast");
  ask.contract = "quizz";
  CHECK(refused(policy, ask).status == 404);
  CHECK(refused(policy, ask).message.find("did you mean 'quiz'?") != std::string::npos);
  ask.contract = "flashcards";
  const Begun forbidden = policy.begin(caller, ask, after(0), seed);
  REQUIRE(forbidden.refused);
  CHECK(forbidden.refused->code == "contract_not_allowed");
  const Begun model = policy.begin(caller, asking("safe"), after(0), seed);
  REQUIRE(model.refused);
  CHECK(model.refused->status == 403);
  CHECK(policy.models(*caller) == std::vector<std::string>{"fast"});
  CHECK(policy.models(*proxy_setup::local(policy)) == std::vector<std::string>{"fast", "safe"});
  CHECK(has(metrics(policy), R"(plumb_proxy_refused_total{code="model_not_allowed"} 1)"));
  CHECK(Json::parse(opened.lines->back())["code"] == "model_not_allowed");
  CHECK(state(policy, 0)["steps"].back()["refused"] == opened.lines->size());
}

TEST_CASE("calls: a limit refuses with its name, what is left and when to come again, and other keys go on") {
  const Folder folder;
  const auto opened = proxy_setup::open(folder, "  limits: {requests_per_minute: 2, usd_per_day: 0.002}\n");
  Policy& policy = *opened.policy;
  answer(policy, asking("fast"), 0, usage(10, 10));
  answer(policy, asking("fast"), 1'000, usage(10, 10));
  const wire::Failure over = refused(policy, asking("fast"), 2'000);
  CHECK(over.status == 429);
  CHECK(over.code == "rate_limit_exceeded");
  CHECK(over.retryable);
  CHECK(over.message.find("requests_per_minute (2) of this key") != std::string::npos);
  CHECK(over.message.find("0 left") != std::string::npos);
  CHECK(over.retry_after_ms == 59'000);
  // 900 tokens of output might cost 0.0092 dollars.
  const wire::Failure dear = refused(policy, asking("fast", 100, 900), 100'000);
  CHECK(dear.code == "request_over_limit");
  CHECK_FALSE(dear.retryable);
  CHECK_FALSE(dear.retry_after_ms);
  CHECK(dear.message.find("$0.0092") != std::string::npos);
  auto other = std::make_shared<Caller>();
  other->id = "kother";
  CHECK_FALSE(policy.begin(other, asking("fast"), after(2'000), seed).refused);
}

TEST_CASE("calls: a limit of cost wants a price, also for names that are passed on") {
  const Folder folder;
  const auto settings = proxy_setup::read(
      folder,
      "providers: {near: {speaks: openai, base_url: 'http://127.0.0.1:1/v1'}}\nproxy:\n  keys: none\n  counters: " +
          folder.path("c.json") +
          "\n  models: {'*': near}\n  prices: {near/known: {input: 1, output: 1}}\n  limits: {usd_per_day: 1}\n");
  if (!settings)
    FAIL(settings.error().message);
  auto opened = Policy::open({settings.value(), {}}, after(0));
  REQUIRE(opened);
  Policy& policy = *opened.value();
  CHECK(refused(policy, asking("unknown")).code == "price_unknown");
  const auto call = begin(policy, asking("known"));
  CHECK(call->next(after(0)).model == "known");
  call->answered(usage(1'000, 0), after(0));
  call->end({}, after(0));
  CHECK(state(policy, 0)["totals"]["usd"] == 0.001);
  // A name that was passed on makes no series of its own.
  CHECK(has(metrics(policy), R"(plumb_proxy_calls_total{key="local",model="*",result="answered"} 1)"));
}

TEST_CASE("calls: a repair reserves for itself, asks the same provider, and its tokens are added") {
  const Folder folder;
  const auto opened = proxy_setup::open(folder, "  limits: {tokens_per_minute: 400}\n");
  Policy& policy = *opened.policy;
  const auto call = begin(policy, asking("fast", 100, 50));
  REQUIRE(call->next(after(0)).kind == StepKind::ask);
  call->first_byte(after(0));
  call->stopped(usage(100, 20), after(10));
  CHECK_FALSE(call->repair(150, 50, after(10)));
  REQUIRE(call->next(after(10)).kind == StepKind::ask);
  call->answered(usage(150, 40), after(20));
  const auto no_more = call->repair(150, 50, after(20));
  REQUIRE(no_more);
  CHECK(no_more->code == "rate_limit_exceeded");
  CallEnd end;
  end.decision = "accept";
  end.stopped_early = true;
  end.tokens_saved = 30;
  call->end(end, after(30));
  const Json now = state(policy, 40);
  CHECK(now["totals"]["input_tokens"] == 250);
  CHECK(now["totals"]["output_tokens"] == 60);
  CHECK(now["totals"]["early_stops"] == 1);
  CHECK(now["totals"]["tokens_saved"] == 30);
  for (const Json& used : now["used"])
    CHECK(used["tokens_reserved"] == 0);
}

TEST_CASE("calls: the time of a call is used up once for all its tries") {
  const Folder folder;
  const auto opened = proxy_setup::open(folder, "  bounds: {call_ms: 1000}\n");
  Policy& policy = *opened.policy;
  const auto call = begin(policy, asking("safe"));
  CHECK(call->deadline_us() == after(1'000).steady_us);
  REQUIRE(call->next(after(0)).kind == StepKind::ask);
  call->failed(wire::make_failure(wire::FailureClass::timed_out, "late"), after(1'000));
  CHECK(call->next(after(1'000)).kind == StepKind::give_up);
  call->end(ended(CallResult::failed, 504, "timed_out"), after(1'000));
}

TEST_CASE("calls: an upstream takes no more at once than its calls_max, and the next one is asked instead") {
  const Folder folder;
  std::string yaml = proxy_setup::usual_yaml(folder);
  yaml.replace(yaml.find("/v1'}"), 5, "/v1', calls_max: 1}");
  const auto settings = proxy_setup::read(folder, yaml);
  REQUIRE(settings);
  auto opened = Policy::open({settings.value(), {}}, after(0));
  REQUIRE(opened);
  const auto first = begin(*opened.value(), asking("safe"));
  CHECK(first->next(after(0)).upstream->name == "one");
  const auto second = begin(*opened.value(), asking("safe"));
  CHECK(second->next(after(0)).upstream->name == "two");
  first->answered(usage(1, 1), after(1));
  const auto third = begin(*opened.value(), asking("safe"), 2);
  CHECK(third->next(after(2)).upstream->name == "one");
}

TEST_CASE("calls: reloaded settings hold for new calls, and counts, breakers and calls under way go on") {
  const Folder folder;
  const auto opened = proxy_setup::open(folder, "  limits: {requests_per_day: 3}\n");
  Policy& policy = *opened.policy;
  const auto under_way = begin(policy, asking("fast"));
  const Step step = under_way->next(after(0));
  REQUIRE(step.kind == StepKind::ask);
  std::string yaml = proxy_setup::usual_yaml(folder, "  limits: {requests_per_day: 2}\n");
  yaml.replace(yaml.find("fast: one/small"), 15, "quick: two/small");
  const auto changed = proxy_setup::read(folder, yaml);
  REQUIRE(changed);
  REQUIRE(policy.replace(changed.value(), after(10)));
  CHECK(refused(policy, asking("fast"), 20).code == "model_not_found");
  CHECK(step.target->name == "one/small");  // still there for the call that has it
  const auto second = begin(policy, asking("quick"), 20);
  CHECK(second->next(after(20)).upstream->name == "two");
  CHECK(refused(policy, asking("quick"), 30).message.find("requests_per_day (2)") != std::string::npos);
  under_way->answered(usage(5, 5), after(40));
  under_way->end({}, after(40));
  CHECK(state(policy, 50)["totals"]["calls"] == 1);
  const auto moved = proxy_setup::read(folder, proxy_setup::usual_yaml(folder, "  listen: 127.0.0.1:9\n"));
  REQUIRE(moved);
  const auto no = policy.replace(moved.value(), after(60));
  REQUIRE_FALSE(no);
  CHECK(no.error().message.find("'listen' cannot be changed") != std::string::npos);
  // Neither are the counts of the day carried to another file, nor one that is there taken for this proxy's.
  std::string elsewhere = yaml;
  elsewhere.replace(elsewhere.find("counters.json"), 13, "elsewhere.json");
  const auto counted = proxy_setup::read(folder, elsewhere);
  REQUIRE(counted);
  const auto not_there = policy.replace(counted.value(), after(70));
  REQUIRE_FALSE(not_there);
  CHECK(not_there.error().message.find("'counters' cannot be changed") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder.path("elsewhere.json")));
}

TEST_CASE("calls: a client's trace is carried on to the provider, and a new one is begun where there is none") {
  const Folder folder;
  const auto opened = proxy_setup::open(folder, "  telemetry: {otlp: 'http://127.0.0.1:1', sampled: 0}\n");
  Policy& policy = *opened.policy;
  Ask ask = asking("safe");
  ask.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  ask.tracestate = "vendor=1";
  {
    const auto call = begin(policy, ask);
    const Step step = call->next(after(0));
    CHECK(step.traceparent.substr(0, 36) == ask.traceparent.substr(0, 36));
    CHECK(step.traceparent.substr(36, 16) != ask.traceparent.substr(36, 16));
    CHECK(step.traceparent.substr(52) == "-01");
    CHECK(step.tracestate == "vendor=1");
    call->failed(wire::make_failure(wire::FailureClass::unreachable, "gone"), after(10));
    REQUIRE(call->next(after(10)).kind == StepKind::ask);
    call->first_byte(after(20));
    call->answered(usage(7, 3), after(30));
    CallEnd end;
    end.decision = "revise";
    end.contract = "quiz";
    end.findings = 2;
    end.rules = "minItems, required";
    end.edits = 1;
    call->end(end, after(40));
  }
  begin(policy, asking("fast"))->end({}, after(50));  // not sampled
  const std::vector<RecordPtr> records = policy.state().spans.take();
  REQUIRE(records.size() == 1);
  Telemetry telemetry;
  telemetry.service = "shop";
  const Json sent = Json::parse(otlp_json(records, telemetry, "1.2"));
  const Json& resource = sent["resourceSpans"][0];
  CHECK(resource["resource"]["attributes"][0]["value"]["stringValue"] == "shop");
  const Json& spans = resource["scopeSpans"][0]["spans"];
  REQUIRE(spans.size() == 3);
  const auto attribute = [](const Json& span, std::string_view name) {
    for (const Json& one : span["attributes"]) {
      if (one["key"] == name)
        return one["value"].begin().value();
    }
    return Json();
  };
  CHECK(spans[0]["traceId"] == "4bf92f3577b34da6a3ce929d0e0e4736");
  CHECK(spans[0]["parentSpanId"] == "00f067aa0ba902b7");
  CHECK(spans[0]["kind"] == 2);
  CHECK(spans[0]["name"] == "POST /v1/chat/completions");
  CHECK(spans[0]["startTimeUnixNano"] == std::to_string(after(0).wall_ms * 1'000'000));
  CHECK(spans[0]["endTimeUnixNano"] == std::to_string(after(40).wall_ms * 1'000'000));
  CHECK(attribute(spans[0], "plumb.decision") == "revise");
  REQUIRE(spans[0]["events"].size() == 1);
  const Json& event = spans[0]["events"][0];
  CHECK(event["name"] == "gen_ai.evaluation.result");
  CHECK(event["timeUnixNano"] == spans[0]["endTimeUnixNano"]);
  CHECK(attribute(event, "gen_ai.evaluation.name") == "quiz");
  CHECK(attribute(event, "gen_ai.evaluation.score.value") == 0);
  CHECK(attribute(event, "gen_ai.evaluation.score.label") == "revise");
  CHECK(attribute(event, "gen_ai.evaluation.explanation") == "2 findings: minItems, required; 1 edit");
  CHECK_FALSE(spans[1].contains("events"));
  telemetry.conventions = Conventions::v1_36;
  const Json older = Json::parse(otlp_json(records, telemetry, "1.2"))["resourceSpans"][0]["scopeSpans"][0];
  CHECK(older["schemaUrl"] == "https://opentelemetry.io/schemas/1.36.0");
  CHECK_FALSE(older["spans"][0].contains("events"));
  CHECK(attribute(older["spans"][2], "gen_ai.system") == "two");
  CHECK(attribute(older["spans"][2], "gen_ai.provider.name") == Json());
  CHECK(spans[1]["parentSpanId"] == spans[0]["spanId"]);
  CHECK(spans[1]["name"] == "chat big");
  CHECK(spans[1]["status"]["code"] == 2);
  CHECK(attribute(spans[1], "error.type") == "unreachable");
  CHECK(attribute(spans[2], "gen_ai.provider.name") == "two");
  CHECK(attribute(spans[2], "gen_ai.operation.name") == "chat");
  CHECK(attribute(spans[2], "gen_ai.request.model") == "big");
  CHECK(attribute(spans[2], "gen_ai.usage.input_tokens") == "7");
  CHECK(attribute(spans[2], "gen_ai.usage.output_tokens") == "3");
  CHECK(attribute(spans[2], "server.port") == "9002");
}

TEST_CASE("traces: what is no traceparent is not believed") {
  const std::string good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  CHECK(traceparent_text(*read_traceparent(good)) == good);
  CHECK(read_traceparent("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00-later"));
  for (std::string bad : {std::string(), good.substr(1), good + "x", "ff" + good.substr(2), good.substr(0, 54) + "g",
                          std::string("00-00000000000000000000000000000000-00f067aa0ba902b7-01"),
                          std::string("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01"),
                          std::string("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01")})
    CHECK_FALSE(read_traceparent(bad));
}

TEST_CASE("spans: every attribute stands in the table once, in order") {
  std::size_t i = 0;
  std::set<std::string_view> names;
  for (const SpanAttributeName& one : span_attributes()) {
    CHECK(static_cast<std::size_t>(one.attribute) == i++);
    CHECK_FALSE(one.meaning.empty());
    CHECK_FALSE(one.name(Conventions::v1_40).empty());
    names.insert(one.name(Conventions::v1_40));
  }
  CHECK(names.size() == i);
}

TEST_CASE("spans: a queue that nobody empties drops what does not fit, and counts it") {
  SpanQueue queue;
  const auto record = std::make_shared<const CallRecord>();
  for (std::size_t i = 0; i < SpanQueue::records_max + 5; ++i)
    queue.push(record);
  CHECK(queue.counts().waiting == SpanQueue::records_max);
  CHECK(queue.counts().dropped == 5);
  CHECK(queue.take().size() == SpanQueue::batch_max);
}

TEST_CASE("metrics: more keys and models than series are counted under other") {
  ProxyMetrics metrics;
  CallRecord record;
  record.input_tokens = 1;
  for (std::size_t i = 0; i < ProxyMetrics::series_max + 50; ++i)
    metrics.add(*metrics.series("k" + std::to_string(i), "m"), record);
  CHECK(metrics.all().size() == ProxyMetrics::series_max + 1);
  for (int i = 0; i < 200; ++i)
    metrics.refused("code" + std::to_string(i));
  CHECK(metrics.refusals().size() == ProxyMetrics::codes_max + 1);
  std::string text;
  metrics.append(text);
  CHECK(has(text, R"(plumb_proxy_calls_total{key="other",model="other",result="answered"} 50)"));
  CHECK(has(text, R"(plumb_proxy_refused_total{code="other"} 100)"));
}

TEST_CASE("logs: what a client sends breaks no line, in JSON and in text") {
  const Folder folder;
  const auto opened = proxy_setup::open(folder);
  CallRecord record;
  record.id = "c1";
  record.asked = "evil\n\"model\x01";
  record.error = "x\r\ny";
  for (const LogKind kind : {LogKind::json, LogKind::text}) {
    const std::string line = log_line(record, kind);
    CHECK(line.find('\n') == std::string::npos);
    CHECK(line.find('\r') == std::string::npos);
  }
  CHECK(Json::parse(log_line(record, LogKind::json))["asked"] == record.asked);
}

TEST_CASE("logs: a line of the longest call there can be is written whole") {
  const std::string wild(100, '\x01');
  const std::string plain(100, 'w');
  constexpr std::uint64_t most = ~std::uint64_t{0};
  CallRecord record;
  record.key = record.model = record.error = record.contract = wild;
  record.asked = wild + "\x02";
  record.id = record.client = plain;
  record.route = record.mode = record.decision = plain;
  record.result = CallResult::client_left;
  record.status = 1'000'000;
  record.took_us = record.first_byte_us = record.input_tokens = record.output_tokens = record.nano_usd = most;
  record.tokens_saved = most;
  record.findings = record.edits = record.judge.calls = record.judge.broken = record.judge.open = ~std::uint32_t{0};
  record.estimated = record.replayed = record.stopped_early = true;
  record.tries.resize(1);
  record.tries.back().provider = record.tries.back().model = wild;
  record.tries.back().request_id = plain;
  const Json read = Json::parse(log_line(record, LogKind::json));
  CHECK(read["asked"] == record.asked);
  CHECK(read["target"] == wild + "/" + wild);
  CHECK(read["tokens_saved"] == most);
  CHECK(read["trace"] == std::string(32, '0'));
}

TEST_CASE("calls: from many threads every call is accounted for exactly once") {
  const Folder folder;
  const auto opened = proxy_setup::open(folder, "  limits: {tokens_per_day: 1000000}\n");
  Policy& policy = *opened.policy;
  const CallerPtr caller = proxy_setup::local(policy);
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      std::uint64_t random = t;
      for (std::uint64_t i = 0; i < 300; ++i) {
        random = random * 6364136223846793005ULL + 1;
        Begun begun = policy.begin(caller, asking("safe", 10, 10), after(i), random);
        REQUIRE_FALSE(begun.refused);
        Call& call = *begun.call;
        const unsigned way = static_cast<unsigned>(random >> 60U) % 4;
        const Step step = call.next(after(i));
        if (step.kind == StepKind::ask) {
          call.first_byte(after(i));
          if (way == 0)
            call.failed(wire::make_failure(wire::FailureClass::rate_limited, "slow"), after(i));
          if (way == 1)
            call.answered(usage(3, 4), after(i));
        }
        if (way != 3)
          call.end(ended(way == 1 ? CallResult::answered : CallResult::failed, 200), after(i));
      }
    });
  }
  for (std::thread& one : threads)
    one.join();
  const Json now = state(policy, 1'000);
  CHECK(now["totals"]["calls"] == 2'400);
  CHECK(now["open"] == 0);
  CHECK(opened.lines->size() == 2'400);
  for (const Json& used : now["used"]) {
    CHECK(used["calls"] == 0);
    CHECK(used["tokens_reserved"] == 0);
    CHECK(used["requests_day"] == 2'400);
    CHECK(used["tokens_day"] == now["totals"]["input_tokens"].get<int>() + now["totals"]["output_tokens"].get<int>());
  }
  for (const Json& upstream : now["upstreams"])
    CHECK(upstream["calls"] == 0);
}
