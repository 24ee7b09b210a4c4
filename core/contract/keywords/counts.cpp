#include "core/contract/keywords/counts.hpp"

#include <string>

#include "core/contract/engine/engine.hpp"
#include "core/contract/keywords/keyword.hpp"

namespace plumb::contract {

namespace {

void report_count(Engine& engine, std::uint32_t index, Kw kw, Position position, const std::string& words,
                  std::uint64_t limit, std::uint64_t decided) {
  const std::uint32_t f = prepare(engine, index, kw, position, 0);
  Found& found = engine.found[f];
  found.limit = std::to_string(limit);
  found.finding.requirement = words + found.limit;
  found.finding.requirement += kw == Kw::min_items || kw == Kw::max_items ? " item" : " member";
  found.finding.requirement += limit == 1 ? "" : "s";
  found.finding.finding_class = FindingClass::count;
  report(engine, f, decided);
}

void compile_max_items(Compiler& compiler, Compiler::At& at) {
  ArrayPart& a = compiler.array(at.node);
  a.max_items_at = at.position;
  compiler.count(at, a.max_items);
}

void compile_min_items(Compiler& compiler, Compiler::At& at) {
  ArrayPart& a = compiler.array(at.node);
  a.min_items_at = at.position;
  compiler.count(at, a.min_items);
}

void compile_max_properties(Compiler& compiler, Compiler::At& at) {
  ObjectPart& o = compiler.object(at.node);
  o.max_properties_at = at.position;
  compiler.count(at, o.max_properties);
}

void compile_min_properties(Compiler& compiler, Compiler::At& at) {
  ObjectPart& o = compiler.object(at.node);
  o.min_properties_at = at.position;
  compiler.count(at, o.min_properties);
}

}  // namespace

void report_too_many(Engine& engine, std::uint32_t index, const ArrayPart& a, std::uint64_t decided) {
  report_count(engine, index, Kw::max_items, a.max_items_at, "at most ", a.max_items, decided);
}

void report_too_many(Engine& engine, std::uint32_t index, const ObjectPart& o, std::uint64_t decided) {
  report_count(engine, index, Kw::max_properties, o.max_properties_at, "at most ", o.max_properties, decided);
}

void judge_count(Engine& engine, std::uint32_t index, const ArrayPart& a, std::uint64_t count) {
  if (count < a.min_items) {
    report_count(engine, index, Kw::min_items, a.min_items_at, "at least ", a.min_items, engine.now);
  }
}

void judge_count(Engine& engine, std::uint32_t index, const ObjectPart& o, std::uint64_t count) {
  if (count < o.min_properties) {
    report_count(engine, index, Kw::min_properties, o.min_properties_at, "at least ", o.min_properties, engine.now);
  }
}

const Keyword max_items_keyword = {
    .vocabulary = Vocabulary::validation, .compile = compile_max_items, .message = must_have};
const Keyword min_items_keyword = {
    .vocabulary = Vocabulary::validation, .compile = compile_min_items, .message = must_have};
const Keyword max_properties_keyword = {
    .vocabulary = Vocabulary::validation, .compile = compile_max_properties, .message = must_have};
const Keyword min_properties_keyword = {
    .vocabulary = Vocabulary::validation, .compile = compile_min_properties, .message = must_have};

}  // namespace plumb::contract
