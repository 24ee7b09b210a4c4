#include "core/guard/guard_options.hpp"

#include <array>

#include "core/json/arena.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"

namespace plumb::guard {

namespace {

constexpr std::array<std::string_view, 3> mode_names = {"observe", "enforce", "hold-back"};
constexpr std::array<std::string_view, 2> on_error_names = {"fail", "pass"};
constexpr std::size_t name_max = 100;

std::string_view text_of(const json::Value* value) {
  return value != nullptr && value->is(json::Kind::string) ? value->str() : std::string_view();
}

std::string_view written(std::string_view text, const json::Value& value) {
  return text.substr(static_cast<std::size_t>(value.from), static_cast<std::size_t>(value.to - value.from));
}

PartContract compiled(std::string_view schema, std::string_view name, Mode mode, const CompileContract& compile) {
  PartContract out;
  out.name = json::excerpt(name, name_max);
  out.mode = mode;
  Result<std::shared_ptr<const contract::Contract>> contract = compile(schema, out.name);
  if (contract) {
    out.contract = contract.value();
  } else {
    out.reason = "its schema cannot be used: " + contract.error().message;
    if (!contract.error().where.empty()) {
      out.reason += " (at " + contract.error().where + ")";
    }
  }
  return out;
}

// The object that holds name and schema of a tool, or null where it is a tool of the provider's own.
const json::Value* function_of(const json::Value& tool, wire::Wire wire) {
  if (wire == wire::Wire::anthropic) {
    return tool.find("input_schema") == nullptr ? nullptr : &tool;
  }
  if (wire == wire::Wire::responses) {
    return text_of(tool.find("type")) == "function" ? &tool : nullptr;
  }
  const json::Value* const function = tool.find("function");
  return text_of(tool.find("type")) == "function" ? function : nullptr;
}

Error wrong(std::string message, std::string_view member) {
  return Error{ErrorCode::invalid_argument, std::move(message), "/plumb/" + std::string(member), 0, 0};
}

}  // namespace

std::string_view mode_name(Mode mode) { return mode_names[static_cast<std::size_t>(mode)]; }

std::optional<Mode> mode_named(std::string_view name) {
  for (std::size_t i = 0; i < mode_names.size(); ++i) {
    if (mode_names[i] == name) {
      return static_cast<Mode>(i);
    }
  }
  return std::nullopt;
}

std::string_view on_error_name(OnError on_error) { return on_error_names[static_cast<std::size_t>(on_error)]; }

std::optional<OnError> on_error_named(std::string_view name) {
  for (std::size_t i = 0; i < on_error_names.size(); ++i) {
    if (on_error_names[i] == name) {
      return static_cast<OnError>(i);
    }
  }
  return std::nullopt;
}

void add_tool_contracts(GuardOptions& options, std::string_view tools, wire::Wire wire, Mode mode,
                        const CompileContract& compile) {
  json::Arena arena;
  const Result<json::Value> list = json::parse(tools, arena);
  for (const json::Value& tool : list ? list.value().array() : std::span<const json::Value>()) {
    const json::Value* const function = function_of(tool, wire);
    ToolContract out;
    out.tool = text_of(function == nullptr ? tool.find("name") : function->find("name"));
    const json::Value* const schema =
        function == nullptr ? nullptr : function->find(wire == wire::Wire::anthropic ? "input_schema" : "parameters");
    if (schema != nullptr) {
      out.arguments = compiled(written(tools, *schema), out.tool, mode, compile);
    }
    options.tools.push_back(std::move(out));
  }
}

bool set_format_contract(GuardOptions& options, std::string_view response_format, Mode mode,
                         const CompileContract& compile) {
  json::Arena arena;
  const Result<json::Value> read = json::parse(response_format, arena);
  if (!read) {
    return false;
  }
  const json::Value* format = &read.value();
  if (const json::Value* const inner = format->find("format")) {
    format = inner;  // Anthropic's output_config, the text of responses
  }
  if (text_of(format->find("type")) != "json_schema") {
    return false;
  }
  const json::Value* const named = format->find("json_schema");
  const json::Value* const schema = (named == nullptr ? format : named)->find("schema");
  if (schema == nullptr) {
    return false;
  }
  const std::string_view name = text_of((named == nullptr ? format : named)->find("name"));
  options.text = compiled(written(response_format, *schema), name.empty() ? "response_format" : name, mode, compile);
  return true;
}

Result<bool> set_wishes(GuardOptions& options, const wire::PlumbMember& plumb) {
  if (!plumb.mode.empty()) {
    const std::optional<Mode> mode = mode_named(plumb.mode);
    if (!mode) {
      return wrong("a mode is observe, enforce or hold-back", "mode");
    }
    options.text.mode = *mode;
    for (ToolContract& tool : options.tools) {
      tool.arguments.mode = *mode;
    }
  }
  if (!plumb.on_error.empty()) {
    const std::optional<OnError> on_error = on_error_named(plumb.on_error);
    if (!on_error) {
      return wrong("on_error is fail or pass", "on_error");
    }
    options.on_error = *on_error;
  }
  if (!plumb.edits.empty()) {
    json::Arena arena;
    const Result<json::Value> said = json::parse(plumb.edits, arena);
    if (!said) {
      return wrong(said.error().message, "edits");
    }
    const Result<bool> read = repair::read_edit_options(said.value(), options.edits);
    if (!read) {
      return wrong(read.error().message, "edits");
    }
  }
  if (plumb.attempts) {
    options.attempts_max = static_cast<std::uint32_t>(*plumb.attempts);
  }
  if (plumb.tokens_max) {
    options.tokens_max = *plumb.tokens_max;
  }
  if (!plumb.context.empty()) {
    options.context = plumb.context;
  }
  return true;
}

}  // namespace plumb::guard
