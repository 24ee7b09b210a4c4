// The records of a discovery run: what its stages hand each other as results of scopes, and what checkpoints show of
// them. Whoever writes one and whoever reads or shows it know it by the same struct. Internal to this folder.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/pipelines/discovery/sources.hpp"
#include "core/pipelines/discovery/stages.hpp"
#include "core/run/data_record.hpp"

namespace plumb::pipelines::discovery {

// Who was asked and did not do its work: a provider that is down, an answer that cannot be used.
struct Failure {
  Stage stage{};
  std::string agent, why;
  bool operator==(const Failure& other) const = default;
  static Fields fields();
};
// Each once, however often it is met.
void add_failure(std::vector<Failure>& all, Failure more);
void add_failures(std::vector<Failure>& all, const std::vector<Failure>& more);

// A unit that shows what is said.
struct EvidencePointer {
  std::string source_type, source_id, retrieved_at, confidence;
  static Fields fields();
};
struct ExplorerFinding {
  std::string id;  // empty as long as it is one explorer's
  std::string pattern_name, description, severity_assessment, affected_users_estimate, confidence;
  std::uint64_t merged_findings = 0;  // where it was made of several
  std::vector<EvidencePointer> evidence;

  bool has_evidence(std::string_view source_id) const;
  static Fields fields();
};
// What an explorer saw of its source.
struct ExplorerCoverage {
  std::string agent_name, source;
  std::string oldest, newest;  // days, or empty
  std::uint64_t available = 0, reviewed = 0, skipped = 0;
  std::vector<Skipped> skipped_why;
  std::uint64_t findings_count = 0;
  static Fields fields();
};
struct Coverage {
  std::string agent_name;
  std::uint64_t time_window_days = 0;
  std::string oldest, newest;
  std::uint64_t available = 0, reviewed = 0, skipped = 0, findings_count = 0;
  std::string model;
  std::vector<ExplorerCoverage> explorers;
  static Fields fields();
};
// A unit as `evidence` shows it, under its id.
struct Piece {
  std::string source, path;
  std::uint64_t line = 0;
  std::string text;
  static Fields fields();
};
// Stage 0.
struct Explored {
  std::vector<ExplorerFinding> findings;
  Coverage coverage;
  run::Data evidence;  // {id: Piece}
  std::vector<Failure> failures;
  bool failed = false;
  std::optional<std::vector<std::string>> fresh;  // of a second look: the findings that are new
  std::vector<std::string> warnings;
  static Fields fields();
};

// What is read of a brief.
struct Brief {
  std::string affected_area, opportunity_nature;
  std::vector<std::string> source_findings, stage_hints;
  std::vector<EvidencePointer> evidence;
  static Fields fields();
};
// What somebody said in the dialogue about an opportunity.
struct Turn {
  Stage stage{};
  std::uint64_t round = 0;
  std::string agent, text;
  static Fields fields();
};
// An opportunity on its way through the stages.
struct Chain {
  std::string id;                         // "O3", of a part "O3.1"
  Stage stage{};                          // the last one that it came through
  std::string left_out;                   // why it went no further, or empty
  std::vector<std::string> unverified;    // boundaries
  std::vector<std::string> warnings;      // of its artifacts, as they are noted
  std::string revised_from;               // the opportunity that it is a part of, or was framed anew from
  std::string send_back;                  // why the stage that it came to last sends it back, or empty
  std::vector<std::string> sent_back_by;  // stages that have done so: each does at most once
  std::vector<Failure> failures;          // of calls about it
  run::Data brief, solution, spec, infeasible;
  std::optional<std::vector<Turn>> conversation;

  // What these boundaries said of it before, and what failed from this stage on, counts no more: it is done again.
  void settled(std::initializer_list<std::string_view> boundaries, Stage from);
  bool was_sent_back_by(Stage from) const;
  // The stage sends it back where there is a reason.
  bool sends_back(Stage from, std::string_view reason);
  static Fields fields();
  void write_shown(json::Writer& json) const;  // what views show as it is
};
// Stages 1 to 3; what the first of them has to say beside its opportunities.
struct Opportunities {
  std::vector<Chain> opportunities;
  std::optional<std::vector<std::string>> warnings;
  std::vector<Failure> failures;
  static Fields fields();
};

// Stage 4.
struct Ranking {
  std::string opportunity_id;
  std::uint64_t recommended_rank = 0;
  std::string rationale;
  std::vector<std::string> dependencies, flags;
  static Fields fields();
};
struct Returned {
  std::string opportunity_id, reason;
  static Fields fields();
};
struct Ranked {
  std::vector<Ranking> rankings;
  std::optional<std::vector<Returned>> send_back;  // not in the checkpoint
  std::vector<Failure> failures;
  static Fields fields();
};

}  // namespace plumb::pipelines::discovery
