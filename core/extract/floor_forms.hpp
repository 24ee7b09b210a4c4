// Question forms in languages other than English. Internal to floor.hpp.
#pragma once

#include <string_view>

#include "core/extract/language.hpp"

namespace plumb::extract {

// Detects the language of a question from its opening form or, failing that, from its words.
Language language_asked(std::string_view asked);
// Returns whether the text may be in that language: no other language has more of its function words in it.
bool may_be_in(Language language, std::string_view text);

// Returns whether the quote has the kind of answer that the question asks for, and the quote and its context name its
// subject. Question and quote must be in the same language: German, French, Chinese or Japanese. Otherwise false.
bool confirms_in(Language language, std::string_view asked, std::string_view quote, std::string_view around);

}  // namespace plumb::extract
