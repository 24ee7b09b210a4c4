#include "core/wire/request.hpp"
#include "core/wire/strict_schema.hpp"

namespace plumb::wire {

namespace {

void write_image(json::Writer& json, const Part& part) {
  std::string address;
  if (part.kind == PartKind::image_data) {
    address = "data:";
    address += part.media_type;
    address += ";base64,";
  }
  address += part.text;
  json.begin_object().member("type", "image_url").key("image_url");
  json.begin_object().member("url", address).end_object().end_object();
}

// One text is written as a text, all else as parts.
void write_content(json::Writer& json, const Message& message) {
  if (message.content.empty()) {
    if (message.calls.empty()) {
      json.string("");
    } else {
      json.null();
    }
    return;
  }
  if (message.content.size() == 1 && message.content.front().kind == PartKind::text) {
    json.string(message.content.front().text);
    return;
  }
  json.begin_array();
  for (const Part& part : message.content) {
    if (part.kind == PartKind::text) {
      json.begin_object().member("type", "text").member("text", part.text).end_object();
    } else {
      write_image(json, part);
    }
  }
  json.end_array();
}

void write_message(json::Writer& json, const Message& message) {
  json.begin_object().member("role", role_name(message.role)).key("content");
  write_content(json, message);
  if (!message.calls.empty()) {
    json.key("tool_calls").begin_array();
    for (const ToolCall& call : message.calls) {
      json.begin_object().member("id", call.id).member("type", "function").key("function").begin_object();
      json.member("name", call.name).member("arguments", call.arguments).end_object().end_object();
    }
    json.end_array();
  }
  if (message.role == Role::tool) {
    json.member("tool_call_id", message.call_id);
  }
  json.end_object();
}

void write_tool_choice(json::Writer& json, const ModelRequest& request) {
  switch (request.tool_choice) {
    case ToolChoice::automatic:
      return;
    case ToolChoice::none:
      json.member("tool_choice", "none");
      return;
    case ToolChoice::required:
      json.member("tool_choice", "required");
      return;
    case ToolChoice::named:
      json.key("tool_choice").begin_object().member("type", "function").key("function").begin_object();
      json.member("name", request.tool_choice_name).end_object().end_object();
  }
}

void write_format(json::Writer& json, const ModelRequest& request) {
  if (request.format.kind == FormatKind::text) {
    return;
  }
  json.key("response_format").begin_object();
  if (request.format.kind == FormatKind::json) {
    json.member("type", "json_object");
  } else {
    json.member("type", "json_schema").key("json_schema").begin_object();
    json.member("name", schema_name(request))
        .member_boolean("strict", request.format.strict && takes_strict(Wire::openai, request.format.schema));
    json.key("schema").raw(request.format.schema).end_object();
  }
  json.end_object();
}

}  // namespace

void write_function_tools(json::Writer& json, const std::vector<Tool>& tools) {
  json.key("tools").begin_array();
  for (const Tool& tool : tools) {
    json.begin_object().member("type", "function").key("function").begin_object().member("name", tool.name);
    if (!tool.description.empty()) {
      json.member("description", tool.description);
    }
    json.key("parameters").raw(tool.parameters.empty() ? R"({"type":"object","properties":{}})" : tool.parameters);
    if (tool.strict && takes_strict(Wire::openai, tool.parameters)) {
      json.member_boolean("strict", true);
    }
    json.end_object().end_object();
  }
  json.end_array();
}

void write_openai_request(json::Writer& json, const ModelRequest& request, const RequestOptions& options) {
  json.key("messages").begin_array();
  for (const Message& message : request.messages) {
    write_message(json, message);
  }
  json.end_array();
  if (!request.tools.empty()) {
    write_function_tools(json, request.tools);
    write_tool_choice(json, request);
    if (!request.calls_in_parallel) {
      json.member_boolean("parallel_tool_calls", false);
    }
  }
  write_format(json, request);
  if (!request.temperature.empty()) {
    json.key("temperature").raw(request.temperature);
  }
  if (request.output_tokens_max != 0) {
    json.member_uint(options.completion_tokens ? "max_completion_tokens" : "max_tokens", request.output_tokens_max);
  }
  if (!request.stop.empty()) {
    json.key("stop").begin_array();
    for (const std::string& stop : request.stop) {
      json.string(stop);
    }
    json.end_array();
  }
  json.member_boolean("stream", request.stream);
  if (request.stream) {
    json.key("stream_options").begin_object().member_boolean("include_usage", true).end_object();
  }
}

}  // namespace plumb::wire
