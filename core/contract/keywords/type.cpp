#include "core/contract/keywords/type.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include "core/contract/engine/engine.hpp"
#include "core/contract/keywords/keyword.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

struct TypeName {
  std::string_view name;
  std::uint8_t bit;
  const char* words;
};
// In the order in which messages list them.
constexpr TypeName type_names[] = {{"object", type_object, "an object"},
                                   {"array", type_array, "an array"},
                                   {"string", type_string, "a string"},
                                   {"number", type_number, "a number"},
                                   {"integer", type_integer, "an integer"},
                                   {"boolean", type_boolean, "a boolean"},
                                   {"null", type_null, "null"}};

std::uint8_t type_bit(std::string_view name) {
  for (const TypeName& known : type_names) {
    if (known.name == name) {
      return known.bit;
    }
  }
  return 0;
}

// "a string", "a string or null".
std::string type_words(std::uint8_t types) {
  std::vector<const char*> parts;
  for (const TypeName& known : type_names) {
    if ((types & known.bit) != 0) {
      parts.push_back(known.words);
    }
  }
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    out += i == 0 ? "" : i + 1 == parts.size() ? " or " : ", ";
    out += parts[i];
  }
  return out;
}

void compile_type(Compiler& compiler, Compiler::At& at) {
  const json::Value& value = at.member.value;
  std::vector<std::string_view> names;
  if (value.is(Kind::string)) {
    names.push_back(value.str());
  } else if (!value.is(Kind::array) || value.size == 0 || !compiler.string_list(at, value, at.where, names)) {
    compiler.fail(at, "type must be a type's name or a list of them");
    return;
  }
  std::uint8_t bits = 0;
  for (const std::string_view name : names) {
    const std::uint8_t bit = type_bit(name);
    if (bit == 0) {
      compiler.fail(at, "unknown type; known are null, boolean, number, integer, string, array and object");
      return;
    }
    bits = static_cast<std::uint8_t>(bits | bit);
  }
  if ((bits & type_number) != 0) {
    bits = static_cast<std::uint8_t>(bits & ~type_integer);
  }
  at.node.types = bits;
  at.node.type_at = at.position;
  at.node.plain_integer = at.resource.dialect == Dialect::draft4;
}

}  // namespace

std::string type_requirement(const Node& node) {
  return node.types == type_any ? std::string() : ", " + type_words(node.types);
}

void judge_type(Engine& engine, std::uint32_t index, Kind kind, std::uint64_t decided) {
  const Node& node = *engine.evaluations[index].node;
  if (kind == Kind::number && (node.types & type_integer) != 0) {
    return;  // known at its end
  }
  const std::uint32_t f = prepare(engine, index, Kw::type, node.type_at, 0);
  engine.found[f].finding.requirement = type_words(node.types);
  report(engine, f, decided);
}

void judge_integer(Engine& engine, std::uint32_t index) {
  const Node& node = *engine.evaluations[index].node;
  if ((node.types & type_integer) == 0) {
    return;
  }
  const bool holds = node.plain_integer ? engine.token.text.find_first_of(".eE") == std::string_view::npos
                                        : engine.token.decimal.is_integer();
  if (!holds) {
    const std::uint32_t f = prepare(engine, index, Kw::type, node.type_at, 0);
    engine.found[f].finding.requirement = type_words(node.types);
    report(engine, f, engine.now);
  }
}

const Keyword type_keyword = {
    .vocabulary = Vocabulary::validation, .compile = compile_type, .provided = [](const Found& found) {
      return found.kind == Kind::array ? "an array" : found.kind == Kind::object ? "an object" : provided_value(found);
    }};

}  // namespace plumb::contract
