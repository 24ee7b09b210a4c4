#include "native/outcome/deliverable.hpp"

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/sample/sample.hpp"
#include "native/outcome/discovery_text.hpp"

namespace plumb::outcome {

namespace {

std::string artifact_text(const json::Value& view) {
  const json::Value* result = view.find("result");
  return result == nullptr ? std::string() : sample::indented(json::value_text(*result)) + "\n";
}

// The items that the next stage may have, as a list.
std::string items_text(const json::Value& view) {
  const json::Value* result = view.find("result");
  if (result == nullptr) {
    return {};
  }
  std::string list;
  json::Writer json(list);
  json.begin_array();
  for (const json::Value& item : json::list_of(*result, "items")) {
    if (json::text_of(item, "passed") != "failed" && item.find("value") != nullptr) {
      json.value(*item.find("value"));
    }
  }
  json.end_array();
  return sample::indented(list) + "\n";
}

// story.json, of a story that is sound.
std::string story_text(const json::Value& view) {
  const json::Value* story = view.find("story");
  return story == nullptr ? std::string() : sample::indented(json::value_text(*story)) + "\n";
}

std::string report_text(const json::Value& view) {
  const json::Value* result = view.find("result");
  return result == nullptr ? std::string() : std::string(json::text_of(*result, "report"));
}

}  // namespace

std::string deliverable(std::string_view pipeline, const json::Value& view, const contract::TextStyle& style) {
  if (pipeline == "artifact") {
    return artifact_text(view);
  }
  if (pipeline == "boundary") {
    return items_text(view);
  }
  if (pipeline == "research") {
    return report_text(view);
  }
  if (pipeline == "story") {
    return story_text(view);
  }
  return pipeline == "discovery" ? discovery_text(view, style) : std::string();
}

std::string_view media_type(std::string_view pipeline) {
  if (pipeline == "research") {
    return "text/markdown; charset=utf-8";
  }
  return pipeline == "discovery" ? "text/plain; charset=utf-8" : "application/json";
}

std::string rejected_artifact(const run::Journal& journal) {
  const run::Entry& last = journal.entries().back();
  if (last.kind != run::EntryKind::end || last.status != run::Status::failed) {
    return {};
  }
  const auto& entries = journal.entries();
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    if (entry->kind != run::EntryKind::note || entry->name != "failed" || entry->data.is_null()) {
      continue;
    }
    const json::Value& kept = entry->data.value();
    const std::string_view artifact = json::text_of(kept, "artifact");
    if (artifact.empty()) {
      return {};
    }
    std::string out;
    json::Writer json(out);
    json.begin_object().member_boolean("rejected", true).member("error", last.error);
    for (const std::string_view name : {"asked", "kept", "fewer", "left_out", "violations", "issues", "unverified"}) {
      if (const json::Value* found = kept.find(name)) {
        json.key(name).value(*found);
      }
    }
    json::Arena arena;
    const Result<json::Value> read = json::parse(artifact, arena);
    // What is no JSON stays the text that it is.
    read ? json.key("artifact").raw(artifact) : json.member("artifact_text", artifact);
    json.end_object();
    return sample::indented(out) + "\n";
  }
  return {};
}

}  // namespace plumb::outcome
