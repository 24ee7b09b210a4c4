// The dialects of JSON Schema that are read: drafts 4, 6 and 7, 2019-09, 2020-12, and behind a switch version 1, which
// is not published yet. They are ordered by age, so "until draft 7" is a comparison.
//
// A schema of draft 4 is read as one of draft 6, which differs in three things. `id` is `$id`. exclusiveMinimum and
// exclusiveMaximum are booleans that sharpen the bound beside them. An integer has no fraction and no exponent.
// SchemaDocuments rewrites the first two while it reads; the third is Node::plain_integer.
//
// A schema of version 1 is read as one of 2020-12, which differs in $dynamicRef: it names a $dynamicAnchor, which may
// be in another resource (Compiler::refer_dynamically).
#pragma once

#include <cstdint>
#include <string_view>

namespace plumb::contract {

enum class Dialect : std::uint8_t { draft4, draft6, draft7, draft2019_09, draft2020_12, v1 };

struct DialectName {
  Dialect dialect;
  std::string_view name;  // the name in options
  std::string_view uri;   // the URI in `$schema`, without scheme and empty fragment: "json-schema.org/..."
};
inline constexpr DialectName dialect_names[] = {
    {Dialect::draft2020_12, "2020-12", "json-schema.org/draft/2020-12/schema"},
    {Dialect::draft2019_09, "2019-09", "json-schema.org/draft/2019-09/schema"},
    {Dialect::draft7, "draft-07", "json-schema.org/draft-07/schema"},
    {Dialect::draft6, "draft-06", "json-schema.org/draft-06/schema"},
    {Dialect::draft4, "draft-04", "json-schema.org/draft-04/schema"},
    {Dialect::v1, "v1", "json-schema.org/v1"},
};

constexpr std::string_view name_of(Dialect dialect) {
  for (const DialectName& one : dialect_names) {
    if (one.dialect == dialect) {
      return one.name;
    }
  }
  return {};
}

// The dialect with this name in options; 2020-12 if the name is unknown.
constexpr Dialect dialect_named(std::string_view name) {
  for (const DialectName& one : dialect_names) {
    if (one.name == name) {
      return one.dialect;
    }
  }
  return Dialect::draft2020_12;
}

// The dialect that a `$schema` names, by http or https, with or without an empty fragment; nullptr if it names
// another.
constexpr const DialectName* dialect_of_uri(std::string_view uri) {
  if (!uri.empty() && uri.back() == '#') {
    uri.remove_suffix(1);
  }
  for (const std::string_view scheme : {std::string_view("https://"), std::string_view("http://")}) {
    if (uri.starts_with(scheme)) {
      uri.remove_prefix(scheme.size());
      break;
    }
  }
  for (const DialectName& one : dialect_names) {
    if (one.uri == uri) {
      return &one;
    }
  }
  return nullptr;
}

// True if keywords beside `$ref` are ignored. In these dialects definitions are in `definitions`.
constexpr bool ref_stands_alone(Dialect dialect) { return dialect <= Dialect::draft7; }

}  // namespace plumb::contract
