// Whether a text says enough to be understood by itself: something is asked of its topic, and nothing points at what
// was said elsewhere.
//
//   bare topic   "Electric cars", "the housing crisis", 人工智能: a name for a subject, and nothing asked of it.
//     broken     no question mark, no digit, no sentence end, and: two words at most; three words of which none is a
//                verb that requests begin with; four words behind an article; six letters of a script without spaces;
//                no word at all
//     undecided  three words that are not English, and what else of up to four words may be a short request
//   unanchored   "What is its market share?": a pronoun or a "this ..." before which nothing was named
//     broken     nothing with content comes before it
//     undecided  one or two content words do, and may be what it refers to
//     holds      a name, a number or three content words come before it, or the "it" only leads to a "to"
//
// Pronouns are known in English only. Linear in the text.
#pragma once

#include <string_view>
#include <vector>

#include "core/text/sentences.hpp"

namespace plumb::text {

struct CompletenessResult {
  Judgement outcome = Judgement::holds;  // a blank text holds: there is a rule of its own for that
  std::vector<TextSpan> where;           // what breaks it, at most 100
};

CompletenessResult judge_bare_topic(std::string_view text);
CompletenessResult judge_unanchored(const Words& words);

}  // namespace plumb::text
