// Where a text has its sentences.
//
// A sentence ends behind
//  - 。 ！ ？ ｡ and the full stops of other scripts that are written without a capital after them, anywhere;
//  - . ! ? … and their kin, with the quotes and brackets that close there, at the end of the text or where white space
//    follows and what comes then does not begin in lower case;
//  - a blank line, the end of a line before a list item or a heading, the end of a heading's line.
// A full stop ends none in a number, a host name or an abbreviation (Dr. e.g. Fig. 3 Jan. 5 3. Mai), behind an initial
// (J. Smith, U.S. law), nor behind the number of a list item. Where a full stop may be both, no sentence ends: the
// count is rather low than high, so that "at most one sentence" is broken only by what plainly is more. A single line
// end is white space. What holds no word is no sentence.
//
// Takes time linear in the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/text/words.hpp"

namespace plumb::text {

// What a rule about text can say. A rule that cannot tell says `undecided`, never one of the others.
enum class Judgement : std::uint8_t { holds, broken, undecided };

// The sentences, from the first visible character of each to its last.
std::vector<TextSpan> sentences(std::string_view text);
std::size_t count_sentences(std::string_view text);

}  // namespace plumb::text
