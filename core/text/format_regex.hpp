// Whether a text is a regular expression of ECMA-262 (2024) with the flag u: its grammar and its early errors.
//
// This is what the format `regex` asserts. It accepts more than a `pattern` can run: look-behind and back-references
// are valid here and refused by core/text/pattern.hpp; and less, as the old syntax's escapes (`\-` outside a class,
// `\Z`) are errors with the flag u. A text that is too long or too deep for the parser of patterns counts as one.
#pragma once

#include <string_view>

namespace plumb::text {

bool is_regex(std::string_view text);

}  // namespace plumb::text
