// The ontology of a story graph: node types with their fields, edge kinds with the types of both ends, and the stages
// that may make or change each. One table (ontology.cpp) that everything else reads; docs/story.md shows it, and a test
// holds the two together.
//
//   is_field(NodeType::arc, Field::sequence)        true
//   field_row(NodeType::arc, Field::prose)          nullptr: arcs have no prose
//   edge_row(EdgeKind::choice_from).from            {choice}
//
// A field is an enumerator, so a misspelt one does not compile; reading one that the node's type does not have is a bug
// (Node in core/story/graph.hpp), never an empty value.
//
// Source: seed 003, ADR-006, 012, 013, 017 and 018.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

namespace plumb::story {

enum class Stage : std::uint8_t { dream, brainstorm, seed, grow, fill, dress, ship };
constexpr std::size_t stage_count = 7;

// clang-format off
enum class NodeType : std::uint8_t {
  vision, entity, dilemma, answer, path, consequence, beat, aside, arc, passage, codeword, choice, routing_set,
  meta, voice, art_direction, entity_visual, illustration_brief, illustration, codex_entry
};
// clang-format on
constexpr std::size_t node_type_count = 20;

// clang-format off
enum class Field : std::uint8_t {
  title, author, language, ifid, genre, tone, themes, audience, size, category, name, idea, overlays, details, question,
  why_it_matters, explored, unexplored, convergence_policy, payoff_budget, ending_salience, residue_weight,
  ending_tone, description, is_default_path, theme, mood, is_canonical, effects, word, summary, prose, label,
  position, location, scene_type, narrative_function, gates, kind, is_ending, arc_type, paths, sequence,
  exclusive_beats, dilemma_convergences, from_beat, from_aside, merged_from, is_start, is_synthetic, is_residue,
  residue_for, draft, requires_codewords, is_return, is_routing, order, base, dilemmas, scope, exhaustive, variants,
  value, register_, tense, point_of_view, style, medium, palette, prompt_fragment, priority, subject, caption,
  asset, rank, visible_when, content
};
// clang-format on
constexpr std::size_t field_count = 77;

// clang-format off
enum class EdgeKind : std::uint8_t {
  has_answer, involves, belongs_to, explores, has_consequence, sequenced_after, advances, reveals, commits,
  complicates, shared_entity, causal_chain, resource_conflict, at, when, diverges_at, converges_at, grants, tracks,
  choice_from, choice_to, appears, has_entry, describes_visual, from_brief, targets, depicts
};
// clang-format on
constexpr std::size_t edge_kind_count = 27;

// What a field holds. `json` is one JSON text.
enum class FieldKind : std::uint8_t { flag, number, text, texts, json };

// A set of enumerators, as bits.
template <class E>
struct Set {
  std::uint32_t bits = 0;
  constexpr Set() = default;
  constexpr Set(std::initializer_list<E> all) {  // NOLINT(google-explicit-constructor)
    for (const E one : all) {
      bits |= std::uint32_t{1} << static_cast<std::uint32_t>(one);
    }
  }
  constexpr bool has(E one) const { return (bits >> static_cast<std::uint32_t>(one) & 1U) != 0; }
};

struct FieldRow {
  Field field;
  FieldKind kind;
  bool required = false;   // to be there, and not empty, when the node is made
  Set<Stage> set_by = {};  // stages that may change it; besides, the stages that make the node may
};

struct NodeRow {
  NodeType type;
  Set<Stage> made_by;  // and deleted
  std::span<const FieldRow> fields;
  std::string_view meaning;
};

struct EdgeRow {
  EdgeKind kind;
  Set<NodeType> from;
  Set<NodeType> to;
  Set<Stage> made_by;  // and removed
};

std::string_view name_of(Stage stage);
std::string_view name_of(NodeType type);
std::string_view name_of(Field field);
std::string_view name_of(EdgeKind kind);
std::string_view name_of(FieldKind kind);
std::optional<Stage> stage_named(std::string_view name);
std::optional<NodeType> type_named(std::string_view name);
std::optional<Field> field_named(std::string_view name);
std::optional<EdgeKind> edge_named(std::string_view name);

std::span<const NodeRow> node_rows();  // in the order of NodeType
std::span<const EdgeRow> edge_rows();  // in the order of EdgeKind
const NodeRow& node_row(NodeType type);
const EdgeRow& edge_row(EdgeKind kind);
// nullptr: nodes of this type do not have the field.
const FieldRow* field_row(NodeType type, Field field);

}  // namespace plumb::story
