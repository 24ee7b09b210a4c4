#include "native/proxy/spans.hpp"

#include <algorithm>

#include "core/json/writer.hpp"
#include "core/require.hpp"

namespace plumb::proxy {

namespace {

using A = SpanAttribute;

constexpr std::array<SpanAttributeName, static_cast<std::size_t>(A::count_)> table = {{
    {A::operation, "gen_ai.operation.name", "`chat`"},
    {A::provider, "gen_ai.provider.name", "the provider of plumb.yaml that was asked"},
    {A::request_model, "gen_ai.request.model", "the model that it was asked for"},
    {A::input_tokens, "gen_ai.usage.input_tokens", "tokens that were read"},
    {A::output_tokens, "gen_ai.usage.output_tokens", "tokens that were written"},
    {A::cached_tokens, "gen_ai.usage.cache_read.input_tokens", "of the input, what came from the provider's cache"},
    {A::server_address, "server.address", "the provider's host"},
    {A::server_port, "server.port", "its port"},
    {A::error_type, "error.type", "the class of a failure, or the code of a refusal"},
    {A::http_method, "http.request.method", "`POST`"},
    {A::http_route, "http.route", "what the client called"},
    {A::http_status, "http.response.status_code", "the status of the answer"},
    {A::call_id, "plumb.call.id", "the id of the call: also `x-request-id` and in the log"},
    {A::key_id, "plumb.key.id", "the id of the client key"},
    {A::model_alias, "plumb.model", "the name that the client asked for, of plumb.yaml"},
    {A::contract, "plumb.contract", "the contract"},
    {A::mode, "plumb.mode", "observe, enforce or hold-back"},
    {A::decision, "plumb.decision", "of the verdict"},
    {A::findings, "plumb.findings", "how many things were wrong"},
    {A::edits, "plumb.edits", "how many edits were made"},
    {A::stopped_early, "plumb.stopped_early", "the upstream was stopped because of what it had written"},
    {A::tokens_saved, "plumb.tokens_saved", "by that, estimated"},
    {A::tokens_estimated, "plumb.tokens_estimated", "nobody told the usage"},
    {A::cost_usd, "plumb.cost_usd", "by the prices of plumb.yaml"},
    {A::result, "plumb.result", "answered, refused, failed, cut or client_left"},
    {A::replayed, "plumb.replayed", "answered again for its Idempotency-Key"},
}};

// Attributes of one span, written as OTLP's JSON wants them. What is empty, zero or false is left out.
class Attributes {
 public:
  explicit Attributes(json::Writer& json) : json_(json) { json_.key("attributes").begin_array(); }
  ~Attributes() { json_.end_array(); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;

  void text(A attribute, std::string_view value) {
    if (!value.empty())
      begin(attribute).member("stringValue", value).end_object().end_object();
  }
  void number(A attribute, std::uint64_t value) {
    if (value != 0)
      begin(attribute).member("intValue", std::to_string(value)).end_object().end_object();
  }
  void flag(A attribute, bool value) {
    if (value)
      begin(attribute).member_boolean("boolValue", true).end_object().end_object();
  }
  void decimal(A attribute, std::string_view number) {
    begin(attribute).key("doubleValue").raw(number).end_object().end_object();
  }

 private:
  json::Writer& begin(A attribute) {
    const SpanAttributeName& row = table[static_cast<std::size_t>(attribute)];
    PLUMB_REQUIRE(row.attribute == attribute, "the table of attributes is in order");
    return json_.begin_object().member("key", row.name).key("value").begin_object();
  }
  json::Writer& json_;
};

constexpr int kind_server = 2;
constexpr int kind_client = 3;
constexpr int status_error = 2;

// Times are steady; the call's beginning says where they stand since 1970.
std::string nanos(const CallRecord& record, std::uint64_t steady_us) {
  const std::uint64_t since = steady_us > record.began_us ? steady_us - record.began_us : 0;
  return std::to_string(record.began_wall_ms * 1'000'000 + since * 1'000);
}

void begin_span(json::Writer& json, const CallRecord& record, std::uint64_t span, std::uint64_t parent,
                std::string_view name, int kind) {
  json.begin_object().member("traceId", trace_id_text(record.trace)).member("spanId", hex16(span));
  if (parent != 0)
    json.member("parentSpanId", hex16(parent));
  json.member("name", name).key("kind").integer(kind);
}

void end_span(json::Writer& json, bool failed) {
  json.key("status").begin_object();
  if (failed)
    json.key("code").integer(status_error);
  json.end_object().end_object();
}

void append_call(json::Writer& json, const CallRecord& record) {
  begin_span(json, record, record.trace.span, record.parent_span, "POST " + std::string(record.route), kind_server);
  json.member("startTimeUnixNano", nanos(record, record.began_us));
  json.member("endTimeUnixNano", nanos(record, record.began_us + record.took_us));
  {
    Attributes to(json);
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
    if (record.nano_usd != 0)
      to.decimal(A::cost_usd, dollars_text(record.nano_usd));
  }
  end_span(json, record.result == CallResult::failed || record.result == CallResult::cut);
}

void append_try(json::Writer& json, const CallRecord& record, const TryRecord& one) {
  begin_span(json, record, one.span, record.trace.span, "chat " + one.model, kind_client);
  json.member("startTimeUnixNano", nanos(record, one.began_us));
  json.member("endTimeUnixNano", nanos(record, one.ended_us));
  {
    Attributes to(json);
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

std::span<const SpanAttributeName> span_attributes() { return table; }

std::string otlp_json(std::span<const RecordPtr> records, std::string_view service, std::string_view version) {
  std::string out;
  json::Writer json(out);
  const auto attribute = [&json](std::string_view key, std::string_view value) {
    json.begin_object().member("key", key).key("value").begin_object().member("stringValue", value);
    json.end_object().end_object();
  };
  json.begin_object().key("resourceSpans").begin_array().begin_object();
  json.key("resource").begin_object().key("attributes").begin_array();
  attribute("service.name", service);
  attribute("service.version", version);
  json.end_array().end_object();
  json.key("scopeSpans").begin_array().begin_object();
  json.key("scope").begin_object().member("name", "plumb.proxy").member("version", version).end_object();
  json.key("spans").begin_array();
  for (const RecordPtr& record : records) {
    append_call(json, *record);
    for (const TryRecord& one : record->tries)
      append_try(json, *record, one);
  }
  json.end_array().end_object().end_array().end_object().end_array().end_object();
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
