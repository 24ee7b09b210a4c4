// Every rule of a contract that an artifact can break by itself: each keyword at each place whose finding would be
// in a verdict, with the way there from the root.
//
// What is inside `not`, `if`, `contains` or a branch of anyOf and oneOf gives no finding of its own (it is part of
// theirs) and is no site, unless the branches are told apart by a member that each of them fixes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/program.hpp"

namespace plumb::sample {

using contract::InPlaceForm;
using contract::Kw;
using contract::Node;
using contract::Program;

enum class StepKind : std::uint8_t {
  in_place,            // the same value: $ref, allOf, then, a branch, a rule's check
  member,              // `key`
  pattern_member,      // a name that matches `number` of Program::patterns
  other_member,        // additionalProperties
  unevaluated_member,  //
  name,                // the name of a member, as a string
  prefix_item,         // item `number`
  item,                // any item behind the prefix
  unevaluated_item,    //
  pointed,             // wherever `number` of Program::pointer_patterns leads
  context,             // the same, in the context document
};

// How a schema is reached from another.
struct Step {
  StepKind kind = StepKind::in_place;
  const Node* from = nullptr;
  const Node* node = nullptr;
  std::string_view key;
  std::uint32_t number = 0;
};

struct Site {
  const Node* node = nullptr;
  Kw kw = Kw::none;  // `none` for the schema false
  std::uint32_t index =
      0;  // of the bound, text rule, cross rule, rule, missing member or distinct, where there are several
  std::uint32_t sub = 0;  // dependentRequired: the key
  std::string rule;       // as the finding names it
  std::string location;   // its schemaLocation
  std::string property;   // the missing member
  contract::Severity severity = contract::Severity::error;
  std::vector<Step> way;
};

// The sites below `root`, in the order of the contract's text.
std::vector<Site> sites_of(const Program& program, const Node* root);

// Of the node itself, without a way.
void append_sites(const Program& program, const Node& node, std::vector<Site>& out);

// What a reference leads to when nothing is known of its dynamic scope but the contract's root.
const Node* plain_target(const Program& program, const contract::InPlace& in);

}  // namespace plumb::sample
