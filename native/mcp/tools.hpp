// The tools that `plumb mcp` offers: check, explain, derive, lint, edits and samples. One array; each has the schema of
// its arguments and of its result. A result is an envelope (core/pipelines/tool_envelope.hpp) around the JSON that the
// command line writes too: {"result", "data", "action"}. An error is {"result": "error", "error", "action"}; arguments
// that break their schema get feedback, as `plumb check --format llm` writes it.
//
//   for (const Tool& tool : tools()) ...
//   ToolAnswer answer = call_tool(tool, arguments, setting);
//
// Arguments are judged by the tool's own schema first. Contracts are named as plumb.yaml names them, or given; no file
// is read that a caller names. Nothing is fetched.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "core/json/value.hpp"
#include "native/config/config_file.hpp"

namespace plumb::mcp {

// Contracts by their names, besides the built-in ones.
using NamedTexts = std::map<std::string, std::string, std::less<>>;
// The types of `artifacts` of plumb.yaml.
Result<NamedTexts> named_texts(const plumb::ConfigFile& config);

struct ToolSetting {
  const NamedTexts& named;
  std::uint64_t hash_seed = 0;
  std::uint64_t steps_max = 0;  // of one call; 0: no bound
};

struct ToolAnswer {
  std::string text;  // JSON
  bool is_error = false;
};

struct ToolCall {
  std::string_view text;  // the arguments
  const json::Value& arguments;
  const ToolSetting& setting;
};

struct Tool {
  std::string_view name, title, description;
  std::string_view input, output;  // schemas
  ToolAnswer (*call)(const ToolCall& call);
};
std::span<const Tool> tools();
const Tool* tool_named(std::string_view name);

// `arguments`: the text of an object.
ToolAnswer call_tool(const Tool& tool, std::string_view arguments, const ToolSetting& setting);

}  // namespace plumb::mcp
