// The grown story as a picture: passages and choices as Graphviz dot, Mermaid, or an SVG with the dilemmas' branches
// side by side. And the report of `inspect`. All are functions of the graph; nothing is kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/story/graph.hpp"
#include "core/story/make.hpp"

namespace plumb::story {

// Each names the graph's hash, and `of` before it where that is given: "run r12, entry 63".
std::string story_dot(const Graph& graph, std::string_view of = "");
std::string story_mermaid(const Graph& graph, std::string_view of = "");
// Passages in rows by how far they are from the start, at most 500 of them; beyond that only the first 500 rows' worth.
std::string story_svg(const Graph& graph, std::string_view of = "");

// What `plumb story inspect` tells, as JSON: counts, prose, branching, each policy's compliance, gates and their
// codewords, what a model would have added, the phases with their hashes, play. Of a run with its id and last entry.
std::string inspect_json(const Made& made, std::string_view run = "", std::uint64_t entry = 0);

}  // namespace plumb::story
