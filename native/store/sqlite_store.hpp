// The embedded store: one SQLite file (write-ahead log, synchronous=FULL, STRICT tables).
//
//   Result<std::unique_ptr<Store>> store = open_sqlite({.file = "runs.db"});                      // a server's
//   Result<std::unique_ptr<Store>> shown = open_sqlite({.file = "runs.db", .read_only = true});   // beside it
//
// One process writes a store, or several that all open it `beside` others, as commands do for their runs. They hold a
// lock on FILE.lock as long as they live; who may not share it is told who has it (process id and since when). The
// system gives the lock back when the process ends, however it ends, so nothing is ever stale. Readers need no lock and
// see what has been committed.
//
// ":memory:" is a store of this process alone, in a folder of its own that goes when the store is closed.
//
// A store of a later schema version is refused; one of an earlier version is brought up to date in one transaction. The
// file is readable by its owner only: journals hold what people wrote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "native/store/store.hpp"

namespace plumb::store {

struct SqliteSettings {
  std::string file = {};                   // made where it is not there; its folder must be; or ":memory:"
  bool read_only = false;                  // only what reads works; the file must be there
  bool beside = false;                     // others that say so too may write it at the same time (store_lock.hpp)
  std::string server = {};                 // the address of who writes it, for others that find it locked
  std::size_t group_max = 512;             // appends of one transaction
  std::uint64_t group_bytes = 8U << 20U;   // of their lines and texts; more begins another one
  std::uint64_t queue_bytes = 256U << 20;  // that wait for the writer; beyond, an append is refused (limit)
  std::uint64_t busy_ms = 10'000;          // for a reader's lock
};

Result<std::unique_ptr<Store>> open_sqlite(const SqliteSettings& wanted);

}  // namespace plumb::store
