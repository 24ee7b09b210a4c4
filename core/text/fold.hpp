// Folding: the form in which two texts are compared when a rule says `fold`.
//
//   fold("  Paris ", {.trim = true, .lowercase = true}) == "paris"
//
// `trim` takes Unicode White_Space off both ends, then `lowercase` maps each character to its full default lower case
// (see to_lower()). Nothing else is touched: malformed bytes and lone surrogates stay as they are. Folding a folded
// text changes nothing.
#pragma once

#include <string>
#include <string_view>

namespace plumb::text {

struct Fold {
  bool trim = false;
  bool lowercase = false;
};

// Appends the folded text to `out`. ASCII goes eight bytes at a time.
void fold_append(std::string_view text, Fold fold, std::string& out);
std::string fold(std::string_view text, Fold fold);

// `text` without the white space at both ends.
std::string_view trim(std::string_view text);
// Nothing but white space, or nothing at all.
bool is_blank(std::string_view text);

}  // namespace plumb::text
