// The schemas of a compiled contract as a graph, and what a derived target leaves out of them.
//
// A schema object is named by its number in Program::nodes. A *part* is one member of a schema object: number and
// position. Deriving a target marks the parts that it does not enforce; what is not marked is enforced wherever the
// target lets a value come to it. From the marks come the residual's list and the residual's contract (residual.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/contract/contract.hpp"
#include "core/contract/program.hpp"
#include "core/json/value.hpp"

namespace plumb::derive {

using SchemaId = std::uint32_t;
inline constexpr SchemaId no_schema = ~SchemaId{0};

// What a member of a schema object is to a derivation.
enum class Role : std::uint8_t {
  note,       // describes, names or words: asserts nothing
  check,      // asserts, without schemas below that concern the same artifact
  reference,  // $ref that is followed
  every,      // allOf
  places,     // properties, patternProperties, additionalProperties, items, prefixItems, additionalItems
  unions,     // anyOf, oneOf
  other,      // an applicator of any other kind
};

// The role of `key` in a schema object of `dialect`. See SchemaGraph::role().
Role role_of(std::string_view key, contract::Dialect dialect);
// A keyword of the Plumbline vocabulary that asserts something.
bool is_our_check(std::string_view key);

class SchemaGraph {
 public:
  // `contract` must outlive the graph.
  explicit SchemaGraph(const contract::Contract& contract);

  const contract::Program& program() const { return program_; }
  std::size_t size() const { return program_.nodes.size(); }
  SchemaId root() const { return root_; }
  const contract::Node& node(SchemaId id) const { return program_.nodes[id]; }
  const json::Value& schema(SchemaId id) const { return *program_.nodes[id].schema; }
  contract::Dialect dialect(SchemaId id) const;
  const std::string& location(SchemaId id) const { return program_.nodes[id].location; }
  // Of one of its members: location, "/" and the key.
  std::string location(SchemaId id, std::string_view key) const;

  // The schema at `value`, or no_schema where the engine runs none.
  SchemaId find(const json::Value& value) const;
  // Where the `$ref` of a schema leads, or no_schema.
  SchemaId target(SchemaId id) const;
  // The schemas that a member holds, or leads to. The member itself, no copy: schemas are known by their address.
  std::vector<SchemaId> below(SchemaId id, const json::Member& member) const;
  // The members that count: of a schema of draft 7 or older with `$ref`, only that.
  bool counts(SchemaId id, const json::Member& member) const;
  // What a member is here: a `format` that is not asserted is a note.
  Role role(SchemaId id, const json::Member& member) const;
  // Its keywords only warn, or its meta-schema is not known well enough to say which of them assert.
  bool warns(SchemaId id) const { return warns_[id]; }
  // Nothing of the schema can be told apart: it warns, or has `unevaluated*`, which depends on all of it.
  bool opaque(SchemaId id) const { return opaque_[id]; }
  // References lead to fixed places and every schema is of one dialect: parts can be copied to another document.
  bool movable() const { return movable_; }

  // Marks a part as not enforced. Marking twice is marking once.
  void leave(SchemaId id, std::string_view key);
  void leave_all(SchemaId id);
  bool left(SchemaId id, std::uint32_t position) const;
  // Something in the schema, or in any schema it leads to, is left.
  std::vector<bool> residues() const;

 private:
  const contract::Program& program_;
  std::vector<std::pair<const json::Value*, SchemaId>> by_value_;  // sorted
  std::vector<bool> warns_;
  std::vector<bool> opaque_;
  std::vector<std::vector<bool>> left_;  // by position; empty where nothing is left
  SchemaId root_ = 0;
  bool movable_ = true;
};

}  // namespace plumb::derive
