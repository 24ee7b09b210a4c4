// What the parts of the discovery pipeline share: the job as its input says it, a model call whose answer is mended and
// checked, and what is left out on the way. Internal to this folder.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/writer.hpp"
#include "core/pipelines/boundary/contract_boundary.hpp"
#include "core/pipelines/discovery/members.hpp"
#include "core/pipelines/discovery/notes.hpp"
#include "core/pipelines/discovery/sources.hpp"
#include "core/pipelines/discovery/stages.hpp"
#include "core/pipelines/model_call.hpp"
#include "core/run/boundary.hpp"

namespace plumb::pipelines::discovery {

inline constexpr std::array<std::string_view, 7> phase_names = {"explore", "frame",    "design", "assess",
                                                                "rank",    "validate", "revise"};

struct Job {
  const Input& input;
  std::array<std::string, 4> roots;      // by kind; empty: not a source
  std::array<std::string, 7> providers;  // by phase

  // The phase's provider is no model: it works by rule.
  bool by_rule(std::string_view phase) const;
};
Job read_job(const run::Data& input);

// Why a stage is done again, and for what.
struct SentBack {
  struct About {
    std::string id, reason;
  };
  std::string from;  // a stage, or empty
  std::string reason;
  std::vector<About> about;  // opportunities; none: all
  std::string by;
  std::vector<std::string> fresh = {};  // findings that a second look has brought
  bool nothing = false;                 // it is about no opportunity any more: nothing is left to do

  // An opportunity, or a part of it ("O3.1" of "O3"), is meant.
  bool concerns(std::string_view id) const;
  // Why it is: its own reason, else that of all.
  std::string_view reason_for(std::string_view id) const;
  // What it is about and nothing else, for the stages behind the one that it was sent to.
  SentBack only_about() const;
};

// One model call of this pipeline. The prompt is discovery-NAME; its answer's contract is pinned with it.
struct Call {
  std::string_view phase;
  std::string_view name;  // "propose"
  std::function<void(json::Writer&)> variables;
  std::function<void(json::Writer&)> task = {};  // for the provider without a model
};
struct Answer {
  run::Data value;     // null where there is none
  std::string error;   // why there is none, or what is wrong with it
  bool valid = false;  // it keeps its contract
};
// Asks; once more where the world failed, and once with what is wrong where the answer does not keep its contract.
// Strings that came as objects are written as text; a value that is not in a list of words becomes the one that is
// meant, "medium" where there is such.
Answer ask(run::Run& run, const Job& job, const Call& call);

// `value` as `schema` wants it, as far as it is a matter of form.
std::string in_form(const json::Value& schema, const json::Value& value);

// The first thing that is wrong with an artifact under a pinned contract; empty: nothing.
std::string wrong_with(run::Run& run, std::string_view contract_pin, std::string_view context, const run::Data& value);

std::string object_text(const std::function<void(json::Writer&)>& members);
run::Data object(const std::function<void(json::Writer&)>& members);

// `order`: of the opportunities, as it stands when people look at them again.
void note_stage(run::Run& run, Stage stage, std::size_t attempt, const SentBack& sent_back,
                const std::vector<std::string>& order = {});
// The checkpoint at the end of a stage: what it has made.
template <json::Record T>
void note_checkpoint(run::Run& run, Stage stage, std::size_t attempt, std::string quality_flags, const T& made) {
  run.emit("checkpoint", object([&](json::Writer& json) {
             write_fields(json, CheckpointNote{stage, attempt, run::Data::written(std::move(quality_flags))});
             write_fields(json, made);
           }));
}

// The parties of the boundaries, as they are told to models.
Party party(std::string_view agent);

}  // namespace plumb::pipelines::discovery
