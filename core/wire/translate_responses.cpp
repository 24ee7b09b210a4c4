// Input, tools and settings as clients of OpenAI's responses write them.
#include <utility>

#include "core/json/writer.hpp"
#include "core/wire/reply_state.hpp"
#include "core/wire/translate_parts.hpp"

namespace plumb::wire {

namespace {

Result<bool> read_part(Translation& to, const json::Value& part, const std::string& where, Message& out) {
  const std::string_view type = text_member(part, "type");
  if (type == "input_text" || type == "output_text" || type == "text") {
    out.content.push_back({PartKind::text, std::string(text_member(part, "text")), {}});
    return true;
  }
  if (type == "refusal") {
    out.content.push_back({PartKind::text, std::string(text_member(part, "refusal")), {}});
    return true;
  }
  if (type != "input_image") {
    return cannot_carry(to, "a part that is no text and no image", below(where, "type"));
  }
  const std::string_view address = text_member(part, "image_url");
  if (address.empty()) {
    return cannot_carry(to, "an image by its file_id", where);
  }
  const std::string_view detail = text_member(part, "detail");
  if (!to.same() && !detail.empty() && detail != "auto") {
    lose(to, "input_image.detail");
  }
  out.content.push_back(image_part(address));
  return true;
}

Result<bool> read_content(Translation& to, const json::Value& holder, std::string_view name, const std::string& where,
                          Message& out) {
  const json::Value* const content = said(holder, name);
  if (content != nullptr && content->is(json::Kind::string)) {
    out.content.push_back({PartKind::text, std::string(content->str()), {}});
    return true;
  }
  std::size_t index = 0;
  for (const json::Value& part : content == nullptr ? std::span<const json::Value>() : content->array()) {
    Result<bool> read = read_part(to, part, below(below(where, name), index++), out);
    if (!read) {
      return read;
    }
  }
  return true;
}

Result<bool> read_message(Translation& to, const json::Value& item, const std::string& where) {
  const std::string_view role = text_member(item, "role");
  Message out;
  if (role == "system" || role == "developer") {
    out.role = Role::system;
  } else if (role == "assistant") {
    out.role = Role::assistant;
  } else if (role != "user") {
    return not_understood("A role is system, developer, user or assistant", below(where, "role"));
  }
  Result<bool> read = read_content(to, item, "content", where, out);
  if (read) {
    to.out.messages.push_back(std::move(out));
  }
  return read;
}

// Calls of one turn are items of their own here, and are in one message elsewhere.
void read_call(Translation& to, const json::Value& item) {
  if (to.out.messages.empty() || to.out.messages.back().role != Role::assistant) {
    to.out.messages.push_back({Role::assistant, {}, {}, {}, {}});
  }
  to.out.messages.back().calls.push_back({std::string(text_member(item, "call_id")),
                                          std::string(text_member(item, "name")),
                                          std::string(text_member(item, "arguments"))});
}

Result<bool> read_item(Translation& to, const json::Value& item, const std::string& where) {
  const std::string_view type = text_member(item, "type");
  if (type.empty() || type == "message") {
    return read_message(to, item, where);
  }
  if (type == "function_call") {
    read_call(to, item);
    return true;
  }
  if (type == "function_call_output") {
    Message out;
    out.role = Role::tool;
    out.call_id = text_member(item, "call_id");
    Result<bool> read = read_content(to, item, "output", where, out);
    to.out.messages.push_back(std::move(out));
    return read;
  }
  if (type == "reasoning") {
    lose(to, "input.reasoning");  // written, and often encrypted, for who wrote it
    return true;
  }
  return cannot_carry(to, "an item of the type " + json::excerpt(type, 60), below(where, "type"));
}

Result<bool> read_choice(Translation& to, const json::Value& choice) {
  const std::string_view word = choice.str();
  if (choice.is(json::Kind::object)) {
    if (text_member(choice, "type") != "function") {
      return cannot_carry(to, "a choice of something else than a function", "/tool_choice");
    }
    to.out.tool_choice = ToolChoice::named;
    to.out.tool_choice_name = text_member(choice, "name");
  } else if (word == "none" || word == "required") {
    to.out.tool_choice = word == "none" ? ToolChoice::none : ToolChoice::required;
  } else if (word != "auto") {
    return not_understood("A choice of tool is none, auto, required or a function", "/tool_choice");
  }
  return true;
}

void add_extra(Translation& to, std::string_view name, std::string_view text) {
  std::string json;
  json::append_string(json, text);
  to.out.extra.push_back({std::string(name), std::move(json)});
}

Result<bool> read_text(Translation& to, const json::Value& text) {
  for (const json::Member& member : text.object()) {
    if (member.value.is(json::Kind::null)) {
      continue;
    }
    if (member.key == "format") {
      Result<bool> read = read_format_member(to, "text", text);
      if (!read) {
        return read;
      }
    } else if (member.key == "verbosity" && to.upstream == Wire::openai) {
      add_extra(to, "verbosity", member.value.str());
    } else if (!to.same() && !(member.key == "verbosity" && member.value.str() == "medium")) {
      lose(to, std::string("text.").append(member.key));
    }
  }
  return true;
}

void read_reasoning(Translation& to, const json::Value& reasoning) {
  for (const json::Member& member : reasoning.object()) {
    if (member.value.is(json::Kind::null)) {
      continue;
    }
    const std::string_view word = member.value.str();
    if (member.key == "effort" && to.upstream == Wire::openai) {
      add_extra(to, "reasoning_effort", word);
    } else if (member.key == "effort" && to.upstream == Wire::ollama) {
      const bool none = word == "none" || word == "minimal";
      to.out.extra.push_back({"think", none ? "false" : json::value_text(member.value)});
    } else {
      lose(to, std::string("reasoning.").append(member.key));
    }
  }
}

}  // namespace

Result<bool> read_responses_input(Translation& to, const json::Value& body) {
  const std::string_view instructions = text_member(body, "instructions");
  if (!instructions.empty()) {
    to.out.messages.push_back(text_message(Role::system, std::string(instructions)));
  }
  const json::Value* const input = said(body, "input");
  if (input != nullptr && input->is(json::Kind::string)) {
    to.out.messages.push_back(text_message(Role::user, std::string(input->str())));
    return true;
  }
  if (input == nullptr || !input->is(json::Kind::array)) {
    return not_understood("The input must be a text or a list of items", "/input");
  }
  std::size_t index = 0;
  for (const json::Value& item : input->array()) {
    Result<bool> read = read_item(to, item, below("/input", index++));
    if (!read) {
      return read;
    }
  }
  return true;
}

Result<bool> read_responses_tools(Translation& to, const json::Value& body) {
  const json::Value* const tools = said(body, "tools");
  std::size_t index = 0;
  for (const json::Value& tool : tools == nullptr ? std::span<const json::Value>() : tools->array()) {
    const std::string_view type = text_member(tool, "type");
    if (type != "function") {
      return cannot_carry(to, "a tool of the type " + json::excerpt(type, 60), below(below("/tools", index), "type"));
    }
    const json::Value* const parameters = said(tool, "parameters");
    const json::Value* const strict = said(tool, "strict");
    to.out.tools.push_back({std::string(text_member(tool, "name")), std::string(text_member(tool, "description")),
                            parameters == nullptr ? std::string() : json::value_text(*parameters),
                            strict != nullptr && strict->boolean});
    ++index;
  }
  const json::Value* const choice = said(body, "tool_choice");
  return choice == nullptr ? Result<bool>(true) : read_choice(to, *choice);
}

Result<bool> read_responses_setting(Translation& to, std::string_view name, const json::Value& value, bool& known) {
  known = true;
  if (name == "text") {
    return read_text(to, value);
  }
  if (name == "reasoning" && !to.same()) {
    read_reasoning(to, value);
    return true;
  }
  known = false;
  return true;
}

}  // namespace plumb::wire
