#include "core/json/pointer.hpp"
#include "core/wire/request.hpp"
#include "core/wire/strict_schema.hpp"

namespace plumb::wire {

namespace {

constexpr std::string_view answer_description = "Gives the answer. Call it once, with the whole answer.";

std::string_view anthropic_role(Role role) { return role == Role::assistant ? "assistant" : "user"; }

void write_part(json::Writer& json, const Part& part) {
  if (part.kind == PartKind::text) {
    if (!part.text.empty()) {  // which is refused there
      json.begin_object().member("type", "text").member("text", part.text).end_object();
    }
    return;
  }
  json.begin_object().member("type", "image").key("source").begin_object();
  if (part.kind == PartKind::image_url) {
    json.member("type", "url").member("url", part.text);
  } else {
    json.member("type", "base64").member("media_type", part.media_type).member("data", part.text);
  }
  json.end_object().end_object();
}

Result<bool> write_blocks(json::Writer& json, const Message& message, std::size_t index) {
  if (message.role == Role::tool) {
    json.begin_object().member("type", "tool_result").member("tool_use_id", message.call_id);
    json.member("content", message_text(message)).end_object();
    return true;
  }
  for (const Part& part : message.content) {
    write_part(json, part);
  }
  for (std::size_t i = 0; i < message.calls.size(); ++i) {
    const ToolCall& call = message.calls[i];
    json::Arena arena;
    const std::string_view arguments = call.arguments.empty() ? std::string_view("{}") : call.arguments;
    const Result<json::Value> value = json::parse(arguments, arena);
    if (!value || !value.value().is(json::Kind::object)) {
      std::string where = "/messages";
      json::append_token(where, index);
      where += "/calls";
      json::append_token(where, i);
      where += "/arguments";
      return Error{ErrorCode::invalid_argument, "Anthropic takes only arguments that are a JSON object", where, 0, 0};
    }
    json.begin_object().member("type", "tool_use").member("id", call.id).member("name", call.name);
    json.key("input").raw(arguments).end_object();
  }
  return true;
}

bool says_something(const Message& message) {
  if (message.role == Role::tool || !message.calls.empty()) {
    return true;
  }
  for (const Part& part : message.content) {
    if (!part.text.empty()) {
      return true;
    }
  }
  return false;
}

void write_system(json::Writer& json, const ModelRequest& request) {
  std::string system;
  for (const Message& message : request.messages) {
    if (message.role == Role::system && says_something(message)) {
      system += system.empty() ? "" : "\n\n";
      system += message_text(message);
    }
  }
  if (!system.empty()) {
    json.member("system", system);
  }
}

Result<bool> write_messages(json::Writer& json, const ModelRequest& request) {
  std::string_view open;  // the role of the message being written
  json.key("messages").begin_array();
  for (std::size_t i = 0; i < request.messages.size(); ++i) {
    const Message& message = request.messages[i];
    if (message.role == Role::system || !says_something(message)) {
      continue;
    }
    const std::string_view role = anthropic_role(message.role);
    if (role != open) {
      if (!open.empty()) {
        json.end_array().end_object();
      }
      json.begin_object().member("role", role).key("content").begin_array();
      open = role;
    }
    const Result<bool> written = write_blocks(json, message, i);
    if (!written) {
      return written.error();
    }
  }
  if (open.empty()) {
    return Error{ErrorCode::invalid_argument, "Anthropic needs a message that is not of the system and not empty",
                 "/messages", 0, 0};
  }
  json.end_array().end_object().end_array();
  return true;
}

// Anthropic insists on `type: object` at the top of a tool's schema.
Result<bool> write_object_schema(json::Writer& json, std::string_view schema, std::string_view where) {
  json::Arena arena;
  const Result<json::Value> read = json::parse(schema, arena);
  const json::Value* const type = read ? read.value().find("type") : nullptr;
  if (type != nullptr && type->str() != "object") {
    return Error{ErrorCode::invalid_argument, "Anthropic takes only schemas of an object", std::string(where), 0, 0};
  }
  json.key("input_schema").begin_object().member("type", "object");
  for (const json::Member& member : read.value().object()) {
    if (member.key != "type") {
      json.key(member.key).value(member.value);
    }
  }
  json.end_object();
  return true;
}

Result<bool> write_tools(json::Writer& json, const ModelRequest& request, std::string_view answer) {
  json.key("tools").begin_array();
  for (std::size_t i = 0; i < request.tools.size(); ++i) {
    const Tool& tool = request.tools[i];
    std::string where = "/tools";
    json::append_token(where, i);
    if (tool.name == answer) {
      return Error{ErrorCode::invalid_argument, "A tool has the name of the answer's schema", where, 0, 0};
    }
    json.begin_object().member("name", tool.name);
    if (!tool.description.empty()) {
      json.member("description", tool.description);
    }
    const std::string_view parameters = tool.parameters.empty() ? std::string_view("{}") : tool.parameters;
    const Result<bool> written = write_object_schema(json, parameters, where + "/parameters");
    if (!written) {
      return written.error();
    }
    if (tool.strict && takes_strict(Wire::anthropic, parameters)) {
      json.member_boolean("strict", true);
    }
    json.end_object();
  }
  if (!answer.empty()) {
    json.begin_object().member("name", answer).member("description", answer_description);
    const Result<bool> written = write_object_schema(json, request.format.schema, "/format/schema");
    if (!written) {
      return written.error();
    }
    if (request.format.strict && takes_strict(Wire::anthropic, request.format.schema)) {
      json.member_boolean("strict", true);
    }
    json.end_object();
  }
  json.end_array();
  return true;
}

void write_tool_choice(json::Writer& json, const ModelRequest& request, std::string_view answer) {
  const bool only_answer = request.tools.empty() || request.tool_choice == ToolChoice::none;
  if (!answer.empty() && only_answer) {
    json.key("tool_choice").begin_object().member("type", "tool").member("name", answer);
    json.member_boolean("disable_parallel_tool_use", true).end_object();
    return;
  }
  std::string_view type;
  switch (request.tool_choice) {
    case ToolChoice::automatic:
      type = !answer.empty() ? "any" : request.calls_in_parallel ? "" : "auto";
      break;
    case ToolChoice::none:
      type = "none";
      break;
    case ToolChoice::required:
      type = "any";
      break;
    case ToolChoice::named:
      type = "tool";
      break;
  }
  if (!type.empty()) {
    json.key("tool_choice").begin_object().member("type", type);
    if (request.tool_choice == ToolChoice::named) {
      json.member("name", request.tool_choice_name);
    }
    if (!request.calls_in_parallel && request.tool_choice != ToolChoice::none) {
      json.member_boolean("disable_parallel_tool_use", true);
    }
    json.end_object();
  }
}

}  // namespace

Result<bool> write_anthropic_request(json::Writer& json, const ModelRequest& request, const RequestOptions& options) {
  json.member_uint("max_tokens",
                   request.output_tokens_max != 0 ? request.output_tokens_max : options.anthropic_tokens_max);
  write_system(json, request);
  const Result<bool> messages = write_messages(json, request);
  if (!messages) {
    return messages.error();
  }
  const std::string answer = structured_tool(Wire::anthropic, request);
  if (!request.tools.empty() || !answer.empty()) {
    const Result<bool> tools = write_tools(json, request, answer);
    if (!tools) {
      return tools.error();
    }
    write_tool_choice(json, request, answer);
  }
  if (!request.temperature.empty()) {
    json.key("temperature").raw(request.temperature);
  }
  if (!request.stop.empty()) {
    json.key("stop_sequences").begin_array();
    for (const std::string& stop : request.stop) {
      json.string(stop);
    }
    json.end_array();
  }
  json.member_boolean("stream", request.stream);
  return true;
}

}  // namespace plumb::wire
