// Stage 4: one call ranks what can be built; what it says is repaired, so that every opportunity has one rank.

#include <algorithm>

#include "core/ascii.hpp"
#include "core/json/arena.hpp"
#include "core/pipelines/discovery/parts.hpp"

namespace plumb::pipelines::discovery {

namespace {

using json::Value;
using run::Data;

bool is_ranked(const Chain& chain) { return !chain.spec.is_null() && chain.left_out.empty(); }

void write_texts(json::Writer& json, std::string_view name, const std::vector<std::string>& texts) {
  json.key(name).begin_array();
  for (const std::string& one : texts) {
    json.string(one);
  }
  json.end_array();
}

}  // namespace

std::string repaired_ranking(const Value& rankings, const std::vector<Chain>& chains) {
  std::vector<std::string> left;
  for (const Chain& chain : chains) {
    if (is_ranked(chain)) {
      left.push_back(chain.id);
    }
  }
  std::string out;
  json::Writer json(out);
  json.begin_array();
  std::uint64_t rank = 0;
  const auto write = [&](std::string_view id, std::string_view rationale, const std::vector<std::string>& dependencies,
                         const std::vector<std::string>& flags) {
    json.begin_object().member("opportunity_id", id).member_uint("recommended_rank", ++rank);
    json.member("rationale", rationale);
    write_texts(json, "dependencies", dependencies);
    write_texts(json, "flags", flags);
    json.end_object();
  };
  for (const Value& one : rankings.array()) {
    const std::string_view id = text_of(one, "opportunity_id");
    const auto found = std::find(left.begin(), left.end(), id);
    if (found == left.end()) {
      continue;
    }
    left.erase(found);
    const std::string_view rationale = text_of(one, "rationale");
    const bool blank = ascii::only(rationale, ascii::spaces);
    write(id, blank ? "No rationale was given." : rationale, texts_of(one, "dependencies"), texts_of(one, "flags"));
  }
  for (const std::string& id : left) {
    write(id, "Not ranked by agent", {}, {"not_ranked"});
  }
  json.end_array();
  return out;
}

Data rank(run::Run& run, const Job& job, const std::vector<Chain>& chains, const Data& before, const SentBack& why,
          bool agents_may) {
  if (std::none_of(chains.begin(), chains.end(), is_ranked)) {
    return Data::written(R"({"rankings":[],"send_back":[]})");
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
  const Value* said = answer.value.is_null() ? nullptr : answer.value.value().find("rankings");
  if (!answer.valid && (said == nullptr || said->array().empty()) && !before.is_null()) {
    said = &before.value();
  }
  return object([&](json::Writer& json) {
    json.key("rankings")
        .raw(repaired_ranking(said == nullptr ? Value{} : *said, chains))
        .key("send_back")
        .begin_array();
    std::vector<std::string> named;
    const bool may = answer.valid && agents_may;
    for (const Value& one : may ? list_of(answer.value.value(), "send_back") : std::span<const Value>()) {
      const std::string id(text_of(one, "opportunity_id"));
      const bool ranked = std::any_of(chains.begin(), chains.end(), [&](const Chain& chain) {
        return chain.id == id && is_ranked(chain) && !chain.was_sent_back_by(Stage::prioritization);
      });
      const std::string_view reason = text_of(one, "reason");
      if (ranked && !reason.empty() && std::find(named.begin(), named.end(), id) == named.end()) {
        json.begin_object().member("opportunity_id", id).member("reason", reason).end_object();
        named.push_back(id);
      }
    }
    json.end_array();
    if (!answer.valid) {
      write_failures(json, {{std::string(stage_name(Stage::prioritization)), "TPMAgent", answer.error}});
    }
  });
}

}  // namespace plumb::pipelines::discovery
