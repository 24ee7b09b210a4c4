// The maintenance: changed files, the day's counts, spans to a collector that listens.
#include <doctest/doctest.h>
#include <httplib.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "native/proxy/counters_file.hpp"
#include "native/proxy/key_file.hpp"
#include "native/proxy/maintenance.hpp"
#include "native/proxy/policy_state.hpp"
#include "native/proxy/utc.hpp"
#include "tests/native/proxy_policy_setup.hpp"

using namespace plumb;
using namespace plumb::proxy;
using proxy_setup::Folder;
using proxy_setup::usage;

namespace {

// Until it is true, at most so long as a slow machine may need.
template <class Condition>
bool comes(const Condition& condition) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

MaintenanceOptions options(const Folder& folder) {
  MaintenanceOptions out;
  out.config = folder.path("plumb.yaml");
  out.look_ms = 10;
  out.counters_ms = 20;
  out.read_settings = [&folder](const std::string&) { return proxy_setup::read_again(folder); };
  return out;
}

void make_call(Policy& policy, std::uint64_t tokens) {
  const CallerPtr caller = std::make_shared<const Caller>();
  Ask ask;
  ask.route = "/v1/messages";
  ask.model = "fast";
  ask.input_tokens = 100;
  Begun begun = policy.begin(caller, ask, moment_now(), tokens);
  REQUIRE_FALSE(begun.refused);
  REQUIRE(begun.call->next(moment_now()).kind == StepKind::ask);
  begun.call->answered(usage(tokens, 0), moment_now());
  begun.call->end({}, moment_now());
}

std::string problem(Policy& policy) {
  return nlohmann::json::parse(policy.state_json(moment_now()))["config"]["problem"];
}

// A collector of OpenTelemetry that says `status`, and keeps what it was sent.
class Collector {
 public:
  explicit Collector(int status = 200) : status_(status) {
    server_.Post("/v1/traces", [this](const httplib::Request& request, httplib::Response& response) {
      const std::lock_guard lock(mutex_);
      bodies_.push_back(request.body);
      token_ = request.get_header_value("authorization");
      type_ = request.get_header_value("content-type");
      response.status = status_;
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
  }
  ~Collector() {
    server_.stop();
    thread_.join();
  }
  int port() const { return port_; }
  void set_status(int status) {
    const std::lock_guard lock(mutex_);
    status_ = status;
  }
  std::vector<std::string> bodies() const {
    const std::lock_guard lock(mutex_);
    return bodies_;
  }
  std::string token() const {
    const std::lock_guard lock(mutex_);
    return token_ + " " + type_;
  }

 private:
  httplib::Server server_;
  mutable std::mutex mutex_;
  int status_;
  std::vector<std::string> bodies_;
  std::string token_;
  std::string type_;
  int port_ = 0;
  std::thread thread_;
};

}  // namespace

TEST_CASE(
    "maintenance: a changed plumb.yaml holds within moments, and one with an error changes nothing but what is shown") {
  const Folder folder;
  const auto opened = proxy_setup::open(folder);
  Policy& policy = *opened.policy;
  Maintenance maintenance(policy, options(folder));
  // Read by the maintenance's own look, so the test writes what it is to find.
  folder.write("plumb.yaml", proxy_setup::usual_yaml(folder, "  max_output_tokens: 77\n"));
  CHECK(comes([&] { return policy.settings()->output_tokens_max == 77; }));
  folder.write("plumb.yaml", proxy_setup::usual_yaml(folder, "  max_output_tokens: many\n"));
  CHECK(comes([&] { return !problem(policy).empty(); }));
  CHECK(problem(policy).find("plumb.yaml:") != std::string::npos);
  CHECK(problem(policy).find("a whole number") != std::string::npos);
  CHECK(policy.settings()->output_tokens_max == 77);
  CHECK(comes([&] { return policy.state().metrics.reloads_refused >= 1; }));
  folder.write("plumb.yaml", proxy_setup::usual_yaml(folder, "  max_output_tokens: 78\n"));
  CHECK(comes([&] { return policy.settings()->output_tokens_max == 78; }));
  CHECK(comes([&] { return problem(policy).empty(); }));
  const std::uint64_t before = policy.state().metrics.reloads;
  maintenance.reload();  // though nothing has changed
  CHECK(comes([&] { return policy.state().metrics.reloads > before; }));
}

TEST_CASE("maintenance: a contract's own file that is changed while it is read for the first time is read once more") {
  const Folder folder;
  const auto opened = proxy_setup::open(folder);
  Policy& policy = *opened.policy;
  folder.write("brief.json", R"({"type": "object"})");
  MaintenanceOptions with = options(folder);
  std::atomic<int> reads = 0;
  with.read_settings = [&](const std::string& path) {
    auto read = read_proxy_settings(path);
    if (reads++ == 0)
      folder.write("brief.json", R"({"type": "array"})");
    return read;
  };
  Maintenance maintenance(policy, with);
  folder.write("plumb.yaml", proxy_setup::usual_yaml(folder, "  contracts: {brief: brief.json}\n"));
  CHECK(comes([&] {
    const NamedContract* brief = policy.settings()->contract_named("brief");
    return brief != nullptr && brief->text == R"({"type": "array"})";
  }));
  CHECK(reads >= 2);
}

TEST_CASE(
    "maintenance: a contract's own file that is changed is read again, and one with an error leaves the old one") {
  const Folder folder;
  const auto opened = proxy_setup::open(folder);
  Policy& policy = *opened.policy;
  folder.write("brief.json", R"({"type": "object"})");
  Maintenance maintenance(policy, options(folder));
  folder.write("plumb.yaml", proxy_setup::usual_yaml(folder, "  contracts: {brief: brief.json}\n"));
  const auto text = [&] {
    const NamedContract* brief = policy.settings()->contract_named("brief");
    return brief == nullptr ? std::string() : brief->text;
  };
  REQUIRE(comes([&] { return !text().empty(); }));
  folder.write("brief.json", R"({"type": "array"})");
  CHECK(comes([&] { return text() == R"({"type": "array"})"; }));
  folder.write("brief.json", R"({"type": "no such"})");
  CHECK(comes([&] { return !problem(policy).empty(); }));
  CHECK(text() == R"({"type": "array"})");
  folder.write("brief.json", R"({"type": "string"})");
  CHECK(comes([&] { return text() == R"({"type": "string"})"; }));
  CHECK(comes([&] { return problem(policy).empty(); }));
}

TEST_CASE("maintenance: the user's own prompt of repairs is taken, and taken again when its file has changed") {
  const Folder folder;
  const auto opened = proxy_setup::open(folder);
  Policy& policy = *opened.policy;
  Maintenance maintenance(policy, options(folder));
  folder.write("plumb.yaml", "prompts: .\n" + proxy_setup::usual_yaml(folder, ""));
  CHECK(comes([&] { return !policy.settings()->files.empty(); }));
  CHECK(policy.settings()->guarding.repair_prompt == nullptr);
  const auto prompt = [](const std::string& about) {
    return "---\n{\"about\": \"" + about + "\"}\n---\n<!-- user -->\nMend it: {{artifact}}\n";
  };
  const auto about = [&] {
    const auto taken = policy.settings()->guarding.repair_prompt;
    return taken == nullptr ? std::string() : taken->about;
  };
  folder.write("guard-repair.md", prompt("Ours."));
  CHECK(comes([&] { return about() == "Ours."; }));
  folder.write("guard-repair.md", prompt("Ours again."));
  CHECK(comes([&] { return about() == "Ours again."; }));
}

TEST_CASE(
    "maintenance: a new key is let in and a revoked one refused by a running proxy; a broken key file changes "
    "nothing") {
  const Folder folder;
  std::array<std::uint8_t, 32> random = {};
  const auto make = [&](std::uint8_t first) {
    random[0] = first;
    return key_text(random);
  };
  const auto change = [&](const std::function<void(std::vector<ClientKey>&)>& with) {
    REQUIRE(change_keys_file(folder.path("client-keys.json"), [&](std::vector<ClientKey>& keys) -> Result<bool> {
      with(keys);
      return true;
    }));
  };
  const auto add = [&](std::uint8_t first, std::string id) {
    change([&](std::vector<ClientKey>& keys) {
      ClientKey key;
      key.id = key.name = std::move(id);
      key.digest = key_digest(make(first));
      keys.push_back(key);
    });
  };
  add(1, "k1");
  const auto opened = proxy_setup::open(folder);
  Policy& policy = *opened.policy;
  Maintenance maintenance(policy, options(folder));
  const auto let_in = [&](std::uint8_t first) { return !policy.identify({"", make(first), ""}, moment_now()).refused; };
  CHECK(let_in(1));
  CHECK_FALSE(let_in(2));
  add(2, "k2");
  CHECK(comes([&] { return let_in(2); }));
  change([](std::vector<ClientKey>& keys) { keys[0].revoked_ms = moment_now().wall_ms; });
  CHECK(comes([&] { return !let_in(1); }));
  folder.write("client-keys.json", "{");
  CHECK(comes([&] { return opened.has_said("the old keys stay"); }));
  CHECK(let_in(2));
  folder.write("client-keys.json", "");
  CHECK(comes([&] { return !let_in(2); }));
}

TEST_CASE("maintenance: the day's counts are written while it runs and at its end, and a restart goes on from them") {
  const Folder folder;
  const auto counted = [&] {
    const auto read = read_counters_file(folder.path("counters.json"));
    std::uint64_t tokens = 0;
    if (read) {
      for (const Used& one : read.value()) {
        if (one.scope == "model:fast")
          tokens = one.tokens_day;
      }
    }
    return tokens;
  };
  {
    const auto opened = proxy_setup::open(folder);
    {
      Maintenance maintenance(*opened.policy, options(folder));
      make_call(*opened.policy, 40);
      CHECK(comes([&] { return counted() == 40; }));
      make_call(*opened.policy, 2);
    }
    CHECK(counted() == 42);
  }
  const auto again = proxy_setup::open(folder);
  make_call(*again.policy, 1);
  const auto used = again.policy->state().ledger.used(moment_now());
  for (const Used& one : used)
    CHECK(one.tokens_day == 43);
}

TEST_CASE("maintenance: spans reach a collector with its headers, and wait for one that is away") {
  const Folder folder;
  Collector collector(503);
  const std::string telemetry = "  telemetry: {otlp: 'http://127.0.0.1:" + std::to_string(collector.port()) +
                                "', headers_env: {authorization: TOKEN}, service: shop}\n";
  const auto settings = proxy_setup::read(folder, proxy_setup::usual_yaml(folder, telemetry), {{"TOKEN", "Bearer t"}});
  if (!settings)
    FAIL(settings.error().message);
  auto opened = Policy::open({settings.value(), {}}, moment_now());
  REQUIRE(opened);
  Policy& policy = *opened.value();
  MaintenanceOptions with = options(folder);
  with.config.clear();
  Maintenance maintenance(policy, with);
  make_call(policy, 5);
  CHECK(comes([&] { return !collector.bodies().empty(); }));
  CHECK(policy.state().spans.counts().sent == 0);
  collector.set_status(200);
  CHECK(comes([&] { return policy.state().spans.counts().sent == 1; }));
  CHECK(collector.token() == "Bearer t application/json");
  const std::vector<std::string> bodies = collector.bodies();
  REQUIRE(bodies.size() >= 2);
  CHECK(bodies.back() == bodies.front());
  const auto sent = nlohmann::json::parse(bodies.back());
  CHECK(sent["resourceSpans"][0]["scopeSpans"][0]["spans"].size() == 2);
}

TEST_CASE(
    "maintenance: spans that a collector refuses are counted as failed and not sent again; the rest goes at the end") {
  const Folder folder;
  Collector collector(400);
  const std::string telemetry = "  telemetry: {otlp: 'http://127.0.0.1:" + std::to_string(collector.port()) + "'}\n";
  const auto opened = proxy_setup::open(folder, telemetry);
  Policy& policy = *opened.policy;
  {
    MaintenanceOptions with = options(folder);
    with.config.clear();
    Maintenance maintenance(policy, with);
    make_call(policy, 5);
    CHECK(comes([&] { return policy.state().spans.counts().failed == 1; }));
    CHECK(collector.bodies().size() == 1);
    collector.set_status(200);
    for (std::uint64_t i = 0; i < 300; ++i)
      make_call(policy, i);
  }
  CHECK(policy.state().spans.counts().sent == 300);
}

TEST_CASE("maintenance: prompts and answers are kept only where a directory is named, and for its owner alone") {
  const Folder folder;
  const auto kept = [&](const proxy_setup::Opened& opened) {
    const CallerPtr caller = std::make_shared<const Caller>();
    Ask ask;
    ask.route = "/v1/messages";
    ask.model = "fast";
    const Begun begun = opened.policy->begin(caller, ask, moment_now(), 1);
    REQUIRE_FALSE(begun.refused);
    opened.policy->record(*begun.call, *caller, ask.route, R"({ "model": "fast" })", "data: {}\n\n", moment_now());
    begun.call->end({}, moment_now());
  };
  const std::string file = "records/" + utc_text_ms(moment_now().wall_ms).substr(0, 10) + ".jsonl";
  {
    const auto opened = proxy_setup::open(folder);
    Maintenance maintenance(*opened.policy, options(folder));
    kept(opened);
    CHECK_FALSE(opened.policy->records());
  }
  CHECK(folder.read(file).empty());
  {
    const auto opened = proxy_setup::open(folder, "  record: " + folder.path("records") + "\n");
    Maintenance maintenance(*opened.policy, options(folder));
    kept(opened);
    CHECK(comes([&] { return !folder.read(file).empty(); }));
    kept(opened);
  }
  const std::string text = folder.read(file);
  CHECK(std::count(text.begin(), text.end(), '\n') == 2);
  const auto line = nlohmann::json::parse(text.substr(0, text.find('\n')));
  CHECK(line["request"]["model"] == "fast");
  CHECK(line["answer"] == "data: {}\n\n");
  CHECK(line["key"] == "local");
  struct stat status {};
  REQUIRE(::stat(folder.path(file).c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
}
