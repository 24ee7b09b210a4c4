#include "native/proxy/access_log.hpp"

#include <spdlog/fmt/fmt.h>

#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "native/proxy/utc.hpp"

namespace plumb::proxy {

namespace {

// Thousandths of a unit as a JSON number: 12345 us are 12.345 ms.
std::string thousandths(std::uint64_t value) {
  std::string text;
  json::append_uint(text, value / 1000);
  text += '.';
  for (const std::uint64_t unit : {100U, 10U, 1U})
    text += static_cast<char>('0' + value % 1000 / unit % 10);
  return text;
}

void member_if(json::Writer& json, std::string_view name, std::string_view value) {
  if (!value.empty())
    json.member(name, value);
}

// What a client sent must not break a line of text.
std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text)
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
  return out;
}

std::string json_line(const CallRecord& record) {
  std::string out;
  out.reserve(512);
  json::Writer json(out);
  json.begin_object().member("time", utc_text_ms(record.began_wall_ms)).member("event", "call");
  json.member("id", record.id).member("key", record.key).member("route", record.route).member("model", record.model);
  if (record.asked != record.model)
    json.member("asked", record.asked);
  member_if(json, "target", record.target());
  json.member("result", call_result_name(record.result)).key("status").integer(record.status);
  member_if(json, "error", record.error);
  json.member_boolean("stream", record.stream).key("ms").raw(thousandths(record.took_us));
  if (record.first_byte_us != 0)
    json.key("first_byte_ms").raw(thousandths(record.first_byte_us));
  json.member_uint("tries", record.tries.size());
  json.member_uint("input_tokens", record.input_tokens).member_uint("output_tokens", record.output_tokens);
  if (record.estimated)
    json.member_boolean("estimated", true);
  if (record.nano_usd != 0)
    json.key("usd").raw(dollars_text(record.nano_usd));
  if (record.cached)
    json.member_boolean("cached", true);
  if (record.replayed)
    json.member_boolean("replayed", true);
  member_if(json, "contract", record.contract);
  member_if(json, "mode", record.mode);
  if (!record.decision.empty()) {
    json.member("decision", record.decision).member_uint("findings", record.findings);
    json.member_uint("edits", record.edits);
  }
  if (record.stopped_early)
    json.member_boolean("stopped_early", true).member_uint("tokens_saved", record.tokens_saved);
  json.member("trace", trace_id_text(record.trace)).end_object();
  return out;
}

std::string text_line(const CallRecord& record) {
  std::string out = fmt::format("{} {} {} {} {}", utc_text_ms(record.began_wall_ms), record.id, record.key,
                                record.route, printable(record.asked));
  if (const std::string target = record.target(); !target.empty())
    out += " -> " + printable(target);
  out += fmt::format(" {} {} {} ms {}+{}{} tokens", record.status, call_result_name(record.result),
                     thousandths(record.took_us), record.input_tokens, record.output_tokens,
                     record.estimated ? " (estimated)" : "");
  if (record.nano_usd != 0)
    out += " $" + dollars_text(record.nano_usd);
  if (!record.error.empty())
    out += " " + printable(record.error);
  if (!record.contract.empty() || !record.decision.empty())
    out += fmt::format(" contract {} {}", printable(record.contract), record.decision);
  if (record.cached || record.replayed)
    out += record.cached ? " cached" : " replayed";
  return out;
}

}  // namespace

std::string log_line(const CallRecord& record, LogKind kind) {
  return kind == LogKind::json ? json_line(record) : text_line(record);
}

std::string refusal_line(std::string_view route, std::string_view key, int status, std::string_view code,
                         std::uint64_t wall_ms, LogKind kind) {
  if (kind != LogKind::json) {
    return fmt::format("{} refused {} {} {} {}", utc_text_ms(wall_ms), key.empty() ? "-" : key, printable(route),
                       status, code);
  }
  std::string out;
  json::Writer json(out);
  json.begin_object().member("time", utc_text_ms(wall_ms)).member("event", "refused");
  member_if(json, "key", key);
  json.member("route", route).key("status").integer(status).member("code", code).end_object();
  return out;
}

std::string event_line(std::string_view level, std::string_view event, std::string_view message, std::uint64_t wall_ms,
                       LogKind kind) {
  if (kind != LogKind::json)
    return fmt::format("{} {} {}: {}", utc_text_ms(wall_ms), level, event, printable(message));
  std::string out;
  json::Writer(out)
      .begin_object()
      .member("time", utc_text_ms(wall_ms))
      .member("level", level)
      .member("event", event)
      .member("message", message)
      .end_object();
  return out;
}

}  // namespace plumb::proxy
