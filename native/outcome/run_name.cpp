#include "native/outcome/run_name.hpp"

#include <algorithm>
#include <array>
#include <deque>

#include "core/ascii.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"

namespace plumb::outcome {

namespace {

// Members of the input that name a run, the first that is there; a slash goes a level down.
struct Naming {
  std::string_view pipeline;
  std::array<std::string_view, 3> members;
};
constexpr std::array<Naming, 4> namings = {{
    {"research", {{"question"}}},
    {"discovery", {{"target_domain"}}},
    {"story", {{"outline/title"}}},
    {"workflow", {{"plan/title", "idea", "plan/slug"}}},
}};

// A large part of an entry is stored beside it, by its hash.
class Texts {
 public:
  explicit Texts(const run::Stored& entry) : entry_(entry) {}

  // The value itself, or what it stands for. What is not there, or no JSON, stays as it is.
  const json::Value& whole(const json::Value& value) {
    const std::string_view hash = json::text_of(value, "$blob");
    const auto found = std::find_if(entry_.blobs.begin(), entry_.blobs.end(),
                                    [hash](const run::Blob& blob) { return !hash.empty() && blob.hash == hash; });
    if (found == entry_.blobs.end()) {
      return value;
    }
    const Result<json::Value> parsed = json::parse(found->text, arena_);
    if (!parsed) {
      return value;
    }
    held_.push_back(parsed.value());
    return held_.back();
  }
  const json::Value* member(const json::Value& object, std::string_view name) {
    const json::Value* found = object.is(json::Kind::object) ? object.find(name) : nullptr;
    return found == nullptr ? nullptr : &whole(*found);
  }

 private:
  const run::Stored& entry_;
  json::Arena arena_;
  std::deque<json::Value> held_;
};

// The first line that says something, without a heading's marks, and no longer than a list shows.
std::string line_of(std::string_view text) {
  constexpr std::string_view marks = "#*->=_ \t\r";
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    line.remove_prefix(std::min(line.size(), line.find_first_not_of(marks)));
    line = ascii::trim_back(line);
    if (!line.empty()) {
      return json::excerpt(line.substr(0, std::size_t{4} * title_code_points_max), title_code_points_max);
    }
  }
  return {};
}

std::string named_by(Texts& texts, const json::Value& input, std::string_view path) {
  const json::Value* at = &input;
  while (at != nullptr && !path.empty()) {
    const std::string_view name = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), name.size() + 1));
    at = texts.member(*at, name);
  }
  return at != nullptr && at->is(json::Kind::string) ? line_of(at->str()) : std::string();
}

// The heading that the source begins with, else its first line.
std::string source_title(Texts& texts, const json::Value& input) {
  const json::Value* chunks = texts.member(input, "chunks");
  if (chunks == nullptr || !chunks->is(json::Kind::array) || chunks->array().empty()) {
    return {};
  }
  const json::Value& first = texts.whole(chunks->array().front());
  for (const std::string& heading : json::texts_of(first, "headings")) {
    if (std::string line = line_of(heading); !line.empty()) {
      return line;
    }
  }
  return named_by(texts, first, "text");
}

}  // namespace

RunName run_name(std::string_view pipeline, const run::Stored& begin) {
  RunName out{std::string(pipeline), {}};
  Texts texts(begin);
  json::Arena arena;
  const Result<json::Value> line = json::parse(begin.line, arena);
  const json::Value* data = line ? texts.member(line.value(), "data") : nullptr;
  const json::Value* input = data == nullptr ? nullptr : texts.member(*data, "input");
  if (input == nullptr) {
    return out;
  }
  if (pipeline == "artifact") {
    if (const std::string_view type = json::text_of(*input, "artifact_type"); !type.empty()) {
      out.type = json::excerpt(type, title_code_points_max);
    }
    out.title = source_title(texts, *input);
    return out;
  }
  const auto* naming =
      std::find_if(namings.begin(), namings.end(), [pipeline](const Naming& one) { return one.pipeline == pipeline; });
  for (const std::string_view path : naming == namings.end() ? std::array<std::string_view, 3>{} : naming->members) {
    if (out.title.empty() && !path.empty()) {
      out.title = named_by(texts, *input, path);
    }
  }
  return out;
}

}  // namespace plumb::outcome
