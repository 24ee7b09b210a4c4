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

namespace plumb::wire {

// What a provider speaks.
enum class Wire : std::uint8_t {
  openai,     // chat completions: also vLLM, llama.cpp, LM Studio
  anthropic,  // messages
  ollama,     // chat
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

// A model's wish to call a tool. In streams the arguments grow.
struct ToolCall {
  std::string id;
  std::string name;
  std::string arguments;  // JSON as the model wrote it, which may be none
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
};

struct ExtraMember {
  std::string name, json;
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
  std::vector<ExtraMember> extra;  // members of the body that nothing above stands for
};

enum class Finish : std::uint8_t {
  none,  // not known: the answer is not over
  stop,
  length,  // the token limit was reached
  tool_calls,
  refusal,
  content_filter,
  other,
};
std::string_view finish_name(Finish finish);

struct Usage {
  bool known = false;
  std::uint64_t input_tokens = 0;  // all that was read, what came from a cache included
  std::uint64_t cached_tokens = 0;
  std::uint64_t cache_written_tokens = 0;
  std::uint64_t output_tokens = 0;  // all that was written, reasoning included
  std::uint64_t reasoning_tokens = 0;
};
bool operator==(const Usage& a, const Usage& b);

struct ModelReply {
  std::string id;     // the provider's
  std::string model;  // the one that answered
  std::string text;
  std::string thinking;
  std::string refusal;
  std::vector<ToolCall> calls;
  Finish finish = Finish::none;
  std::string finish_text;  // the provider's word for it
  Usage usage;
};

enum class DeltaKind : std::uint8_t {
  text,
  thinking,
  refusal,
  call_begin,      // `index`, `id` and `name`
  call_arguments,  // `index`; `text` is what is new
  finish,          // the reply says how
  usage,           // the reply says what
};

// One new thing in a stream. The texts live until the next one is asked for.
struct ModelDelta {
  DeltaKind kind = DeltaKind::text;
  std::uint32_t index = 0;  // of the call in ModelReply::calls
  std::string_view text;
  std::string_view id;
  std::string_view name;
};

}  // namespace plumb::wire
