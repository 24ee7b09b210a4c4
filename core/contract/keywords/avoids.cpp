// avoids: the text has no phrase of the named lists.
#include <algorithm>
#include <string>

#include "core/contract/keywords/keyword.hpp"
#include "core/text/phrases.hpp"

namespace plumb::contract {

namespace {

bool is_list(std::string_view name) { return text::phrase_list_named(name).has_value(); }

void compile_avoids(Compiler& compiler, Compiler::At& at) {
  TextRule rule;
  rule.kw = Kw::avoids;
  if (compiler.names(at, at.member.value, is_list, rule.lists,
                     "a list of phrase lists: \"vague\", \"exploratory\", \"opinion\", \"vibe\", \"search-operators\", "
                     "\"keyword-soup\", \"bare-topic\", \"unanchored\"")) {
    compiler.add(at, std::move(rule));
  }
}

// A hit as the finding shows it.
std::string_view shown(text::PhraseList list, std::string_view text, const text::PhraseHit& hit) {
  return list == text::PhraseList::keyword_soup ? "keywords without a sentence"
         : list == text::PhraseList::bare_topic ? "a topic, of which nothing is asked"
                                                : text::piece(text, hit.where);
}

void judge_avoids(const TextRule& rule, std::string_view text, TextOutcome& outcome) {
  constexpr std::size_t provided_max = 200;
  outcome.requirement = "text without phrases that are";
  outcome.reason = "the text is too short to tell";
  const text::Words words(text);
  for (const std::string& list : rule.lists) {
    outcome.requirement += (&list == &rule.lists.front() ? " " : ", ") + list;
    const text::PhraseList named = *text::phrase_list_named(list);
    std::vector<text::PhraseHit> hits;
    const text::Judgement j = text::judge_phrases(words, named, &hits);
    if (j == text::Judgement::broken ||
        (j == text::Judgement::undecided && outcome.judgement == text::Judgement::holds)) {
      outcome.judgement = j;
    }
    for (const text::PhraseHit& hit : hits) {
      const std::string_view said = text::piece(text, hit.where);
      if (outcome.provided.size() < provided_max && outcome.provided.find(said) == std::string::npos) {
        outcome.provided += outcome.provided.empty() ? "" : ", ";
        outcome.provided += shown(named, text, hit);
      }
    }
  }
}

}  // namespace

const Keyword avoids_keyword = {.our_form =
                                    [](const json::Value& value) {
                                      const auto items = value.array();
                                      return std::any_of(items.begin(), items.end(), [](const json::Value& item) {
                                        return item.is(json::Kind::string) && is_list(item.str());
                                      });
                                    },
                                .compile = compile_avoids,
                                .judge_text = judge_avoids,
                                .message = [](const Found& found) { return "Must avoid: " + found.finding.provided; }};

}  // namespace plumb::contract
