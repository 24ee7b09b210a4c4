#include <algorithm>

#include "core/pipelines/discovery/parts.hpp"

namespace plumb::pipelines::discovery {

namespace {

using run::Data;

// The artifact of this opportunity: its member `opportunity_id` is the chain's, whatever a revision made of it.
Data with_id(const Data& artifact, std::string_view id) {
  if (artifact.is_null() || !artifact.value().is(json::Kind::object) ||
      text_of(artifact.value(), "opportunity_id") == id) {
    return artifact;
  }
  return object([&](json::Writer& json) {
    json.member("opportunity_id", id);
    for (const json::Member& member : artifact.value().object()) {
      if (member.key != "opportunity_id") {
        json.key(member.key).value(member.value);
      }
    }
  });
}

}  // namespace

void take_crossed(Chain& chain, const run::Crossed& item, const run::Crossing& crossing, const ContractBoundary& what,
                  Data Chain::*artifact) {
  chain.id = item.id;
  chain.revised_from = item.revised_from.empty() ? chain.revised_from : item.revised_from;
  chain.*artifact = item.warning.empty() ? item.value : with_warning(item.value, item.warning);
  chain.solution = with_id(chain.solution, chain.id);
  chain.spec = with_id(chain.spec, chain.id);
  chain.left_out = item.passed == run::Passed::failed ? item.why.reason : "";
  if (!item.revise_error.empty()) {
    add_failure(chain.failures, {chain.stage, what.producer.agent, item.revise_error});
  }
  if (item.unverified) {
    chain.unverified.push_back(what.name);
    if (const std::string error = crossing.call_error(); !error.empty()) {
      add_failure(chain.failures, {chain.stage, what.consumer.agent, error});
    }
  }
}

std::vector<Chain> over_boundary(std::vector<Chain> chains, const run::Crossing& crossing, const ContractBoundary& what,
                                 const std::vector<std::size_t>& of_item, Data Chain::*artifact) {
  std::vector<std::vector<Chain>> parts(chains.size());
  for (const run::Crossed& item : crossing.items) {
    const std::size_t at = of_item[item.input];
    Chain chain = chains[at];
    take_crossed(chain, item, crossing, what, artifact);
    parts[at].push_back(std::move(chain));
  }
  std::vector<Chain> out;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    if (parts[i].empty()) {
      out.push_back(std::move(chains[i]));
    }
    out.insert(out.end(), parts[i].begin(), parts[i].end());
  }
  return out;
}

void gather_warnings(std::vector<Chain>& chains) {
  for (Chain& chain : chains) {
    chain.warnings.clear();
    for (const Data* part : {&chain.brief, &chain.solution, &chain.spec}) {
      for (std::string& one : texts_of(part->value(), "validation_warnings")) {
        chain.warnings.push_back(std::move(one));
      }
    }
  }
}

}  // namespace plumb::pipelines::discovery
