#include "native/base/yaml_json.hpp"

#include <yaml-cpp/yaml.h>

#include "core/json/arena.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"

namespace plumb {

namespace {

constexpr std::size_t values_max = 100'000;
constexpr std::size_t levels_max = 128;

void append(std::string& out, const YAML::Node& node, std::size_t level, std::size_t& values) {
  if (++values > values_max || level > levels_max) {
    throw YAML::Exception(node.Mark(), "it has more than " + std::to_string(values_max) + " values or " +
                                           std::to_string(levels_max) + " levels, aliases written out");
  }
  if (node.IsMap()) {
    out += '{';
    for (const auto& member : node) {
      out += out.back() == '{' ? "" : ",";
      json::append_string(out, member.first.Scalar());
      out += ':';
      append(out, member.second, level + 1, values);
    }
    out += '}';
    return;
  }
  if (node.IsSequence()) {
    out += '[';
    for (const YAML::Node& item : node) {
      out += out.back() == '[' ? "" : ",";
      append(out, item, level + 1, values);
    }
    out += ']';
    return;
  }
  if (!node.IsScalar()) {
    out += "null";
    return;
  }
  const std::string& text = node.Scalar();
  json::Arena arena;
  const Result<json::Value> plain = json::parse(text, arena);
  if (node.Tag() != "!" && plain && !plain.value().is(json::Kind::string) && !plain.value().is(json::Kind::array) &&
      !plain.value().is(json::Kind::object)) {
    out += text;
    return;
  }
  json::append_string(out, text);
}

}  // namespace

std::string yaml_json(const YAML::Node& node) {
  std::string out;
  std::size_t values = 0;
  append(out, node, 1, values);
  return out;
}

}  // namespace plumb
