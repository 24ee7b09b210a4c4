#include "native/proxy/access_log.hpp"

#include <array>
#include <cstring>
#include <utility>

#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "native/base/bounded_text.hpp"
#include "native/base/concat.hpp"
#include "native/proxy/utc.hpp"

namespace plumb::proxy {

namespace {

// Thousandths of a unit as a JSON number: 12345 us are 12.345 ms.
std::string thousandths(std::uint64_t value) {
  const std::array<char, 4> fraction = fraction_text(value);
  return json::uint_text(value / 1000).append(fraction.data(), fraction.size());
}

void member_if(json::Writer& json, std::string_view name, std::string_view value) {
  if (!value.empty()) {
    json.member(name, value);
  }
}

// What a client sent must not break a line of text.
std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
  }
  return out;
}

// Members of an object whose names are this file's own and need no escapes: a line is written for every call, and the
// Writer of core/json takes some ten times as long.
class Line {
 public:
  explicit Line(std::size_t bytes_max) : out_(bytes_max) {}
  // What may hold anything.
  template <std::size_t Size>
  Line& text(const char (&name)[Size], std::string_view value) {
    escaped_.clear();
    json::append_string(escaped_, value);
    return raw(name, escaped_);
  }
  // Letters, digits and marks that stand for themselves.
  template <std::size_t Size>
  Line& word(const char (&name)[Size], std::string_view value) {
    begin(name);
    quoted(value.size(), [value](char* to) { value.copy(to, value.size()); });
    return *this;
  }
  template <std::size_t Size>
  Line& number(const char (&name)[Size], std::uint64_t value) {
    begin(name);
    out_.number(value);
    return *this;
  }
  template <std::size_t Size>
  Line& millis(const char (&name)[Size], std::uint64_t us) {
    const std::array<char, 4> fraction = fraction_text(us);
    number(name, us / 1000);
    out_.add({fraction.data(), fraction.size()});
    return *this;
  }
  template <std::size_t Size>
  Line& raw(const char (&name)[Size], std::string_view value) {
    begin(name);
    out_.add(value);
    return *this;
  }
  template <std::size_t Size>
  Line& yes(const char (&name)[Size], bool value = true) {
    return raw(name, value ? "true" : "false");
  }
  void trace(const TraceContext& context) {
    begin("trace");
    quoted(trace_id_bytes, [&context](char* to) { write_trace_id(to, context); });
  }
  std::string take() { return out_.add("}").take(); }

 private:
  template <std::size_t Size>
  void begin(const char (&name)[Size]) {
    char* const at = out_.space(Size + 3);
    at[0] = std::exchange(first_, false) ? '{' : ',';
    at[1] = '"';
    std::memcpy(at + 2, name, Size - 1);
    at[Size + 1] = '"';
    at[Size + 2] = ':';
  }
  template <class Write>
  void quoted(std::size_t size, Write write) {
    char* const at = out_.space(size + 2);
    at[0] = '"';
    write(at + 1);
    at[size + 1] = '"';
  }

  BoundedText out_;
  std::string escaped_;
  bool first_ = true;
};

// How long a line of this call can be: a byte of a text takes up to six.
std::size_t line_bytes_max(const CallRecord& record, std::string_view target) {
  constexpr std::size_t all_else = 1024;  // names, numbers and words of ours
  constexpr std::size_t escaped = 6;
  const std::string_view request_id = record.tries.empty() ? std::string_view() : record.tries.back().request_id;
  return all_else + record.id.size() + record.client.size() + record.route.size() + request_id.size() +
         record.mode.size() + record.decision.size() +
         escaped * (record.key.size() + record.model.size() + record.asked.size() + target.size() +
                    record.error.size() + record.contract.size());
}

std::string json_line(const CallRecord& record) {
  const std::string target = record.target();
  Line line(line_bytes_max(record, target));
  line.word("time", utc_text_ms(record.began_wall_ms)).raw("level", R"("info","event":"call")").word("id", record.id);
  if (!record.client.empty()) {
    line.word("client", record.client);
  }
  line.text("key", record.key).word("route", record.route).text("model", record.model);
  if (record.asked != record.model) {
    line.text("asked", record.asked);
  }
  if (!target.empty()) {
    line.text("target", target);
  }
  line.word("result", call_result_name(record.result)).number("status", static_cast<std::uint64_t>(record.status));
  if (!record.error.empty()) {
    line.text("error", record.error);
  }
  line.yes("stream", record.stream).millis("ms", record.took_us);
  if (record.first_byte_us != 0) {
    line.millis("first_byte_ms", record.first_byte_us);
  }
  line.number("tries", record.tries.size());
  if (!record.tries.empty() && !record.tries.back().request_id.empty()) {
    line.word("provider_request_id", record.tries.back().request_id);
  }
  line.number("input_tokens", record.input_tokens).number("output_tokens", record.output_tokens);
  if (record.estimated) {
    line.yes("estimated");
  }
  if (record.nano_usd != 0) {
    line.raw("usd", dollars_text(record.nano_usd));
  }
  if (record.replayed) {
    line.yes("replayed");
  }
  if (!record.contract.empty()) {
    line.text("contract", record.contract);
  }
  if (!record.mode.empty()) {
    line.word("mode", record.mode);
  }
  if (record.canary) {
    line.yes("canary");
  }
  if (!record.decision.empty()) {
    line.word("decision", record.decision).number("findings", record.findings).number("edits", record.edits);
  }
  if (record.judge.calls != 0) {
    line.number("judge_calls", record.judge.calls).number("judge_broken", record.judge.broken);
    line.number("judge_undecided", record.judge.open);
  }
  if (record.stopped_early) {
    line.yes("stopped_early").number("tokens_saved", record.tokens_saved);
  }
  line.trace(record.trace);
  return line.take();
}

std::string text_line(const CallRecord& record) {
  std::string out = concat(utc_text_ms(record.began_wall_ms), " info call: ", record.id, " ",
                           record.client.empty() ? "-" : record.client, " ", record.key, " ", record.route, " ",
                           printable(record.asked));
  if (const std::string target = record.target(); !target.empty()) {
    out += " -> " + printable(target);
  }
  out += concat(" ", record.status, " ", call_result_name(record.result), " ", thousandths(record.took_us), " ms ",
                record.input_tokens, "+", record.output_tokens, record.estimated ? " (estimated)" : "", " tokens");
  if (record.nano_usd != 0) {
    out += " $" + dollars_text(record.nano_usd);
  }
  if (!record.error.empty()) {
    out += " " + printable(record.error);
  }
  if (!record.contract.empty() || !record.decision.empty()) {
    out += concat(" contract ", printable(record.contract), " ", record.decision);
  }
  if (record.replayed) {
    out += " replayed";
  }
  return out;
}

}  // namespace

std::string log_line(const CallRecord& record, LogKind kind) {
  return kind == LogKind::json ? json_line(record) : text_line(record);
}

std::string refusal_line(const Refusal& refusal, std::uint64_t wall_ms, LogKind kind) {
  if (kind != LogKind::json) {
    const auto said = [](std::string_view text) { return text.empty() ? std::string("-") : printable(text); };
    return concat(utc_text_ms(wall_ms), " info refused: ", said(refusal.id), " ", said(refusal.client), " ",
                  said(refusal.key), " ", said(refusal.route), " ", refusal.status, " ", refusal.code);
  }
  std::string out;
  json::Writer json(out);
  json.begin_object().member("time", utc_text_ms(wall_ms)).member("level", "info").member("event", "refused");
  member_if(json, "id", refusal.id);
  member_if(json, "client", refusal.client);
  member_if(json, "key", refusal.key);
  json.member("route", refusal.route).key("status").integer(refusal.status).member("code", refusal.code).end_object();
  return out;
}

std::string event_line(std::string_view level, std::string_view event, std::string_view message, std::uint64_t wall_ms,
                       LogKind kind) {
  if (kind != LogKind::json) {
    return concat(utc_text_ms(wall_ms), " ", level, " ", event, ": ", printable(message));
  }
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
