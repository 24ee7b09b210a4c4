#include "core/stranger/asked.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/ascii.hpp"
#include "core/json/decimal.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/text/tokens.hpp"
#include "core/wire/strict_schema.hpp"

namespace plumb::stranger {

namespace {

using json::Kind;
using json::list_of;
using json::number_of;
using json::text_of;
using json::Value;
using wire::Wire;

constexpr std::uint32_t depth_max = 128;

constexpr std::array<std::string_view, 38> openai_members = {"model",
                                                             "messages",
                                                             "tools",
                                                             "tool_choice",
                                                             "parallel_tool_calls",
                                                             "response_format",
                                                             "temperature",
                                                             "max_tokens",
                                                             "stop",
                                                             "max_completion_tokens",
                                                             "stream",
                                                             "stream_options",
                                                             "n",
                                                             "top_p",
                                                             "presence_penalty",
                                                             "logit_bias",
                                                             "logprobs",
                                                             "top_logprobs",
                                                             "frequency_penalty",
                                                             "seed",
                                                             "user",
                                                             "store",
                                                             "metadata",
                                                             "reasoning_effort",
                                                             "service_tier",
                                                             "modalities",
                                                             "audio",
                                                             "prediction",
                                                             "verbosity",
                                                             "web_search_options",
                                                             "functions",
                                                             "function_call",
                                                             "moderation",
                                                             "prompt_cache_key",
                                                             "prompt_cache_retention",
                                                             "safety_identifier",
                                                             "top_k",
                                                             "min_p"};
constexpr std::array<std::string_view, 20> anthropic_members = {
    "model",       "messages",  "system",         "tools",         "tool_choice",        "temperature",  "max_tokens",
    "stream",      "top_p",     "stop_sequences", "top_k",         "metadata",           "thinking",     "service_tier",
    "mcp_servers", "container", "output_config",  "cache_control", "context_management", "output_format"};

std::string_view id_of(Wire wire, std::string_view openai, std::string_view anthropic, std::string_view ollama) {
  return wire == Wire::openai ? openai : wire == Wire::anthropic ? anthropic : ollama;
}

bool is_name(std::string_view name, std::size_t most) {
  return !name.empty() && name.size() <= most &&
         std::all_of(name.begin(), name.end(), [](char c) { return ascii::is_word(c) || c == '-'; });
}

// -1, 0 or 1: below, within or above.
int outside(std::string_view number, std::string_view low, std::string_view high) {
  json::Decimal value;
  json::Decimal from;
  json::Decimal to;
  for (const auto& [text, into] : {std::pair{number, &value}, std::pair{low, &from}, std::pair{high, &to}}) {
    if (json::Decimal::read(text, json::Decimal::exponent_max_default, *into) != json::DecimalStatus::ok) {
      return 1;
    }
  }
  return compare(value, from) < 0 ? -1 : compare(value, to) > 0 ? 1 : 0;
}

class PromptReader {
 public:
  PromptReader(Wire wire, const Value& body, ReadRequest& out)
      : wire_(wire), body_(body), out_(out), asked_(out.asked) {}

  void read() {
    asked_.wire = wire_;
    asked_.model = std::string(text_of(body_, "model"));
    const bool messages = body_.find("messages") != nullptr && body_.find("messages")->is(Kind::array) &&
                          (wire_ == Wire::ollama || body_.find("messages")->size > 0);
    if (asked_.model.empty() || !messages || (wire_ == Wire::anthropic && (number_of(body_, "max_tokens") == 0))) {
      no(id_of(wire_, "openai-body", "anthropic-body", "ollama-body"),
         asked_.model.empty() ? "you must provide a model parameter"
         : messages           ? "max_tokens: Field required"
                              : "messages: a list with at least one message is required");
      return;
    }
    Result<Manner> manner = read_manner(asked_.model);
    if (!manner) {
      out_.refused =
          refuse(id_of(wire_, "openai-model", "anthropic-model", "ollama-model"),
                 "The model '" + asked_.model + "' does not exist: " + manner.error().message, "model_not_found", 404);
      return;
    }
    out_.manner = std::move(manner).value();
    known_members();
    settings();
    if (wire_ == Wire::anthropic && body_.find("system") != nullptr) {
      asked_.messages.push_back(message_of("system", *body_.find("system")));
    }
    for (const Value& one : list_of(body_, "messages")) {
      if (!out_.refused) {
        message(one);
      }
    }
    if (!out_.refused) {
      turns();
    }
    if (!out_.refused) {
      tools();
    }
    if (!out_.refused) {
      format();
    }
    if (!out_.refused) {
      context();
    }
  }

 private:
  void no(std::string_view id, std::string message, std::string code = {}) {
    if (!out_.refused) {
      out_.refused = refuse(id, std::move(message), std::move(code));
    }
  }

  void held_to_strict(const Value& schema, const std::string& where) {
    if (const auto problem = wire::strict_problem(wire_, schema)) {
      no(problem->id, "Invalid schema for " + where + ": " + problem->message,
         wire_ == Wire::openai ? "invalid_json_schema" : "");
    }
  }

  void known_members() {
    if (wire_ == Wire::ollama) {
      return;  // it passes over what it does not know
    }
    for (const json::Member& member : body_.object()) {
      const bool known =
          wire_ == Wire::openai
              ? std::find(openai_members.begin(), openai_members.end(), member.key) != openai_members.end()
              : std::find(anthropic_members.begin(), anthropic_members.end(), member.key) != anthropic_members.end();
      if (!known) {
        no(id_of(wire_, "openai-member", "anthropic-member", ""),
           wire_ == Wire::openai ? "Unrecognized request argument supplied: " + std::string(member.key)
                                 : std::string(member.key) + ": Extra inputs are not permitted");
      }
    }
  }

  void settings() {
    const Value* options = wire_ == Wire::ollama ? body_.find("options") : &body_;
    if (options != nullptr) {
      const Value* temperature = options->find("temperature");
      if (temperature != nullptr && temperature->is(Kind::number)) {
        asked_.temperature = std::string(temperature->str());
      }
      const Value* stop = options->find(wire_ == Wire::anthropic ? "stop_sequences" : "stop");
      if (stop != nullptr && stop->is(Kind::string)) {
        asked_.stop.emplace_back(stop->str());
      }
      for (const Value& one : stop == nullptr ? std::span<const Value>() : stop->array()) {
        asked_.stop.emplace_back(one.str());
      }
      asked_.tokens_max = wire_ == Wire::ollama ? number_of(*options, "num_predict")
                                                : std::max(number_of(*options, "max_tokens"),
                                                           number_of(*options, "max_completion_tokens"));
      asked_.context = number_of(*options, "num_ctx");
    }
    const Value* stream = body_.find("stream");
    asked_.stream = stream == nullptr ? wire_ == Wire::ollama : stream->boolean;
    const Value* stream_options = body_.find("stream_options");
    const bool stream_said = stream_options != nullptr && !stream_options->is(Kind::null);
    if (wire_ == Wire::openai && stream_said && !asked_.stream) {
      no("openai-stream-options", "The 'stream_options' parameter is only allowed when 'stream' is enabled.");
    }
    asked_.usage = wire_ != Wire::openai || (stream_said && json::flag_of(*stream_options, "include_usage"));
    if (!asked_.temperature.empty() && wire_ != Wire::ollama) {
      const bool openai = wire_ == Wire::openai;
      if (outside(asked_.temperature, "0", openai ? "2" : "1") != 0) {
        no(openai ? "openai-temperature" : "anthropic-temperature",
           "temperature: " + asked_.temperature + " is out of range");
      } else if (openai && !out_.manner.sampling && outside(asked_.temperature, "1", "1") != 0) {
        no("openai-sampling",
           "Unsupported value: 'temperature' does not support " + asked_.temperature +
               " with this model. Only the default (1) value is supported.",
           "unsupported_value");
      }
    }
    if (wire_ == Wire::openai && asked_.stop.size() > 4) {
      no("openai-stop", "Invalid 'stop': array too long. Expected at most 4 items.");
    }
  }

  AskedMessage message_of(std::string_view role, const Value& content) {
    AskedMessage out;
    out.role = std::string(role);
    if (content.is(Kind::string)) {
      out.text = std::string(content.str());
    }
    for (const Value& part : content.array()) {
      const std::string_view type = text_of(part, "type");
      if (type == "text") {
        out.text += text_of(part, "text");
        if (wire_ == Wire::anthropic && text_of(part, "text").empty()) {
          no("anthropic-empty", "messages: text content blocks must be non-empty");
        }
      } else if (type == "tool_use") {
        out.calls.emplace_back(text_of(part, "id"));
      } else if (type == "tool_result") {
        out.answers.emplace_back(text_of(part, "tool_use_id"));
        const Value* said = part.find("content");
        out.text += said == nullptr ? std::string() : message_of("tool", *said).text;
      }
    }
    return out;
  }

  void message(const Value& one) {
    constexpr std::array<std::string_view, 6> openai = {"developer", "system", "user", "assistant", "tool", "function"};
    constexpr std::array<std::string_view, 2> anthropic = {"user", "assistant"};
    const std::string_view role = text_of(one, "role");
    const bool known = wire_ == Wire::openai ? std::find(openai.begin(), openai.end(), role) != openai.end()
                       : wire_ == Wire::anthropic
                           ? std::find(anthropic.begin(), anthropic.end(), role) != anthropic.end()
                           : true;
    if (!known) {
      no(id_of(wire_, "openai-role", "anthropic-role", ""), "messages: '" + std::string(role) + "' is no role here");
      return;
    }
    static const Value nothing{};
    const Value* content = one.find("content");
    AskedMessage read = message_of(role, content == nullptr ? nothing : *content);
    if (wire_ == Wire::anthropic && read.text.empty() && read.calls.empty() && read.answers.empty()) {
      no("anthropic-empty", "messages: all messages must have non-empty content");
    }
    for (const Value& call : list_of(one, "tool_calls")) {
      read.calls.emplace_back(text_of(call, "id"));
    }
    if (role == "tool" && one.find("tool_call_id") != nullptr) {
      read.answers.emplace_back(text_of(one, "tool_call_id"));
    }
    asked_.messages.push_back(std::move(read));
  }

  // Calls of tools and their answers stand in turn.
  void turns() {
    if (wire_ == Wire::ollama) {
      return;
    }
    const std::string_view id = id_of(wire_, "openai-tool-answer", "anthropic-tool-answer", "");
    std::vector<std::string> open;
    for (const AskedMessage& one : asked_.messages) {
      if (wire_ == Wire::anthropic && &one == &asked_.messages.front() && one.role == "assistant") {
        no("anthropic-role", "messages: first message must use the \"user\" role");
        return;
      }
      const bool answers = !one.answers.empty() || one.role == "tool";
      if (!answers && !open.empty()) {
        no(id, "the call " + open.front() + " of a tool is not answered by the message that follows it");
        return;
      }
      for (const std::string& call : one.answers) {
        const auto found = std::find(open.begin(), open.end(), call);
        if (found == open.end()) {
          no(id, "the answer of a tool names the call '" + call + "', which the message before it has not made");
          return;
        }
        open.erase(found);
      }
      if (wire_ == Wire::anthropic && !open.empty()) {
        no(id, "the call " + open.front() + " of a tool has no tool_result in the next message");
        return;
      }
      open.insert(open.end(), one.calls.begin(), one.calls.end());
    }
    if (!open.empty()) {
      no(id, "the call " + open.front() + " of a tool is not answered");
    }
  }

  void tools() {
    const bool anthropic = wire_ == Wire::anthropic;
    const std::string_view id = id_of(wire_, "openai-tools", "anthropic-tools", "ollama-notools");
    std::string wanted;
    for (const Value& one : list_of(body_, "tools")) {
      const Value* function = anthropic ? &one : one.find("function");
      AskedTool tool;
      const Value* schema = function == nullptr ? nullptr : function->find(anthropic ? "input_schema" : "parameters");
      tool.name = function == nullptr ? std::string() : std::string(text_of(*function, "name"));
      tool.strict = function != nullptr && json::flag_of(*function, "strict");
      tool.schema = schema == nullptr ? "{\"type\":\"object\"}" : json::value_text(*schema);
      const bool typed = schema != nullptr && text_of(*schema, "type") == "object";
      const std::string_view about = function == nullptr ? std::string_view() : text_of(*function, "description");
      if (about.find("answer by calling this tool") != std::string_view::npos) {
        wanted = tool.name;  // its words ask for what Ollama has no member for
      }
      if (wire_ != Wire::ollama && !is_name(tool.name, anthropic ? 128 : 64)) {
        no(anthropic ? id : "openai-name", "tools: '" + tool.name + "' is no name of a tool");
        return;
      }
      if (anthropic && !typed) {
        no(id, "tools." + tool.name + ".input_schema.type: Field required to be 'object'");
        return;
      }
      if (wire_ == Wire::openai && schema != nullptr && !typed) {
        no("openai-root", "Invalid schema for function '" + tool.name + "': schema must be of type object",
           "invalid_function_parameters");
        return;
      }
      if (tool.strict && schema != nullptr && wire_ != Wire::ollama) {
        held_to_strict(*schema, "function '" + tool.name + "'");
        if (out_.refused) {
          return;
        }
      }
      asked_.tools.push_back(std::move(tool));
    }
    if (asked_.tools.size() > 128 && wire_ == Wire::openai) {
      no(id, "tools: more than 128");
    }
    if (!asked_.tools.empty() && !out_.manner.tools) {
      no(id_of(wire_, "openai-notools", "anthropic-notools", "ollama-notools"),
         asked_.model + " does not support tools");
    }
    choice();
    if (asked_.may_call == MayCall::may && !wanted.empty()) {
      asked_.may_call = MayCall::must;
      asked_.tool = wanted;
    }
  }

  void choice() {
    const Value* choice = body_.find("tool_choice");
    if (choice != nullptr && wire_ != Wire::ollama) {
      const std::string_view said = choice->is(Kind::string) ? choice->str() : text_of(*choice, "type");
      asked_.may_call = said == "none" ? MayCall::no : said == "auto" ? MayCall::may : MayCall::must;
      if (const Value* function = choice->find("function")) {
        asked_.tool = std::string(text_of(*function, "name"));
      } else if (said == "tool") {
        asked_.tool = std::string(text_of(*choice, "name"));
      }
      asked_.one_call = json::flag_of(*choice, "disable_parallel_tool_use");
      const bool there =
          asked_.tool.empty() || std::any_of(asked_.tools.begin(), asked_.tools.end(),
                                             [&](const AskedTool& tool) { return tool.name == asked_.tool; });
      if (!there || asked_.tools.empty()) {
        no(id_of(wire_, "openai-tools", "anthropic-tools", ""),
           "tool_choice: '" + std::string(asked_.tool.empty() ? said : asked_.tool) + "' needs a tool of that name");
      }
    }
    if (const Value* parallel = body_.find("parallel_tool_calls")) {
      asked_.one_call = parallel->is(Kind::boolean) && !parallel->boolean;
    }
  }

  void format() {
    const Value* schema = nullptr;
    if (wire_ == Wire::openai) {
      const Value* format = body_.find("response_format");
      const std::string_view type = format == nullptr ? std::string_view("text") : text_of(*format, "type");
      asked_.json = type == "json_object";
      if (asked_.json && !says_json()) {
        no("openai-json-word",
           "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.");
      }
      const Value* named = format == nullptr ? nullptr : format->find("json_schema");
      if (type == "json_schema" && named != nullptr) {
        schema = named->find("schema");
        asked_.schema_name = std::string(text_of(*named, "name"));
        asked_.schema_strict = json::flag_of(*named, "strict");
        if (!is_name(asked_.schema_name, 64)) {
          no("openai-name", "response_format: '" + asked_.schema_name + "' is no name of a schema");
        }
      }
    } else if (wire_ == Wire::anthropic) {
      const Value* config = body_.find("output_config");
      const Value* format = config == nullptr ? body_.find("output_format") : config->find("format");
      schema = format == nullptr ? nullptr : format->find("schema");
      asked_.schema_strict = schema != nullptr;
    } else if (const Value* format = body_.find("format"); format != nullptr && !format->is(Kind::null)) {
      asked_.json = format->str() == "json";
      schema = format->is(Kind::object) ? format : nullptr;
      if (!asked_.json && schema == nullptr && !format->str().empty()) {
        no("ollama-format", "invalid format: expected \"json\" or a JSON schema");
      }
    }
    if (schema == nullptr) {
      return;
    }
    asked_.schema = json::value_text(*schema);
    const std::string where = "response_format '" + asked_.schema_name + "'";
    if (wire_ == Wire::openai && text_of(*schema, "type") != "object") {
      no("openai-root",
         "Invalid schema for " + where + ": schema must be a JSON Schema of 'type: \"object\"', got 'type: \"" +
             std::string(text_of(*schema, "type")) + "\"'.",
         "invalid_json_schema");
    } else if (asked_.schema_strict) {
      held_to_strict(*schema, where);
    }
  }

  bool says_json() const {
    return std::any_of(asked_.messages.begin(), asked_.messages.end(), [](const AskedMessage& one) {
      for (std::size_t i = 0; i + 4 <= one.text.size(); ++i) {
        const auto lower = [&](std::size_t at) { return static_cast<char>(one.text[i + at] | 0x20); };
        if (lower(0) == 'j' && lower(1) == 's' && lower(2) == 'o' && lower(3) == 'n') {
          return true;
        }
      }
      return false;
    });
  }

  void context() {
    for (const AskedMessage& one : asked_.messages) {
      asked_.input_tokens += 4 + text::estimate_tokens(one.text).likely;
    }
    for (const AskedTool& tool : asked_.tools) {
      asked_.input_tokens += text::estimate_tokens(tool.schema).likely;
    }
    if (wire_ == Wire::ollama) {
      constexpr std::uint64_t usual = 4'096;
      const std::uint64_t wanted = asked_.context == 0 ? usual : asked_.context;
      asked_.context = out_.manner.context == 0 ? wanted : std::min(wanted, out_.manner.context);
      return;
    }
    const bool openai = wire_ == Wire::openai;
    asked_.context = out_.manner.context != 0 ? out_.manner.context : openai ? 128'000 : 200'000;
    const std::uint64_t total = asked_.input_tokens + asked_.tokens_max;
    if (asked_.input_tokens > asked_.context || total > asked_.context) {
      const std::string most = json::uint_text(asked_.context);
      no(openai ? "openai-context" : "anthropic-context",
         openai ? "This model's maximum context length is " + most + " tokens. However, you requested " +
                      json::uint_text(total) + " tokens (" + json::uint_text(asked_.input_tokens) +
                      " in the messages, " + json::uint_text(asked_.tokens_max) +
                      " in the completion). Please reduce the length of the messages or completion."
                : "prompt is too long: " + json::uint_text(total) + " tokens > " + most + " maximum",
         openai ? "context_length_exceeded" : "");
    }
  }

  Wire wire_;
  const Value& body_;
  ReadRequest& out_;
  Asked& asked_;
};

}  // namespace

ReadRequest read_asked(Wire wire, std::string_view body) {
  ReadRequest out;
  json::Arena arena;
  const Result<Value> tree = json::parse(body, arena, {depth_max, std::uint64_t{64} << 20U});
  if (!tree || !tree.value().is(Kind::object)) {
    out.asked.wire = wire;
    out.refused = refuse(id_of(wire, "openai-body", "anthropic-body", "ollama-body"),
                         "We could not parse the JSON body of your request" +
                             (tree ? std::string(": it is no object") : ": " + tree.error().message));
    return out;
  }
  PromptReader(wire, tree.value(), out).read();
  return out;
}

}  // namespace plumb::stranger
