// What each rule means, when it decides, how to fix what breaks it, with an example: for every keyword of JSON Schema,
// every keyword of the Plumbline vocabulary and every built-in kind of finding. One array, in the order of the
// reference.
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

// "JSON Schema, strings".
std::string_view kind_title(RuleKind kind);

struct Explanation {
  std::string_view rule;  // as a finding names it
  RuleKind kind = RuleKind::annotation;
  std::string_view meaning;   // whole sentences
  std::string_view decides;   // the byte at which it is certain; empty for what never breaks
  std::string_view fix;       // what to do about a finding; empty for what never breaks
  std::string_view contract;  // an example: a contract's text,
  std::string_view artifact;  // an artifact's text,
  std::string_view finds;     // and the rule of the finding that they give; empty: none
  bool breaks = true;         // the artifact breaks the contract
};

std::span<const Explanation> explanations();
// nullptr when no rule has that name.
const Explanation* explanation_of(std::string_view rule);

}  // namespace plumb::contract
