#include "core/json/pointer.hpp"
#include "core/wire/request.hpp"

namespace plumb::wire {

namespace {

Error refused(std::string_view message, std::string where) {
  return Error{ErrorCode::invalid_argument, std::string(message), std::move(where), 0, 0};
}

Result<bool> write_calls(json::Writer& json, const Message& message, const std::string& where) {
  json.key("tool_calls").begin_array();
  for (const ToolCall& call : message.calls) {
    json::Arena arena;
    const std::string_view arguments = call.arguments.empty() ? std::string_view("{}") : call.arguments;
    const Result<json::Value> value = json::parse(arguments, arena);
    if (!value || !value.value().is(json::Kind::object)) {
      return refused("Ollama takes only arguments that are a JSON object", where + "/calls");
    }
    json.begin_object();
    if (!call.id.empty()) {
      json.member("id", call.id);
    }
    json.key("function").begin_object().member("name", call.name).key("arguments").raw(arguments);
    json.end_object().end_object();
  }
  json.end_array();
  return true;
}

Result<bool> write_message(json::Writer& json, const Message& message, const std::string& where) {
  json.begin_object().member("role", role_name(message.role)).member("content", message_text(message));
  bool images = false;
  for (const Part& part : message.content) {
    if (part.kind == PartKind::image_url) {
      return refused("Ollama takes images as data, not by address", where + "/content");
    }
    images = images || part.kind == PartKind::image_data;
  }
  if (images) {
    json.key("images").begin_array();
    for (const Part& part : message.content) {
      if (part.kind == PartKind::image_data) {
        json.string(part.text);
      }
    }
    json.end_array();
  }
  if (!message.calls.empty()) {
    const Result<bool> written = write_calls(json, message, where);
    if (!written) {
      return written.error();
    }
  }
  if (message.role == Role::tool) {
    if (!message.tool_name.empty()) {
      json.member("tool_name", message.tool_name);
    }
    if (!message.call_id.empty()) {
      json.member("tool_call_id", message.call_id);
    }
  }
  json.end_object();
  return true;
}

const ExtraMember* extra_options(const ModelRequest& request) {
  for (const ExtraMember& member : request.extra) {
    if (member.name == "options") {
      return &member;
    }
  }
  return nullptr;
}

Result<bool> write_options(json::Writer& json, const ModelRequest& request) {
  const ExtraMember* const extra = extra_options(request);
  if (extra == nullptr && request.temperature.empty() && request.output_tokens_max == 0 && request.stop.empty()) {
    return true;
  }
  json.key("options").begin_object();
  if (!request.temperature.empty()) {
    json.key("temperature").raw(request.temperature);
  }
  if (request.output_tokens_max != 0) {
    json.member_uint("num_predict", request.output_tokens_max);
  }
  if (!request.stop.empty()) {
    json.key("stop").begin_array();
    for (const std::string& stop : request.stop) {
      json.string(stop);
    }
    json.end_array();
  }
  if (extra != nullptr) {
    json::Arena arena;
    const Result<json::Value> options = json::parse(extra->json, arena);
    for (const json::Member& member : options.value().object()) {
      const bool ours = (member.key == "temperature" && !request.temperature.empty()) ||
                        (member.key == "num_predict" && request.output_tokens_max != 0) ||
                        (member.key == "stop" && !request.stop.empty());
      if (ours) {
        std::string where = "/extra/options";
        json::append_token(where, member.key);
        return refused("This option is written from the request itself", where);
      }
      json.key(member.key).value(member.value);
    }
  }
  json.end_object();
  return true;
}

}  // namespace

Result<bool> write_ollama_request(json::Writer& json, const ModelRequest& request) {
  json.key("messages").begin_array();
  for (std::size_t i = 0; i < request.messages.size(); ++i) {
    std::string where = "/messages";
    json::append_token(where, i);
    const Result<bool> written = write_message(json, request.messages[i], where);
    if (!written) {
      return written.error();
    }
  }
  json.end_array();
  if (request.tool_choice == ToolChoice::required || request.tool_choice == ToolChoice::named) {
    return refused("Ollama cannot be made to call a tool", "/tool_choice");
  }
  if (!request.tools.empty() && !request.calls_in_parallel) {
    return refused("Ollama cannot be kept from calling several tools at once", "/calls_in_parallel");
  }
  std::vector<Tool> tools;
  if (request.tool_choice != ToolChoice::none) {
    tools = request.tools;
  }
  if (const std::string answer = structured_tool(Wire::ollama, request); !answer.empty()) {
    // It cannot be made to call it: the description asks it to.
    tools.push_back({answer, "Give your whole answer by calling this tool once.", request.format.schema, false});
  }
  if (!tools.empty()) {
    write_function_tools(json, tools);
  }
  if (request.format.kind == FormatKind::json) {
    json.member("format", "json");
  } else if (request.format.kind == FormatKind::schema && !request.format.as_tool) {
    json.key("format").raw(request.format.schema);
  }
  json.member_boolean("stream", request.stream);
  return write_options(json, request);
}

}  // namespace plumb::wire
