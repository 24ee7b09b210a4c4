// Every key of plumb.yaml, each in a file of its own, is read as its row says.

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/budget/run_settings.hpp"
#include "core/json/arena.hpp"
#include "core/json/value.hpp"
#include "native/cli/arguments.hpp"
#include "native/cli/call_limits.hpp"
#include "native/cli/setting_tables.hpp"
#include "native/mcp/settings.hpp"
#include "native/proxy/key_file.hpp"
#include "native/proxy/setting_table.hpp"
#include "tests/native/proxy_policy_setup.hpp"

using namespace plumb;

namespace {

constexpr std::string_view near = "{speaks: openai, base_url: 'http://127.0.0.1:1/v1'}";

// What a key needs beside it, by the path of the map that has them.
const std::multimap<std::string, std::pair<std::string, std::string>, std::less<>>& companions() {
  static const std::multimap<std::string, std::pair<std::string, std::string>, std::less<>> known = {
      {"", {"providers", "{near: " + std::string(near) + "}"}},
      {"contracts[]", {"files", "'*.json'"}},
      {"contracts[]", {"contract", "quiz"}},
      {"providers.PROVIDER", {"speaks", "openai"}},
      {"providers.PROVIDER", {"base_url", "'http://127.0.0.1:1/v1'"}},
      {"commands.NAME", {"run", "make"}},
      {"workflow.developers.NAME", {"run", "[make]"}},
      {"workflow.gates[]", {"name", "one"}},
      {"workflow.gates[]", {"command", "make"}},
      {"workflow.gates", {"preset", "cmake"}},
      {"workflow.gates.overrides[]", {"name", "test"}},
      {"workflow.gates.overrides[]", {"required", "false"}},
      {"budget.policy.retries", {"response", "warn"}},
      {"events", {"nats", "'nats://127.0.0.1:4222'"}},
      {"proxy", {"models", "{fast: near/tiny}"}},
      {"proxy", {"prices", "{near: {input: 1, output: 1}}"}},
      {"proxy.models.NAME", {"to", "near/tiny"}},
      {"proxy.models.NAME.targets[]", {"to", "near/tiny"}},
      {"proxy.prices.MODEL", {"input", "1"}},
      {"proxy.prices.MODEL", {"output", "1"}},
      {"proxy.judge", {"to", "near/tiny"}},
      {"proxy.telemetry", {"otlp", "'http://127.0.0.1:1'"}},
  };
  return known;
}

// Values of keys whose type does not tell one.
const std::map<std::string, std::vector<std::string>, std::less<>>& values() {
  static const std::map<std::string, std::vector<std::string>, std::less<>> known = {
      {"contracts", {"[{files: '*.json', contract: quiz}]"}},
      {"providers.PROVIDER", {std::string(near)}},
      {"providers.PROVIDER.num_ctx", {"4096"}},
      {"providers.PROVIDER.key_env", {"KEY"}},
      {"commands.NAME", {"{run: [make]}"}},
      {"workflow.gates", {"[{name: one, command: make}]"}},
      {"workflow.gates[].after", {"[]"}},
      {"workflow.gates[].env", {"[CI]"}},
      {"workflow.gates[].writable", {"[/var/cache/one]"}},
      {"workflow.gates.overrides", {"[{name: test, required: false}]"}},
      {"workflow.gates.overrides[].name", {"test"}},
      {"budget.policy.retries", {"{response: warn}", "[{over: 1, response: warn}]"}},
      {"events", {"{nats: 'nats://127.0.0.1:4222'}"}},
      {"events.nats", {"'nats://127.0.0.1:4222/plumb'"}},
      {"proxy", {"{models: {fast: near/tiny}}"}},
      {"proxy.models", {"{fast: near/tiny}"}},
      {"proxy.models.NAME", {"near/tiny", "{to: near/tiny}"}},
      {"proxy.models.NAME.targets", {"[near/tiny, {to: near/tiny, weight: 2}]"}},
      {"proxy.judge", {"near/tiny", "{to: near/tiny}"}},
      {"proxy.passthrough", {"near"}},
      {"proxy.contracts.NAME.enforce", {"10%"}},
      {"proxy.share", {"none", "'nats://127.0.0.1:4222/plumb'"}},
      {"proxy.telemetry", {"{otlp: 'http://127.0.0.1:1'}"}},
      {"proxy.telemetry.headers_env.HEADER", {"VARIABLE"}},
      {"proxy.origins", {"['https://app.example.org']", "['*']"}},
  };
  return known;
}

// A value of each form that a type allows; of a choice all of them.
std::vector<std::string> values_of_type(const Setting& one) {
  static const std::map<std::string, std::string, std::less<>> plain = {
      {"text", "word"},
      {"texts", "[word]"},
      {"file", "one.json"},
      {"files", "[one.json]"},
      {"folder", "folder"},
      {"folders", "[folder]"},
      {"glob", "'*.json'"},
      {"globs", "['*.json']"},
      {"model", "near/tiny"},
      {"models", "[near/tiny]"},
      {"contract", "quiz"},
      {"URL", "'http://127.0.0.1:1'"},
      {"number", "2"},
      {"decimal", "0.5"},
      {"number from 0 to 1", "0.5"},
      {"dollars", "1.5"},
      {"duration", "7s"},
      {"size", "64KB"},
      {"milliseconds", "5000"},
      {"map", "{}"},
      {"off", "off"},
      {"none", "none"},
      {"forever", "forever"},
      {"networks", "[10.0.0.0/8]"},
      {"address", "'127.0.0.1:0'"},
      {"percent", one.usual},
  };
  std::vector<std::string> out;
  std::string type = one.type;
  if (type == "true or false") {
    return {"true", "false"};
  }
  if (const std::size_t choices = type.find("one of "); choices != std::string::npos) {
    std::string_view rest = std::string_view(type).substr(choices + 7);
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(", "), rest.size());
      out.push_back("'" + std::string(rest.substr(0, end)) + "'");
      rest.remove_prefix(std::min(end + 2, rest.size()));
    }
    type.resize(choices);
  }
  while (!type.empty()) {
    const std::size_t end = std::min(type.find(" or "), type.size());
    std::string form = type.substr(0, end);
    type.erase(0, std::min(end + 4, type.size()));
    const bool list = form.starts_with("list of ");
    form = list ? form.substr(8) : form;
    const auto found = plain.find(form == "maps" ? "map" : form);
    if (found == plain.end()) {
      FAIL("settings_reading_test.cpp knows no value of the type '" << form << "'");
    }
    out.push_back(list && found->second.front() != '[' ? "[" + found->second + "]" : found->second);
  }
  return out;
}

std::vector<std::string> values_of(const SettingTable& table, const Setting& one) {
  if (const auto own = values().find(one.path); own != values().end()) {
    return own->second;
  }
  constexpr std::string_view like = "like ";
  for (const Setting& other : table) {
    if (one.type.starts_with(like) && other.path == std::string_view(one.type).substr(like.size())) {
      return values_of(table, other);
    }
  }
  return values_of_type(one);
}

// For what stands in capitals in a path.
std::string name_for(std::string_view word) {
  static const std::map<std::string, std::string, std::less<>> names = {
      {"PHASE", "judge"}, {"PROVIDER", "own"}, {"MODEL", "near/tiny"}, {"URI", "'urn:one'"}, {"HEADER", "x-one"}};
  const auto found = names.find(word);
  const bool chosen = std::none_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return found != names.end() ? found->second : std::string(chosen ? "quiz" : word);
}

// The map at `above`, with the key at the end of `rest` and what that needs.
std::string yaml_of(const std::string& above, std::string_view rest, const std::string& value) {
  const std::size_t end = std::min(rest.find('.'), rest.size());
  std::string word(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  const std::string path = (above.empty() ? "" : above + ".") + word;
  std::string inside = rest.empty() ? value : yaml_of(path, rest, value);
  if (word.ends_with("[]")) {
    word.resize(word.size() - 2);
    inside = "[" + inside + "]";
  }
  std::string out = "{" + name_for(word) + ": " + inside;
  const auto [from, to] = companions().equal_range(above);
  for (auto one = from; one != to; ++one) {
    const auto& [key, with] = one->second;
    const bool instead = key == "to" && word == "targets";
    const bool ollama = key == "speaks" && (word == "think" || word == "num_ctx");
    out += key == word || instead ? "" : ", " + key + ": " + (ollama ? "ollama" : with);
  }
  return out + "}";
}

std::optional<Error> check_budget(const ConfigFile& config) {
  json::Arena arena;
  std::string text = "{";
  text += config.risk_policy.empty() ? "" : "\"policy\": " + config.risk_policy;
  text += config.risk_policy.empty() || config.pressure_thresholds.empty() ? "" : ",";
  text += config.pressure_thresholds.empty() ? "" : "\"thresholds\": " + config.pressure_thresholds;
  const Result<json::Value> json = json::parse(text + "}", arena);
  REQUIRE(json);
  const Result<budget::RunSettings> read = budget::read_run_settings(json.value());
  return read ? std::nullopt : std::optional(read.error());
}

// All who read plumb.yaml.
std::optional<Error> read_all(const proxy_setup::Folder& folder, const std::string& yaml) {
  const Result<ConfigFile> config = read_config_file(folder.write("plumb.yaml", yaml));
  if (!config) {
    return config.error();
  }
  const provider::Variables variables = {
      {"KEY", "sk-one"}, {"VARIABLE", "one"}, {"CREDENTIALS_DIRECTORY", folder.path("")}};
  const provider::ReadFile read_file = [](const std::string&) { return Result<std::string>("sk-one"); };
  for (const provider::ConfiguredProviders::Entry& entry : config.value().providers.entries) {
    if (const auto read = provider::read_settings(entry.name, config.value().providers, variables, read_file); !read) {
      return read.error();
    }
  }
  const Result<cli::Arguments> no_arguments = cli::Arguments::parse({"version"});
  REQUIRE(no_arguments);
  if (const auto read = cli::call_limits(no_arguments.value(), {}, config.value().limits); !read) {
    return read.error();
  }
  if (config.value().has_proxy) {
    if (const auto read = proxy::read_proxy_settings({config.value(), variables, read_file, folder.path("")}); !read) {
      return read.error();
    }
  }
  if (const auto read = mcp::read_front_settings(config.value()); !read) {
    return read.error();
  }
  return check_budget(config.value());
}

bool is_key(const Setting& one) {
  const std::string_view word = std::string_view(one.path).substr(one.path.find_last_of('.') + 1);
  return std::any_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

bool mentions(const Error& error, const std::string& text) { return error.message.find(text) != std::string::npos; }

}  // namespace

TEST_CASE("settings: every key of the tables is accepted alone, with a value of each form that its type allows") {
  const proxy_setup::Folder folder;
  folder.write("one.json", "{}");
  const SettingTable table = cli::plumb_yaml_settings();
  for (const Setting& one : table) {
    for (const std::string& value : values_of(table, one)) {
      const std::string yaml = yaml_of("", one.path, value);
      CAPTURE(yaml);
      const std::optional<Error> error = read_all(folder, yaml);
      CHECK_MESSAGE(!error, (error ? error->message : ""));
    }
  }
}

TEST_CASE("settings: somebody reads every key of the tables, for a list of a list is refused") {
  const proxy_setup::Folder folder;
  for (const Setting& one : cli::plumb_yaml_settings()) {
    const std::string yaml = yaml_of("", one.path, "[[]]");
    CAPTURE(yaml);
    CHECK(read_all(folder, yaml));
  }
}

TEST_CASE("settings: a key that is nearly one of the tables is refused, and a near one is named") {
  const proxy_setup::Folder folder;
  const SettingTable table = cli::plumb_yaml_settings();
  for (const Setting& one : table) {
    if (!is_key(one)) {
      continue;
    }
    std::string path = one.path;
    path.insert(path.size() - 1, 1, path.back());
    const std::string yaml = yaml_of("", path, values_of(table, one).front());
    CAPTURE(yaml);
    const std::optional<Error> error = read_all(folder, yaml);
    REQUIRE(error);
    CAPTURE(error->message);
    // Of an override, the error names both keys that it has.
    CHECK((mentions(*error, "did you mean") || one.path.starts_with("workflow.gates.overrides[]")));
  }
}

TEST_CASE("settings: every key that a reader names as known is in the tables") {
  const proxy_setup::Folder folder;
  const SettingTable table = cli::plumb_yaml_settings();
  std::size_t lists = 0;
  for (const Setting& one : table) {
    const std::string above = one.path.substr(0, std::min(one.path.find_last_of('.'), one.path.size()));
    const std::string path = (above == one.path ? "" : above + ".") + "qqqqqqqqqqqq";
    const std::optional<Error> error = is_key(one) ? read_all(folder, yaml_of("", path, "1")) : std::nullopt;
    if (!error) {
      continue;
    }
    CAPTURE(error->message);
    std::size_t at = error->message.find("known are ");
    at = at == std::string::npos ? error->message.find("there are: ") : at;
    if (at == std::string::npos) {
      continue;
    }
    ++lists;
    std::vector<std::string_view> known = keys_below(table, above == one.path ? "" : above);
    for (const Setting& other : table) {  // a developer has the keys of a command too
      if (other.path == above && other.type.starts_with("like ")) {
        const std::vector<std::string_view> more = keys_below(table, std::string_view(other.type).substr(5));
        known.insert(known.end(), more.begin(), more.end());
      }
    }
    std::string word;
    for (const char c : error->message.substr(at + 10) + " ") {
      if ((c >= 'a' && c <= 'z') || c == '_') {
        word += c;
        continue;
      }
      const bool older = word.ends_with("_ms") || word.ends_with("_s");
      CAPTURE(word);
      CHECK((word.empty() || word == "and" || older || std::find(known.begin(), known.end(), word) != known.end()));
      word.clear();
    }
  }
  CHECK(lists > 100);
}

TEST_CASE("settings: the key file is read by its table") {
  const auto read = [](const std::string& key, const std::string& value) {
    std::map<std::string, std::string> members = {
        {"id", "\"kone\""}, {"name", "\"one\""}, {"sha256", "\"" + std::string(64, 'a') + "\""}};
    members[key] = value;
    std::string text;
    for (const auto& [name, said] : members) {
      text += (text.empty() ? "\"" : ", \"") + name + "\": " + said;
    }
    return proxy::read_keys(R"({"plumb_keys": 1, "keys": [{)" + text + "}]}", "keys.json");
  };
  const std::map<std::string, std::string, std::less<>> by_type = {
      {"text", "\"one\""}, {"time", "\"2026-12-31T23:59:59Z\""}, {"list of texts", "[\"one\"]"}};
  for (const std::string_view key : keys_below(proxy::key_file_settings(), "keys[]")) {
    const auto row = std::find_if(proxy::key_file_settings().begin(), proxy::key_file_settings().end(),
                                  [&](const Setting& one) { return one.path == "keys[]." + std::string(key); });
    CAPTURE(row->path);
    const auto value = by_type.find(row->type);
    const std::string text = row->type.starts_with("one of") ? "\"observe\""
                             : key == "limits"               ? R"({"usd_per_day": "1.5"})"
                             : key == "sha256"               ? "\"" + std::string(64, 'b') + "\""
                             : value == by_type.end()        ? "{}"
                                                             : value->second;
    CHECK(read(std::string(key), text));
    CHECK_FALSE(read(std::string(key), "[[]]"));
    const auto wrong = read(std::string(key) + "x", "1");
    REQUIRE_FALSE(wrong);
    CHECK(mentions(wrong.error(), "did you mean"));
  }
}
