// Ollama's form of an answer: one JSON object, or a line of JSON for each piece and a last one that tells how it ended.
// A call of a tool comes in one piece, with arguments that are an object.

#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/wire/reply_writer.hpp"

namespace plumb::wire {

namespace {

void append_two(std::string& out, std::uint64_t number) {
  out += number < 10 ? "0" : "";
  json::append_uint(out, number);
}

// "2025-10-09T08:53:20Z": the civil date of days since 1970, by eras of 400 years.
std::string utc_text(std::uint64_t seconds) {
  const std::uint64_t days = seconds / 86'400 + 719'468;
  const std::uint64_t era = days / 146'097;
  const std::uint64_t day_of_era = days % 146'097;
  const std::uint64_t year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::uint64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::uint64_t shifted = (5 * day_of_year + 2) / 153;  // months from March
  const std::uint64_t month = shifted < 10 ? shifted + 3 : shifted - 9;
  std::string out = json::uint_text(year_of_era + era * 400 + (month <= 2 ? 1 : 0)) + "-";
  append_two(out, month);
  out += '-';
  append_two(out, day_of_year - (153 * shifted + 2) / 5 + 1);
  out += 'T';
  append_two(out, seconds / 3'600 % 24);
  out += ':';
  append_two(out, seconds / 60 % 60);
  out += ':';
  append_two(out, seconds % 60);
  return out + 'Z';
}

void write_head(json::Writer& json, const ReplyHead& head) {
  json.begin_object().member("model", head.model).member("created_at", utc_text(head.created_s));
}

Result<bool> write_calls(json::Writer& json, const ModelReply& reply) {
  json.key("tool_calls").begin_array();
  for (const ToolCall& call : reply.calls) {
    const Result<std::string_view> arguments = object_arguments(reply, call);
    if (!arguments) {
      return arguments.error();
    }
    json.begin_object();
    if (!call.id.empty()) {
      json.member("id", call.id);
    }
    json.key("function").begin_object().member("name", call.name).key("arguments").raw(arguments.value());
    json.end_object().end_object();
  }
  json.end_array();
  return true;
}

void write_end(json::Writer& json, const ModelReply& reply, std::string_view plumb) {
  json.member("done_reason", reply.finish == Finish::length ? "length" : "stop").member_boolean("done", true);
  json.member_uint("total_duration", 0).member_uint("load_duration", 0);
  if (reply.usage.known) {
    json.member_uint("prompt_eval_count", reply.usage.input_tokens).member_uint("prompt_eval_duration", 0);
    json.member_uint("eval_count", reply.usage.output_tokens).member_uint("eval_duration", 0);
  }
  if (!plumb.empty()) {
    json.key("plumb").raw(plumb);
  }
  json.end_object();
}

// The answer to a prompt, which has no tools.
void write_response(json::Writer& json, std::string_view text, std::string_view thinking) {
  json.member("response", text);
  if (!thinking.empty()) {
    json.member("thinking", thinking);
  }
}

}  // namespace

Result<bool> append_ollama_reply(std::string& out, const ModelReply& reply, const ReplyHead& head,
                                 std::string_view plumb) {
  json::Writer json(out);
  write_head(json, head);
  if (head.prompt) {
    write_response(json, reply.text + reply.refusal, reply.thinking);
    write_end(json, reply, plumb);
    return true;
  }
  json.key("message").begin_object().member("role", "assistant").member("content", reply.text + reply.refusal);
  if (!reply.thinking.empty()) {
    json.member("thinking", reply.thinking);
  }
  if (!reply.calls.empty()) {
    const Result<bool> written = write_calls(json, reply);
    if (!written) {
      return written.error();
    }
  }
  json.end_object();
  write_end(json, reply, plumb);
  return true;
}

void append_ollama_delta(std::string& out, const ModelDelta& delta, const ReplyHead& head) {
  if (delta.kind != DeltaKind::text && delta.kind != DeltaKind::thinking && delta.kind != DeltaKind::refusal) {
    return;  // a call comes whole in a piece of its own
  }
  json::Writer json(out);
  write_head(json, head);
  const bool thinking = delta.kind == DeltaKind::thinking;
  if (head.prompt) {
    write_response(json, thinking ? std::string_view() : delta.text, thinking ? delta.text : std::string_view());
    json.member_boolean("done", false).end_object();
    out += '\n';
    return;
  }
  json.key("message").begin_object().member("role", "assistant").member("content", thinking ? "" : delta.text);
  if (thinking) {
    json.member("thinking", delta.text);
  }
  json.end_object().member_boolean("done", false).end_object();
  out += '\n';
}

void append_ollama_end(std::string& out, const ModelReply& reply, const ReplyHead& head, std::string_view plumb) {
  if (head.prompt) {
    json::Writer last(out);
    write_head(last, head);
    write_response(last, {}, {});
    write_end(last, reply, plumb);
    out += '\n';
    return;
  }
  std::string calls;
  json::Writer piece(calls);
  write_head(piece, head);
  piece.key("message").begin_object().member("role", "assistant").member("content", "");
  if (!reply.calls.empty() && write_calls(piece, reply)) {
    piece.end_object().member_boolean("done", false).end_object();
    out += calls + '\n';
  }
  json::Writer json(out);
  write_head(json, head);
  json.key("message").begin_object().member("role", "assistant").member("content", "").end_object();
  write_end(json, reply, plumb);
  out += '\n';
}

}  // namespace plumb::wire
