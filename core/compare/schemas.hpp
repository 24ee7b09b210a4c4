// The schemas of two contracts as one list, so that a proof may speak of both: what each is, where its references lead,
// and whether a value keeps it.
//
// A schema object is named by a number: those of the first contract come first. Only core/compare uses it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/contract/contract.hpp"
#include "core/contract/program.hpp"

namespace plumb::compare {

using contract::InPlace;
using contract::InPlaceForm;
using contract::Kw;
using contract::Node;
using contract::ObjectPart;
using contract::Program;
using contract::Severity;
using contract::Slot;

using SchemaId = std::uint32_t;
inline constexpr SchemaId no_schema = ~SchemaId{0};

// Every JSON value is of one sort. Integers are of two, since draft 4 takes no 1.0 for an integer: those written
// without fraction and exponent, and those written with one.
enum class Sort : std::uint8_t { null, boolean, integer, odd_integer, fraction, string, array, object };
inline constexpr Sort sorts[] = {Sort::null,     Sort::boolean, Sort::integer, Sort::odd_integer,
                                 Sort::fraction, Sort::string,  Sort::array,   Sort::object};
json::Kind kind_of(Sort sort);

enum class Three : std::uint8_t { yes, no, maybe };

class Schemas {
 public:
  Schemas(const contract::Contract& first, const contract::Contract& second);

  std::size_t size() const { return nodes_.size(); }
  const Node& node(SchemaId id) const { return *nodes_[id]; }
  SchemaId id(const Node* node) const;
  bool of_first(SchemaId id) const { return id < first_size_; }
  const Program& program(SchemaId id) const { return of_first(id) ? *first_ : *second_; }
  SchemaId first_root() const { return id(first_->root); }
  SchemaId second_root() const { return id(second_->root); }
  // Both have the same schemas at the same places, so that what depends on the way to a schema is the same too.
  bool same_text() const { return same_text_; }

  // Where a reference of a schema leads; no_schema where that depends on the way to it ($dynamicRef, $recursiveRef).
  SchemaId target(SchemaId owner, const InPlace& in) const;
  // Its own keywords refuse. What only warns says nothing about what is accepted.
  bool refuses(SchemaId id) const { return nodes_[id]->severity == Severity::error; }
  // Whether its own type lets values of that sort through.
  bool takes(SchemaId id, Sort sort) const;
  // No value of that sort keeps it, as its type, its values and what it refers to say. False: not known.
  bool bars(SchemaId id, Sort sort) const;
  // Whether a JSON text keeps it, as the engine says. Maybe: that depends on what surrounds the value.
  Three judge(SchemaId id, std::string_view text) const;
  // Below it, the spelling of an integer counts (draft 4).
  bool spelling_counts(SchemaId id) const { return spelling_[id]; }

 private:
  enum class Barred : std::uint8_t { not_known, looked_at, no, yes };
  void append(const Program& program);
  bool finds_barred(SchemaId id, Sort sort) const;
  std::vector<SchemaId> below(SchemaId id) const;

  std::shared_ptr<const Program> first_;
  std::shared_ptr<const Program> second_;
  std::size_t first_size_ = 0;
  bool same_text_ = false;
  std::vector<const Node*> nodes_;
  std::vector<std::pair<const Node*, SchemaId>> by_address_;  // sorted; only to find
  std::vector<bool> alone_;                                   // can be judged by itself
  std::vector<bool> spelling_;
  mutable std::vector<Barred> barred_;  // by schema and sort, as far as it was asked
};

// The slot of a key, or nullptr.
const Slot* slot_of(const ObjectPart& object, std::string_view key);
// Whether a name matches a pattern of the program.
bool matches(const Program& program, std::uint32_t pattern, std::string_view name);
// The source of a pattern of patternProperties.
std::string_view pattern_source(const Node& node, const ObjectPart::PatternProperty& property);

// ---- sameness: same.cpp

// Whether two schemas are the same but for what only describes: the same keywords with the same meaning, and the same
// again wherever they lead. Remembers what it found.
class Sameness {
 public:
  explicit Sameness(const Schemas& schemas) : schemas_(schemas) {}
  bool same(SchemaId a, SchemaId b);
  // Whether a keyword of ours has the same value in both.
  static bool same_member(const Node& a, const Node& b, Kw kw);
  // Of rules: what they check, and where. Titles and questions do not count.
  bool same_rule(SchemaId a, const contract::Rule& x, SchemaId b, const contract::Rule& y);
  bool same_pointed(SchemaId a, const contract::PointedSchema& x, SchemaId b, const contract::PointedSchema& y);

 private:
  using Pairs = std::vector<std::pair<SchemaId, SchemaId>>;
  bool alike(SchemaId a, SchemaId b, Pairs& next) const;
  bool alike_arrays(const Node& a, const Node& b, Pairs& next) const;
  bool alike_objects(SchemaId a, SchemaId b, Pairs& next) const;
  bool alike_in_place(SchemaId a, SchemaId b, Pairs& next) const;
  bool alike_extra(SchemaId a, SchemaId b, Pairs& next) const;
  bool pair(const Node* a, const Node* b, Pairs& next) const;

  const Schemas& schemas_;
  std::map<std::pair<SchemaId, SchemaId>, bool> known_;
};

}  // namespace plumb::compare
