// Whether a text mentions a term.
//
// Folded words are compared (core/text/sentences.hpp): whole words, in any case, with the English endings of plural and
// possessive ignored on both sides ('s, s, es, ies for y). A term's word that is written in capitals and would else be
// a function word (US, IT, WHO) must be in capitals.
//  - A term of one word is mentioned where that word appears.
//  - A term of several words is mentioned where its content words come in the order of the term with at most three
//    other words between two of them, in one sentence: "revenue of Tesla" is mentioned by "the revenue that Tesla
//    made". The function words of a term (of, the, in) count only when it has no others.
//  - A term in a script that is written without spaces is mentioned where its letters follow one another,
//    white space aside.
//  - A Korean word is also mentioned when a particle follows it.
//  - A term without a letter or a digit ("$", "→") is mentioned where it appears.
// A number must be written the same way (1,000 does not mention 1000), and words that mean the same are not known: a
// term that is not found this way is `broken`, which says "not mentioned by name". A blank term is `undecided`.
//
// At most the first 64 words of a term are looked for. Linear in the text.
#pragma once

#include <string_view>

#include "core/text/sentences.hpp"

namespace plumb::text {

struct MentionResult {
  Judgement outcome = Judgement::undecided;
  TextSpan where;  // of the first mention, when it holds
};

MentionResult find_mention(std::string_view text, std::string_view term);

// A folded word without the endings named above, for comparing only: it is no word of the language ("companies" and
// "company's" give "compan").
std::string_view without_ending(std::string_view folded);
// Whether two folded words are the same but for such endings.
bool same_word(std::string_view a, std::string_view b);

}  // namespace plumb::text
