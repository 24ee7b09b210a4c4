// maxSentences: the text has at most so many sentences.
#include <string>

#include "core/contract/keywords/keyword.hpp"
#include "core/text/sentences.hpp"
#include "core/wording.hpp"

namespace plumb::contract {

namespace {

std::string sentences(std::uint64_t count) { return counted(count, "sentence"); }

void compile_max_sentences(Compiler& compiler, Compiler::At& at) {
  TextRule rule;
  rule.kw = Kw::max_sentences;
  const json::Value& value = at.member.value;
  if (compiler.form(at, value.is(json::Kind::number), "a whole number, 0 or greater") &&
      compiler.whole(at, &value, rule.number, "given whole numbers, 0 or greater")) {
    compiler.add(at, std::move(rule));
  }
}

void judge_max_sentences(const TextRule& rule, std::string_view text, TextOutcome& outcome) {
  const std::size_t count = text::count_sentences(text);
  outcome.size = std::to_string(count);
  outcome.limit = std::to_string(rule.number);
  outcome.requirement = "at most " + sentences(rule.number);
  outcome.provided = sentences(count);
  outcome.judgement = count > rule.number ? text::Judgement::broken : text::Judgement::holds;
}

}  // namespace

const Keyword max_sentences_keyword = {
    .compile = compile_max_sentences, .judge_text = judge_max_sentences, .message = must_have};

}  // namespace plumb::contract
