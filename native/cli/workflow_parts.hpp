// What the commands of `plumb workflow` share.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/journal.hpp"
#include "core/workflow/plan.hpp"
#include "native/cli/arguments.hpp"
#include "native/cli/run_command.hpp"
#include "native/cli/work_setup.hpp"

namespace plumb::cli {

std::string repository_of(const Arguments& arguments);
// The journal of a run of `workflow`: named, else the newest one on this repository.
Result<run::Journal> workflow_journal(const Arguments& arguments, std::string& id);
// A plan's file, JSON or YAML, as JSON.
Result<std::string> plan_file(const std::string& path);

int run_workflow_init(const Arguments& arguments);
int run_workflow_trust(const Arguments& arguments);
int run_workflow_check(const Arguments& arguments);
int run_workflow_prove(const Arguments& arguments);
int run_workflow_run(const Arguments& arguments);
int run_workflow_answer(const Arguments& arguments);
int run_workflow_status(const Arguments& arguments);
int run_workflow_diff(const Arguments& arguments);
int run_workflow_land(const Arguments& arguments);
int run_workflow_clean(const Arguments& arguments);
int run_workflow_sops(const Arguments& arguments);
int run_workflow_conventions(const Arguments& arguments);

}  // namespace plumb::cli
