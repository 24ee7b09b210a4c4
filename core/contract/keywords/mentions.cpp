// mentions: the text names all, or one, of the terms that are given or read.
#include <string>
#include <utility>

#include "core/contract/engine/engine.hpp"
#include "core/contract/keywords/keyword.hpp"
#include "core/json/writer.hpp"
#include "core/text/mentions.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

void compile_mentions(Compiler& compiler, Compiler::At& at) {
  CrossRule rule;
  rule.kw = Kw::mentions;
  if (!read_object(compiler, at, {"all", "any"})) {
    return;
  }
  const json::Value* all = at.member.value.find("all");
  const json::Value* any = at.member.value.find("any");
  if (compiler.form(at, all != nullptr || any != nullptr, "given `all` or `any`") &&
      (all == nullptr || compiler.operands(at, *all, true, json::Slash::root, rule.all)) &&
      (any == nullptr || compiler.operands(at, *any, true, json::Slash::root, rule.any))) {
    add_rule(compiler, at, std::move(rule));
  }
}

// What the text says of the terms of a list.
struct Mentioned {
  bool one = false;
  bool unsure = false;
  bool spent = false;  // the budget of steps, so that nothing is known
  std::string lacking;
};

Mentioned look_for(Engine& engine, Across& call, const std::vector<CrossRule::Operand>& operands) {
  Mentioned out;
  out.one = operands.empty();
  for (const CrossRule::Operand& operand : operands) {
    std::vector<const json::Value*> terms;
    json::Value literal;
    if (operand.pattern == none32) {
      literal.kind = Kind::string;
      literal.text = operand.literal.data();
      literal.size = static_cast<std::uint32_t>(operand.literal.size());
      terms.push_back(&literal);
    } else if (!gather(engine, operand.pattern, call.depth, &call.own, terms)) {
      call.wants_context = engine.program->pointer_patterns[operand.pattern].text();
      continue;
    }
    for (const json::Value* term : terms) {
      if (!term->is(Kind::string) || term->size == 0) {
        continue;
      }
      if (!spend(engine, 20 + call.own.size + term->size)) {
        engine.evaluations[call.evaluation].undecided = true;
        out.spent = true;
        return out;
      }
      const text::Judgement outcome = text::find_mention(call.own.str(), term->str()).outcome;
      out.one = out.one || outcome == text::Judgement::holds;
      out.unsure = out.unsure || outcome == text::Judgement::undecided;
      if (outcome == text::Judgement::broken) {
        out.lacking += (out.lacking.empty() ? "'" : ", '") + json::excerpt(std::string(term->str()), 100) + "'";
      }
    }
  }
  return out;
}

void judge_list(Engine& engine, Across& call, const std::vector<CrossRule::Operand>& operands, bool any) {
  const Mentioned said = look_for(engine, call, operands);
  if (said.spent) {
    return;
  }
  const std::uint64_t sub = any ? 1 : 0;
  const bool bad = !said.lacking.empty() && !(any && (said.one || said.unsure));
  if (bad) {
    const std::uint32_t f = prepare(engine, call.evaluation, Kw::mentions, call.rule.position, sub);
    engine.found[f].finding.requirement =
        (any ? "text that mentions one of " : "text that mentions ") + json::excerpt(said.lacking, 200);
    engine.found[f].finding.finding_class = FindingClass::meaning;
    report(engine, f, engine.now);
  } else if (call.lacks_context() && !(any && said.one)) {
    without_context(engine, call);
  } else if (said.unsure && !(any && said.one)) {
    undecided(engine, call.evaluation, Kw::mentions, call.rule.position, sub,
              "it cannot be told whether the text mentions it", "");
  }
}

void judge_mentions(Engine& engine, Across& call) {
  if (!call.own.is(Kind::string)) {
    return;
  }
  judge_list(engine, call, call.rule.all, false);
  if (!call.rule.any.empty()) {
    judge_list(engine, call, call.rule.any, true);
  }
}

}  // namespace

const Keyword mentions_keyword = {.our_form =
                                      [](const json::Value& value) {
                                        const auto names = [&](std::string_view name) {
                                          const json::Value* list = value.find(name);
                                          return list != nullptr && is_operands(*list);
                                        };
                                        return names("all") || names("any");
                                      },
                                  .compile = compile_mentions,
                                  .judge_across = judge_mentions,
                                  .message = must_be};

}  // namespace plumb::contract
