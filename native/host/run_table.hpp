// RunTable: the waiting runs that this host has in memory, and which run is given instead of a new one. Internal to
// native/host.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/result.hpp"
#include "native/host/live_run.hpp"

namespace plumb::host {

class RunTable {
 public:
  explicit RunTable(std::size_t runs_max) : runs_max_(runs_max) {}

  RunRef find(std::string_view id);
  // The run that is to be given instead of a new one, or an empty name.
  std::string same_as(std::string_view fingerprint, std::string_view owner, std::string_view request_key);
  void remember(const store::RunRow& row);  // a waiting run that is not taken up
  // A new run. The name of the one that is to be given instead of it; empty: it is here now. limit, unavailable.
  Result<std::string> add(const RunRef& run);
  // A run that waits in the store. Who is here now: this one, or the one that was here and goes on. unavailable.
  Result<RunRef> take_up(const RunRef& run);
  void forget(const RunRef& run);
  std::vector<RunRef> all();
  std::size_t size();
  // No run comes in any more. False: it had been closed before.
  bool close();

 private:
  std::string same(std::string_view fingerprint, std::string_view owner, std::string_view request_key) const;
  void name(const store::RunRow& row);

  const std::size_t runs_max_;
  std::mutex mutex_;  // a run's may be taken while it is held, and it is not while a run's is
  std::unordered_map<std::string, RunRef> runs_;
  std::unordered_map<std::string, std::string> by_fingerprint_;
  std::unordered_map<std::string, std::string> by_request_;
  bool closed_ = false;
};

}  // namespace plumb::host
