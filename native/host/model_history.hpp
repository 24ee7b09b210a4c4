// How models did in finished runs, counted from their journals: what assignment is handed, and `plumb models list`
// shows.
//
// A row for each model, by the name that the run asked it by, and phase. A call that was answered counts with its
// tokens (as the provider reported them, or estimated) and its time from attempt to reply. It was valid at first when
// it was answered and the pipeline's next look at the structure of what came of it found no error. A repair counts for
// the phase and model whose answer it repaired.
#pragma once

#include <vector>

#include "core/budget/assign.hpp"
#include "core/run/journal.hpp"

namespace plumb::host {

// Adds what one run shows. Rows keep the order in which models and phases are first met.
void add_history(std::vector<budget::History>& rows, const run::Journal& journal);

}  // namespace plumb::host
