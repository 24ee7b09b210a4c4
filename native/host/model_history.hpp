// How models performed in finished runs, computed from their journals. Assignment uses it, and `plumb models list`
// shows it.
//
// There is one row per model (by the name under which the run asked it) and phase. An answered call counts with its
// tokens (reported by the provider, or estimated) and its time from attempt to reply. It was valid at first if the
// pipeline's next check of the structure found no error. A repair counts for the phase and model whose answer it
// repaired.
#pragma once

#include <vector>

#include "core/budget/assign.hpp"
#include "core/run/journal.hpp"

namespace plumb::host {

// Adds one run. Rows keep the order in which models and phases first appear.
void add_history(std::vector<budget::History>& rows, const run::Journal& journal);

}  // namespace plumb::host
