#include "native/proxy/model_list.hpp"

#include <algorithm>

#include "core/json/members.hpp"
#include "core/json/writer.hpp"

namespace plumb::proxy {

namespace {

constexpr std::size_t name_bytes_max = 200;
constexpr std::string_view no_time = "1970-01-01T00:00:00Z";

void write_ollama_model(json::Writer& json, std::string_view name) {
  json.begin_object().member("name", name).member("model", name).member("modified_at", no_time);
  json.member_uint("size", 0).member("digest", "").key("details").begin_object().end_object().end_object();
}

// The names in a list of any of the three.
std::vector<std::string> listed_models(std::string_view body) {
  std::vector<std::string> names;
  json::Arena arena;
  const Result<json::Value> read = json::parse(body, arena, {32, body.size()});
  if (!read) {
    return names;
  }
  for (const auto& [list, name] : {std::pair("data", "id"), std::pair("models", "name")}) {
    for (const json::Value& one : json::list_of(read.value(), list)) {
      const std::string_view text = json::text_of(one, name);
      if (!text.empty() && text.size() <= name_bytes_max && names.size() < listed_models_max) {
        names.emplace_back(text);
      }
    }
  }
  return names;
}

// One model, as OpenAI's or Anthropic's clients read it.
void write_model(json::Writer& json, wire::Wire client, std::string_view name) {
  if (client == wire::Wire::anthropic) {
    json.begin_object().member("type", "model").member("id", name).member("display_name", name);
    json.member("created_at", no_time).end_object();
    return;
  }
  json.begin_object().member("id", name).member("object", "model").member_uint("created", 0);
  json.member("owned_by", "plumb").end_object();
}

std::string model_list_json(wire::Wire client, const std::vector<std::string>& names) {
  std::string body;
  json::Writer json(body);
  json.begin_object();
  if (client == wire::Wire::ollama) {
    json.key("models").begin_array();
    for (const std::string& name : names) {
      write_ollama_model(json, name);
    }
    json.end_array().end_object();
    return body;
  }
  if (client == wire::Wire::openai) {
    json.member("object", "list");
  }
  json.key("data").begin_array();
  for (const std::string& name : names) {
    write_model(json, client, name);
  }
  json.end_array();
  if (client == wire::Wire::anthropic) {
    json.key("has_more").boolean(false);
    for (const bool first : {true, false}) {
      json.key(first ? "first_id" : "last_id");
      if (names.empty()) {
        json.null();
      } else {
        json.string(first ? names.front() : names.back());
      }
    }
  }
  json.end_object();
  return body;
}

}  // namespace

std::optional<std::string> models_json(const ModelQuery& query, std::string_view provider_list) {
  std::vector<std::string> names = query.names;
  const std::vector<std::string> listed = listed_models(provider_list);
  for (const std::string& one : listed) {
    if (std::find(query.names.begin(), query.names.end(), one) == query.names.end()) {
      names.push_back(one);
    }
  }
  if (query.wanted.empty()) {
    return model_list_json(query.client, names);
  }
  const bool passed_on = query.takes_any && listed.empty();
  if (!passed_on && std::find(names.begin(), names.end(), query.wanted) == names.end()) {
    return std::nullopt;
  }
  std::string body;
  json::Writer json(body);
  write_model(json, query.client, query.wanted);
  return body;
}

}  // namespace plumb::proxy
