// The words that only hold a sentence together, and those that a request begins with. Folded words are asked for
// (core/text/words.hpp).
#pragma once

#include <string_view>

namespace plumb::text {

// Words without content of their own (the, of, is, what), folded. English only.
bool is_function_word(std::string_view folded);
// Verbs that a request begins with (find, list, compare), folded. English only.
bool is_request_word(std::string_view folded);
// Words without content of their own in other languages in Latin letters: enough that a sentence in one of them has
// some.
bool is_other_function_word(std::string_view folded);

}  // namespace plumb::text
