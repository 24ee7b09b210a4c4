// Settings: what each of the other wires calls them, or that it has no word for them: the table of carried.hpp.
#include <array>
#include <utility>

#include "core/json/writer.hpp"
#include "core/wire/carried.hpp"
#include "core/wire/reply_state.hpp"
#include "core/wire/strict_schema.hpp"
#include "core/wire/translate_parts.hpp"

namespace plumb::wire {

namespace {

bool is_number(const json::Value& value, std::string_view text) {
  json::Arena arena;
  return value.is(json::Kind::number) && json::equal(value, json::parse(text, arena).value());
}

// Options of a stream that ask for nothing.
bool asks_nothing(const json::Value& options) {
  for (const json::Member& member : options.object()) {
    if (!member.value.is(json::Kind::null) && !(member.value.is(json::Kind::boolean) && !member.value.boolean)) {
      return false;
    }
  }
  return true;
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
  if (name == "service_tier") {
    return value.str() == "auto";
  }
  if (name == "truncation") {
    return value.str() == "disabled";
  }
  if (name == "stream_options") {
    return asks_nothing(value);
  }
  if (name == "thinking") {
    return text_member(value, "type") == "disabled";
  }
  return name == "verbosity" && value.str() == "medium";
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

Result<bool> read_schema(Translation& to, const json::Value& holder, std::string where) {
  const json::Value* const schema = said(holder, "schema");
  if (schema == nullptr || !schema->is(json::Kind::object)) {
    return not_understood("A format of type json_schema has a schema", below(std::move(where), "schema"));
  }
  const json::Value* const strict = said(holder, "strict");
  to.out.format.kind = FormatKind::schema;
  to.out.format.name = text_member(holder, "name");
  to.out.format.schema = json::value_text(*schema);
  // Anthropic keeps to a schema where it is given one.
  to.out.format.strict = to.client == Wire::anthropic || (strict != nullptr && strict->boolean);
  return true;
}

}  // namespace

// Anthropic has no word for "any JSON".
void lose_json_format(Translation& to, std::string_view name) {
  if (to.upstream == Wire::anthropic) {
    lose(to, name);
  }
}

Result<bool> read_format_member(Translation& to, std::string_view name, const json::Value& value) {
  std::string where = below("", name);
  const json::Value* format = &value;
  if (name == "output_config") {
    for (const json::Member& member : value.object()) {
      if (member.key == "effort" && !to.same()) {
        lose(to, "output_config.effort");
      } else if (member.key != "format" && !member.value.is(json::Kind::null) && !to.same()) {
        return cannot_carry(to, "this setting has no counterpart there", below(where, member.key));
      }
    }
  }
  if (name == "output_config" || name == "text") {
    format = said(value, "format");
    where = below(std::move(where), "format");
  }
  if (format == nullptr || format->is(json::Kind::null)) {
    return true;
  }
  const std::string_view type = text_member(*format, "type");
  if (type == "json_object") {
    to.out.format.kind = FormatKind::json;
    lose_json_format(to, name);
    return true;
  }
  if (type == "json_schema") {
    const json::Value* const holder = said(*format, "json_schema");
    Result<bool> read = read_schema(to, holder == nullptr ? *format : *holder, std::move(where));
    // Ollama keeps to any schema that it is given.
    if (read && to.out.format.strict && to.upstream != Wire::ollama &&
        !takes_strict(to.upstream, to.out.format.schema)) {
      lose(to, std::string(name) + ".strict");
    }
    return read;
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
  if (says_nothing(name, value)) {
    return true;
  }
  const Carried* const row = carried_named(to.client, name);
  switch (row == nullptr ? Fate::refused : fate_of(*row, to.upstream)) {
    case Fate::kept:
      to.out.extra.push_back({std::string(name), json::value_text(value)});
      return true;
    case Fate::option:
      to.ollama_options.push_back({std::string(name), json::value_text(value)});
      return true;
    case Fate::changed:
      if (!read_user(to, name, value) && !read_thinking(to, name, value)) {
        lose(to, name);
      }
      return true;
    case Fate::dropped:
      lose(to, name);
      return true;
    case Fate::refused:
    case Fate::none:
      break;
  }
  return cannot_carry(to, "this setting has no counterpart there", below("", name));
}

}  // namespace plumb::wire
