#include "native/mcp/own_server.hpp"

#include <algorithm>

#include "core/json/writer.hpp"
#include "native/base/version.hpp"

namespace plumb::mcp {

namespace {

constexpr std::uint64_t list_holds_ms = 3'600'000;
constexpr std::string_view instructions =
    "Plumbline tells whether what a language model produced is good enough to pass on. Check an artifact under a "
    "contract before you hand it on; explain tells what a finding's rule means.";

void append_server(json::Writer& json) {
  json.begin_object().member("name", "plumbline").member("title", "Plumbline").member("version", version).end_object();
}

// The members that every result without a handshake has.
void begin_result(json::Writer& json, bool stateless) {
  json.begin_object();
  if (!stateless) {
    return;
  }
  json.member("resultType", "complete").key("_meta").begin_object().key("io.modelcontextprotocol/serverInfo");
  append_server(json);
  json.end_object();
}

void append_hints(json::Writer& json, bool stateless) {
  if (stateless) {
    json.member_uint("ttlMs", list_holds_ms).member("cacheScope", "public");
  }
}

void append_revisions(json::Writer& json) {
  json.begin_array();
  for (const std::string_view one : revisions) {
    json.string(one);
  }
  json.end_array();
}

std::string initialized(std::string_view asked) {
  std::string out;
  json::Writer json(out);
  const bool takes = is_known_revision(asked) && !is_stateless(asked);
  json.begin_object().member("protocolVersion", takes ? asked : newest_with_handshake);
  json.key("capabilities").begin_object().key("tools").begin_object().end_object().end_object();
  json.key("serverInfo");
  append_server(json);
  json.member("instructions", instructions).end_object();
  return out;
}

std::string discovered() {
  std::string out;
  json::Writer json(out);
  begin_result(json, true);
  json.key("supportedVersions");
  append_revisions(json);
  json.key("capabilities").begin_object().key("tools").begin_object().end_object().end_object();
  json.member("instructions", instructions);
  append_hints(json, true);
  json.end_object();
  return out;
}

std::string listed(bool stateless) {
  std::string out;
  json::Writer json(out);
  begin_result(json, stateless);
  json.key("tools").begin_array();
  for (const Tool& tool : tools()) {
    json.begin_object().member("name", tool.name).member("title", tool.title).member("description", tool.description);
    json.key("inputSchema").raw(tool.input).key("outputSchema").raw(tool.output);
    json.key("annotations").begin_object().member_boolean("readOnlyHint", true).member_boolean("idempotentHint", true);
    json.member_boolean("openWorldHint", false).end_object().end_object();
  }
  json.end_array();
  append_hints(json, stateless);
  json.end_object();
  return out;
}

std::string called(const ToolAnswer& answer, bool stateless) {
  std::string out;
  json::Writer json(out);
  begin_result(json, stateless);
  json.key("content").begin_array().begin_object().member("type", "text").member("text", answer.text).end_object();
  json.end_array();
  if (answer.is_error) {
    json.member_boolean("isError", true);
  } else {
    json.key("structuredContent").raw(answer.text);
  }
  json.end_object();
  return out;
}

// Nothing where it is none.
std::optional<std::string> base64_decoded(std::string_view text) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  unsigned held = 0;
  while (!text.empty() && text.back() == '=') {
    text.remove_suffix(1);
  }
  for (const char c : text) {
    const std::size_t digit = alphabet.find(c);
    if (digit == std::string_view::npos) {
      return std::nullopt;
    }
    bits = (bits << 6U) | static_cast<std::uint32_t>(digit);
    held += 6;
    if (held >= 8) {
      held -= 8;
      out += static_cast<char>((bits >> held) & 0xFFU);
    }
  }
  return out;
}

std::optional<std::string> decoded(std::string_view said) {
  constexpr std::string_view before = "=?base64?";
  constexpr std::string_view after = "?=";
  if (said.size() < before.size() + after.size() || !said.starts_with(before) ||
      said.substr(said.size() - after.size()) != after) {
    return std::string(said);
  }
  return base64_decoded(said.substr(before.size(), said.size() - before.size() - after.size()));
}

}  // namespace

std::string header_value(std::string_view name) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const bool plain = !name.empty() && name.front() != ' ' && name.back() != ' ' && !name.starts_with("=?") &&
                     std::all_of(name.begin(), name.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
  if (plain) {
    return std::string(name);
  }
  std::string out = "=?base64?";
  for (std::size_t i = 0; i < name.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = (bits << 8U) | (i + k < name.size() ? static_cast<unsigned char>(name[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += i + k > name.size() ? '=' : alphabet[(bits >> (18 - 6 * k)) & 63U];
    }
  }
  return out + "?=";
}

std::optional<std::string> header_trouble(const Message& message, const HttpSaid& http) {
  const auto differs = [](std::string_view header, std::string_view said, std::string_view in_body) {
    return std::string("Header mismatch: ") + (said.empty()
                                                   ? std::string(header) + " is missing"
                                                   : std::string(header) + " says '" + json::excerpt(said, 60) +
                                                         "', the body '" + json::excerpt(in_body, 60) + "'");
  };
  if (http.revision != message.revision()) {
    return differs("MCP-Protocol-Version", http.revision, message.revision());
  }
  if (http.method != message.method) {
    return differs("Mcp-Method", http.method, message.method);
  }
  const std::string_view named = message.method == "resources/read" ? "uri" : "name";
  if (message.method != "tools/call" && message.method != "resources/read" && message.method != "prompts/get") {
    return std::nullopt;
  }
  const json::Value* said = message.param(named);
  const std::string_view in_body = said == nullptr ? std::string_view() : said->str();
  const std::optional<std::string> name = decoded(http.name);
  if (!name || *name != in_body) {
    return differs("Mcp-Name", http.name, in_body);
  }
  return std::nullopt;
}

Reply OwnServer::handle(std::string_view text, const HttpSaid* http) const {
  json::Arena arena;
  const Result<Message> read = read_message(text, arena);
  if (!read) {
    const bool is_json = static_cast<bool>(json::parse(text, arena));
    return {400, error_message({}, is_json ? invalid_request : parse_error, read.error().message)};
  }
  const Message& message = read.value();
  const std::string_view id = message.id == nullptr ? std::string_view() : message.slice(*message.id);
  if (message.kind != MessageKind::request) {
    return {202, {}};
  }
  const std::string_view revision = message.revision();
  const bool says_so = !revision.empty() || (http != nullptr && is_stateless(http->revision));
  if (!says_so) {
    // Before 2025-06-18 nobody sent the header.
    if (http != nullptr && !http->revision.empty() && !is_known_revision(http->revision)) {
      return {400, error_message(id, invalid_request,
                                 "unsupported MCP-Protocol-Version: " + json::excerpt(http->revision, 40))};
    }
    return answer(message, false, http != nullptr);
  }
  if (http != nullptr) {
    if (const std::optional<std::string> trouble = header_trouble(message, *http)) {
      return {400, error_message(id, header_mismatch, *trouble)};
    }
  }
  if (!is_known_revision(revision) || !is_stateless(revision)) {
    std::string data;
    json::Writer json(data);
    json.begin_object().key("supported");
    append_revisions(json);
    json.member("requested", revision).end_object();
    return {400, error_message(id, unsupported_revision, "Unsupported protocol version", data)};
  }
  const json::Value* capabilities = message.param("_meta")->find("io.modelcontextprotocol/clientCapabilities");
  if (capabilities == nullptr || !capabilities->is(json::Kind::object)) {
    return {400,
            error_message(id, invalid_params, "_meta must have io.modelcontextprotocol/clientCapabilities, an object")};
  }
  return answer(message, true, http != nullptr);
}

Reply OwnServer::answer(const Message& message, bool stateless, bool http) const {
  const std::string_view id = message.slice(*message.id);
  const auto result = [&](std::string_view text) { return Reply{200, result_message(id, text)}; };
  if (message.method == "initialize" && !stateless) {
    const json::Value* asked = message.param("protocolVersion");
    return result(initialized(asked == nullptr ? std::string_view() : asked->str()));
  }
  if (message.method == "ping" && !stateless) {
    return result("{}");
  }
  if (message.method == "server/discover" && stateless) {
    return result(discovered());
  }
  if (message.method == "tools/list") {
    if (const json::Value* cursor = message.param("cursor"); cursor != nullptr && !cursor->is(json::Kind::null)) {
      return {200, error_message(id, invalid_params, "there is one page of tools: no cursor is known")};
    }
    return result(listed(stateless));
  }
  if (message.method != "tools/call") {
    return {http && stateless ? 404 : 200,
            error_message(id, method_not_found, "Method not found: " + json::excerpt(message.method, 60))};
  }
  const json::Value* name = message.param("name");
  const Tool* tool = name == nullptr ? nullptr : tool_named(name->str());
  if (tool == nullptr) {
    return {200, error_message(id, invalid_params,
                               "Unknown tool: " + json::excerpt(name == nullptr ? "" : name->str(), 60))};
  }
  const json::Value* arguments = message.param("arguments");
  return result(called(call_tool(*tool, arguments == nullptr ? "{}" : message.slice(*arguments), setting_), stateless));
}

}  // namespace plumb::mcp
