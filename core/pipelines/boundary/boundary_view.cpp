#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/pipelines/boundary/boundary_log.hpp"
#include "core/pipelines/boundary/boundary_pipeline.hpp"
#include "core/run/boundary_notes.hpp"
#include "core/run/usage.hpp"
#include "core/wording.hpp"

namespace plumb::pipelines {

namespace {

using json::text_of;
using json::Value;

constexpr std::size_t rejections_shown = 10;

std::vector<std::string> cycle_lines(const run::CycleNote& note, const run::BoundaryCycle& cycle) {
  std::vector<std::string> out;
  std::string line =
      note.cycle == 0 ? "→ " + note.agent + " judges " + note.boundary : "  → " + note.agent + " judges the revised";
  line += ": " + json::uint_text(cycle.accepted) + " accepted, " + json::uint_text(cycle.rejected) + " rejected";
  for (const auto& [count, what] :
       {std::pair{cycle.unverified, "unverified"}, std::pair{cycle.unknown_ids, "unknown ids"},
        std::pair{cycle.unfounded, "rejections without a rule or reason"},
        std::pair{cycle.skipped, "revisions that could not be used"},
        std::pair{cycle.observed, "would have been rejected by observed rules"}}) {
    line += count == 0 ? "" : ", " + json::uint_text(count) + " " + what;
  }
  out.push_back(std::move(line));
  if (!cycle.call_error.empty()) {
    out.push_back("    ❌ " + counted(cycle.calls_failed, "call") + " of " + note.agent +
                  " failed: " + json::excerpt(cycle.call_error, 200));
  }
  std::size_t shown = 0;
  for (const run::CycleNote::Rejected& one : note.rejections) {
    if (shown++ == rejections_shown) {
      out.push_back("    ...");
      break;
    }
    out.push_back("    ✗ " + one.id + (one.name.empty() ? "" : " (" + one.name + ")") + ": " + one.why.rule + ": " +
                  json::excerpt(one.why.reason, 160));
  }
  return out;
}

}  // namespace

std::vector<std::string> boundary_lines(std::string_view note, const Value& value) {
  if (note == "INPUT_VALIDATION") {
    return cycle_lines(json::record_of<run::CycleNote>(value), json::record_of<run::BoundaryCycle>(value));
  }
  if (note != "boundary") {
    return {};
  }
  const auto end = json::record_of<run::BoundaryNote>(value);
  return {"  ✓ " + json::uint_text(end.accepted) + " accepted, " + json::uint_text(end.warned) + " with a warning, " +
          json::uint_text(end.failed) + " failed" +
          (end.unverified == 0 ? "" : "; " + json::uint_text(end.unverified) + " unverified") + " (" +
          counted(end.calls, "call") + ", " + counted(end.tokens, "token") + ")"};
}

namespace boundary {

namespace {

std::string_view status_of(const run::Journal& journal) {
  const run::Entry& last = journal.entries().back();
  if (last.kind != run::EntryKind::end) {
    return journal.entries().size() == 1 ? "pending" : "running";
  }
  return last.status == run::Status::ok ? "completed" : last.status == run::Status::cancelled ? "stopped" : "failed";
}

bool is_held(const Value& item) { return text_of(item, "passed") == "failed"; }

void write_name(json::Writer& json, const Value& item) {
  for (const std::string_view name : {"id", "name", "index"}) {
    if (const Value* found = item.find(name)) {
      json.key(name).value(*found);
    }
  }
}

// The result with `items` for the next stage alone, and all of an item that is not for it in `held_back`.
void write_result(json::Writer& json, const Value& result) {
  json.begin_object();
  for (const json::Member& member : result.object()) {
    if (member.key == "held_back") {
      continue;
    }
    json.key(member.key);
    if (member.key != "items") {
      json.value(member.value);
      continue;
    }
    json.begin_array();
    for (const Value& item : member.value.array()) {
      if (!is_held(item)) {
        json.value(item);
      }
    }
    json.end_array().key("held_back").begin_array();
    for (const Value& item : member.value.array()) {
      if (is_held(item)) {
        json.begin_object();
        for (const json::Member& part : item.object()) {
          json.key(part.key).value(part.value);
        }
        if (const Value* why = item.find("why")) {
          json.member("rule", text_of(*why, "rule")).member("reason", text_of(*why, "reason"));
        }
        json.end_object();
      }
    }
    json.end_array();
  }
  json.end_object();
}

// Of revisions that could not be used.
std::uint64_t tokens_wasted(const run::Journal& journal) {
  std::uint64_t out = 0;
  for (const run::Entry& entry : journal.entries()) {
    if (entry.kind == run::EntryKind::scope && entry.key.find("/revise-") != std::string::npos &&
        !text_of(entry.data.value(), "skipped").empty()) {
      out += json::number_of(entry.data.value(), "tokens");
    }
  }
  return out;
}

}  // namespace

std::string envelope(const Value& view) {
  const Value* result = view.find("result");
  if (result == nullptr) {
    return {};
  }
  const std::span<const Value> items = json::list_of(*result, "items");
  std::string out;
  json::Writer json(out);
  json.begin_object().member("decision", text_of(*result, "decision")).key("items").begin_array();
  for (const Value& item : items) {
    if (const Value* value = item.find("value")) {
      json.value(*value);
    }
  }
  json.end_array().key("warnings").begin_array();
  for (std::size_t place = 0; place < items.size(); ++place) {
    for (const Value& warning : json::list_of(items[place], "validation_warnings")) {
      json.begin_object().member_uint("at", place);
      write_name(json, items[place]);
      json.key("warning").value(warning).end_object();
    }
  }
  json.end_array().key("held_back").begin_array();
  for (const Value& item : json::list_of(*result, "held_back")) {
    json.begin_object();
    write_name(json, item);
    for (const std::string_view name : {"why", "value"}) {
      if (const Value* found = item.find(name)) {
        json.key(name).value(*found);
      }
    }
    json.end_object();
  }
  json.end_array().key("unverified").begin_array();
  for (std::size_t place = 0; place < items.size(); ++place) {
    if (json::flag_of(items[place], "unverified")) {
      json.begin_object().member_uint("at", place);
      write_name(json, items[place]);
      json.end_object();
    }
  }
  json.end_array();
  if (const Value* flags = result->find("quality_flags")) {
    json.key("quality_flags").value(*flags);
  }
  json.member_uint("tokens", json::number_of(*result, "tokens"));
  json.member_uint("tokens_wasted", json::number_of(view, "tokens_wasted")).end_object();
  return out;
}

std::string view(const run::Journal& journal) {
  const Value& begun = journal.begin().data.value();
  const run::Entry& last = journal.entries().back();
  std::string out;
  json::Writer json(out);
  json.begin_object().member("run_id", text_of(begun, "run")).member("status", status_of(journal));
  std::uint64_t cycles = 0;
  std::uint64_t tokens = 0;
  for (const run::Entry& entry : journal.entries()) {
    cycles += entry.kind == run::EntryKind::note && entry.name == "INPUT_VALIDATION" ? 1 : 0;
    tokens += entry.kind == run::EntryKind::reply ? run::usage_of(entry.data.value()).tokens() : 0;
  }
  json.member_uint("progress", last.kind == run::EntryKind::end ? 100 : cycles * 30);
  json.member_uint("tokens_used", tokens).member_uint("tokens_wasted", tokens_wasted(journal));
  json.key("cycles").begin_array();
  const Value* boundary = nullptr;
  for (const run::Entry& entry : journal.entries()) {
    if (entry.kind == run::EntryKind::note && entry.name == "INPUT_VALIDATION") {
      json.value(entry.data.value());
    } else if (entry.kind == run::EntryKind::note && entry.name == "boundary") {
      boundary = &entry.data.value();
    }
  }
  json.end_array();
  if (boundary != nullptr) {
    json.key("boundary").value(*boundary);
  }
  if (last.kind == run::EntryKind::end && last.status == run::Status::ok) {
    json.member("decision", text_of(last.data.value(), "decision")).key("result");
    write_result(json, last.data.value());
  } else if (last.kind == run::EntryKind::end) {
    json.member("error", last.error);
  }
  json.end_object();
  return out;
}

std::vector<LogLine> log_lines(const run::Journal& journal, std::uint64_t from) {
  std::vector<LogLine> out;
  for (std::size_t i = 0; i < journal.entries().size(); ++i) {
    const run::Entry& entry = journal.entries()[i];
    std::vector<std::string> lines;
    if (entry.kind == run::EntryKind::begin) {
      const Value* input = entry.data.value().find("input");
      const Value* items = input == nullptr ? nullptr : input->find("items");
      lines.push_back("⚙️ Boundary of " + json::uint_text(items == nullptr ? 0 : items->size) + " items");
    } else if (entry.kind == run::EntryKind::note) {
      lines = boundary_lines(entry.name, entry.data.value());
    } else if (entry.kind == run::EntryKind::cancel) {
      lines.push_back("✗ Cancelled: " + entry.error);
    } else if (entry.kind == run::EntryKind::end && entry.status == run::Status::failed) {
      lines.push_back("❌ " + entry.error);
    }
    for (std::string& line : lines) {
      if (i >= from) {
        out.push_back({i, entry.at_ms, std::move(line)});
      }
    }
  }
  return out;
}

}  // namespace boundary

}  // namespace plumb::pipelines
