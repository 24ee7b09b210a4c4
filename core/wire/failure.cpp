#include "core/wire/failure.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/ascii.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"

namespace plumb::wire {

namespace {

constexpr std::size_t code_points_of_code_max = 100;
// A body longer than this is no error message of a provider; it is not read as JSON.
constexpr std::size_t error_body_bytes_max = std::size_t{1} << 20;

struct ClassRow {
  FailureClass failure_class;
  std::string_view name;
  bool retryable;
  std::string_view words;  // where there is nothing else to say
};
constexpr std::array<ClassRow, 12> classes = {{
    {FailureClass::bad_request, "bad_request", false, "The provider refused the request"},
    {FailureClass::unauthorised, "unauthorised", false, "The provider did not accept the key"},
    {FailureClass::forbidden, "forbidden", false, "The provider does not allow this with this key"},
    {FailureClass::not_found, "not_found", false, "The provider does not know this model or address"},
    {FailureClass::rate_limited, "rate_limited", true, "The provider asks for fewer requests"},
    {FailureClass::overloaded, "overloaded", true, "The provider has too much to do"},
    {FailureClass::server, "server", true, "The provider failed"},
    {FailureClass::malformed, "malformed", true, "The provider's answer is not what its protocol says"},
    {FailureClass::cut, "cut", true, "The answer ended before it was complete"},
    {FailureClass::limit, "limit", false, "The answer is longer than allowed"},
    {FailureClass::timed_out, "timed_out", true, "The provider did not answer in time"},
    {FailureClass::unreachable, "unreachable", true, "The provider cannot be reached"},
}};

const ClassRow& row_of(FailureClass failure_class) {
  for (const ClassRow& row : classes) {
    if (row.failure_class == failure_class) {
      return row;
    }
  }
  return classes.front();
}

struct StatusRow {
  int status;
  FailureClass failure_class;
  bool retryable;
};
constexpr std::array<StatusRow, 17> statuses = {{
    {400, FailureClass::bad_request, false},
    {401, FailureClass::unauthorised, false},
    {402, FailureClass::forbidden, false},
    {403, FailureClass::forbidden, false},
    {404, FailureClass::not_found, false},
    {408, FailureClass::timed_out, true},
    {409, FailureClass::server, true},
    {413, FailureClass::bad_request, false},
    {422, FailureClass::bad_request, false},
    {425, FailureClass::server, true},
    {429, FailureClass::rate_limited, true},
    {501, FailureClass::server, false},
    {503, FailureClass::overloaded, true},
    {504, FailureClass::timed_out, true},
    {505, FailureClass::server, false},
    {529, FailureClass::overloaded, true},
    {499, FailureClass::cut, true},
}};

// Whether a status may ever be tried again, whatever a provider says.
bool is_final(int status) { return status == 400 || status == 401 || status == 403; }

StatusRow status_row(int status) {
  for (const StatusRow& row : statuses) {
    if (row.status == status) {
      return row;
    }
  }
  if (status >= 500 && status <= 599) {
    return {status, FailureClass::server, true};
  }
  if (status >= 400 && status <= 499) {
    return {status, FailureClass::bad_request, false};
  }
  return {status, FailureClass::server, false};  // a redirect, which is not followed, or no status at all
}

// The words of `type` and `code`, of all providers.
struct WordRow {
  std::string_view word;
  FailureClass failure_class;
  bool retryable;
};
constexpr std::array<WordRow, 24> words = {{
    {"insufficient_quota", FailureClass::rate_limited, false},
    {"billing_hard_limit_reached", FailureClass::rate_limited, false},
    {"credit_balance_exhausted", FailureClass::rate_limited, false},
    {"billing_error", FailureClass::forbidden, false},
    {"context_length_exceeded", FailureClass::bad_request, false},
    {"exceed_context_size_error", FailureClass::bad_request, false},
    {"request_too_large", FailureClass::bad_request, false},
    {"invalid_api_key", FailureClass::unauthorised, false},
    {"authentication_error", FailureClass::unauthorised, false},
    {"permission_error", FailureClass::forbidden, false},
    {"model_not_found", FailureClass::not_found, false},
    {"not_found_error", FailureClass::not_found, false},
    {"NotFoundError", FailureClass::not_found, false},
    {"rate_limit_exceeded", FailureClass::rate_limited, true},
    {"rate_limit_error", FailureClass::rate_limited, true},
    {"overloaded_error", FailureClass::overloaded, true},
    {"server_is_overloaded", FailureClass::overloaded, true},
    {"slow_down", FailureClass::overloaded, true},
    {"service_unavailable_error", FailureClass::overloaded, true},
    {"timeout_error", FailureClass::timed_out, true},
    {"api_error", FailureClass::server, true},
    {"server_error", FailureClass::server, true},
    {"invalid_request_error", FailureClass::bad_request, false},
    {"BadRequestError", FailureClass::bad_request, false},
}};

const WordRow* word_row(std::string_view word) {
  for (const WordRow& row : words) {
    if (row.word == word) {
      return &row;
    }
  }
  return nullptr;
}

// What a provider says of an error, where it says it.
struct ErrorBody {
  std::string_view message;
  std::string_view type;
  std::string_view code;
  std::string_view param;
  std::string_view request_id;
  int status = 0;  // a `code` that is a number, as vLLM and llama.cpp write it
};

// {"message": ...}, {"detail": "..."}, {"detail": [{"msg": ...}]}, {"msg": ...}
std::string_view said_words(const json::Value& error) {
  for (const std::string_view name : {"message", "detail", "msg"}) {
    if (const std::string_view said = text_of(error, name); !said.empty()) {
      return said;
    }
  }
  const json::Value* const detail = error.find("detail");
  if (detail == nullptr) {
    return {};
  }
  const json::Value& first = detail->array().empty() ? *detail : detail->array().front();
  const std::string_view message = text_of(first, "message");
  return message.empty() ? text_of(first, "msg") : message;
}

ErrorBody said_by(const json::Value& error) {
  ErrorBody said;
  if (error.is(json::Kind::string)) {
    said.message = error.str();
    return said;
  }
  said.message = said_words(error);
  said.type = text_of(error, "type");
  said.code = text_of(error, "code");
  said.param = text_of(error, "param");
  const json::Value* const code = error.find("code");
  std::uint64_t number = 0;
  if (code != nullptr && code->is(json::Kind::number) && json::read_uint(code->str(), number) && number >= 400 &&
      number <= 599) {
    said.status = static_cast<int>(number);
  }
  return said;
}

// {"error": {...}} or {"error": "..."}, or its members at the top.
ErrorBody said_in_body(const json::Value& body) {
  const json::Value* const first = body.array().empty() ? &body : &body.array().front();
  const json::Value* const error = first->find("error");
  ErrorBody said = said_by(error == nullptr ? *first : *error);
  said.request_id = text_of(*first, "request_id");
  return said;
}

const WordRow* row_of_words(const ErrorBody& said) {
  const WordRow* const by_code = word_row(said.code);
  return by_code != nullptr ? by_code : word_row(said.type);
}

bool is_html(std::string_view body) {
  const std::size_t first = body.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return first != std::string_view::npos && body[first] == '<';
}

std::string_view html_title(std::string_view body) {
  constexpr std::string_view opening = "<title>";
  const std::size_t from = body.substr(0, error_body_bytes_max).find(opening);
  if (from == std::string_view::npos) {
    return {};
  }
  const std::string_view rest = body.substr(from + opening.size(), 400);
  return rest.substr(0, rest.find('<'));
}

// The request is longer than this model can read. Some providers have a code for it, others only say so: Anthropic
// ("prompt is too long: 210000 tokens > 200000 maximum"), vLLM ("This model's maximum context length is"), llama.cpp
// and Ollama ("exceeds the available context size", "exceeds the context length"). Their words are read here and
// nowhere else.
bool says_too_long(const ErrorBody& said) {
  constexpr std::array<std::string_view, 2> codes = {"context_length_exceeded", "exceed_context_size_error"};
  constexpr std::array<std::string_view, 6> says = {"prompt is too long",     "input is too long", "context length",
                                                    "available context size", "context window",    "context limit"};
  constexpr std::size_t read_max = 1'000;
  const std::string_view message = said.message.substr(0, read_max);
  return std::find(codes.begin(), codes.end(), said.code.empty() ? said.type : said.code) != codes.end() ||
         std::any_of(says.begin(), says.end(),
                     [&](std::string_view one) { return message.find(one) != std::string_view::npos; });
}

void set_code(Failure& failure, const ErrorBody& said, std::span<const std::string_view> secrets = {}) {
  const bool too_long = failure.failure_class == FailureClass::bad_request && says_too_long(said);
  failure.reason = too_long ? Reason::too_long : Reason::none;
  failure.code =
      json::excerpt(safe_message(said.code.empty() ? said.type : said.code, secrets), code_points_of_code_max);
  failure.param = json::excerpt(safe_message(said.param, secrets), code_points_of_code_max);
  failure.request_id = json::excerpt(safe_message(said.request_id, secrets), code_points_of_code_max);
}

}  // namespace

std::string_view failure_class_name(FailureClass failure_class) { return row_of(failure_class).name; }

Failure make_failure(FailureClass failure_class, std::string_view message) {
  Failure failure;
  failure.failure_class = failure_class;
  failure.retryable = row_of(failure_class).retryable;
  failure.message = safe_message(message);
  if (failure.message.empty()) {
    failure.message = row_of(failure_class).words;
  }
  return failure;
}

Failure failure_in(const json::Value& error) {
  const ErrorBody said = said_by(error);
  Failure failure = make_failure(FailureClass::server, said.message);
  if (const WordRow* const row = row_of_words(said)) {
    failure.failure_class = row->failure_class;
    failure.retryable = row->retryable;
  } else if (said.status != 0) {
    const StatusRow by_status = status_row(said.status);
    failure.failure_class = by_status.failure_class;
    failure.retryable = by_status.retryable;
  }
  set_code(failure, said);
  return failure;
}

void take_request_id(Failure& failure, const json::Value& body) {
  failure.request_id = json::excerpt(safe_message(text_of(body, "request_id")), code_points_of_code_max);
}

std::optional<Failure> failure_of(int status, std::span<const Header> headers, std::string_view body,
                                  std::uint64_t now_ms, std::span<const std::string_view> secrets) {
  if (status >= 200 && status <= 299) {
    return std::nullopt;
  }
  const StatusRow by_status = status_row(status);
  Failure failure;
  failure.failure_class = by_status.failure_class;
  failure.retryable = by_status.retryable;
  failure.status = status;
  failure.retry_after_ms = retry_after_ms(headers, now_ms);

  json::Arena arena;
  ErrorBody said;
  std::string message = "The provider answered ";
  json::append_int(message, status);
  if (is_html(body)) {
    message += " with HTML instead of JSON";
    said.message = html_title(body);
  } else if (body.size() <= error_body_bytes_max) {
    const Result<json::Value> read = json::parse(body, arena);
    if (read) {
      said = said_in_body(read.value());
    } else {
      said.message = body;
    }
  }
  if (const WordRow* const row = row_of_words(said)) {
    // The words tell apart what has one status: a quota that is used up from too many requests, overload from failure.
    if (status == 429 || status >= 500 || status < 400) {
      failure.failure_class = row->failure_class;
      failure.retryable = row->retryable;
    }
  }
  if (const std::optional<bool> asked = should_retry(headers)) {
    failure.retryable = *asked;
  }
  failure.retryable = failure.retryable && !is_final(status);
  set_code(failure, said, secrets);
  if (ascii::only(said.message, ascii::spaces)) {
    message += said.code.empty() && !is_html(body) ? " without a reason" : "";
  } else {
    message += ": ";
    message += said.message;
  }
  failure.message = safe_message(message, secrets);
  return failure;
}

}  // namespace plumb::wire
