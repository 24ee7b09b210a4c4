// The schema documents that are compiled in, so that contracts can refer to them without a network: the meta-schemas of
// JSON Schema 2020-12, 2019-09 and drafts 7, 6 and 4, and of our own vocabulary (core/contracts/meta).
#pragma once

#include <string_view>
#include <vector>

namespace plumb::contract {

struct BuiltInSchema {
  std::string_view uri;   // its `$id`, without an empty fragment
  std::string_view text;  // as in the file
};

// In the order of their URIs.
const std::vector<BuiltInSchema>& built_in_schemas();
// nullptr when there is no such document. `uri` is without fragment.
const BuiltInSchema* built_in_schema(std::string_view uri);

}  // namespace plumb::contract
