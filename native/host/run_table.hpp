// RunTable: the waiting runs in this host's memory, and the lookup of equal runs. Internal to native/host.
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
  // The id of an existing equal run, to return instead of a new one. Empty if no run is equal.
  std::string same_as(std::string_view fingerprint, std::string_view owner, std::string_view request_key);
  void remember(const store::RunRow& row);  // a waiting run that is not taken up
  // Adds a new run. Returns the id of an equal run instead, if there is one; empty if the run was added. Errors:
  // limit, unavailable.
  Result<std::string> add(const RunRef& run);
  // Adds a waiting run of the store. Returns it, or the run that was already here. Error: unavailable.
  Result<RunRef> take_up(const RunRef& run);
  void forget(const RunRef& run);
  std::vector<RunRef> all();
  std::size_t size();
  // Lets no run in any more. False if it was already closed.
  bool close();

 private:
  std::string same(std::string_view fingerprint, std::string_view owner, std::string_view request_key) const;
  void name(const store::RunRow& row);

  const std::size_t runs_max_;
  std::mutex mutex_;  // taken before a run's, never after it
  std::unordered_map<std::string, RunRef> runs_;
  std::unordered_map<std::string, std::string> by_fingerprint_;
  std::unordered_map<std::string, std::string> by_request_;
  bool closed_ = false;
};

}  // namespace plumb::host
