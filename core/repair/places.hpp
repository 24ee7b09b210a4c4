// What the contract says of the place that is being read: which kinds of value it takes, which texts, and which edits.
//
// Walks along with the text through `properties`, `additionalProperties`, `prefixItems`, `items`, `$ref` and `allOf`:
// what all of these say together holds in any case. Alternatives (anyOf, oneOf, if) are not entered, so where only they
// speak, nothing is known of members and items, and nothing is edited for the contract's sake. Of the value itself they
// are asked: which kinds some alternative takes, and whether one may ask for a member.
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

  // The next value is the root.
  void reset();
  // The next value is a member or an item of the container that is open.
  void member(std::string_view key);
  void item(std::uint64_t index);
  // The next value is a container and opens, or the container that is open closes.
  void open();
  void close();

  // Of the next value. Bits of contract::TypeBit without `integer`; type_any where nothing is known.
  std::uint8_t types() const;
  // The same with what alternatives, enum and const take: all kinds that may fit, and never one fewer.
  std::uint8_t kinds() const;
  // Of a member of the container that is open: it is named in `properties`, and nothing that may hold for the object,
  // in any alternative, asks for it or for a number of members.
  bool optional(std::string_view key) const;
  // The texts it must be one of, or null.
  const contract::ScalarPart* texts() const;
  // Whether an item of it may be of this kind, where it is a list.
  std::uint8_t item_types() const;
  // Of the next value, when it is an object: what it must have, and whether it knows a member of this name.
  bool requires_members() const;
  bool knows(std::string_view key) const;
  void required(std::vector<std::string_view>& out) const;
  // What the contract itself allows here, or unset.
  contract::EditLevel level(contract::EditClass c) const;

 private:
  struct Frame {
    std::uint32_t from = 0;  // in nodes_
    std::uint32_t to = 0;
    std::uint32_t levels = 0;  // in levels_, 0: none
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
