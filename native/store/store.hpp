// Store: where journals of runs are kept. The embedded one is a SQLite file (sqlite_store.hpp); that of several hosts
// is built on NATS JetStream (log_store.hpp). open_store.hpp opens either by its address.
//
//   store.append(id, 4, batch, {}, [](const Outcome& outcome) { ... });   // entries 4, 5, ... of the run
//
// An append is atomic (its entries and their texts, or nothing), durable when `done` is called, and guarded: it is
// refused when the run has not exactly `expected` entries, so two hosts can never both go on. Appends of many runs
// share a transaction; those of one run are stored in the order of the calls. Texts (blobs) are kept once per store.
//
// All functions may be called from any thread. `done` is called once, from the store's own thread, and must return
// soon.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/run/journal.hpp"
#include "core/run/machine.hpp"

namespace plumb::store {

// What is known of a run without reading its journal.
struct RunRow {
  std::uint64_t number = 0;  // counts up as runs are created, given by the store
  std::string id;
  std::string pipeline;
  std::uint64_t version = 1;  // of the pipeline
  std::string owner;          // whose it is; empty where nobody asked
  std::string fingerprint;    // at most one waiting run has it; empty: none
  std::string request_key;    // the same request again gives this run, finished or not; empty: none; unique with owner
  run::State state = run::State::waiting;
  std::string error;  // why it failed, was cancelled, or waits and does not go on
  std::uint64_t created_ms = 0;
  std::uint64_t changed_ms = 0;  // stamp of the last entry
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;       // of all lines and the texts that came with them
  std::string forked_from = {};  // the run that it goes on from; empty: it was begun
  bool imported = false;         // others wrote its journal: it does no work here until somebody adopts it
  std::string project = {};      // whose key it was begun with (native/host/project_host.hpp); empty: the operator's
};

struct ListQuery {
  std::string pipeline = {}, owner = {}, project = {};  // empty: all
  std::optional<run::State> state = {};
  std::uint64_t before = 0;  // the `next` of the page before; 0: from the newest on
  std::size_t limit = 50;    // 1 to 1,000
};
struct Page {
  std::vector<RunRow> runs;  // newest first
  std::uint64_t next = 0;    // 0: this is the last page
};

// Entries of a run, each with the texts that no earlier entry of the run needs.
struct JournalPart {
  std::vector<run::Stored> entries;
  std::uint64_t total = 0;  // entries that the run has
};

// Who takes names, or lets them go: a run, on behalf of one of its parts.
struct ClaimWish {
  std::vector<std::string> names;
  std::string run;
  std::string by = {};   // "T1"; empty: the run itself
  bool release = false;  // those of them that it holds are free again
};
struct Claimed {
  bool granted = false;  // all of them
  struct Holder {
    std::string name, run, by;
  };
  std::vector<Holder> held;  // those that somebody else holds, in the order of the names
};

// Empty: stored. Otherwise nothing was, and this says why.
using Outcome = std::optional<Error>;
using Done = std::function<void(const Outcome& outcome)>;

// What is stored at once. Shared, so that who gave it can give it again when the disk was full.
using Batch = std::shared_ptr<const std::vector<run::Stored>>;

// What the new entries make of the run.
struct Change {
  std::uint64_t at_ms = 0;                 // stamp of the last of them
  run::State state = run::State::waiting;  // waiting: it goes on
  std::string error = {};                  // why it ended so; why it waits and does not go on
};

struct Removed {
  std::uint64_t runs = 0;
  std::uint64_t texts = 0;
};

class Sharing;
class ToldMarks;

class Store {
 public:
  virtual ~Store() = default;

  // What hosts that share the store are to each other (sharing.hpp); nullptr where one process has it.
  virtual Sharing* sharing() { return nullptr; }
  // What of it was told to others (told_marks.hpp); nullptr where it is not kept in the store itself.
  virtual ToldMarks* told_marks() { return nullptr; }

  // A new run with its first entries. Refused (invalid_argument) where its id, its request key, or, of a waiting run,
  // its fingerprint is there already. A run that has ended (an imported one) gives its state in `row`.
  virtual void create(RunRow row, Batch entries, Done done) = 0;
  virtual void append(std::string id, std::uint64_t expected, Batch entries, Change change, Done done) = 0;

  // Why a waiting run does not go on, until something more is stored of it: its row's `error`. Lost where the store
  // fails.
  virtual void waits(std::string id, std::string why) = 0;

  virtual Result<RunRow> find(std::string_view id) = 0;  // not_found
  virtual Result<RunRow> find_request(std::string_view owner, std::string_view request_key) = 0;
  virtual Result<Page> list(const ListQuery& query) = 0;
  virtual Result<std::vector<RunRow>> waiting() = 0;  // all, oldest first
  // Entries from number `from` on, at most `entries_max` and, but for the first, `bytes_max` bytes of them.
  virtual Result<JournalPart> journal(std::string_view id, std::uint64_t from, std::size_t entries_max,
                                      std::uint64_t bytes_max) = 0;

  // The run was imported, and may do work from now on. not_found.
  virtual Result<bool> adopt(std::string_view id) = 0;

  // Takes all of the names or none: they are held until they are released or the run has ended. Who holds them already
  // is granted them again. not_found for a run that does not wait.
  virtual Result<Claimed> claim(const ClaimWish& wish) = 0;

  // Removes a run that has ended, with its journal and texts that no other run refers to. not_found; invalid_argument
  // where it has not ended.
  virtual Result<bool> remove(std::string_view id) = 0;
  // Removes runs that ended before `ended_before_ms`, their journals, and texts that no run refers to any more.
  virtual Result<Removed> remove_ended(std::uint64_t ended_before_ms) = 0;

  // Why nothing can be stored at present ("cannot be written: the disk is full"): where the last write failed, another
  // one is tried. Empty: it can.
  virtual std::string problem() = 0;
};

// A whole journal, read.
Result<run::Journal> read_journal(Store& store, std::string_view id);

}  // namespace plumb::store
