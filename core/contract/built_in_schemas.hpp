// The schema documents that are compiled in, so that contracts can refer to them without a network: the meta-schemas
// of JSON Schema 2020-12, 2019-09 and drafts 7, 6 and 4, and of the Plumbline vocabulary (core/contracts/meta).
#pragma once

#include <string_view>
#include <vector>

namespace plumb::contract {

struct BuiltInSchema {
  std::string_view uri;   // the document's `$id`, without an empty fragment
  std::string_view text;  // the file, byte for byte
};

// All documents, in the order of their URIs.
const std::vector<BuiltInSchema>& built_in_schemas();
// Returns the document with this URI, or nullptr. The URI must not have a fragment.
const BuiltInSchema* built_in_schema(std::string_view uri);

}  // namespace plumb::contract
