#include "native/outcome/boundary_outcome.hpp"

#include "core/json/excerpt.hpp"
#include "core/json/indented.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/wording.hpp"

namespace plumb::outcome {

namespace {

using json::text_of;
using json::Value;

constexpr std::size_t lines_max = 1'000;
constexpr std::size_t reason_shown = 400;

bool is_held(const Value& item) { return text_of(item, "passed") == "failed"; }

void write_name(json::Writer& json, const Value& item) {
  for (const std::string_view name : {"id", "name", "index"}) {
    if (const Value* found = item.find(name)) {
      json.key(name).value(*found);
    }
  }
}

}  // namespace

std::string boundary_envelope(const Value& view) {
  const Value* result = view.find("result");
  if (result == nullptr) {
    return {};
  }
  const std::span<const Value> items = json::list_of(*result, "items");
  std::string out;
  json::Writer json(out);
  json.begin_object().member("decision", text_of(*result, "decision")).key("items").begin_array();
  for (const Value& item : items) {
    if (!is_held(item) && item.find("value") != nullptr) {
      json.value(*item.find("value"));
    }
  }
  json.end_array().key("warnings").begin_array();
  std::uint64_t place = 0;
  for (const Value& item : items) {
    for (const Value& warning : json::list_of(item, "validation_warnings")) {
      json.begin_object().member_uint("at", place);
      write_name(json, item);
      json.key("warning").value(warning).end_object();
    }
    place += is_held(item) ? 0 : 1;
  }
  json.end_array().key("held_back").begin_array();
  for (const Value& item : items) {
    if (is_held(item)) {
      json.begin_object();
      write_name(json, item);
      for (const std::string_view name : {"why", "value"}) {
        if (const Value* found = item.find(name)) {
          json.key(name).value(*found);
        }
      }
      json.end_object();
    }
  }
  json.end_array();
  if (const Value* flags = result->find("quality_flags")) {
    json.key("quality_flags").value(*flags);
  }
  json.end_object();
  return json::indented(out) + "\n";
}

std::vector<std::string> beside_lines(std::string_view pipeline, const Value& view) {
  std::vector<std::string> out;
  const Value* result = pipeline == "boundary" ? view.find("result") : nullptr;
  if (result == nullptr) {
    return out;
  }
  std::size_t more = 0;
  const auto tell = [&](const Value& item, std::string_view what, std::string_view why) {
    if (out.size() == lines_max) {
      ++more;
      return;
    }
    const std::string_view name = text_of(item, "name");
    out.push_back("item " + std::string(text_of(item, "id")) +
                  (name.empty() ? "" : " (" + json::excerpt(name, 60) + ")") + " " + std::string(what) + ": " +
                  json::excerpt(why, reason_shown));
  };
  for (const Value& item : json::list_of(*result, "items")) {
    for (const Value& warning : json::list_of(item, "validation_warnings")) {
      tell(item, "has a warning", warning.str());
    }
    if (is_held(item)) {
      tell(item, "is held back", item.find("why") == nullptr ? "" : text_of(*item.find("why"), "reason"));
    }
  }
  if (more > 0) {
    out.push_back("and " + counted(more, "item") + " more: --envelope lists all of them");
  }
  return out;
}

}  // namespace plumb::outcome
