#include "native/control/exchange.hpp"

#include <array>

#include "core/json/writer.hpp"

namespace plumb::control {

namespace {

constexpr std::array<WrongKind, 18> kinds = {{
    {Wrong::bad_request, 400, "bad_request", "The request cannot be read"},
    {Wrong::unauthorised, 401, "unauthorised", "A token is required"},
    {Wrong::foreign_origin, 403, "foreign_origin", "Pages of other origins are refused"},
    {Wrong::of_operator, 403, "of_operator", "Needs the server's token, not a project's key"},
    {Wrong::not_found, 404, "not_found", "Not found"},
    {Wrong::method_not_allowed, 405, "method_not_allowed", "Method not allowed"},
    {Wrong::conflict, 409, "conflict", "Not possible in this state"},
    {Wrong::too_large, 413, "too_large", "The body is too large"},
    {Wrong::wrong_type, 415, "wrong_type", "Unsupported content type"},
    {Wrong::bad_range, 416, "bad_range", "Range not satisfiable"},
    {Wrong::wrong_host, 421, "wrong_host", "Wrong host"},
    {Wrong::not_processable, 422, "not_processable", "Invalid request"},
    {Wrong::key_reused, 422, "key_reused", "This Idempotency-Key belongs to another request"},
    {Wrong::internal, 500, "internal", "Internal error"},
    {Wrong::out_of_memory, 503, "out_of_memory", "Out of memory"},
    {Wrong::limit, 503, "limit", "A limit of the server is reached"},
    {Wrong::unavailable, 503, "unavailable", "Not available"},
    {Wrong::stopping, 503, "stopping", "The server is stopping"},
}};

// What a problem holds of a request is bounded.
constexpr std::size_t detail_max = 2000;
constexpr std::size_t instance_max = 300;

Wrong wrong_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
    case ErrorCode::invalid_contract:
      return Wrong::not_processable;
    case ErrorCode::not_found:
      return Wrong::not_found;
    case ErrorCode::limit:
      return Wrong::limit;
    case ErrorCode::unavailable:
      return Wrong::unavailable;
  }
  return Wrong::internal;
}

}  // namespace

std::span<const WrongKind> wrong_kinds() { return kinds; }

std::string_view Request::value(std::string_view name) const {
  for (const auto& [key, text] : values) {
    if (key == name) {
      return text;
    }
  }
  return {};
}

std::optional<std::string_view> Request::asked(std::string_view name) const {
  for (const auto& [key, text] : query) {
    if (key == name) {
      return text;
    }
  }
  return std::nullopt;
}

Answer json_answer(int status, std::string json) {
  Answer answer;
  answer.status = status;
  answer.body = std::move(json);
  return answer;
}

Answer refuse(Wrong wrong, Error error) {
  Answer answer;
  answer.status = kinds[static_cast<std::size_t>(wrong)].status;
  if (wrong == Wrong::unauthorised) {
    answer.headers.emplace_back("WWW-Authenticate", R"(Bearer realm="plumb", Basic realm="plumb", charset="UTF-8")");
  }
  if (answer.status == 503) {
    answer.headers.emplace_back("Retry-After", "5");
  }
  answer.problem = Problem{wrong, std::move(error)};
  return answer;
}

Answer refuse(Wrong wrong, std::string detail) {
  return refuse(wrong, Error{ErrorCode::invalid_argument, std::move(detail), "", 0, 0});
}

Answer refuse(const Error& error) { return refuse(wrong_of(error.code), error); }

void write_problem(Answer& answer, std::string_view instance) {
  if (!answer.problem) {
    return;
  }
  const WrongKind& kind = kinds[static_cast<std::size_t>(answer.problem->wrong)];
  const Error& error = answer.problem->error;
  answer.status = kind.status;
  answer.type = "application/problem+json";
  answer.body.clear();
  answer.stream = nullptr;
  json::Writer json(answer.body);
  json.begin_object();
  json.member("type", "plumb:problem/" + std::string(kind.name));
  json.member("title", kind.title);
  json.member_uint("status", static_cast<std::uint64_t>(kind.status));
  json.member("detail", json::excerpt(error.message, detail_max));
  json.member("instance", json::excerpt(instance, instance_max));
  if (!error.where.empty()) {
    json.member("where", json::excerpt(error.where, instance_max));
  }
  if (error.line > 0) {
    json.member_uint("line", error.line);
  }
  if (error.line > 0 && error.column > 0) {
    json.member_uint("column", error.column);
  }
  for (const auto& [name, text] : answer.problem->members) {
    json.key(name).raw(text);
  }
  json.end_object();
}

}  // namespace plumb::control
