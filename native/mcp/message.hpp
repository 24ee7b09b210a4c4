// One message of JSON-RPC as the Model Context Protocol has it, and the revisions of that protocol.
//
//   json::Arena arena;
//   Result<Message> message = read_message(text, arena);
//   if (message.value().kind == MessageKind::request) { message.value().method ... }
//
// Strict JSON: what two readers could take for two things (a member twice, no UTF-8, a batch) is no message.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/json/value.hpp"
#include "core/result.hpp"

namespace plumb::mcp {

// The newest first. From 2026-07-28 on each request says what it is of, and there is no handshake; before, a session
// begins with `initialize`.
inline constexpr std::array<std::string_view, 4> revisions = {"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"};
inline constexpr std::string_view newest_with_handshake = revisions[1];
bool is_known_revision(std::string_view revision);
// It has no handshake.
bool is_stateless(std::string_view revision);

inline constexpr std::size_t message_bytes_max = std::size_t{64} << 20;

enum class MessageKind : std::uint8_t { request, notification, response };

struct Message {
  MessageKind kind = MessageKind::request;
  std::string_view text;  // all of it
  std::string_view method;
  const json::Value* id = nullptr;
  const json::Value* params = nullptr;
  const json::Value* result = nullptr;  // of a response; null where it is an error

  // As written in the text.
  std::string_view slice(const json::Value& value) const;
  // A member of `params`, of `result`; null where there is none.
  const json::Value* param(std::string_view name) const;
  const json::Value* in_result(std::string_view name) const;
  // What `_meta` of a request says; empty where it says nothing.
  std::string_view meta(std::string_view name) const;
  std::string_view revision() const { return meta("io.modelcontextprotocol/protocolVersion"); }
};

// The views are of `text` and `arena`. `lenient`: as clients of the Language Server Protocol write it, with `params` or
// `result` null, and a result of any kind.
Result<Message> read_message(std::string_view text, json::Arena& arena, bool lenient = false);

// Equal for ids that a client may take for the same.
std::string id_key(const json::Value& id);

// Codes of errors.
inline constexpr int parse_error = -32700;
inline constexpr int invalid_request = -32600;
inline constexpr int method_not_found = -32601;
inline constexpr int invalid_params = -32602;
inline constexpr int header_mismatch = -32020;
inline constexpr int unsupported_revision = -32022;

// `id` is JSON, or empty; `data` too.
std::string error_message(std::string_view id, int code, std::string_view what, std::string_view data = {});
std::string result_message(std::string_view id, std::string_view result);
// The result of a call that was not well: its text is for the model.
std::string failed_call(std::string_view id, std::string_view text, bool stateless);

}  // namespace plumb::mcp
