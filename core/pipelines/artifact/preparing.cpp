// What the preparations of this folder share.

#include "core/pipelines/artifact/preparing.hpp"

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/sha256.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/preparation.hpp"

namespace plumb::pipelines::artifact {

namespace {

using json::Kind;
using json::text_of;
using json::Value;

constexpr std::uint64_t limit_ms_max = 24ULL * 3600 * 1000;

std::string no_such_type(std::string_view type, std::string_view what) {
  std::string names;
  for (const BuiltInPrompt& one : built_in_prompts()) {
    if (one.name.starts_with("artifact-plan-")) {
      names += (names.empty() ? "" : ", ") + std::string(one.name.substr(14));
    }
  }
  return "there is no " + std::string(what) + " for artifacts of type '" + json::excerpt(type, 60) +
         "'; built in are " + names;
}

// A prompt that names options names some that there are: a plan's its own, a general one's those of the built-in types
// too.
Result<bool> names_options(const Prompt& prompt, const Texts& texts, const std::string& name, bool general,
                           const std::string& options) {
  std::vector<std::string> texts_of_options = {options};
  for (const BuiltInPrompt& one : built_in_prompts()) {
    if (general && one.name.starts_with("artifact-plan-")) {
      const Result<Prompt> read = read_prompt(one.name, one.text, one.name, {});
      texts_of_options.push_back(read ? read.value().options : std::string());
    }
  }
  json::Arena arena;
  std::vector<std::string_view> names;
  for (const std::string& text : texts_of_options) {
    const Result<Value> known = json::parse(text.empty() ? "{}" : text, arena);
    for (const json::Member& member : known.value().object()) {
      names.push_back(member.key);
    }
  }
  return check_option_names(prompt, texts.prompt_file ? texts.prompt_file(name) : name, names);
}

}  // namespace

Result<std::uint64_t> number(const Value& request, std::string_view key, std::string where, std::uint64_t otherwise,
                             std::uint64_t max) {
  const Value* found = request.find(key);
  if (found == nullptr || found->is(Kind::null)) {
    return otherwise;
  }
  std::uint64_t out = 0;
  if (!found->is(Kind::number) || !json::read_uint(found->str(), out) || out == 0 || out > max) {
    return wrong_request("`" + std::string(key) + "` is a whole number from 1 to " + json::uint_text(max),
                         std::move(where));
  }
  return out;
}

Result<std::vector<extract::Chunk>> source_of(const Value& request) {
  const Value* content = request.find("content");
  const Value* chunks = request.find("chunks");
  if (const Value* snapshot = request.find("retrieval_snapshot"); chunks == nullptr && snapshot != nullptr) {
    chunks = snapshot->find("chunks");
  }
  if (chunks != nullptr && chunks->is(Kind::array)) {
    Result<std::vector<extract::Chunk>> read = extract::read_chunks(*chunks);
    if (!read) {
      return wrong_request(read.error().message, "/chunks");
    }
    return read;
  }
  if (content == nullptr || !content->is(Kind::string)) {
    return wrong_request("the source is missing: give `content`, a text, or `chunks`, a list of passages", "/content");
  }
  Result<std::vector<extract::Chunk>> read = extract::chunks(content->str());
  if (!read) {
    return wrong_request(read.error().message, "/content");
  }
  return read;
}

// The limits of each phase: those of the request, else those of the host, else the usual ones.
Result<bool> write_limits(json::Writer& json, const Value& request, const Texts& texts) {
  const Value* limits = request.find("limits_ms");
  const bool given = limits != nullptr && !limits->is(Kind::null);
  if (given) {
    if (const Result<bool> known = only_members(*limits, phase_names, "/limits_ms", "phase"); !known) {
      return known.error();
    }
  }
  json.key("call_limits").begin_object();
  for (std::size_t i = 0; i < phase_names.size(); ++i) {
    CallLimits usual = phase_limits[i];
    for (const PhaseLimits& one : texts.limits) {
      if (one.phase == phase_names[i]) {
        usual = {one.idle_ms > 0 ? one.idle_ms : usual.idle_ms, one.total_ms > 0 ? one.total_ms : usual.total_ms};
      }
    }
    const Value* own = given ? limits->find(phase_names[i]) : nullptr;
    const std::string where = "/limits_ms/" + std::string(phase_names[i]);
    const bool by_parts = own != nullptr && own->is(Kind::object);
    static constexpr std::array<std::string_view, 2> parts = {"idle", "total"};
    if (const Result<bool> known = by_parts ? only_members(*own, parts, where) : Result<bool>(true); !known) {
      return known.error();
    }
    const Result<std::uint64_t> total =
        by_parts ? number(*own, "total", where + "/total", usual.total_ms, limit_ms_max)
                 : number(given ? *limits : Value{}, phase_names[i], where, usual.total_ms, limit_ms_max);
    const Result<std::uint64_t> idle = by_parts ? number(*own, "idle", where + "/idle", usual.idle_ms, limit_ms_max)
                                                : Result<std::uint64_t>(usual.idle_ms);
    if (!total || !idle) {
      return total ? idle.error() : total.error();
    }
    json.key(phase_names[i]).begin_object().member_uint("idle_ms", idle.value());
    json.member_uint("total_ms", total.value()).end_object();
  }
  json.end_object();
  return true;
}

// The prompts of all phases, the type's own or the general ones. The value: that of the plan, which names the options.
Result<Prompt> pin_prompts(const Texts& texts, std::string_view type, run::Pins& pins) {
  static constexpr std::array<std::string_view, 5> prompts = {"plan", "generate", "judge", "repair", "patch"};
  Prompt plan_prompt;
  for (const std::string_view which : prompts) {
    std::string name = "artifact-" + std::string(which) + "-" + std::string(type);
    const bool own = which != "generate" && which != "repair";
    const auto pin = [&] {
      return pin_prompt_as(pins, texts, name, which, own ? PromptAnswer::must : PromptAnswer::may);
    };
    Result<Prompt> prompt = pin();
    if (!prompt && prompt.error().code == ErrorCode::not_found && which != "plan") {
      name = "artifact-" + std::string(which);
      prompt = pin();
    }
    if (!prompt) {
      return prompt.error().code == ErrorCode::not_found
                 ? wrong_request(no_such_type(type, "prompt '" + name + "'"), "/artifact_type")
                 : prompt.error();
    }
    const std::string& options = which == "plan" ? prompt.value().options : plan_prompt.options;
    if (const Result<bool> named = names_options(prompt.value(), texts, name, which != "plan", options); !named) {
      return named.error();
    }
    if (which == "plan") {
      plan_prompt = std::move(prompt).value();
      if (!plan_prompt.planned.there() || !plan_prompt.made.there()) {
        return wrong_request("the prompt needs `planned` and `made`: what is counted in the plan and in the artifact",
                             name);
      }
    }
  }
  return plan_prompt;
}

// The provider of each phase that has one of its own, as JSON.
std::string chosen_providers(const Value& request, const Texts& texts) {
  std::string chosen;
  json::Writer who(chosen);
  who.begin_object();
  const Value* providers = request.find("providers");
  for (const std::string_view phase : phase_names) {
    std::string_view name = providers == nullptr ? std::string_view() : text_of(*providers, phase);
    for (const auto& [known, provider] : texts.providers) {
      name = known == phase ? std::string_view(provider) : name;
    }
    if (!name.empty()) {
      who.member(phase, name);
    }
  }
  who.end_object();
  return chosen;
}

Result<contract::Contract> pin_contract_of(const Texts& texts, std::string_view type, std::string where,
                                           run::Pins& pins) {
  const Result<std::string> text = contract_text(texts, type);
  if (!text) {
    return text.error().code == ErrorCode::not_found ? wrong_request(no_such_type(type, "contract"), std::move(where))
                                                     : text.error();
  }
  Result<contract::Contract> read = contract::Contract::read(text.value());
  if (read) {
    pins.emplace_back(std::string(pin_contract), run::Data::written(text.value()));
  }
  return read;
}

judge::JudgeKey judge_key(const Value& chosen, std::string_view type, const contract::Contract& contract,
                          const run::Pins& pins) {
  std::string asked;
  for (const auto& [name, text] : pins) {
    if (name == "prompt-judge" || name == pin_judge_contract) {
      asked += text.text();
    }
  }
  return {std::string(text_of(chosen, phase_names[static_cast<std::size_t>(Phase::judge)])), std::string(type),
          contract.hash(), "sha256:" + json::sha256_hex(asked), way_now};
}

JudgeStanding standing_of(const Texts& texts, const judge::JudgeKey& key) {
  JudgeStanding out{key.judge, {}, {}};
  if (key.judge.empty()) {
    return out;
  }
  out.measured = texts.measured ? texts.measured(key) : std::nullopt;
  out.distrust = judge::distrust(key.judge, out.measured ? &out.measured->tally : nullptr, texts.judge);
  return out;
}

}  // namespace plumb::pipelines::artifact
