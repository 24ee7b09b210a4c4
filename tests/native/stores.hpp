// The store that a test works on: the same tests are run over both kinds.
//
//   const auto store = opened_store(folder.file("runs.db"));
//
// A file, unless PLUMB_TEST_STORE says otherwise: `nats` is a server that the process starts, nats://HOST:PORT is one
// that is there. On it each file name is a store of its own, with this host's copy beside the file.
#pragma once

#include <memory>
#include <string>

#include "core/result.hpp"
#include "native/store/open_store.hpp"

namespace plumb::test {

bool on_nats();
store::StoreSettings test_store(const std::string& file);
Result<std::unique_ptr<store::Store>> open_test_store(const std::string& file, bool read_only = false);
// What it keeps is in the tables of this file.
std::string tables_of(const std::string& file);

}  // namespace plumb::test
