// The parts of the control port that need no server: tests/native/server_test.py has the rest.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "native/control/access.hpp"
#include "native/control/answered_keys.hpp"
#include "native/control/event_stream.hpp"
#include "native/control/metrics.hpp"
#include "native/control/openapi.hpp"
#include "native/control/route_table.hpp"

using namespace plumb;
using namespace plumb::control;
using Json = nlohmann::json;

namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return static_cast<char>(c | 0x20); });
  return out;
}

Json resolved(const Json& document, const Json& node) {
  if (!node.contains("$ref"))
    return node;
  return document.at(Json::json_pointer(node.at("$ref").get<std::string>().substr(1)));
}

// Every parameter of an operation and of its path, as "in:name".
std::set<std::string> parameters(const Json& document, const Json& path, const Json& operation) {
  std::set<std::string> out;
  for (const Json* list : {&path, &operation}) {
    for (const Json& one : list->value("parameters", Json::array())) {
      const Json parameter = resolved(document, one);
      out.insert(parameter.at("in").get<std::string>() + ":" + parameter.at("name").get<std::string>());
    }
  }
  return out;
}

}  // namespace

TEST_CASE("the table of routes and the OpenAPI document say the same") {
  const Json document = Json::parse(openapi_document());
  CHECK(document.at("openapi") == "3.1.0");
  CHECK(document.at("info").at("version") == PLUMB_TEST_VERSION);
  std::set<std::string> in_table;
  for (const Route& route : routes()) {
    CAPTURE(route.pattern);
    in_table.insert(lower(route.method) + " " + std::string(route.pattern));
    REQUIRE(document.at("paths").contains(std::string(route.pattern)));
    const Json& path = document.at("paths").at(std::string(route.pattern));
    REQUIRE(path.contains(lower(route.method)));
    const Json& operation = path.at(lower(route.method));
    CHECK(operation.at("summary") == std::string(route.summary));
    CHECK(operation.contains("requestBody") == (route.takes != Takes::nothing));
    if (operation.contains("requestBody"))
      CHECK(operation.at("requestBody").at("required") == (route.takes == Takes::json));
    CHECK((operation.contains("security") && operation.at("security").empty()) == route.without_token);
    CHECK(operation.at("responses").contains("401") == !route.without_token);
    const std::set<std::string> said = parameters(document, path, operation);
    CHECK((said.count("header:Idempotency-Key") == 1) == route.keyed);
    std::size_t in_path = 0;
    for (std::size_t at = route.pattern.find('{'); at != std::string_view::npos; at = route.pattern.find('{', at + 1)) {
      const std::size_t end = route.pattern.find('}', at);
      CHECK(said.count("path:" + std::string(route.pattern.substr(at + 1, end - at - 1))) == 1);
      ++in_path;
    }
    CHECK(static_cast<std::size_t>(std::count_if(
              said.begin(), said.end(), [](const std::string& one) { return one.rfind("path:", 0) == 0; })) == in_path);
  }
  for (const auto& [pattern, path] : document.at("paths").items()) {
    for (const auto& [method, operation] : path.items()) {
      const std::string name = method + " " + pattern;
      if (method != "parameters")
        CHECK_MESSAGE(in_table.count(name) == 1, name << " is no route");
    }
  }
}

TEST_CASE("every reference of the OpenAPI document leads somewhere, and everything in it is used") {
  const Json document = Json::parse(openapi_document());
  std::set<std::string> used;
  const auto walk = [&](const auto& self, const Json& node) -> void {
    if (node.is_object() && node.contains("$ref")) {
      const std::string ref = node.at("$ref").get<std::string>();
      CHECK_MESSAGE(document.contains(Json::json_pointer(ref.substr(1))), ref);
      used.insert(ref);
    }
    if (node.is_structured()) {
      for (const Json& child : node)
        self(self, child);
    }
  };
  walk(walk, document);
  for (const char* kind : {"schemas", "responses", "parameters"}) {
    for (const auto& [name, value] : document.at("components").at(kind).items()) {
      const std::string ref = std::string("#/components/") + kind + "/" + name;
      CHECK_MESSAGE(used.count(ref) == 1, ref << " is not used");
    }
  }
}

TEST_CASE("problems: one row for each, in order, with names of their own") {
  std::set<std::string_view> names;
  std::size_t index = 0;
  for (const WrongKind& kind : wrong_kinds()) {
    CHECK(static_cast<std::size_t>(kind.wrong) == index++);
    CHECK(names.insert(kind.name).second);
    CHECK(kind.status >= 400);
  }
  CHECK(static_cast<std::size_t>(Wrong::stopping) + 1 == wrong_kinds().size());
}

TEST_CASE("routes: the first pattern that fits decides, whatever the method") {
  CHECK(find_route("GET", "/ai/artifact/user/jobs").pattern == "/ai/artifact/user/jobs");
  CHECK(find_route("GET", "/ai/artifact/status/r1").pattern == "/ai/artifact/status/{id}");
  CHECK(find_route("GET", "/ai/artifact/r1/events").pattern == "/ai/artifact/{id}/events");
  const RouteMatch job = find_route("DELETE", "/ai/artifact/r1");
  REQUIRE(job.route != nullptr);
  CHECK((job.route->handle == delete_job));
  CHECK(job.values == std::vector<std::pair<std::string, std::string>>{{"id", "r1"}});
  CHECK(find_route("HEAD", "/healthz").route == find_route("GET", "/healthz").route);
  const RouteMatch wrong_method = find_route("PUT", "/ai/artifact/r1");
  CHECK(wrong_method.route == nullptr);
  CHECK(wrong_method.allowed == "GET, HEAD, DELETE");
  CHECK(find_route("GET", "/ai/artifact/generate").allowed == "POST");
  const RouteMatch signal = find_route("POST", "/v1/runs/r1/signals/send-back");
  REQUIRE(signal.route != nullptr);
  CHECK(signal.values.back() == std::pair<std::string, std::string>{"name", "send-back"});
}

TEST_CASE("routes: what fits no pattern has no route") {
  for (const std::string path : {"", "/", "x", "//", "/healthz/", "/v1/runs/", "/v1/runs//journal", "/v1/runs/a b",
                                 "/v1/runs/a%20b", "/v1/runs/\xC3\xA4", "/ai/artifact/r1/events/more", "/healthzz"}) {
    CAPTURE(path);
    CHECK(find_route("GET", path).pattern.empty());
  }
  CHECK(find_route("GET", "/v1/runs/" + std::string(100, 'a')).route != nullptr);
  CHECK(find_route("GET", "/v1/runs/" + std::string(101, 'a')).route == nullptr);
}

TEST_CASE("access: an address that others can reach wants a token") {
  for (const char* host : {"127.0.0.1", "127.1.2.3", "localhost", "LOCALHOST", "::1"}) {
    CAPTURE(host);
    CHECK(Access::make(host, ""));
  }
  for (const char* host :
       {"0.0.0.0", "::", "10.0.0.1", "example.org", "127.0.0.1.example.org", "127.evil.example", ""}) {
    CAPTURE(host);
    const Result<Access> access = Access::make(host, "");
    REQUIRE(!access);
    CHECK(access.error().message.find("PLUMB_TOKEN") != std::string::npos);
    CHECK(Access::make(host, "0123456789abcdef"));
  }
}

TEST_CASE("access: a token has 16 to 1,024 visible characters") {
  CHECK(!Access::make("localhost", "0123456789abcde"));
  CHECK(!Access::make("localhost", "0123456789abcde\n"));
  CHECK(!Access::make("localhost", "0123456789 abcdef"));
  CHECK(!Access::make("localhost", std::string(1025, 'a')));
  CHECK(Access::make("localhost", std::string(1024, 'a')));
}

TEST_CASE("access: only the token itself opens, whatever the case of its scheme") {
  const Access access = Access::make("localhost", "0123456789abcdef").value();
  CHECK(access.allows("Bearer 0123456789abcdef"));
  CHECK(access.allows("bearer  0123456789abcdef"));
  for (const char* said : {"", "Bearer", "Bearer ", "Bearer 0123456789abcde", "Bearer 0123456789abcdef ",
                           "Bearer 0123456789abcdeg", "Basic 0123456789abcdef", "0123456789abcdef"}) {
    CAPTURE(said);
    CHECK(!access.allows(said));
  }
  CHECK(access.allows("Basic YW55Ym9keTowMTIzNDU2Nzg5YWJjZGVm"));  // anybody:0123456789abcdef
  CHECK(access.allows("basic OjAxMjM0NTY3ODlhYmNkZWY="));          // :0123456789abcdef
  for (const char* said : {"Basic", "Basic =", "Basic ====", "Basic MDEyMzQ1Njc4OWFiY2RlZg==", "Basic !!!!",
                           "Basic YW55Ym9keTowMTIzNDU2Nzg5YWJjZGVn", "Basic YW55Ym9keTowMTIzNDU2Nzg5YWJjZGV"}) {
    CAPTURE(said);
    CHECK(!access.allows(said));
  }
  CHECK(Access::make("localhost", "").value().allows(""));
}

TEST_CASE("access: a key of a project opens that project, one that is refused is never nobody's") {
  const FindKey find = [](std::string_view text) -> FoundKey {
    return text == "plumb_a" ? FoundKey{"acme", ""} : text == "plumb_old" ? FoundKey{"", "It is old."} : FoundKey{};
  };
  for (const std::string token : {"", "0123456789abcdef"}) {
    CAPTURE(token);
    Access access = Access::make("localhost", token).value();
    access.set_keys(find);
    const Admitted of_project = access.admit("Bearer plumb_a");
    CHECK(of_project.yes);
    CHECK(of_project.project == "acme");
    CHECK(access.admit("Basic YW55OnBsdW1iX2E=").project == "acme");  // any:plumb_a
    const Admitted refused = access.admit("bearer plumb_old");
    CHECK_FALSE(refused.yes);
    CHECK(refused.why == "It is old.");
    for (const char* other : {"", "Bearer", "Bearer x", "Digest plumb_a", "Bearer plumb_b"}) {
      CHECK(access.admit(other).yes == token.empty());
      CHECK(access.admit(other).project.empty());
    }
    CHECK(access.admit("Bearer 0123456789abcdef").yes);
    CHECK(access.allows("Bearer plumb_a") == token.empty());
  }
}

TEST_CASE("access: other hosts and origins are strangers") {
  const Access access = Access::make("127.0.0.1", "").value();
  for (const char* host : {"127.0.0.1", "localhost:8787", "[::1]:8787", "LocalHost"})
    CHECK(access.is_our_host(host));
  for (const char* host : {"", "example.org", "127.0.0.1.example.org", "localhost.example.org:80", "[::1"})
    CHECK(!access.is_our_host(host));
  CHECK(Access::make("0.0.0.0", "0123456789abcdef").value().is_our_host("plumb.example"));
  const Access proxied = Access::make("127.0.0.1", "", {"Plumb.Example"}).value();
  CHECK(proxied.is_our_host("plumb.example"));
  CHECK(proxied.is_our_host("localhost:1"));
  CHECK(!proxied.is_our_host("evil.plumb.example"));
  CHECK(Access::is_our_origin("", "localhost:1"));
  CHECK(Access::is_our_origin("http://LOCALHOST:1", "localhost:1"));
  CHECK(!Access::is_our_origin("null", "localhost:1"));
  CHECK(!Access::is_our_origin("http://localhost:2", "localhost:1"));
  CHECK(!Access::is_our_origin("http://localhost:1.example.org", "localhost:1"));
}

TEST_CASE("answered keys: the same key and body give the same answer for 24 hours, and no longer") {
  AnsweredKeys keys;
  Answer before;
  const AnsweredKeys::Clock::time_point start{};
  CHECK(keys.begin("POST /a", "k", "body", before, start) == AnsweredKeys::Found::fresh);
  CHECK(keys.begin("POST /a", "k", "body", before, start) == AnsweredKeys::Found::under_way);
  CHECK(keys.begin("POST /b", "k", "other", before, start) == AnsweredKeys::Found::fresh);
  keys.end("POST /a", "k", json_answer(202, "{}"));
  const auto late = start + std::chrono::hours(24) - std::chrono::milliseconds(1);
  CHECK(keys.begin("POST /a", "k", "body", before, late) == AnsweredKeys::Found::answered);
  CHECK(before.status == 202);
  CHECK(before.body == "{}");
  CHECK(keys.begin("POST /a", "k", "other", before, late) == AnsweredKeys::Found::other_body);
  CHECK(keys.begin("POST /a", "k", "other", before, start + std::chrono::hours(24)) == AnsweredKeys::Found::fresh);
}

TEST_CASE("answered keys: a request that failed for a while may come again") {
  AnsweredKeys keys;
  Answer before;
  const AnsweredKeys::Clock::time_point start{};
  CHECK(keys.begin("s", "k", "body", before, start) == AnsweredKeys::Found::fresh);
  keys.forget("s", "k");
  CHECK(keys.begin("s", "k", "body", before, start + std::chrono::hours(1)) == AnsweredKeys::Found::fresh);
  keys.end("s", "k", json_answer(200, "1"));
  // The first use has aged, the second has not.
  CHECK(keys.begin("s", "k", "body", before, start + std::chrono::hours(24)) == AnsweredKeys::Found::answered);
  CHECK(keys.begin("s", "k", "body", before, start + std::chrono::hours(25)) == AnsweredKeys::Found::fresh);
}

TEST_CASE("answered keys: when all places are taken new keys are refused, and old ones still hold") {
  AnsweredKeys keys(2);
  Answer before;
  const AnsweredKeys::Clock::time_point start{};
  CHECK(keys.begin("s", "1", "", before, start) == AnsweredKeys::Found::fresh);
  keys.end("s", "1", json_answer(200, "1"));
  CHECK(keys.begin("s", "2", "", before, start) == AnsweredKeys::Found::fresh);
  CHECK(keys.begin("s", "3", "", before, start) == AnsweredKeys::Found::full);
  CHECK(keys.begin("s", "1", "", before, start) == AnsweredKeys::Found::answered);
  CHECK(keys.size() == 2);
  CHECK(keys.begin("s", "3", "", before, start + std::chrono::hours(24)) == AnsweredKeys::Found::fresh);
  CHECK(keys.size() == 1);
}

TEST_CASE("metrics: every line is one of Prometheus, and buckets add up") {
  Metrics metrics;
  metrics.request("/v1/runs/{id}", "GET", 200, 0.003);
  metrics.request("/v1/runs/{id}", "GET", 404, 100);
  metrics.stream("/v1/runs/{id}/events", "GET");
  metrics.call("model", "ok", 0.2);
  metrics.tokens("openai", "a\"b\\c\nd", 10, 5, true);
  const std::string text = metrics.text();
  CHECK(text.find("plumb_http_requests_total{route=\"/v1/runs/{id}\",method=\"GET\",status=\"404\"} 1\n") !=
        std::string::npos);
  CHECK(text.find("plumb_http_request_seconds_bucket{route=\"/v1/runs/{id}\",le=\"0.005\"} 1\n") != std::string::npos);
  CHECK(text.find("plumb_http_request_seconds_bucket{route=\"/v1/runs/{id}\",le=\"30\"} 1\n") != std::string::npos);
  CHECK(text.find("plumb_http_request_seconds_bucket{route=\"/v1/runs/{id}\",le=\"+Inf\"} 2\n") != std::string::npos);
  CHECK(text.find("plumb_http_request_seconds_count{route=\"/v1/runs/{id}\"} 2\n") != std::string::npos);
  CHECK(text.find("model=\"a\\\"b\\\\c\\nd\",direction=\"input\",estimated=\"true\"} 10\n") != std::string::npos);
  std::set<std::string> named;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = text.find('\n', from);
    REQUIRE(end != std::string::npos);
    const std::string line = text.substr(from, end - from);
    CAPTURE(line);
    if (line.rfind("# TYPE ", 0) == 0) {
      CHECK(named.insert(line.substr(7, line.find(' ', 7) - 7)).second);
    } else if (line.rfind("# HELP ", 0) != 0) {
      std::string name = line.substr(0, line.find_first_of(" {"));
      for (const char* ending : {"_bucket", "_sum", "_count"}) {
        if (const std::size_t at = name.rfind(ending); at != std::string::npos)
          name.resize(at);
      }
      CHECK(named.count(name) == 1);
      char* rest = nullptr;
      const std::string value = line.substr(line.rfind(' ') + 1);
      (void)std::strtod(value.c_str(), &rest);
      CHECK(*rest == '\0');
    }
    from = end + 1;
  }
}

TEST_CASE("metrics: models beyond a hundred are counted together") {
  Metrics metrics;
  for (int i = 0; i < 150; ++i)
    metrics.tokens("openai", "m" + std::to_string(i), 1, 0, false);
  const std::string text = metrics.text();
  CHECK(text.find("model=\"m99\"") != std::string::npos);
  CHECK(text.find("model=\"m100\"") == std::string::npos);
  CHECK(text.find("model=\"other\",direction=\"input\",estimated=\"false\"} 50\n") != std::string::npos);
}

TEST_CASE("events: data with line ends stays one event") {
  CHECK(event_text("entry", "{}", 7) == "id: 7\nevent: entry\ndata: {}\n\n");
  CHECK(event_text("", "{}") == "data: {}\n\n");
  CHECK(event_text("told", "{\n}\r") == "event: told\ndata: {\ndata: }\ndata: \n\n");
}
