// Marks of what was told of each run to others (native/events), kept where its journal is: so whoever tells, now or
// after a crash, goes on from there.
//
// An embedded store has them in its file (Store::told_marks()). A store on NATS has them in a stream of its own,
// NAME-told, which keeps the last mark of each run; each host has a copy in memory, of some 100 bytes a run.
//
// All functions may be called from any thread, and may wait for the store. Errors are those of the store.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "native/store/shared_log.hpp"

namespace plumb::store {

class ToldMarks {
 public:
  virtual ~ToldMarks() = default;

  // The newest run when telling was first begun with this store. At that time it is `newest`, and the runs that wait
  // then get a mark of 0: those that had ended before are told to nobody.
  virtual Result<std::uint64_t> begin(std::uint64_t newest, const std::vector<std::string>& waiting) = 0;
  // How many of its entries were told; nothing: it has no mark.
  virtual Result<std::optional<std::uint64_t>> told(std::string_view run) = 0;
  // Stored when it returns; a mark never falls. False: the run is not there.
  virtual Result<bool> mark(const std::string& run, std::uint64_t entries) = 0;
  // Removes some marks of runs that are not there any more, where they do not go with the runs.
  virtual void sweep(const std::function<bool(const std::string& run)>& is_there) = 0;
};

// `by` is this host, for messages.
Result<std::unique_ptr<ToldMarks>> open_shared_marks(std::unique_ptr<SharedLog> log, std::string by);

}  // namespace plumb::store
