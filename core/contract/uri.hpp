// URI references (RFC 3986), as far as schemas need them: split a reference, and resolve it against a base.
#pragma once

#include <string>
#include <string_view>

namespace plumb::contract {

// Resolves a reference against an absolute or empty base (RFC 3986 section 5.2, strict). It never fails: text that is
// not a URI counts as a relative path. A "urn:" or "plumb:" base without a hierarchy keeps its path only for
// references that are a fragment.
std::string resolve_uri(std::string_view base, std::string_view reference);

struct SplitUri {
  std::string_view without_fragment;
  std::string_view fragment;  // without '#', still percent-encoded
  bool has_fragment = false;
};
SplitUri split_fragment(std::string_view uri);

}  // namespace plumb::contract
