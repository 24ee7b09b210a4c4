#include "native/base/front_matter.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "core/ascii.hpp"
#include "native/base/yaml_json.hpp"
#include "native/base/yaml_reading.hpp"

namespace plumb {

namespace {

constexpr std::size_t bytes_max = 65'536;
constexpr std::size_t values_max = 10'000;
constexpr std::size_t levels_max = 64;

// A value may be in itself, or ten times in each of ten others: what is written out is counted.
std::optional<Error> within_bounds(const YamlReading& yaml, const YAML::Node& node, std::size_t level,
                                   std::size_t& values) {
  if (++values > values_max || level > levels_max) {
    return Error{ErrorCode::limit,
                 "has front matter of more than " + std::to_string(values_max) + " values or " +
                     std::to_string(levels_max) + " levels",
                 yaml.file, 0, 0};
  }
  if (node.IsMap()) {
    std::set<std::string> keys;
    for (const auto& member : node) {
      if (!member.first.IsScalar()) {
        return yaml.at(member.first.Mark(), "a key must be a text");
      }
      if (!keys.insert(member.first.Scalar()).second) {
        return yaml.at(member.first.Mark(), "the key '" + member.first.Scalar() + "' is there twice");
      }
      if (std::optional<Error> error = within_bounds(yaml, member.second, level + 1, values)) {
        return error;
      }
    }
  } else if (node.IsSequence()) {
    for (const YAML::Node& item : node) {
      if (std::optional<Error> error = within_bounds(yaml, item, level + 1, values)) {
        return error;
      }
    }
  }
  return std::nullopt;
}

// Where the line that begins at `from` ends, and whether it is a `---`.
std::size_t line_end(std::string_view text, std::size_t from) { return std::min(text.find('\n', from), text.size()); }
bool is_rule(std::string_view text, std::size_t from, std::size_t end) {
  return ascii::trim_back(text.substr(from, end - from), ascii::line_blanks) == "---";
}

}  // namespace

Result<FrontMatter> front_matter(std::string_view text, const std::string& file) {
  FrontMatter out;
  const std::size_t mark = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  const std::size_t first = line_end(text, mark);
  if (first == text.size() || !is_rule(text, mark, first)) {
    return out;
  }
  std::size_t lines = 1;
  std::size_t from = first + 1;
  for (;; ++lines) {
    const std::size_t end = line_end(text, from);
    if (from <= text.size() && is_rule(text, from, end)) {
      out.bytes = std::min(end + 1, text.size());
      out.lines = lines + 1;
      break;
    }
    if (end >= text.size()) {
      return Error{ErrorCode::invalid_argument, "begins with front matter ('---') that no second '---' ends", file, 1,
                   1};
    }
    from = end + 1;
  }
  const std::string yaml_text(text.substr(first + 1, from - first - 1));
  if (yaml_text.size() > bytes_max) {
    return Error{ErrorCode::limit, "has front matter of more than " + std::to_string(bytes_max) + " bytes", file, 0, 0};
  }
  const YamlReading yaml{file};
  std::optional<Error> error = read_yaml(file, yaml_text, [&](const YAML::Node& root) -> std::optional<Error> {
    if (root.IsNull()) {
      out.json = "{}";
      return std::nullopt;
    }
    if (!root.IsMap()) {
      return yaml.at(root.Mark(), "front matter is a map, not " + yaml_kind(root));
    }
    std::size_t values = 0;
    if (std::optional<Error> beyond = within_bounds(yaml, root, 0, values)) {
      return beyond;
    }
    out.json = yaml_json(root);
    for (const auto& member : root) {
      out.members.emplace_back(member.first.Scalar(), static_cast<std::size_t>(member.first.Mark().line) + 2);
    }
    return std::nullopt;
  });
  if (error) {
    error->line += error->line > 0 ? 1 : 0;  // the first line is the `---`
    return *error;
  }
  return out;
}

}  // namespace plumb
