// Small syntaxes: JSON Pointer, relative JSON Pointer, UUID.
#pragma once

#include <string_view>

namespace plumb::text {

// RFC 6901: empty, or tokens that begin with `/`, in which `~` is followed by 0 or 1.
bool is_json_pointer(std::string_view text);
// draft-bhutton-relative-json-pointer-00: levels up, an index moved by +n or -n or not, then a JSON Pointer or `#`.
bool is_relative_json_pointer(std::string_view text);
// RFC 4122 section 3.
bool is_uuid(std::string_view text);

}  // namespace plumb::text
