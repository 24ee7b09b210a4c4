// Places: what the contract requires at the place that is being read: the kinds of value, the texts, and the level of
// edits.
//
// It moves with the text through `properties`, `additionalProperties`, `prefixItems`, `items`, `$ref` and `allOf`,
// whose requirements hold in every case. It does not enter alternatives (anyOf, oneOf, if). Where only these apply,
// members and items are unknown, and no edit is made for the contract's sake. For the value itself it does look into
// alternatives: which kinds does one of them accept, and may one of them require a member?
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/contract/edit.hpp"
#include "core/contract/program.hpp"

namespace plumb::repair {

class Places {
 public:
  explicit Places(const contract::Program& program);

  // Announces the root as the next value.
  void reset();
  // Announces the next value as a member or an item of the open container.
  void member(std::string_view key);
  void item(std::uint64_t index);
  // The next value is a container that opens; the open container closes.
  void open();
  void close();

  // The kinds that the next value may have, as contract::TypeBit without `integer`. type_any if nothing is known.
  std::uint8_t types() const;
  // The same, including alternatives, enum and const: every kind that might fit, never too few.
  std::uint8_t kinds() const;
  // True for a member of the open container that is in `properties` and that no schema for the object requires, in any
  // alternative, by name or by a number of members.
  bool optional(std::string_view key) const;
  // The texts of which the next value must be one, or nullptr.
  const contract::ScalarPart* texts() const;
  // The kinds that an item of the next value may have, if it is a list.
  std::uint8_t item_types() const;
  // For the next value, if it is an object: whether it must have members, whether it knows a member with this name,
  // and the names of those it must have.
  bool requires_members() const;
  bool knows(std::string_view key) const;
  void required(std::vector<std::string_view>& out) const;
  // The level that the contract itself sets here, or unset.
  contract::EditLevel level(contract::EditClass c) const;

 private:
  struct Frame {
    std::uint32_t from = 0;  // index in nodes_
    std::uint32_t to = 0;
    std::uint32_t levels = 0;  // index in levels_, 0: none
  };
  void begin_next();
  void add(const contract::Node* node, unsigned depth);
  void settle_levels();

  const contract::Program* program_;
  std::vector<const contract::Node*> nodes_;
  std::vector<Frame> frames_;
  Frame next_;
  std::vector<contract::EditLevels> levels_;
};

}  // namespace plumb::repair
