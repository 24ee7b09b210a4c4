// What the files of the translation share; see translate.hpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json/value.hpp"
#include "core/result.hpp"
#include "core/wire/model.hpp"

namespace plumb::wire {

struct Translation {
  Wire client;
  Wire upstream;
  ModelRequest out;
  std::vector<ExtraMember> ollama_options;  // gathered into one `options`
  std::vector<std::string> lost;

  // The call stays with its own wire: it is read for its sense, and nothing need be refused.
  bool same() const { return client == upstream; }
};

// Left out, which the client is told.
void lose(Translation& to, std::string_view what);
// "This cannot be carried to Anthropic: ..."
Error cannot_carry(const Translation& to, std::string_view what, std::string where);
Error not_understood(std::string_view message, std::string where);
std::string below(std::string where, std::string_view name);
std::string below(std::string where, std::size_t index);

// A member that is there and says something.
const json::Value* said(const json::Value& object, std::string_view name);

// An image by its address, which may hold the data.
Part image_part(std::string_view address);

// A message's text as it is written there: text, or a list of parts of which each is a text.
Result<bool> read_openai_messages(Translation& to, const json::Value& messages);
Result<bool> read_anthropic_messages(Translation& to, const json::Value& body);
Result<bool> read_openai_tools(Translation& to, const json::Value& body);
Result<bool> read_anthropic_tools(Translation& to, const json::Value& body);
Result<bool> read_responses_input(Translation& to, const json::Value& body);
Result<bool> read_responses_tools(Translation& to, const json::Value& body);
Result<bool> read_ollama_messages(Translation& to, const json::Value& messages);
// Each member of an Ollama client's body but model, stream, messages and tools.
Result<bool> read_ollama_member(Translation& to, std::string_view name, const json::Value& value);
// `name`: the member that asks for any JSON.
void lose_json_format(Translation& to, std::string_view name);
// `known`: it is one that only the responses wire has.
Result<bool> read_responses_setting(Translation& to, std::string_view name, const json::Value& value, bool& known);
Result<bool> read_format_member(Translation& to, std::string_view name, const json::Value& value);
// Each member of the body that no other file reads.
Result<bool> read_setting(Translation& to, std::string_view name, const json::Value& value);

}  // namespace plumb::wire
