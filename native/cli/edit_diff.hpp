// What the edits of a verdict change, as a unified diff with three lines of context.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/edit.hpp"
#include "core/contract/render.hpp"

namespace plumb::cli {

// `original` is the text that was judged, `lines_before` what precedes it in the file `name`. Empty where no edit
// was made.
std::string edit_diff(const std::string& name, std::string_view original, std::uint64_t lines_before,
                      const std::vector<contract::Edit>& edits, const contract::TextStyle& style);

}  // namespace plumb::cli
