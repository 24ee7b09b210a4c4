// Repairs: one failing part at a time is written again as JSON, whole, by the model that wrote it. What it is told: the
// best version so far, what is wrong with it, what has been delivered, and the contract. It answers without tools.
//
// A repaired part that has partly been released is put together with what was released, and judged as that whole.
#include <algorithm>
#include <array>
#include <utility>

#include "core/contract/render.hpp"
#include "core/derive/derive.hpp"
#include "core/guard/guard_state.hpp"
#include "core/guard/splice.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/prompt.hpp"
#include "core/repair/progress.hpp"
#include "core/text/steps.hpp"
#include "core/text/tokens.hpp"

namespace plumb::guard {

namespace {

constexpr std::size_t artifact_bytes_max = std::size_t{1} << 20;  // of an artifact in a prompt

// Members of a client's body that ask for something else than one text.
constexpr std::array<std::string_view, 9> not_repeated = {"n",     "logprobs", "top_logprobs", "prediction",    "audio",
                                                          "store", "metadata", "modalities",   "stream_options"};

pipelines::Prompt repair_prompt(const GuardOptions& options) {
  if (options.prompt != nullptr) {
    return *options.prompt;
  }
  const pipelines::BuiltInPrompt* const built_in = pipelines::built_in_prompt("guard-repair");
  PLUMB_REQUIRE(built_in != nullptr, "the repair's prompt is built in");
  Result<pipelines::Prompt> prompt = pipelines::read_prompt("guard-repair", built_in->text, "prompts/guard-repair.md",
                                                            pipelines::prompt_variables("guard-repair"));
  return std::move(prompt).value();
}

std::string shape_of(const contract::Contract& contract) {
  const Result<derive::Derived> derived = derive::derive(contract, derive::Target::prompt);
  return derived ? derived.value().text : contract.text();
}

void member(json::Writer& json, std::string_view name, std::string_view text) {
  if (!text.empty()) {
    json.member(name, text);
  }
}

bool uses_tools(const wire::ModelRequest& request) {
  return std::any_of(request.messages.begin(), request.messages.end(), [](const wire::Message& message) {
    return !message.calls.empty() || message.role == wire::Role::tool;
  });
}

repair::Standing standing_of(const Version& version) {
  return {version.structural_errors() - version.issues, version.judged, version.issues};
}

}  // namespace

bool Guard::State::may_repair(const Slot& slot) {
  if (slot.part == nullptr) {
    outcome.note = slot.reason;
    return false;
  }
  if (slot.best.verdict.valid || (options.steps != nullptr && options.steps->spent())) {
    outcome.note = "no repair can decide what could not be decided";
    return false;
  }
  if (slot.best.judged && !slot.released.empty()) {
    outcome.note = "what has been delivered is not taken back for what the judge said";
    return false;
  }
  if (outcome.attempts >= options.attempts_max) {
    return false;
  }
  const std::uint64_t artifact = text::estimate_tokens(slot.best.text).likely;
  const std::uint64_t next = options.input_tokens + 2 * artifact;
  if (options.tokens_max != 0 && outcome.tokens_spent + next > options.tokens_max) {
    outcome.note = "another repair would exceed tokens_max";
    return false;
  }
  return true;
}

void Guard::State::make_repair_part() {
  const Slot& slot = *slots[repairing];
  PartWays ways;
  ways.mends = true;
  ways.stops = options.early_stop && !whole_answers && slot.released.empty() && options.on_error == OnError::fail;
  ways.watches = !whole_answers;
  repair = std::make_unique<Part>(*slot.rules->contract, options, ways);
}

void Guard::State::begin_repair(std::size_t slot, GuardStep& step) {
  repairing = slot;
  phase = Phase::repair;
  ++outcome.attempts;
  make_repair_part();
  repair_written.clear();
  step.want = Want::repair;
}

void Guard::State::conclude_repair(GuardStep& step) {
  phase = Phase::answer;
  Slot& slot = *slots[repairing];
  std::string none;
  Version version = repair->end(none);
  refused.clear();
  unchanged = false;
  if (!slot.released.empty()) {
    const std::vector<contract::Edit> edits = std::move(version.verdict.edits);
    const Result<std::string> whole = continued(slot.released, version.text);
    if (!whole) {
      refused = whole.error().where.empty() ? "it is no JSON" : whole.error().where + ": " + whole.error().message;
      advance(step);
      return;
    }
    version = judged(*slot.rules->contract, check_options(options), whole.value(), slot.released.size());
    version.verdict.edits = edits;
  }
  if (version.text == slot.best.text && !(version.good() && !slot.best.judged)) {
    unchanged = true;
  } else if (version.good()) {
    if (slot.best.judged) {
      slot.before = std::move(slot.best);
    }
    slot.best = std::move(version);
    slot.state = Slot::State::good;
    slot.asked = false;
  } else if (repair::is_better(standing_of(version), standing_of(slot.best))) {
    slot.best = std::move(version);
  }
  advance(step);
}

wire::ModelRequest Guard::State::request(const wire::ModelRequest& original) const {
  const Slot& slot = *slots[repairing];
  const contract::Contract& contract = *slot.rules->contract;
  std::string what = "Your answer";
  if (slot.call) {
    what = "The arguments of your call of " + slot.name + "()";
  }
  std::string given;
  json::Writer json(given);
  json.begin_object().member("data_rule", pipelines::data_rule()).member("what", what);
  const std::string_view artifact = std::string_view(slot.best.text).substr(0, artifact_bytes_max);
  json.member("artifact", pipelines::fenced("artifact", artifact.empty() ? "(nothing)" : artifact));
  member(json, "stopped", slot.best.whole || outcome.stopped.empty() ? "" : outcome.stopped.back().why);
  member(json, "delivered", pipelines::fenced("delivered", slot.released));
  json.member("feedback",
              pipelines::fenced("violations", contract::render_llm(slot.best.verdict, "", "", slot.best.text)));
  member(json, "refused", refused);
  member(json, "unchanged", unchanged ? "yes" : "");
  json.member("shape", pipelines::fenced("contract", shape_of(contract))).end_object();
  json::Arena arena;
  const json::Value variables = json::parse(given, arena).value();

  const pipelines::Prompt prompt = repair_prompt(options);
  wire::ModelRequest out = original;
  out.phase = "repair";
  for (const pipelines::Prompt::Message& message : prompt.messages) {
    wire::Role role = wire::Role::user;
    if (message.role != "user") {
      role = message.role == "system" ? wire::Role::system : wire::Role::assistant;
    }
    const bool first = role == wire::Role::system;
    wire::Message one = wire::text_message(role, message.text.render(variables));
    out.messages.insert(first ? out.messages.begin() : out.messages.end(), std::move(one));
  }
  if (uses_tools(original)) {
    out.tool_choice = wire::ToolChoice::none;
  } else {
    out.tools.clear();
    out.tool_choice = wire::ToolChoice::automatic;
  }
  out.tool_choice_name.clear();
  if (slot.call) {
    out.format = {};
  }
  out.stop.clear();
  // Some models take no temperature: it is sent only if the client sends one.
  if (!original.temperature.empty() && !prompt.temperature.empty()) {
    out.temperature = prompt.temperature;
  }
  out.extra.erase(std::remove_if(out.extra.begin(), out.extra.end(),
                                 [](const wire::ExtraMember& extra) {
                                   return std::find(not_repeated.begin(), not_repeated.end(), extra.name) !=
                                          not_repeated.end();
                                 }),
                  out.extra.end());
  return out;
}

}  // namespace plumb::guard
