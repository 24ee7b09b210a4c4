// Guarded files: the files that gates run and existing tests. A developer may not change them unless the task says so.
// Internal to core/pipelines/workflow.
#pragma once

#include <string>
#include <vector>

#include "core/pipelines/workflow/parts.hpp"

namespace plumb::pipelines::workflow {

using plumb::workflow::AgainstBase;
using plumb::workflow::Guarded;

// Returns the guards at the commit where the task begins. Empty for runs older than guards.
Guards guards_at(Run& run, const Desk& desk, const std::string& commit);
// Returns the guarded files that have changed since then.
Guarded guarded_in(Run& run, const Work& work, const Changes& changes, const std::string& at);
// Returns how gate results are compared with those of the base.
AgainstBase held_against(const Brief& brief, bool tests_named);
// Runs the gates again with the original guarded files if a guarded file changed and the gates passed.
// Returns errors and warnings as findings.
std::vector<ToldFinding> run_with_base(Work& work, const Developed& done);

}  // namespace plumb::pipelines::workflow
