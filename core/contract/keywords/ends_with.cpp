// endsWith: the text ends with one of these.
#include <algorithm>
#include <string>

#include "core/contract/keywords/keyword.hpp"

namespace plumb::contract {

namespace {

bool is_filled(std::string_view text) { return !text.empty(); }

void compile_ends_with(Compiler& compiler, Compiler::At& at) {
  TextRule rule;
  rule.kw = Kw::ends_with;
  if (compiler.names(at, at.member.value, is_filled, rule.lists, "a list of texts, none of them empty")) {
    compiler.add(at, std::move(rule));
  }
}

void judge_ends_with(const TextRule& rule, std::string_view text, TextOutcome& outcome) {
  constexpr std::size_t shown_bytes = 20;
  outcome.requirement = "an end that is";
  bool ends = false;
  for (const std::string& one : rule.lists) {
    outcome.requirement += (&one == &rule.lists.front() ? " '" : " or '") + one + "'";
    ends = ends || text.ends_with(one);
  }
  std::size_t from = text.size() - std::min(text.size(), shown_bytes);
  while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xC0U) == 0x80U) {
    ++from;
  }
  outcome.provided = text.substr(from);
  outcome.judgement = ends ? text::Judgement::holds : text::Judgement::broken;
}

}  // namespace

extern const Keyword ends_with_keyword;
const Keyword ends_with_keyword = {.our_form =
                                       [](const json::Value& value) {
                                         const auto items = value.array();
                                         return std::any_of(items.begin(), items.end(), [](const json::Value& item) {
                                           return item.is(json::Kind::string) && is_filled(item.str());
                                         });
                                       },
                                   .compile = compile_ends_with,
                                   .judge_text = judge_ends_with,
                                   .message =
                                       [](const Found& found) {
                                         return "Must have " + found.finding.requirement + ", and ends with '" +
                                                found.finding.provided + "'";
                                       }};

}  // namespace plumb::contract
