// allOf, anyOf, oneOf, not, if with then and else, dependentSchemas and `dependencies`: schemas that apply to the same
// instance. What their alternatives come to is decided by groups (engine/branches.hpp, engine/outcomes.hpp).
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/contract/keywords/keyword.hpp"
#include "core/contract/keywords/required.hpp"
#include "core/json/pointer.hpp"

namespace plumb::contract {

using json::Kind;
using Step = Compiler::Step;

namespace {

InPlace& add_in_place(Compiler::At& at, Kw kw, const Node* node) {
  return at.node.in_place.emplace_back(kw, at.position, node);
}

void compile_all_of(Compiler& compiler, Compiler::At& at) {
  std::uint32_t order = 0;
  for (const Node* node : compiler.children(at, Step::in_place)) {
    add_in_place(at, Kw::all_of, node).order = order++;
  }
}

template <Kw kw>
void compile_branches(Compiler& compiler, Compiler::At& at) {
  std::vector<const Node*> branches = compiler.children(at, Step::in_place);
  add_in_place(at, kw, nullptr).branches = std::move(branches);
}

void compile_not(Compiler& compiler, Compiler::At& at) {
  add_in_place(at, Kw::not_, compiler.child(at, at.member.value, at.where, Step::in_place));
}

void compile_if(Compiler& compiler, Compiler::At& at) {
  const json::Value& schema = *at.node.schema;
  const std::string parent = at.where.substr(0, at.where.size() - std::string_view("/if").size());
  const Node* condition = compiler.child(at, at.member.value, at.where, Step::in_place);
  const auto branch = [&](const char* name) -> const Node* {
    const json::Value* value = schema.find(name);
    return value == nullptr ? nullptr : compiler.child(at, *value, parent + "/" + name, Step::in_place);
  };
  const Node* then_node = branch("then");
  const Node* else_node = branch("else");
  InPlace& in = add_in_place(at, Kw::if_, condition);
  in.then_node = then_node;
  in.else_node = else_node;
  Position position = 0;
  for (const json::Member& member : schema.object()) {
    if (member.key == "then") {
      in.then_at = position;
    } else if (member.key == "else") {
      in.else_at = position;
    }
    ++position;
  }
}

void compile_dependent(Compiler& compiler, Compiler::At& at, const json::Member& entry, const std::string& where,
                       std::uint32_t order) {
  InPlace& in = add_in_place(at, Kw::dependent_schemas, compiler.child(at, entry.value, where, Step::in_place));
  in.key = entry.key;
  in.order = order;
  compiler.slot(at.node, entry.key).dependent_schema = static_cast<std::uint32_t>(at.node.in_place.size() - 1);
}

void compile_dependent_schemas(Compiler& compiler, Compiler::At& at) {
  if (!at.member.value.is(Kind::object)) {
    compiler.fail(at, "dependentSchemas must be an object of schemas");
    return;
  }
  std::uint32_t order = 0;
  for (const json::Member& entry : at.member.value.object()) {
    compile_dependent(compiler, at, entry, at.below(entry.key), order++);
  }
}

// Draft 7's, which 2019-09 and 2020-12 keep for compatibility: a schema, or a list of keys.
void compile_dependencies(Compiler& compiler, Compiler::At& at) {
  if (!at.member.value.is(Kind::object)) {
    compiler.fail(at, "dependencies must be an object");
    return;
  }
  std::uint32_t order = 0;
  for (const json::Member& entry : at.member.value.object()) {
    const std::string where = at.below(entry.key);
    if (!entry.value.is(Kind::array)) {
      compile_dependent(compiler, at, entry, where, order++);
    } else if (!compile_dependent_keys(compiler, at, Kw::dependencies, order++, entry, where)) {
      return;
    }
  }
}

std::string matches_one(const Found& found) {
  return "Must match exactly one of the alternatives, matches " +
         (found.size == "0" ? std::string("none") : std::string("several"));
}

}  // namespace

const Keyword all_of_keyword = {.vocabulary = Vocabulary::applicator, .compile = compile_all_of};
const Keyword any_of_keyword = {
    .vocabulary = Vocabulary::applicator, .compile = compile_branches<Kw::any_of>, .message = [](const Found&) {
      return std::string("Must match at least one of the alternatives, matches none");
    }};
const Keyword one_of_keyword = {
    .vocabulary = Vocabulary::applicator, .compile = compile_branches<Kw::one_of>, .message = matches_one};
const Keyword not_keyword = {.vocabulary = Vocabulary::applicator, .compile = compile_not, .message = [](const Found&) {
                               return std::string("Must not be what `not` describes");
                             }};
const Keyword if_keyword = {.vocabulary = Vocabulary::applicator, .since = Dialect::draft7, .compile = compile_if};
const Keyword dependent_schemas_keyword = {
    .vocabulary = Vocabulary::applicator, .since = Dialect::draft2019_09, .compile = compile_dependent_schemas};
const Keyword dependencies_keyword = {.vocabulary = Vocabulary::applicator,
                                      .compile = compile_dependencies,
                                      .provided = nothing_provided,
                                      .message = missing_member};

}  // namespace plumb::contract
