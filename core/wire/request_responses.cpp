// A request as OpenAI's responses take it: for what a guard asks of a provider that the client asks so.
#include "core/wire/request.hpp"
#include "core/wire/strict_schema.hpp"

namespace plumb::wire {

namespace {

void write_part(json::Writer& json, const Part& part, Role role) {
  if (part.kind == PartKind::text) {
    json.begin_object().member("type", role == Role::assistant ? "output_text" : "input_text");
    json.member("text", part.text).end_object();
    return;
  }
  std::string address = part.text;
  if (part.kind == PartKind::image_data) {
    address.insert(0, "data:" + part.media_type + ";base64,");
  }
  json.begin_object().member("type", "input_image").member("image_url", address).end_object();
}

void write_message(json::Writer& json, const Message& message) {
  if (message.role == Role::tool) {
    json.begin_object().member("type", "function_call_output").member("call_id", message.call_id);
    json.member("output", message_text(message)).end_object();
    return;
  }
  if (!message.content.empty()) {
    json.begin_object().member("type", "message").member("role", role_name(message.role)).key("content").begin_array();
    for (const Part& part : message.content) {
      write_part(json, part, message.role);
    }
    json.end_array().end_object();
  }
  for (const ToolCall& call : message.calls) {
    json.begin_object().member("type", "function_call").member("call_id", call.id).member("name", call.name);
    json.member("arguments", call.arguments).end_object();
  }
}

void write_tools(json::Writer& json, const ModelRequest& request) {
  json.key("tools").begin_array();
  for (const Tool& tool : request.tools) {
    json.begin_object().member("type", "function").member("name", tool.name);
    if (!tool.description.empty()) {
      json.member("description", tool.description);
    }
    json.key("parameters").raw(tool.parameters.empty() ? R"({"type":"object","properties":{}})" : tool.parameters);
    json.member_boolean("strict", tool.strict && takes_strict(Wire::openai, tool.parameters)).end_object();
  }
  json.end_array();
  switch (request.tool_choice) {
    case ToolChoice::automatic:
      break;
    case ToolChoice::none:
    case ToolChoice::required:
      json.member("tool_choice", request.tool_choice == ToolChoice::none ? "none" : "required");
      break;
    case ToolChoice::named:
      json.key("tool_choice").begin_object().member("type", "function").member("name", request.tool_choice_name);
      json.end_object();
  }
  if (!request.calls_in_parallel) {
    json.member_boolean("parallel_tool_calls", false);
  }
}

void write_format(json::Writer& json, const ModelRequest& request) {
  if (request.format.kind == FormatKind::text) {
    return;
  }
  json.key("text").begin_object().key("format").begin_object();
  if (request.format.kind == FormatKind::json) {
    json.member("type", "json_object");
  } else {
    json.member("type", "json_schema").member("name", schema_name(request));
    json.member_boolean("strict", request.format.strict && takes_strict(Wire::openai, request.format.schema));
    json.key("schema").raw(request.format.schema);
  }
  json.end_object().end_object();
}

}  // namespace

void write_responses_request(json::Writer& json, const ModelRequest& request) {
  json.key("input").begin_array();
  for (const Message& message : request.messages) {
    write_message(json, message);
  }
  json.end_array();
  if (!request.tools.empty()) {
    write_tools(json, request);
  }
  write_format(json, request);
  if (!request.temperature.empty()) {
    json.key("temperature").raw(request.temperature);
  }
  if (request.output_tokens_max != 0) {
    json.member_uint("max_output_tokens", request.output_tokens_max);
  }
  json.member_boolean("stream", request.stream);
}

}  // namespace plumb::wire
