#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/boundary/boundary_log.hpp"
#include "core/pipelines/boundary/boundary_pipeline.hpp"
#include "core/run/boundary_answers.hpp"

namespace plumb::pipelines {

namespace {

using json::Kind;
using json::text_of;
using json::Value;

constexpr std::size_t rejections_shown = 10;

std::string number_text(const Value& object, std::string_view name) {
  const Value* found = object.find(name);
  return found == nullptr ? "0" : std::string(found->str());
}

std::string counted_member(const Value& object, std::string_view name, std::string_view one, std::string_view many) {
  const std::string number = number_text(object, name);
  return number + " " + std::string(number == "1" ? one : many);
}

}  // namespace

std::vector<std::string> boundary_lines(std::string_view note, const Value& value) {
  std::vector<std::string> out;
  if (note == "INPUT_VALIDATION") {
    const std::string agent(text_of(value, "agent"));
    std::string line = number_text(value, "cycle") == "0"
                           ? "→ " + agent + " judges " + std::string(text_of(value, "boundary"))
                           : "  → " + agent + " judges the revised";
    line += ": " + number_text(value, "accepted") + " accepted, " + number_text(value, "rejected") + " rejected";
    for (const auto& [name, what] : {std::pair{"unverified", "unverified"}, std::pair{"unknown_ids", "unknown ids"},
                                     std::pair{"unfounded", "rejections without a rule or reason"},
                                     std::pair{"skipped", "revisions that could not be used"}}) {
      line += number_text(value, name) == "0" ? "" : ", " + number_text(value, name) + " " + what;
    }
    out.push_back(std::move(line));
    if (const std::string_view error = text_of(value, "call_error"); !error.empty()) {
      out.push_back("    ❌ " + counted_member(value, "calls_failed", "call", "calls") + " of " +
                    std::string(text_of(value, "agent")) + " failed: " + json::excerpt(error, 200));
    }
    std::size_t shown = 0;
    const Value* rejections = value.find("rejections");
    for (const Value& one : rejections == nullptr ? std::span<const Value>() : rejections->array()) {
      if (shown++ == rejections_shown) {
        out.push_back("    ...");
        break;
      }
      const std::string_view name = text_of(one, "name");
      out.push_back("    ✗ " + std::string(text_of(one, "id")) + (name.empty() ? "" : " (" + std::string(name) + ")") +
                    ": " + std::string(text_of(one, "rule")) + ": " + json::excerpt(text_of(one, "reason"), 160));
    }
  } else if (note == "boundary") {
    out.push_back(
        "  ✓ " + number_text(value, "accepted") + " accepted, " + number_text(value, "warned") + " with a warning, " +
        number_text(value, "failed") + " failed" +
        (number_text(value, "unverified") == "0" ? "" : "; " + number_text(value, "unverified") + " unverified") +
        " (" + counted_member(value, "calls", "call", "calls") + ", " +
        counted_member(value, "tokens", "token", "tokens") + ")");
  }
  return out;
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

}  // namespace

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
    const Value* usage =
        entry.kind == run::EntryKind::reply && !entry.data.is_null() ? entry.data.value().find("usage") : nullptr;
    if (usage != nullptr) {
      tokens += json::number_of(*usage, "input_tokens") + json::number_of(*usage, "output_tokens");
    }
  }
  json.member_uint("progress", last.kind == run::EntryKind::end ? 100 : cycles * 30);
  json.member_uint("tokens_used", tokens).key("cycles").begin_array();
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
    json.member("decision", text_of(last.data.value(), "decision")).key("result").raw(last.data.text());
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
