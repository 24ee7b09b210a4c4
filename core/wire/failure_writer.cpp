#include "core/json/writer.hpp"
#include "core/wire/reply_writer.hpp"

namespace plumb::wire {

namespace {

// What a contract refuses is no fault of the request.
std::string_view error_type(const Failure& failure) {
  if (failure.code == "contract_not_kept" || failure.code == "contract_undecided") {
    return "contract_error";
  }
  switch (failure.failure_class) {
    case FailureClass::bad_request:
      return "invalid_request_error";
    case FailureClass::unauthorised:
      return "authentication_error";
    case FailureClass::forbidden:
      return "permission_error";
    case FailureClass::not_found:
      return "not_found_error";
    case FailureClass::rate_limited:
      return "rate_limit_error";
    case FailureClass::overloaded:
      return "overloaded_error";
    case FailureClass::timed_out:
      return "timeout_error";
    case FailureClass::server:
    case FailureClass::malformed:
    case FailureClass::cut:
    case FailureClass::limit:
    case FailureClass::unreachable:
      break;
  }
  return "api_error";
}

}  // namespace

void append_failure(std::string& out, Wire wire, const Failure& failure, std::string_view plumb) {
  json::Writer json(out);
  json.begin_object();
  if (wire == Wire::ollama) {
    json.member("error", failure.message);
    if (!plumb.empty()) {
      json.key("plumb").raw(plumb);
    }
    json.end_object();
    return;
  }
  if (wire == Wire::anthropic) {
    json.member("type", "error");
  }
  json.key("error").begin_object().member("type", error_type(failure));
  json.member("message", failure.message);
  if (wire != Wire::anthropic) {
    json.key("param");
    if (failure.param.empty()) {
      json.null();
    } else {
      json.string(failure.param);
    }
    json.key("code");
    if (failure.code.empty()) {
      json.string(failure_class_name(failure.failure_class));
    } else {
      json.string(failure.code);
    }
  }
  if (!plumb.empty()) {
    json.key("plumb").raw(plumb);
  }
  json.end_object();
  if (wire == Wire::anthropic && !failure.request_id.empty()) {
    json.member("request_id", failure.request_id);
  }
  json.end_object();
}

int status_of(const Failure& failure) {
  if (failure.status >= 400 && failure.status <= 599) {
    return failure.status;
  }
  switch (failure.failure_class) {
    case FailureClass::bad_request:
      return 400;
    case FailureClass::unauthorised:
      return 401;
    case FailureClass::forbidden:
      return 403;
    case FailureClass::not_found:
      return 404;
    case FailureClass::rate_limited:
      return 429;
    case FailureClass::overloaded:
      return 503;
    case FailureClass::timed_out:
      return 504;
    case FailureClass::server:
    case FailureClass::malformed:
    case FailureClass::cut:
    case FailureClass::limit:
    case FailureClass::unreachable:
      break;
  }
  return 502;
}

}  // namespace plumb::wire
