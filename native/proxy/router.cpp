#include "native/proxy/router.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/json/writer.hpp"
#include "core/wire/reply_writer.hpp"
#include "native/host/contained.hpp"
#include "native/proxy/http_head.hpp"
#include "native/proxy/model_list.hpp"

namespace plumb::proxy {

namespace {

constexpr std::string_view json_type = "content-type: application/json\r\n";
constexpr std::string_view models_path = "/v1/models";
constexpr std::string_view tags_path = "/api/tags";  // Ollama's list of models
constexpr std::string_view messages_path = "/v1/messages";
constexpr std::string_view version_path = "/api/version";
// Ollama's clients ask by the version what a server can do: what is answered here came with this one.
constexpr std::string_view version_body = R"({"version":"0.12.0"})";

wire::Failure failure(wire::FailureClass failure_class, int status, std::string_view code, std::string_view message) {
  wire::Failure made = wire::make_failure(failure_class, message);
  made.status = status;
  made.code = code;
  return made;
}

bool is_list(std::string_view path) {
  return path == models_path || path == tags_path || path.starts_with("/v1/models/");
}

// The methods that a path takes; empty: there is nothing at it.
std::string_view methods_of(std::string_view target, bool passes_through) {
  const std::string_view path = target.substr(0, target.find('?'));
  if (client_route(path) != nullptr) {
    return "POST, OPTIONS";
  }
  if (is_list(path) || path == version_path || path == "/healthz" || path == "/readyz") {
    return "GET, HEAD, OPTIONS";
  }
  if (passes_through && !through_route(target).empty()) {
    return through_methods;
  }
  return kept_methods(target);
}

// What logs and metrics call it: one of ours, not whatever a client asks for.
std::string_view route_of(std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  if (const ClientRoute* const route = client_route(path)) {
    return route->path;
  }
  if (is_list(path)) {
    return path == tags_path ? tags_path : models_path;
  }
  if (const std::string_view through = through_route(target); !through.empty()) {
    return through;
  }
  return kept_methods(target).empty() ? std::string_view() : responses_path;
}

// In whose form an answer is that no call is made for.
wire::Wire wire_of(const HttpRequest& request, std::string_view path) {
  if (const ClientRoute* const route = client_route(path)) {
    return route->wire;
  }
  if (path.starts_with(responses_path)) {
    return wire::Wire::responses;
  }
  if (path.starts_with("/api/")) {
    return wire::Wire::ollama;
  }
  return path.starts_with(messages_path) || !request.field("anthropic-version").empty() ? wire::Wire::anthropic
                                                                                        : wire::Wire::openai;
}

// What is not here, by its name: "/v1/audio/speech" is `audio/speech`, "/api/show" is `api/show`.
std::string not_here(std::string_view path) {
  if (const std::string_view through = through_route(path); !through.empty()) {
    return std::string(through) + " is not served by this proxy: `passthrough: PROVIDER` in plumb.yaml passes it on";
  }
  std::string_view name = path;
  name.remove_prefix(name.starts_with("/v1/") ? 4 : name.starts_with("/api/") ? 1 : 0);
  std::string why;
  if (name != path && !name.empty()) {
    why = "'" + json::excerpt(name, 60) + "' is not served by this proxy: ";
  }
  why += "there is nothing at this path; there are";
  for (const ClientRoute& route : client_routes()) {
    why.append(" POST ").append(route.path).append(",");
  }
  return why + " GET /v1/responses/ID, GET /v1/models, GET /api/tags, GET /api/version and GET /healthz";
}

// The names in an Access-Control-Request-Headers, which is repeated in the answer, hold nothing else.
bool are_names(std::string_view text) {
  return text.size() <= 4'096 && std::all_of(text.begin(), text.end(), [](char c) {
           return ascii::is_alphanumeric(c) || c == '-' || c == '_' || c == ',' || c == ' ';
         });
}

// What may be said when not even an error can be written.
constexpr std::string_view internal_error =
    R"({"error":{"type":"api_error","message":"The proxy met an error of its own; its log says where","param":null,)"
    R"("code":"internal_error"}})";

}  // namespace

Handler::Problem Router::problem(int status, std::string_view message, const std::string& address) {
  Problem out{std::string(json_type), std::string(internal_error)};
  if (const std::optional<std::string> broken =
          host::contained([&] { out = problem_text(status, message, address); })) {
    services_.policy.tell("error", "internal_error", *broken);
  }
  return out;
}

std::shared_ptr<Answering> Router::handle(HttpRequest& request, Client& client) {
  std::shared_ptr<Answering> answering;
  const std::optional<std::string> broken = host::contained([&] { answering = answer(request, client); });
  if (!broken) {
    return answering;
  }
  services_.policy.tell("error", "internal_error", *broken);
  if (client.begun()) {
    client.cut();
  } else {
    client.answer(500, json_type, internal_error);
  }
  return nullptr;
}

Handler::Problem Router::problem_text(int status, std::string_view message, const std::string& address) {
  const wire::FailureClass failure_class = status >= 500   ? wire::FailureClass::overloaded
                                           : status == 413 ? wire::FailureClass::limit
                                                           : wire::FailureClass::bad_request;
  const std::string_view code = status == 413   ? "request_too_large"
                                : status == 431 ? "headers_too_large"
                                : status == 408 ? "request_timeout"
                                : status == 503 ? "too_many_connections"
                                                : "bad_request";
  const std::string id = id_of(random_());
  services_.policy.refused({id, address, "", "", status, code}, loop_.now());
  Problem out;
  out.fields.append(json_type).append("x-request-id: ").append(id).append("\r\n");
  wire::append_failure(out.body, wire::Wire::openai, failure(failure_class, status, code, message));
  return out;
}

std::string Router::address_of(const HttpRequest& request, const Client& client) const {
  constexpr std::string_view name = "x-forwarded-for";
  std::string_view forwarded;  // the last of that name: each proxy adds behind what it was given
  for (const HttpField& field : request.fields) {
    if (field.name.size() == name.size() && equal_names(field.name, name)) {
      forwarded = field.value;
    }
  }
  return services_.policy.client_of(client.address(), forwarded);
}

std::string Router::cors_fields(const HttpRequest& request, const Caller* caller, bool anyway) const {
  const std::string_view origin = request.field("origin");
  if (origin.empty() || (!anyway && !services_.policy.allows_origin(origin, caller))) {
    return {};
  }
  return "access-control-allow-origin: " + std::string(origin) +
         "\r\nvary: origin\r\naccess-control-expose-headers: x-request-id, x-plumb-verdict, x-plumb-decision, "
         "x-plumb-canary, x-plumb-lost, "
         "x-plumb-provider-request-id, "
         "x-plumb-estimated, x-plumb-attempts, x-plumb-tokens, x-should-retry, "
         "x-plumb-replayed, retry-after, retry-after-ms, x-ratelimit-limit-requests, "
         "x-ratelimit-remaining-requests, x-ratelimit-reset-requests, x-ratelimit-limit-tokens, "
         "x-ratelimit-remaining-tokens, x-ratelimit-reset-tokens\r\n";
}

void Router::refuse(const Asked& asked, const wire::Failure& failure, std::string fields) {
  const int status = wire::status_of(failure);
  const std::string id = id_of(random_());
  const std::string address = address_of(asked.request, asked.client);
  services_.policy.refused({id, address, asked.key, asked.route, status, failure.code}, loop_.now());
  std::string text;
  wire::append_failure(text, asked.wire, failure);
  fields.append("x-request-id: ").append(id).append("\r\n");
  fields += json_type;
  fields += retry_fields(failure);
  if (status == 401) {
    fields += "www-authenticate: Bearer\r\n";
  }
  asked.client.answer(status, fields, text);
}

void Router::preflight(HttpRequest& request, Client& client) {
  // Which page a client token is for is known when the token comes: that of any page may be sent.
  std::string fields = cors_fields(request, nullptr, services_.policy.any_token_signed());
  if (fields.empty()) {
    refuse({request, client, wire::Wire::openai, route_of(request.target), ""},
           failure(wire::FailureClass::forbidden, 403, "origin_not_allowed",
                   "pages of this origin may not use the proxy; `origins` in plumb.yaml allows them"),
           "vary: origin\r\n");
    return;
  }
  fields += "access-control-allow-methods: ";
  fields += methods_of(request.target, passes_through());
  fields += "\r\naccess-control-max-age: 600\r\n";
  const std::string_view wanted = request.field("access-control-request-headers");
  if (!wanted.empty() && are_names(wanted)) {
    fields += "access-control-allow-headers: ";
    fields += wanted;
    fields += "\r\n";
  }
  if (equal_names(request.field("access-control-request-private-network"), "true")) {
    fields += "access-control-allow-private-network: true\r\n";
  }
  client.answer(204, fields, "");
}

CallerPtr Router::identify(Asked asked, std::string& fields) {
  const HttpRequest& request = asked.request;
  const bool forwarded = !request.field("x-forwarded-for").empty() || !request.field("forwarded").empty() ||
                         !request.field("x-real-ip").empty();
  const Presented presented{request.field("authorization"), request.field("x-api-key"), request.field("origin"),
                            forwarded};
  Identified who = services_.policy.identify(presented, loop_.now());
  fields = cors_fields(request, who.caller.get(), who.by_token);
  if (who.refused) {
    asked.key = who.caller ? std::string_view(who.caller->id) : std::string_view();
    refuse(asked, *who.refused, fields);
    return nullptr;
  }
  // Without a key it is the address that is trusted, and a page's own name for this address must not be.
  if (!who.caller->keyed && !access_.is_our_host(request.field("host"))) {
    refuse(asked,
           failure(wire::FailureClass::forbidden, 403, "host_not_ours",
                   "the request is for another Host than this machine; call http://127.0.0.1, or use a client key"),
           fields);
    return nullptr;
  }
  return who.caller;
}

bool Router::passes_through() const { return !services_.policy.settings()->through.targets.empty(); }

// The names of plumb.yaml that the caller may use, or one of them. If all others are passed on, the provider's names
// too.
std::shared_ptr<Answering> Router::models(const Asked& asked, const CallerPtr& caller, std::string fields) {
  const std::string_view path = asked.request.target.substr(0, asked.request.target.find('?'));
  const Route* const others = services_.policy.settings()->route_of("*");
  ModelQuery query{asked.wire, services_.policy.models(*caller)};
  query.takes_any = others != nullptr && others->name == "*" && caller->key.models.empty();
  if (path.starts_with("/v1/models/")) {
    query.wanted = ascii::percent_decoded(path.substr(models_path.size() + 1));
  }
  const bool ours = std::find(query.names.begin(), query.names.end(), query.wanted) != query.names.end();
  const bool asks = query.takes_any && !ours && others->targets.front().model.empty() && asked.request.method == "GET";
  const auto write = [query = std::move(query)](std::string_view list,
                                                std::string& answer) -> std::optional<wire::Failure> {
    if (std::optional<std::string> found = models_json(query, list)) {
      answer = std::move(*found);
      return std::nullopt;
    }
    return failure(wire::FailureClass::not_found, 404, "model_not_found",
                   "there is no model '" + json::excerpt(query.wanted, 80) + "' here; GET /v1/models lists them");
  };
  if (asks) {
    ThroughAsk ask{asked.route};
    ask.wire = asked.wire;
    ask.list = write;
    return begin_through(asked, caller, fields, std::move(ask));
  }
  std::string body;
  if (const std::optional<wire::Failure> none = write({}, body)) {
    refuse(asked, *none, std::move(fields));
  } else {
    asked.client.answer(200, fields + std::string(json_type), body);
  }
  return nullptr;
}

std::shared_ptr<Answering> Router::begin_through(const Asked& asked, const CallerPtr& caller, const std::string& fields,
                                                 ThroughAsk ask) {
  auto call = std::make_shared<ThroughCall>(services_, loop_, asked.request, asked.client, std::move(ask));
  call->start(caller, address_of(asked.request, asked.client), fields, random_());
  return call;
}

std::shared_ptr<Answering> Router::answer(HttpRequest& request, Client& client) {
  const std::string_view path = request.target.substr(0, request.target.find('?'));
  const bool gets = request.method == "GET" || request.method == "HEAD";
  if (path == "/healthz" && gets) {
    client.answer(200, json_type, R"({"status":"ok"})");
    return nullptr;
  }
  if (path == version_path && gets) {
    client.answer(200, std::string(json_type) + cors_fields(request, nullptr), version_body);
    return nullptr;
  }
  if (path == "/readyz" && gets) {
    if (services_.policy.stopping()) {
      client.answer(503, json_type, R"({"status":"stopping"})");
    } else if (services_.policy.refuses_all(loop_.now())) {
      client.answer(503, json_type,
                    R"({"status":"refusing","code":"no_client_keys","reason":"Client keys are required )"
                    R"(and none is accepted at present; the log says why"})");
    } else {
      client.answer(200, json_type, R"({"status":"ready"})");
    }
    return nullptr;
  }
  const std::string_view methods = methods_of(request.target, passes_through());
  if (request.method == "OPTIONS" && !methods.empty() && !request.field("access-control-request-method").empty()) {
    preflight(request, client);
    return nullptr;
  }
  const wire::Wire wire = wire_of(request, path);
  const ClientRoute* const called = request.method == "POST" ? client_route(path) : nullptr;
  const KeptAsk kept = kept_ask(request.method, request.target);
  const bool lists = gets && is_list(path);
  const bool through = methods == through_methods && request.method != "OPTIONS" &&
                       (request.method == "GET" || request.method == "POST" || request.method == "DELETE");
  if (called == nullptr && !kept.there() && !lists && !through) {
    const bool known = !methods.empty();
    std::string fields = cors_fields(request, nullptr);
    if (known) {
      fields += "allow: " + std::string(methods) + "\r\n";
    }
    const std::string why = known ? std::string(path) + " is not answered for " +
                                        std::string(request.method.substr(0, 20)) + "; it takes " + std::string(methods)
                                  : not_here(path);
    refuse({request, client, wire, "", ""},
           failure(wire::FailureClass::not_found, known ? 405 : 404, known ? "method_not_allowed" : "not_found", why),
           std::move(fields));
    return nullptr;
  }
  std::string fields;
  const std::string_view route = route_of(request.target);
  const CallerPtr caller = identify({request, client, wire, route, ""}, fields);
  if (!caller) {
    return nullptr;
  }
  if (lists) {
    return models({request, client, wire, route, caller->id}, caller, std::move(fields));
  }
  if (kept.there()) {
    auto call = std::make_shared<DataCall>(services_, loop_, request, client, *client_route(responses_path));
    call->start_kept(caller, address_of(request, client), fields, random_(), kept);
    return call;
  }
  const std::string_view coding = request.field("content-encoding");
  if (!coding.empty() && !equal_names(coding, "identity")) {
    refuse({request, client, wire, route, caller->id},
           failure(wire::FailureClass::bad_request, 415, "content_encoding",
                   "the body is compressed (content-encoding: " + json::excerpt(coding, 40) +
                       "), which is not read here; send it as it is"),
           std::move(fields));
    return nullptr;
  }
  if (through) {
    ThroughAsk ask{route, request.target.substr(std::string_view("/v1/").size()), wire};
    return begin_through({request, client, wire, route, caller->id}, caller, fields, std::move(ask));
  }
  auto call = std::make_shared<DataCall>(services_, loop_, request, client, *called);
  call->start(caller, address_of(request, client), fields, random_());
  return call;
}

}  // namespace plumb::proxy
