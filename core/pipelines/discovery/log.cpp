// The log of a discovery run: lines about its notes, as they come.

#include <algorithm>

#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/boundary/boundary_log.hpp"
#include "core/pipelines/discovery/discovery.hpp"
#include "core/pipelines/discovery/failed_calls.hpp"
#include "core/pipelines/discovery/members.hpp"
#include "core/pipelines/discovery/stages.hpp"
#include "core/run/journal.hpp"

namespace plumb::pipelines::discovery {

namespace {

using json::Value;
using run::Entry;
using run::EntryKind;

std::string_view stage_word(std::string_view stage) {
  constexpr std::array<std::string_view, 6> words = {
      "Exploring", "Framing opportunities", "Designing solutions", "Assessing feasibility",
      "Ranking",   "Waiting for review"};
  for (std::size_t i = 0; i < stage_names.size(); ++i) {
    if (stage_names[i] == stage) {
      return words[i];
    }
  }
  return stage;
}

// Who judges behind a stage: what failed there was told with the boundary.
std::string_view judge_behind(std::string_view stage) {
  return stage == stage_name(Stage::opportunity_framing)   ? "SolutionDesigner"
         : stage == stage_name(Stage::solution_validation) ? "FeasibilityDesigner"
         : stage == stage_name(Stage::feasibility_risk)    ? "TPMAgent"
                                                           : "";
}

void add_failed_lines(std::vector<std::string>& out, const Value& checkpoint) {
  const std::string_view stage = text_of(checkpoint, "stage");
  for (const FailedCall& one : failed_calls(&checkpoint, list_of(checkpoint, "opportunities"), stage)) {
    if (one.agent == judge_behind(stage)) {
      continue;
    }
    std::string ids;
    for (const std::string_view id : one.opportunities) {
      ids += (ids.empty() ? " (" : ", ") + std::string(id);
    }
    out.push_back("    ❌ " + std::string(one.agent) + " failed" + ids + (ids.empty() ? "" : ")") + ": " +
                  json::excerpt(one.why, 200));
  }
}

std::vector<std::string> checkpoint_lines(const Value& value) {
  std::vector<std::string> out;
  if (const Value* coverage = value.find("coverage")) {
    for (const Value& one : list_of(*coverage, "explorers")) {
      out.push_back("  " + std::string(text_of(one, "agent_name")) + ": " +
                    json::uint_text(number_of(one, "reviewed")) + " of " +
                    json::uint_text(number_of(one, "available")) + " reviewed, " +
                    json::uint_text(number_of(one, "skipped")) + " skipped");
      for (const Value& why : list_of(one, "skipped_why")) {
        out.push_back("    ⚠️ " + json::uint_text(number_of(why, "count")) + " skipped: " +
                      std::string(text_of(why, "why")) + " (first: " + std::string(text_of(why, "where")) + ")");
      }
    }
    out.push_back("  ✓ " + json::uint_text(list_of(value, "findings").size()) + " findings");
  } else if (const Value* rankings = value.find("rankings")) {
    out.push_back("  ✓ " + json::uint_text(rankings->size) + " ranked");
  } else {
    std::size_t left = 0;
    for (const Value& one : list_of(value, "opportunities")) {
      left += text_of(one, "left_out").empty() ? 0 : 1;
    }
    const std::size_t all = list_of(value, "opportunities").size();
    out.push_back("  ✓ " + json::uint_text(all - left) + " of " + json::uint_text(all) + " go on");
  }
  add_failed_lines(out, value);
  const std::vector<FailedCall> failed = failed_calls(&value, {}, "");
  for (const std::string& warning : texts_of(value, "warnings")) {
    const bool told = std::any_of(failed.begin(), failed.end(), [&](const FailedCall& one) {
      return warning == one.why || warning == std::string(one.agent) + ": " + std::string(one.why);
    });
    if (!told) {
      out.push_back("    ⚠️ " + json::excerpt(warning, 200));
    }
  }
  return out;
}

}  // namespace

std::vector<LogLine> log_lines(const run::Journal& journal, std::uint64_t from) {
  std::vector<LogLine> out;
  for (std::size_t i = static_cast<std::size_t>(from); i < journal.entries().size(); ++i) {
    const Entry& entry = journal.entries()[i];
    std::vector<std::string> lines;
    if (entry.kind == EntryKind::note && entry.name == "stage") {
      const Value& value = entry.data.value();
      const std::uint64_t attempt = number_of(value, "attempt");
      lines.push_back("🔨 " + std::string(stage_word(text_of(value, "stage"))) +
                      (attempt > 1 ? " (attempt " + json::uint_text(attempt) + ")" : "") + "...");
      if (const std::string_view reason = text_of(value, "send_back_reason"); !reason.empty()) {
        lines.push_back("  sent back: " + json::excerpt(reason, 200));
      }
    } else if (entry.kind == EntryKind::note && entry.name == "checkpoint") {
      lines = checkpoint_lines(entry.data.value());
    } else if (entry.kind == EntryKind::note && entry.name == "review") {
      const Value& value = entry.data.value();
      lines.push_back(std::string(flag_of(value, "accepted") ? "  ✓ " : "  ✗ ") + std::string(text_of(value, "kind")) +
                      " " + std::string(text_of(value, "opportunity_id")) + " by " + std::string(text_of(value, "by")) +
                      (flag_of(value, "accepted") ? "" : ": " + std::string(text_of(value, "why"))));
    } else if (entry.kind == EntryKind::note) {
      for (std::string& line : boundary_lines(entry.name, entry.data.value())) {
        lines.push_back("  " + line);
      }
    } else if (entry.kind == EntryKind::cancel) {
      lines.push_back("✗ Stopped: " + entry.error);
    } else if (entry.kind == EntryKind::end && entry.status == run::Status::failed) {
      lines.push_back("❌ " + entry.error);
    }
    for (std::string& line : lines) {
      out.push_back({i, entry.at_ms, std::move(line)});
    }
  }
  return out;
}

}  // namespace plumb::pipelines::discovery
