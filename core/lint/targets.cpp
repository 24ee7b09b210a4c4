// What is lost or costs much when something is derived from the contract: core/derive tells, lint shows where.
#include "core/derive/derive.hpp"

#include "core/json/number_text.hpp"
#include "core/json/pointer.hpp"
#include "core/lint/looking.hpp"

namespace plumb::lint {

namespace {

void place(LintFinding& finding, const json::Value& root, const std::string& pointer) {
  const json::Value* value = pointer.empty() || pointer.front() == '/' ? json::resolve(root, pointer) : nullptr;
  if (value == nullptr) {
    return;  // in another document: told at the root
  }
  finding.at = pointer;
  finding.span.from = value->from;
  finding.span.to = value->to;
}

void dropped(Looking& looking, const contract::Contract& contract, const derive::TargetName& target) {
  const Node& root = looking.program.nodes[0];
  const Result<derive::Derived> derived = derive::derive(contract, target.target);
  if (!derived) {
    LintFinding& finding = looking.add("target-refuses", root, "",
                                       std::string(target.name) + " cannot be derived: " + derived.error().message);
    place(finding, *root.schema, derived.error().where);
    return;
  }
  for (const derive::ResidualRule& rule : derived.value().residual) {
    LintFinding& finding =
        looking.add("target-drops", root, "",
                    std::string(target.name) + " does not enforce '" + rule.keyword + "': " + rule.sentence);
    place(finding, *root.schema, rule.schema_location);
  }
}

}  // namespace

void look_at_targets(Looking& looking, const contract::Contract& contract, const LintOptions& options) {
  for (const std::string& name : options.targets) {
    if (const derive::TargetName* target = derive::target_named(name)) {
      dropped(looking, contract, *target);
    }
  }
  if (options.prompt_tokens_max == 0) {
    return;
  }
  const Result<derive::Derived> prompt = derive::derive(contract, derive::Target::prompt);
  if (prompt && prompt.value().tokens.likely > options.prompt_tokens_max) {
    looking.add("prompt-costs", looking.program.nodes[0], "",
                "the prompt of this contract has about " + json::uint_text(prompt.value().tokens.likely) +
                    " tokens, and each call pays for them");
  }
}

}  // namespace plumb::lint
