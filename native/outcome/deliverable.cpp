#include "native/outcome/deliverable.hpp"

#include <algorithm>

#include "core/contract/check.hpp"
#include "core/json/arena.hpp"
#include "core/json/indented.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/artifact/artifact.hpp"
#include "core/pipelines/outcomes.hpp"
#include "core/wording.hpp"
#include "native/outcome/calibration_text.hpp"
#include "native/outcome/discovery_text.hpp"
#include "native/outcome/outcome_table.hpp"

namespace plumb::outcome {

namespace {

Error unlike_judged(const std::string& why) {
  return {ErrorCode::unavailable, "what would be handed over is not what was judged, so nothing is: " + why, "", 0, 0};
}

// The value on several lines, read back.
Result<std::string> lines_of(const json::Value& value) {
  std::string out = json::indented(value) + "\n";
  json::Arena arena;
  const Result<json::Value> read = json::parse(out, arena);
  if (!read) {
    return unlike_judged("it cannot be read as JSON (" + read.error().message + ")");
  }
  return json::equal(read.value(), value) ? Result<std::string>(std::move(out))
                                          : unlike_judged("it is read as another value");
}

Result<std::string> lines_of(std::string_view text) {
  json::Arena arena;
  const Result<json::Value> value = json::parse(text, arena);
  return value ? lines_of(value.value()) : unlike_judged("it cannot be read as JSON (" + value.error().message + ")");
}

Result<std::string> member_lines(const json::Value& view, std::string_view name) {
  const json::Value* found = view.find(name);
  return found == nullptr ? Result<std::string>(std::string()) : lines_of(*found);
}

Result<std::string> artifact_text(const run::Journal& journal, const json::Value& view) {
  Result<std::string> text = member_lines(view, "result");
  if (!text || text.value().empty()) {
    return text;
  }
  const Result<bool> judged = is_as_judged(journal, text.value());
  return judged ? std::move(text) : judged.error();
}

// The items that the next stage may have, as a list.
Result<std::string> items_text(const json::Value& view) {
  const json::Value* result = view.find("result");
  if (result == nullptr) {
    return std::string();
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
  return lines_of(list);
}

std::string report_text(const json::Value& view) {
  const json::Value* result = view.find("result");
  return result == nullptr ? std::string() : std::string(json::text_of(*result, "report"));
}

// The contract that the run was begun with.
Result<contract::Contract> pinned_contract(const run::Journal& journal) {
  const run::Data& begin = journal.begin().data;
  for (const json::Value& pin : json::list_of(begin.value(), "pins")) {
    if (json::text_of(pin, "name") == pipelines::artifact::pin_contract) {
      return contract::Contract::read(std::string(run::Data::part(begin, pin.find("text")).text()));
    }
  }
  return Error{ErrorCode::not_found, "the run names no contract", "", 0, 0};
}

// Errors that count, but for those that a salvaged part may have: numbers of items.
std::uint64_t errors_of(const contract::Verdict& verdict, bool partial) {
  const auto counts = [partial](const contract::Finding& one) {
    const bool is_number = one.finding_class == contract::FindingClass::count && one.rule != "depth";
    return one.severity == contract::Severity::error && one.shadowed_by == 0 && !(partial && is_number);
  };
  return static_cast<std::uint64_t>(std::count_if(verdict.findings.begin(), verdict.findings.end(), counts));
}

const json::Value* failed_note(const run::Journal& journal) {
  const run::Entry& last = journal.entries().back();
  if (last.kind != run::EntryKind::end || last.status != run::Status::failed) {
    return nullptr;
  }
  const auto& entries = journal.entries();
  const auto found = std::find_if(entries.rbegin(), entries.rend(), [](const run::Entry& entry) {
    return entry.kind == run::EntryKind::note && entry.name == "failed" && !entry.data.is_null();
  });
  return found == entries.rend() || json::text_of(found->data.value(), "artifact").empty() ? nullptr
                                                                                           : &found->data.value();
}

}  // namespace

Result<bool> is_as_judged(const run::Journal& journal, std::string_view artifact) {
  const run::Entry& end = journal.entries().back();
  const json::Value* judged = end.kind == run::EntryKind::end ? end.data.value().find("artifact") : nullptr;
  if (judged == nullptr) {
    return unlike_judged("the run has ended without an artifact");
  }
  json::Arena arena;
  const Result<json::Value> read = json::parse(artifact, arena);
  if (!read || !json::equal(read.value(), *judged)) {
    return unlike_judged(read ? "it is read as another value" : "it cannot be read as JSON");
  }
  const Result<contract::Contract> contract = pinned_contract(journal);
  if (!contract) {
    return unlike_judged(contract.error().message);
  }
  const contract::Verdict verdict = contract::check_text(contract.value(), artifact);
  const bool partial = json::flag_of(end.data.value(), "partial");
  const std::uint64_t errors = errors_of(verdict, partial);
  if (errors > 0 || (!partial && !verdict.valid)) {
    return unlike_judged("the run accepted it, and its contract finds " + counted(errors, "error") + " in it");
  }
  if (json::text_of(end.data.value(), "decision") == "accept" && verdict.count(contract::Severity::warning) > 0) {
    return unlike_judged("the run accepted it without warnings, and its contract has some");
  }
  return true;
}

Result<std::string> deliverable(const pipelines::Known& known, const run::Journal& journal,
                                const contract::TextStyle& style) {
  const std::string_view pipeline = known.pipeline.name;
  const run::Data view = run::Data::written(known.view(journal));
  if (pipeline == "artifact") {
    return artifact_text(journal, view.value());
  }
  if (pipeline == "boundary") {
    return items_text(view.value());
  }
  if (pipeline == "research") {
    return report_text(view.value());
  }
  if (pipeline == "story") {
    return member_lines(view.value(), "story");  // story.json, of a story that is sound
  }
  if (pipeline == "calibration") {
    return calibration_text(view.value());
  }
  return pipeline == "discovery" ? discovery_text(view.value(), style) : std::string();
}

Result<std::string> view_of(const pipelines::Known& known, const run::Journal& journal) {
  std::string text = known.view(journal);
  if (journal.entries().back().kind != run::EntryKind::end) {
    return text;
  }
  json::Arena arena;
  const Result<json::Value> view = json::parse(text, arena);
  PLUMB_REQUIRE(view && view.value().is(json::Kind::object), "a view is one JSON object");
  const json::Value* result = view.value().find("result");
  if (known.pipeline.name == "artifact" && result != nullptr) {
    const auto from = static_cast<std::size_t>(result->from);
    const Result<bool> judged =
        is_as_judged(journal, std::string_view(text).substr(from, static_cast<std::size_t>(result->to) - from));
    if (!judged) {
      return judged.error();
    }
  }
  std::string out;
  json::Writer json(out);
  json.begin_object();
  for (const json::Member& member : view.value().object()) {
    json.key(member.key).value(member.value);
  }
  write_outcome(json, pipelines::outcome_of(journal));
  json.end_object();
  return out;
}

std::string_view media_type(std::string_view pipeline) {
  if (pipeline == "research") {
    return "text/markdown; charset=utf-8";
  }
  return pipeline == "discovery" || pipeline == "calibration" ? "text/plain; charset=utf-8" : "application/json";
}

bool has_rejected_artifact(const run::Journal& journal) { return failed_note(journal) != nullptr; }

Result<std::string> rejected_artifact(const run::Journal& journal) {
  const json::Value* kept = failed_note(journal);
  if (kept == nullptr) {
    return std::string();
  }
  const std::string_view artifact = json::text_of(*kept, "artifact");
  std::string out;
  json::Writer json(out);
  json.begin_object().member_boolean("rejected", true).member("error", journal.entries().back().error);
  for (const std::string_view name : {"asked", "kept", "fewer", "left_out", "violations", "issues", "unverified"}) {
    if (const json::Value* found = kept->find(name)) {
      json.key(name).value(*found);
    }
  }
  json::Arena arena;
  const Result<json::Value> read = json::parse(artifact, arena);
  // What is no JSON stays the text that it is.
  read ? json.key("artifact").raw(artifact) : json.member("artifact_text", artifact);
  json.end_object();
  return lines_of(out);
}

}  // namespace plumb::outcome
