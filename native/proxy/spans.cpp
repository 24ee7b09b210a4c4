#include "native/proxy/spans.hpp"

#include <algorithm>

#include "core/json/writer.hpp"
#include "core/require.hpp"
#include "core/wording.hpp"

namespace plumb::proxy {

namespace {

using A = SpanAttribute;

using Names = std::array<std::string_view, static_cast<std::size_t>(Conventions::count_)>;
constexpr Names both(std::string_view name) { return {name, name}; }

constexpr std::array<SpanAttributeName, static_cast<std::size_t>(A::count_)> table = {{
    {A::operation, both("gen_ai.operation.name"), "`chat`"},
    {A::provider, {"gen_ai.system", "gen_ai.provider.name"}, "the provider of plumb.yaml that was asked"},
    {A::request_model, both("gen_ai.request.model"), "the model that it was asked for"},
    {A::input_tokens, both("gen_ai.usage.input_tokens"), "tokens that were read"},
    {A::output_tokens, both("gen_ai.usage.output_tokens"), "tokens that were written"},
    {A::cached_tokens,
     {"", "gen_ai.usage.cache_read.input_tokens"},
     "of the input, what came from the provider's cache"},
    {A::server_address, both("server.address"), "the provider's host"},
    {A::server_port, both("server.port"), "its port"},
    {A::error_type, both("error.type"), "the class of a failure, or the code of a refusal"},
    {A::http_method, both("http.request.method"), "`POST`"},
    {A::http_route, both("http.route"), "what the client called"},
    {A::http_status, both("http.response.status_code"), "the status of the answer"},
    {A::call_id, both("plumb.call.id"), "the id of the call: also `x-request-id` and in the log"},
    {A::key_id, both("plumb.key.id"), "the id of the client key"},
    {A::model_alias, both("plumb.model"), "the name that the client asked for, of plumb.yaml"},
    {A::contract, both("plumb.contract"), "the contract"},
    {A::mode, both("plumb.mode"), "observe, enforce or hold-back"},
    {A::decision, both("plumb.decision"), "of the verdict"},
    {A::findings, both("plumb.findings"), "how many things were wrong"},
    {A::edits, both("plumb.edits"), "how many edits were made"},
    {A::stopped_early, both("plumb.stopped_early"), "the upstream was stopped because of what it had written"},
    {A::tokens_saved, both("plumb.tokens_saved"), "by that, estimated"},
    {A::tokens_estimated, both("plumb.tokens_estimated"), "nobody told the usage"},
    {A::cost_usd, both("plumb.cost_usd"), "by the prices of plumb.yaml"},
    {A::result, both("plumb.result"), "answered, refused, failed, cut or client_left"},
    {A::replayed, both("plumb.replayed"), "answered again for its Idempotency-Key"},
    {A::evaluation_name, {"", "gen_ai.evaluation.name"}, "of the event: the contract"},
    {A::evaluation_score,
     {"", "gen_ai.evaluation.score.value"},
     "of the event: 1 where the contract is kept, 0 where not"},
    {A::evaluation_label, {"", "gen_ai.evaluation.score.label"}, "of the event: the decision"},
    {A::evaluation_explanation, {"", "gen_ai.evaluation.explanation"}, "of the event: what was found, by rule"},
}};

// Attributes of one span, written as OTLP's JSON wants them. What is empty, zero or false is left out.
class Attributes {
 public:
  Attributes(json::Writer& json, Conventions conventions) : json_(json), conventions_(conventions) {
    json_.key("attributes").begin_array();
  }
  ~Attributes() { json_.end_array(); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;

  void text(A attribute, std::string_view value) {
    if (!value.empty() && told(attribute)) {
      begin(attribute).member("stringValue", value).end_object().end_object();
    }
  }
  void number(A attribute, std::uint64_t value) {
    if (value != 0 && told(attribute)) {
      begin(attribute).member("intValue", std::to_string(value)).end_object().end_object();
    }
  }
  void flag(A attribute, bool value) {
    if (value && told(attribute)) {
      begin(attribute).member_boolean("boolValue", true).end_object().end_object();
    }
  }
  void decimal(A attribute, std::string_view number) {
    if (told(attribute)) {
      begin(attribute).key("doubleValue").raw(number).end_object().end_object();
    }
  }

 private:
  std::string_view name_of(A attribute) const {
    const SpanAttributeName& row = table[static_cast<std::size_t>(attribute)];
    PLUMB_REQUIRE(row.attribute == attribute, "the table of attributes is in order");
    return row.name(conventions_);
  }
  bool told(A attribute) const { return !name_of(attribute).empty(); }
  json::Writer& begin(A attribute) {
    return json_.begin_object().member("key", name_of(attribute)).key("value").begin_object();
  }
  json::Writer& json_;
  Conventions conventions_;
};

constexpr int kind_server = 2;
constexpr int kind_client = 3;
constexpr int status_error = 2;

// Times are steady; the call's beginning says what they are since 1970.
std::string nanos(const CallRecord& record, std::uint64_t steady_us) {
  const std::uint64_t since = steady_us > record.began_us ? steady_us - record.began_us : 0;
  return std::to_string(record.began_wall_ms * 1'000'000 + since * 1'000);
}

void begin_span(json::Writer& json, const CallRecord& record, std::uint64_t span, std::uint64_t parent,
                std::string_view name, int kind) {
  json.begin_object().member("traceId", trace_id_text(record.trace)).member("spanId", hex16(span));
  if (parent != 0) {
    json.member("parentSpanId", hex16(parent));
  }
  json.member("name", name).key("kind").integer(kind);
}

void end_span(json::Writer& json, bool failed) {
  json.key("status").begin_object();
  if (failed) {
    json.key("code").integer(status_error);
  }
  json.end_object().end_object();
}

// "2 findings: minItems, required; 1 edit": rules and counts, nothing of the answer.
std::string explanation_of(const CallRecord& record) {
  std::string text = counted(record.findings, "finding") + (record.rules.empty() ? "" : ": " + record.rules);
  if (record.edits != 0) {
    text += "; " + counted(record.edits, "edit");
  }
  if (record.judge.calls != 0) {
    text += "; a judge: " + std::to_string(record.judge.holds) + " hold, " + std::to_string(record.judge.broken) +
            " broken, " + std::to_string(record.judge.open) + " open";
  }
  return text;
}

void append_evaluation(json::Writer& json, const CallRecord& record, Conventions conventions) {
  if (record.decision.empty() || table[static_cast<std::size_t>(A::evaluation_name)].name(conventions).empty()) {
    return;
  }
  json.key("events").begin_array().begin_object();
  json.member("timeUnixNano", nanos(record, record.began_us + record.took_us)).member("name", evaluation_event);
  {
    Attributes to(json, conventions);
    to.text(A::evaluation_name, record.contract);
    // What could not be decided has no score.
    if (record.decision != "undecided") {
      to.decimal(A::evaluation_score, record.decision.starts_with("accept") ? "1" : "0");
    }
    to.text(A::evaluation_label, record.decision);
    to.text(A::evaluation_explanation, explanation_of(record));
  }
  json.end_object().end_array();
}

void append_call(json::Writer& json, const CallRecord& record, Conventions conventions) {
  begin_span(json, record, record.trace.span, record.parent_span, "POST " + std::string(record.route), kind_server);
  json.member("startTimeUnixNano", nanos(record, record.began_us));
  json.member("endTimeUnixNano", nanos(record, record.began_us + record.took_us));
  {
    Attributes to(json, conventions);
    to.text(A::http_method, "POST");
    to.text(A::http_route, record.route);
    to.number(A::http_status, static_cast<std::uint64_t>(record.status));
    to.text(A::call_id, record.id);
    to.text(A::key_id, record.key);
    to.text(A::model_alias, record.model);
    to.text(A::request_model, record.asked);
    to.text(A::result, call_result_name(record.result));
    to.text(A::error_type, record.error);
    to.text(A::contract, record.contract);
    to.text(A::mode, record.mode);
    to.text(A::decision, record.decision);
    to.number(A::findings, record.findings);
    to.number(A::edits, record.edits);
    to.flag(A::stopped_early, record.stopped_early);
    to.number(A::tokens_saved, record.tokens_saved);
    to.flag(A::tokens_estimated, record.estimated);
    to.number(A::input_tokens, record.input_tokens);
    to.number(A::output_tokens, record.output_tokens);
    to.flag(A::replayed, record.replayed);
    if (record.nano_usd != 0) {
      to.decimal(A::cost_usd, dollars_text(record.nano_usd));
    }
  }
  append_evaluation(json, record, conventions);
  end_span(json, record.result == CallResult::failed || record.result == CallResult::cut);
}

void append_try(json::Writer& json, const CallRecord& record, const TryRecord& one, Conventions conventions) {
  begin_span(json, record, one.span, record.trace.span, "chat " + one.model, kind_client);
  json.member("startTimeUnixNano", nanos(record, one.began_us));
  json.member("endTimeUnixNano", nanos(record, one.ended_us));
  {
    Attributes to(json, conventions);
    to.text(A::operation, "chat");
    to.text(A::provider, one.provider);
    to.text(A::request_model, one.model);
    to.text(A::server_address, one.host);
    to.number(A::server_port, one.port);
    to.number(A::http_status, static_cast<std::uint64_t>(one.status));
    to.text(A::error_type, one.failure);
    to.number(A::input_tokens, one.usage.input_tokens);
    to.number(A::cached_tokens, one.usage.cached_tokens);
    to.number(A::output_tokens, one.usage.output_tokens);
  }
  end_span(json, !one.failure.empty());
}

}  // namespace

std::string_view conventions_name(Conventions conventions) {
  return conventions == Conventions::v1_36 ? "1.36" : "1.40";
}

std::span<const SpanAttributeName> span_attributes() { return table; }

std::string otlp_json(std::span<const RecordPtr> records, const Telemetry& telemetry, std::string_view version) {
  const Conventions conventions = telemetry.conventions;
  std::string out;
  json::Writer json(out);
  const auto attribute = [&json](std::string_view key, std::string_view value) {
    json.begin_object().member("key", key).key("value").begin_object().member("stringValue", value);
    json.end_object().end_object();
  };
  json.begin_object().key("resourceSpans").begin_array().begin_object();
  json.key("resource").begin_object().key("attributes").begin_array();
  attribute("service.name", telemetry.service);
  attribute("service.version", version);
  json.end_array().end_object();
  json.key("scopeSpans").begin_array().begin_object();
  json.key("scope").begin_object().member("name", "plumb.proxy").member("version", version).end_object();
  json.key("spans").begin_array();
  for (const RecordPtr& record : records) {
    append_call(json, *record, conventions);
    for (const TryRecord& one : record->tries) {
      append_try(json, *record, one, conventions);
    }
  }
  json.end_array();
  json.member("schemaUrl", "https://opentelemetry.io/schemas/" + std::string(conventions_name(conventions)) + ".0");
  json.end_object().end_array().end_object().end_array().end_object();
  return out;
}

void SpanQueue::push(RecordPtr record) {
  const std::lock_guard lock(mutex_);
  if (waiting_.size() >= records_max) {
    ++counts_.dropped;
    return;
  }
  waiting_.push_back(std::move(record));
}

std::vector<RecordPtr> SpanQueue::take() {
  const std::lock_guard lock(mutex_);
  std::vector<RecordPtr> out;
  while (!waiting_.empty() && out.size() < batch_max) {
    out.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  return out;
}

void SpanQueue::sent(std::size_t records) {
  const std::lock_guard lock(mutex_);
  counts_.sent += records;
}

void SpanQueue::failed(std::size_t records) {
  const std::lock_guard lock(mutex_);
  counts_.failed += records;
}

SpanCounts SpanQueue::counts() const {
  const std::lock_guard lock(mutex_);
  SpanCounts out = counts_;
  out.waiting = waiting_.size();
  return out;
}

}  // namespace plumb::proxy
