// The story as lanes: a lane for each arc, a row for each passage in the order in which readers may come to them, and
// which lanes go through it. Before there are passages the rows are beats. Drawn by the page; own, small and the same
// each time.
//
//   {"title", "of": "passages" | "beats" | "", "arcs": [{"id", "spine", "policy", "paths": [...]}],
//    "rows": [{"id", "kind", "level", "arcs": [0, 2], "summary", "label"?, "draft"?, "for"?, "grants": [...],
//              "choices": [{"to", "label", "requires": [...], "routing", "back"}]}], "cut"}
//
// `kind`: start, ending, residue, variant (of an ending), beside (a side passage), passage, beat. `for`: the path or
// paths that a residue is for. At most 1,000 rows; `cut` counts those beyond.
#pragma once

#include <string>

#include "core/story/graph.hpp"

namespace plumb::story {

std::string lanes_json(const Graph& graph);

}  // namespace plumb::story
