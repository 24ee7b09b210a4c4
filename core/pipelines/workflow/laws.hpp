// What a run of the workflow pipeline did, as the laws of core/workflow/laws.hpp want it:
//
//   const std::vector<std::string> broken = broken_laws(record_of(machine.journal()));
//
// A fold over the journal that trusts no note where a reply says it too: gates are the replies of their commands,
// claims stand in what a model answered, what was changed in what `take` gave, an empty diff in what `diff` gave. Of a
// conversation the turns are read: what a model was sent, what it answered, what its tools left in the tree.
#pragma once

#include "core/run/journal.hpp"
#include "core/workflow/laws.hpp"

namespace plumb::pipelines::workflow {

plumb::workflow::WorkflowRecord record_of(const run::Journal& journal);

}  // namespace plumb::pipelines::workflow
