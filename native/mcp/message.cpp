#include "native/mcp/message.hpp"

#include <algorithm>

#include "core/json/decimal.hpp"
#include "core/json/writer.hpp"

namespace plumb::mcp {

namespace {

Error no_message(std::string what) { return Error{ErrorCode::invalid_argument, std::move(what), "", 0, 0}; }

bool is_id(const json::Value& value) { return value.is(json::Kind::string) || value.is(json::Kind::number); }

void begin(std::string& out, std::string_view id) {
  out = R"({"jsonrpc":"2.0")";
  if (!id.empty()) {
    out.append(R"(,"id":)").append(id);
  }
}

}  // namespace

bool is_known_revision(std::string_view revision) {
  return std::find(revisions.begin(), revisions.end(), revision) != revisions.end();
}

// Revisions are dates: later ones have none either.
bool is_stateless(std::string_view revision) { return revision >= revisions.front(); }

std::string_view Message::slice(const json::Value& value) const {
  return text.substr(static_cast<std::size_t>(value.from), static_cast<std::size_t>(value.to - value.from));
}

const json::Value* Message::param(std::string_view name) const {
  return params == nullptr ? nullptr : params->find(name);
}

const json::Value* Message::in_result(std::string_view name) const {
  return result == nullptr ? nullptr : result->find(name);
}

std::string_view Message::meta(std::string_view name) const {
  const json::Value* meta = param("_meta");
  const json::Value* said = meta == nullptr ? nullptr : meta->find(name);
  return said == nullptr || !said->is(json::Kind::string) ? std::string_view() : said->str();
}

Result<Message> read_message(std::string_view text, json::Arena& arena, bool lenient) {
  if (text.size() > message_bytes_max) {
    return no_message("the message is too long");
  }
  Result<json::Value> read = json::parse(text, arena);
  if (!read) {
    return read.error();
  }
  const json::Value& root = read.value();
  if (root.is(json::Kind::array)) {
    return no_message("messages come one by one: no revision since 2025-06-18 has batches");
  }
  const json::Value* version = root.find("jsonrpc");
  if (version == nullptr || !version->is(json::Kind::string) || version->str() != "2.0") {
    return no_message("no message of JSON-RPC 2.0");
  }
  Message message;
  message.text = text;
  const json::Value* method = root.find("method");
  message.id = root.find("id");
  message.params = root.find("params");
  message.result = root.find("result");
  const json::Value* error = root.find("error");
  if (lenient && message.params != nullptr && message.params->is(json::Kind::null)) {
    message.params = nullptr;
  }
  if (message.id != nullptr && !is_id(*message.id) && (method != nullptr || !message.id->is(json::Kind::null))) {
    return no_message("'id' must be a text or a number");
  }
  if (method != nullptr) {
    if (!method->is(json::Kind::string) || message.result != nullptr || error != nullptr) {
      return no_message("a request has a 'method' and no 'result' or 'error'");
    }
    if (message.params != nullptr && !message.params->is(json::Kind::object)) {
      return no_message("'params' must be an object");
    }
    message.method = method->str();
    message.kind = message.id == nullptr ? MessageKind::notification : MessageKind::request;
    return message;
  }
  if ((message.result == nullptr) == (error == nullptr)) {
    return no_message("a response has either a 'result' or an 'error'");
  }
  if (message.result != nullptr && !lenient && (!message.result->is(json::Kind::object) || message.id == nullptr)) {
    return no_message("a 'result' must be an object, and say what it answers");
  }
  message.kind = MessageKind::response;
  return message;
}

// Clients compare numbers, and some make numbers of texts: 1, 1.0 and "1" are one id.
std::string id_key(const json::Value& id) {
  json::Decimal number;
  json::Arena arena;
  const Result<json::Value> read = json::parse(id.str(), arena);
  if (read && read.value().is(json::Kind::number) &&
      json::Decimal::read(read.value().str(), json::Decimal::exponent_max_default, number) == json::DecimalStatus::ok) {
    return "number " + number.canonical();
  }
  return "text " + std::string(id.str());
}

std::string error_message(std::string_view id, int code, std::string_view what, std::string_view data) {
  std::string out;
  begin(out, id);
  out += ",\"error\":";
  json::Writer json(out);
  json.begin_object();
  json.key("code").integer(code).member("message", what);
  if (!data.empty()) {
    json.key("data").raw(data);
  }
  json.end_object();
  return out + "}";
}

std::string result_message(std::string_view id, std::string_view result) {
  std::string out;
  begin(out, id);
  return out.append(",\"result\":").append(result).append("}");
}

std::string failed_call(std::string_view id, std::string_view text, bool stateless) {
  std::string result;
  json::Writer json(result);
  json.begin_object();
  if (stateless) {
    json.member("resultType", "complete");
  }
  json.key("content").begin_array().begin_object().member("type", "text").member("text", text).end_object().end_array();
  json.member_boolean("isError", true).end_object();
  return result_message(id, result);
}

}  // namespace plumb::mcp
