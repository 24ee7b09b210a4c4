#include "native/cli/budget_request.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/json/arena.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "native/base/file_bytes.hpp"
#include "native/cli/model_registry.hpp"
#include "native/config/config_file.hpp"

namespace plumb::cli {

namespace {

using Members = std::vector<std::pair<std::string, std::string>>;

void set(Members& members, const std::string& name, std::string json) {
  for (auto& [key, value] : members) {
    if (key == name) {
      value = std::move(json);
      return;
    }
  }
  members.emplace_back(name, std::move(json));
}

bool said(const Members& members, std::string_view name) {
  return std::any_of(members.begin(), members.end(), [name](const auto& one) { return one.first == name; });
}

bool is_json(const std::string& text) {
  json::Arena arena;
  return static_cast<bool>(json::parse(text, arena));
}

std::string as_text(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

Result<std::string> value_of(const std::string& word) {
  if (word.empty() || word[0] != '@') {
    return is_json(word) ? word : as_text(word);
  }
  const std::string path = word.substr(1);
  Result<std::string> text = read_file(path, budget::request_bytes_max);
  if (!text) {
    return text.error();
  }
  if (!path.ends_with(".json")) {
    return as_text(text.value());
  }
  if (!is_json(text.value())) {
    return Error{ErrorCode::invalid_argument, "is not JSON", path, 0, 0};
  }
  return text;
}

Result<bool> take_file(Members& members, const std::string& path) {
  const Result<std::string> text = read_file(path, budget::request_bytes_max);
  if (!text) {
    return text.error();
  }
  json::Arena arena;
  const Result<json::Value> read = json::parse(text.value(), arena);
  if (!read) {
    Error error = read.error();
    error.where = path == "-" ? "standard input" : path;
    return error;
  }
  if (!read.value().is(json::Kind::object)) {
    return Error{ErrorCode::invalid_argument, "a request is a JSON object", path, 0, 0};
  }
  for (const json::Member& member : read.value().object()) {
    set(members, std::string(member.key), json::value_text(member.value));
  }
  return true;
}

bool takes(const budget::Operation& operation, std::string_view member) {
  return member == "policy" ? operation.name == "risk" : operation.name == "pressure";
}

// What plumb.yaml and the environment say and the command line does not.
Result<bool> take_configured(Members& members, const Arguments& arguments, const budget::Operation& operation) {
  std::string configured;
  if (const std::string path = find_config_file(); !path.empty()) {
    const Result<ConfigFile> config = read_config_file(path);
    if (!config) {
      return config.error();
    }
    configured = config.value().models;
    for (const auto& [name, json] : {std::pair{"policy", &config.value().risk_policy},
                                     std::pair{"thresholds", &config.value().pressure_thresholds}}) {
      if (!json->empty() && takes(operation, name) && !said(members, name)) {
        set(members, name, *json);
      }
    }
  }
  if (!said(members, "models")) {
    Result<ModelRegistry> registry = model_registry(arguments, configured);
    if (!registry) {
      return registry.error();
    }
    if (!registry.value().json.empty()) {
      set(members, "models", std::move(registry.value().json));
    }
  }
  return true;
}

}  // namespace

Result<std::string> budget_request(const Arguments& arguments, const budget::Operation& operation) {
  Members members;
  for (const std::string& word : arguments.positionals()) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      if (const Result<bool> taken = take_file(members, word); !taken) {
        return taken.error();
      }
      continue;
    }
    Result<std::string> value = value_of(word.substr(equals + 1));
    if (!value) {
      return value.error();
    }
    set(members, word.substr(0, equals), std::move(value).value());
  }
  for (const char* name : {"model", "encoding"}) {
    if (const std::string given = arguments.text("--" + std::string(name), ""); !given.empty()) {
      set(members, name, as_text(given));
    }
  }
  if (const Result<bool> taken = take_configured(members, arguments, operation); !taken) {
    return taken.error();
  }
  std::string out;
  json::Writer json(out);
  json.begin_object();
  for (const auto& [name, value] : members) {
    json.key(name).raw(value);
  }
  json.end_object();
  return out;
}

}  // namespace plumb::cli
