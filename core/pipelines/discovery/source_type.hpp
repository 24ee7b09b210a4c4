// What kind of source a piece comes from, as the source itself says it: "intercom", "posthog", "github", "codebase",
// "research", else "other". Internal to this folder.
#pragma once

#include <string_view>

#include "core/json/value.hpp"
#include "core/pipelines/discovery/sources.hpp"

namespace plumb::pipelines::discovery {

// Of a record in a file: a member such as `source` that names it, an address on github.com, the marks of an export, the
// name of the file or its folder. Empty where nothing says it.
std::string_view type_of(SourceKind kind, std::string_view path, const json::Value& record);

// The source_type of evidence: what the unit says, else what every source of the kind is.
std::string_view evidence_type(SourceKind kind, const Unit& unit);

}  // namespace plumb::pipelines::discovery
