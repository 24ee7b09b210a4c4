// What is shown of a discovery run: a projection of its notes. docs/discovery.md has its form.

#include <algorithm>

#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/call_monitor.hpp"
#include "core/pipelines/discovery/discovery.hpp"
#include "core/pipelines/discovery/failed_calls.hpp"
#include "core/pipelines/discovery/members.hpp"
#include "core/pipelines/discovery/stages.hpp"
#include "core/pipelines/discovery/worst_case.hpp"
#include "core/run/journal.hpp"
#include "core/run/stamp.hpp"

namespace plumb::pipelines::discovery {

namespace {

using json::Value;
using run::Entry;
using run::EntryKind;

struct StageSeen {
  const Value* begun = nullptr;
  const Value* checkpoint = nullptr;
  std::uint64_t from_ms = 0, to_ms = 0;
  std::uint64_t calls = 0;
};

struct Crossing {
  const Value* note = nullptr;
  std::vector<const Value*> cycles;
  std::uint64_t attempt = 0;
};

// What the notes of a journal say, the last word of each.
struct Seen {
  std::vector<StageSeen> stages;
  std::vector<Crossing> crossings;
  const Value* explored = nullptr;
  const Value* chains = nullptr;
  const Value* rankings = nullptr;
  const Value* reentry = nullptr;
  const Value* framed = nullptr;    // the last checkpoint of the stage
  const Value* ranked = nullptr;    // the same
  const Value* reviewed = nullptr;  // the last one that was accepted
  const Value* order = nullptr;     // as people have it
  std::vector<std::pair<std::uint64_t, const Value*>> reviews;
  const Entry* end = nullptr;
  std::uint64_t tokens = 0;
};

void see_note(Seen& out, const Entry& entry) {
  const Value& value = entry.data.value();
  if (entry.name == "stage") {
    out.stages.push_back({&value, nullptr, entry.at_ms, 0, 0});
    if (const Value* order = value.find("order")) {
      out.order = order;
    }
  } else if (entry.name == "checkpoint" && !out.stages.empty()) {
    out.stages.back().checkpoint = &value;
    out.stages.back().to_ms = entry.at_ms;
    const std::string_view stage = text_of(value, "stage");
    if (stage == stage_name(Stage::exploration)) {
      out.explored = &value;
    } else if (stage == stage_name(Stage::prioritization)) {
      out.ranked = &value;
      out.rankings = value.find("rankings");
      out.order = nullptr;
    } else {
      out.framed = stage == stage_name(Stage::opportunity_framing) ? &value : out.framed;
      out.chains = value.find("opportunities");
    }
  } else if (entry.name == "reentry") {
    const Value& state = *value.find("state");
    out.reentry = &value;
    out.explored = state.find("explored");
    out.chains = state.find("opportunities");
  } else if (entry.name == "INPUT_VALIDATION") {
    if (number_of(value, "cycle") == 0) {
      const std::uint64_t attempt = out.stages.empty() ? 0 : number_of(*out.stages.back().begun, "attempt");
      out.crossings.push_back({nullptr, {}, attempt});
    }
    if (!out.crossings.empty()) {
      out.crossings.back().cycles.push_back(&value);
    }
  } else if (entry.name == "boundary") {
    if (number_of(value, "produced") == 0) {
      out.crossings.push_back({&value, {}, 0});
    } else if (!out.crossings.empty()) {
      out.crossings.back().note = &value;
    }
  } else if (entry.name == "review") {
    out.reviews.emplace_back(entry.at_ms, &value);
    if (flag_of(value, "accepted")) {
      out.reviewed = &value;
      out.order = value.find("order");
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
    } else if (entry.kind == EntryKind::reply && !entry.data.is_null()) {
      if (const Value* usage = entry.data.value().find("usage")) {
        out.tokens += number_of(*usage, "input_tokens") + number_of(*usage, "output_tokens");
      }
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

void write_stages(json::Writer& json, const Seen& seen) {
  json.key("stages").begin_array();
  for (std::size_t i = 0; i < seen.stages.size(); ++i) {
    const StageSeen& one = seen.stages[i];
    const bool last = i + 1 == seen.stages.size();
    const bool is_review = text_of(*one.begun, "stage") == stage_name(Stage::human_review);
    StageStatus status = one.checkpoint != nullptr ? StageStatus::completed : StageStatus::in_progress;
    if (is_review) {
      status = !last ? StageStatus::sent_back : seen.end == nullptr ? StageStatus::in_progress : StageStatus::completed;
    }
    if (last && one.checkpoint == nullptr && seen.end != nullptr && seen.end->status != run::Status::ok) {
      status = StageStatus::failed;
    }
    if (one.checkpoint != nullptr && flag_of(*one.checkpoint, "failed")) {
      status = StageStatus::failed;
    }
    const bool sent_back =
        !last && !is_review && text_of(*seen.stages[i + 1].begun, "sent_back_from") == text_of(*one.begun, "stage");
    status = sent_back ? StageStatus::sent_back : status;
    json.begin_object().member("stage", text_of(*one.begun, "stage"));
    json.member_uint("attempt", number_of(*one.begun, "attempt")).member("status", status_name(status));
    json.member("started_at", run::iso_time(one.from_ms));
    if (one.to_ms > 0) {
      json.member("finished_at", run::iso_time(one.to_ms));
    }
    json.member_uint("calls", one.calls);
    if (one.checkpoint != nullptr) {
      json.member_uint("calls_max", stage_calls_max(*one.checkpoint));
    }
    json.member("sent_back_from", text_of(*one.begun, "sent_back_from"));
    json.member("send_back_reason", text_of(*one.begun, "send_back_reason"));
    if (const Value* about = one.begun->find("opportunities")) {
      json.member("sent_back_by", text_of(*one.begun, "sent_back_by")).key("opportunities").value(*about);
    }
    if (one.checkpoint != nullptr) {
      json.key("quality_flags").value(*one.checkpoint->find("quality_flags"));
      if (const Value* warnings = one.checkpoint->find("warnings")) {
        json.key("warnings").value(*warnings);
      }
    }
    json.end_object();
  }
  json.end_array();
}

void write_boundaries(json::Writer& json, const Seen& seen) {
  json.key("boundaries").begin_array();
  for (const Crossing& one : seen.crossings) {
    const Value* about = one.note != nullptr ? one.note : one.cycles.empty() ? nullptr : one.cycles.front();
    if (about == nullptr) {
      continue;
    }
    json.begin_object();
    for (const std::string_view name : {"boundary", "agent", "producer"}) {
      json.member(name, text_of(*about, name));
    }
    json.member_uint("attempt", one.attempt);
    if (one.note != nullptr) {
      for (const std::string_view name :
           {"produced", "accepted", "warned", "failed", "unverified", "validation_rejections", "validation_retries"}) {
        json.member_uint(name, number_of(*one.note, name));
      }
    }
    json.key("cycles").begin_array();
    for (const Value* cycle : one.cycles) {
      json.value(*cycle);
    }
    json.end_array().end_object();
  }
  json.end_array();
}

const Value* with_id(std::span<const Value> list, std::string_view id) {
  for (const Value& one : list) {
    if (text_of(one, "opportunity_id") == id) {
      return &one;
    }
  }
  return nullptr;
}

void write_opportunity(json::Writer& json, const Value& chain, const Value* ranking, std::size_t idx,
                       std::uint64_t rank, const Value* decision) {
  json.begin_object().member_uint("idx", idx).member("opportunity_id", text_of(chain, "opportunity_id"));
  if (ranking != nullptr) {
    json.member_uint("rank", rank).member("rationale", text_of(*ranking, "rationale"));
    json.key("flags").value(*ranking->find("flags")).key("dependencies").value(*ranking->find("dependencies"));
  }
  json.member("stage", ranking != nullptr ? stage_name(Stage::prioritization) : text_of(chain, "stage"));
  if (const std::string_view why = text_of(chain, "left_out"); !why.empty()) {
    json.member("left_out", why);
  }
  for (const std::string_view name : {"unverified", "warnings", "revised_from", "failures", "brief", "solution", "spec",
                                      "infeasible", "conversation"}) {
    if (const Value* part = chain.find(name)) {
      json.key(name).value(*part);
    }
  }
  json.key("decision");
  decision == nullptr ? json.null() : json.value(*decision);
  json.end_object();
}

void write_opportunities(json::Writer& json, const Seen& seen) {
  const std::span<const Value> chains = seen.chains == nullptr ? std::span<const Value>() : seen.chains->array();
  const std::span<const Value> rankings = seen.rankings == nullptr ? std::span<const Value>() : seen.rankings->array();
  std::vector<std::string> order;
  for (const Value& one : seen.order == nullptr ? std::span<const Value>() : seen.order->array()) {
    order.emplace_back(one.str());
  }
  if (order.empty()) {
    for (const Value& one : rankings) {
      order.emplace_back(text_of(one, "opportunity_id"));
    }
  }
  const std::span<const Value> decisions =
      seen.reviewed == nullptr ? std::span<const Value>() : list_of(*seen.reviewed, "decisions");
  std::size_t idx = 0;
  json.key("opportunities").begin_array();
  for (const std::string& id : order) {
    if (const Value* chain = with_id(chains, id)) {
      write_opportunity(json, *chain, with_id(rankings, id), idx, idx + 1, with_id(decisions, id));
      ++idx;
    }
  }
  for (const Value& chain : chains) {
    const std::string_view id = text_of(chain, "opportunity_id");
    if (std::find(order.begin(), order.end(), id) == order.end()) {
      write_opportunity(json, chain, nullptr, idx++, 0, with_id(decisions, id));
    }
  }
  json.end_array().key("left_out").begin_array();
  for (const Value& chain : chains) {
    if (const std::string_view why = text_of(chain, "left_out"); !why.empty()) {
      json.begin_object().member("stage", text_of(chain, "stage")).member("id", text_of(chain, "opportunity_id"));
      json.member("why", why).end_object();
    }
  }
  json.end_array();
}

// Calls that failed, and what still stands on that.
void write_failed(json::Writer& json, const Seen& seen) {
  json.key("failures").begin_array();
  std::vector<FailedCall> all = failed_calls(seen.explored, {}, "");
  const std::span<const Value> chains = seen.chains == nullptr ? std::span<const Value>() : seen.chains->array();
  for (const std::vector<FailedCall>& more :
       {failed_calls(seen.framed, chains, ""), failed_calls(seen.ranked, {}, "")}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  for (const FailedCall& one : all) {
    json.begin_object().member("stage", one.stage).member("agent", one.agent).member("why", one.why);
    json.key("opportunities").begin_array();
    for (const std::string_view id : one.opportunities) {
      json.string(id);
    }
    json.end_array().end_object();
  }
  json.end_array();
}

std::uint64_t progress_of(const Seen& seen) {
  if (seen.end != nullptr) {
    return 100;
  }
  std::uint64_t done = 0;
  if (!seen.stages.empty()) {
    const std::string_view stage = text_of(*seen.stages.back().begun, "stage");
    for (std::size_t i = 0; i < stage_names.size(); ++i) {
      done = stage_names[i] == stage ? i * 18 : done;
    }
  }
  return done;
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
    json.member("current_stage", text_of(*seen.stages.back().begun, "stage"));
  }
  json.member_uint("progress", progress_of(seen)).member_uint("tokens_used", seen.tokens);
  json.key("config").begin_object();
  if (input != nullptr) {
    json.member("target_domain", text_of(*input, "target_domain"));
    json.member_uint("time_window_days", number_of(*input, "time_window_days")).key("sources").begin_array();
    const Value* sources = input->find("sources");
    for (const json::Member& one : sources == nullptr ? std::span<const json::Member>() : sources->object()) {
      json.string(one.key);
    }
    json.end_array().member_boolean("review", flag_of(*input, "review"));
  }
  json.end_object();
  if (seen.reentry != nullptr) {
    json.member("parent_run_id", text_of(*seen.reentry, "parent_run_id"));
    json.key("experiment_results").value(*seen.reentry->find("results"));
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
    json.begin_object().member("at", run::iso_time(at)).member_boolean("accepted", flag_of(*one, "accepted"));
    for (const std::string_view name : {"kind", "opportunity_id", "by", "why", "request"}) {
      json.member(name, text_of(*one, name));
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
