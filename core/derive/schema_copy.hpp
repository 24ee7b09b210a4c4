// Copies the schemas of a contract into one new document: whole, only what is left, or only what is not.
//
// References are written anew: every schema that one leads to gets a place in the copy's `$defs` (`definitions` in
// draft 7), so that the copy is complete, wherever its parts came from. What no reference of the copy leads to is not
// in it. Only for graphs that are movable().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/derive/form.hpp"
#include "core/derive/schema_graph.hpp"
#include "core/json/writer.hpp"

namespace plumb::derive {

enum class Copy : std::uint8_t {
  whole,  // all that asserts, with its wording
  rest,   // what is left, with its wording, and what must be around it
  kept,   // what is not left, with titles and descriptions
};

class SchemaCopy {
 public:
  SchemaCopy(const SchemaGraph& graph, json::Writer& json, const Limits& limits);

  // The members of `root`, within an object that the caller has begun; then `$defs`. Kept copies are of 2020-12.
  void root_members(SchemaId root, Copy how);
  // What went wrong, or nullptr.
  const Error* error() const { return failed_ ? &error_ : nullptr; }

 private:
  void value(SchemaId id, Copy how);
  void members(SchemaId id, Copy how);
  void member(SchemaId id, const json::Member& member, Copy how);
  std::string_view key_of(SchemaId id, const json::Member& member, Copy how) const;
  void rest_of_places(SchemaId id, const json::Member& member, bool named);
  void below(const json::Value& holder, std::string_view key, SchemaId id, Copy how);
  void schema_or_raw(const json::Value& schema, Copy how);
  void reference(SchemaId target, Copy how);
  bool any_residue(SchemaId id, const json::Member& member) const;
  std::string name_for(SchemaId target, Copy how);

  const SchemaGraph& graph_;
  json::Writer& json_;
  const Limits& limits_;
  std::vector<bool> residues_;
  struct Definition {
    SchemaId schema;
    Copy how;
    std::string name;
  };
  std::vector<Definition> definitions_;
  std::uint32_t depth_ = 0;
  bool failed_ = false;
  Error error_;
};

}  // namespace plumb::derive
