// Counts the connections of each client address. Internal to the sources of the HTTP server.
//
//   if (!addresses.add(address, 2'000)) ...   // it has reached its limit
//   addresses.remove(address);                // one of its connections has ended
//
// From any thread: connections are added where they are accepted, and end in their loops.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>

namespace plumb::proxy {

class PeerAddresses {
 public:
  // False: the address has reached the limit. 0: unlimited.
  bool add(const std::string& address, std::size_t each_max) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::size_t& count = counts_[address];
    if (each_max != 0 && count >= each_max) {
      return false;
    }
    ++count;
    return true;
  }
  void remove(const std::string& address) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = counts_.find(address);
    if (found != counts_.end() && --found->second == 0) {
      counts_.erase(found);
    }
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::size_t> counts_;
};

}  // namespace plumb::proxy
