// Where the store of runs is: --store, else PLUMB_STORE, else `store` of plumb.yaml, else plumb/runs.db in
// $XDG_STATE_HOME or ~/.local/state. The folder of the usual place is made; that of another must be there.
//
// It may be an address of NATS (nats://HOST/NAME, docs/scale.md): then this host's own copy lies in plumb/ there. Who
// asks is said by PLUMB_NATS_LOGIN or the first line of the file PLUMB_NATS_LOGIN_FILE, "USER:PASSWORD" or "TOKEN"; in
// the address only where that is in a variable or a file, since everybody sees what a command was called with.
// PLUMB_NATS_CA is a file of certificates that the servers' are signed by.
#pragma once

#include <string>

#include "core/result.hpp"
#include "native/cli/arguments.hpp"
#include "native/store/open_store.hpp"

namespace plumb::cli {

// A file, or an address.
Result<std::string> store_file(const Arguments& arguments);
// What a store is opened with; it tells people what they should know on standard error.
Result<store::StoreSettings> store_settings(const Arguments& arguments, bool read_only);
// Who asks the servers of NATS (empty: nobody was said), and the certificates that theirs are signed by.
Result<std::string> nats_login();
std::string nats_authorities();
// The path that what lies beside the store begins with.
Result<std::string> store_place(const Arguments& arguments);

}  // namespace plumb::cli
