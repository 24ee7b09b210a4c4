// Settings: what each of the other wires calls them, or that it has no word for them.
#include <array>
#include <utility>

#include "core/json/writer.hpp"
#include "core/wire/reply_state.hpp"
#include "core/wire/translate_parts.hpp"

namespace plumb::wire {

namespace {

// Where a setting goes in a wire.
enum class Goes : std::uint8_t { nowhere, member, option };

struct Setting {
  std::string_view name;
  Goes openai;
  Goes anthropic;
  Goes ollama;
};
constexpr std::array<Setting, 7> settings = {{
    {"top_p", Goes::member, Goes::member, Goes::option},
    {"top_k", Goes::nowhere, Goes::member, Goes::option},
    {"seed", Goes::member, Goes::nowhere, Goes::option},
    {"frequency_penalty", Goes::member, Goes::nowhere, Goes::option},
    {"presence_penalty", Goes::member, Goes::nowhere, Goes::option},
    {"min_p", Goes::nowhere, Goes::nowhere, Goes::option},
    {"repeat_penalty", Goes::nowhere, Goes::nowhere, Goes::option},
}};

// Of the provider's books: leaving them out changes no answer.
constexpr std::array<std::string_view, 8> books = {
    "user",          "metadata",         "service_tier",      "store",
    "cache_control", "prompt_cache_key", "safety_identifier", "prompt_cache_retention"};

Goes goes(const Setting& setting, Wire wire) {
  return wire == Wire::openai ? setting.openai : wire == Wire::anthropic ? setting.anthropic : setting.ollama;
}

bool is_number(const json::Value& value, std::string_view text) {
  json::Arena arena;
  return value.is(json::Kind::number) && json::equal(value, json::parse(text, arena).value());
}

// What every model does anyway.
bool says_nothing(std::string_view name, const json::Value& value) {
  if (value.is(json::Kind::null) || (value.is(json::Kind::boolean) && !value.boolean) ||
      ((value.is(json::Kind::array) || value.is(json::Kind::object)) && value.size == 0)) {
    return true;
  }
  if (name == "n" || name == "top_p") {
    return is_number(value, "1");
  }
  if (name == "frequency_penalty" || name == "presence_penalty" || name == "top_logprobs") {
    return is_number(value, "0");
  }
  if (name == "modalities") {
    return value.array().size() == 1 && value.array()[0].str() == "text";
  }
  if (name == "thinking") {
    return text_member(value, "type") == "disabled";
  }
  return name == "verbosity" && value.str() == "medium";
}

bool is_book(std::string_view name) {
  for (const std::string_view one : books) {
    if (one == name) {
      return true;
    }
  }
  return false;
}

// Who the user is has a word in both wires of clients.
bool read_user(Translation& to, std::string_view name, const json::Value& value) {
  if (name == "user" && to.upstream == Wire::anthropic && value.is(json::Kind::string)) {
    std::string metadata;
    json::Writer(metadata).begin_object().member("user_id", value.str()).end_object();
    to.out.extra.push_back({"metadata", std::move(metadata)});
    return true;
  }
  if (name == "metadata" && to.upstream == Wire::openai && !text_member(value, "user_id").empty()) {
    std::string user;
    json::append_string(user, text_member(value, "user_id"));
    to.out.extra.push_back({"user", std::move(user)});
    return true;
  }
  return false;
}

// Ollama's `think`: on, off, or how much.
bool read_thinking(Translation& to, std::string_view name, const json::Value& value) {
  if (to.upstream != Wire::ollama) {
    return false;
  }
  if (name == "thinking") {
    to.out.extra.push_back({"think", "true"});
    return true;
  }
  if (name == "reasoning_effort") {
    const bool none = value.str() == "none" || value.str() == "minimal";
    to.out.extra.push_back({"think", none ? "false" : json::value_text(value)});
    return true;
  }
  return false;
}

Result<bool> read_schema(Translation& to, const json::Value& format, const json::Value& holder, std::string where) {
  const json::Value* const schema = said(holder, "schema");
  if (schema == nullptr || !schema->is(json::Kind::object)) {
    return not_understood("A format of type json_schema has a schema", below(std::move(where), "schema"));
  }
  const json::Value* const strict = said(holder, "strict");
  to.out.format.kind = FormatKind::schema;
  to.out.format.name = text_member(holder, "name");
  to.out.format.schema = json::value_text(*schema);
  // Anthropic keeps to a schema where it is given one.
  to.out.format.strict = &format == &holder || (strict != nullptr && strict->boolean);
  return true;
}

}  // namespace

Result<bool> read_format_member(Translation& to, std::string_view name, const json::Value& value) {
  std::string where = below("", name);
  const json::Value* format = &value;
  if (name == "output_config") {
    for (const json::Member& member : value.object()) {
      if (member.key != "format" && !member.value.is(json::Kind::null) && !to.same()) {
        return cannot_carry(to, "this setting has no counterpart there", below(where, member.key));
      }
    }
    format = said(value, "format");
    where = below(std::move(where), "format");
  }
  if (format == nullptr || format->is(json::Kind::null)) {
    return true;
  }
  const std::string_view type = text_member(*format, "type");
  if (type == "json_object") {
    to.out.format.kind = FormatKind::json;
    return true;
  }
  if (type == "json_schema") {
    const json::Value* const holder = said(*format, "json_schema");
    return read_schema(to, *format, holder == nullptr ? *format : *holder, std::move(where));
  }
  if (type == "text") {
    return true;
  }
  return cannot_carry(to, "this format of an answer", below(std::move(where), "type"));
}

Result<bool> read_setting(Translation& to, std::string_view name, const json::Value& value) {
  if (name == "parallel_tool_calls") {
    to.out.calls_in_parallel = !value.is(json::Kind::boolean) || value.boolean;
    return true;
  }
  if (to.same()) {
    to.out.extra.push_back({std::string(name), json::value_text(value)});
    return true;
  }
  if (says_nothing(name, value) || read_user(to, name, value) || is_book(name) || read_thinking(to, name, value)) {
    return true;
  }
  for (const Setting& setting : settings) {
    if (setting.name == name && goes(setting, to.upstream) != Goes::nowhere) {
      (goes(setting, to.upstream) == Goes::member ? to.out.extra : to.ollama_options)
          .push_back({std::string(name), json::value_text(value)});
      return true;
    }
  }
  return cannot_carry(to, "this setting has no counterpart there", below("", name));
}

}  // namespace plumb::wire
