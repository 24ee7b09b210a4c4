// The graph of a story: the fold of its mutations, and nothing else changes it.
//
//   Graph graph;
//   Mutation m = creation("path::lamp__light", {{Field::name, "light"}, {Field::is_canonical, true}}, "explored");
//   Result<bool> done = graph.apply(m, Stage::seed);   // refused: which id, type, field or stage, and what there is
//   graph.apply(inverse(m), Stage::seed);              // as it was
//   graph.hash();                                      // SHA-256 of the nodes and edges, in one order
//
// Ids are `type::raw`. A refusal for an id that is not there names up to 3 near ones (similarity from 0.6: one minus
// the edits by the longer length) and at most 20 that are there.
//
// Reading a field that the node's type does not have, or as another kind, is a bug; one that may be left out and was
// reads as false, 0, "" or no texts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/result.hpp"
#include "core/story/ontology.hpp"

namespace plumb::story {

using Texts = std::vector<std::string>;
// std::monostate: not set. As FieldKind::json, the text of one JSON value.
using FieldValue = std::variant<std::monostate, bool, std::int64_t, std::string, Texts>;
using Fields = std::vector<std::pair<Field, FieldValue>>;  // in the order of Field

// "path::lamp__light" to "lamp__light", and back.
std::string_view raw(std::string_view id);
std::string id_of(NodeType type, std::string_view raw);
// Of the type that an id begins with.
std::optional<NodeType> type_of(std::string_view id);

class Node {
 public:
  Node(NodeType type, Fields fields) : type_(type), fields_(std::move(fields)) {}
  NodeType type() const { return type_; }
  const Fields& fields() const { return fields_; }
  bool flag(Field field) const;
  std::int64_t number(Field field) const;
  const std::string& text(Field field) const;  // of FieldKind::json too
  const Texts& texts(Field field) const;
  // What is set, or std::monostate.
  const FieldValue& get(Field field) const;

 private:
  friend class Graph;
  void set(Field field, FieldValue value);
  NodeType type_;
  Fields fields_;
  std::vector<std::pair<EdgeKind, std::string>> out_, in_;  // sorted
  mutable std::string digest_;  // of its id, fields and edges from it; empty: not made since it changed
};

enum class Operation : std::uint8_t { create_node, update_node, replace_node, delete_node, add_edge, remove_edge };
std::string_view name_of(Operation operation);
std::optional<Operation> operation_named(std::string_view name);

struct Mutation {
  Operation operation = Operation::create_node;
  std::string target;                    // the node, or the one that the edge comes from
  EdgeKind edge = EdgeKind::has_answer;  // of edges
  std::string to;                        // of edges
  Fields delta;                          // created: all that is set; updated: what changes; replaced: all
  Fields before;                         // updated: the same fields as in delta; replaced and deleted: all
  std::string rationale;

  bool operator==(const Mutation&) const = default;
};

Mutation creation(std::string id, Fields fields, std::string rationale);
Mutation new_edge(EdgeKind kind, std::string from, std::string to, std::string rationale);
Mutation inverse(const Mutation& mutation);

class Graph {
 public:
  using Nodes = std::map<std::string, Node, std::less<>>;

  // Nodes in the order of their ids.
  const Nodes& nodes() const { return nodes_; }
  const Node* find(std::string_view id) const;
  // A node that must be there: else it is a bug.
  const Node& at(std::string_view id) const;
  // Ids of a type, sorted.
  std::vector<std::string_view> ids(NodeType type) const;
  // Where edges of a kind from `id` lead, and where those to it come from, sorted.
  std::vector<std::string_view> out(std::string_view id, EdgeKind kind) const;
  std::vector<std::string_view> in(std::string_view id, EdgeKind kind) const;
  // The only one, or empty; two are a bug.
  std::string_view only_out(std::string_view id, EdgeKind kind) const;
  bool has_edge(EdgeKind kind, std::string_view from, std::string_view to) const;
  std::size_t edge_count() const { return edges_; }

  // Changes the graph, or says why not and changes nothing. A `before` that is not what is there is refused.
  Result<bool> apply(const Mutation& mutation, Stage stage);
  // The same without asking what the stage may: for inverses, and for notes that were applied before.
  Result<bool> replay(const Mutation& mutation);

  // {"nodes":[{"id","type",...fields}],"edges":[{"kind","from","to"}]}, in one order.
  std::string json() const;
  // "sha256:" and 64 digits: over the hashes of the nodes with the edges from each, in the order of ids. Only nodes
  // that changed are hashed again.
  std::string hash() const;
  bool operator==(const Graph& other) const { return json() == other.json(); }  // not by the hash

 private:
  Result<bool> changed(const Mutation& mutation, const Stage* stage);
  Error missing(std::string_view id) const;
  Result<bool> create(const Mutation& mutation, const Stage* stage);
  Result<bool> update(const Mutation& mutation, const Stage* stage);
  Result<bool> erase(const Mutation& mutation, const Stage* stage);
  Result<bool> edge(const Mutation& mutation, const Stage* stage);

  Nodes nodes_;
  std::size_t edges_ = 0;
  mutable std::string hash_;  // empty: not made since the last change
};

// Writes fields as members of an open object.
void append_field(std::string& out, const FieldValue& value);

}  // namespace plumb::story
