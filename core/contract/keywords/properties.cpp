// properties, patternProperties, additionalProperties, propertyNames and unevaluatedProperties: which schemas the
// members of an object are asked for. They are asked as the keys come (engine/keys.hpp).
#include <string>

#include "core/contract/engine/completing.hpp"
#include "core/contract/engine/wording.hpp"
#include "core/contract/keywords/keyword.hpp"
#include "core/json/writer.hpp"

namespace plumb::contract {

using json::Kind;
using Step = Compiler::Step;

namespace {

void compile_properties(Compiler& compiler, Compiler::At& at) {
  if (!at.member.value.is(Kind::object)) {
    compiler.fail(at, "properties must be an object of schemas");
    return;
  }
  compiler.object(at.node).properties_at = at.position;
  std::uint32_t order = 0;
  for (const json::Member& entry : at.member.value.object()) {
    const Node* node = compiler.child(at, entry.value, at.below(entry.key), Step::child);
    Slot& slot = compiler.slot(at.node, entry.key);
    slot.node = node;
    slot.order = order++;
  }
}

void compile_pattern_properties(Compiler& compiler, Compiler::At& at) {
  if (!at.member.value.is(Kind::object)) {
    compiler.fail(at, "patternProperties must be an object of schemas");
    return;
  }
  ObjectPart& o = compiler.object(at.node);
  o.pattern_properties_at = at.position;
  std::uint32_t order = 0;
  for (const json::Member& entry : at.member.value.object()) {
    const std::string where = at.below(entry.key);
    json::Value place = entry.value;
    place.from = entry.key_from;
    const std::uint32_t pattern = compiler.pattern(at, entry.key, place, where);
    o.pattern_properties.push_back({pattern, compiler.child(at, entry.value, where, Step::child), order++});
  }
}

void compile_additional(Compiler& compiler, Compiler::At& at) {
  compiler.object(at.node).additional = compiler.child(at, at.member.value, at.where, Step::child);
  compiler.object(at.node).additional_at = at.position;
}

void compile_names(Compiler& compiler, Compiler::At& at) {
  compiler.object(at.node).names = compiler.child(at, at.member.value, at.where, Step::child);
  compiler.object(at.node).names_at = at.position;
}

void compile_unevaluated(Compiler& compiler, Compiler::At& at) {
  compiler.object(at.node).unevaluated = compiler.child(at, at.member.value, at.where, Step::child);
  compiler.object(at.node).unevaluated_at = at.position;
}

std::string name_provided(const Found& found) {
  return found.finding.property.empty() || found.finding.span.to == 0
             ? provided_value(found)
             : json::excerpt(quoted(found.finding.property), shown_max);
}

std::string unknown_member(const Found& found) {
  return found.finding.property.empty() ? must_be_shown(found) : "Unknown member '" + found.finding.property + "'";
}

}  // namespace

const Keyword properties_keyword = {.vocabulary = Vocabulary::applicator, .compile = compile_properties};
const Keyword pattern_properties_keyword = {.vocabulary = Vocabulary::applicator,
                                            .compile = compile_pattern_properties};
const Keyword additional_properties_keyword = {.vocabulary = Vocabulary::applicator,
                                               .compile = compile_additional,
                                               .provided = name_provided,
                                               .message = unknown_member};
const Keyword property_names_keyword = {
    .vocabulary = Vocabulary::applicator, .since = Dialect::draft6, .compile = compile_names};
const Keyword unevaluated_properties_keyword = {.vocabulary = Vocabulary::unevaluated,
                                                .since = Dialect::draft2019_09,
                                                .compile = compile_unevaluated,
                                                .provided = name_provided,
                                                .message = unknown_member};

}  // namespace plumb::contract
