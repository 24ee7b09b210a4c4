// Mailboxes: RFC 5321 section 4.1.2, and RFC 6531 for the internationalised form.
//
// At most 64 octets before the `@`, 255 after it and 254 in all (RFC 5321 4.5.3.1). An address literal is
// [127.0.0.1] or [IPv6:::1]; no other tag is registered.
#pragma once

#include <string_view>

namespace plumb::text {

bool is_email(std::string_view text);
bool is_idn_email(std::string_view text);

}  // namespace plumb::text
