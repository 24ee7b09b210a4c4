// Help, the manual page and completion scripts, all from the command table.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/render.hpp"
#include "native/cli/command_table.hpp"

namespace plumb::cli {

// What `plumb help` lists: in each section commands ("check", "contracts derive") or groups of them ("contracts").
// Every command is in a section, by its path or by its group.
struct HelpSection {
  std::string_view title;
  std::vector<std::string_view> words;
};
const std::vector<HelpSection>& help_sections();

// The help of plumb itself, or of a group of commands ("contracts").
std::string help_overview(std::string_view group, const contract::TextStyle& style, std::size_t columns);
// "plumb check [OPTIONS] [PATH...]"
std::string usage_line(const CommandSpec& command);
std::string help_of(const CommandSpec& command, const contract::TextStyle& style, std::size_t columns);

// plumb(1) as roff. No date in it: the same version gives the same bytes.
std::string man_page();

// `shell` is bash, zsh or fish.
std::string completion_script(std::string_view shell);

}  // namespace plumb::cli
