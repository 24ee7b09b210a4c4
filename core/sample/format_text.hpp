// Texts in a format, and texts that are not in it. Each is judged by core/text/format.hpp before it is given out.
#pragma once

#include <string>

#include "core/sample/random.hpp"
#include "core/text/format.hpp"

namespace plumb::sample {

std::string text_in_format(text::Format format, Random& random);
// A near miss: another one for each `which`; empty when there are no more (and where the empty text is none of them).
std::string text_not_in_format(text::Format format, std::size_t which);

}  // namespace plumb::sample
