// IP addresses as text.
#pragma once

#include <string_view>

namespace plumb::text {

// Four decimal octets (RFC 2673 3.2), none written with a leading zero: some readers take those for octal.
bool is_ipv4(std::string_view text);
// RFC 4291 2.2: eight groups of 1 to 4 hexadecimal digits, `::` once for one group or more, the last two groups perhaps
// as an IPv4 address. No zone and no prefix length.
bool is_ipv6(std::string_view text);

}  // namespace plumb::text
