// In a file of its own, so that a module may have another in its place (wasm/without_text.cpp).
#include "core/contract/keywords/keyword.hpp"

namespace plumb::contract {

extern const Keyword max_sentences_keyword;
extern const Keyword avoids_keyword;
extern const Keyword single_unknown_keyword;
extern const Keyword mentions_keyword;
extern const Keyword facts_keyword;
extern const Keyword novel_keyword;
extern const Keyword quoted_from_keyword;

namespace {

constexpr KeywordRow of_text[] = {
    {Kw::max_sentences, &max_sentences_keyword},
    {Kw::avoids, &avoids_keyword},
    {Kw::single_unknown, &single_unknown_keyword},
    {Kw::mentions, &mentions_keyword},
    {Kw::facts, &facts_keyword},
    {Kw::novel, &novel_keyword},
    {Kw::quoted_from, &quoted_from_keyword},
};

}  // namespace

std::span<const KeywordRow> text_keywords() { return of_text; }
const Keyword* text_keyword_of(Kw kw) {
  for (const KeywordRow& row : of_text) {
    if (row.kw == kw) {
      return row.keyword;
    }
  }
  return nullptr;
}

}  // namespace plumb::contract
