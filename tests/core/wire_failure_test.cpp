#include "core/wire/failure.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using namespace plumb;
using namespace plumb::wire;

namespace {

constexpr std::uint64_t now_ms = 784'111'777'000;  // Sun, 06 Nov 1994 08:49:37 GMT

std::optional<std::uint64_t> wait_of(std::string_view value, std::string_view name = "Retry-After") {
  const std::vector<Header> headers = {{"content-type", "application/json"}, {name, value}};
  return retry_after_ms(headers, now_ms);
}

Failure failure_with(int status, std::string_view body, std::vector<Header> headers = {},
                     std::vector<std::string_view> secrets = {}) {
  const std::optional<Failure> failure = failure_of(status, headers, body, now_ms, secrets);
  REQUIRE(failure);
  return *failure;
}

}  // namespace

TEST_CASE("retry-after: seconds, milliseconds and the three forms of a date") {
  CHECK(wait_of("30") == 30'000);
  CHECK(wait_of(" 0 ") == 0);
  CHECK(wait_of("1.5") == 1'500);
  CHECK(wait_of("250", "retry-after-ms") == 250);
  CHECK(wait_of("12.9", "retry-after-ms") == 12);
  CHECK(wait_of("Sun, 06 Nov 1994 08:50:00 GMT") == 23'000);
  CHECK(wait_of("Sunday, 06-Nov-94 08:50:00 GMT") == 23'000);
  CHECK(wait_of("Sun Nov  6 08:50:00 1994") == 23'000);
  CHECK(wait_of("Sun, 06 Nov 1994 08:49:37 GMT") == 0);
  CHECK(wait_of("Fri, 31 Dec 1999 23:59:59 GMT") == 86'400'000);
  CHECK(wait_of("Sun, 06 Nov 1904 08:50:00 GMT") == 0);
  CHECK(wait_of("99999999999999999999999999") == 86'400'000);
  const std::vector<Header> both = {{"Retry-After", "9"}, {"RETRY-AFTER-MS", "10"}};
  CHECK(retry_after_ms(both, now_ms) == 10);
}

TEST_CASE("retry-after: a leap day, the turn of a year and of a century are counted right") {
  const std::vector<Header> march = {{"retry-after", "Wed, 01 Mar 2000 00:00:00 GMT"}};
  CHECK(retry_after_ms(march, 951'782'400'000) == 86'400'000);  // 29 February 2000
  CHECK(retry_after_ms(march, 951'868'799'000) == 1'000);
  const std::vector<Header> year = {{"retry-after", "Thu, 01 Jan 2026 00:00:00 GMT"}};
  CHECK(retry_after_ms(year, 1'767'225'599'000) == 1'000);
}

TEST_CASE("retry-after: what cannot be read is nothing") {
  for (const std::string_view value :
       {"", "soon", "-1", "1 s", "1.5.2", ".5", "Sun, 6 Nov 1994 08:50:00 GMT", "Sun, 06 Nov 1994 08:50:00 CET",
        "Sun, 06 Foo 1994 08:50:00 GMT", "Sun, 06 Nov 1994 25:50:00 GMT", "Sun, 00 Nov 1994 08:50:00 GMT"}) {
    CAPTURE(value);
    CHECK_FALSE(wait_of(value));
  }
  CHECK_FALSE(retry_after_ms({}, now_ms));
}

TEST_CASE("failures: every status has a class, and 400, 401 and 403 are never worth another try") {
  struct Row {
    int status;
    FailureClass failure_class;
    bool retryable;
  };
  const Row rows[] = {
      {302, FailureClass::server, false},       {400, FailureClass::bad_request, false},
      {401, FailureClass::unauthorised, false}, {402, FailureClass::forbidden, false},
      {403, FailureClass::forbidden, false},    {404, FailureClass::not_found, false},
      {408, FailureClass::timed_out, true},     {413, FailureClass::bad_request, false},
      {418, FailureClass::bad_request, false},  {422, FailureClass::bad_request, false},
      {429, FailureClass::rate_limited, true},  {500, FailureClass::server, true},
      {501, FailureClass::server, false},       {502, FailureClass::server, true},
      {503, FailureClass::overloaded, true},    {504, FailureClass::timed_out, true},
      {529, FailureClass::overloaded, true},    {599, FailureClass::server, true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.status);
    const Failure failure = failure_with(row.status, "");
    CHECK(failure.failure_class == row.failure_class);
    CHECK(failure.retryable == row.retryable);
    CHECK(failure.status == row.status);
    CHECK(failure.message.find("without a reason") != std::string::npos);
    const bool final = row.status == 400 || row.status == 401 || row.status == 403;
    CHECK(failure_with(row.status, "", {{"x-should-retry", "true"}}).retryable == !final);
    CHECK_FALSE(failure_with(row.status, "", {{"x-should-retry", "false"}}).retryable);
  }
  CHECK_FALSE(failure_of(200, {}, "", now_ms));
}

TEST_CASE("failures: the providers' error bodies give message and code") {
  const Failure openai =
      failure_with(429,
                   R"({"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","param":null,)"
                   R"("code":"insufficient_quota"}})",
                   {{"retry-after", "7"}});
  CHECK(openai.message == "The provider answered 429: You exceeded your current quota.");
  CHECK(openai.code == "insufficient_quota");
  CHECK_FALSE(openai.retryable);
  CHECK(openai.retry_after_ms == 7'000);

  const Failure limited =
      failure_with(429, R"({"error":{"message":"Rate limit reached","type":"requests","code":"rate_limit_exceeded"}})");
  CHECK(limited.failure_class == FailureClass::rate_limited);
  CHECK(limited.retryable);

  const Failure anthropic = failure_with(
      500, R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"})");
  CHECK(anthropic.failure_class == FailureClass::overloaded);
  CHECK(anthropic.code == "overloaded_error");

  CHECK(failure_with(404, R"({"error":"model 'x' not found"})").message ==
        "The provider answered 404: model 'x' not found");
  CHECK(failure_with(422, R"({"detail":"bad"})").message == "The provider answered 422: bad");
  CHECK(failure_with(400, R"({"object":"error","message":"too long","type":"BadRequestError","code":400})").message ==
        "The provider answered 400: too long");
  CHECK(failure_with(503, R"([{"error":{"code":503,"message":"busy"}}])").message == "The provider answered 503: busy");
  CHECK(failure_with(502, "<html><head><title>502 Bad Gateway</title></head>").message ==
        "The provider answered 502 with HTML instead of JSON: 502 Bad Gateway");
  CHECK(failure_with(502, "upstream\r\nconnect error").message == "The provider answered 502: upstream connect error");
  CHECK(failure_with(500, R"({"error":{"message":)").message == R"(The provider answered 500: {"error":{"message":)");
}

TEST_CASE("failures: a request that is too long for the model has that as its reason, by code or by words") {
  const auto reason = [](int status, const char* body) { return failure_with(status, body).reason; };
  CHECK(reason(400, R"({"error":{"message":"x","code":"context_length_exceeded"}})") == plumb::Reason::too_long);
  CHECK(reason(400, R"({"error":{"message":"x","type":"exceed_context_size_error"}})") == plumb::Reason::too_long);
  CHECK(reason(400, R"({"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}})") ==
        plumb::Reason::too_long);
  CHECK(reason(400, R"({"object":"error","message":"This model's maximum context length is 4096"})") ==
        plumb::Reason::too_long);
  CHECK(reason(400, R"({"error":"the input exceeds the available context size"})") == plumb::Reason::too_long);
  CHECK(reason(400, R"({"error":{"message":"the tool has no name"}})") == plumb::Reason::none);
  CHECK(reason(500, R"({"error":{"message":"the context window is broken"}})") == plumb::Reason::none);
}

TEST_CASE("messages: the caller's secrets and what looks like a key are taken out") {
  const std::vector<std::string_view> secrets = {"hunter2", "abc"};
  CHECK(safe_message("bad key hunter2, or abchunter2!", secrets) == "bad key [key], or [key][key]!");
  CHECK(safe_message("Incorrect API key provided: sk-proj-ab*****xyz. See") == "Incorrect API key provided: [key] See");
  CHECK(safe_message("header Authorization: Bearer abcdefgh12345 was") == "header Authorization: Bearer [key] was");
  CHECK(safe_message(R"({"api_key":"0123456789abcdef"})") == R"({"api_key":"[key]"})");
  CHECK(safe_message("https://host/v1?key=AIzaSyA1234567890&x=1") == "https://host/v1?key=[key]&x=1");
  CHECK(safe_message("jwt eyJhbGciOiJIUzI1NiJ9.e30.abc") == "jwt [key]");
  CHECK(safe_message("max tokens: 4096, risk-free-thing claude-3-5-sonnet-20241022 is a task-oriented-model") ==
        "max tokens: 4096, risk-free-thing claude-3-5-sonnet-20241022 is a task-oriented-model");
  CHECK(failure_with(401, R"({"error":{"message":"no such key: hunter2","code":"hunter2"}})", {}, secrets).message ==
        "The provider answered 401: no such key: [key]");
  CHECK(failure_with(401, R"({"error":{"message":"m","code":"hunter2"}})", {}, secrets).code == "[key]");
}

TEST_CASE("messages: no key is left however long the text before it is") {
  for (std::size_t before = 0; before < 700; ++before) {
    std::string text(before, 'x');
    text += " sk-abcdefghijklmnop tail";
    const std::string message = safe_message(text);
    REQUIRE(message.find("sk-a") == std::string::npos);
  }
  std::string long_text((std::size_t{64} << 10) - 4, ' ');
  long_text += "secret-of-mine";
  const std::vector<std::string_view> secrets = {"secret-of-mine"};
  CHECK(safe_message(long_text, secrets).empty());
}

TEST_CASE("messages: a secret that ends inside a character leaves no half of it, and a blank message says its class") {
  const std::vector<std::string_view> secrets = {"hunter\xE2"};
  CHECK(safe_message("a hunter\xE2\x82\xAC b", secrets) == "a [key]\xEF\xBF\xBD\xEF\xBF\xBD b");
  CHECK(make_failure(FailureClass::cut, " \n\x01").message == "The answer ended before it was complete");
}

TEST_CASE("messages: one line of at most 300 characters, in valid UTF-8") {
  CHECK(safe_message(" a\n\tb\x01"
                     "c \x7F") == "a b c");
  CHECK(safe_message("a\xFF"
                     "b") ==
        "a\xEF\xBF\xBD"
        "b");
  std::string many;
  for (int i = 0; i < 400; ++i) {
    many += "\xE2\x82\xAC";
  }
  const std::string cut = safe_message(many);
  CHECK(cut.size() == 900);
}
