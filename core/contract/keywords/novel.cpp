// novel: the text says nothing that one of the earlier texts has said already. Its outcome is a label, too.
#include <memory>
#include <string>
#include <utility>

#include "core/contract/engine/engine.hpp"
#include "core/contract/keywords/keyword.hpp"
#include "core/json/writer.hpp"
#include "core/text/novelty.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

void compile_novel(Compiler& compiler, Compiler::At& at) {
  CrossRule rule;
  rule.kw = Kw::novel;
  if (read_object(compiler, at, {"in", "fold"}) && read_in(compiler, at, rule) &&
      read_fold_member(compiler, at, rule)) {
    add_rule(compiler, at, std::move(rule));
  }
}

// The texts to compare with. A context stays as it is, so its texts are read once for all artifacts; those of the
// artifact are read anew.
const EarlierTexts& earlier_texts(Engine& engine, const Across& call) {
  const CrossRule& rule = call.rule;
  bool stays = true;
  for (const CrossRule::Operand& operand : rule.all) {
    stays = stays && engine.program->pointer_patterns[operand.pattern].base == json::PointerBase::context;
  }
  std::unique_ptr<EarlierTexts>* slot = nullptr;
  for (std::unique_ptr<EarlierTexts>& known : engine.context.earlier_texts) {
    slot = known->rule == &rule ? &known : slot;
  }
  if (slot != nullptr && stays) {
    return **slot;
  }
  if (slot == nullptr) {
    slot = &engine.context.earlier_texts.emplace_back();
  }
  *slot = std::make_unique<EarlierTexts>();
  (*slot)->rule = &rule;
  for (const json::Value* v : call.values) {
    if (v->is(Kind::string)) {
      (*slot)->texts.push_back(v->str());
      (*slot)->index.add(v->str());
    }
  }
  return **slot;
}

void judge_novel(Engine& engine, Across& call) {
  if (!reads_any_list(engine, call) || !call.own.is(Kind::string)) {
    return;
  }
  gather_values(engine, call);
  if (!spend_compared(engine, call, true)) {
    return;
  }
  if (call.lacks_context()) {
    without_context(engine, call);
    return;
  }
  const EarlierTexts& earlier = earlier_texts(engine, call);
  const text::NoveltyResult result = earlier.index.judge(call.own.str());
  extension_of(engine, engine.evaluations[call.evaluation]).novelty = std::string(text::novelty_name(result.novelty));
  if (result.novelty == text::Novelty::fresh) {
    return;
  }
  const std::string nearest = json::excerpt(earlier.texts[result.nearest], 100);
  const std::uint32_t f = prepare_across(
      engine, call, "something that has not been said before; nearest: '" + nearest + "'", FindingClass::meaning);
  engine.found[f].limit = nearest;
  report(engine, f, engine.now);
}

}  // namespace

const Keyword novel_keyword = {
    .our_form = has_in, .compile = compile_novel, .judge_across = judge_novel, .message = [](const Found& found) {
      return "Must be new, is like '" + found.limit + "'";
    }};

}  // namespace plumb::contract
