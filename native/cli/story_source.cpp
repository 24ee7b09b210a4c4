#include "native/cli/story_source.hpp"

#include <strings.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "core/ascii.hpp"
#include "core/json/arena.hpp"
#include "core/json/value.hpp"
#include "core/story/make.hpp"
#include "core/text/utf8.hpp"
#include "native/base/file_bytes.hpp"
#include "native/base/yaml_json.hpp"
#include "native/base/yaml_reading.hpp"

namespace plumb::cli {

namespace {

constexpr std::uint64_t bytes_max = std::uint64_t{64} << 20U;
constexpr std::uint64_t outline_bytes_max = std::uint64_t{16} << 20U;
constexpr std::size_t nodes_max = 1'000'000;

// yaml-cpp shows what is no UTF-8 as U+FFFD: no author wants that in a story. UTF-16 with its mark it reads.
std::optional<Error> not_utf8(const std::string& path, const std::string& text) {
  const std::size_t at = text.find_first_of("\xFE\xFF") < 2 ? text::utf8_valid : text::utf8_error(text);
  if (at == text::utf8_valid) {
    return std::nullopt;
  }
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
  return Error{ErrorCode::invalid_argument, "is not UTF-8 from here on: save it as UTF-8", path,
               static_cast<std::uint32_t>(line), 0};
}

struct Found {
  std::uint64_t byte;
  YAML::Mark mark;
};

// How many nodes there are, aliases counted as often as they are used, up to the bound.
void count(const YAML::Node& node, std::size_t& nodes) {
  if (++nodes > nodes_max) {
    return;
  }
  if (node.IsMap()) {
    for (const auto& member : node) {
      count(member.second, nodes);
    }
  } else if (node.IsSequence()) {
    for (const YAML::Node& item : node) {
      count(item, nodes);
    }
  }
}

// yaml_json() writes members and items in the order of the YAML, so both trees are gone through side by side.
void pair_up(const YAML::Node& node, const json::Value& value, std::vector<Found>& into) {
  into.push_back({value.from, node.Mark()});
  std::size_t i = 0;
  if (node.IsMap()) {
    const auto members = value.object();
    for (const auto& member : node) {
      if (i == members.size()) {
        return;
      }
      into.push_back({members[i].key_from, member.first.Mark()});
      pair_up(member.second, members[i++].value, into);
    }
  } else if (node.IsSequence()) {
    const auto items = value.array();
    for (const YAML::Node& item : node) {
      if (i == items.size()) {
        return;
      }
      pair_up(item, items[i++], into);
    }
  }
}

std::optional<Error> twice_named(const YamlReading& reading, const YAML::Node& node) {
  if (node.IsMap()) {
    std::vector<std::string> seen;
    for (const auto& member : node) {
      if (!member.first.IsScalar()) {
        return reading.at(member.first.Mark(), "a key must be a text");
      }
      if (std::find(seen.begin(), seen.end(), member.first.Scalar()) != seen.end()) {
        return reading.at(member.first.Mark(), "'" + member.first.Scalar() + "' is given twice");
      }
      seen.push_back(member.first.Scalar());
      if (std::optional<Error> error = twice_named(reading, member.second)) {
        return error;
      }
    }
  } else if (node.IsSequence()) {
    for (const YAML::Node& item : node) {
      if (std::optional<Error> error = twice_named(reading, item)) {
        return error;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

Result<StorySource> StorySource::read(const std::string& path) {
  StorySource out;
  Result<std::string> file = read_file(path, bytes_max);
  if (!file) {
    return file.error();
  }
  if (file.value().empty()) {
    return Error{ErrorCode::invalid_argument, "is empty", path, 0, 0};
  }
  if (!ascii::ends_in_any_case(path, ".yaml") && !ascii::ends_in_any_case(path, ".yml") &&
      !story::is_yaml_outline(file.value())) {
    constexpr std::string_view mark = "\xEF\xBB\xBF";  // of UTF-8, as some editors write it
    out.text_ = file.value().starts_with(mark) ? file.value().substr(mark.size()) : std::move(file).value();
    if (std::string form = story::unread_form(out.text_); !form.empty()) {
      return Error{ErrorCode::invalid_argument, std::move(form), path, 0, 0};
    }
    return out;
  }
  const std::string& text = file.value();
  if (text.size() > outline_bytes_max) {
    return Error{ErrorCode::limit, "has more than 16 MB; an outline has less", path, 0, 0};
  }
  if (std::optional<Error> other = not_utf8(path, text)) {
    return *other;
  }
  std::vector<Found> found;
  const std::optional<Error> error = read_yaml(path, text, [&](const YAML::Node& root) -> std::optional<Error> {
    std::size_t nodes = 0;
    count(root, nodes);
    if (nodes > nodes_max) {
      return Error{ErrorCode::limit, "has more than a million values, with its aliases written out", path, 0, 0};
    }
    if (std::optional<Error> twice = twice_named(YamlReading{path}, root)) {
      return twice;
    }
    out.text_ = yaml_json(root);
    json::Arena arena;
    const Result<json::Value> value = json::parse(out.text_, arena);
    if (!value) {
      return value.error();
    }
    pair_up(root, value.value(), found);
    return std::nullopt;
  });
  if (error) {
    return *error;
  }
  std::vector<std::uint64_t> lines{0};
  for (std::uint64_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') {
      lines.push_back(i + 1);
    }
  }
  for (const Found& one : found) {
    if (one.mark.is_null()) {
      continue;
    }
    const auto line = static_cast<std::size_t>(one.mark.line);
    out.marks_.push_back({one.byte, static_cast<std::uint32_t>(line + 1),
                          static_cast<std::uint32_t>(one.mark.column + 1),
                          (line < lines.size() ? lines[line] : 0) + static_cast<std::uint64_t>(one.mark.column)});
  }
  std::stable_sort(out.marks_.begin(), out.marks_.end(), [](const Mark& a, const Mark& b) { return a.byte < b.byte; });
  return out;
}

Result<StorySource> StorySource::read_outline(const std::string& path) {
  Result<StorySource> source = read(path);
  if (!source) {
    return source;
  }
  const std::string& text = source.value().text();
  const story::StoryForm form = story::form_of(text);
  const bool is_twee = text.starts_with("::") || text.find("\n::") != std::string::npos;
  if (form == story::StoryForm::outline || (form == story::StoryForm::twee && !is_twee)) {
    return source;  // what is no story at all is told of by the outline's contract
  }
  return Error{
      ErrorCode::invalid_argument,
      "is a story already, as " + std::string(story::name_of(form)) + ", not an outline; `plumb story check` checks it",
      path, 0, 0};
}

const StorySource::Mark& StorySource::mark_at(std::uint64_t byte) const {
  const auto at = std::upper_bound(marks_.begin(), marks_.end(), byte,
                                   [](std::uint64_t b, const Mark& mark) { return b < mark.byte; });
  return at == marks_.begin() ? *at : *(at - 1);
}

void StorySource::relocate(contract::Verdict& verdict) const {
  if (marks_.empty()) {
    return;
  }
  for (contract::Signal& one : verdict.signals) {
    one.at_byte = mark_at(one.at_byte).file_byte;
  }
  for (contract::Finding& one : verdict.findings) {
    const Mark& mark = mark_at(one.span.from);
    one.span = {mark.file_byte, mark.file_byte, mark.file_byte, mark.file_byte,
                mark.line,      mark.column,    mark.line,      mark.column};
  }
}

}  // namespace plumb::cli
