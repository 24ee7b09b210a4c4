// A request becomes a run: everything it will use is read, checked and pinned here, so that nothing can fail later for
// a reason that was known before the first call.

#include <algorithm>

#include "core/contract/contract.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/sha256.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/artifact/job.hpp"
#include "core/pipelines/call_monitor.hpp"
#include "core/pipelines/preparation.hpp"
#include "core/text/tokens.hpp"

namespace plumb::pipelines::artifact {

namespace {

using json::Kind;
using json::Value;

constexpr std::uint64_t token_budget_max = 100'000'000;
constexpr std::uint64_t limit_ms_max = 24ULL * 3600 * 1000;
constexpr std::array<std::string_view, 14> members = {
    "artifact_type", "content",   "chunks",        "retrieval_snapshot", "options", "token_budget", "repair",
    "early_stop",    "limits_ms", "on_unverified", "providers",          "user_id", "notebook_id",  "source_ids"};

// The member, where it is there and one of these; an error otherwise.
Result<std::string_view> one_of(const Value& request, std::string_view key, std::span<const std::string_view> allowed) {
  const Value* found = request.find(key);
  if (found == nullptr || found->is(Kind::null)) {
    return allowed.front();
  }
  for (const std::string_view one : allowed) {
    if (found->is(Kind::string) && found->str() == one) {
      return one;
    }
  }
  std::string names;
  for (const std::string_view one : allowed) {
    names += (names.empty() ? "\"" : "\" or \"") + std::string(one);
  }
  return wrong_request("`" + std::string(key) + "` is " + names + "\"", "/" + std::string(key));
}

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

std::string no_such_type(std::string_view type, std::string_view what) {
  std::string names;
  for (const BuiltInPrompt& one : built_in_prompts()) {
    if (one.name.substr(0, 14) == "artifact-plan-") {
      names += (names.empty() ? "" : ", ") + std::string(one.name.substr(14));
    }
  }
  return "there is no " + std::string(what) + " for artifacts of type '" + json::excerpt(type, 60) +
         "'; built in are " + names;
}

// The options that a request gives are such that the plan prompt knows.
Result<bool> check_options(const Value* given, const Prompt& plan_prompt) {
  if (given == nullptr || given->is(Kind::null)) {
    return true;
  }
  if (!given->is(Kind::object)) {
    return wrong_request("`options` is an object", "/options");
  }
  json::Arena arena;
  const Result<Value> known = json::parse(plan_prompt.options.empty() ? "{}" : plan_prompt.options, arena);
  std::vector<std::string_view> names;
  for (const json::Member& member : known.value().object()) {
    names.push_back(member.key);
  }
  for (const json::Member& member : given->object()) {
    const Value* usual = known.value().find(member.key);
    const std::string where = "/options/" + std::string(member.key);
    if (usual == nullptr) {
      return wrong_request(
          "there is no option '" + json::excerpt(member.key, 60) + "'" + did_you_mean(member.key, names), where);
    }
    if (usual->kind != member.value.kind) {
      return wrong_request(
          "the option '" + std::string(member.key) + "' is a " + std::string(json::kind_name(usual->kind)), where);
    }
    std::uint64_t count = 0;
    if (usual->is(Kind::number) &&
        (!json::read_uint(member.value.str(), count) || count == 0 || count > extract::chunks_max)) {
      return wrong_request("the option '" + std::string(member.key) + "' is a whole number from 1 on", where);
    }
  }
  return true;
}

}  // namespace

Result<Prepared> prepare(const Value& request, const Texts& texts) {
  if (const Result<bool> known = only_members(request, members); !known) {
    return known.error();
  }
  const std::string_view type = text_of(request, "artifact_type");
  if (type.empty()) {
    return wrong_request("`artifact_type` is missing: quiz, flashcards, mindmap, or a type of your own",
                         "/artifact_type");
  }
  const Result<std::string> contract = contract_text(texts, type);
  if (!contract) {
    return contract.error().code == ErrorCode::not_found
               ? wrong_request(no_such_type(type, "contract"), "/artifact_type")
               : contract.error();
  }
  const Result<contract::Contract> read_contract = contract::Contract::read(contract.value());
  if (!read_contract) {
    return read_contract.error();
  }

  Prepared out;
  out.pins.emplace_back(std::string(pin_contract), run::Data::written(contract.value()));
  static constexpr std::array<std::string_view, 5> prompts = {"plan", "generate", "judge", "repair", "patch"};
  Prompt plan_prompt;
  for (const std::string_view which : prompts) {
    std::string name = "artifact-" + std::string(which) + "-" + std::string(type);
    const bool own = which != "generate" && which != "repair";
    const auto pin = [&] {
      return pin_prompt_as(out.pins, texts, name, which, own ? PromptAnswer::must : PromptAnswer::may);
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
    if (which == "plan") {
      plan_prompt = std::move(prompt).value();
      if (!plan_prompt.planned.there() || !plan_prompt.made.there()) {
        return wrong_request("the prompt needs `planned` and `made`: what is counted in the plan and in the artifact",
                             name);
      }
    }
  }

  const Result<bool> options = check_options(request.find("options"), plan_prompt);
  if (!options) {
    return options.error();
  }
  const Result<std::vector<extract::Chunk>> chunks = source_of(request);
  if (!chunks) {
    return chunks.error();
  }
  const Result<std::uint64_t> budget =
      number(request, "token_budget", "/token_budget", token_budget_default, token_budget_max);
  static constexpr std::array<std::string_view, 2> repairs = {"whole", "patch"};
  static constexpr std::array<std::string_view, 2> stops = {"degenerate", "finding"};
  static constexpr std::array<std::string_view, 2> unverified = {"fail", "pass"};
  const Result<std::string_view> repair = one_of(request, "repair", repairs);
  const Result<std::string_view> stop = one_of(request, "early_stop", stops);
  const Result<std::string_view> pass = one_of(request, "on_unverified", unverified);
  for (const Error* error : {budget ? nullptr : &budget.error(), repair ? nullptr : &repair.error(),
                             stop ? nullptr : &stop.error(), pass ? nullptr : &pass.error()}) {
    if (error != nullptr) {
      return *error;
    }
  }

  std::string input;
  json::Writer json(input);
  json.begin_object().member("artifact_type", type);
  json.key("options");
  const Value* given = request.find("options");
  given == nullptr || given->is(Kind::null) ? json.raw("{}") : json.value(*given);
  json.member_uint("token_budget", budget.value()).member("repair", repair.value());
  json.member("early_stop", stop.value()).member("on_unverified", pass.value());
  json.key("limits_ms").begin_object();
  const Value* limits = request.find("limits_ms");
  for (const json::Member& member : limits == nullptr ? std::span<const json::Member>() : limits->object()) {
    if (std::find(phase_names.begin(), phase_names.end(), member.key) == phase_names.end()) {
      return wrong_request(
          "there is no phase '" + json::excerpt(member.key, 60) + "'" + did_you_mean(member.key, phase_names),
          "/limits_ms/" + std::string(member.key));
    }
  }
  for (std::size_t i = 0; i < phase_names.size(); ++i) {
    const Result<std::uint64_t> limit =
        number(limits == nullptr ? Value{} : *limits, phase_names[i], "/limits_ms/" + std::string(phase_names[i]),
               phase_limits_ms[i], limit_ms_max);
    if (!limit) {
      return limit.error();
    }
    json.member_uint(phase_names[i], limit.value());
  }
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
  json.end_object().key("providers").raw(chosen);
  if (const Result<bool> watched = write_monitor(json, run::Data::written(chosen).value(), texts); !watched) {
    return watched.error();
  }
  std::vector<std::string> sources;
  if (const Value* ids = request.find("source_ids"); ids != nullptr) {
    for (const Value& id : ids->array()) {
      sources.push_back(json::value_text(id));
    }
  }
  std::sort(sources.begin(), sources.end());
  for (const std::string_view key : {"user_id", "notebook_id"}) {
    if (const Value* id = request.find(key); id != nullptr && !id->is(Kind::null)) {
      json.key(key).value(*id);
    }
  }
  json.key("source_ids").begin_array();
  for (const std::string& id : sources) {
    json.raw(id);
  }
  json.end_array();
  // All that makes two requests the same stands in the input but for the prompts and the contract.
  json.key("chunks").raw(extract::chunks_json(chunks.value())).end_object();
  json::Sha256 hash;
  hash.update(input);
  for (const auto& [name, text] : out.pins) {
    hash.update(text.text());
  }
  out.fingerprint = hash.hex();
  out.input = run::Data::written(std::move(input));
  return out;
}

WorstCase worst_case(const Prepared& prepared) {
  const Job job = read_job(prepared.input);
  WorstCase out;
  out.budget = job.token_budget;
  // Source and answers are the large parts of every call; instructions and shape are counted from the pins.
  const std::uint64_t source = text::estimate_tokens(source_text(job, {})).safe;
  std::array<std::uint64_t, 4> tokens = {};
  std::array<std::uint64_t, 4> answers = {};
  for (const auto& [name, text] : prepared.pins) {
    for (std::size_t i = 0; i < phase_names.size(); ++i) {
      if (name == "prompt-" + std::string(phase_names[i])) {
        const Result<Prompt> prompt = read_prompt(name, text.value().str(), name, {});
        answers[i] = prompt ? prompt.value().output_tokens_max : 0;
        tokens[i] = text::estimate_tokens(text.value().str()).safe + source + answers[i];
      }
    }
  }
  const std::uint64_t artifact = answers[static_cast<std::size_t>(Phase::generate)];
  // One plan, one artifact, three judgements, two repairs; each again once where the world fails.
  const std::array<std::uint64_t, 4> times = {1, 1, 1 + repairs_max, repairs_max};
  for (std::size_t i = 0; i < phase_names.size(); ++i) {
    out.calls += times[i];
    const bool reads_artifact = i >= static_cast<std::size_t>(Phase::judge);
    out.tokens += job.free[i] ? 0 : times[i] * (tokens[i] + (reads_artifact ? artifact : 0));
  }
  out.budget = std::min(out.budget, out.tokens);
  return out;
}

}  // namespace plumb::pipelines::artifact
