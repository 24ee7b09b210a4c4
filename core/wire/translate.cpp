#include "core/wire/translate.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/json/decimal.hpp"
#include "core/json/pointer.hpp"
#include "core/json/writer.hpp"
#include "core/wire/facet.hpp"
#include "core/wire/strict_schema.hpp"
#include "core/wire/translate_parts.hpp"

namespace plumb::wire {

namespace {

constexpr std::uint32_t depth_max = 128;

bool read_uint_value(const json::Value& value, std::uint64_t& number) {
  json::Decimal decimal;
  return value.is(json::Kind::number) &&
         json::Decimal::read(value.str(), json::Decimal::exponent_max_default, decimal) == json::DecimalStatus::ok &&
         decimal.to_uint64(number);
}

// Anthropic takes no temperature above 1.
void fit_temperature(Translation& to) {
  json::Decimal told;
  json::Decimal most;
  if (to.same() || to.upstream != Wire::anthropic || to.out.temperature.empty() ||
      json::Decimal::read(to.out.temperature, json::Decimal::exponent_max_default, told) != json::DecimalStatus::ok ||
      json::Decimal::read("1", json::Decimal::exponent_max_default, most) != json::DecimalStatus::ok ||
      compare(told, most) <= 0) {
    return;
  }
  to.out.temperature = "1";
  lose(to, "temperature");
}

// ... and its newer models either a temperature or top_p.
void choose_sampling(Translation& to) {
  if (to.same() || to.upstream != Wire::anthropic || to.out.temperature.empty()) {
    return;
  }
  if (std::erase_if(to.out.extra, [](const ExtraMember& one) { return one.name == "top_p"; }) != 0) {
    lose(to, "top_p");
  }
}

Result<bool> read_stop(Translation& to, const json::Value& value, const std::string& where) {
  if (value.is(json::Kind::string)) {
    to.out.stop.emplace_back(value.str());
    return true;
  }
  for (const json::Value& word : value.array()) {
    if (!word.is(json::Kind::string)) {
      return not_understood("Stop words are texts", where);
    }
    to.out.stop.emplace_back(word.str());
  }
  return true;
}

// Members that both wires have. False: it is none of them.
Result<bool> read_plain(Translation& to, const json::Member& member, bool& known) {
  const json::Value& value = member.value;
  const std::string where = below("", member.key);
  known = true;
  if (member.key == "model") {
    to.out.model = value.str();
  } else if (member.key == "stream") {
    to.out.stream = value.boolean;
  } else if (member.key == "temperature") {
    to.out.temperature = value.is(json::Kind::number) ? value.str() : std::string_view();
    fit_temperature(to);
  } else if (member.key == (to.client == Wire::responses ? "max_output_tokens" : "max_tokens") ||
             member.key == "max_completion_tokens") {
    std::uint64_t tokens = 0;
    if (!value.is(json::Kind::null) && !read_uint_value(value, tokens)) {
      return not_understood("A limit of tokens is an integer", where);
    }
    to.out.output_tokens_max = std::max(to.out.output_tokens_max, tokens);
  } else if (member.key == "stop" || member.key == "stop_sequences") {
    return read_stop(to, value, where);
  } else {
    known = false;
  }
  return true;
}

Result<bool> read_members(Translation& to, const json::Value& body) {
  constexpr std::array<std::string_view, 6> elsewhere = {"messages",    "system", "tools",
                                                         "tool_choice", "plumb",  "stream_options"};
  constexpr std::array<std::string_view, 5> of_responses = {"input", "instructions", "tools", "tool_choice", "plumb"};
  const bool responses = to.client == Wire::responses;
  const std::span<const std::string_view> others =
      responses ? std::span<const std::string_view>(of_responses) : std::span<const std::string_view>(elsewhere);
  for (const json::Member& member : body.object()) {
    if (std::find(others.begin(), others.end(), member.key) != others.end()) {
      continue;
    }
    if (to.client == Wire::ollama && member.key != "model" && member.key != "stream") {
      if (Result<bool> read = read_ollama_member(to, member.key, member.value); !read) {
        return read;
      }
      continue;
    }
    bool known = false;
    Result<bool> read = read_plain(to, member, known);
    if (read && !known && responses) {
      read = read_responses_setting(to, member.key, member.value, known);
    }
    if (read && !known) {
      const bool format =
          member.key == "response_format" || member.key == "output_format" || member.key == "output_config";
      read = format ? read_format_member(to, member.key, member.value) : read_setting(to, member.key, member.value);
    }
    if (!read) {
      return read;
    }
  }
  return true;
}

void gather_options(Translation& to) {
  if (to.ollama_options.empty()) {
    return;
  }
  std::string options;
  json::Writer json(options);
  json.begin_object();
  for (const ExtraMember& one : to.ollama_options) {
    json.key(one.name).raw(one.json);
  }
  json.end_object();
  to.out.extra.push_back({"options", std::move(options)});
}

// A tool's answer names its call; Ollama wants to know the tool.
void name_tools(ModelRequest& request) {
  for (std::size_t i = 0; i < request.messages.size(); ++i) {
    Message& answer = request.messages[i];
    for (std::size_t j = i; answer.role == Role::tool && answer.tool_name.empty() && j > 0; --j) {
      for (const ToolCall& call : request.messages[j - 1].calls) {
        if (call.id == answer.call_id) {
          answer.tool_name = call.name;
        }
      }
    }
  }
}

// A tool's result is a text for most providers. Images in one follow it in a message of the user, behind all results of
// the same turn, which must stay together.
void move_result_images(ModelRequest& request) {
  std::vector<Message> out;
  Message images;
  const auto flush = [&] {
    if (!images.content.empty()) {
      out.push_back(std::move(images));
      images = Message{};
    }
  };
  for (Message& message : request.messages) {
    if (message.role != Role::tool) {
      flush();
      out.push_back(std::move(message));
      continue;
    }
    const auto first = std::stable_partition(message.content.begin(), message.content.end(),
                                             [](const Part& part) { return part.kind == PartKind::text; });
    if (first != message.content.end()) {
      images.content.push_back({PartKind::text, "Images in the result of the call " + message.call_id + ":", {}});
      images.content.insert(images.content.end(), first, message.content.end());
      message.content.erase(first, message.content.end());
      if (message.content.empty()) {
        message.content.push_back({PartKind::text, "(images follow)", {}});
      }
    }
    out.push_back(std::move(message));
  }
  flush();
  request.messages = std::move(out);
}

// Who wants a tool's input enforced is told where the provider does not: it has no word for it, or not for this schema.
void lose_strict_tools(Translation& to) {
  const bool lost = std::any_of(to.out.tools.begin(), to.out.tools.end(), [&](const Tool& tool) {
    return tool.strict && !takes_strict(to.upstream, tool.parameters.empty() ? "{}" : tool.parameters);
  });
  if (lost) {
    lose(to, "tools.strict");
  }
}

}  // namespace

void lose(Translation& to, std::string_view what) {
  if (std::find(to.lost.begin(), to.lost.end(), what) == to.lost.end()) {
    to.lost.emplace_back(what);
  }
}

Error cannot_carry(const Translation& to, std::string_view what, std::string where) {
  std::string message = "This cannot be carried to ";
  message += facet_of(to.upstream).title;
  message += ": ";
  message += what;
  return Error{ErrorCode::invalid_argument, std::move(message), std::move(where), 0, 0};
}

Error not_understood(std::string_view message, std::string where) {
  return Error{ErrorCode::invalid_argument, std::string(message), std::move(where), 0, 0};
}

std::string below(std::string where, std::string_view name) {
  json::append_token(where, name);
  return where;
}

std::string below(std::string where, std::size_t index) {
  json::append_token(where, std::uint64_t{index});
  return where;
}

const json::Value* said(const json::Value& object, std::string_view name) {
  const json::Value* const value = object.find(name);
  return value == nullptr || value->is(json::Kind::null) ? nullptr : value;
}

Result<ModelRequest> translated_request(Wire client, std::string_view body, Wire upstream,
                                        std::vector<std::string>* lost) {
  json::Arena arena;
  const Result<json::Value> root = json::parse(body, arena, {depth_max, body.size()});
  if (!root) {
    return root.error();
  }
  if (!root.value().is(json::Kind::object)) {
    return not_understood("The body must be a JSON object", "");
  }
  Translation to{client, upstream, {}, {}, {}};
  const bool openai = client == Wire::openai;
  const bool responses = client == Wire::responses;
  const bool ollama = client == Wire::ollama;
  Result<bool> read = read_members(to, root.value());
  if (read && responses) {
    read = read_responses_input(to, root.value());
  } else if (read) {
    const json::Value* const messages = root.value().find("messages");
    if (messages == nullptr || !messages->is(json::Kind::array)) {
      return not_understood("The messages must be a list", "/messages");
    }
    read = openai   ? read_openai_messages(to, *messages)
           : ollama ? read_ollama_messages(to, *messages)
                    : read_anthropic_messages(to, root.value());
  }
  if (read) {
    read = responses          ? read_responses_tools(to, root.value())
           : openai || ollama ? read_openai_tools(to, root.value())
                              : read_anthropic_tools(to, root.value());
  }
  if (!read) {
    return read.error();
  }
  if (ollama) {
    fit_temperature(to);
  }
  choose_sampling(to);
  lose_strict_tools(to);
  gather_options(to);
  name_tools(to.out);
  move_result_images(to.out);
  if (lost != nullptr) {
    *lost = std::move(to.lost);
  }
  return std::move(to.out);
}

}  // namespace plumb::wire
