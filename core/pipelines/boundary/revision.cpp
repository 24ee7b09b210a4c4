#include "core/pipelines/boundary/revision.hpp"

#include <algorithm>

#include "core/contract/contract.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"

namespace plumb::pipelines {

namespace {

using json::Kind;
using json::Value;

constexpr std::string_view answer_pin = "contract-revise";
constexpr std::string_view prefix = "contract-revise-of-";
constexpr std::string_view way[] = {"properties", "items", "items"};
constexpr std::string_view item_id = "plumb:boundary-item";

const run::Data* pin_of(const run::Pins& pins, std::string_view name) {
  const auto found = std::find_if(pins.begin(), pins.end(), [&](const auto& pin) { return pin.first == name; });
  return found == pins.end() ? nullptr : &found->second;
}

// An item's contract inside of another: what it refers to by `#` is its own, so that it needs a name. The dialect is
// said by the whole.
void write_item(json::Writer& json, const Value& item) {
  json.begin_object();
  if (item.find("$id") == nullptr) {
    json.member("$id", item_id);
  }
  for (const json::Member& member : item.object()) {
    if (member.key != "$schema") {
      json.key(member.key).value(member.value);
    }
  }
  json.end_object();
}

// The answer with the item where its way leads.
void write_answer(json::Writer& json, const Value& answer, std::size_t step, const Value& item) {
  if (step == std::size(way)) {
    write_item(json, item);
    return;
  }
  const Value* dialect = step == 0 ? item.find("$schema") : nullptr;
  json.begin_object();
  if (dialect != nullptr) {
    json.key("$schema").value(*dialect);
  }
  for (const json::Member& member : answer.object()) {
    if (member.key == "$schema" && dialect != nullptr) {
      continue;
    }
    json.key(member.key);
    if (member.key == way[step]) {
      write_answer(json, member.value, step + 1, item);
    } else {
      json.value(member.value);
    }
  }
  json.end_object();
}

// Empty where there is none.
std::string revision_contract(const Value& answer, const Value& item) {
  const Value* place = &answer;
  for (const std::string_view name : way) {
    place = place == nullptr ? nullptr : place->find(name);
  }
  if (place == nullptr || !place->is(Kind::object) || place->size > 0 || !item.is(Kind::object)) {
    return {};
  }
  std::string out;
  json::Writer json(out);
  write_answer(json, answer, 0, item);
  return contract::Contract::read(out) ? out : std::string();
}

}  // namespace

std::string revision_pin(std::string_view contract_pin) { return std::string(prefix).append(contract_pin); }

void pin_revision(run::Pins& pins, std::string_view contract_pin) {
  const run::Data* answer = pin_of(pins, answer_pin);
  const run::Data* item = pin_of(pins, contract_pin);
  if (answer == nullptr || item == nullptr) {
    return;
  }
  std::string made = revision_contract(answer->value(), item->value());
  // What cannot be part of another contract is asked for as the prompt alone says.
  pins.emplace_back(revision_pin(contract_pin), made.empty() ? *answer : run::Data::written(std::move(made)));
}

void renew_revisions(run::Pins& pins) {
  for (std::size_t i = 0; i < pins.size(); ++i) {
    if (!pins[i].first.starts_with(prefix)) {
      continue;
    }
    run::Pins made;
    for (const std::string_view name : {answer_pin, std::string_view(pins[i].first).substr(prefix.size())}) {
      if (const run::Data* one = pin_of(pins, name)) {
        made.emplace_back(std::string(name), *one);
      }
    }
    pin_revision(made, std::string_view(pins[i].first).substr(prefix.size()));
    if (made.back().first == pins[i].first) {
      pins[i].second = made.back().second;
    }
  }
}

}  // namespace plumb::pipelines
