// Client keys that several proxies share: each has its own file (key_file.hpp), and all files come to the same.
//
// Three lists are merged by the ids of their keys: what this host's file has, what all others have, and what both were
// when they were last the same (`FILE.shared`). A key that was made, changed or taken out on one side since is so on
// both; where both have changed it, it is revoked if either has revoked it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "native/proxy/client_keys.hpp"

namespace plumb::proxy {

std::vector<ClientKey> merged_keys(const std::vector<ClientKey>& last, const std::vector<ClientKey>& mine,
                                   const std::vector<ClientKey>& theirs);

// One step towards the same; the error where the file is empty or gone and had keys, or a file cannot be read. It
// merges what all others have into the file. Gives what all should have: where that is not `theirs_text`, it is to be
// told to the others, and then this is to be called again.
Result<std::string> share_keys(const std::string& file, std::string_view theirs_text);

}  // namespace plumb::proxy
