#include "tests/native/proxied.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "native/provider/endpoint.hpp"
#include "native/proxy/time_point.hpp"
#include "tests/native/upstream.hpp"

namespace plumb::test {

std::string chat_body(bool stream, std::string_view more) {
  return std::string(R"({"model":"m","messages":[{"role":"user","content":"Say what is to be said."}],"stream":)") +
         (stream ? "true" : "false") + std::string(more) + "}";
}

std::string whole_text(std::string_view text) {
  return R"({"id":"c1","object":"chat.completion","created":1,"model":"m-1","choices":[{"index":0,)"
         R"("message":{"role":"assistant","content":")" +
         std::string(text) +
         R"("},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}})";
}

Proxied::Proxied(const std::vector<Served>& providers, const Change& change, Log log) {
  char name[] = "/tmp/plumb-proxied-XXXXXX";
  REQUIRE(::mkdtemp(name) != nullptr);
  folder_ = name;
  settings = std::make_shared<proxy::Settings>();
  settings->port = 0;
  settings->threads = 2;
  settings->keys_file = (folder_ / "keys.json").string();
  settings->counters_file = (folder_ / "counters.json").string();
  settings->retries.retries_max = 0;
  settings->log = proxy::LogKind::off;
  proxy::Route route;
  route.name = "m";
  for (const Served& one : providers) {
    proxy::Upstream upstream;
    upstream.name = "p" + std::to_string(settings->upstreams.size());
    upstream.endpoint.wire = one.wire;
    upstream.endpoint.base =
        provider::read_base_url("http://127.0.0.1:" + std::to_string(one.at->port()) + "/v1").value();
    upstream.endpoint.key = "sk-secret-of-the-provider";
    proxy::Target target;
    target.upstream = settings->upstreams.size();
    target.model = "real-m";
    target.name = upstream.name + "/real-m";
    settings->upstreams.push_back(upstream);
    (route.targets.empty() ? route.targets : route.fallbacks).push_back(target);
  }
  settings->routes.push_back(route);
  if (change)
    change(*settings);
  Result<std::unique_ptr<proxy::Policy>> opened = proxy::Policy::open({settings, std::move(log)}, proxy::moment_now());
  REQUIRE(opened);
  policy = std::move(opened).value();
  Result<std::unique_ptr<proxy::DataPort>> listening = proxy::DataPort::open(*policy);
  REQUIRE(listening);
  port = std::move(listening).value();
}

Proxied::~Proxied() {
  port.reset();
  policy.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string Proxied::answer(std::string_view request) const {
  Socket one = client();
  one.send(request);
  return one.read_message();
}

std::shared_ptr<const proxy::Settings> Proxied::settings_with(const Change& change) const {
  auto changed = std::make_shared<proxy::Settings>(*policy->settings());
  change(*changed);
  return changed;
}

std::uint64_t metric(const std::string& text, const std::string& name) {
  std::uint64_t sum = 0;
  for (std::size_t at = text.find("\n" + name); at != std::string::npos; at = text.find("\n" + name, at + 1)) {
    const char next = text[at + 1 + name.size()];
    if (next != ' ' && next != '{')
      continue;
    const std::size_t end = text.find('\n', at + 1);
    const std::size_t blank = text.rfind(' ', end);
    sum += std::strtoull(text.c_str() + blank + 1, nullptr, 10);
  }
  return sum;
}

std::uint64_t Proxied::calls_ended() const {
  std::string text = "\n";
  policy->append_metrics(text, proxy::moment_now());
  return metric(text, "plumb_proxy_calls_total");
}

std::uint64_t Proxied::calls_open() const {
  std::string text = "\n";
  policy->append_metrics(text, proxy::moment_now());
  return metric(text, "plumb_proxy_calls_open");
}

bool Proxied::settles(std::uint64_t ended) const {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < until) {
    if (calls_open() == 0 && calls_ended() == ended)
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

}  // namespace plumb::test
