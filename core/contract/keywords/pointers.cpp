// pointers: schemas for what pointers lead to, below the instance or in the context.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/contract/keywords/keyword.hpp"

namespace plumb::contract {

using json::Kind;
using Step = Compiler::Step;

namespace {

void compile_pointers(Compiler& compiler, Compiler::At& at) {
  const json::Value& value = at.member.value;
  if (!compiler.form(at, value.is(Kind::object), "an object from JSON Pointer to schema")) {
    return;
  }
  std::uint32_t order = 0;
  std::vector<InPlace> in_place;
  std::vector<PointedSchema> apart;
  for (const json::Member& entry : value.object()) {
    PointedSchema pointed;
    pointed.pattern = compiler.pointer(at, entry.key, json::Slash::here);
    if (pointed.pattern == none32) {
      return;
    }
    const PointerPattern& pattern = compiler.program().pointer_patterns[pointed.pattern];
    const bool of_context = pattern.base == json::PointerBase::context;
    if (!compiler.form(at, of_context || pattern.levels_up == 0,
                       "given pointers that lead downwards or into the context")) {
      return;
    }
    const bool here = pattern.base == json::PointerBase::instance && pattern.tokens.empty();
    const Step step = here ? Step::in_place : of_context ? Step::apart : Step::path;
    pointed.node = compiler.child(at, entry.value, at.below(entry.key), step, pointed.pattern);
    pointed.position = at.position;
    pointed.order = order++;
    if (pointed.node == nullptr) {
      return;
    }
    if (here) {
      in_place.emplace_back(Kw::pointers, at.position, pointed.node).order = pointed.order;
    } else {
      apart.push_back(pointed);
    }
  }
  for (InPlace& in : in_place) {
    at.node.in_place.push_back(std::move(in));
  }
  if (!apart.empty()) {
    auto& pointed = compiler.extra(at.node).pointed;
    pointed.insert(pointed.end(), apart.begin(), apart.end());
  }
}

bool has_pointer_to_schema(const json::Value& value) {
  const auto members = value.object();
  return std::any_of(members.begin(), members.end(), [](const json::Member& member) {
    return (member.key.starts_with('/') || member.key.starts_with("context:")) &&
           (member.value.is(Kind::object) || member.value.is(Kind::boolean));
  });
}

}  // namespace

const Keyword pointers_keyword = {
    .our_form = has_pointer_to_schema, .compile = compile_pointers, .message = [](const Found& found) {
      return found.rule_message.empty() ? must_be_shown(found) : found.rule_message;
    }};

}  // namespace plumb::contract
