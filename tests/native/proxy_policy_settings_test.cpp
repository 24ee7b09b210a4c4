// `proxy:` of plumb.yaml: what it means, and what is said of a mistake in it.
#include <doctest/doctest.h>

#include "native/proxy/address.hpp"
#include "tests/native/proxy_policy_setup.hpp"
#include "tests/native/source_dir.hpp"

using namespace plumb;
using namespace plumb::proxy;
using proxy_setup::Folder;

namespace {

constexpr std::string_view providers = "providers:\n  near: {speaks: openai, base_url: 'http://127.0.0.1:1/v1'}\n";

std::shared_ptr<const Settings> good(const Folder& folder, std::string_view proxy, provider::Variables variables = {}) {
  const auto read = proxy_setup::read(folder, std::string(providers) + "proxy:\n" + std::string(proxy), variables);
  if (!read)
    FAIL(read.error().message);
  return read.value();
}

Error bad(const Folder& folder, std::string_view proxy, provider::Variables variables = {}) {
  const auto read = proxy_setup::read(folder, std::string(providers) + "proxy:\n" + std::string(proxy), variables);
  REQUIRE_FALSE(read);
  return read.error();
}

std::array<std::uint8_t, 16> bytes_of(std::string_view text) { return read_network(text)->address; }

}  // namespace

TEST_CASE("proxy settings: the example of the documentation is read, and says what it says") {
  const Folder folder;
  const std::string file = plumb::test::source_dir() + "/docs/examples/proxy.yaml";
  const Result<plumb::ConfigFile> config = plumb::read_config_file(file);
  if (!config)
    FAIL(config.error().message);
  const provider::Variables variables = {
      {"OPENAI_API_KEY", "sk-test"}, {"ANTHROPIC_API_KEY", "sk-ant-test"}, {"OTLP_TOKEN", "Bearer t"}};
  const auto read = read_proxy_settings({config.value(), variables,
                                         [](const std::string& path) -> Result<std::string> {
                                           return Error{ErrorCode::not_found, "no such file", path, 0, 0};
                                         },
                                         folder.path("state")});
  if (!read)
    FAIL(read.error().line << ": " << read.error().message);
  const Settings& settings = *read.value();
  const Route* careful = settings.route_of("careful");
  REQUIRE(careful != nullptr);
  CHECK(careful->targets.size() == 2);
  CHECK(careful->targets[0].weight == 3);
  CHECK(careful->fallbacks.size() == 1);
  CHECK(settings.contract_named("quiz") != nullptr);
  REQUIRE(settings.judge.there());
  CHECK(settings.judge.route.targets[0].name == "openai/gpt-4o-mini");
  CHECK(settings.judge.deadline_ms == 30'000);
  CHECK(settings.judge.open_passes);
  CHECK(settings.telemetry.on);
  CHECK(settings.each_key.any());
  CHECK(settings.upstreams[careful->targets[0].upstream].name == "anthropic");
}

TEST_CASE("proxy settings: without models every name goes to the provider that pipelines use") {
  const Folder folder;
  const auto read = proxy_setup::read(folder,
                                      "providers:\n  default: near/tiny\n  near: {speaks: openai, base_url: "
                                      "'http://127.0.0.1:1/v1'}\nproxy: {}\n");
  REQUIRE(read);
  const Route* route = read.value()->route_of("anything");
  REQUIRE(route != nullptr);
  CHECK(route->name == "*");
  CHECK(route->targets[0].model.empty());
  const Error error = bad(folder, "  listen: 127.0.0.1:0\n");
  CHECK(error.message.find("has no 'models'") != std::string::npos);
}

TEST_CASE("proxy settings: prices, limits and sizes are exact") {
  const Folder folder;
  const auto settings =
      good(folder,
           "  models: {a: near/x, '*': near}\n"
           "  prices: {near: {input: 0.15, output: 0.6, cached: 0.075}, near/y: {input: 3, output: 5}}\n"
           "  limits: {requests_per_minute: 60, usd_per_day: 1.5}\n"
           "  idempotency: {bytes: 2M, ttl_s: 60}\n"
           "  responses: {entries: 500, ttl_s: 7}\n"
           "  bounds: {body: 10M, connections: 100}\n");
  CHECK(settings->each_key.nano_usd_per_day == 1'500'000'000);
  CHECK(settings->each_key.requests_per_minute == 60);
  CHECK(settings->idempotency.bytes_max == 2U << 20);
  CHECK(settings->idempotency.ttl_ms == 60'000);
  CHECK(settings->bounds.body_bytes_max == 10U << 20);
  CHECK(settings->bounds.connections_each_max == 100);
  CHECK(settings->responses.entries_max == 500);
  CHECK(settings->responses.ttl_ms == 7'000);
  CHECK(good(folder, "  models: {a: near/x}\n  idempotency: off\n")->idempotency.bytes_max == 0);
  const Route* all = settings->route_of("y");
  REQUIRE(all != nullptr);
  CHECK(settings->price_of(all->targets[0], "y").input_micro_usd == 3'000'000);
  const Price usual = settings->price_of(all->targets[0], "z");
  CHECK(usual.cached_micro_usd == 75'000);
  // 1,000 tokens read, 400 of them from the cache, 10 written: 0.09 + 0.03 + 0.006 thousandths of a dollar.
  CHECK(cost_nano_usd(usual, 1'000, 400, 10) == 126'000);
  CHECK(cost_nano_usd(usual, 1, 0, 0) == 150);
  CHECK(dollars_text(126'000) == "0.000126");
  CHECK(dollars_text(1'500'000'000) == "1.5");
  CHECK(dollars_text(0) == "0");
}

TEST_CASE("proxy settings: a mistake is told with its line, its column and the nearest name") {
  const Folder folder;
  struct Case {
    std::string_view yaml;
    std::size_t line;
    std::string_view says;
  };
  const Case cases[] = {
      {"  modells: {a: near/x}\n", 4, "did you mean 'models'?"},
      {"  models: {a: neer/x}\n", 4, "did you mean 'near'?"},
      {"  models: {a: extract}\n", 4, "built in and cannot be called"},
      {"  models: {a: {targets: []}}\n", 4, "1 to 20 targets"},
      {"  models: {a: {fallbacks: [near/x]}}\n", 4, "'to: PROVIDER/MODEL' or 'targets'"},
      {"  models: {a: near/x}\n  limits: {requests_per_hour: 1}\n", 5, "unknown key 'requests_per_hour'"},
      {"  models: {a: near/x}\n  limits: {usd_per_day: 1.5}\n", 4, "no price for 'near/x'"},
      {"  models: {a: near/x}\n  projects: {acme: {usd_per_day: 5}}\n", 4, "no price for 'near/x'"},
      {"  projects: {'a b': {calls_at_once: 1}}\n", 4, "'a b': a project's name has 1 to 32 letters"},
      {"  projects: {acme: {calls: 1}}\n", 4, "calls"},
      {"  projects: [acme]\n", 4, "'projects' must be a map from a project's name"},
      {"  models: {a: near/x}\n  limits: {requests_per_day: 0}\n", 5, "without it there is no limit"},
      {"  models: {a: near/x}\n  prices: {near/x: {input: two, output: 1}}\n", 5, "dollars for a million tokens"},
      {"  models: {a: near/x}\n  listen: nowhere\n", 5, "127.0.0.1:8788"},
      {"  models: {a: near/x}\n  listen: ::1:80\n", 5, "is written in brackets"},
      {"  models: {a: near/x}\n  mode: enforced\n", 5, "did you mean 'enforce'?"},
      {"  models: {a: near/x}\n  contracts: {quiz: quizz}\n", 5, "did you mean 'quiz'?"},
      {"  models: {a: near/x}\n  contracts: {'two words': quiz}\n", 5, "cannot be the name of a contract"},
      {"  models: {a: near/x}\n  contracts: {quiz: {enforce: 10}}\n", 5, "from 0% to 100%, such as 10% or 0.5%"},
      {"  models: {a: near/x}\n  contracts: {quiz: {enforce: 101%}}\n", 5, "from 0% to 100%"},
      {"  models: {a: near/x}\n  contracts: {quiz: {enforced: 10%}}\n", 5, "did you mean 'enforce'?"},
      {"  models: {a: near/x}\n  mode: observe\n  contracts: {quiz: {enforce: 10%}}\n", 6, "set 'mode' to enforce"},
      {"  models: {a: near/x}\n  origins: ['https://a.example/path']\n", 5, "is not an origin"},
      {"  models: {a: near/x}\n  private_upstreams: [10.0.0.0/40]\n", 5, "is not a network"},
      {"  models: {a: near/x}\n  telemetry: {service: x}\n", 5, "has no 'otlp'"},
      {"  models: {a: near/x}\n  telemetry: {otlp: 'http://c:1', headers_env: {authorization: NOT_SET}}\n", 5,
       "NOT_SET"},
      {"  models: {a: near/x}\n  idempotency: {bytes: many}\n", 5, "64KB or 16MB"},
      {"  models: {a: near/x}\n  cache: {bytes: 1M}\n", 5, "no cache of answers"},
      {"  models: {a: near/x}\n  cache: off\n", 5, "no cache of answers"},
      {"  models: {a: near/x, a: near/y}\n", 4, "twice"},
      {"  models: {a: near/x}\n  judge: near\n", 5, "needs a model of its own"},
      {"  models: {a: near/x}\n  judge: {deadline_ms: 100}\n", 5, "'to: PROVIDER/MODEL' or 'targets'"},
      {"  models: {a: near/x}\n  judge: {to: near/x, on_unverified: silent}\n", 5, "pass"},
      {"  models: {a: near/x}\n  judge: {to: neer/x}\n", 5, "did you mean 'near'?"},
      {"  models: {a: near/x}\n  prices: {near/x: {input: 1, output: 1}}\n  judge: near/y\n"
       "  limits: {usd_per_day: 1.5}\n",
       5, "no price for 'near/y'"},
      {"  - a\n", 4, "must be a map"},
  };
  for (const Case& one : cases) {
    const Error error = bad(folder, one.yaml);
    CAPTURE(one.yaml);
    CAPTURE(error.message);
    CHECK(error.message.find(one.says) != std::string::npos);
    CHECK(error.line == one.line);
    CHECK(error.column > 0);
    CHECK(error.where == folder.path("plumb.yaml"));
  }
}

TEST_CASE("proxy settings: a contract of a file is read with the file, and one that is none is refused") {
  const Folder folder;
  folder.write("brief.json", R"({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"})");
  folder.write("none.json", R"({"type": 5})");
  const auto settings = good(folder, "  models: {a: near/x}\n  contracts: {brief: brief.json, quiz: }\n");
  REQUIRE(settings->contract_named("brief") != nullptr);
  CHECK(settings->contract_named("brief")->contract->contract.name() == "brief");
  CHECK(settings->contract_named("quiz") != nullptr);
  CHECK(settings->contract_named("flashcards") == nullptr);
  const Error error = bad(folder, "  models: {a: near/x}\n  contracts: {none: none.json}\n");
  CHECK(error.message.find("is not a contract") != std::string::npos);
}

TEST_CASE("proxy settings: a provider's key comes from a systemd credential, and no error repeats it") {
  const Folder folder;
  folder.write("openai", "sk-from-systemd\n");
  const std::string yaml =
      "providers:\n  mine: {speaks: openai, base_url: 'http://127.0.0.1:1/v1', key_credential: openai}\n"
      "proxy:\n  models: {a: mine/x}\n";
  const auto read = proxy_setup::read(folder, yaml, {{"CREDENTIALS_DIRECTORY", folder.path("")}});
  if (!read)
    FAIL(read.error().message);
  CHECK(read.value()->upstreams[0].endpoint.key == "sk-from-systemd");
  const auto without = proxy_setup::read(folder, yaml);
  REQUIRE_FALSE(without);
  CHECK(without.error().message.find("LoadCredential=openai") != std::string::npos);
  folder.write("openai", "sk secret with blanks");
  const auto broken = proxy_setup::read(folder, yaml, {{"CREDENTIALS_DIRECTORY", folder.path("")}});
  REQUIRE_FALSE(broken);
  CHECK(broken.error().message.find("secret") == std::string::npos);
}

TEST_CASE("addresses: what is no address of the public network is told as private, also within IPv6") {
  for (const std::string_view text : {"127.0.0.1",
                                      "10.1.2.3",
                                      "172.16.0.1",
                                      "172.31.255.255",
                                      "192.168.1.1",
                                      "169.254.169.254",
                                      "100.64.0.1",
                                      "0.0.0.0",
                                      "224.0.0.1",
                                      "255.255.255.255",
                                      "::",
                                      "::1",
                                      "fe80::1",
                                      "fc00::1",
                                      "fd12::1",
                                      "ff02::1",
                                      "::ffff:10.0.0.1",
                                      "::10.0.0.1",
                                      "64:ff9b::7f00:1",
                                      "2002:7f00:1::",
                                      "2001:db8::1"}) {
    CAPTURE(text);
    CHECK(is_private(bytes_of(text)));
  }
  for (const std::string_view text : {"1.1.1.1", "172.15.0.1", "172.32.0.1", "192.167.1.1", "8.8.8.8",
                                      "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::"}) {
    CAPTURE(text);
    CHECK_FALSE(is_private(bytes_of(text)));
  }
}

TEST_CASE("addresses: a private address is connected to only where plumb.yaml names it") {
  const Folder folder;
  const auto settings = good(folder, "  models: {a: near/x}\n  private_upstreams: [10.0.0.0/8]\n");
  const Upstream& near = settings->upstreams[0];  // 127.0.0.1 itself
  CHECK(may_connect("127.0.0.1", near, *settings));
  CHECK(may_connect("10.9.8.7", near, *settings));
  CHECK(may_connect("8.8.8.8", near, *settings));
  CHECK_FALSE(may_connect("169.254.169.254", near, *settings));
  CHECK_FALSE(may_connect("192.168.0.1", near, *settings));
  CHECK_FALSE(may_connect("no address", near, *settings));
  Upstream named = near;
  named.endpoint.base.origin.host = "api.example.org";
  CHECK_FALSE(may_connect("127.0.0.1", named, *settings));
  CHECK_FALSE(may_connect("::ffff:127.0.0.1", named, *settings));
  CHECK(may_connect("93.184.216.34", named, *settings));
}

TEST_CASE("addresses: listen takes an address and a port in all usual forms") {
  CHECK(read_listen("127.0.0.1:80").value().host == "127.0.0.1");
  CHECK(read_listen(":80").value().host == "0.0.0.0");
  CHECK(read_listen("8788").value().port == 8788);
  CHECK(read_listen("[::1]:0").value().host == "::1");
  for (const std::string_view text : {"", "host", "127.0.0.1:", "127.0.0.1:70000", "example.org:80", "::1:80"})
    CHECK_FALSE(read_listen(text));
}
