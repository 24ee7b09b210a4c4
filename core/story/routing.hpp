// The routing plan (ADR-017): which passages get variants, for whom, and in what order; computed at once from the whole
// graph, pure, and applied in one phase (routing_apply.cpp).
//
// Three kinds, in the order in which they win a passage's dilemma:
//   ending_split   an ending that arcs reach with different codewords of dilemmas of high salience: an ending of its
//                  own for each; every arc matches exactly one
//   heavy_residue  where branches of a dilemma that is heavy, or of high salience, meet: a passage before the shared
//                  one for each path; what matches none falls through
//   residue        the same where it was proposed (from the outline's `residue`)
//
// Branches meet at a passage that arcs of two paths of the dilemma go through, and to which one leads that only one
// path's arcs go through; a path has a variant when its codeword is held on arrival on all its arcs.
//
// At one passage a routing set is a choice with variants: residues by dilemma, then the ending's, then the passage
// itself, which always stays (the fallback). The reader is given the first whose codewords are held.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/story/graph.hpp"
#include "core/story/weave.hpp"

namespace plumb::story {

enum class RoutingKind : std::uint8_t { ending_split, heavy_residue, residue };
// Whose codewords: of dilemmas with high ending salience; of those and the heavy and proposed ones; of all.
enum class CodewordScope : std::uint8_t { ending, routing, all };
std::string_view name_of(RoutingKind kind);
std::string_view name_of(CodewordScope scope);
std::optional<RoutingKind> routing_kind_named(std::string_view name);
std::optional<CodewordScope> scope_named(std::string_view name);

struct RoutingVariant {
  std::string passage;   // the id it will have
  Texts requires_words;  // codeword ids
  std::string path;      // whose residue it is, as path id; empty for an ending
  Bits arcs;             // that match it, of those through the passage
};

struct RoutingOperation {
  RoutingKind kind = RoutingKind::residue;
  std::string base;  // passage id
  Texts dilemmas;    // ids
  CodewordScope scope = CodewordScope::routing;
  bool exhaustive = false;  // every arc must match exactly one variant
  std::vector<RoutingVariant> variants;
};

// Two operations wanted the same dilemma at the same passage.
struct RoutingConflict {
  std::string base, dilemma;
  RoutingKind winner = RoutingKind::ending_split;
  RoutingKind loser = RoutingKind::residue;
};

struct RoutingPlan {
  std::vector<RoutingOperation> operations;  // by passage, then in the order of layers before it
  std::vector<RoutingConflict> conflicts;
  std::vector<std::string> warnings;  // nothing came where something was to be expected: both numbers
  std::uint64_t heavy_dilemmas = 0;   // heavy or of high salience, with two paths
  std::uint64_t high_dilemmas = 0;    // of high salience, with two paths
};

// The codewords of the paths of dilemmas in the scope.
Bits codewords_in(const Graph& graph, const Weave& w, CodewordScope scope);
// Where branches of a dilemma meet: passages, by number.
std::vector<std::size_t> meetings(const Weave& w, std::size_t dilemma);
bool is_heavy(const Node& dilemma);  // weight heavy or salience high
bool is_high(const Node& dilemma);

RoutingPlan compute_routing_plan(const Graph& graph);
// The author's words for a passage that routing makes: the aside of that kind for these paths at the passage, else, for
// residue, at any. Empty: none.
std::string aside_for(const Graph& graph, std::string_view kind, std::string_view passage, const Texts& paths);

}  // namespace plumb::story
