// The input and the notes of a discovery run, and the signals that people send it. Internal to this folder.
//
// Readers of a journal that others read too take them with json::record_of: run::Data::as keeps what it reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/pipelines/discovery/records.hpp"
#include "core/reason.hpp"

namespace plumb::pipelines::discovery {

// What is read of the input, beside `sources` and `providers`.
struct Input {
  std::string target_domain;
  std::uint64_t time_window_days = 0;              // 0: all
  std::vector<std::string> scope_dirs, doc_paths;  // none: all
  bool review = false;
  std::uint64_t window_tokens = 0;  // of the model that judges
  std::uint64_t call_ms = 0;
  std::uint64_t way = 1;  // that its boundaries go
  static Fields fields();
};

// A stage is begun.
struct StageNote {
  Stage stage{};
  std::uint64_t attempt = 0;
  std::string sent_back_from, send_back_reason;
  std::vector<std::string> order;  // of the opportunities, as it stands when people look at them again
  // Where it is sent back.
  std::optional<std::string> sent_back_by;
  std::optional<std::vector<std::string>> opportunities;
  static Fields fields();
};
// The end of a stage. Behind these stand the members of what it has made: Explored, Opportunities or Ranked.
struct CheckpointNote {
  Stage stage{};
  std::uint64_t attempt = 0;
  run::Data quality_flags;
  static Fields fields();
};

// What people send, and what a decision keeps of it.
struct ReviewSignal {
  std::string kind;
  std::string opportunity_id, decision, reasoning, by, send_back_to_stage;
  std::uint64_t adjusted_priority = 0;
  bool revises = false;
  std::vector<std::string> order;
  std::string request;
  static Fields fields();
};
// What came of a signal, and how things stand.
struct ReviewNote {
  bool accepted = false;
  std::string kind, why, opportunity_id, by, request;
  std::vector<std::string> order;
  std::vector<run::Data> decisions;
  std::optional<std::string> send_back_to_stage, send_back_reason;
  Reason reason = Reason::none;  // it is not accepted; none in runs that were begun before it was noted
  static Fields fields();
};

// A run goes on from what another has found, with what experiments have shown.
struct Reentry {
  std::string parent_run_id;
  run::Data results;
  run::Data state;  // ParentState
  static Fields fields();
};
struct ParentState {
  run::Data explored;
  std::vector<Chain> opportunities;
  static Fields fields();
};
// The input of such a run.
struct ReentryInput {
  std::optional<Reentry> experiment;
  static Fields fields();
};

}  // namespace plumb::pipelines::discovery
