// facts: the text holds at least so many concrete facts, perhaps of certain kinds and near its beginning.
#include <algorithm>
#include <string>

#include "core/contract/keywords/keyword.hpp"
#include "core/text/facts.hpp"
#include "core/wording.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

constexpr std::string_view numbers_wanted = "given whole numbers, 0 or greater";

bool is_kind(std::string_view name) { return text::fact_kind_named(name).has_value(); }

void compile_facts(Compiler& compiler, Compiler::At& at) {
  TextRule rule;
  rule.kw = Kw::facts;
  rule.min = 1;
  const json::Value& value = at.member.value;
  if (!compiler.form(at, value.is(Kind::object), "an object {within, min, kinds}") ||
      !compiler.only_members(at, value, {"within", "min", "kinds"}) ||
      !compiler.whole(at, value.find("within"), rule.within, numbers_wanted) ||
      !compiler.whole(at, value.find("min"), rule.min, numbers_wanted)) {
    return;
  }
  const json::Value* kinds = value.find("kinds");
  if (kinds == nullptr ||
      compiler.names(at, *kinds, is_kind, rule.lists,
                     "given kinds as a list of \"number\", \"date\", \"name\", \"countable\", \"url\", \"quote\", "
                     "\"evidence\"")) {
    compiler.add(at, std::move(rule));
  }
}

void judge_facts(const TextRule& rule, std::string_view text, TextOutcome& outcome) {
  text::FactKinds kinds = rule.lists.empty() ? text::all_facts : text::FactKinds{0};
  std::string named;
  for (const std::string& name : rule.lists) {
    kinds = static_cast<text::FactKinds>(kinds | text::fact_bit(*text::fact_kind_named(name)));
    named += (named.empty() ? "" : ", ") + name;
  }
  const std::size_t within = rule.within == no_bound ? text::whole_text : static_cast<std::size_t>(rule.within);
  std::size_t count = 0;
  outcome.judgement = text::has_facts(text, kinds, static_cast<std::size_t>(rule.min), within, &count);
  outcome.size = std::to_string(count);
  outcome.limit = std::to_string(rule.min);
  outcome.requirement = "at least " + counted(rule.min, "concrete fact");
  if (!named.empty()) {
    outcome.requirement += " (" + named + ")";
  }
  if (rule.within != no_bound) {
    outcome.requirement += " within the first " + counted(rule.within, "character");
  }
  outcome.provided = outcome.size + (count == 1 ? " fact" : " facts");
  outcome.reason = "facts of this kind cannot be told in this text";
}

bool has_facts_form(const json::Value& value) {
  const auto is_number = [&](std::string_view name) {
    const json::Value* number = value.find(name);
    return number != nullptr && number->is(Kind::number);
  };
  const json::Value* kinds = value.find("kinds");
  const auto items = kinds == nullptr ? value.array() : kinds->array();
  return value.is(Kind::object) && (is_number("within") || is_number("min") ||
                                    std::any_of(items.begin(), items.end(), [](const json::Value& item) {
                                      return item.is(Kind::string) && is_kind(item.str());
                                    }));
}

}  // namespace

const Keyword facts_keyword = {
    .our_form = has_facts_form, .compile = compile_facts, .judge_text = judge_facts, .message = must_have};

}  // namespace plumb::contract
