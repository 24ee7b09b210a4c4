#include <algorithm>

#include "core/pipelines/discovery/parts.hpp"

namespace plumb::pipelines::discovery {

namespace {

using json::Value;
using run::Data;

void write_part(json::Writer& json, std::string_view name, const Data& part) {
  if (!part.is_null()) {
    json.key(name).raw(part.text());
  }
}

void write_texts(json::Writer& json, std::string_view name, const std::vector<std::string>& texts) {
  json.key(name).begin_array();
  for (const std::string& one : texts) {
    json.string(one);
  }
  json.end_array();
}

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

void add_failure(std::vector<Failure>& all, Failure more) {
  if (std::find(all.begin(), all.end(), more) == all.end()) {
    all.push_back(std::move(more));
  }
}

void write_failures(json::Writer& json, const std::vector<Failure>& failures) {
  if (failures.empty()) {
    return;
  }
  json.key("failures").begin_array();
  for (const Failure& one : failures) {
    json.begin_object().member("stage", one.stage).member("agent", one.agent).member("why", one.why).end_object();
  }
  json.end_array();
}

std::vector<Failure> failures_of(const Value& object) {
  std::vector<Failure> out;
  for (const Value& one : list_of(object, "failures")) {
    out.push_back(
        {std::string(text_of(one, "stage")), std::string(text_of(one, "agent")), std::string(text_of(one, "why"))});
  }
  return out;
}

void Chain::settled(std::initializer_list<std::string_view> boundaries, Stage from) {
  failures.erase(std::remove_if(failures.begin(), failures.end(),
                                [&](const Failure& one) { return stage_named(one.stage).value_or(from) >= from; }),
                 failures.end());
  for (const std::string_view one : boundaries) {
    unverified.erase(std::remove(unverified.begin(), unverified.end(), one), unverified.end());
  }
}

bool Chain::was_sent_back_by(Stage from) const {
  return std::find(sent_back_by.begin(), sent_back_by.end(), stage_name(from)) != sent_back_by.end();
}

bool Chain::sends_back(Stage from, std::string_view reason) {
  send_back = reason;
  if (!reason.empty()) {
    sent_back_by.emplace_back(stage_name(from));
  }
  return !reason.empty();
}

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

void write_chain(json::Writer& json, const Chain& chain) {
  json.begin_object().member("opportunity_id", chain.id).member("stage", chain.stage);
  json.member("left_out", chain.left_out);
  write_texts(json, "unverified", chain.unverified);
  std::vector<std::string> warnings;
  for (const Data* part : {&chain.brief, &chain.solution, &chain.spec}) {
    for (const std::string& one :
         part->is_null() ? std::vector<std::string>() : texts_of(part->value(), "validation_warnings")) {
      warnings.push_back(one);
    }
  }
  write_texts(json, "warnings", warnings);
  if (!chain.revised_from.empty()) {
    json.member("revised_from", chain.revised_from);
  }
  if (!chain.send_back.empty()) {
    json.member("send_back", chain.send_back);
  }
  if (!chain.sent_back_by.empty()) {
    write_texts(json, "sent_back_by", chain.sent_back_by);
  }
  write_failures(json, chain.failures);
  write_part(json, "brief", chain.brief);
  write_part(json, "solution", chain.solution);
  write_part(json, "spec", chain.spec);
  write_part(json, "infeasible", chain.infeasible);
  write_part(json, "conversation", chain.conversation);
  json.end_object();
}

Chain chain_of(const Data& whole, const Value& value) {
  Chain out;
  out.id = text_of(value, "opportunity_id");
  out.stage = text_of(value, "stage");
  out.left_out = text_of(value, "left_out");
  out.unverified = texts_of(value, "unverified");
  out.revised_from = text_of(value, "revised_from");
  out.send_back = text_of(value, "send_back");
  out.sent_back_by = texts_of(value, "sent_back_by");
  out.failures = failures_of(value);
  out.brief = Data::part(whole, value.find("brief"));
  out.solution = Data::part(whole, value.find("solution"));
  out.spec = Data::part(whole, value.find("spec"));
  out.infeasible = Data::part(whole, value.find("infeasible"));
  out.conversation = Data::part(whole, value.find("conversation"));
  return out;
}

}  // namespace plumb::pipelines::discovery
