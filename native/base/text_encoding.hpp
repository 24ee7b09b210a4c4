// Reads the text of a file that is UTF-8 or in a named encoding. Nothing is ever replaced by U+FFFD.
//
//   utf8_text(bytes, "")                  the bytes where they are UTF-8, without a byte order mark; else an error that
//                                         names the encoding they look like: "...; it looks like windows-1252: ..."
//   utf8_text(bytes, "windows-1252")      converted; an error names the first byte that this encoding does not have
//
// Every encoding that the system's iconv knows can be named.
#pragma once

#include <string>
#include <string_view>

#include "core/result.hpp"

namespace plumb {

// By its byte order mark, by its zero bytes, and by the bytes that Latin-1 has no letters for. Only for what is not
// UTF-8.
std::string_view likely_encoding(std::string_view bytes);

Result<std::string> utf8_text(std::string bytes, const std::string& encoding);

}  // namespace plumb
