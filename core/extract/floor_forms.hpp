// Questions in other languages than English, by their forms. Internal to the floor (floor.hpp).
#pragma once

#include <string_view>

#include "core/extract/language.hpp"

namespace plumb::extract {

// The language of a question: by the form that it begins with, else by its words.
Language language_asked(std::string_view asked);
// Whether a text may be in that language: it has as many of its small words as of any other's.
bool may_be_in(Language language, std::string_view text);

// Whether the quote, in the language of the question, has the kind of thing that the question asks for, and quote and
// what is around it all that it says of it. German, French, Chinese and Japanese; false for others.
bool confirms_in(Language language, std::string_view asked, std::string_view quote, std::string_view around);

}  // namespace plumb::extract
