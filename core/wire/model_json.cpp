#include "core/wire/model_json.hpp"

#include <array>
#include <utility>

#include "core/json/pointer.hpp"
#include "core/json/writer.hpp"
#include "core/wire/reply_state.hpp"

namespace plumb::wire {

namespace {

Error refused(std::string_view message, std::string where) {
  return Error{ErrorCode::invalid_argument, std::string(message), std::move(where), 0, 0};
}

std::string step(std::string where, std::string_view name) {
  json::append_token(where, name);
  return where;
}

std::string step(std::string where, std::size_t index) {
  json::append_token(where, index);
  return where;
}

// A member that is a text when it is there.
Result<bool> read_text(const json::Value& object, std::string_view name, const std::string& where, std::string& out) {
  const json::Value* const value = object.find(name);
  if (value == nullptr) {
    return true;
  }
  if (!value->is(json::Kind::string)) {
    return refused("This is no text", step(where, name));
  }
  out = value->str();
  return true;
}

bool role_of(std::string_view name, Role& role) {
  for (const Role one : {Role::system, Role::user, Role::assistant, Role::tool}) {
    if (role_name(one) == name) {
      role = one;
      return true;
    }
  }
  return false;
}

Result<Part> read_part(const json::Value& value, const std::string& where) {
  Part part;
  const std::string_view type = text_member(value, "type");
  std::string_view text_name;
  if (type == "text") {
    text_name = "text";
  } else if (type == "image" && value.find("url") != nullptr) {
    part.kind = PartKind::image_url;
    text_name = "url";
  } else if (type == "image") {
    part.kind = PartKind::image_data;
    part.media_type = text_member(value, "media_type");
    text_name = "data";
  } else {
    return refused("A part of a message is of type text or image", step(where, "type"));
  }
  const json::Value* const text = value.find(text_name);
  if (text == nullptr || !text->is(json::Kind::string)) {
    return refused("This part has no text or data", step(where, text_name));
  }
  part.text = text->str();
  return part;
}

Result<Message> read_message(const json::Value& value, const std::string& where) {
  Message message;
  if (!role_of(text_member(value, "role"), message.role)) {
    return refused("A role is system, user, assistant or tool", step(where, "role"));
  }
  const json::Value* const content = value.find("content");
  if (content != nullptr && content->is(json::Kind::string)) {
    message.content.push_back({PartKind::text, std::string(content->str()), {}});
  } else if (content != nullptr && content->is(json::Kind::array)) {
    const std::string parts = step(where, "content");
    for (const json::Value& part : content->array()) {
      Result<Part> read = read_part(part, step(parts, message.content.size()));
      if (!read) {
        return read.error();
      }
      message.content.push_back(std::move(read).value());
    }
  } else if (content != nullptr && !content->is(json::Kind::null)) {
    return refused("A message's content is a text or a list of parts", step(where, "content"));
  }
  if (const json::Value* const calls = value.find("calls")) {
    for (const json::Value& call : calls->array()) {
      const json::Value* const arguments = call.find("arguments");
      const bool text = arguments != nullptr && arguments->is(json::Kind::string);
      ToolCall read;
      read.id = text_member(call, "id");
      read.name = text_member(call, "name");
      read.arguments = text ? std::string(arguments->str()) : arguments == nullptr ? "" : json::value_text(*arguments);
      message.calls.push_back(std::move(read));
    }
  }
  message.call_id = text_member(value, "call_id");
  message.tool_name = text_member(value, "tool_name");
  return message;
}

Result<bool> read_messages(const json::Value& request, ModelRequest& out) {
  const json::Value* const messages = request.find("messages");
  if (messages == nullptr || !messages->is(json::Kind::array)) {
    return refused("A model is asked with messages", "/messages");
  }
  for (const json::Value& message : messages->array()) {
    Result<Message> read = read_message(message, step("/messages", out.messages.size()));
    if (!read) {
      return read.error();
    }
    out.messages.push_back(std::move(read).value());
  }
  return true;
}

Result<bool> read_tools(const json::Value& request, ModelRequest& out) {
  if (const json::Value* const tools = request.find("tools")) {
    for (const json::Value& tool : tools->array()) {
      const json::Value* const parameters = tool.find("parameters");
      const json::Value* const strict = tool.find("strict");
      Tool read;
      read.name = text_member(tool, "name");
      read.description = text_member(tool, "description");
      read.parameters = parameters == nullptr ? std::string() : json::value_text(*parameters);
      read.strict = strict != nullptr && strict->boolean;
      out.tools.push_back(std::move(read));
    }
  }
  const json::Value* const choice = request.find("tool_choice");
  if (choice == nullptr) {
    return true;
  }
  if (choice->is(json::Kind::object)) {
    out.tool_choice = ToolChoice::named;
    return read_text(*choice, "name", "/tool_choice", out.tool_choice_name);
  }
  const std::string_view word = choice->str();
  if (word != "auto" && word != "none" && word != "required") {
    return refused("A choice of tool is auto, none, required or an object with a name", "/tool_choice");
  }
  out.tool_choice = word == "auto" ? ToolChoice::automatic : word == "none" ? ToolChoice::none : ToolChoice::required;
  return true;
}

Result<bool> read_format(const json::Value& request, ModelRequest& out) {
  const json::Value* const format = request.find("format");
  if (format == nullptr) {
    return true;
  }
  if (format->str() == "json") {
    out.format.kind = FormatKind::json;
    return true;
  }
  const json::Value* const schema = format->find("schema");
  if (schema == nullptr) {
    return refused(R"(A format is "json" or an object with a schema)", "/format");
  }
  const json::Value* const strict = format->find("strict");
  out.format.kind = FormatKind::schema;
  out.format.schema = json::value_text(*schema);
  out.format.strict = strict != nullptr && strict->boolean;
  return read_text(*format, "name", "/format", out.format.name);
}

Result<bool> read_settings(const json::Value& request, ModelRequest& out) {
  if (const json::Value* const temperature = request.find("temperature")) {
    if (!temperature->is(json::Kind::number)) {
      return refused("A temperature must be a number", "/temperature");
    }
    out.temperature = temperature->str();
  }
  if (request.find("output_tokens_max") != nullptr &&
      (!uint_member(request, "output_tokens_max", out.output_tokens_max) || out.output_tokens_max == 0)) {
    return refused("A limit of tokens is an integer from 1 on", "/output_tokens_max");
  }
  if (const json::Value* const stop = request.find("stop")) {
    for (const json::Value& word : stop->array()) {
      if (!word.is(json::Kind::string)) {
        return refused("This is no text", step("/stop", out.stop.size()));
      }
      out.stop.emplace_back(word.str());
    }
  }
  if (const json::Value* const stream = request.find("stream")) {
    out.stream = stream->boolean;
  }
  if (const json::Value* const parallel = request.find("calls_in_parallel")) {
    out.calls_in_parallel = !parallel->is(json::Kind::boolean) || parallel->boolean;
  }
  if (const json::Value* const extra = request.find("extra")) {
    for (const json::Member& member : extra->object()) {
      out.extra.push_back({std::string(member.key), json::value_text(member.value)});
    }
  }
  return true;
}

void write_calls(json::Writer& json, const std::vector<ToolCall>& calls) {
  json.key("calls").begin_array();
  for (const ToolCall& call : calls) {
    json.begin_object().member("id", call.id).member("name", call.name).member("arguments", call.arguments);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

Result<ModelRequest> read_model_request(const json::Value& request) {
  if (!request.is(json::Kind::object)) {
    return refused("What a model is asked is an object", "");
  }
  ModelRequest out;
  Result<bool> fine = read_text(request, "phase", "", out.phase);
  if (fine) {
    fine = read_text(request, "model", "", out.model);
  }
  constexpr std::array readers = {read_messages, read_tools, read_format, read_settings};
  for (const auto reader : readers) {
    if (fine) {
      fine = reader(request, out);
    }
  }
  if (!fine) {
    return fine.error();
  }
  return out;
}

void append_model_reply(std::string& out, const ModelReply& reply) {
  json::Writer json(out);
  json.begin_object().member("text", reply.text).member("finish", finish_name(reply.finish));
  if (!reply.model.empty()) {
    json.member("model", reply.model);
  }
  if (!reply.refusal.empty()) {
    json.member("refusal", reply.refusal);
  }
  if (!reply.thinking.empty()) {
    json.member("thinking", reply.thinking);
  }
  if (!reply.calls.empty()) {
    write_calls(json, reply.calls);
  }
  if (reply.usage.known) {
    const Usage& usage = reply.usage;
    json.key("usage").begin_object().member_uint("input_tokens", usage.input_tokens);
    json.member_uint("output_tokens", usage.output_tokens);
    if (usage.cached_tokens != 0) {
      json.member_uint("cached_tokens", usage.cached_tokens);
    }
    if (usage.cache_written_tokens != 0) {
      json.member_uint("cache_written_tokens", usage.cache_written_tokens);
    }
    if (usage.reasoning_tokens != 0) {
      json.member_uint("reasoning_tokens", usage.reasoning_tokens);
    }
    json.end_object();
  }
  json.end_object();
}

}  // namespace plumb::wire
