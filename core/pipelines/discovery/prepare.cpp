// What a discovery run is begun with: its request checked, its prompts and contracts pinned.
#include "core/pipelines/boundary/contract_boundary.hpp"
#include "core/pipelines/boundary/revision.hpp"
#include "core/pipelines/call_monitor.hpp"
#include "core/pipelines/discovery/discovery.hpp"
#include "core/pipelines/discovery/job.hpp"
#include "core/pipelines/discovery/reentry.hpp"
#include "core/pipelines/preparation.hpp"

namespace plumb::pipelines::discovery {

namespace {

using json::Value;
using run::Data;

constexpr std::array<std::string_view, 10> members = {"sources",   "target_domain", "time_window_days", "scope_dirs",
                                                      "doc_paths", "review",        "window_tokens",    "call_ms",
                                                      "providers", "experiment"};
constexpr std::array<std::string_view, 8> prompts = {"explore",    "frame",  "propose", "challenge",
                                                     "experience", "assess", "risk",    "rank"};
constexpr std::array<std::string_view, 5> contracts = {"explorer-finding", "opportunity-brief", "solution-brief",
                                                       "technical-spec", "review-decision"};

Result<bool> check_request(const Value& request, const Texts& texts) {
  const Value* sources = request.find("sources");
  if (sources == nullptr || !sources->is(json::Kind::object) || sources->size == 0) {
    return wrong_request(
        "`sources` is missing: at least one of conversations, analytics, repo, docs, each the name of a root",
        "/sources");
  }
  if (Result<bool> known = only_members(*sources, source_names, "/sources"); !known) {
    return known;
  }
  for (const json::Member& member : sources->object()) {
    if (!member.value.is(json::Kind::string) || member.value.str().empty()) {
      return wrong_request("is the name of a root that is declared where the run is driven",
                           "/sources/" + std::string(member.key));
    }
    // A run that goes on from another one reads no source again.
    const bool reads = request.find("experiment") == nullptr;
    if (const Result<bool> there = reads && texts.root ? texts.root(member.value.str()) : Result<bool>(true); !there) {
      return wrong_request(there.error().message, "/sources/" + std::string(member.key));
    }
  }
  for (const std::string_view name : {"time_window_days", "window_tokens", "call_ms"}) {
    const Value* found = request.find(name);
    if (found != nullptr && !found->is(json::Kind::null) && number_of(request, name) == 0) {
      return wrong_request("is a whole number from 1 on", "/" + std::string(name));
    }
  }
  const Value* review = request.find("review");
  if (review != nullptr && !review->is(json::Kind::boolean)) {
    return wrong_request("is true or false", "/review");
  }
  for (const std::string_view name : {"scope_dirs", "doc_paths"}) {
    const Value* found = request.find(name);
    if (found != nullptr && texts_of(request, name).size() != found->size) {
      return wrong_request("is a list of folders", "/" + std::string(name));
    }
  }
  return check_reentry(request, texts);
}

Result<bool> write_input(json::Writer& json, const Value& request, const Texts& texts) {
  for (const std::string_view name :
       {"sources", "target_domain", "time_window_days", "scope_dirs", "doc_paths", "review", "experiment"}) {
    if (const Value* found = request.find(name); found != nullptr && !found->is(json::Kind::null)) {
      json.key(name).value(*found);
    }
  }
  std::string judge;
  std::string chosen;
  json::Writer who(chosen);
  who.begin_object();
  const Value* given = request.find("providers");
  for (const std::string_view phase : phase_names) {
    std::string name(given == nullptr ? std::string_view() : text_of(*given, phase));
    for (const auto& [known, provider] : texts.providers) {
      name = known == phase ? provider : name;
    }
    if (!name.empty()) {
      who.member(phase, name);
    }
    judge = phase == "validate" ? name : judge;
  }
  who.end_object();
  json.key("providers").raw(chosen);
  const auto asked = json::record_of<Input>(request);
  const Result<std::uint64_t> of_judge = window_of(texts, judge);
  if (!of_judge) {
    return of_judge.error();
  }
  json.member_uint("window_tokens", asked.window_tokens > 0 ? asked.window_tokens : of_judge.value());
  json.member_uint("call_ms", asked.call_ms > 0 ? asked.call_ms : 120'000);
  write_call_limits(json, texts);
  return write_monitor(json, Data::written(chosen).value(), texts);
}

}  // namespace

Result<Prepared> prepare(const Value& request, const Texts& texts) {
  Result<bool> good = only_members(request, members);
  if (good) {
    good = check_request(request, texts);
  }
  Prepared out;
  for (std::size_t i = 0; good && i < prompts.size(); ++i) {
    good = pin_prompt(out.pins, texts, "discovery", prompts[i]);
  }
  if (good) {
    good = pin_boundary(out.pins, texts);
  }
  if (!good) {
    return good.error();
  }
  for (const std::string_view name : contracts) {
    const Result<std::string> text = contract_text(texts, name);
    const Result<contract::Contract> read =
        text ? contract::Contract::read(text.value()) : Result<contract::Contract>(text.error());
    if (!read) {
      return read.error();
    }
    out.pins.emplace_back("contract-" + std::string(name), Data::written(text.value()));
  }
  for (const std::string_view name : {"opportunity-brief", "solution-brief", "technical-spec"}) {
    pin_revision(out.pins, "contract-" + std::string(name));
  }
  std::string input;
  json::Writer json(input);
  json.begin_object();
  write_way(json);
  if (const Result<bool> written = write_input(json, request, texts); !written) {
    return written.error();
  }
  if (const Result<bool> observed = write_observed(json, json::Value{}, texts); !observed) {
    return observed.error();
  }
  json.end_object();
  out.fingerprint = fingerprint_of("discovery\n", input, out.pins);
  out.input = Data::written(std::move(input));
  return out;
}

}  // namespace plumb::pipelines::discovery
