// Punycode (RFC 3492), as labels of host names use it: what follows `xn--`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::text {

// The longest Punycode text that is decoded. A label has at most 59 characters behind its prefix.
inline constexpr std::size_t punycode_size_max = 255;

// False: the text is no Punycode, or longer than punycode_size_max.
bool punycode_decode(std::string_view text, std::vector<char32_t>& out);

// The Punycode of at most punycode_size_max code points; empty when it would be longer than punycode_size_max.
std::string punycode_encode(const std::vector<char32_t>& code_points);

}  // namespace plumb::text
