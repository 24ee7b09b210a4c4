// Routes about client keys: made, listed and revoked with the operator's token.
#include "core/json/arena.hpp"
#include "native/control/control.hpp"
#include "native/control/route_table.hpp"

namespace plumb::control {

namespace {

constexpr std::size_t revoked_max = 1'000;

Answer no_keys() { return refuse(Wrong::not_found, "This server keeps no client keys."); }

Answer answer_of(int status, Result<std::string> result) {
  return result ? json_answer(status, std::move(result).value()) : refuse(result.error());
}

}  // namespace

Answer get_keys(Control& control, const Request& request) {
  if (std::optional<Answer> refused = unknown_query(request, {})) {
    return std::move(*refused);
  }
  return control.client_keys ? answer_of(200, control.client_keys.list()) : no_keys();
}

Answer post_key(Control& control, const Request& request) {
  if (!control.client_keys) {
    return no_keys();
  }
  json::Arena arena;
  const Result<json::Value> read = json::parse(*request.body, arena);
  if (!read) {
    return refuse(Wrong::bad_request, read.error());
  }
  return answer_of(201, control.client_keys.create(read.value()));
}

Answer post_client_token(Control& control, const Request& request) {
  if (!control.client_keys.token) {
    return refuse(Wrong::not_found, "No proxy runs here that could take a client token.");
  }
  json::Arena arena;
  const Result<json::Value> read = json::parse(*request.body, arena);
  if (!read || !read.value().is(json::Kind::object)) {
    return read ? refuse(Wrong::bad_request, "The body is a JSON object.") : refuse(Wrong::bad_request, read.error());
  }
  return answer_of(201, control.client_keys.token(read.value(), request.client_key));
}

Answer post_revoke_keys(Control& control, const Request& request) {
  if (!control.client_keys) {
    return no_keys();
  }
  json::Arena arena;
  const Result<json::Value> read = json::parse(*request.body, arena);
  if (!read) {
    return refuse(Wrong::bad_request, read.error());
  }
  const json::Value* list = read.value().find("keys");
  std::vector<std::string> keys;
  for (const json::Value& one : list == nullptr ? std::span<const json::Value>() : list->array()) {
    if (one.is(json::Kind::string) && one.size != 0) {
      keys.emplace_back(one.str());
    }
  }
  if (list == nullptr || keys.empty() || keys.size() != list->array().size() || keys.size() > revoked_max ||
      read.value().object().size() != 1) {
    return refuse(Wrong::bad_request, R"(The body is {"keys": ["ID", ...]}, with 1 to 1000 ids, names or keys.)");
  }
  return answer_of(200, control.client_keys.revoke(keys));
}

}  // namespace plumb::control
