// items, prefixItems, additionalItems, contains with its bounds, and unevaluatedItems: which schemas the items of an
// array are asked for. They are asked as the items begin (engine/containers.hpp); how many `contains` found is counted
// by groups.
#include <string>

#include "core/contract/keywords/keyword.hpp"

namespace plumb::contract {

using json::Kind;
using Step = Compiler::Step;

namespace {

void compile_prefix_items(Compiler& compiler, Compiler::At& at) {
  ArrayPart& a = compiler.array(at.node);
  a.prefix_at = at.position;
  a.prefix = compiler.children(at, Step::child);
}

// Before 2020-12 `items` may be a list, which is prefixItems; additionalItems is then for those behind it.
void compile_items(Compiler& compiler, Compiler::At& at) {
  const json::Value& value = at.member.value;
  ArrayPart& a = compiler.array(at.node);
  if (at.resource.dialect >= Dialect::draft2020_12 || !value.is(Kind::array)) {
    a.items = compiler.child(at, value, at.where, Step::child);
    a.items_at = at.position;
    return;
  }
  a.prefix_at = at.position;
  std::size_t i = 0;
  for (const json::Value& item : value.array()) {
    a.prefix.push_back(compiler.child(at, item, at.where + "/" + std::to_string(i++), Step::child));
  }
}

void compile_additional_items(Compiler& compiler, Compiler::At& at) {
  const json::Value* items = at.node.schema->find("items");
  if (at.resource.dialect >= Dialect::draft2020_12 || items == nullptr || !items->is(Kind::array)) {
    return;
  }
  ArrayPart& a = compiler.array(at.node);
  a.items = compiler.child(at, at.member.value, at.where, Step::child);
  a.items_kw = Kw::additional_items;
  a.items_at = at.position;
}

ContainsPart& contains_of(Compiler& compiler, Node& node) {
  ArrayPart& a = compiler.array(node);
  if (!a.contains) {
    a.contains.emplace();
  }
  return *a.contains;
}

void compile_contains(Compiler& compiler, Compiler::At& at) {
  const Node* node = compiler.child(at, at.member.value, at.where, Step::child);
  ContainsPart& contains = contains_of(compiler, at.node);
  contains.node = node;
  contains.position = at.position;
  at.node.array->contains_evaluates = at.resource.dialect >= Dialect::draft2020_12;
}

void compile_min_contains(Compiler& compiler, Compiler::At& at) {
  ContainsPart& contains = contains_of(compiler, at.node);
  contains.has_min = true;
  contains.min_at = at.position;
  compiler.count(at, contains.min);
}

void compile_max_contains(Compiler& compiler, Compiler::At& at) {
  ContainsPart& contains = contains_of(compiler, at.node);
  contains.max_at = at.position;
  compiler.count(at, contains.max);
}

void compile_unevaluated(Compiler& compiler, Compiler::At& at) {
  compiler.array(at.node).unevaluated = compiler.child(at, at.member.value, at.where, Step::child);
  compiler.array(at.node).unevaluated_at = at.position;
}

}  // namespace

const Keyword prefix_items_keyword = {
    .vocabulary = Vocabulary::applicator, .since = Dialect::draft2020_12, .compile = compile_prefix_items};
const Keyword items_keyword = {.vocabulary = Vocabulary::applicator, .compile = compile_items};
const Keyword additional_items_keyword = {.vocabulary = Vocabulary::applicator, .compile = compile_additional_items};
const Keyword contains_keyword = {
    .vocabulary = Vocabulary::applicator, .since = Dialect::draft6, .compile = compile_contains, .message = must_have};
const Keyword min_contains_keyword = {.vocabulary = Vocabulary::validation,
                                      .since = Dialect::draft2019_09,
                                      .compile = compile_min_contains,
                                      .message = must_have};
const Keyword max_contains_keyword = {.vocabulary = Vocabulary::validation,
                                      .since = Dialect::draft2019_09,
                                      .compile = compile_max_contains,
                                      .message = must_have};
const Keyword unevaluated_items_keyword = {
    .vocabulary = Vocabulary::unevaluated, .since = Dialect::draft2019_09, .compile = compile_unevaluated};

}  // namespace plumb::contract
