#include "core/contract/keywords/across.hpp"

#include <algorithm>
#include <utility>

#include "core/contract/engine/engine.hpp"
#include "core/json/equality.hpp"
#include "core/json/pointer.hpp"

namespace plumb::contract {

using json::Kind;

// ---------------------------------------------------------------- reading

bool read_object(Compiler& compiler, const Compiler::At& at, std::initializer_list<std::string_view> known) {
  return compiler.form(at, at.member.value.is(Kind::object), "an object") &&
         compiler.only_members(at, at.member.value, known);
}

bool read_in(Compiler& compiler, const Compiler::At& at, CrossRule& rule) {
  const json::Value* in = at.member.value.find("in");
  return compiler.form(at, in != nullptr, "given `in`") &&
         compiler.operands(at, *in, false, json::Slash::root, rule.all);
}

bool read_fold_member(Compiler& compiler, const Compiler::At& at, CrossRule& rule) {
  const json::Value* fold = at.member.value.find("fold");
  return fold == nullptr || compiler.read_fold(at, *fold, rule.fold, rule.folds);
}

bool read_by(Compiler& compiler, const Compiler::At& at, CrossRule& rule) {
  const json::Value* by = at.member.value.find("by");
  return by == nullptr || read_down(compiler, at, *by, rule.by);
}

bool read_down(Compiler& compiler, const Compiler::At& at, const json::Value& value, std::uint32_t& out) {
  if (!compiler.form(at, value.is(Kind::string), "given `by`, `this` and `that` as JSON Pointers")) {
    return false;
  }
  out = compiler.pointer(at, value.str(), json::Slash::here);
  if (out == none32) {
    return false;
  }
  const PointerPattern& pattern = compiler.program().pointer_patterns[out];
  return compiler.form(at, pattern.base == json::PointerBase::instance && pattern.levels_up == 0,
                       "given `by`, `this` and `that` as JSON Pointers that lead downwards");
}

void add_rule(Compiler& compiler, const Compiler::At& at, CrossRule rule, bool whole) {
  for (const auto* list : {&rule.all, &rule.any}) {
    for (const CrossRule::Operand& operand : *list) {
      if (operand.pattern != none32) {
        compiler.want(at.node, operand.pattern);
      }
    }
  }
  for (const CrossRule::Bound& bound : rule.bounds) {
    if (bound.pattern != none32) {
      compiler.want(at.node, bound.pattern);
    }
  }
  if (whole) {
    compiler.want(at.node, none32);
  }
  rule.position = at.position;
  compiler.extra(at.node).cross.push_back(std::move(rule));
}

// ---------------------------------------------------------------- judging

bool reads_any_list(const Engine& engine, const Across& call) {
  return call.rule.all.empty() ||
         std::any_of(call.rule.all.begin(), call.rule.all.end(), [&](const CrossRule::Operand& operand) {
           return engine.program->pointer_patterns[operand.pattern].base == json::PointerBase::context ||
                  reads_a_list(engine, operand.pattern, call.depth, call.own);
         });
}

void gather_values(Engine& engine, Across& call) {
  for (const CrossRule::Operand& operand : call.rule.all) {
    if (!gather(engine, operand.pattern, call.depth, &call.own, call.values)) {
      call.wants_context = engine.program->pointer_patterns[operand.pattern].text();
    }
  }
}

bool spend_compared(Engine& engine, const Across& call, bool reads_texts) {
  if (engine.options.steps == nullptr) {
    return true;
  }
  const std::uint64_t own_bytes = call.own.to - call.own.from;
  std::uint64_t steps = 20 + call.values.size() * (4 + (call.rule.folds ? own_bytes / 4 : 0));
  for (const json::Value* value : call.values) {
    steps += reads_texts || call.rule.folds ? value->to - value->from : 0;
  }
  if (spend(engine, steps + own_bytes)) {
    return true;
  }
  engine.evaluations[call.evaluation].undecided = true;
  return false;
}

void without_context(Engine& engine, const Across& call) {
  undecided(engine, call.evaluation, call.rule.kw, call.rule.position, 0, "the context holds nothing there",
            call.wants_context);
}

bool same(const CrossRule& rule, const json::Value& x, const json::Value& y) {
  if (rule.folds && x.is(Kind::string) && y.is(Kind::string)) {
    return text::fold(x.str(), rule.fold) == text::fold(y.str(), rule.fold);
  }
  return json::equal(x, y);
}

std::vector<const json::Value*> parts_by(const Engine& engine, const CrossRule& rule, const json::Value& value) {
  std::vector<const json::Value*> parts;
  if (rule.by == none32) {
    parts.push_back(&value);
  } else {
    gather_in(value, engine.program->pointer_patterns[rule.by], 0, parts);
  }
  return parts;
}

std::uint32_t prepare_across(Engine& engine, const Across& call, std::string requirement, FindingClass finding_class) {
  const std::uint32_t f = prepare(engine, call.evaluation, call.rule.kw, call.rule.position, 0);
  engine.found[f].finding.requirement = std::move(requirement);
  engine.found[f].finding.finding_class = finding_class;
  return f;
}

// ---------------------------------------------------------------- our form

bool is_pointer(const json::Value& value) {
  return value.is(Kind::string) && static_cast<bool>(json::parse_pattern(value.str(), json::Slash::here));
}

bool is_operands(const json::Value& value) {
  const auto is_operand = [](const json::Value& one) {
    return is_pointer(one) || (one.is(Kind::string) && one.str().starts_with("text:"));
  };
  const auto items = value.array();
  return is_operand(value) ||
         (value.is(Kind::array) && value.size > 0 && std::all_of(items.begin(), items.end(), is_operand));
}

bool has_in(const json::Value& value) {
  const json::Value* in = value.is(Kind::object) ? value.find("in") : nullptr;
  return in != nullptr && is_operands(*in);
}

}  // namespace plumb::contract
