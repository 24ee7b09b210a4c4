// Commands of the table that have files of their own, and the options that several commands share.
#pragma once

#include <vector>

#include "native/cli/command_table.hpp"

namespace plumb::cli {

OptionSpec help_option();
// With a value (or none: a flag) of which nothing more is known.
OptionSpec plain_option(std::string_view name, std::string_view value, std::string_view help, bool repeats = false);
// --dialect, --assert-formats, --schema
std::vector<OptionSpec> contract_reading_options();
// --ascii, --color
std::vector<OptionSpec> look_options();

CommandSpec contracts_diff_command();
CommandSpec contracts_lint_command();
CommandSpec contracts_sample_command();
CommandSpec export_command();
// --as of the commands that export an artifact
OptionSpec export_format_option();
CommandSpec judge_calibrate_command();
CommandSpec make_command();
CommandSpec mcp_command();
CommandSpec lsp_command();
CommandSpec boundary_command();
CommandSpec discover_command();
CommandSpec prompts_list_command();
CommandSpec prompts_show_command();
CommandSpec prompts_export_command();
CommandSpec prompts_check_command();
CommandSpec research_command();
CommandSpec serve_command();
CommandSpec trust_command();
std::vector<CommandSpec> runs_commands();
std::vector<CommandSpec> keys_commands();
// story new, make, check, inspect, graph, audit, status, ship, rewind
std::vector<CommandSpec> story_commands();
// workflow init, trust, plan, promote, run, check, prove, status, diff, answer, land, clean, sops, conventions
std::vector<CommandSpec> workflow_commands();
CommandSpec search_command();
CommandSpec corpus_index_command();
CommandSpec corpus_status_command();

// --store
OptionSpec store_option();
CommandSpec providers_command();
CommandSpec budget_tokens_command();
std::vector<CommandSpec> budget_commands();
CommandSpec models_list_command();

}  // namespace plumb::cli
