#include "core/pipelines/discovery/reentry.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "core/contract/check.hpp"
#include "core/json/number_text.hpp"
#include "core/pipelines/discovery/members.hpp"
#include "core/pipelines/discovery/notes.hpp"
#include "core/pipelines/preparation.hpp"
#include "core/wording.hpp"

namespace plumb::pipelines::discovery {

namespace {

using json::Value;

constexpr std::size_t results_max = 100;

// The findings and opportunities of a run, as its last checkpoints have them.
struct State {
  const Value* explored = nullptr;
  const Value* chains = nullptr;
};

State state_of(const run::Journal& journal) {
  State out;
  for (const run::Entry& entry : journal.entries()) {
    if (entry.kind != run::EntryKind::note) {
      continue;
    }
    const Value& value = entry.data.value();
    if (entry.name == "reentry") {
      const Value* state = value.find("state");
      out.explored = state == nullptr ? nullptr : state->find("explored");
      out.chains = state == nullptr ? nullptr : state->find("opportunities");
    } else if (entry.name == "checkpoint" && json::record_of<CheckpointNote>(value).stage == Stage::exploration) {
      out.explored = &value;
    } else if (entry.name == "checkpoint" && value.find("opportunities") != nullptr) {
      out.chains = value.find("opportunities");
    }
  }
  return out;
}

std::vector<std::string> ids_of(std::span<const Value> chains) {
  std::vector<std::string> out;
  for (const Value& one : chains) {
    out.emplace_back(text_of(one, "opportunity_id"));
  }
  return out;
}

}  // namespace

Result<std::string> reentry_request(const run::Journal& parent, const Value& results) {
  const Value& begun = parent.begin().data.value();
  const run::Entry& last = parent.entries().back();
  if (parent.begin().name != "discovery") {
    return wrong_request("the run is of another pipeline: " + parent.begin().name, "");
  }
  if (last.kind != run::EntryKind::end || last.status != run::Status::ok) {
    return wrong_request("only a completed run is gone on from; complete its review first", "");
  }
  const State state = state_of(parent);
  const Value* input = begun.find("input");
  if (input == nullptr || state.explored == nullptr || state.chains == nullptr) {
    return wrong_request("the run has no opportunities to go on from", "");
  }
  std::string out;
  json::Writer json(out);
  json.begin_object();
  for (const std::string_view name : {"sources", "target_domain", "scope_dirs", "doc_paths", "review"}) {
    if (const Value* found = input->find(name)) {
      json.key(name).value(*found);
    }
  }
  for (const std::string_view name : {"time_window_days", "window_tokens", "call_ms"}) {
    if (number_of(*input, name) > 0) {
      json.member_uint(name, number_of(*input, name));
    }
  }
  json.key("experiment").begin_object().member("parent_run_id", text_of(begun, "run")).key("results");
  if (results.is(json::Kind::array)) {
    json.value(results);
  } else {
    json.begin_array().value(results).end_array();
  }
  json.key("state").begin_object().key("explored").begin_object();
  for (const std::string_view name : {"findings", "coverage", "evidence", "warnings"}) {
    if (const Value* found = state.explored->find(name)) {
      json.key(name).value(*found);
    }
  }
  json.end_object().key("opportunities").value(*state.chains).end_object().end_object().end_object();
  return out;
}

Result<bool> check_reentry(const Value& request, const Texts& texts) {
  const Value* given = request.find("experiment");
  if (given == nullptr || given->is(json::Kind::null)) {
    return true;
  }
  const std::span<const Value> results = list_of(*given, "results");
  const Value* state = given->find("state");
  const Value* explored = state == nullptr ? nullptr : state->find("explored");
  const std::span<const Value> chains = state == nullptr ? std::span<const Value>() : list_of(*state, "opportunities");
  if (explored == nullptr || explored->find("findings") == nullptr || explored->find("evidence") == nullptr ||
      explored->find("coverage") == nullptr || chains.empty()) {
    return wrong_request("`state` is what the parent run has found; the server and the command fill it in",
                         "/experiment/state");
  }
  if (results.empty() || results.size() > results_max) {
    return wrong_request("`results` is a list of 1 to " + json::uint_text(results_max) + " experiment results",
                         "/experiment/results");
  }
  const Result<std::string> text = contract_text(texts, "experiment-result");
  const Result<contract::Contract> contract =
      text ? contract::Contract::read(text.value()) : Result<contract::Contract>(text.error());
  if (!contract) {
    return contract.error();
  }
  const std::vector<std::string> ids = ids_of(chains);
  std::vector<std::string_view> named;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string where = "/experiment/results/" + json::uint_text(i);
    const contract::Verdict verdict = contract::check_text(contract.value(), json::value_text(results[i]));
    for (const contract::Finding& finding : verdict.findings) {
      if (finding.severity == contract::Severity::error) {
        return wrong_request(finding.message.empty() ? finding.rule + " is broken" : finding.message,
                             where + finding.at);
      }
    }
    const std::string_view id = text_of(results[i], "opportunity_id");
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) {
      return wrong_request("there is no opportunity '" + json::excerpt(id, 60) + "'; there are: " + joined(ids),
                           where + "/opportunity_id");
    }
    if (std::find(named.begin(), named.end(), id) != named.end()) {
      return wrong_request("there is a result for this opportunity already", where + "/opportunity_id");
    }
    named.push_back(id);
  }
  return true;
}

}  // namespace plumb::pipelines::discovery
