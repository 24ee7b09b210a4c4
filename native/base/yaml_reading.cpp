#include "native/base/yaml_reading.hpp"

#include <algorithm>

#include "native/base/near_miss.hpp"

namespace plumb {

namespace {

constexpr std::size_t depth_max = 64;

// How deep brackets go, outside of quotes and comments or not: more than enough to refuse what would exhaust the stack.
std::size_t bracket_depth(std::string_view text) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  for (char c : text) {
    if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    }
    if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

// The same for block collections: "- - - -" on one line, or ever deeper indentation.
std::size_t block_depth(std::string_view text) {
  std::size_t deepest = 0;
  std::size_t here = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') {
      here = 0;
    }
    if ((text[i] == '-' || text[i] == '?' || text[i] == ':') && (i + 1 == text.size() || text[i + 1] == ' ')) {
      ++here;
    }
    deepest = std::max(deepest, here);
  }
  return deepest;
}

}  // namespace

Error yaml_error(const std::string& file, const YAML::Mark& mark, std::string message) {
  const bool known = !mark.is_null();
  return Error{ErrorCode::invalid_argument, std::move(message), file,
               known ? static_cast<std::size_t>(mark.line) + 1 : 0,
               known ? static_cast<std::size_t>(mark.column) + 1 : 0};
}

std::string yaml_kind(const YAML::Node& node) {
  return node.IsMap() ? "a map" : node.IsSequence() ? "a list" : node.IsNull() ? "nothing" : "a text";
}

std::string listed(const std::vector<std::string_view>& words) {
  std::string all;
  for (std::string_view word : words) {
    all += (all.empty() ? "" : ", ") + std::string(word);
  }
  return all;
}

std::optional<Error> YamlReading::only_keys(const YAML::Node& map, const std::vector<std::string_view>& known,
                                            std::string_view where) const {
  std::vector<std::string> seen;
  for (const auto& member : map) {
    if (!member.first.IsScalar()) {
      return at(member.first.Mark(), "a key must be a text");
    }
    const std::string key = member.first.Scalar();
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      return at(member.first.Mark(), "unknown key '" + key + "'" + std::string(where) + did_you_mean(key, known) +
                                         "; known are " + listed(known));
    }
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
      return at(member.first.Mark(), "the key '" + key + "' is there twice");
    }
    seen.push_back(key);
  }
  return std::nullopt;
}

std::optional<Error> YamlReading::text(const YAML::Node& node, const std::string& key, std::string& into) const {
  if (!node.IsScalar() || node.Scalar().empty()) {
    return at(node.Mark(), "'" + key + "' must be a text, not " + yaml_kind(node));
  }
  into = node.Scalar();
  return std::nullopt;
}

std::optional<Error> YamlReading::flag(const YAML::Node& node, const std::string& key, bool& into) const {
  if (node && !(node.IsScalar() && YAML::convert<bool>::decode(node, into))) {
    return at(node.Mark(), "'" + key + "' must be true or false, not " +
                               (node.IsScalar() ? "'" + node.Scalar() + "'" : yaml_kind(node)));
  }
  return std::nullopt;
}

std::optional<Error> YamlReading::one_of(const YAML::Node& node, const std::string& key,
                                         const std::vector<std::string_view>& choices, std::string& into) const {
  if (std::optional<Error> error = text(node, key, into)) {
    return error;
  }
  if (std::find(choices.begin(), choices.end(), into) != choices.end()) {
    return std::nullopt;
  }
  return at(node.Mark(),
            "'" + key + ": " + into + "'" + did_you_mean(into, choices) + ": must be one of " + listed(choices));
}

std::optional<Error> read_yaml(const std::string& file, const std::string& text,
                               const std::function<std::optional<Error>(const YAML::Node& root)>& read) {
  if (bracket_depth(text) > depth_max || block_depth(text) > depth_max) {
    return Error{ErrorCode::limit, "is nested more than 64 levels deep; plumb.yaml has no need of it", file, 0, 0};
  }
  try {
    return read(YAML::Load(text));
  } catch (const YAML::Exception& error) {
    return yaml_error(file, error.mark, "is not YAML: " + error.msg);
  }
}

}  // namespace plumb
