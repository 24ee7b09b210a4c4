#include "core/story/ontology.hpp"

#include <array>

#include "core/require.hpp"

namespace plumb::story {

namespace {

using enum Stage;

constexpr std::array<std::string_view, stage_count> stage_names = {"dream", "brainstorm", "seed", "grow",
                                                                   "fill",  "dress",      "ship"};
constexpr std::array<std::string_view, node_type_count> type_names = {
    "vision",       "entity",     "dilemma", "answer",        "path",          "consequence",
    "beat",         "aside",      "arc",     "passage",       "codeword",      "choice",
    "routing_set",  "meta",       "voice",   "art_direction", "entity_visual", "illustration_brief",
    "illustration", "codex_entry"};
constexpr std::array<std::string_view, field_count> field_names = {"title",
                                                                   "author",
                                                                   "language",
                                                                   "ifid",
                                                                   "genre",
                                                                   "tone",
                                                                   "themes",
                                                                   "audience",
                                                                   "size",
                                                                   "category",
                                                                   "name",
                                                                   "concept",
                                                                   "overlays",
                                                                   "details",
                                                                   "question",
                                                                   "why_it_matters",
                                                                   "explored",
                                                                   "unexplored",
                                                                   "convergence_policy",
                                                                   "payoff_budget",
                                                                   "ending_salience",
                                                                   "residue_weight",
                                                                   "ending_tone",
                                                                   "description",
                                                                   "is_default_path",
                                                                   "theme",
                                                                   "mood",
                                                                   "is_canonical",
                                                                   "effects",
                                                                   "word",
                                                                   "summary",
                                                                   "prose",
                                                                   "label",
                                                                   "position",
                                                                   "location",
                                                                   "scene_type",
                                                                   "narrative_function",
                                                                   "gates",
                                                                   "kind",
                                                                   "is_ending",
                                                                   "arc_type",
                                                                   "paths",
                                                                   "sequence",
                                                                   "exclusive_beats",
                                                                   "dilemma_convergences",
                                                                   "from_beat",
                                                                   "from_aside",
                                                                   "merged_from",
                                                                   "is_start",
                                                                   "is_synthetic",
                                                                   "is_residue",
                                                                   "residue_for",
                                                                   "draft",
                                                                   "requires",
                                                                   "is_return",
                                                                   "is_routing",
                                                                   "order",
                                                                   "base",
                                                                   "dilemmas",
                                                                   "scope",
                                                                   "exhaustive",
                                                                   "variants",
                                                                   "value",
                                                                   "register",
                                                                   "tense",
                                                                   "point_of_view",
                                                                   "style",
                                                                   "medium",
                                                                   "palette",
                                                                   "prompt_fragment",
                                                                   "priority",
                                                                   "subject",
                                                                   "caption",
                                                                   "asset",
                                                                   "rank",
                                                                   "visible_when",
                                                                   "content"};
constexpr std::array<std::string_view, edge_kind_count> edge_names = {"has_answer",
                                                                      "involves",
                                                                      "belongs_to",
                                                                      "explores",
                                                                      "has_consequence",
                                                                      "sequenced_after",
                                                                      "advances",
                                                                      "reveals",
                                                                      "commits",
                                                                      "complicates",
                                                                      "shared_entity",
                                                                      "causal_chain",
                                                                      "resource_conflict",
                                                                      "at",
                                                                      "when",
                                                                      "diverges_at",
                                                                      "converges_at",
                                                                      "grants",
                                                                      "tracks",
                                                                      "choice_from",
                                                                      "choice_to",
                                                                      "appears",
                                                                      "has_entry",
                                                                      "describes_visual",
                                                                      "from_brief",
                                                                      "targets",
                                                                      "depicts"};
constexpr std::array<std::string_view, 5> kind_names = {"flag", "number", "text", "texts", "json"};

constexpr bool needed = true;
constexpr FieldKind flag = FieldKind::flag, number = FieldKind::number, text = FieldKind::text,
                    texts = FieldKind::texts, json = FieldKind::json;

constexpr FieldRow vision_fields[] = {
    {Field::title, text, needed}, {Field::author, text},   {Field::language, text},
    {Field::ifid, text},          {Field::genre, text},    {Field::tone, texts},
    {Field::themes, texts},       {Field::audience, text}, {Field::size, text, needed}};
constexpr FieldRow entity_fields[] = {{Field::category, text, needed},
                                      {Field::name, text, needed, {seed}},
                                      {Field::idea, text, false, {seed}},
                                      {Field::overlays, json, false, {grow}},
                                      {Field::details, json, false, {fill}}};
constexpr FieldRow dilemma_fields[] = {{Field::question, text, needed},
                                       {Field::why_it_matters, text},
                                       {Field::explored, texts, false, {seed}},
                                       {Field::unexplored, texts, false, {seed}},
                                       {Field::convergence_policy, text, false, {seed}},
                                       {Field::payoff_budget, number, false, {seed}},
                                       {Field::ending_salience, text, false, {seed}},
                                       {Field::residue_weight, text, false, {seed}},
                                       {Field::ending_tone, text, false, {seed}}};
constexpr FieldRow answer_fields[] = {{Field::description, text, needed}, {Field::is_default_path, flag, needed}};
constexpr FieldRow path_fields[] = {{Field::name, text, needed},
                                    {Field::is_canonical, flag, needed},
                                    {Field::theme, text, false, {grow}},
                                    {Field::mood, text, false, {grow}}};
constexpr FieldRow consequence_fields[] = {
    {Field::description, text, needed}, {Field::effects, texts}, {Field::word, text}};
constexpr FieldRow beat_fields[] = {{Field::summary, text, needed},
                                    {Field::position, number, needed},
                                    {Field::prose, text},
                                    {Field::label, text},
                                    {Field::location, text},
                                    {Field::scene_type, text, false, {grow}},
                                    {Field::narrative_function, text, false, {grow}},
                                    {Field::gates, texts},
                                    {Field::is_ending, flag}};
constexpr FieldRow aside_fields[] = {{Field::kind, text, needed},
                                     {Field::position, number, needed},
                                     {Field::summary, text, needed},
                                     {Field::prose, text},
                                     {Field::label, text}};
constexpr FieldRow arc_fields[] = {{Field::arc_type, text, needed},     {Field::paths, texts},
                                   {Field::sequence, texts, needed},    {Field::convergence_policy, text},
                                   {Field::payoff_budget, number},      {Field::exclusive_beats, number},
                                   {Field::dilemma_convergences, texts}};
constexpr FieldRow passage_fields[] = {{Field::summary, text, needed},
                                       {Field::from_beat, text},
                                       {Field::from_aside, text},
                                       {Field::merged_from, texts},
                                       {Field::label, text},
                                       {Field::location, text},
                                       {Field::is_start, flag},
                                       {Field::is_ending, flag},
                                       {Field::is_synthetic, flag},
                                       {Field::is_residue, flag},
                                       {Field::residue_for, text},
                                       {Field::prose, text, false, {fill}},
                                       {Field::draft, flag, false, {fill}}};
constexpr FieldRow codeword_fields[] = {{Field::word, text, needed}};
constexpr FieldRow choice_fields[] = {{Field::label, text, needed}, {Field::requires_codewords, texts},
                                      {Field::order, number},       {Field::is_return, flag},
                                      {Field::is_routing, flag},    {Field::base, text}};
constexpr FieldRow routing_fields[] = {{Field::kind, text, needed},
                                       {Field::base, text, needed},
                                       {Field::dilemmas, texts, needed},
                                       {Field::scope, text, needed},
                                       {Field::exhaustive, flag, needed},
                                       {Field::variants, texts, needed},
                                       {Field::requires_codewords, texts, needed},
                                       {Field::order, number, needed}};
constexpr FieldRow meta_fields[] = {{Field::value, json, needed}};
constexpr FieldRow voice_fields[] = {
    {Field::point_of_view, text, needed}, {Field::tense, text, needed}, {Field::register_, text}, {Field::tone, texts}};
constexpr FieldRow art_fields[] = {{Field::style, text, needed}, {Field::medium, text}, {Field::palette, texts}};
constexpr FieldRow visual_fields[] = {{Field::description, text, needed}, {Field::prompt_fragment, text, needed}};
constexpr FieldRow brief_fields[] = {{Field::category, text, needed},
                                     {Field::priority, number, needed},
                                     {Field::subject, text, needed},
                                     {Field::caption, text}};
constexpr FieldRow illustration_fields[] = {
    {Field::asset, text, needed}, {Field::caption, text, needed}, {Field::category, text, needed}};
constexpr FieldRow codex_fields[] = {{Field::title, text, needed},
                                     {Field::rank, number, needed},
                                     {Field::visible_when, texts},
                                     {Field::content, text, needed}};

constexpr NodeRow rows[] = {
    {NodeType::vision, {dream}, vision_fields, "what the story is to be"},
    {NodeType::entity, {brainstorm, seed}, entity_fields, "a character, place, thing or faction"},
    {NodeType::dilemma, {brainstorm}, dilemma_fields, "a question with exactly two answers"},
    {NodeType::answer, {brainstorm}, answer_fields, "one of the two"},
    {NodeType::path, {seed}, path_fields, "an answer that the story explores"},
    {NodeType::consequence, {seed}, consequence_fields, "what follows from a path"},
    {NodeType::beat, {seed}, beat_fields, "one thing that happens"},
    {NodeType::aside, {seed}, aside_fields, "what goes with the beats: residue, endings, spokes, forks"},
    {NodeType::arc, {grow}, arc_fields, "one path of each dilemma, and its beats in order"},
    {NodeType::passage, {grow}, passage_fields, "what a reader has before them at once"},
    {NodeType::codeword, {grow}, codeword_fields, "what a reader holds once a consequence has come about"},
    {NodeType::choice, {grow}, choice_fields, "a way from one passage to another"},
    {NodeType::routing_set, {grow}, routing_fields, "variants of a way, the first whose codewords are held"},
    {NodeType::meta, {grow, fill, dress, ship}, meta_fields, "what a stage tells of its work"},
    {NodeType::voice, {fill}, voice_fields, "how the story is told"},
    {NodeType::art_direction, {dress}, art_fields, "how pictures are made"},
    {NodeType::entity_visual, {dress}, visual_fields, "how an entity looks; never exported"},
    {NodeType::illustration_brief, {dress}, brief_fields, "what a picture is to show; never exported"},
    {NodeType::illustration, {dress}, illustration_fields, "a picture with its caption"},
    {NodeType::codex_entry, {dress}, codex_fields, "what readers may look up, by rank"},
};
static_assert(std::size(rows) == node_type_count);

using N = NodeType;
constexpr Set<N> dilemma_to = {N::dilemma};
constexpr EdgeRow edges[] = {
    {EdgeKind::has_answer, {N::dilemma}, {N::answer}, {brainstorm}},
    {EdgeKind::involves, {N::dilemma}, {N::entity}, {brainstorm}},
    {EdgeKind::belongs_to, {N::beat}, {N::path}, {seed, grow}},
    {EdgeKind::explores, {N::path}, {N::answer}, {seed}},
    {EdgeKind::has_consequence, {N::path}, {N::consequence}, {seed}},
    {EdgeKind::sequenced_after, {N::beat}, {N::beat}, {seed, grow}},
    {EdgeKind::advances, {N::beat}, dilemma_to, {seed}},
    {EdgeKind::reveals, {N::beat}, dilemma_to, {seed}},
    {EdgeKind::commits, {N::beat}, dilemma_to, {seed}},
    {EdgeKind::complicates, {N::beat}, dilemma_to, {seed}},
    {EdgeKind::shared_entity, dilemma_to, dilemma_to, {seed}},
    {EdgeKind::causal_chain, dilemma_to, dilemma_to, {seed}},
    {EdgeKind::resource_conflict, dilemma_to, dilemma_to, {seed}},
    {EdgeKind::at, {N::aside}, {N::beat}, {seed}},
    {EdgeKind::when, {N::aside}, {N::path}, {seed}},
    {EdgeKind::diverges_at, {N::arc}, {N::beat}, {grow}},
    {EdgeKind::converges_at, {N::arc}, {N::beat}, {grow}},
    {EdgeKind::grants, {N::beat, N::passage}, {N::codeword}, {grow}},
    {EdgeKind::tracks, {N::codeword}, {N::consequence}, {grow}},
    {EdgeKind::choice_from, {N::choice}, {N::passage}, {grow}},
    {EdgeKind::choice_to, {N::choice}, {N::passage}, {grow}},
    {EdgeKind::appears, {N::beat, N::passage}, {N::entity}, {seed, grow, fill}},
    {EdgeKind::has_entry, {N::codex_entry}, {N::entity}, {dress}},
    {EdgeKind::describes_visual, {N::entity_visual}, {N::entity}, {dress}},
    {EdgeKind::from_brief, {N::illustration}, {N::illustration_brief}, {dress}},
    {EdgeKind::targets, {N::illustration_brief}, {N::passage}, {dress}},
    {EdgeKind::depicts, {N::illustration}, {N::passage}, {dress}},
};
static_assert(std::size(edges) == edge_kind_count);

template <class E, std::size_t n>
std::optional<E> named(const std::array<std::string_view, n>& names, std::string_view name) {
  for (std::size_t i = 0; i < n; ++i) {
    if (names[i] == name) {
      return static_cast<E>(i);
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Stage stage) { return stage_names[static_cast<std::size_t>(stage)]; }
std::string_view name_of(NodeType type) { return type_names[static_cast<std::size_t>(type)]; }
std::string_view name_of(Field field) { return field_names[static_cast<std::size_t>(field)]; }
std::string_view name_of(EdgeKind kind) { return edge_names[static_cast<std::size_t>(kind)]; }
std::string_view name_of(FieldKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }
std::optional<Stage> stage_named(std::string_view name) { return named<Stage>(stage_names, name); }
std::optional<NodeType> type_named(std::string_view name) { return named<NodeType>(type_names, name); }
std::optional<Field> field_named(std::string_view name) { return named<Field>(field_names, name); }
std::optional<EdgeKind> edge_named(std::string_view name) { return named<EdgeKind>(edge_names, name); }

std::span<const NodeRow> node_rows() { return rows; }
std::span<const EdgeRow> edge_rows() { return edges; }

const NodeRow& node_row(NodeType type) {
  const NodeRow& row = rows[static_cast<std::size_t>(type)];
  PLUMB_REQUIRE(row.type == type, "the table of node types is in the order of its enumerators");
  return row;
}

const EdgeRow& edge_row(EdgeKind kind) {
  const EdgeRow& row = edges[static_cast<std::size_t>(kind)];
  PLUMB_REQUIRE(row.kind == kind, "the table of edge kinds is in the order of its enumerators");
  return row;
}

const FieldRow* field_row(NodeType type, Field field) {
  for (const FieldRow& row : node_row(type).fields) {
    if (row.field == field) {
      return &row;
    }
  }
  return nullptr;
}

}  // namespace plumb::story
