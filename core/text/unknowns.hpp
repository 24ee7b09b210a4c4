// Whether a question asks for one thing.
//
//   broken     plainly several unknowns:
//              - two questions that each begin with a question word or an auxiliary verb (What ...? When ...?)
//              - two question words side by side or joined (how and why, who and when, what ..., and how ...)
//              - "and also", "and additionally", "as well as what", "in addition, ..."
//              - a second question that begins behind "and" with an auxiliary and a pronoun (..., and is it ...)
//              - several things asked for in one breath: "what are the price, weight and range of"
//              - numbered questions: (1) ... (2) ... each with its question mark or question word
//   undecided  it may be: an "and", "also", "as well as" or "plus" that may join two unknowns or only two words;
//              question marks after what does not read as a question; and every text without an English function
//              word, unless it has two questions
//   holds      none of these. "or" between choices asks for one thing, and so does "and" between two names or numbers
//              and after "between" and "both".
//
// English, but for the question marks, which are those of all scripts. Linear in the text; at most 100 pieces of
// evidence.
#pragma once

#include <string_view>
#include <vector>

#include "core/text/sentences.hpp"

namespace plumb::text {

struct UnknownsEvidence {
  TextSpan where;
  std::string_view what;  // "second question", "joined question words", "and also", ...
  bool plain = false;     // enough to be broken by itself
};

struct UnknownsResult {
  Judgement outcome = Judgement::holds;  // a blank text is undecided
  std::vector<UnknownsEvidence> evidence;
};

UnknownsResult single_unknown(std::string_view question);

}  // namespace plumb::text
