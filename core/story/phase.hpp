// A phase at work on a graph: what it changes is applied at once and recorded, and becomes one note when it ends.
//
//   Phase phase(graph, Stage::grow, "codewords");
//   phase.create("codeword::lit_committed", {{Field::word, "LIT"}}, "one a consequence");
//   PhaseNote note = std::move(phase).end(...);      // mutations with their `before`, and the graph's hash after it
//
// The functions here are for code of ours: a refusal by the graph is a bug. What others write is given to Graph::apply.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/story/graph.hpp"

namespace plumb::story {

enum class PhaseStatus : std::uint8_t { completed, skipped, failed };
std::string_view name_of(PhaseStatus status);

// What a phase tells of itself. `left_out` counts what a model would have added, by kind; `warnings` hold both numbers
// where something was to be expected and nothing came (ADR-018).
struct PhaseNote {
  Stage stage = Stage::dream;
  std::string phase;
  PhaseStatus status = PhaseStatus::completed;
  std::string detail;
  std::vector<std::string> warnings;
  std::vector<std::pair<std::string, std::uint64_t>> left_out;
  std::vector<Mutation> mutations;
  std::string hash;  // of the graph after it
};

class Phase {
 public:
  Phase(Graph& graph, Stage stage, std::string name);

  const Graph& graph() const { return graph_; }
  void create(std::string id, Fields fields, std::string rationale);
  void update(std::string_view id, Fields changes, std::string rationale);  // what is so already is left out
  void remove(std::string_view id, std::string_view rationale);             // with its edges
  void add_edge(EdgeKind kind, std::string_view from, std::string_view to, std::string rationale);
  void remove_edge(EdgeKind kind, std::string_view from, std::string_view to, std::string rationale);
  void left_out(std::string kind, std::uint64_t count);
  void warn(std::string text) { note_.warnings.push_back(std::move(text)); }
  void skip(std::string why);
  void fail(std::string why);  // what was changed is taken back; nothing may follow
  void tell(std::string detail) { note_.detail = std::move(detail); }
  std::size_t count() const { return note_.mutations.size(); }

  PhaseNote end() &&;

 private:
  void apply(Mutation mutation);

  Graph& graph_;
  PhaseNote note_;
};

// The note as one JSON document, and back.
std::string note_json(const PhaseNote& note);
Result<PhaseNote> read_note(std::string_view text);
// The graph that the notes give, folded in order. Each note's hash must be met.
Result<Graph> fold(const std::vector<PhaseNote>& notes);
// Takes a note back: its mutations' inverses, the last first.
Result<bool> unfold(Graph& graph, const PhaseNote& note);

}  // namespace plumb::story
