// Names for forms that a target writes as rules, types or definitions of their own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/derive/form.hpp"
#include "core/derive/schema_graph.hpp"

namespace plumb::derive {

enum class Naming : std::uint8_t {
  shared,   // what is used more than once, or within itself
  defined,  // that, and what the contract itself names under `$defs`
};

// By form; empty for a form that is written in place. Names are of letters, digits and `_`, begin with a letter,
// and no two are equal. The root has none unless something refers to it.
std::vector<std::string> name_forms(const SchemaGraph& graph, const Forms& forms, FormId root, Naming naming);

// The forms that a form leads to, in the order in which they are written; the possible ones.
std::vector<FormId> next_forms(const Forms& forms, FormId id);

// All forms that `root` leads to, each behind those that it leads to itself, but for circles; `root` is the last.
std::vector<FormId> forms_by_need(const Forms& forms, FormId root);

}  // namespace plumb::derive
