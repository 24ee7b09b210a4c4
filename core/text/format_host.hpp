// Host names: RFC 1123 section 2.1, and internationalised ones by IDNA2008 (RFC 5890 to 5893).
//
// A label is 1 to 63 letters, digits and hyphens, no hyphen at either end. A label that begins with `xn--` must be an
// A-label: lower case, decoded, it is a U-label, and that is written back as the same A-label. A name has at most 253
// octets with its labels as A-labels, no empty label (so no dot at the end), and is not four numbers: #.#.#.# is an
// address (RFC 1123 2.1).
//
// A U-label is in normalisation form C, has no hyphens in its third and fourth places, begins with no combining mark,
// and holds only characters that RFC 5892 allows in their places. When any label of the name has a right-to-left
// character, all labels obey the Bidi rule (RFC 5893 section 2). Nothing is mapped first: `Bücher` with its capital is
// no U-label.
#pragma once

#include <string_view>

namespace plumb::text {

bool is_hostname(std::string_view text);
// Labels may also be U-labels. Then U+3002, U+FF0E and U+FF61 separate labels too (RFC 3490 3.1), and a label of ASCII
// characters beside a U-label has no hyphens in its third and fourth place unless it is an A-label.
bool is_idn_hostname(std::string_view text);

}  // namespace plumb::text
