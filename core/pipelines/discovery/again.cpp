// A second look at the sources, put to what was found before: chains that stay name findings and evidence by their ids.

#include <algorithm>

#include "core/json/number_text.hpp"
#include "core/pipelines/discovery/parts.hpp"
#include "core/pipelines/discovery/synthesis.hpp"

namespace plumb::pipelines::discovery {

namespace {

using json::Value;
using run::Data;

constexpr std::size_t evidence_of_a_finding_max = 1'000;

std::string_view source_of(const Data& explored, const Value& finding) {
  const std::span<const Value> evidence = list_of(finding, "evidence");
  const Value* all = explored.value().find("evidence");
  const Value* unit = evidence.empty() || all == nullptr ? nullptr : all->find(text_of(evidence.front(), "source_id"));
  return unit == nullptr ? std::string_view() : text_of(*unit, "source");
}

bool has_evidence(const Value& finding, std::string_view id) {
  const std::span<const Value> evidence = list_of(finding, "evidence");
  return std::any_of(evidence.begin(), evidence.end(),
                     [&](const Value& one) { return text_of(one, "source_id") == id; });
}

// A known finding with what a second look says of the same pattern.
void write_known(json::Writer& json, const Value& known, const std::vector<const Value*>& more) {
  json.begin_object();
  for (const json::Member& member : known.object()) {
    json.key(member.key);
    if (member.key == "description") {
      std::string text(member.value.str());
      for (const Value* one : more) {
        const std::string_view said = text_of(*one, "description");
        text += said.empty() || same_pattern(said, text) ? std::string() : " " + std::string(said);
      }
      json.string(text);
    } else if (member.key == "evidence") {
      json.begin_array();
      std::size_t count = member.value.size;
      for (const Value& one : member.value.array()) {
        json.value(one);
      }
      for (const Value* finding : more) {
        for (const Value& one : list_of(*finding, "evidence")) {
          if (!has_evidence(known, text_of(one, "source_id")) && count < evidence_of_a_finding_max) {
            json.value(one);
            ++count;
          }
        }
      }
      json.end_array();
    } else {
      json.value(member.value);
    }
  }
  json.end_object();
}

std::size_t number_after(std::span<const Value> findings) {
  std::size_t next = 1;
  for (const Value& one : findings) {
    std::uint64_t number = 0;
    const std::string_view id = text_of(one, "id");
    if (id.size() > 1 && json::read_uint(id.substr(1), number)) {
      next = std::max(next, static_cast<std::size_t>(number) + 1);
    }
  }
  return next;
}

// Pieces that were there before keep their words: what was decided was decided by these.
void write_evidence(json::Writer& json, const Data& before, const Data& now, std::vector<std::string>& warnings) {
  const Value& known = *before.value().find("evidence");
  json.key("evidence").begin_object();
  for (const json::Member& member : known.object()) {
    json.key(member.key).value(member.value);
  }
  for (const json::Member& member : now.value().find("evidence")->object()) {
    const Value* was = known.find(member.key);
    if (was == nullptr) {
      json.key(member.key).value(member.value);
    } else if (text_of(*was, "text") != text_of(member.value, "text")) {
      warnings.push_back("'" + json::excerpt(member.key, 60) + "' has changed since; it is shown as it was first read");
    }
  }
  json.end_object();
}

}  // namespace

Data looked_again(const Data& before, const Data& now) {
  const std::span<const Value> known = list_of(before.value(), "findings");
  std::vector<std::vector<const Value*>> same(known.size());
  std::vector<const Value*> fresh;
  for (const Value& one : list_of(now.value(), "findings")) {
    const auto found = std::find_if(known.begin(), known.end(), [&](const Value& old) {
      return source_of(before, old) == source_of(now, one) &&
             same_pattern(text_of(one, "pattern_name"), text_of(old, "pattern_name"));
    });
    if (found == known.end()) {
      fresh.push_back(&one);
    } else {
      same[static_cast<std::size_t>(found - known.begin())].push_back(&one);
    }
  }
  const bool failed = flag_of(now.value(), "failed");
  std::vector<std::string> warnings = texts_of(now.value(), "warnings");
  if (failed) {
    warnings.emplace_back("the second look failed; what was found before holds");
  }
  return object([&](json::Writer& json) {
    std::size_t next = number_after(known);
    std::vector<std::string> ids;
    json.key("findings").begin_array();
    for (std::size_t i = 0; i < known.size(); ++i) {
      write_known(json, known[i], same[i]);
    }
    for (const Value* one : fresh) {
      ids.push_back("F" + json::uint_text(next++));
      json.begin_object().member("id", ids.back());
      for (const json::Member& member : one->object()) {
        if (member.key != "id") {
          json.key(member.key).value(member.value);
        }
      }
      json.end_object();
    }
    json.end_array().key("coverage").begin_object();
    for (const json::Member& member : (failed ? before : now).value().find("coverage")->object()) {
      if (member.key == "findings_count") {
        json.member_uint("findings_count", known.size() + fresh.size());
      } else {
        json.key(member.key).value(member.value);
      }
    }
    json.end_object();
    write_evidence(json, before, now, warnings);
    write_failures(json, failures_of(now.value()));
    json.member_boolean("failed", failed).key("fresh").begin_array();
    for (const std::string& id : ids) {
      json.string(id);
    }
    json.end_array().key("warnings").begin_array();
    for (const std::string& one : warnings) {
      json.string(one);
    }
    json.end_array();
  });
}

}  // namespace plumb::pipelines::discovery
