// Explanations of rules: what each rule means, when it decides, how to fix a finding, and an example. They cover every
// keyword of JSON Schema, every keyword of the Plumbline vocabulary and every built-in kind of finding, in the order
// of the reference. `plumb explain` prints them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace plumb::contract {

enum class RuleKind : std::uint8_t {
  text,
  any_value,
  number,
  string,
  array,
  object,
  in_place,
  reference,
  vocabulary,
  annotation
};

// The heading of a kind in the reference, such as "JSON Schema, strings".
std::string_view kind_title(RuleKind kind);

struct Explanation {
  std::string_view rule;  // as a finding names it
  RuleKind kind = RuleKind::annotation;
  std::string_view meaning;   // complete sentences
  std::string_view decides;   // the byte at which the rule decides; empty for a rule that never breaks
  std::string_view fix;       // what to do about a finding; empty for a rule that never breaks
  std::string_view contract;  // the contract of the example
  std::string_view artifact;  // the artifact of the example
  std::string_view finds;     // the rule of the finding that the example gives; empty if it gives none
  bool breaks = true;         // true if the artifact breaks the contract
};

std::span<const Explanation> explanations();
// nullptr if no rule has this name.
const Explanation* explanation_of(std::string_view rule);

}  // namespace plumb::contract
