// graph.db: the graph of a story as tables, to be asked with SQL: nodes, edges, meta, mutations, phase_history. It is a
// projection of a run's journal and holds nothing that the journal does not: it may be deleted at any time, and is made
// again to the same rows.
//
//   Result<bool> done = project_graph(journal, "tale/graph.db");
//
// It catches up by entry number, a phase in one transaction, so it is never ahead of the journal and never between two
// phases, also when the process is killed. Where what it holds is not of this run, or not as far as it says, it is made
// anew. A file of another program, or of a later version of this one, is refused and stays as it is.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "core/run/journal.hpp"

namespace plumb::story {

// `at` is told where it is, for tests: "rows" inside of a phase's transaction, "phase" after it.
Result<bool> project_graph(const run::Journal& journal, const std::string& file,
                           const std::function<void(std::string_view at)>& at = {});

}  // namespace plumb::story
