// A model call without a provider: what is asked, what comes back whole, and what comes back piece by piece. The codecs
// of this folder turn these into what providers speak, and back.
//
//   ModelRequest request;
//   request.model = "qwen3:8b";
//   request.messages.push_back(text_message(Role::user, "Name three colours."));
//   request.format = {FormatKind::schema, "colours", schema_text, true};
//   Result<std::string> body = request_body(Wire::ollama, request);      // core/wire/request.hpp
//
// Whatever is JSON in here (schemas, arguments, a temperature, extra members) is text, passed on as it is written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/wire/model_reply.hpp"

namespace plumb::wire {

// What a provider speaks.
enum class Wire : std::uint8_t {
  openai,     // chat completions: also vLLM, llama.cpp, LM Studio
  anthropic,  // messages
  ollama,     // chat
  responses,  // OpenAI's responses: of clients, and of providers that have them beside chat completions
};
std::string_view wire_name(Wire wire);

enum class Role : std::uint8_t { system, user, assistant, tool };
std::string_view role_name(Role role);

enum class PartKind : std::uint8_t {
  text,
  image_data,  // base64 in `text`
  image_url,
};

struct Part {
  PartKind kind = PartKind::text;
  std::string text;
  std::string media_type;  // of image_data: "image/png"
};

struct Message {
  Role role = Role::user;
  std::vector<Part> content;
  std::vector<ToolCall> calls;  // of the assistant
  std::string call_id;          // of a tool: the call it answers
  std::string tool_name;        // of a tool
};
Message text_message(Role role, std::string text);

struct Tool {
  std::string name;
  std::string description;
  std::string parameters;  // JSON Schema
  bool strict = false;
};

enum class ToolChoice : std::uint8_t { automatic, none, required, named };

enum class FormatKind : std::uint8_t { text, json, schema };

struct ResponseFormat {
  FormatKind kind = FormatKind::text;
  std::string name;    // of a schema: letters, digits, _ and -
  std::string schema;  // JSON Schema
  bool strict = false;
  bool as_tool = false;  // of Ollama: a tool that the model is to call with its answer, in place of an enforced form
};

struct ModelRequest {
  std::string phase;  // for whoever chooses the provider; no provider sees it
  std::string model;
  std::vector<Message> messages;
  std::vector<Tool> tools;
  ToolChoice tool_choice = ToolChoice::automatic;
  std::string tool_choice_name;   // where `named`
  bool calls_in_parallel = true;  // an answer may have several calls of tools
  ResponseFormat format;
  std::string temperature;              // a JSON number; empty: the provider's own
  std::uint64_t output_tokens_max = 0;  // 0: the provider's own
  std::vector<std::string> stop;
  bool stream = false;
  std::vector<ExtraMember> extra;  // members of the body that nothing above represents
};

}  // namespace plumb::wire
