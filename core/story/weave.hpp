// A story's arcs side by side, with numbers in place of ids: which passages each goes through, and which codewords a
// reader on it holds. What GROW, routing and validation all look at; made anew from the graph, never kept in it.
//
// A codeword is known from the passages that grant it; a reader holds what was granted before a passage, and its own on
// arrival.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/story/graph.hpp"

namespace plumb::story {

// A set of up to 128 codewords, paths or arcs.
struct Bits {
  std::uint64_t low = 0, high = 0;

  void add(std::size_t i) { (i < 64 ? low : high) |= std::uint64_t{1} << (i & 63U); }
  bool has(std::size_t i) const { return ((i < 64 ? low : high) >> (i & 63U) & 1U) != 0; }
  bool none() const { return low == 0 && high == 0; }
  bool within(const Bits& other) const { return (low & ~other.low) == 0 && (high & ~other.high) == 0; }
  std::size_t count() const;
  friend Bits operator|(Bits a, Bits b) { return {a.low | b.low, a.high | b.high}; }
  friend Bits operator&(Bits a, Bits b) { return {a.low & b.low, a.high & b.high}; }
  friend Bits operator-(Bits a, Bits b) { return {a.low & ~b.low, a.high & ~b.high}; }
  friend bool operator==(const Bits&, const Bits&) = default;
  bool before(const Bits& other) const { return high != other.high ? high < other.high : low < other.low; }
};

struct WeaveDilemma {
  std::string_view id;
  std::vector<std::size_t> paths;  // sorted by id
};

struct WeaveArc {
  std::string_view id;
  bool spine = false;
  Bits paths;
  std::vector<std::size_t> beats;     // in order
  std::vector<std::size_t> passages;  // in order; empty before there are any
  std::vector<Bits> held;             // at each passage, before its own grants
};

struct Weave {
  std::vector<WeaveDilemma> dilemmas;       // sorted by id, as all that follows
  std::vector<std::string_view> paths;      // ids
  std::vector<std::size_t> dilemma_of;      // of each path
  std::vector<std::string_view> codewords;  // ids
  std::vector<std::size_t> codeword_of;     // of each path; npos: none yet
  std::vector<std::string_view> beats;      // ids, in the reference order
  std::vector<Bits> beat_paths;             // that each belongs to
  std::vector<std::string_view> passages;   // ids of those that arcs go through
  std::vector<Bits> grants;                 // of each passage
  std::vector<WeaveArc> arcs;               // sorted by id; none before they are enumerated
  std::map<std::string_view, std::size_t> passage_number, beat_number;

  static constexpr std::size_t npos = static_cast<std::size_t>(-1);

  // Arcs through a passage, and those that go from one straight to another.
  std::vector<Bits> through;
  std::map<std::pair<std::size_t, std::size_t>, Bits> steps;

  // What a reader on this arc holds on arrival at a passage, before its own grants.
  const Bits& held(std::size_t arc, std::size_t passage) const;
  // What is held on all of these arcs there, before and with its own grants.
  Bits always(const Bits& arcs_there, std::size_t passage, bool with_own) const;
  // The paths of a dilemma that these arcs take.
  Bits paths_of(const Bits& arcs_there, std::size_t dilemma) const;
  Texts words(const Bits& set) const;  // codeword ids
};

// Beats in one order that keeps every `sequenced_after`; ties by the author's order, then by id. Fewer than there are:
// the rest are in a cycle.
std::vector<std::string_view> reference_order(const Graph& graph);

Weave weave(const Graph& graph);

}  // namespace plumb::story
