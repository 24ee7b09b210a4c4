// Names that a text of a computer's world has by their form: options and paths. What can be typed and looked up.
//
//   option   -y  --purge  -print0  --name=VALUE: without its value; behind white space, a quotation mark or a bracket
//   path     /etc/fstab  ~/.config/plumb: from the root or from home; the sign that ends a sentence is none of it
#pragma once

#include <string_view>
#include <vector>

#include "core/text/sentences.hpp"

namespace plumb::text {

// In their order; at most 1,000.
std::vector<TextSpan> code_names(std::string_view text);

inline bool is_option(std::string_view code_name) { return !code_name.empty() && code_name.front() == '-'; }

}  // namespace plumb::text
