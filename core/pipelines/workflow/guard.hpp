// What decides about a task is not its developer's to change: files that gates run, and tests that were there before.
// Internal to core/pipelines/workflow.
#pragma once

#include <string>
#include <vector>

#include "core/pipelines/workflow/parts.hpp"

namespace plumb::pipelines::workflow {

using plumb::workflow::AgainstBase;
using plumb::workflow::Guarded;

// What the gates run, in the commit that a task begins with: nothing for a run that was begun before there were guards.
Guards guards_at(Run& run, const Desk& desk, const std::string& commit);
// What of a change since then is guarded.
Guarded guarded_in(Run& run, const Work& work, const Changes& changes, const std::string& at);
// How results of gates are held against the base's.
AgainstBase held_against(const Brief& brief, bool tests_named);
// Where guarded files changed and the gates passed: they are run once more with the files that the task began with.
// Errors and warnings, as findings.
std::vector<ToldFinding> run_with_base(Work& work, const Developed& done);

}  // namespace plumb::pipelines::workflow
