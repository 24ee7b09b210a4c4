// Messages and tools as OpenAI's clients write them.
#include <utility>

#include "core/json/writer.hpp"
#include "core/wire/reply_state.hpp"
#include "core/wire/translate_parts.hpp"

namespace plumb::wire {

namespace {

constexpr std::string_view data_scheme = "data:";
constexpr std::string_view base64_mark = ";base64,";

Result<bool> read_image(Translation& to, const json::Value& part, const std::string& where, Message& out) {
  const json::Value* const image = part.find("image_url");
  const std::string_view address = image == nullptr                ? std::string_view()
                                   : image->is(json::Kind::string) ? image->str()
                                                                   : text_member(*image, "url");
  if (address.empty()) {
    return not_understood("An image has a url", below(where, "image_url"));
  }
  const std::string_view detail = image->is(json::Kind::object) ? text_member(*image, "detail") : std::string_view();
  if (!to.same() && !detail.empty() && detail != "auto") {
    lose(to, "image_url.detail");
  }
  out.content.push_back(image_part(address));
  return true;
}

Result<bool> read_part(Translation& to, const json::Value& part, const std::string& where, Message& out) {
  const std::string_view type = text_member(part, "type");
  if (type == "text" || type == "refusal") {
    out.content.push_back({PartKind::text, std::string(text_member(part, type)), {}});
    return true;
  }
  if (type == "image_url") {
    return read_image(to, part, where, out);
  }
  return cannot_carry(to, "a part that is no text and no image", below(where, "type"));
}

Result<bool> read_content(Translation& to, const json::Value& message, const std::string& where, Message& out) {
  const json::Value* const content = said(message, "content");
  if (content != nullptr && content->is(json::Kind::string)) {
    out.content.push_back({PartKind::text, std::string(content->str()), {}});
  } else if (content != nullptr && content->is(json::Kind::array)) {
    std::size_t index = 0;
    for (const json::Value& part : content->array()) {
      Result<bool> read = read_part(to, part, below(below(where, "content"), index++), out);
      if (!read) {
        return read;
      }
    }
  } else if (content != nullptr) {
    return not_understood("A message's content is a text or a list of parts", below(where, "content"));
  }
  return true;
}

Result<bool> read_calls(Translation& to, const json::Value& message, const std::string& where, Message& out) {
  const json::Value* const calls = said(message, "tool_calls");
  std::size_t index = 0;
  for (const json::Value& call : calls == nullptr ? std::span<const json::Value>() : calls->array()) {
    const json::Value* const function = call.find("function");
    if (function == nullptr) {
      return cannot_carry(to, "a call of something else than a function", below(below(where, "tool_calls"), index));
    }
    out.calls.push_back({std::string(text_member(call, "id")), std::string(text_member(*function, "name")),
                         std::string(text_member(*function, "arguments"))});
    ++index;
  }
  if (said(message, "function_call") != nullptr) {
    return cannot_carry(to, "function_call: use tool_calls", below(where, "function_call"));
  }
  if (said(message, "audio") != nullptr) {
    return cannot_carry(to, "audio", below(where, "audio"));
  }
  return true;
}

bool read_role(std::string_view role, Message& out) {
  if (role == "system" || role == "developer") {
    out.role = Role::system;
  } else if (role == "user") {
    out.role = Role::user;
  } else if (role == "assistant") {
    out.role = Role::assistant;
  } else if (role == "tool") {
    out.role = Role::tool;
  } else {
    return false;
  }
  return true;
}

Result<bool> read_message(Translation& to, const json::Value& message, const std::string& where) {
  Message out;
  if (!read_role(text_member(message, "role"), out)) {
    return not_understood("A role is system, developer, user, assistant or tool", below(where, "role"));
  }
  if (!to.same() && !text_member(message, "name").empty()) {
    lose(to, "messages.name");
  }
  Result<bool> read = read_content(to, message, where, out);
  if (!read) {
    return read;
  }
  const std::string_view refusal = text_member(message, "refusal");
  if (!refusal.empty()) {
    out.content.push_back({PartKind::text, std::string(refusal), {}});
  }
  out.call_id = text_member(message, "tool_call_id");
  read = read_calls(to, message, where, out);
  if (read) {
    to.out.messages.push_back(std::move(out));
  }
  return read;
}

}  // namespace

Part image_part(std::string_view address) {
  const std::size_t mark = address.find(base64_mark);
  if (address.starts_with(data_scheme) && mark != std::string_view::npos) {
    return {PartKind::image_data, std::string(address.substr(mark + base64_mark.size())),
            std::string(address.substr(data_scheme.size(), mark - data_scheme.size()))};
  }
  return {PartKind::image_url, std::string(address), {}};
}

Result<bool> read_openai_messages(Translation& to, const json::Value& messages) {
  for (const json::Value& message : messages.array()) {
    Result<bool> read = read_message(to, message, below("/messages", to.out.messages.size()));
    if (!read) {
      return read;
    }
  }
  return true;
}

Result<bool> read_openai_tools(Translation& to, const json::Value& body) {
  const json::Value* const tools = said(body, "tools");
  for (const json::Value& tool : tools == nullptr ? std::span<const json::Value>() : tools->array()) {
    const std::string where = below("/tools", to.out.tools.size());
    const json::Value* const function = said(tool, "function");
    if (text_member(tool, "type") != "function" || function == nullptr) {
      return cannot_carry(to, "a tool that is no function", below(where, "type"));
    }
    const json::Value* const parameters = said(*function, "parameters");
    const json::Value* const strict = said(*function, "strict");
    to.out.tools.push_back(
        {std::string(text_member(*function, "name")), std::string(text_member(*function, "description")),
         parameters == nullptr ? std::string() : json::value_text(*parameters), strict != nullptr && strict->boolean});
  }
  const json::Value* const choice = said(body, "tool_choice");
  if (choice == nullptr) {
    return true;
  }
  const std::string_view word = choice->str();
  if (choice->is(json::Kind::object)) {
    const json::Value* const function = said(*choice, "function");
    if (function == nullptr) {
      return cannot_carry(to, "a choice of something else than a function", "/tool_choice");
    }
    to.out.tool_choice = ToolChoice::named;
    to.out.tool_choice_name = text_member(*function, "name");
  } else if (word == "none" || word == "required") {
    to.out.tool_choice = word == "none" ? ToolChoice::none : ToolChoice::required;
  } else if (word != "auto") {
    return not_understood("A choice of tool is none, auto, required or a function", "/tool_choice");
  }
  return true;
}

}  // namespace plumb::wire
