#include "core/wire/told_failure.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace plumb::wire {

namespace {

bool is_text(const json::Value* value) {
  return value != nullptr && value->is(json::Kind::string) && !value->str().empty();
}

bool is_said(const json::Value* value) {
  return is_text(value) || (value != nullptr && (value->is(json::Kind::object) || value->is(json::Kind::array)));
}

// What only an answer has, or a piece of one.
bool is_answer(const json::Value& body) {
  constexpr std::array<std::string_view, 7> members = {"choices",  "content", "output", "delta",
                                                       "response", "done",    "data"};
  const auto has = [&](std::string_view name) {
    const json::Value* const value = body.find(name);
    return value != nullptr && !value->is(json::Kind::null);
  };
  return std::any_of(members.begin(), members.end(), has);
}

bool calls_itself_error(std::string_view type, const json::Value& body) {
  const json::Value* const own = body.find("type");
  const json::Value* const object = body.find("object");
  type = is_text(own) ? own->str() : type;
  return type == "error" || (is_text(object) && object->str() == "error");
}

}  // namespace

std::optional<Failure> told_failure(std::string_view type, const json::Value& body) {
  if (!body.array().empty()) {
    return told_failure(type, body.array().front());
  }
  if (!body.is(json::Kind::object)) {
    return std::nullopt;
  }
  if (const json::Value* const error = body.find("error"); is_said(error)) {
    Failure failure = failure_in(*error);
    take_request_id(failure, body);
    return failure;
  }
  const bool coded = is_text(body.find("message")) || is_text(body.find("msg"));
  if (calls_itself_error(type, body) ||
      (!is_answer(body) && (is_said(body.find("detail")) || (coded && body.find("code") != nullptr)))) {
    return failure_in(body);
  }
  return std::nullopt;
}

std::optional<Failure> told_failure(std::string_view document) {
  json::Arena arena;
  const Result<json::Value> read = json::parse(document, arena);
  return read ? told_failure({}, read.value()) : std::nullopt;
}

}  // namespace plumb::wire
