#include "core/compare/compare.hpp"

#include "core/compare/witness.hpp"
#include "core/contract/render.hpp"
#include "core/json/writer.hpp"

namespace plumb::compare {

using contract::Contract;

namespace {

Direction direction_of(const Proof& proof, bool shown, const CompareLimits& limits) {
  Direction out;
  out.answer = shown ? Answer::yes : Answer::unknown;
  if (shown) {
    return out;
  }
  out.limited = proof.gave_up();
  for (const OpenGoal& open : proof.open()) {
    if (out.unproven.size() < limits.open_max) {
      out.unproven.push_back({open.at, open.location, open.keyword, open.why});
    } else {
      ++out.more;
    }
  }
  out.more += proof.more_open();
  return out;
}

ProofLimits proof_limits(const CompareLimits& limits) {
  ProofLimits out;
  out.goals_max = limits.goals_max;
  return out;
}

void write_direction(json::Writer& json, const Direction& direction) {
  json.begin_object();
  json.member("answer", answer_name(direction.answer));
  if (direction.witness) {
    const Witness& witness = *direction.witness;
    json.key("witness").begin_object();
    if (!witness.name.empty()) {
      json.member("name", witness.name);
    }
    json.key("document").raw(witness.document);
    if (!witness.context.empty()) {
      json.key("context").raw(witness.context);
    }
    json.key("findings").begin_array();
    for (const contract::Finding& finding : witness.findings) {
      json.raw(contract::finding_json(finding));
    }
    json.end_array().end_object();
  }
  if (direction.answer == Answer::unknown) {
    json.key("unproven").begin_array();
    for (const Unproven& one : direction.unproven) {
      json.begin_object();
      json.member("at", one.at).member("schemaLocation", one.schema_location);
      if (!one.keyword.empty()) {
        json.member("keyword", one.keyword);
      }
      json.member("why", one.why);
      json.end_object();
    }
    json.end_array();
    if (direction.more > 0) {
      json.member_uint("more", direction.more);
    }
    if (direction.limited) {
      json.member_boolean("limited", true);
    }
  }
  json.end_object();
}

void write_contract(json::Writer& json, const Contract& contract, std::string_view name) {
  json.begin_object();
  json.member("name", name).member("hash", contract.hash());
  json.end_object();
}

}  // namespace

std::string_view answer_name(Answer answer) {
  return answer == Answer::yes ? "yes" : answer == Answer::no ? "no" : "unknown";
}

Direction prove_one_way(const Contract& accepting, const Contract& refusing, const CompareLimits& limits) {
  const Schemas schemas(accepting, refusing);
  const ProofLimits bounds = proof_limits(limits);
  Proof proof(schemas, bounds);
  const bool shown = proof.shows(schemas.first_root(), schemas.second_root());
  return direction_of(proof, shown, limits);
}

Direction compare_one_way(const Contract& accepting, const Contract& refusing, const CompareOptions& options) {
  WitnessSearch search(accepting, refusing, options);
  std::optional<Witness> witness = search.find_given();
  Direction out;
  if (!witness) {
    const Schemas schemas(accepting, refusing);
    const ProofLimits bounds = proof_limits(options.limits);
    Proof proof(schemas, bounds);
    const bool shown = proof.shows(schemas.first_root(), schemas.second_root());
    out = direction_of(proof, shown, options.limits);
    if (shown) {
      return out;
    }
    witness = search.find(proof.hints());
  }
  if (witness) {
    out = {};
    out.answer = Answer::no;
    out.witness = std::move(witness);
  }
  return out;
}

Comparison compare(const Contract& first, const Contract& second, const CompareOptions& options) {
  Comparison out;
  out.there = compare_one_way(first, second, options);
  out.back = compare_one_way(second, first, options);
  return out;
}

std::string comparison_json(const Contract& first, std::string_view first_name, const Contract& second,
                            std::string_view second_name, const Comparison& comparison, std::string_view over) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.key("first");
  write_contract(json, first, first_name);
  json.key("second");
  write_contract(json, second, second_name);
  json.key("there");
  write_direction(json, comparison.there);
  json.key("back");
  write_direction(json, comparison.back);
  if (!over.empty()) {
    json.key("over").raw(over);
  }
  json.end_object();
  return out;
}

}  // namespace plumb::compare
