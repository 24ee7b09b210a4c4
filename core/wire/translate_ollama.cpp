// Messages and settings as Ollama's clients write them. Tools are written as OpenAI's are.
#include <array>
#include <utility>

#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/wire/reply_state.hpp"
#include "core/wire/translate_parts.hpp"

namespace plumb::wire {

namespace {

// Ollama sends images without their type; base64 of each type begins the same.
std::string media_type_of(std::string_view base64) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> beginnings = {
      {{"/9j/", "image/jpeg"}, {"R0lGOD", "image/gif"}, {"UklGR", "image/webp"}}};
  for (const auto& [beginning, type] : beginnings) {
    if (base64.starts_with(beginning)) {
      return std::string(type);
    }
  }
  return "image/png";
}

// Calls have no ids, and results are in their order: what one pipeline of calls and results has had so far.
struct CallNumbers {
  std::uint64_t asked = 0;
  std::uint64_t answered = 0;
  static std::string id(std::uint64_t number) { return "call_" + json::uint_text(number); }
};

Result<bool> read_calls(const json::Value& message, const std::string& where, CallNumbers& numbers, Message& out) {
  const json::Value* const calls = said(message, "tool_calls");
  numbers.answered = numbers.asked;
  for (const json::Value& call : calls == nullptr ? std::span<const json::Value>() : calls->array()) {
    const json::Value* const function = call.find("function");
    const json::Value* const arguments = function == nullptr ? nullptr : function->find("arguments");
    if (function == nullptr || text_member(*function, "name").empty()) {
      return not_understood("A call has a function with a name", below(where, "tool_calls"));
    }
    const std::string_view id = text_member(call, "id");
    out.calls.push_back({id.empty() ? CallNumbers::id(numbers.asked) : std::string(id),
                         std::string(text_member(*function, "name")),
                         arguments == nullptr ? std::string("{}") : json::value_text(*arguments)});
    ++numbers.asked;
  }
  return true;
}

Result<bool> read_message(Translation& to, const json::Value& message, const std::string& where, CallNumbers& numbers) {
  constexpr std::array<Role, 4> roles = {Role::system, Role::user, Role::assistant, Role::tool};
  const std::string_view said_role = text_member(message, "role");
  Message out;
  bool known = false;
  for (const Role role : roles) {
    if (said_role == role_name(role)) {
      out.role = role;
      known = true;
    }
  }
  if (!known) {
    return not_understood("A role is system, user, assistant or tool", below(where, "role"));
  }
  const json::Value* const content = said(message, "content");
  if (content != nullptr && !content->is(json::Kind::string)) {
    return not_understood("A message's content is a text", below(where, "content"));
  }
  const json::Value* const images = said(message, "images");
  const bool pictures = images != nullptr && images->size != 0;
  if (content != nullptr && (content->size != 0 || !pictures)) {
    out.content.push_back({PartKind::text, std::string(content->str()), {}});
  }
  for (const json::Value& image : images == nullptr ? std::span<const json::Value>() : images->array()) {
    out.content.push_back({PartKind::image_data, std::string(image.str()), media_type_of(image.str())});
  }
  if (out.role == Role::assistant) {
    Result<bool> read = read_calls(message, where, numbers, out);
    if (!read) {
      return read;
    }
  }
  if (out.role == Role::tool) {
    const std::string_view id = text_member(message, "tool_call_id");
    out.call_id = id.empty() ? CallNumbers::id(numbers.answered) : std::string(id);
    out.tool_name = text_member(message, "tool_name");
    ++numbers.answered;
  }
  to.out.messages.push_back(std::move(out));
  return true;
}

Result<bool> read_option(Translation& to, const json::Member& option) {
  constexpr std::array<std::string_view, 7> shared = {
      "top_p", "top_k", "min_p", "seed", "frequency_penalty", "presence_penalty", "repeat_penalty"};
  for (const std::string_view name : shared) {
    if (option.key == name) {
      return read_setting(to, name, option.value);
    }
  }
  lose(to, "options." + std::string(option.key));
  return true;
}

Result<bool> read_options(Translation& to, const json::Value& options) {
  std::string rest;
  json::Writer json(rest);
  json.begin_object();
  for (const json::Member& option : options.object()) {
    const json::Value& value = option.value;
    std::uint64_t tokens = 0;
    if (option.key == "temperature" && value.is(json::Kind::number)) {
      to.out.temperature = value.str();
    } else if (option.key == "num_predict") {
      // -1 and -2 stand for as many as there are.
      to.out.output_tokens_max = json::read_uint(value.str(), tokens) ? tokens : 0;
    } else if (option.key == "stop") {
      for (const json::Value& word : value.array()) {
        to.out.stop.emplace_back(word.str());
      }
    } else if (to.same()) {
      json.key(option.key).value(value);
    } else if (Result<bool> read = read_option(to, option); !read) {
      return read;
    }
  }
  json.end_object();
  if (rest != "{}") {
    to.out.extra.push_back({"options", std::move(rest)});
  }
  return true;
}

// `think`: true, false, or how much.
void read_think(Translation& to, const json::Value& value) {
  if (to.same()) {
    to.out.extra.push_back({"think", json::value_text(value)});
  } else if (value.is(json::Kind::string) && to.upstream != Wire::anthropic) {
    to.out.extra.push_back({"reasoning_effort", json::value_text(value)});
  } else if (!value.is(json::Kind::boolean) || value.boolean) {
    lose(to, "think");
  }
}

void read_format(Translation& to, const json::Value& value) {
  if (value.str() == "json") {
    to.out.format.kind = FormatKind::json;
    lose_json_format(to, "format");
  } else if (value.is(json::Kind::object)) {
    to.out.format = {FormatKind::schema, "answer", json::value_text(value), false, false};
  }
}

}  // namespace

Result<bool> read_ollama_member(Translation& to, std::string_view name, const json::Value& value) {
  if (name == "options") {
    return read_options(to, value);
  }
  if (name == "think") {
    read_think(to, value);
  } else if (name == "format") {
    read_format(to, value);
  } else if (to.same()) {
    to.out.extra.push_back({std::string(name), json::value_text(value)});
  } else if (!value.is(json::Kind::null)) {
    lose(to, name);
  }
  return true;
}

Result<bool> read_ollama_messages(Translation& to, const json::Value& messages) {
  CallNumbers numbers;
  for (const json::Value& message : messages.array()) {
    Result<bool> read = read_message(to, message, below("/messages", to.out.messages.size()), numbers);
    if (!read) {
      return read;
    }
  }
  return true;
}

}  // namespace plumb::wire
