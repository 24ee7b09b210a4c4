#include "core/contract/keywords.hpp"

#include <cstddef>

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

Kw kw_named(std::string_view name) {
  for (std::size_t i = 1; i < static_cast<std::size_t>(Kw::count_); ++i) {
    if (names[i] == name) {
      return static_cast<Kw>(i);
    }
  }
  return Kw::none;
}

}  // namespace plumb::contract
