// What a contract allows, as far as types, grammars and strict schemas can say it: a graph of forms.
//
// A form is what may be at one place. References and allOf are merged into it; anyOf and oneOf are its branches,
// each merged with what is beside them. So a form needs no conjunction, which none of these targets has.
//
//   SchemaGraph graph(contract);
//   Result<Forms> forms = read_forms(graph, limits);
//
// What a form cannot hold is marked in the graph as left; what a target cannot say of a form, the target marks itself
// with leave(). Forms are found by number; the graph of forms may have circles.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/derive/schema_graph.hpp"
#include "core/result.hpp"

namespace plumb::derive {

using FormId = std::uint32_t;

struct FormMember {
  std::string_view key;
  FormId form = 0;
  SchemaId said = no_schema;  // the schema written for it, which may describe it beside a reference
  bool required = false;
};

struct FormBound {
  contract::Kw kw = contract::Kw::none;  // minimum, maximum, exclusive..., multipleOf
  std::string_view number;
};

struct Form {
  std::vector<SchemaId> schemas;  // all hold here, references and allOf followed; the first is the one asked for
  std::uint8_t types = contract::type_any;  // TypeBit
  bool implied = false;                     // there is no `type`: objects or arrays follow from other keywords
  bool any = false;                         // nothing is asked
  bool has_values = false;                  // enum, const
  std::vector<const json::Value*> values;   // of the types
  std::vector<FormId> branches;             // where there are any, nothing below counts

  std::vector<FormBound> bounds;
  std::uint64_t min_length = 0;
  std::uint64_t max_length = contract::no_bound;
  std::vector<std::string_view> patterns;

  std::uint64_t min_items = 0;
  std::uint64_t max_items = contract::no_bound;
  std::vector<FormId> prefix;
  FormId rest = 0;  // items behind the prefix

  std::vector<FormMember> members;  // in the order of `properties`, then what only `required` names
  FormId extra = 0;                 // members that are not named
  bool extra_said = false;          // additionalProperties says what they are
  bool extra_by_name = false;       // patternProperties say more of some of them

  bool possible = false;  // some finite value fits
};

struct Limits {
  std::uint32_t forms_max = 10'000;
  std::uint32_t depth_max = 100;
  std::size_t output_bytes_max = std::size_t{1} << 20;
  // Of the text for a model: without what values must keep, and without marks of members that may be left out.
  bool outline_only = false;
  bool all_members = false;
};

class Forms {
 public:
  std::size_t size() const { return forms_.size(); }
  const Form& operator[](FormId id) const { return forms_[id]; }
  FormId root() const { return root_; }

  bool possible(FormId id) const { return forms_[id].possible; }
  // Of the arrays or objects alone.
  bool array_possible(const Form& form) const;
  bool object_possible(const Form& form) const;
  // max_items, or less where no item can follow.
  std::uint64_t items_max(const Form& form) const;
  // The possible branches.
  std::vector<FormId> branches(const Form& form) const;
  // The bits of `types` that some value has; over all branches.
  std::uint8_t types_of(FormId id) const;
  // No value fits both, as far as types, constants and required members with constants tell.
  bool disjoint(FormId a, FormId b) const;

 private:
  friend class FormReader;
  void find_possible();

  std::vector<Form> forms_;
  FormId root_ = 0;
};

// Marks in `graph` what forms cannot hold. The error names a place: a bound was reached, or nothing is possible.
Result<Forms> read_forms(SchemaGraph& graph, const Limits& limits);

// Marks `key` in every schema of the form.
void leave(SchemaGraph& graph, const Form& form, std::string_view key);
// title, description, default... of the first schema of the form that has it; empty where none has.
std::string_view text_of(const SchemaGraph& graph, const Form& form, std::string_view key);
// The form's place in the contract: the location of its first schema.
const std::string& location_of(const SchemaGraph& graph, const Form& form);

}  // namespace plumb::derive
