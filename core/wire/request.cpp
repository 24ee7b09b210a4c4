#include "core/wire/request.hpp"

#include <array>
#include <span>

#include "core/ascii.hpp"
#include "core/json/number_text.hpp"
#include "core/json/pointer.hpp"

namespace plumb::wire {

namespace {

constexpr std::size_t schema_name_max = 64;

Error refused(std::string message, std::string where) {
  return Error{ErrorCode::invalid_argument, std::move(message), std::move(where), 0, 0};
}

std::string place(std::string_view first, std::size_t index, std::string_view rest) {
  std::string where(first);
  json::append_token(where, index);
  where += rest;
  return where;
}

// The text is one JSON value, of this kind.
Result<bool> check_json(std::string_view text, json::Kind kind, std::string_view what, std::string where) {
  json::Arena arena;
  const Result<json::Value> value = json::parse(text, arena);
  if (value && value.value().is(kind)) {
    return true;
  }
  std::string message(what);
  message += kind == json::Kind::number ? " is no number" : " is no JSON object";
  if (!value) {
    message += ": ";
    message += value.error().message;
  }
  return refused(message, std::move(where));
}

// The members that each wire writes from the request; `extra` may not write them again.
constexpr std::array<std::string_view, 12> openai_members = {
    "model",           "messages",      "tools",      "tool_choice",           "parallel_tool_calls",
    "response_format", "temperature",   "max_tokens", "max_completion_tokens", "stop",
    "stream",          "stream_options"};
constexpr std::array<std::string_view, 9> anthropic_members = {
    "model", "messages", "system", "tools", "tool_choice", "temperature", "max_tokens", "stop_sequences", "stream"};
constexpr std::array<std::string_view, 5> ollama_members = {"model", "messages", "tools", "format", "stream"};

constexpr std::array<std::string_view, 9> responses_members = {
    "model", "input", "tools", "tool_choice", "parallel_tool_calls", "text", "temperature", "max_output_tokens",
    "stream"};

std::span<const std::string_view> members_of(Wire wire) {
  switch (wire) {
    case Wire::openai:
      return openai_members;
    case Wire::anthropic:
      return anthropic_members;
    case Wire::responses:
      return responses_members;
    case Wire::ollama:
      break;
  }
  return ollama_members;
}

Result<bool> check_extra(Wire wire, const ModelRequest& request) {
  for (std::size_t i = 0; i < request.extra.size(); ++i) {
    const ExtraMember& member = request.extra[i];
    std::string where = "/extra";
    json::append_token(where, member.name);
    for (const std::string_view name : members_of(wire)) {
      if (member.name == name) {
        return refused("This member is written from the request itself", where);
      }
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (request.extra[j].name == member.name) {
        return refused("This member appears twice", where);
      }
    }
    json::Arena arena;
    const Result<json::Value> value = json::parse(member.json, arena);
    if (!value) {
      return refused("This member is no JSON: " + value.error().message, where);
    }
    if (wire == Wire::ollama && member.name == "options" && !value.value().is(json::Kind::object)) {
      return refused("Ollama's options are an object", where);
    }
  }
  return true;
}

Result<bool> check_tools(const ModelRequest& request) {
  bool named = false;
  for (std::size_t i = 0; i < request.tools.size(); ++i) {
    const Tool& tool = request.tools[i];
    if (tool.name.empty()) {
      return refused("A tool has no name", place("/tools", i, "/name"));
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (request.tools[j].name == tool.name) {
        return refused("Two tools have this name", place("/tools", i, "/name"));
      }
    }
    named = named || tool.name == request.tool_choice_name;
    if (!tool.parameters.empty()) {
      const Result<bool> fine =
          check_json(tool.parameters, json::Kind::object, "A tool's schema", place("/tools", i, "/parameters"));
      if (!fine) {
        return fine.error();
      }
    }
  }
  if (request.tool_choice == ToolChoice::named && !named) {
    return refused("No tool has the name that is chosen", "/tool_choice");
  }
  return true;
}

Result<bool> check_messages(const ModelRequest& request) {
  if (request.messages.empty()) {
    return refused("There is no message", "/messages");
  }
  for (std::size_t i = 0; i < request.messages.size(); ++i) {
    const Message& message = request.messages[i];
    if (message.role == Role::tool && message.call_id.empty() && message.tool_name.empty()) {
      return refused("A tool's message does not say which call it answers", place("/messages", i, "/call_id"));
    }
    for (const Part& part : message.content) {
      if (part.kind == PartKind::image_data && part.media_type.empty()) {
        return refused("An image has no media type", place("/messages", i, "/content"));
      }
      if (part.kind != PartKind::text && message.role != Role::user) {
        return refused("Only a message of the user may have images", place("/messages", i, "/content"));
      }
    }
  }
  return true;
}

Result<bool> check_request(Wire wire, const ModelRequest& request) {
  if (request.model.empty()) {
    return refused("No model is named", "/model");
  }
  Result<bool> fine = check_messages(request);
  if (fine) {
    fine = check_tools(request);
  }
  if (fine && request.format.kind == FormatKind::schema) {
    fine = check_json(request.format.schema, json::Kind::object, "The answer's schema", "/format/schema");
  }
  if (fine && !request.temperature.empty()) {
    fine = check_json(request.temperature, json::Kind::number, "The temperature", "/temperature");
  }
  return fine ? check_extra(wire, request) : fine;
}

}  // namespace

std::string schema_name(const ModelRequest& request) {
  std::string name;
  bool any = false;
  for (const char c : request.format.name) {
    const bool kept = ascii::is_word(c) || c == '-';
    if (name.size() < schema_name_max) {
      name.push_back(kept ? c : '_');
    }
    any = any || kept;
  }
  return any ? name : std::string("answer");
}

std::string structured_tool(Wire wire, const ModelRequest& request) {
  const bool tool = wire == Wire::anthropic || (wire == Wire::ollama && request.format.as_tool);
  return tool && request.format.kind == FormatKind::schema ? schema_name(request) : std::string();
}

std::string message_text(const Message& message) {
  std::string text;
  for (const Part& part : message.content) {
    if (part.kind == PartKind::text) {
      text += part.text;
    }
  }
  return text;
}

Result<std::string> request_body(Wire wire, const ModelRequest& request, const RequestOptions& options) {
  const Result<bool> fine = check_request(wire, request);
  if (!fine) {
    return fine.error();
  }
  std::string body;
  json::Writer json(body);
  json.begin_object().member("model", request.model);
  if (wire == Wire::openai) {
    write_openai_request(json, request, options);
  } else if (wire == Wire::responses) {
    write_responses_request(json, request);
  } else {
    const Result<bool> written =
        wire == Wire::anthropic ? write_anthropic_request(json, request, options) : write_ollama_request(json, request);
    if (!written) {
      return written.error();
    }
  }
  for (const ExtraMember& member : request.extra) {
    if (wire != Wire::ollama || member.name != "options") {
      json.key(member.name).raw(member.json);
    }
  }
  json.end_object();
  if (body.size() > options.body_bytes_max) {
    std::string message = "The request is longer than ";
    json::append_uint(message, options.body_bytes_max);
    message += " bytes";
    return Error{ErrorCode::limit, message, "", 0, 0};
  }
  return body;
}

}  // namespace plumb::wire
