// singleUnknown: the text asks for one thing.
#include <string>

#include "core/contract/keywords/keyword.hpp"
#include "core/text/unknowns.hpp"

namespace plumb::contract {

namespace {

void compile_single_unknown(Compiler& compiler, Compiler::At& at) {
  const json::Value& value = at.member.value;
  if (compiler.form(at, value.is(json::Kind::boolean), "true or false") && value.boolean) {
    TextRule rule;
    rule.kw = Kw::single_unknown;
    compiler.add(at, std::move(rule));
  }
}

void judge_single_unknown(const TextRule&, std::string_view text, TextOutcome& outcome) {
  const text::UnknownsResult result = text::single_unknown(text);
  outcome.judgement = result.outcome;
  outcome.requirement = "one question about one unknown";
  for (const text::UnknownsEvidence& e : result.evidence) {
    outcome.provided +=
        (outcome.provided.empty() ? "" : "; ") + std::string(e.what) + ": " + std::string(text::piece(text, e.where));
  }
  outcome.reason = "it may ask for more than one unknown";
}

}  // namespace

const Keyword single_unknown_keyword = {
    .compile = compile_single_unknown, .judge_text = judge_single_unknown, .message = [](const Found& found) {
      return "Must ask for one thing: " + found.finding.provided;
    }};

}  // namespace plumb::contract
