// The child's own view of the files: all read-only but what is writable, homes and /run hidden, /proc and /dev its own.
// Safe after a fork; in a mount namespace of its own, as the first process of a process namespace.
#pragma once

#include "native/process/child_plan.hpp"

namespace plumb::process {

// The step that failed, with its errno; `begins` when all is done.
ChildReport make_view(const ChildPlan& plan);

}  // namespace plumb::process
