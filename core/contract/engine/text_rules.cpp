#include "core/contract/engine/text_rules.hpp"

#include <utility>

#include "core/contract/engine/engine.hpp"
#include "core/contract/keywords/keyword.hpp"
#include "core/json/writer.hpp"

namespace plumb::contract {

void check_text_rules(Engine& engine, std::uint32_t index) {
  const StringPart& s = *engine.evaluations[index].node->string;
  std::uint64_t sub = 0;
  for (const TextRule& rule : s.text_rules) {
    TextOutcome outcome;
    keyword_of(rule.kw)->judge_text(rule, engine.token.text, outcome);
    if (outcome.judgement == text::Judgement::undecided) {
      undecided(engine, index, rule.kw, rule.position, sub, outcome.reason, "");
    } else if (outcome.judgement == text::Judgement::broken) {
      const std::uint32_t f = prepare(engine, index, rule.kw, rule.position, sub);
      Found& found = engine.found[f];
      found.finding.requirement = std::move(outcome.requirement);
      found.finding.provided = json::excerpt(outcome.provided, 200);
      found.finding.finding_class = FindingClass::meaning;
      found.size = std::move(outcome.size);
      found.limit = std::move(outcome.limit);
      report(engine, f, engine.now);
    }
    ++sub;
  }
}

}  // namespace plumb::contract
