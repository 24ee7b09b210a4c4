// What is shown of a discovery run: a projection of its notes. docs/discovery.md has its form.

#include <algorithm>

#include "core/json/number_text.hpp"
#include "core/pipelines/call_monitor.hpp"
#include "core/pipelines/discovery/discovery.hpp"
#include "core/pipelines/discovery/failed_calls.hpp"
#include "core/pipelines/discovery/members.hpp"
#include "core/pipelines/discovery/notes.hpp"
#include "core/pipelines/discovery/worst_case.hpp"
#include "core/run/boundary_notes.hpp"
#include "core/run/journal.hpp"
#include "core/run/reasons.hpp"
#include "core/run/stamp.hpp"
#include "core/run/usage.hpp"

namespace plumb::pipelines::discovery {

namespace {

using json::Value;
using run::Entry;
using run::EntryKind;

struct StageSeen {
  StageNote begun;
  std::optional<CheckpointNote> checkpoint;
  const Value* warnings = nullptr;
  bool failed = false;
  std::uint64_t from_ms = 0, to_ms = 0;
  std::uint64_t calls = 0, calls_max = 0;
};

struct Crossing {
  std::optional<run::BoundaryNote> note;
  std::vector<const Value*> cycles;
  std::uint64_t attempt = 0;
};

// What the notes of a journal say, the last word of each.
struct Seen {
  std::vector<StageSeen> stages;
  std::vector<Crossing> crossings;
  const Value* explored = nullptr;
  std::vector<Chain> chains;
  std::vector<Ranking> rankings;
  std::vector<Failure> exploring, framing, ranking;  // calls that failed in the stage
  std::optional<Reentry> reentry;
  std::vector<std::string> order;  // as people have it
  std::vector<std::pair<std::uint64_t, ReviewNote>> reviews;
  std::vector<run::Data> decisions;
  const Entry* end = nullptr;
  std::uint64_t tokens = 0;
};

void see_checkpoint(Seen& out, const Entry& entry) {
  const Value& value = entry.data.value();
  StageSeen& stage = out.stages.back();
  const Stage which = stage.checkpoint.emplace(json::record_of<CheckpointNote>(value)).stage;
  stage.to_ms = entry.at_ms;
  stage.warnings = value.find("warnings");
  if (which == Stage::exploration) {
    const auto made = json::record_of<Explored>(value);
    stage.failed = made.failed;
    stage.calls_max = stage_calls_max(which, made.coverage.explorers, 0);
    out.explored = &value;
    out.exploring = made.failures;
  } else if (which == Stage::prioritization) {
    auto made = json::record_of<Ranked>(value);
    stage.calls_max = stage_calls_max(which, {}, 0);
    out.rankings = std::move(made.rankings);
    out.ranking = std::move(made.failures);
    out.order.clear();
  } else {
    auto made = json::record_of<Opportunities>(value);
    stage.calls_max = stage_calls_max(which, {}, made.opportunities.size());
    out.chains = std::move(made.opportunities);
    out.framing = which == Stage::opportunity_framing ? std::move(made.failures) : out.framing;
  }
}

void see_note(Seen& out, const Entry& entry) {
  const Value& value = entry.data.value();
  if (entry.name == "stage") {
    StageSeen& stage = out.stages.emplace_back();
    stage.begun = json::record_of<StageNote>(value);
    stage.from_ms = entry.at_ms;
    out.order = stage.begun.order.empty() ? out.order : stage.begun.order;
  } else if (entry.name == "checkpoint" && !out.stages.empty()) {
    see_checkpoint(out, entry);
  } else if (entry.name == "reentry") {
    const Value& state = *value.find("state");
    out.reentry = json::record_of<Reentry>(value);
    out.explored = state.find("explored");
    out.chains = json::record_of<ParentState>(state).opportunities;
  } else if (entry.name == "INPUT_VALIDATION") {
    if (json::record_of<run::CycleNote>(value).cycle == 0) {
      out.crossings.push_back({{}, {}, out.stages.empty() ? 0 : out.stages.back().begun.attempt});
    }
    if (!out.crossings.empty()) {
      out.crossings.back().cycles.push_back(&value);
    }
  } else if (entry.name == "boundary") {
    auto note = json::record_of<run::BoundaryNote>(value);
    if (note.produced == 0) {
      out.crossings.push_back({std::move(note), {}, 0});
    } else if (!out.crossings.empty()) {
      out.crossings.back().note = std::move(note);
    }
  } else if (entry.name == "review") {
    const ReviewNote& note = out.reviews.emplace_back(entry.at_ms, json::record_of<ReviewNote>(value)).second;
    if (note.accepted) {
      out.decisions = note.decisions;
      out.order = note.order;
    }
  }
}

Seen see(const run::Journal& journal) {
  Seen out;
  for (const Entry& entry : journal.entries()) {
    if (entry.kind == EntryKind::note) {
      see_note(out, entry);
    } else if (entry.kind == EntryKind::attempt && entry.name == "model" && !out.stages.empty()) {
      ++out.stages.back().calls;
    } else if (entry.kind == EntryKind::reply) {
      out.tokens += run::usage_of(entry.data.value()).tokens();
    } else if (entry.kind == EntryKind::end) {
      out.end = &entry;
    }
  }
  return out;
}

RunStatus status_of(const run::Journal& journal, const Seen& seen) {
  if (seen.end == nullptr) {
    return journal.entries().size() == 1 ? RunStatus::pending : RunStatus::running;
  }
  return seen.end->status == run::Status::ok          ? RunStatus::completed
         : seen.end->status == run::Status::cancelled ? RunStatus::stopped
                                                      : RunStatus::failed;
}

StageStatus status_of(const Seen& seen, std::size_t at) {
  const StageSeen& one = seen.stages[at];
  const bool last = at + 1 == seen.stages.size();
  const bool is_review = one.begun.stage == Stage::human_review;
  if (!last && !is_review && seen.stages[at + 1].begun.sent_back_from == stage_name(one.begun.stage)) {
    return StageStatus::sent_back;
  }
  if (one.failed || (last && !one.checkpoint && seen.end != nullptr && seen.end->status != run::Status::ok)) {
    return StageStatus::failed;
  }
  if (is_review) {
    return !last ? StageStatus::sent_back : seen.end == nullptr ? StageStatus::in_progress : StageStatus::completed;
  }
  return one.checkpoint ? StageStatus::completed : StageStatus::in_progress;
}

void write_stages(json::Writer& json, const Seen& seen) {
  json.key("stages").begin_array();
  for (std::size_t i = 0; i < seen.stages.size(); ++i) {
    const StageSeen& one = seen.stages[i];
    json.begin_object().member("stage", stage_name(one.begun.stage));
    json.member_uint("attempt", one.begun.attempt).member("status", status_name(status_of(seen, i)));
    json.member("started_at", run::iso_time(one.from_ms));
    if (one.to_ms > 0) {
      json.member("finished_at", run::iso_time(one.to_ms));
    }
    json.member_uint("calls", one.calls);
    if (one.checkpoint) {
      json.member_uint("calls_max", one.calls_max);
    }
    json.member("sent_back_from", one.begun.sent_back_from).member("send_back_reason", one.begun.send_back_reason);
    if (one.begun.opportunities) {
      json.member("sent_back_by", one.begun.sent_back_by.value_or(""));
      write_list(json, "opportunities", *one.begun.opportunities);
    }
    if (one.checkpoint) {
      json.key("quality_flags").raw(one.checkpoint->quality_flags.text());
    }
    if (one.warnings != nullptr) {
      json.key("warnings").value(*one.warnings);
    }
    json.end_object();
  }
  json.end_array();
}

void write_boundaries(json::Writer& json, const Seen& seen) {
  json.key("boundaries").begin_array();
  for (const Crossing& one : seen.crossings) {
    const auto first = one.cycles.empty() ? run::CycleNote{} : json::record_of<run::CycleNote>(*one.cycles.front());
    json.begin_object().member("boundary", one.note ? one.note->boundary : first.boundary);
    json.member("agent", one.note ? one.note->agent : first.agent);
    json.member("producer", one.note ? one.note->producer : first.producer).member_uint("attempt", one.attempt);
    if (one.note) {
      json.member_uint("produced", one.note->produced).member_uint("accepted", one.note->accepted);
      json.member_uint("warned", one.note->warned).member_uint("failed", one.note->failed);
      json.member_uint("unverified", one.note->unverified);
      json.member_uint("validation_rejections", one.note->validation_rejections);
      json.member_uint("validation_retries", one.note->validation_retries);
    }
    json.key("cycles").begin_array();
    for (const Value* cycle : one.cycles) {
      json.value(*cycle);
    }
    json.end_array().end_object();
  }
  json.end_array();
}

void write_opportunity(json::Writer& json, const Seen& seen, const Chain& chain, const Ranking* ranking,
                       std::size_t idx) {
  json.begin_object().member_uint("idx", idx).member("opportunity_id", chain.id);
  if (ranking != nullptr) {
    json.member_uint("rank", idx + 1).member("rationale", ranking->rationale);
    write_list(json, "flags", ranking->flags);
    write_list(json, "dependencies", ranking->dependencies);
  }
  json.member("stage", stage_name(ranking != nullptr ? Stage::prioritization : chain.stage));
  if (!chain.left_out.empty()) {
    json.member("left_out", chain.left_out);
  }
  chain.write_shown(json);
  const auto decided = std::find_if(seen.decisions.begin(), seen.decisions.end(), [&](const run::Data& one) {
    return one.as<ReviewSignal>().opportunity_id == chain.id;
  });
  json.key("decision").raw(decided == seen.decisions.end() ? "null" : decided->text()).end_object();
}

void write_opportunities(json::Writer& json, const Seen& seen) {
  std::vector<std::string> order = seen.order;
  if (order.empty()) {
    for (const Ranking& one : seen.rankings) {
      order.push_back(one.opportunity_id);
    }
  }
  std::size_t idx = 0;
  json.key("opportunities").begin_array();
  for (const std::string& id : order) {
    const auto chain =
        std::find_if(seen.chains.begin(), seen.chains.end(), [&](const Chain& one) { return one.id == id; });
    const auto ranking = std::find_if(seen.rankings.begin(), seen.rankings.end(),
                                      [&](const Ranking& one) { return one.opportunity_id == id; });
    if (chain != seen.chains.end()) {
      write_opportunity(json, seen, *chain, ranking == seen.rankings.end() ? nullptr : &*ranking, idx++);
    }
  }
  for (const Chain& chain : seen.chains) {
    if (std::find(order.begin(), order.end(), chain.id) == order.end()) {
      write_opportunity(json, seen, chain, nullptr, idx++);
    }
  }
  json.end_array().key("left_out").begin_array();
  for (const Chain& chain : seen.chains) {
    if (!chain.left_out.empty()) {
      json.begin_object().member("stage", stage_name(chain.stage)).member("id", chain.id);
      json.member("why", chain.left_out).end_object();
    }
  }
  json.end_array();
}

// Calls that failed, and what still stands on that.
void write_failed(json::Writer& json, const Seen& seen) {
  std::vector<FailedCall> all = failed_calls(seen.exploring, {}, {});
  for (const std::vector<FailedCall>& more :
       {failed_calls(seen.framing, seen.chains, {}), failed_calls(seen.ranking, {}, {})}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  write_list(json, "failures", all);
}

std::uint64_t progress_of(const Seen& seen) {
  if (seen.end != nullptr) {
    return 100;
  }
  return seen.stages.empty() ? 0 : static_cast<std::uint64_t>(seen.stages.back().begun.stage) * 18;
}

}  // namespace

std::string view(const run::Journal& journal) {
  const Seen seen = see(journal);
  const Value& begun = journal.begin().data.value();
  const Value* input = begun.find("input");
  std::string out;
  json::Writer json(out);
  json.begin_object().member("run_id", text_of(begun, "run")).member_uint("entries", journal.entries().size());
  json.member("status", status_name(status_of(journal, seen)));
  if (!seen.stages.empty()) {
    json.member("current_stage", stage_name(seen.stages.back().begun.stage));
  }
  json.member_uint("progress", progress_of(seen)).member_uint("tokens_used", seen.tokens);
  json.key("config").begin_object();
  if (input != nullptr) {
    const auto read = json::record_of<Input>(*input);
    json.member("target_domain", read.target_domain);
    json.member_uint("time_window_days", read.time_window_days).key("sources").begin_array();
    const Value* sources = input->find("sources");
    for (const json::Member& one : sources == nullptr ? std::span<const json::Member>() : sources->object()) {
      json.string(one.key);
    }
    json.end_array().member_boolean("review", read.review);
  }
  json.end_object();
  if (seen.reentry) {
    json.member("parent_run_id", seen.reentry->parent_run_id);
    json.key("experiment_results").raw(seen.reentry->results.text());
  }
  write_stages(json, seen);
  for (const std::string_view name : {"coverage", "findings", "evidence"}) {
    if (seen.explored != nullptr && seen.explored->find(name) != nullptr) {
      json.key(name).value(*seen.explored->find(name));
    }
  }
  write_failed(json, seen);
  write_boundaries(json, seen);
  write_opportunities(json, seen);
  if (const std::string watched = monitored_json(journal); !watched.empty()) {
    json.key("budget").raw(watched);
  }
  json.key("signals").begin_array();
  for (const auto& [at, one] : seen.reviews) {
    json.begin_object().member("at", run::iso_time(at)).member_boolean("accepted", one.accepted);
    json.member("kind", one.kind).member("opportunity_id", one.opportunity_id).member("by", one.by);
    json.member("why", one.why).member("request", one.request);
    if (const Reason reason = run::reason_of(one.reason, one.why); !one.accepted && reason != Reason::none) {
      json.member("reason", reason_name(reason));
    }
    json.end_object();
  }
  json.end_array();
  if (seen.end != nullptr && seen.end->status == run::Status::ok) {
    json.key("result").raw(seen.end->data.text());
  } else if (seen.end != nullptr) {
    json.member("error", seen.end->error);
  }
  json.end_object();
  return out;
}

}  // namespace plumb::pipelines::discovery
