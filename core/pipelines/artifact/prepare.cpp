// A request becomes a run: everything it will use is read, checked and pinned here, so that nothing can fail later for
// a reason that was known before the first call.

#include <algorithm>

#include "core/contract/contract.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/artifact/counts.hpp"
#include "core/pipelines/artifact/job.hpp"
#include "core/pipelines/artifact/preparing.hpp"
#include "core/pipelines/artifact/source.hpp"
#include "core/pipelines/artifact/version.hpp"
#include "core/pipelines/call_monitor.hpp"
#include "core/pipelines/preparation.hpp"
#include "core/text/language.hpp"
#include "core/text/tokens.hpp"

namespace plumb::pipelines::artifact {

namespace {

using json::Kind;
using json::number_of;
using json::text_of;
using json::Value;

constexpr std::size_t language_bytes_max = 200'000;  // of a source, that tell its language
constexpr std::array<std::string_view, 16> members = {
    "artifact_type", "content",   "chunks",  "retrieval_snapshot", "options",   "token_budget", "repair",
    "early_stop",    "limits_ms", "salvage", "on_unverified",      "providers", "user_id",      "notebook_id",
    "source_ids",    "language"};

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
    const Bounds bounds = bounds_of(plan_prompt, member.key);
    if (usual->is(Kind::number) &&
        (!json::read_uint(member.value.str(), count) || count < bounds.min || count > bounds.max)) {
      return wrong_request("the option '" + std::string(member.key) + "' is a whole number from " +
                               json::uint_text(bounds.min) + " to " + json::uint_text(bounds.max),
                           where);
    }
  }
  return true;
}

// The numbers that the artifact is held to, written into its contract.
Result<Count> pin_counts(const Value& request, const Prompt& plan_prompt, run::Pins& pins) {
  Count count;
  if (const std::string& option = plan_prompt.made.option; !option.empty()) {
    const Value* given = request.find("options");
    count.exactly = given == nullptr ? 0 : number_of(*given, option, 0);
    json::Arena arena;
    const Result<Value> usual = json::parse(plan_prompt.options.empty() ? "{}" : plan_prompt.options, arena);
    count.most = count.exactly > 0 ? count.exactly : number_of(usual.value(), option, 0);
  }
  for (auto& [name, text] : pins) {
    if (name == pin_contract) {
      const Result<std::string> counted = counted_contract(text.text(), plan_prompt.made, count);
      if (!counted) {
        return wrong_request(counted.error().message, "/options/" + plan_prompt.made.option);
      }
      text = run::Data::written(counted.value());
    } else if (name == pin_plan_contract) {
      text = run::Data::written(counted_plan(text.text(), plan_prompt));
    }
  }
  return count;
}

// All but the count.
Result<Settings> read_settings(const Value& request, std::string_view type, std::uint64_t source_tokens) {
  const Result<std::uint64_t> budget =
      number(request, "token_budget", "/token_budget", usual_token_budget(source_tokens), token_budget_max);
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

  const Value* salvage = request.find("salvage");
  if (salvage != nullptr && !salvage->is(Kind::boolean) && !salvage->is(Kind::null)) {
    return wrong_request("`salvage` is true or false", "/salvage");
  }
  const Value* options = request.find("options");
  const bool given = options != nullptr && !options->is(Kind::null);
  return Settings{std::string(type),
                  way_now,
                  run::Data::written(given ? json::value_text(*options) : "{}"),
                  budget.value(),
                  std::string(repair.value()),
                  std::string(stop.value()),
                  std::string(pass.value()),
                  salvage != nullptr && salvage->boolean,
                  {},
                  {}};
}

// The language that is asked for, else the one that the source is evidently in; empty: any.
Result<std::string> language_in(const Value& request, const std::vector<extract::Chunk>& chunks) {
  const Value* given = request.find("language");
  if (given == nullptr || given->is(Kind::null)) {
    std::string all;
    for (std::size_t i = 0; i < chunks.size() && all.size() < language_bytes_max; ++i) {
      all += chunks[i].text + "\n";
    }
    return std::string(text::language_of(all));
  }
  std::string out = given->is(Kind::string) ? text::primary_language(given->str()) : std::string();
  if (out.empty()) {
    return wrong_request("`language` is a tag of BCP 47 such as \"de\" or \"fr\"" +
                             (given->is(Kind::string) ? ", not '" + json::excerpt(given->str(), 40) + "'" : ""),
                         "/language");
  }
  return out;
}

// Whose the artifact is, and of which sources, in whatever order they were named.
void write_ids(json::Writer& json, const Value& request) {
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
}

// How many rules of the contract a judge is asked.
std::uint64_t asked_count(const run::Pins& pins) {
  for (const auto& [name, text] : pins) {
    const Result<contract::Contract> contract = name == pin_contract
                                                    ? contract::Contract::read(json::value_text(text.value()))
                                                    : Result<contract::Contract>(Error{});
    if (contract) {
      return asked_rules(contract.value()).size();
    }
  }
  return 0;
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
  Prepared out;
  const Result<contract::Contract> contract = pin_contract_of(texts, type, "/artifact_type", out.pins);
  if (!contract) {
    return contract.error();
  }
  const Result<Prompt> plan_prompt = pin_prompts(texts, type, out.pins);
  if (!plan_prompt) {
    return plan_prompt.error();
  }
  const Result<bool> options = check_options(request.find("options"), plan_prompt.value());
  if (!options) {
    return options.error();
  }
  const Result<std::vector<extract::Chunk>> chunks = source_of(request);
  if (!chunks) {
    return chunks.error();
  }
  std::uint64_t source_tokens = 0;
  for (const extract::Chunk& chunk : chunks.value()) {
    source_tokens += text::estimate_tokens(chunk.text).safe;
  }
  Result<Settings> settings = read_settings(request, type, source_tokens);
  if (!settings) {
    return settings.error();
  }
  const Result<Count> count = pin_counts(request, plan_prompt.value(), out.pins);
  if (!count) {
    return count.error();
  }

  Result<std::string> language = language_in(request, chunks.value());
  if (!language) {
    return language.error();
  }
  settings.value().language = std::move(language).value();

  std::string input;
  json::Writer json(input);
  json.begin_object();
  settings.value().count = count.value();
  json::write_fields(json, settings.value());
  if (const Result<bool> limits = write_limits(json, request, texts); !limits) {
    return limits.error();
  }
  const std::string chosen = chosen_providers(request, texts);
  json.key("providers").raw(chosen);
  const JudgeStanding standing =
      standing_of(texts, judge_key(run::Data::written(chosen).value(), type, contract.value(), out.pins));
  if (standing.measured || !standing.distrust.empty()) {
    json.key("judged_by").raw(json::record_text(standing));
  }
  if (const Result<bool> watched = write_monitor(json, run::Data::written(chosen).value(), texts); !watched) {
    return watched.error();
  }
  write_ids(json, request);
  // All that makes two requests the same stands in the input but for the prompts and the contract.
  json.key("chunks").raw(extract::chunks_json(chunks.value())).end_object();
  out.fingerprint = fingerprint_of({}, input, out.pins);
  out.input = run::Data::written(std::move(input));
  return out;
}

std::uint64_t usual_token_budget(std::uint64_t source_tokens) {
  constexpr std::uint64_t times = 8;
  const std::uint64_t more = std::min(source_tokens, token_budget_usual_max / times) * times;
  return std::min(token_budget_base + more, token_budget_usual_max);
}

WorstCase worst_case(const Prepared& prepared) {
  const Job job = read_job(prepared.input);
  WorstCase out;
  out.budget = job.token_budget;
  // Source and answers are the large parts of every call; instructions and shape are counted from the pins.
  const std::uint64_t source = text::estimate_tokens(shown_source(job, Phase::generate, {}).text).safe;
  std::uint64_t parts = 1;
  std::uint64_t read = 0;
  std::array<std::uint64_t, 4> tokens = {};
  std::array<std::uint64_t, 4> answers = {};
  for (const auto& [name, text] : prepared.pins) {
    for (std::size_t i = 0; i < phase_names.size(); ++i) {
      if (name == "prompt-" + std::string(phase_names[i])) {
        const Result<Prompt> prompt = read_prompt(name, text.value().str(), name, {});
        answers[i] = prompt ? prompt.value().output_tokens_max : 0;
        tokens[i] = text::estimate_tokens(text.value().str()).safe + answers[i];
        if (i == 0 && prompt) {
          const SourceSplit reading = reading_of(job, prompt.value());
          parts = reading.parts.size();
          for (const std::vector<std::size_t>& part : reading.parts) {
            read += text::estimate_tokens(part_text(job, part)).safe;
          }
        }
      }
    }
  }
  const std::uint64_t artifact = answers[static_cast<std::size_t>(Phase::generate)];
  // The plans of all parts, one artifact, three judgements, each in batches and with a second look, and two repairs,
  // each of them a patch first where that is asked for; and each again once where the world fails.
  const std::uint64_t patches = job.patches ? 2 : 1;
  // Nobody knows how many nodes a tree will have.
  const std::uint64_t items = std::max(job.count.exactly, job.count.most);
  const std::uint64_t claims = (items == 0 ? judge_batch * judge_batches_max : items) * asked_count(prepared.pins);
  const std::uint64_t batches =
      std::clamp<std::uint64_t>((claims + judge_batch - 1) / judge_batch, 1, judge_batches_max);
  const std::array<std::uint64_t, 4> times = {parts, 1, 2 * batches * (1 + repairs_max), patches * repairs_max};
  for (std::size_t i = 0; i < phase_names.size(); ++i) {
    out.calls += times[i];
    const bool reads_artifact = i >= static_cast<std::size_t>(Phase::judge);
    const std::uint64_t shown = i == 0 ? read : times[i] * source;
    out.tokens += job.free[i] ? 0 : times[i] * (tokens[i] + (reads_artifact ? artifact : 0)) + shown;
  }
  out.budget = std::min(out.budget, out.tokens);
  return out;
}

}  // namespace plumb::pipelines::artifact
