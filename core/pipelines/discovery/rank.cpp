// Stage 4: one call ranks what can be built; what it says is repaired, so that every opportunity has one rank.

#include <algorithm>

#include "core/ascii.hpp"
#include "core/pipelines/discovery/parts.hpp"

namespace plumb::pipelines::discovery {

namespace {

bool is_ranked(const Chain& chain) { return !chain.spec.is_null() && chain.left_out.empty(); }

// What a model's ranking is worth: duplicates go (the first counts), unknown ids go, what is missing comes last with a
// flag, blank rationales are filled, ranks are 1 to N.
std::vector<Ranking> repaired(std::vector<Ranking> said, const std::vector<Chain>& chains) {
  std::vector<std::string> left;
  for (const Chain& chain : chains) {
    if (is_ranked(chain)) {
      left.push_back(chain.id);
    }
  }
  std::vector<Ranking> out;
  for (Ranking& one : said) {
    const auto found = std::find(left.begin(), left.end(), one.opportunity_id);
    if (found == left.end()) {
      continue;
    }
    left.erase(found);
    if (ascii::only(one.rationale, ascii::spaces)) {
      one.rationale = "No rationale was given.";
    }
    out.push_back(std::move(one));
  }
  for (std::string& id : left) {
    out.push_back({std::move(id), 0, "Not ranked by agent", {}, {"not_ranked"}});
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].recommended_rank = i + 1;
  }
  return out;
}

}  // namespace

Ranked rank(run::Run& run, const Job& job, const std::vector<Chain>& chains, const std::vector<Ranking>& before,
            const SentBack& why, bool agents_may) {
  Ranked out;
  out.send_back.emplace();
  if (std::none_of(chains.begin(), chains.end(), is_ranked)) {
    return out;
  }
  const auto write_packages = [&](json::Writer& json) {
    json.begin_array();
    for (const Chain& chain : chains) {
      if (is_ranked(chain)) {
        json.begin_object().member("opportunity_id", chain.id).key("opportunity_brief").raw(chain.brief.text());
        json.key("solution_brief").raw(chain.solution.text()).key("technical_spec").raw(chain.spec.text()).end_object();
      }
    }
    json.end_array();
  };
  Call call;
  call.phase = "rank";
  call.name = "rank";
  call.variables = [&](json::Writer& json) {
    std::string packages;
    json::Writer inner(packages);
    write_packages(inner);
    json.member("packages", fenced("packages", packages)).member("hint", fenced("hint", why.reason));
    json.member("may_send_back", agents_may ? "yes" : "");
  };
  call.task = [&](json::Writer& json) {
    json.key("packages");
    write_packages(json);
  };
  const Answer answer = ask(run, job, call);
  const Ranked& said = answer.value.as<Ranked>();
  const bool nothing = !answer.valid && list_of(answer.value.value(), "rankings").empty();
  out.rankings = repaired(nothing ? before : said.rankings, chains);
  if (!answer.valid) {
    out.failures.push_back({Stage::prioritization, "TPMAgent", answer.error});
    return out;
  }
  for (const Returned& one : agents_may&& said.send_back ? *said.send_back : std::vector<Returned>()) {
    const bool ranked = std::any_of(chains.begin(), chains.end(), [&](const Chain& chain) {
      return chain.id == one.opportunity_id && is_ranked(chain) && !chain.was_sent_back_by(Stage::prioritization);
    });
    const bool named = std::any_of(out.send_back->begin(), out.send_back->end(),
                                   [&](const Returned& known) { return known.opportunity_id == one.opportunity_id; });
    if (ranked && !one.reason.empty() && !named) {
      out.send_back->push_back(one);
    }
  }
  return out;
}

}  // namespace plumb::pipelines::discovery
