// URI references (RFC 3986), as far as schemas need them: split, resolve against a base, percent-decode a fragment.
#pragma once

#include <string>
#include <string_view>

namespace plumb::contract {

// The reference resolved against an absolute or empty base (RFC 3986 section 5.2, strict). Never fails: what is no URI
// is taken as a relative path. A "urn:" or "plumb:" base without a hierarchy keeps its path only for fragment
// references.
std::string resolve_uri(std::string_view base, std::string_view reference);

struct SplitUri {
  std::string_view without_fragment;
  std::string_view fragment;  // without '#', still percent-encoded
  bool has_fragment = false;
};
SplitUri split_fragment(std::string_view uri);

}  // namespace plumb::contract
