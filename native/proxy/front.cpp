#include "native/proxy/front.hpp"

#include <algorithm>

#include "core/json/writer.hpp"
#include "core/wire/reply_writer.hpp"
#include "native/host/contained.hpp"
#include "native/proxy/http_head.hpp"

namespace plumb::proxy {

namespace {

constexpr std::string_view json_type = "content-type: application/json\r\n";
constexpr std::string_view models_path = "/v1/models";
constexpr std::string_view chat_path = "/v1/chat/completions";
constexpr std::string_view messages_path = "/v1/messages";

wire::Failure failure(wire::FailureClass failure_class, int status, std::string_view code, std::string_view message) {
  wire::Failure made = wire::make_failure(failure_class, message);
  made.status = status;
  made.code = code;
  return made;
}

bool is_ours(std::string_view path) {
  return path == chat_path || path == messages_path || path == models_path || path == "/healthz" ||
         path.starts_with("/v1/models/");
}

std::string_view methods_of(std::string_view path) {
  return path == chat_path || path == messages_path ? "POST, OPTIONS" : "GET, HEAD, OPTIONS";
}

// The names in an Access-Control-Request-Headers, which is repeated in the answer, hold nothing else.
bool are_names(std::string_view text) {
  return text.size() <= 4'096 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
                  c == ',' || c == ' ';
         });
}

void write_openai_model(json::Writer& json, std::string_view name) {
  json.begin_object().member("id", name).member("object", "model").member_uint("created", 0);
  json.member("owned_by", "plumb").end_object();
}

void write_anthropic_model(json::Writer& json, std::string_view name) {
  json.begin_object().member("type", "model").member("id", name).member("display_name", name);
  json.member("created_at", "1970-01-01T00:00:00Z").end_object();
}

// What may be said when not even an error can be written.
constexpr std::string_view internal_error =
    R"({"error":{"type":"api_error","message":"The proxy met an error of its own; its log says where","param":null,)"
    R"("code":"internal_error"}})";

}  // namespace

std::string Front::problem(int status, std::string_view message) {
  std::string text(internal_error);
  if (const std::optional<std::string> broken = host::contained([&] { text = problem_text(status, message); }))
    services_.policy.tell("error", "internal_error", *broken);
  return text;
}

std::shared_ptr<Answering> Front::handle(HttpRequest& request, Client& client) {
  std::shared_ptr<Answering> answering;
  const std::optional<std::string> broken = host::contained([&] { answering = answer(request, client); });
  if (!broken)
    return answering;
  services_.policy.tell("error", "internal_error", *broken);
  if (client.begun())
    client.cut();
  else
    client.answer(500, json_type, internal_error);
  return nullptr;
}

std::string Front::problem_text(int status, std::string_view message) {
  std::string text;
  const wire::FailureClass failure_class = status >= 500   ? wire::FailureClass::overloaded
                                           : status == 413 ? wire::FailureClass::limit
                                                           : wire::FailureClass::bad_request;
  const std::string_view code = status == 413   ? "request_too_large"
                                : status == 431 ? "headers_too_large"
                                : status == 408 ? "request_timeout"
                                : status == 503 ? "too_many_connections"
                                                : "bad_request";
  services_.policy.refused("", status, code, loop_.now());
  wire::append_failure(text, wire::Wire::openai, failure(failure_class, status, code, message));
  return text;
}

std::string Front::cors_fields(const HttpRequest& request, const Caller* caller) const {
  const std::string_view origin = request.field("origin");
  if (origin.empty() || !services_.policy.allows_origin(origin, caller))
    return {};
  return "access-control-allow-origin: " + std::string(origin) +
         "\r\nvary: origin\r\naccess-control-expose-headers: x-request-id, x-plumb-verdict, x-plumb-decision, "
         "x-plumb-cache, x-plumb-replayed, retry-after, retry-after-ms, x-ratelimit-limit-requests, "
         "x-ratelimit-remaining-requests, x-ratelimit-reset-requests, x-ratelimit-limit-tokens, "
         "x-ratelimit-remaining-tokens, x-ratelimit-reset-tokens\r\n";
}

void Front::refuse(Client& client, wire::Wire wire, const wire::Failure& what, std::string fields) {
  std::string text;
  wire::append_failure(text, wire, what);
  fields += json_type;
  fields += retry_fields(what);
  const int status = wire::status_of(what);
  if (status == 401)
    fields += "www-authenticate: Bearer\r\n";
  client.answer(status, fields, text);
}

void Front::preflight(const HttpRequest& request, Client& client) {
  std::string fields = cors_fields(request, nullptr);
  if (fields.empty()) {
    refuse(client, wire::Wire::openai,
           failure(wire::FailureClass::forbidden, 403, "origin_not_allowed",
                   "pages of this origin may not use the proxy; `origins` in plumb.yaml allows them"),
           "vary: origin\r\n");
    return;
  }
  const std::string_view path = request.target.substr(0, request.target.find('?'));
  fields += "access-control-allow-methods: ";
  fields += methods_of(path);
  fields += "\r\naccess-control-max-age: 600\r\n";
  const std::string_view wanted = request.field("access-control-request-headers");
  if (!wanted.empty() && are_names(wanted)) {
    fields += "access-control-allow-headers: ";
    fields += wanted;
    fields += "\r\n";
  }
  if (equal_names(request.field("access-control-request-private-network"), "true"))
    fields += "access-control-allow-private-network: true\r\n";
  client.answer(204, fields, "");
}

CallerPtr Front::identify(const HttpRequest& request, Client& client, wire::Wire wire, std::string& fields) {
  const Presented presented{request.field("authorization"), request.field("x-api-key"), request.field("origin")};
  Identified who = services_.policy.identify(presented, loop_.now());
  fields = cors_fields(request, who.caller.get());
  if (who.refused) {
    refuse(client, wire, *who.refused, fields);
    return nullptr;
  }
  // Without a key it is the address that is trusted, and a page's own name for this address must not be.
  if (!who.caller->keyed && !access_.is_our_host(request.field("host"))) {
    refuse(client, wire,
           failure(wire::FailureClass::forbidden, 403, "host_not_ours",
                   "the request is for another Host than this machine; call http://127.0.0.1, or use a client key"),
           fields);
    return nullptr;
  }
  return who.caller;
}

void Front::models(const HttpRequest& request, Client& client, std::string_view path, const Caller& caller,
                   std::string fields) {
  const bool anthropic = !request.field("anthropic-version").empty();
  const auto write = anthropic ? write_anthropic_model : write_openai_model;
  const std::vector<std::string> names = services_.policy.models(caller);
  std::string body;
  json::Writer json(body);
  if (path != models_path) {
    const std::string_view wanted = path.substr(models_path.size() + 1);
    if (std::find(names.begin(), names.end(), wanted) == names.end()) {
      refuse(client, anthropic ? wire::Wire::anthropic : wire::Wire::openai,
             failure(wire::FailureClass::not_found, 404, "model_not_found",
                     "there is no model '" + json::excerpt(wanted, 80) + "' here; GET /v1/models lists them"),
             std::move(fields));
      return;
    }
    write(json, wanted);
  } else {
    json.begin_object();
    if (!anthropic)
      json.member("object", "list");
    json.key("data").begin_array();
    for (const std::string& name : names)
      write(json, name);
    json.end_array();
    if (anthropic)
      json.key("has_more").boolean(false);
    json.end_object();
  }
  client.answer(200, fields + std::string(json_type), body);
}

std::shared_ptr<Answering> Front::answer(HttpRequest& request, Client& client) {
  const std::string_view path = request.target.substr(0, request.target.find('?'));
  const bool gets = request.method == "GET" || request.method == "HEAD";
  if (path == "/healthz" && gets) {
    client.answer(200, json_type, R"({"status":"ok"})");
    return nullptr;
  }
  if (request.method == "OPTIONS" && is_ours(path) && !request.field("access-control-request-method").empty()) {
    preflight(request, client);
    return nullptr;
  }
  const wire::Wire wire = path == messages_path ? wire::Wire::anthropic : wire::Wire::openai;
  const bool posts = request.method == "POST" && (path == chat_path || path == messages_path);
  const bool lists = gets && is_ours(path) && !posts && path != chat_path && path != messages_path;
  if (!posts && !lists) {
    const bool known = is_ours(path);
    const int status = known ? 405 : 404;
    services_.policy.refused("", status, known ? "method_not_allowed" : "not_found", loop_.now());
    std::string fields = cors_fields(request, nullptr);
    if (known)
      fields += "allow: " + std::string(methods_of(path)) + "\r\n";
    std::string why =
        "there is nothing at this path; there are POST /v1/chat/completions, POST /v1/messages, GET /v1/models and GET "
        "/healthz";
    if (known)
      why = std::string(path) + " is not answered for " + std::string(request.method.substr(0, 20)) + "; it takes " +
            std::string(methods_of(path));
    refuse(client, wire,
           failure(wire::FailureClass::not_found, status, known ? "method_not_allowed" : "not_found", why),
           std::move(fields));
    return nullptr;
  }
  std::string fields;
  const CallerPtr caller = identify(request, client, wire, fields);
  if (!caller)
    return nullptr;
  if (lists) {
    models(request, client, path, *caller, std::move(fields));
    return nullptr;
  }
  const std::string_view coding = request.field("content-encoding");
  if (!coding.empty() && !equal_names(coding, "identity")) {
    services_.policy.refused(path == chat_path ? chat_path : messages_path, 415, "content_encoding", loop_.now());
    refuse(client, wire,
           failure(wire::FailureClass::bad_request, 415, "content_encoding",
                   "the body is compressed (content-encoding: " + json::excerpt(coding, 40) +
                       "), which is not read here; send it as it is"),
           std::move(fields));
    return nullptr;
  }
  auto call = std::make_shared<DataCall>(services_, loop_, request, client, wire);
  call->start(caller, std::move(fields), random_());
  return call;
}

}  // namespace plumb::proxy
