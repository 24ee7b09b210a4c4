// Warnings of a verdict about escapes that were hardly meant (suspect_escape.hpp). They are findings with the rule
// `suspectEscape`, after the others. A text that is no JSON has none.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/contract/program.hpp"
#include "core/contract/verdict.hpp"

namespace plumb::repair {

// The number of warnings that a verdict lists. Others are counted in `more`.
inline constexpr std::size_t escape_warnings_max = 100;

// True if strings of this JSON text may have such an escape. Much faster than to read the text.
bool may_have_suspect_escape(std::string_view json);

// Adds the warnings for the escapes that the verdict's edits would double. They are appended to `certain` too.
void warn_of_escapes(contract::Verdict& verdict, std::vector<contract::Finding>& certain);

// The same for a verdict without edits, on `text`.
void warn_of_escapes(contract::Verdict& verdict, const contract::Program& program, std::uint32_t depth_max,
                     std::string_view text, std::vector<contract::Finding>& certain);

}  // namespace plumb::repair
