#include "native/cli/story_source.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "core/json/arena.hpp"
#include "core/json/value.hpp"
#include "core/story/make.hpp"
#include "native/base/file_bytes.hpp"
#include "native/base/yaml_json.hpp"
#include "native/base/yaml_reading.hpp"

namespace plumb::cli {

namespace {

constexpr std::uint64_t bytes_max = std::uint64_t{64} << 20U;
constexpr std::uint64_t outline_bytes_max = std::uint64_t{16} << 20U;
constexpr std::size_t nodes_max = 1'000'000;

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

struct Found {
  std::uint64_t byte;
  YAML::Mark mark;
};

// How many nodes there are, aliases counted as often as they are used, up to the bound.
void count(const YAML::Node& node, std::size_t& nodes) {
  if (++nodes > nodes_max)
    return;
  if (node.IsMap()) {
    for (const auto& member : node)
      count(member.second, nodes);
  } else if (node.IsSequence()) {
    for (const YAML::Node& item : node)
      count(item, nodes);
  }
}

// yaml_json() writes members and items in the order of the YAML, so both trees are gone through side by side.
void pair_up(const YAML::Node& node, const json::Value& value, std::vector<Found>& into) {
  into.push_back({value.from, node.Mark()});
  std::size_t i = 0;
  if (node.IsMap()) {
    const auto members = value.object();
    for (const auto& member : node) {
      if (i == members.size())
        return;
      into.push_back({members[i].key_from, member.first.Mark()});
      pair_up(member.second, members[i++].value, into);
    }
  } else if (node.IsSequence()) {
    const auto items = value.array();
    for (const YAML::Node& item : node) {
      if (i == items.size())
        return;
      pair_up(item, items[i++], into);
    }
  }
}

std::optional<Error> twice_named(const YamlReading& reading, const YAML::Node& node) {
  if (node.IsMap()) {
    std::vector<std::string> seen;
    for (const auto& member : node) {
      if (!member.first.IsScalar())
        return reading.at(member.first.Mark(), "a key must be a text");
      if (std::find(seen.begin(), seen.end(), member.first.Scalar()) != seen.end())
        return reading.at(member.first.Mark(), "'" + member.first.Scalar() + "' stands twice");
      seen.push_back(member.first.Scalar());
      if (std::optional<Error> error = twice_named(reading, member.second))
        return error;
    }
  } else if (node.IsSequence()) {
    for (const YAML::Node& item : node) {
      if (std::optional<Error> error = twice_named(reading, item))
        return error;
    }
  }
  return std::nullopt;
}

}  // namespace

Result<StorySource> StorySource::read(const std::string& path) {
  StorySource out;
  const bool yaml = ends_with(path, ".yaml") || ends_with(path, ".yml");
  Result<std::string> file = read_file(path, yaml ? outline_bytes_max : bytes_max);
  if (!file)
    return file.error();
  if (file.value().empty())
    return Error{ErrorCode::invalid_argument, "is empty", path, 0, 0};
  if (!yaml) {
    out.text_ = std::move(file).value();
    if (std::string form = story::unread_form(out.text_); !form.empty())
      return Error{ErrorCode::invalid_argument, std::move(form), path, 0, 0};
    return out;
  }
  const std::string& text = file.value();
  std::vector<Found> found;
  const std::optional<Error> error = read_yaml(path, text, [&](const YAML::Node& root) -> std::optional<Error> {
    std::size_t nodes = 0;
    count(root, nodes);
    if (nodes > nodes_max)
      return Error{ErrorCode::limit, "has more than a million values, with its aliases written out", path, 0, 0};
    if (std::optional<Error> twice = twice_named(YamlReading{path}, root))
      return twice;
    out.text_ = yaml_json(root);
    json::Arena arena;
    const Result<json::Value> value = json::parse(out.text_, arena);
    if (!value)
      return value.error();
    pair_up(root, value.value(), found);
    return std::nullopt;
  });
  if (error)
    return *error;
  std::vector<std::uint64_t> lines{0};
  for (std::uint64_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n')
      lines.push_back(i + 1);
  }
  for (const Found& one : found) {
    if (one.mark.is_null())
      continue;
    const auto line = static_cast<std::size_t>(one.mark.line);
    out.marks_.push_back({one.byte, static_cast<std::uint32_t>(line + 1),
                          static_cast<std::uint32_t>(one.mark.column + 1),
                          (line < lines.size() ? lines[line] : 0) + static_cast<std::uint64_t>(one.mark.column)});
  }
  std::stable_sort(out.marks_.begin(), out.marks_.end(), [](const Mark& a, const Mark& b) { return a.byte < b.byte; });
  return out;
}

void StorySource::relocate(contract::Verdict& verdict) const {
  if (marks_.empty())
    return;
  for (contract::Finding& one : verdict.findings) {
    const auto at = std::upper_bound(marks_.begin(), marks_.end(), one.span.from,
                                     [](std::uint64_t byte, const Mark& mark) { return byte < mark.byte; });
    const Mark& mark = at == marks_.begin() ? *at : *(at - 1);
    one.span = {mark.file_byte, mark.file_byte, mark.file_byte, mark.file_byte,
                mark.line,      mark.column,    mark.line,      mark.column};
  }
}

}  // namespace plumb::cli
