#include "core/contract/keywords/required.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include "core/contract/engine/engine.hpp"
#include "core/contract/keywords/keyword.hpp"
#include "core/contract/keywords/type.hpp"
#include "core/json/writer.hpp"
#include "core/text/suggest.hpp"

namespace plumb::contract {

using json::Kind;

bool compile_dependent_keys(Compiler& compiler, const Compiler::At& at, Kw kw, std::uint32_t order,
                            const json::Member& entry, const std::string& where) {
  Dependent dependent;
  dependent.kw = kw;
  dependent.key = entry.key;
  dependent.position = at.position;
  dependent.order = order;
  if (!compiler.string_list(at, entry.value, where, dependent.required)) {
    return false;
  }
  for (const std::string_view key : dependent.required) {
    compiler.slot(at.node, key);
  }
  ObjectPart& o = compiler.object(at.node);
  compiler.slot(at.node, entry.key).dependent_required = static_cast<std::uint32_t>(o.dependents.size());
  o.dependents.push_back(std::move(dependent));
  return true;
}

namespace {

constexpr std::size_t similar_max = 64;  // unnamed members that are compared with a missing one

// A member of the object that closes, whose name is close to the missing one's, and that no schema for it names. Often
// it is the missing member, misspelled.
std::string similar_member(Engine& engine, std::string_view missing) {
  const Frame& frame = engine.frames.back();
  std::vector<std::string_view> unnamed;
  for (std::size_t i = frame.keys_from; i < engine.keys.entries.size() && unnamed.size() < similar_max; ++i) {
    const Keys::Entry& entry = engine.keys.entries[i];
    const std::string_view key(engine.keys.bytes.data() + entry.offset, entry.size);
    bool named = false;
    for (std::uint32_t k = frame.evaluations_from; k < frame.evaluations_to; ++k) {
      Evaluation& e = engine.evaluations[engine.place[k]];
      std::uint32_t slot = 0;
      named = named || (e.node->object != nullptr && find_slot(e, *e.node->object, key, slot) != nullptr);
    }
    if (!named) {
      unnamed.push_back(key);
    }
  }
  const auto near = text::nearest(missing, unnamed);
  return near ? json::excerpt(unnamed[*near], 200) : std::string();
}

}  // namespace

void judge_required(Engine& engine, Evaluation& e, std::uint32_t index, const ObjectPart& o) {
  if (o.few ? (e.seen & o.required_mask) == o.required_mask : o.required.empty()) {
    return;
  }
  std::uint32_t order = 0;
  for (const std::uint32_t slot : o.required) {
    if (!has_seen(engine, engine.evaluations[index], slot)) {
      const std::uint32_t f = prepare(engine, index, Kw::required, o.required_at, order);
      Found& found = engine.found[f];
      found.finding.property = std::string(o.slots[slot].key);
      found.finding.requirement = "the member '" + found.finding.property + "'";
      if (o.slots[slot].node != nullptr) {
        found.finding.requirement += type_requirement(*o.slots[slot].node);
      }
      found.finding.provided = similar_member(engine, found.finding.property);
      report(engine, f, engine.now);
    }
    ++order;
  }
}

void judge_dependents(Engine& engine, std::uint32_t index, const ObjectPart& o) {
  const auto has = [&](std::string_view key) {
    std::uint32_t slot = 0;
    return find_slot(engine.evaluations[index], o, key, slot) != nullptr &&
           has_seen(engine, engine.evaluations[index], slot);
  };
  for (const Dependent& dependent : o.dependents) {
    const std::uint32_t hint = engine.evaluations[index].hint;
    const bool there = has(dependent.key);
    for (std::size_t i = 0; there && i < dependent.required.size(); ++i) {
      if (has(dependent.required[i])) {
        continue;
      }
      const std::uint32_t f =
          prepare(engine, index, dependent.kw, dependent.position, (std::uint64_t{dependent.order} << 20U) | i);
      Found& found = engine.found[f];
      found.finding.property = std::string(dependent.required[i]);
      found.finding.requirement =
          "the member '" + found.finding.property + "' where '" + std::string(dependent.key) + "' is there";
      report(engine, f, engine.now);
    }
    engine.evaluations[index].hint = hint;
  }
}

namespace {

void compile_required(Compiler& compiler, Compiler::At& at) {
  std::vector<std::string_view> keys;
  if (!compiler.string_list(at, at.member.value, at.where, keys)) {
    return;
  }
  ObjectPart& o = compiler.object(at.node);
  o.required_at = at.position;
  for (const std::string_view key : keys) {
    Slot& slot = compiler.slot(at.node, key);
    slot.required = static_cast<std::uint32_t>(o.required.size());
    o.required.push_back(static_cast<std::uint32_t>(&slot - o.slots.data()));
  }
}

void compile_dependent_required(Compiler& compiler, Compiler::At& at) {
  if (!at.member.value.is(Kind::object)) {
    compiler.fail(at, "dependentRequired must be an object of lists of keys");
    return;
  }
  std::uint32_t order = 0;
  for (const json::Member& entry : at.member.value.object()) {
    if (!compile_dependent_keys(compiler, at, Kw::dependent_required, order++, entry, at.below(entry.key))) {
      return;
    }
  }
}

}  // namespace

std::string nothing_provided(const Found&) { return {}; }
std::string missing_member(const Found& found) { return "Missing the member '" + found.finding.property + "'"; }

const Keyword required_keyword = {.vocabulary = Vocabulary::validation,
                                  .compile = compile_required,
                                  .provided = nothing_provided,
                                  .message = missing_member};
const Keyword dependent_required_keyword = {.vocabulary = Vocabulary::validation,
                                            .since = Dialect::draft2019_09,
                                            .compile = compile_dependent_required,
                                            .provided = nothing_provided,
                                            .message = missing_member};

}  // namespace plumb::contract
