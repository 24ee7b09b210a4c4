#include "core/roles/scorecard.hpp"

#include <algorithm>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/value.hpp"

namespace plumb::roles {

using json::Kind;
using json::text_of;
using json::Value;

namespace {

constexpr std::size_t levels_max = 64;

// Every rule with a title, in the order of the contract.
void rules_of(const Value& value, std::size_t level, std::vector<const Value*>& out) {
  if (level > levels_max) {
    return;
  }
  for (const json::Member& member : value.object()) {
    const bool rules = member.key == "rules" && member.value.is(Kind::array);
    for (const Value& rule : rules ? member.value.array() : std::span<const Value>()) {
      if (!text_of(rule, "id").empty() && !text_of(rule, "title").empty()) {
        out.push_back(&rule);
      }
    }
    if (!rules) {
      rules_of(member.value, level + 1, out);
    }
  }
  for (const Value& item : value.array()) {
    rules_of(item, level + 1, out);
  }
}

}  // namespace

bool Role::may_read(std::string_view name) const { return std::find(reads.begin(), reads.end(), name) != reads.end(); }

std::uint64_t Role::may_have(std::string_view effect) const {
  const auto found = std::find_if(may.begin(), may.end(), [&](const May& one) { return one.effect == effect; });
  return found == may.end() ? 0 : found->max;
}

Role read_role(const contract::Contract& contract) {
  Role out;
  json::Arena arena;
  const Result<Value> read = json::parse(contract.text(), arena);
  const Value* role = read ? read.value().find("role") : nullptr;
  if (role == nullptr) {
    return out;
  }
  out.purpose = text_of(*role, "purpose");
  const Value* reads = role->find("reads");
  for (const Value& one : reads == nullptr ? std::span<const Value>() : reads->array()) {
    out.reads.emplace_back(one.str());
  }
  const Value* may = role->find("may");
  for (const Value& one : may == nullptr ? std::span<const Value>() : may->array()) {
    Role::May effect;
    effect.effect = text_of(one, "effect");
    const Value* max = one.find("max");
    if (max == nullptr || !json::read_uint(max->str(), effect.max)) {
      effect.max = 1;
    }
    out.may.push_back(std::move(effect));
  }
  return out;
}

std::string scorecard_text(const contract::Contract& contract) {
  json::Arena arena;
  const Result<Value> read = json::parse(contract.text(), arena);
  std::vector<const Value*> rules;
  rules_of(read ? read.value() : Value{}, 0, rules);
  std::string out;
  for (const Value* rule : rules) {
    out.append(out.empty() ? "- " : "\n- ").append(text_of(*rule, "title"));
    if (const std::string_view ask = text_of(*rule, "ask"); !ask.empty()) {
      out.append(": ").append(ask);
    }
  }
  return out;
}

std::string gates_text(const contract::Contract& contract) {
  json::Arena arena;
  const Result<Value> read = json::parse(contract.text(), arena);
  std::vector<const Value*> rules;
  rules_of(read ? read.value() : Value{}, 0, rules);
  std::string out;
  for (const Value* rule : rules) {
    const Value* blocks = rule->find("blocks");
    if (blocks == nullptr || !blocks->boolean) {
      continue;
    }
    out.append(out.empty() ? "- " : "\n- ").append(text_of(*rule, "title"));
    if (const std::string_view action = text_of(*rule, "action"); !action.empty()) {
      out.append(": ").append(action);
    }
  }
  return out;
}

}  // namespace plumb::roles
