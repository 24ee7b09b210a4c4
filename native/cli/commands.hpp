// The commands: each takes what was said and gives the exit code (exit_codes.hpp).
#pragma once

#include <string_view>

#include "native/cli/arguments.hpp"

namespace plumb::cli {

// All commands of `plumb budget` but `tokens`.
int run_budget(const Arguments& arguments);
int run_budget_tokens(const Arguments& arguments);
int run_check(const Arguments& arguments);
int run_contracts_list(const Arguments& arguments);
int run_contracts_show(const Arguments& arguments);
int run_contracts_check(const Arguments& arguments);
int run_contracts_derive(const Arguments& arguments);
int run_contracts_diff(const Arguments& arguments);
int run_contracts_lint(const Arguments& arguments);
int run_contracts_sample(const Arguments& arguments);
int run_explain(const Arguments& arguments);
int run_export(const Arguments& arguments);
int run_boundary(const Arguments& arguments);
int run_discover(const Arguments& arguments);
int run_judge_calibrate(const Arguments& arguments);
int run_make(const Arguments& arguments);
int run_mcp(const Arguments& arguments);
int run_lsp(const Arguments& arguments);
int run_models_list(const Arguments& arguments);
int run_research(const Arguments& arguments);
int run_prompts_list(const Arguments& arguments);
int run_prompts_show(const Arguments& arguments);
int run_prompts_export(const Arguments& arguments);
int run_prompts_check(const Arguments& arguments);
int run_providers(const Arguments& arguments);
int run_search(const Arguments& arguments);
int run_corpus_index(const Arguments& arguments);
int run_corpus_status(const Arguments& arguments);
// All commands of `plumb story`.
int run_story(const Arguments& arguments);
// All commands of `plumb workflow`.
int run_workflow(const Arguments& arguments);
int run_serve(const Arguments& arguments);
int run_trust(const Arguments& arguments);
// All commands of `plumb runs`.
int run_runs(const Arguments& arguments);
// All commands of `plumb keys`.
int run_keys(const Arguments& arguments);
int run_completion(const Arguments& arguments);
int run_man(const Arguments& arguments);
int run_version(const Arguments& arguments);
int run_help(const Arguments& arguments);

// `text` on standard output; gives exit code 0, or 2 where it cannot be written.
int print(std::string_view text);
// `error` on standard error; gives exit code 2.
int fail(const Error& error);

}  // namespace plumb::cli
