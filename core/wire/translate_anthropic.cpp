// Messages and tools as Anthropic's clients write them. Results of tools are in messages of the user there; each
// becomes a message of its own, before what the user says beside them. That a tool has failed is said in its result.
#include <utility>

#include "core/json/writer.hpp"
#include "core/wire/reply_state.hpp"
#include "core/wire/translate_parts.hpp"

namespace plumb::wire {

namespace {

constexpr std::string_view failed_tool = "[the tool failed] ";

Result<bool> read_image(Translation& to, const json::Value& block, const std::string& where, Message& out) {
  const json::Value* const source = said(block, "source");
  const std::string_view type = source == nullptr ? std::string_view() : text_member(*source, "type");
  if (type == "base64") {
    out.content.push_back({PartKind::image_data, std::string(text_member(*source, "data")),
                           std::string(text_member(*source, "media_type"))});
  } else if (type == "url") {
    out.content.push_back({PartKind::image_url, std::string(text_member(*source, "url")), {}});
  } else {
    return cannot_carry(to, "an image that is neither data nor an address", below(where, "source"));
  }
  return true;
}

// Text and images; anything else is refused.
Result<bool> read_parts(Translation& to, const json::Value& content, const std::string& where, Message& out) {
  if (content.is(json::Kind::string)) {
    out.content.push_back({PartKind::text, std::string(content.str()), {}});
    return true;
  }
  std::size_t index = 0;
  for (const json::Value& block : content.array()) {
    const std::string at = below(where, index++);
    const std::string_view type = text_member(block, "type");
    if (type == "text") {
      out.content.push_back({PartKind::text, std::string(text_member(block, "text")), {}});
    } else if (type == "image") {
      Result<bool> read = read_image(to, block, at, out);
      if (!read) {
        return read;
      }
    } else {
      return cannot_carry(to, "a block that is no text and no image", below(at, "type"));
    }
  }
  return true;
}

Result<bool> read_result(Translation& to, const json::Value& block, const std::string& where) {
  Message out;
  out.role = Role::tool;
  out.call_id = text_member(block, "tool_use_id");
  const json::Value* const failed = said(block, "is_error");
  if (failed != nullptr && failed->boolean) {
    out.content.push_back({PartKind::text, std::string(failed_tool), {}});
  }
  if (const json::Value* const content = said(block, "content")) {
    Result<bool> read = read_parts(to, *content, below(where, "content"), out);
    if (!read) {
      return read;
    }
  }
  to.out.messages.push_back(std::move(out));
  return true;
}

Result<bool> read_block(Translation& to, const json::Value& block, const std::string& where, Message& out) {
  const std::string_view type = text_member(block, "type");
  if (type == "text") {
    out.content.push_back({PartKind::text, std::string(text_member(block, "text")), {}});
    return true;
  }
  if (type == "image") {
    return read_image(to, block, where, out);
  }
  if (type == "tool_use") {
    const json::Value* const input = said(block, "input");
    out.calls.push_back({std::string(text_member(block, "id")), std::string(text_member(block, "name")),
                         input == nullptr ? std::string("{}") : json::value_text(*input)});
    return true;
  }
  if (type == "tool_result") {
    return read_result(to, block, where);
  }
  if (type == "thinking" || type == "redacted_thinking") {
    return true;  // signed for who wrote it: nobody else may have it
  }
  return cannot_carry(to, "a block that is no text, image, call or result", below(where, "type"));
}

Result<bool> read_message(Translation& to, const json::Value& message, const std::string& where) {
  const std::string_view role = text_member(message, "role");
  if (role != "user" && role != "assistant") {
    return not_understood("A role is user or assistant", below(where, "role"));
  }
  Message out;
  out.role = role == "user" ? Role::user : Role::assistant;
  const json::Value* const content = said(message, "content");
  if (content == nullptr || (!content->is(json::Kind::string) && !content->is(json::Kind::array))) {
    return not_understood("A message's content is a text or a list of blocks", below(where, "content"));
  }
  if (content->is(json::Kind::string)) {
    out.content.push_back({PartKind::text, std::string(content->str()), {}});
  }
  std::size_t index = 0;
  bool only_results = !content->array().empty();
  for (const json::Value& block : content->array()) {
    only_results = only_results && text_member(block, "type") == "tool_result";
    Result<bool> read = read_block(to, block, below(below(where, "content"), index++), out);
    if (!read) {
      return read;
    }
  }
  if (!only_results) {
    to.out.messages.push_back(std::move(out));
  }
  return true;
}

}  // namespace

Result<bool> read_anthropic_messages(Translation& to, const json::Value& body) {
  if (const json::Value* const system = said(body, "system")) {
    Message out;
    out.role = Role::system;
    Result<bool> read = read_parts(to, *system, "/system", out);
    if (!read) {
      return read;
    }
    to.out.messages.push_back(std::move(out));
  }
  std::size_t index = 0;
  for (const json::Value& message : body.find("messages")->array()) {
    Result<bool> read = read_message(to, message, below("/messages", index++));
    if (!read) {
      return read;
    }
  }
  return true;
}

Result<bool> read_anthropic_tools(Translation& to, const json::Value& body) {
  const json::Value* const tools = said(body, "tools");
  for (const json::Value& tool : tools == nullptr ? std::span<const json::Value>() : tools->array()) {
    const std::string where = below("/tools", to.out.tools.size());
    const json::Value* const schema = said(tool, "input_schema");
    const std::string_view type = text_member(tool, "type");
    if (schema == nullptr || (!type.empty() && type != "custom")) {
      return cannot_carry(to, "a tool of the provider's own", where);
    }
    const json::Value* const strict = said(tool, "strict");
    to.out.tools.push_back({std::string(text_member(tool, "name")), std::string(text_member(tool, "description")),
                            json::value_text(*schema), strict != nullptr && strict->boolean});
  }
  const json::Value* const choice = said(body, "tool_choice");
  if (choice == nullptr) {
    return true;
  }
  const json::Value* const one = said(*choice, "disable_parallel_tool_use");
  to.out.calls_in_parallel = one == nullptr || !one->boolean;
  const std::string_view type = text_member(*choice, "type");
  if (type == "any") {
    to.out.tool_choice = ToolChoice::required;
  } else if (type == "none") {
    to.out.tool_choice = ToolChoice::none;
  } else if (type == "tool") {
    to.out.tool_choice = ToolChoice::named;
    to.out.tool_choice_name = text_member(*choice, "name");
  } else if (type != "auto") {
    return not_understood("A choice of tool is auto, any, tool or none", "/tool_choice");
  }
  return true;
}

}  // namespace plumb::wire
