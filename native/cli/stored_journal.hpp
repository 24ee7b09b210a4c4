// Runs of the store that the command line names (--store, PLUMB_STORE, plumb.yaml).
#pragma once

#include <memory>
#include <string_view>

#include "core/result.hpp"
#include "core/run/journal_file.hpp"
#include "native/cli/arguments.hpp"
#include "native/store/store.hpp"

namespace plumb::cli {

Result<std::unique_ptr<store::Store>> open_store(const Arguments& arguments, bool read_only);
// All that is stored of a run.
Result<run::JournalFile> stored_file(store::Store& store, std::string_view id);

}  // namespace plumb::cli
