// Client keys shared by several proxies: each has its own file (key_file.hpp), and all files become the same.
//
// Three lists are merged by key id: this host's file, the shared list, and what both were when they were last equal
// (`FILE.shared`). A key that was added, changed or removed on one side is so on both. If both sides changed it, it is
// revoked if either revoked it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "native/proxy/client_keys.hpp"

namespace plumb::proxy {

std::vector<ClientKey> merged_keys(const std::vector<ClientKey>& last, const std::vector<ClientKey>& mine,
                                   const std::vector<ClientKey>& theirs);

// One merge step. It writes the shared list's changes into the file, and returns the list that all should have. If
// that is not `theirs_text`, publish it and call this again. Error: the file had keys and is now empty or missing, or
// a file cannot be read.
Result<std::string> share_keys(const std::string& file, std::string_view theirs_text);

}  // namespace plumb::proxy
