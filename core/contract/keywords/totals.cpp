// countOf and sumOf: how many values there are, or their sum, against numbers or numbers of the artifact.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/contract/engine/engine.hpp"
#include "core/contract/keywords/keyword.hpp"
#include "core/json/decimal.hpp"

namespace plumb::contract {

using json::Kind;
using BoundKind = CrossRule::Bound::Kind;

namespace {

// What the total is compared with, by the member that says so and in words.
struct BoundForm {
  BoundKind kind;
  std::string_view member;
  const char* words;
};
constexpr BoundForm bound_forms[] = {{BoundKind::equals, "equals", "exactly "},
                                     {BoundKind::min, "min", "at least "},
                                     {BoundKind::max, "max", "at most "}};

const char* words_of(BoundKind kind) { return bound_forms[static_cast<std::size_t>(kind)].words; }

bool read_bounds(Compiler& compiler, const Compiler::At& at, std::vector<CrossRule::Bound>& out) {
  for (const BoundForm& form : bound_forms) {
    const json::Value* v = at.member.value.find(form.member);
    if (v == nullptr) {
      continue;
    }
    CrossRule::Bound bound;
    bound.kind = form.kind;
    if (v->is(Kind::number)) {
      json::Decimal d;
      if (!compiler.number(at, *v, at.where, d)) {
        return false;
      }
      bound.text = std::string(v->str());
      bound.number = std::move(d);
    } else if (v->is(Kind::string)) {
      bound.pattern = compiler.pointer(at, v->str(), json::Slash::here);
      if (bound.pattern == none32) {
        return false;
      }
    } else {
      return compiler.form(at, false, "given equals, min and max as numbers or JSON Pointers");
    }
    out.push_back(std::move(bound));
  }
  return compiler.form(at, !out.empty(), "given at least one of equals, min and max");
}

void compile_total(Compiler& compiler, Compiler::At& at, Kw kw) {
  CrossRule rule;
  rule.kw = kw;
  if (!read_object(compiler, at, {"in", "equals", "min", "max"})) {
    return;
  }
  if (const json::Value* in = at.member.value.find("in")) {
    if (!compiler.operands(at, *in, false, json::Slash::here, rule.all)) {
      return;
    }
  } else {
    CrossRule::Operand own;
    own.pattern = compiler.pointer(at, "/*", json::Slash::here);
    rule.all.push_back(own);
  }
  if (read_bounds(compiler, at, rule.bounds)) {
    add_rule(compiler, at, std::move(rule));
  }
}

// The sum of those that are numbers: the type of the others is a rule of its own. None where it is beyond the limits.
std::optional<json::Decimal> sum(const Engine& engine, const std::vector<const json::Value*>& values) {
  const std::uint32_t exponent_max = engine.options.limits.exponent_max;
  json::Decimal total = json::Decimal::from_int64(0);
  for (const json::Value* v : values) {
    if (!v->is(Kind::number)) {
      continue;
    }
    json::Decimal d;
    json::Decimal next;
    if (json::Decimal::read(v->str(), exponent_max, d) != json::DecimalStatus::ok ||
        total.add(d, exponent_max, next) != json::DecimalStatus::ok) {
      return std::nullopt;
    }
    total = next;
  }
  return total;
}

void report_total(Engine& engine, const Across& call, const json::Decimal& total, BoundKind kind,
                  const std::string& limit, std::uint64_t sub) {
  const std::uint32_t f = prepare(engine, call.evaluation, call.rule.kw, call.rule.position, sub);
  Found& found = engine.found[f];
  found.finding.requirement = (call.rule.kw == Kw::sum_of ? "a sum of " : "a count of ") + (words_of(kind) + limit);
  found.finding.provided = total.canonical();
  found.finding.finding_class = FindingClass::count;
  found.size = total.canonical();
  found.limit = limit;
  report(engine, f, engine.now);
}

void judge_total(Engine& engine, Across& call) {
  const CrossRule& rule = call.rule;
  gather_values(engine, call);
  if (call.lacks_context()) {
    without_context(engine, call);
    return;
  }
  const std::optional<json::Decimal> total =
      rule.kw == Kw::sum_of ? sum(engine, call.values) : json::Decimal::from_uint64(call.values.size());
  if (!total) {
    undecided(engine, call.evaluation, rule.kw, rule.position, 0, "a number is beyond the limits", "", true);
    return;
  }
  std::uint64_t sub = 0;
  for (const CrossRule::Bound& bound : rule.bounds) {
    json::Decimal limit;
    std::string limit_text = bound.text;
    if (bound.pattern != none32) {
      std::vector<const json::Value*> limits;
      const std::string place = engine.program->pointer_patterns[bound.pattern].text();
      if (!gather(engine, bound.pattern, call.depth, &call.own, limits)) {
        call.wants_context = place;
        without_context(engine, call);
        return;
      }
      if (limits.empty() || !limits.front()->is(Kind::number) ||
          json::Decimal::read(limits.front()->str(), engine.options.limits.exponent_max, limit) !=
              json::DecimalStatus::ok) {
        undecided(engine, call.evaluation, rule.kw, rule.position, sub++, "there is no number at " + place, "", true);
        continue;
      }
      limit_text = std::string(limits.front()->str());
    } else {
      limit = *bound.number;
    }
    const int order = json::compare(*total, limit);
    const bool good = bound.kind == BoundKind::equals ? order == 0
                      : bound.kind == BoundKind::min  ? order >= 0
                                                      : order <= 0;
    if (!good) {
      report_total(engine, call, *total, bound.kind, limit_text, sub);
    }
    ++sub;
  }
}

bool has_total_form(const json::Value& value) {
  const auto names = [&](std::string_view name) {
    const json::Value* limit = value.find(name);
    return limit != nullptr && (limit->is(Kind::number) || is_pointer(*limit));
  };
  return has_in(value) || names("equals") || names("min") || names("max");
}

std::string total_message(const Found& found) {
  return "Must have " + found.finding.requirement + " (is " + found.size + ")";
}

}  // namespace

const Keyword count_of_keyword = {
    .our_form = has_total_form,
    .compile = [](Compiler& compiler, Compiler::At& at) { compile_total(compiler, at, Kw::count_of); },
    .judge_across = judge_total,
    .message = total_message};

const Keyword sum_of_keyword = {
    .our_form = has_total_form,
    .compile = [](Compiler& compiler, Compiler::At& at) { compile_total(compiler, at, Kw::sum_of); },
    .judge_across = judge_total,
    .message = total_message};

}  // namespace plumb::contract
