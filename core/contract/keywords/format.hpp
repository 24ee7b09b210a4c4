// format: a text of a known form (date, uri, ...), where formats are asserted. Decided at the end of the string.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/contract/program.hpp"
#include "core/text/format.hpp"

namespace plumb::contract {

struct Engine;

// Whether a whole text keeps it, where there is one.
inline bool format_accepts(const StringPart& s, std::string_view text) {
  return !s.format || text::format_holds(*s.format, text);
}
// Judges the string of the token.
void judge_format(Engine& engine, std::uint32_t index, const StringPart& s);

}  // namespace plumb::contract
