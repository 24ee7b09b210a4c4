#include "core/contract/engine/across.hpp"

#include <algorithm>
#include <utility>

#include "core/contract/engine/engine.hpp"
#include "core/contract/keywords/keyword.hpp"
#include "core/contract/keywords/member_of.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

void judge_across(Engine& engine, std::uint32_t index, const CrossRule& rule, const json::Value& own,
                  std::uint32_t instance_depth) {
  Across call{index, rule, own, instance_depth, {}, {}};
  keyword_of(rule.kw)->judge_across(engine, call);
}

}  // namespace

void cross_rules(Engine& engine, std::uint32_t index, const json::Value& own) {
  const Node& node = *engine.evaluations[index].node;
  if ((node.types & bit_of(own.kind)) == 0 && !(own.kind == Kind::number && (node.types & type_integer) != 0)) {
    return;  // the wrong type was reported, and nothing can be compared
  }
  if (node.fast_member && own.is(Kind::string) && !engine.token.is_name && member_accepts(engine, node, own.str())) {
    return;
  }
  std::uint32_t instance_depth = engine.evaluations[index].depth;
  for (const CrossRule& rule : node.extra->cross) {
    std::uint32_t base = engine.token.is_name ? none32 : waits_for(engine, rule, instance_depth, none32);
    if (base == none32) {
      judge_across(engine, index, rule, own, instance_depth);
      continue;
    }
    const std::uint32_t d = engine.memory.deferred.take();
    Deferred& deferred = engine.memory.deferred[d];
    deferred.evaluation = index;
    deferred.rule = &rule;
    deferred.depth = instance_depth;
    deferred.value = own;
    if (own.kind == Kind::string || own.kind == Kind::number) {
      std::string_view text = engine.memory.arena.copy(own.str());
      deferred.value.text = text.data();
    }
    deferred.next = engine.frames[base].deferred;
    engine.frames[base].deferred = d;
    engine.frames[base].listens = true;
    ++engine.evaluations[index].pending;
  }
}

void run_deferred(Engine& engine, std::uint32_t at, bool closing) {
  std::vector<std::uint32_t> list;
  for (std::uint32_t d = engine.frames[at].deferred; d != none32; d = engine.memory.deferred[d].next) {
    list.push_back(d);
  }
  engine.frames[at].deferred = none32;
  spend(engine, list.size());
  // In the order of the text. A rule that still waits goes to the front of its list, so that a list is newest first.
  std::reverse(list.begin(), list.end());
  for (std::uint32_t d : list) {
    Deferred deferred = engine.memory.deferred[d];
    std::uint32_t base = waits_for(engine, *deferred.rule, deferred.depth, closing ? at : none32);
    if (base != none32) {
      engine.memory.deferred[d].next = engine.frames[base].deferred;
      engine.frames[base].deferred = d;
      engine.frames[base].listens = true;
      continue;
    }
    engine.memory.deferred.give(d);
    judge_across(engine, deferred.evaluation, *deferred.rule, deferred.value, deferred.depth);
    Evaluation& e = engine.evaluations[deferred.evaluation];
    PLUMB_REQUIRE(e.pending > 0, "an evaluation waits for its deferred rules");
    if (--e.pending == 0 && e.closed) {
      settle(engine, deferred.evaluation);
    }
  }
}

}  // namespace plumb::contract
