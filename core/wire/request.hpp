// Writing what a provider is asked, from a neutral request.
//
//   Result<std::string> body = request_body(Wire::anthropic, request, options);
//   ReplyOptions reply_options;
//   reply_options.structured_tool = structured_tool(Wire::anthropic, request);
//
// What a provider cannot be asked is an error that says so (an image by address for Ollama, arguments that are no
// object for Anthropic), never left out in silence. `where` of an error is a pointer into the request as JSON
// (core/wire/model_json.hpp).
//
// - Anthropic takes system messages beside the conversation, and messages of one role that follow each other as one.
//   A schema becomes a tool that the model must call; where the request has tools of its own, it must call one of
//   these.
// - `strict` is said only of a schema that the provider takes so (strict_schema.hpp); else it refuses the request.
// - Ollama takes a schema as `format`, or as a tool where `as_tool` says so; a choice of tool other than "auto" and
// "none" is refused.
// - Members of `extra` come at the end of the body; Ollama's `options` among them are joined with ours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/json/writer.hpp"
#include "core/result.hpp"
#include "core/wire/model.hpp"

namespace plumb::wire {

struct RequestOptions {
  // OpenAI's name for the token limit: its newer models want `max_completion_tokens`, other servers know `max_tokens`.
  bool completion_tokens = false;
  // What Anthropic, which insists on a limit, is told where the request has none.
  std::uint64_t anthropic_tokens_max = 4'096;
  std::size_t body_bytes_max = std::size_t{64} << 20;
};

Result<std::string> request_body(Wire wire, const ModelRequest& request, const RequestOptions& options = {});

// The tool that stands for a structured answer, with Anthropic and where Ollama is asked so; empty if there is none.
std::string structured_tool(Wire wire, const ModelRequest& request);

// For the files of this folder.

// The name of a schema as providers take it: at most 64 letters, digits, _ and -, others become _; "answer" where none
// is left.
std::string schema_name(const ModelRequest& request);
// All text of one message, parts after each other; none of it may be an image.
std::string message_text(const Message& message);
void write_openai_request(json::Writer& json, const ModelRequest& request, const RequestOptions& options);
// The tools as OpenAI and Ollama take them.
void write_function_tools(json::Writer& json, const std::vector<Tool>& tools);
Result<bool> write_anthropic_request(json::Writer& json, const ModelRequest& request, const RequestOptions& options);
void write_responses_request(json::Writer& json, const ModelRequest& request);
Result<bool> write_ollama_request(json::Writer& json, const ModelRequest& request);

}  // namespace plumb::wire
