#include "core/contract/keywords.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

namespace plumb::contract {

namespace {
constexpr std::string_view names[] = {"",
                                      "$ref",
                                      "$dynamicRef",
                                      "$recursiveRef",
                                      "allOf",
                                      "anyOf",
                                      "oneOf",
                                      "not",
                                      "if",
                                      "then",
                                      "else",
                                      "dependentSchemas",
                                      "dependencies",
                                      "type",
                                      "enum",
                                      "const",
                                      "multipleOf",
                                      "maximum",
                                      "exclusiveMaximum",
                                      "minimum",
                                      "exclusiveMinimum",
                                      "maxLength",
                                      "minLength",
                                      "pattern",
                                      "format",
                                      "prefixItems",
                                      "items",
                                      "additionalItems",
                                      "contains",
                                      "minContains",
                                      "maxContains",
                                      "minItems",
                                      "maxItems",
                                      "uniqueItems",
                                      "unevaluatedItems",
                                      "properties",
                                      "patternProperties",
                                      "additionalProperties",
                                      "propertyNames",
                                      "minProperties",
                                      "maxProperties",
                                      "required",
                                      "dependentRequired",
                                      "unevaluatedProperties",
                                      "memberOf",
                                      "distinct",
                                      "acyclic",
                                      "countOf",
                                      "sumOf",
                                      "sameSetAs",
                                      "notBlank",
                                      "length",
                                      "maxSentences",
                                      "avoids",
                                      "singleUnknown",
                                      "mentions",
                                      "facts",
                                      "novel",
                                      "quotedFrom",
                                      "pointers",
                                      "rules",
                                      "syntax",
                                      "duplicateKey",
                                      "loneSurrogate",
                                      "limit"};
static_assert(sizeof(names) / sizeof(names[0]) == static_cast<std::size_t>(Kw::count_), "a name for every rule");
}  // namespace

std::string_view kw_name(Kw kw) { return names[static_cast<std::size_t>(kw)]; }

namespace {

// Keywords by length and text of their names.
constexpr auto before = [](std::string_view a, std::string_view b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
};
constexpr auto sorted = [] {
  std::array<std::uint8_t, std::size(names)> out = {};
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::size_t at = i;
    for (; at > 0 && before(names[i], names[out[at - 1]]); --at) {
      out[at] = out[at - 1];
    }
    out[at] = static_cast<std::uint8_t>(i);
  }
  return out;
}();

}  // namespace

Kw kw_named(std::string_view name) {
  const auto found = std::lower_bound(sorted.begin(), sorted.end(), name,
                                      [](std::uint8_t i, std::string_view text) { return before(names[i], text); });
  return found != sorted.end() && names[*found] == name ? static_cast<Kw>(*found) : Kw::none;
}

}  // namespace plumb::contract
