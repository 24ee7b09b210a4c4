// FairWork: shares workers fairly among clients. One piece of work of each client is done at a time; its others wait
// behind those of other clients. The loops, which serve everybody, are never blocked.
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
  std::map<std::string, std::deque<std::function<void()>>, std::less<>> clients_;  // clients that have work
};

}  // namespace plumb::proxy
