// FairWork: workers that no client can have for itself. Of each client one piece of work is done at a time, the others
// of his wait their turn behind those of other clients; all of it behind the loops, which serve everybody.
//
//   FairWork work(workers);
//   work.give(caller.id, [self] { ... });
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "native/host/workers.hpp"

namespace plumb::proxy {

class FairWork {
 public:
  explicit FairWork(host::Workers& workers) : workers_(workers) {}

  // From any thread. `work` must not throw.
  void give(std::string_view client, std::function<void()> work);

 private:
  void next(const std::string& client);

  host::Workers& workers_;
  std::mutex mutex_;
  std::map<std::string, std::deque<std::function<void()>>, std::less<>> clients_;  // those that have work
};

}  // namespace plumb::proxy
