#include "native/base/yaml_json.hpp"

#include <yaml-cpp/yaml.h>

#include "core/json/arena.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"

namespace plumb {

std::string yaml_json(const YAML::Node& node) {
  std::string out;
  if (node.IsMap()) {
    for (const auto& member : node) {
      out += out.empty() ? "{" : ",";
      json::append_string(out, member.first.Scalar());
      out += ":" + yaml_json(member.second);
    }
    return (out.empty() ? "{" : out) + "}";
  }
  if (node.IsSequence()) {
    for (const YAML::Node& item : node)
      out += (out.empty() ? "[" : ",") + yaml_json(item);
    return (out.empty() ? "[" : out) + "]";
  }
  if (!node.IsScalar())
    return "null";
  const std::string& text = node.Scalar();
  json::Arena arena;
  const Result<json::Value> plain = json::parse(text, arena);
  if (node.Tag() != "!" && plain && !plain.value().is(json::Kind::string) && !plain.value().is(json::Kind::array) &&
      !plain.value().is(json::Kind::object)) {
    return text;
  }
  json::append_string(out, text);
  return out;
}

}  // namespace plumb
