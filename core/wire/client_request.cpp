#include "core/wire/client_request.hpp"

#include <array>
#include <span>
#include <utility>

#include "core/ascii.hpp"
#include "core/json/decimal.hpp"
#include "core/json/number_text.hpp"
#include "core/json/pointer.hpp"
#include "core/json/positions.hpp"
#include "core/json/writer.hpp"
#include "core/text/suggest.hpp"
#include "core/wire/client_scan.hpp"

namespace plumb::wire {

namespace {

constexpr int status_too_large = 413;
constexpr std::uint64_t attempts_most = 10;
constexpr std::uint64_t image_tokens = 1'600;
constexpr std::uint64_t message_tokens = 6;
constexpr std::size_t small_bytes_max = std::size_t{64} << 10;  // of settings that are read as trees

constexpr std::array<std::string_view, 7> plumb_members = {"contract", "mode",       "edits",  "attempts",
                                                           "on_error", "tokens_max", "context"};

Error placed(std::string_view body, std::size_t at, std::string message, std::string where) {
  Error error{ErrorCode::invalid_argument, std::move(message), std::move(where), 0, 0};
  const json::Place place = json::place_at(body, at);
  error.line = place.line;
  error.column = place.column;
  return error;
}

struct RequestReader {
  std::string_view body;
  const ClientLimits& limits;
  ClientRequest& out;

  Error wrong(const BodyRange& at, std::string message, std::string where) const {
    return placed(body, at.from, std::move(message), std::move(where));
  }
};

bool is_null(const RequestReader& in, const BodyRange& at) { return at.in(in.body) == "null"; }

// A small member as a tree. It is JSON, since the body is.
Result<json::Value> tree(const RequestReader& in, const BodyRange& at, std::size_t bytes_max, std::string where,
                         json::Arena& arena) {
  if (at.to - at.from > bytes_max) {
    std::string message = "This member is longer than ";
    json::append_uint(message, bytes_max);
    return in.wrong(at, message + " bytes", std::move(where));
  }
  Result<json::Value> value = json::parse(at.in(in.body), arena, {in.limits.depth_max, bytes_max});
  if (!value) {
    return in.wrong(at, value.error().message, std::move(where));
  }
  return value;
}

Result<bool> read_boolean(const RequestReader& in, const BodyRange& at, std::string_view where, bool& out) {
  const std::string_view text = at.in(in.body);
  if (text != "true" && text != "false" && text != "null") {
    return in.wrong(at, "This must be true or false", std::string(where));
  }
  out = text == "true";
  return true;
}

Result<bool> read_count(const RequestReader& in, const BodyRange& at, std::string_view where, std::uint64_t& out) {
  if (is_null(in, at)) {
    return true;
  }
  const std::string_view text = at.in(in.body);
  json::Decimal number;
  const bool is_number = text[0] == '-' || ascii::is_digit(text[0]);
  if (!is_number || json::Decimal::read(text, json::Decimal::exponent_max_default, number) != json::DecimalStatus::ok ||
      !number.to_uint64(out)) {
    return in.wrong(at, "This must be an integer of 0 or more", std::string(where));
  }
  return true;
}

Result<bool> read_temperature(const RequestReader& in, const BodyRange& at) {
  if (is_null(in, at)) {
    return true;
  }
  const std::string_view text = at.in(in.body);
  if (text[0] != '-' && (text[0] < '0' || text[0] > '9')) {
    return in.wrong(at, "A temperature must be a number", "/temperature");
  }
  return true;
}

Result<bool> read_model(const RequestReader& in, const BodyRange& at) {
  in.out.model_at = at;
  const std::string_view text = at.in(in.body);
  if (text.size() > 2 && text.size() <= small_bytes_max && text.front() == '"' &&
      text.find('\\') == std::string_view::npos) {
    in.out.model = text.substr(1, text.size() - 2);
    return true;
  }
  json::Arena arena;
  const Result<json::Value> value = tree(in, at, small_bytes_max, "/model", arena);
  if (!value || !value.value().is(json::Kind::string) || value.value().str().empty()) {
    return in.wrong(at, "The model must be a text: its name", "/model");
  }
  in.out.model = value.value().str();
  return true;
}

Result<bool> read_stream_options(const RequestReader& in, const BodyRange& at) {
  in.out.stream_options_at = at;
  json::Arena arena;
  const Result<json::Value> value = tree(in, at, small_bytes_max, "/stream_options", arena);
  if (!value) {
    return value.error();
  }
  if (!value.value().is(json::Kind::object) && !value.value().is(json::Kind::null)) {
    return in.wrong(at, "The options of a stream must be an object", "/stream_options");
  }
  const json::Value* const usage = value.value().find("include_usage");
  in.out.include_usage = usage != nullptr && usage->is(json::Kind::boolean) && usage->boolean;
  return true;
}

Result<bool> read_tool_choice(const RequestReader& in, const BodyRange& at) {
  in.out.tool_choice_at = at;
  if (in.out.wire != Wire::anthropic || is_null(in, at)) {
    return true;
  }
  json::Arena arena;
  const Result<json::Value> value = tree(in, at, small_bytes_max, "/tool_choice", arena);
  if (!value) {
    return value.error();
  }
  const json::Value* const one = value.value().find("disable_parallel_tool_use");
  in.out.calls_in_parallel = one == nullptr || !one->is(json::Kind::boolean) || !one->boolean;
  return true;
}

Error unknown_plumb_member(const RequestReader& in, std::string_view name, std::size_t at) {
  std::string message = "plumb has no member ";
  json::append_string(message, json::excerpt(name, 60));
  if (const auto near = text::nearest(name, plumb_members)) {
    message += "; did you mean ";
    message += plumb_members[*near];
    message += '?';
  } else {
    message += "; it has contract, mode, edits, attempts, on_error, tokens_max and context";
  }
  std::string where = "/plumb";
  json::append_token(where, name);
  return placed(in.body, at, std::move(message), std::move(where));
}

Result<bool> one_of(const RequestReader& in, const json::Value& value, std::size_t base, std::string_view name,
                    std::span<const std::string_view> allowed, std::string& out) {
  for (const std::string_view one : allowed) {
    if (value.is(json::Kind::string) && value.str() == one) {
      out = one;
      return true;
    }
  }
  std::string message = "This must be one of ";
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    message += i == 0 ? "" : ", ";
    message += allowed[i];
  }
  std::string where = "/plumb";
  json::append_token(where, name);
  return placed(in.body, base + static_cast<std::size_t>(value.from), std::move(message), std::move(where));
}

Result<bool> read_plumb_member(const RequestReader& in, const json::Member& member, std::size_t base) {
  static constexpr std::array<std::string_view, 3> modes = {"observe", "enforce", "hold-back"};
  static constexpr std::array<std::string_view, 2> endings = {"fail", "pass"};
  PlumbMember& plumb = in.out.plumb;
  const json::Value& value = member.value;
  const std::size_t at = base + static_cast<std::size_t>(value.from);
  std::string where = "/plumb";
  json::append_token(where, member.key);
  if (member.key == "contract") {
    if (value.is(json::Kind::object)) {
      plumb.schema = in.body.substr(at, static_cast<std::size_t>(value.to - value.from));
    } else if (value.is(json::Kind::string) && !value.str().empty()) {
      plumb.contract = value.str();
    } else {
      return placed(in.body, at, "A contract must be a name or a JSON Schema", where);
    }
    return true;
  }
  if (member.key == "mode") {
    return one_of(in, value, base, member.key, modes, plumb.mode);
  }
  if (member.key == "on_error") {
    return one_of(in, value, base, member.key, endings, plumb.on_error);
  }
  if (member.key == "edits" || member.key == "context") {
    (member.key == "edits" ? plumb.edits : plumb.context) =
        in.body.substr(at, static_cast<std::size_t>(value.to - value.from));
    return true;
  }
  if (member.key == "attempts" || member.key == "tokens_max") {
    std::uint64_t number = 0;
    if (!value.is(json::Kind::number) || !json::read_uint(value.str(), number)) {
      return placed(in.body, at, "This must be an integer of 0 or more", where);
    }
    if (member.key == "attempts" && number > attempts_most) {
      return placed(in.body, at, "At most 10 repairs can be asked for", where);
    }
    (member.key == "attempts" ? plumb.attempts : plumb.tokens_max) = number;
    return true;
  }
  return unknown_plumb_member(in, member.key, base + static_cast<std::size_t>(member.key_from));
}

Result<bool> read_plumb(const RequestReader& in, const BodyRange& at) {
  in.out.plumb_at = at;
  json::Arena arena;
  const Result<json::Value> value = tree(in, at, in.limits.plumb_bytes_max, "/plumb", arena);
  if (!value) {
    return value.error();
  }
  if (!value.value().is(json::Kind::object)) {
    return in.wrong(at, "plumb must be an object", "/plumb");
  }
  in.out.plumb.there = true;
  for (const json::Member& member : value.value().object()) {
    const Result<bool> read = read_plumb_member(in, member, at.from);
    if (!read) {
      return read.error();
    }
  }
  return true;
}

Result<bool> read_messages(const RequestReader& in, const BodyRange& at) {
  in.out.messages_at = at;
  if (in.out.wire == Wire::responses || in.out.wish == Wish::embeddings) {
    in.out.messages = in.out.messages == 0 ? 1 : in.out.messages;  // a text alone is one message
    return true;
  }
  if (in.body[at.from] != '[') {
    return in.wrong(at, "The messages must be a list", "/messages");
  }
  return true;
}

Result<bool> read_parallel(const RequestReader& in, const BodyRange& at) {
  bool parallel = true;
  Result<bool> read = read_boolean(in, at, "/parallel_tool_calls", parallel);
  in.out.calls_in_parallel = parallel || is_null(in, at);
  return read;
}

// A member that only the responses wire has. False: it is none of them.
Result<bool> read_response_member(const RequestReader& in, std::string_view key, const BodyRange& at, bool& known) {
  ClientRequest& out = in.out;
  known = true;
  if (key == "background") {
    return read_boolean(in, at, "/background", out.background);
  }
  if (key == "store") {
    Result<bool> read = read_boolean(in, at, "/store", out.stored);
    out.stored = out.stored || is_null(in, at);
    return read;
  }
  if (key == "conversation") {
    out.conversation = !is_null(in, at);
  } else if (key == "previous_response_id") {
    json::Arena arena;
    const Result<json::Value> value = tree(in, at, small_bytes_max, "/previous_response_id", arena);
    if (!value || (!value.value().is(json::Kind::string) && !is_null(in, at))) {
      return in.wrong(at, "This must be the id of a response", "/previous_response_id");
    }
    out.previous_response = value.value().str();
  } else if (key == "max_output_tokens") {
    return read_count(in, at, "/max_output_tokens", out.output_tokens_max);
  } else if (key == "text") {
    out.format_at = at;
  } else {
    known = false;
  }
  return true;
}

// Of Ollama's `options` only how much may be written. -1 and -2 stand for as much as there is.
Result<bool> read_options(const RequestReader& in, const BodyRange& at) {
  json::Arena arena;
  const Result<json::Value> value = tree(in, at, small_bytes_max, "/options", arena);
  if (!value) {
    return value.error();
  }
  if (!value.value().is(json::Kind::object) && !is_null(in, at)) {
    return in.wrong(at, "The options must be an object", "/options");
  }
  const json::Value* const most = value.value().find("num_predict");
  if (most != nullptr && (!json::read_uint(most->str(), in.out.output_tokens_max))) {
    in.out.output_tokens_max = 0;
  }
  return true;
}

// A member that only Ollama's clients have. False: it is none of them.
Result<bool> read_ollama_member(const RequestReader& in, std::string_view key, const BodyRange& at, bool& known) {
  known = true;
  if (key == "options") {
    return read_options(in, at);
  }
  if (key == "format") {
    in.out.format_at = at;
  } else if (key == "stream") {
    in.out.stream_at = at;
    Result<bool> read = read_boolean(in, at, "/stream", in.out.stream);
    in.out.stream = in.out.stream || is_null(in, at);
    return read;
  } else {
    known = false;
  }
  return true;
}

// A member that matters to all wires, or to this one.
Result<bool> read_member(const RequestReader& in, std::string_view key, const BodyRange& at) {
  ClientRequest& out = in.out;
  const bool openai = out.wire == Wire::openai;
  const bool responses = out.wire == Wire::responses;
  if (responses) {
    bool known = false;
    Result<bool> read = read_response_member(in, key, at, known);
    if (!read || known) {
      return read;
    }
  }
  if (out.wire == Wire::ollama) {
    bool known = key == "max_tokens" || key == "temperature";
    Result<bool> read = known ? Result<bool>(true) : read_ollama_member(in, key, at, known);
    if (!read || known) {
      return read;
    }
  }
  if (key == "model") {
    return read_model(in, at);
  }
  if (key == (responses || out.wish == Wish::embeddings ? "input" : "messages")) {
    return read_messages(in, at);
  }
  if (key == "stream") {
    out.stream_at = at;
    return read_boolean(in, at, "/stream", out.stream);
  }
  if (key == "plumb") {
    return read_plumb(in, at);
  }
  if (key == "temperature") {
    return read_temperature(in, at);
  }
  if (key == "tools") {
    out.tools_at = at;
  } else if (key == "tool_choice") {
    return read_tool_choice(in, at);
  } else if (!responses && (key == "max_tokens" || (openai && key == "max_completion_tokens"))) {
    std::uint64_t tokens = 0;
    Result<bool> read =
        read_count(in, at, openai && key != "max_tokens" ? "/max_completion_tokens" : "/max_tokens", tokens);
    out.output_tokens_max = tokens > out.output_tokens_max ? tokens : out.output_tokens_max;
    return read;
  } else if (openai && key == "stream_options") {
    return read_stream_options(in, at);
  } else if ((openai || responses) && key == "parallel_tool_calls") {
    return read_parallel(in, at);
  } else if (openai && key == "n") {
    return read_count(in, at, "/n", out.choices);
  } else if (openai ? key == "response_format" : !responses && (key == "output_config" || key == "output_format")) {
    out.format_at = at;
  }
  return true;
}

Error scan_error(std::string_view body, const ClientScan& scan) {
  return placed(body, scan.problem_at(), std::string("The body cannot be read: ") + scan.problem(), "");
}

void estimate(const ClientScan& scan, ClientRequest& out) {
  out.messages = scan.messages();
  out.images = scan.images();
  out.input_tokens_most = scan.ascii_bytes() / 3 + scan.other_bytes() * 2 / 3 + scan.images() * image_tokens +
                          scan.messages() * message_tokens + message_tokens;
}

}  // namespace

Result<ClientRequest> read_client_request(Wire wire, std::string_view body, const ClientLimits& limits, Wish wish) {
  if (body.size() > limits.body_bytes_max) {
    std::string message = "The body is longer than ";
    json::append_uint(message, limits.body_bytes_max);
    return Error{ErrorCode::limit, message + " bytes", "", 0, 0};
  }
  ClientScan scan(limits.hash_seed);
  json::Scanner<ClientScan> scanner(scan, limits.depth_max);
  if (!scanner.push(body.data(), body.size()) || !scanner.end() || scan.problem() != nullptr) {
    return scan_error(body, scan);
  }
  if (!scan.object()) {
    return placed(body, 0, "The body must be a JSON object", "");
  }
  ClientRequest out;
  out.wire = wire;
  out.wish = wish;
  out.stream = wire == Wire::ollama;  // unless it says no
  estimate(scan, out);
  const RequestReader in{body, limits, out};
  out.members.reserve(scan.members().size());
  for (const ClientScan::Top& member : scan.members()) {
    const BodyRange at{member.from, member.to};
    out.members.push_back({member.key_from, at});
    const Result<bool> read = read_member(in, member.key, at);
    if (!read) {
      return read.error();
    }
  }
  if (!out.model_at.there()) {
    return placed(body, 0, "The body names no model", "/model");
  }
  if (wish == Wish::embeddings && !out.messages_at.there()) {
    return placed(body, 0, "The body has no input", "/input");
  }
  // An answer may also go on from a response or a prompt that the provider keeps.
  if (wire != Wire::responses && (!out.messages_at.there() || out.messages == 0)) {
    return placed(body, out.messages_at.from, "The body has no messages", "/messages");
  }
  return out;
}

Failure failure_of_request(const Error& error) {
  std::string message = error.message;
  if (!error.where.empty()) {
    message += " (at " + error.where + ")";
  }
  if (error.line != 0) {
    message += " (line ";
    json::append_uint(message, error.line);
    message += ", column ";
    json::append_uint(message, error.column);
    message += ')';
  }
  Failure failure = make_failure(FailureClass::bad_request, message);
  failure.status = error.code == ErrorCode::limit ? status_too_large : 400;
  failure.code = error.code == ErrorCode::limit ? "request_too_large" : "invalid_request";
  return failure;
}

}  // namespace plumb::wire
