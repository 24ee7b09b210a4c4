// Client keys: their text, their file, who they let in.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <set>
#include <thread>

#include "native/proxy/key_file.hpp"
#include "native/proxy/policy_state.hpp"
#include "native/proxy/project_keys.hpp"
#include "tests/native/proxy_policy_setup.hpp"

using namespace plumb;
using namespace plumb::proxy;
using proxy_setup::after;
using proxy_setup::Folder;

namespace {

std::array<std::uint8_t, 32> bytes(std::uint8_t first) {
  std::array<std::uint8_t, 32> out = {};
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::uint8_t>(first + 7 * i);
  return out;
}

ClientKey key(std::uint8_t number, std::string name) {
  ClientKey out;
  out.id = "k" + name;
  out.name = std::move(name);
  out.digest = key_digest(key_text(bytes(number)));
  out.created_ms = after(0).wall_ms;
  return out;
}

std::string bearer(std::uint8_t number) { return "Bearer " + key_text(bytes(number)); }

void save(const Folder& folder, const std::vector<ClientKey>& keys) {
  const Result<bool> saved =
      change_keys_file(folder.path("client-keys.json"), [&](std::vector<ClientKey>& in) -> Result<bool> {
        in = keys;
        return true;
      });
  REQUIRE(saved);
}

}  // namespace

TEST_CASE("client keys: a key is 55 letters and digits that differ for each 256 bits") {
  std::set<std::string> seen;
  for (unsigned i = 0; i < 256; ++i) {
    const std::string text = key_text(bytes(static_cast<std::uint8_t>(i)));
    CHECK(text.size() == 55);
    CHECK(key_form(text) == KeyForm::good);
    seen.insert(text);
  }
  CHECK(seen.size() == 256);
  std::array<std::uint8_t, 32> most;
  most.fill(0xFF);
  CHECK(key_form(key_text(most)) == KeyForm::good);
  CHECK(key_text({}).substr(0, 49) == "plumb_0000000000000000000000000000000000000000000");
}

TEST_CASE("client keys: every changed, lost or swapped character is told as a misspelt key") {
  const std::string text = key_text(bytes(3));
  for (std::size_t i = 6; i < text.size(); ++i) {
    for (const char c : {'0', 'A', 'z', '!', ' '}) {
      std::string other = text;
      if (other[i] == c)
        continue;
      other[i] = c;
      CHECK(key_form(other) == KeyForm::misspelt);
    }
    std::string shorter = text;
    shorter.erase(i, 1);
    CHECK(key_form(shorter) == KeyForm::misspelt);
    if (i + 1 < text.size() && text[i] != text[i + 1]) {
      std::string swapped = text;
      std::swap(swapped[i], swapped[i + 1]);
      CHECK(key_form(swapped) == KeyForm::misspelt);
    }
  }
  CHECK(key_form("sk-proj-1234") == KeyForm::not_ours);
  CHECK(key_form("") == KeyForm::not_ours);
}

TEST_CASE("client keys: the file holds digests alone, is for its owner alone, and reads back the same") {
  const Folder folder;
  ClientKey full = key(1, "full");
  full.expires_ms = after(86'400'000).wall_ms;
  full.models = {"fast"};
  full.contracts = {"quiz"};
  full.origins = {"https://app.example.org"};
  full.limits.requests_per_minute = 5;
  full.limits.nano_usd_per_day = 1'250'000'000;
  full.response_format = Mode::enforce;
  full.tools = Mode::hold_back;
  full.project = "acme-2_X";
  save(folder, {full, key(2, "plain")});
  const std::string text = folder.read("client-keys.json");
  CHECK(text.find(key_text(bytes(1)).substr(6)) == std::string::npos);
  struct stat status {};
  REQUIRE(::stat(folder.path("client-keys.json").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  const auto read = read_keys_file(folder.path("client-keys.json"));
  REQUIRE(read);
  CHECK(keys_text(read.value()) == text);
  CHECK(read.value()[0].limits == full.limits);
  CHECK(read.value()[0].response_format == Mode::enforce);
  CHECK(read.value()[0].digest == full.digest);
  CHECK(read.value()[0].project == full.project);
  CHECK(read.value()[1].project.empty());
  CHECK(read_keys_file(folder.path("absent.json")).value().empty());
}

TEST_CASE("client keys: a file that says what is not known is refused with the place") {
  const std::string digest(64, 'a');
  const auto refused = [&](const std::string& member) {
    const auto read = read_keys(
        "{\"plumb_keys\":1,\"keys\":[{\"id\":\"k1\",\"name\":\"n\",\"sha256\":\"" + digest + "\"" + member + "}]}",
        "keys.json");
    REQUIRE_FALSE(read);
    CHECK(read.error().where == "keys.json");
    return read.error().message;
  };
  CHECK(refused(",\"modles\":[]").find("did you mean 'models'?") != std::string::npos);
  CHECK(refused(",\"limits\":{\"usd\":1}").find("no limit 'usd'") != std::string::npos);
  CHECK(refused(",\"limits\":{\"requests_per_day\":-1}").find("a number above 0") != std::string::npos);
  CHECK(refused(",\"expires\":\"tomorrow\"").find("a time such as") != std::string::npos);
  CHECK(refused(",\"tools\":\"all\"").find("observe") != std::string::npos);
  CHECK(refused("},{\"id\":\"k1\",\"name\":\"m\",\"sha256\":\"" + digest + "\"").find("twice") != std::string::npos);
  CHECK_FALSE(read_keys("{\"keys\":[]}", "keys.json"));
  CHECK_FALSE(read_keys("[1", "keys.json"));
}

TEST_CASE("client keys: of many changes at once none is lost") {
  const Folder folder;
  std::vector<std::thread> threads;
  for (std::uint8_t i = 0; i < 16; ++i) {
    threads.emplace_back([&folder, i] {
      const Result<bool> changed =
          change_keys_file(folder.path("client-keys.json"), [i](std::vector<ClientKey>& keys) -> Result<bool> {
            keys.push_back(key(i, "n" + std::to_string(i)));
            return true;
          });
      CHECK(changed);
    });
  }
  for (std::thread& one : threads)
    one.join();
  CHECK(read_keys_file(folder.path("client-keys.json")).value().size() == 16);
}

TEST_CASE("identify: without any key this machine is answered, and with one only who has it") {
  const Folder folder;
  {
    const auto opened = proxy_setup::open(folder);
    CHECK(opened.policy->start_note().find("without one") != std::string::npos);
    const Identified who = opened.policy->identify({"Bearer anything", "", ""}, after(0));
    REQUIRE_FALSE(who.refused);
    CHECK(who.caller->id == "local");
  }
  ClientKey revoked = key(2, "revoked");
  revoked.revoked_ms = after(0).wall_ms;
  ClientKey expiring = key(3, "expiring");
  expiring.expires_ms = after(1'000).wall_ms;
  save(folder, {key(1, "web"), revoked, expiring});
  const auto opened = proxy_setup::open(folder);
  Policy& policy = *opened.policy;
  const auto code = [&](const Presented& presented, std::uint64_t ms = 0) {
    const Identified who = policy.identify(presented, after(ms));
    return who.refused ? std::to_string(who.refused->status) + " " + who.refused->code : who.caller->id;
  };
  CHECK(policy.start_note().empty());
  CHECK(code({bearer(1), "", ""}) == "kweb");
  CHECK(code({"bearer  " + key_text(bytes(1)), "", ""}) == "kweb");
  CHECK(code({"", key_text(bytes(1)), ""}) == "kweb");
  CHECK(code({}) == "401 missing_api_key");
  CHECK(code({"Basic abc", "", ""}) == "401 missing_api_key");
  CHECK(code({bearer(2), "", ""}) == "401 key_revoked");
  CHECK(code({bearer(3), "", ""}, 999) == "kexpiring");
  CHECK(code({bearer(3), "", ""}, 1'000) == "401 key_expired");
  CHECK(code({bearer(9), "", ""}) == "401 invalid_api_key");
  CHECK(code({"Bearer sk-proj-123", "", ""}) == "401 invalid_api_key");
  // No message repeats what was sent.
  const std::string almost = key_text(bytes(1)).substr(0, 54);
  const Identified typo = policy.identify({"Bearer " + almost, "", ""}, after(0));
  REQUIRE(typo.refused);
  CHECK(typo.refused->message.find("misspelt") != std::string::npos);
  CHECK(typo.refused->message.find(almost.substr(6, 20)) == std::string::npos);
}

TEST_CASE("identify: pages are answered by the allow-list, and a key of its own origins is for these alone") {
  const Folder folder;
  ClientKey bound = key(2, "bound");
  bound.origins = {"https://shop.example.org"};
  save(folder, {key(1, "web"), bound});
  const auto opened = proxy_setup::open(folder, "  origins: ['https://app.example.org']\n");
  Policy& policy = *opened.policy;
  const auto allowed = [&](std::uint8_t number, std::string_view origin) {
    const std::string header = bearer(number);
    const Identified who = policy.identify({header, "", origin}, after(0));
    if (who.refused)
      CHECK(who.refused->code == "origin_not_allowed");
    return !who.refused;
  };
  CHECK(allowed(1, ""));
  CHECK(allowed(1, "https://app.example.org"));
  CHECK_FALSE(allowed(1, "https://evil.example.org"));
  CHECK_FALSE(allowed(1, "https://shop.example.org"));
  CHECK(allowed(2, "https://shop.example.org"));
  CHECK_FALSE(allowed(2, "https://app.example.org"));
  CHECK_FALSE(allowed(2, ""));
  // A preflight has no key: it is answered where any key might do.
  CHECK(policy.allows_origin("https://shop.example.org", nullptr));
  CHECK(policy.allows_origin("https://app.example.org", nullptr));
  CHECK_FALSE(policy.allows_origin("https://evil.example.org", nullptr));
  CHECK_FALSE(policy.allows_origin("", nullptr));
}

TEST_CASE("identify: a page of another site does not reach a proxy without keys either") {
  const Folder folder;
  const auto opened = proxy_setup::open(folder);
  const Identified who = opened.policy->identify({"", "", "https://evil.example.org"}, after(0));
  REQUIRE(who.refused);
  CHECK(who.refused->status == 403);
}

TEST_CASE("policy: an address that others can reach is not served without a client key") {
  const Folder folder;
  const auto settings = proxy_setup::read(folder, proxy_setup::usual_yaml(folder, "  listen: 0.0.0.0:8788\n"));
  REQUIRE(settings);
  const auto refused = Policy::open({settings.value(), {}}, after(0));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("plumb keys create") != std::string::npos);
  save(folder, {key(1, "web")});
  CHECK(Policy::open({settings.value(), {}}, after(0)));
}

TEST_CASE("client keys: configured keys fail closed, whatever becomes of their file, and the reason is told") {
  const Folder folder;
  const std::string file = folder.path("client-keys.json");
  save(folder, {key(1, "web")});
  const auto opened = proxy_setup::open(folder);
  PolicyState& state = opened.policy->state();
  const Settings settings = *opened.policy->settings();
  const auto answered = [&](const Presented& presented) {
    return !opened.policy->identify(presented, after(0)).refused;
  };
  const auto closed = [&](std::string_view why) {
    REQUIRE(state.take_keys(settings));
    CHECK_FALSE(answered({}));
    CHECK_FALSE(answered({bearer(1), "", ""}));
    CHECK_FALSE(answered({bearer(9), "", ""}));
    CHECK(state.keys_problem.find(why) != std::string::npos);
    CHECK(opened.policy->state_json(after(0)).find(why) != std::string::npos);
    CHECK(opened.policy->start_note().find("every call is refused") != std::string::npos);
  };
  CHECK(answered({bearer(1), "", ""}));
  std::filesystem::remove(file);
  closed("is not there");
  std::filesystem::remove(file + ".lock");
  closed("is not there");
  folder.write("client-keys.json", "");
  closed("has no key in it");
  folder.write("client-keys.json", R"({"plumb_keys":1,"keys":[]})");
  closed("has no key in it");
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  closed("cannot be read");
  std::filesystem::remove(file);
  // With keys again, they are accepted again; a mistake keeps those before it.
  save(folder, {key(2, "back")});
  REQUIRE(state.take_keys(settings));
  CHECK(answered({bearer(2), "", ""}));
  CHECK(state.keys_problem.empty());
  folder.write("client-keys.json", "{");
  REQUIRE(state.take_keys(settings));
  CHECK(answered({bearer(2), "", ""}));
  CHECK_FALSE(answered({}));
  CHECK(state.keys_problem.find("the old keys stay") != std::string::npos);
  // An empty file may be one that an editor is about to write: it counts when it is looked at again.
  folder.write("client-keys.json", "");
  CHECK_FALSE(state.take_keys(settings).value());
  CHECK(state.keys_emptied);
  CHECK(answered({bearer(2), "", ""}));
  save(folder, {key(2, "back")});
  REQUIRE(state.take_keys(settings));
  CHECK_FALSE(state.keys_emptied);
  CHECK(answered({bearer(2), "", ""}));
  CHECK(state.keys_problem.empty());
  folder.write("client-keys.json", "");
  CHECK_FALSE(state.take_keys(settings).value());
  closed("has no key in it");
}

TEST_CASE("client keys: a file that is named, or has been there, and is missing at the start lets nobody in") {
  const Folder folder;
  const auto refused = [&](const std::string& more, provider::Variables variables = {}) {
    const auto settings = proxy_setup::read(folder, proxy_setup::usual_yaml(folder, more), std::move(variables));
    REQUIRE(settings);
    const auto opened = Policy::open({settings.value(), {}}, after(0));
    REQUIRE(opened);
    const Identified who = opened.value()->identify({}, after(0));
    if (!who.refused)
      return std::string();
    CHECK(who.refused->status == 401);
    return opened.value()->start_note();
  };
  CHECK(refused("").empty());
  CHECK(refused("  keys: mine.json\n").find("mine.json is not there") != std::string::npos);
  CHECK(refused("", {{"PLUMB_KEYS", folder.path("of-variable.json")}}).find("of-variable.json") != std::string::npos);
  folder.write("client-keys.json", R"({"plumb_keys":1,"keys":[]})");
  CHECK(refused("").find("has no key in it") != std::string::npos);
  CHECK(refused("  keys: none\n").empty());
  std::filesystem::remove(folder.path("client-keys.json"));
  save(folder, {key(1, "web")});
  std::filesystem::remove(folder.path("client-keys.json"));
  CHECK(refused("").find("is not there") != std::string::npos);
  CHECK_FALSE(proxy_setup::read(folder, proxy_setup::usual_yaml(folder, "  keys: ''\n")));
}

TEST_CASE("identify: without keys a call that another proxy passes on is not of this machine") {
  const Folder folder;
  const auto opened = proxy_setup::open(folder);
  const Identified who = opened.policy->identify({"", "", "", true}, after(0));
  REQUIRE(who.refused);
  CHECK(who.refused->status == 401);
  CHECK(who.refused->message.find("another proxy") != std::string::npos);
}

TEST_CASE(
    "client keys: a book of a file that an editor empties for a moment keeps its keys, and loses them after that") {
  const Folder folder;
  ClientKey one = key(3, "one");
  one.project = "acme";
  save(folder, {one});
  std::vector<std::string> told;
  KeyBook book(folder.path("client-keys.json"), [&](std::string_view problem) { told.emplace_back(problem); });
  CHECK(book.keys()->size() == 1);
  std::filesystem::resize_file(folder.path("client-keys.json"), 0);
  CHECK(book.keys()->size() == 1);
  save(folder, {one, key(4, "two")});
  CHECK(book.keys()->size() == 2);
  std::filesystem::resize_file(folder.path("client-keys.json"), 0);
  CHECK(book.keys()->size() == 2);
  std::this_thread::sleep_for(std::chrono::milliseconds(350));
  CHECK(book.keys()->size() == 0);
  CHECK(told.empty());
  save(folder, {one});
  CHECK(book.keys()->size() == 1);
}
