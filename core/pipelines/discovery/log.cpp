// The log of a discovery run: lines about its notes, as they come.

#include <algorithm>

#include "core/json/number_text.hpp"
#include "core/pipelines/boundary/boundary_log.hpp"
#include "core/pipelines/discovery/discovery.hpp"
#include "core/pipelines/discovery/failed_calls.hpp"
#include "core/pipelines/discovery/notes.hpp"
#include "core/run/journal.hpp"
#include "core/wording.hpp"

namespace plumb::pipelines::discovery {

namespace {

using json::Value;
using run::Entry;
using run::EntryKind;

std::string stage_word(Stage stage) {
  static constexpr std::array<std::string_view, 6> words = {
      "Exploring", "Framing opportunities", "Designing solutions", "Assessing feasibility",
      "Ranking",   "Waiting for review"};
  return std::string(words[static_cast<std::size_t>(stage)]);
}

// Who judges behind a stage: what failed there was told with the boundary.
std::string_view judge_behind(Stage stage) {
  return stage == Stage::opportunity_framing   ? "SolutionDesigner"
         : stage == Stage::solution_validation ? "FeasibilityDesigner"
         : stage == Stage::feasibility_risk    ? "TPMAgent"
                                               : "";
}

void add_exploration(std::vector<std::string>& out, const Explored& explored) {
  for (const ExplorerCoverage& one : explored.coverage.explorers) {
    out.push_back("  " + one.agent_name + ": " + json::uint_text(one.reviewed) + " of " +
                  json::uint_text(one.available) + " reviewed, " + json::uint_text(one.skipped) + " skipped");
    for (const Skipped& why : one.skipped_why) {
      out.push_back("    ⚠️ " + json::uint_text(why.count) + " skipped: " + why.why + " (first: " + why.where +
                    ")");
    }
  }
  out.push_back("  ✓ " + json::uint_text(explored.findings.size()) + " findings");
}

std::vector<std::string> checkpoint_lines(const Value& value) {
  std::vector<std::string> out;
  const Stage stage = json::record_of<CheckpointNote>(value).stage;
  const auto made = json::record_of<Opportunities>(value);
  if (stage == Stage::exploration) {
    add_exploration(out, json::record_of<Explored>(value));
  } else if (stage == Stage::prioritization) {
    out.push_back("  ✓ " + json::uint_text(json::record_of<Ranked>(value).rankings.size()) + " ranked");
  } else {
    const std::size_t all = made.opportunities.size();
    const auto on = std::count_if(made.opportunities.begin(), made.opportunities.end(),
                                  [](const Chain& one) { return one.left_out.empty(); });
    out.push_back("  ✓ " + json::uint_text(static_cast<std::uint64_t>(on)) + " of " + json::uint_text(all) + " go on");
  }
  for (const FailedCall& one : failed_calls(made.failures, made.opportunities, stage)) {
    if (one.agent != judge_behind(stage)) {
      const std::string ids = joined(one.opportunities);
      out.push_back("    ❌ " + one.agent + " failed" + (ids.empty() ? "" : " (" + ids + ")") + ": " +
                    json::excerpt(one.why, 200));
    }
  }
  for (const std::string& warning : made.warnings.value_or(std::vector<std::string>())) {
    const bool told = std::any_of(made.failures.begin(), made.failures.end(), [&](const Failure& one) {
      return warning == one.why || warning == one.agent + ": " + one.why;
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
      const auto begun = json::record_of<StageNote>(entry.data.value());
      lines.push_back("🔨 " + stage_word(begun.stage) +
                      (begun.attempt > 1 ? " (attempt " + json::uint_text(begun.attempt) + ")" : "") + "...");
      if (!begun.send_back_reason.empty()) {
        lines.push_back("  sent back: " + json::excerpt(begun.send_back_reason, 200));
      }
    } else if (entry.kind == EntryKind::note && entry.name == "checkpoint") {
      lines = checkpoint_lines(entry.data.value());
    } else if (entry.kind == EntryKind::note && entry.name == "review") {
      const auto one = json::record_of<ReviewNote>(entry.data.value());
      lines.push_back((one.accepted ? "  ✓ " : "  ✗ ") + one.kind + " " + one.opportunity_id + " by " + one.by +
                      (one.accepted ? "" : ": " + one.why));
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
