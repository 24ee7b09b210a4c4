// In a file of its own, so that a module may have another in its place (wasm/without_text.cpp).
#include <utility>

#include "core/contract/keywords/keyword.hpp"

namespace plumb::contract {

namespace {

constexpr std::pair<Kw, const Keyword*> of_text[] = {
    {Kw::max_sentences, &max_sentences_keyword},
    {Kw::avoids, &avoids_keyword},
    {Kw::single_unknown, &single_unknown_keyword},
    {Kw::mentions, &mentions_keyword},
    {Kw::facts, &facts_keyword},
    {Kw::novel, &novel_keyword},
    {Kw::quoted_from, &quoted_from_keyword},
};

}  // namespace

const Keyword* text_keyword_of(Kw kw) {
  for (const auto& [one, keyword] : of_text) {
    if (one == kw) {
      return keyword;
    }
  }
  return nullptr;
}

}  // namespace plumb::contract
