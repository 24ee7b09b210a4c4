// Help, the manual page and completion scripts, all from the command table.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/contract/render.hpp"
#include "native/cli/command_table.hpp"

namespace plumb::cli {

// Of plumb itself, or of a group of commands ("contracts").
std::string help_overview(std::string_view group, const contract::TextStyle& style, std::size_t columns);
std::string help_of(const CommandSpec& command, const contract::TextStyle& style, std::size_t columns);

// plumb(1) as roff. No date in it: the same version gives the same bytes.
std::string man_page();

// `shell` is bash, zsh or fish.
std::string completion_script(std::string_view shell);

}  // namespace plumb::cli
