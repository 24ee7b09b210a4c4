// A shared log in memory for tests of the store of several hosts: what hosts put comes late, twice, or not at all, and
// so do the answers, as a seed says. What it confirms it has.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "native/host/timer.hpp"
#include "native/store/shared_log.hpp"

namespace plumb::test {

struct LogFaults {
  unsigned lost = 0;     // of 100 puts, that never come
  unsigned unsaid = 0;   // that come, and nobody is told
  unsigned twice = 0;    // that come once more, later
  unsigned away = 0;     // of 100 readings, that fail
  unsigned late_ms = 0;  // at most
};

// What a client is to wait for at present: `ms` for what the servers have; and how often it was connected anew.
struct SlowHead {
  std::atomic<unsigned> ms{0};
  std::atomic<std::uint64_t> reconnects{0};
};

// The servers, which several hosts share.
class SimulatedServers {
 public:
  SimulatedServers(std::uint64_t seed, LogFaults faults) : faults_(faults), random_(seed) {}
  // For one host; must not outlive the servers.
  std::unique_ptr<store::SharedLog> client(const SlowHead* slow = nullptr);
  void no_more_faults();
  // How many messages there are of a run, or of all where it is empty.
  std::size_t messages(const std::string& subject = {});
  std::size_t bodies_with(const std::string& part);  // messages that have it

 private:
  friend class SimulatedClient;
  struct Kept {
    store::LogMessage message;
    bool gone = false;
  };
  unsigned percent();
  store::LogAnswer store(const store::LogPut& put);

  std::mutex mutex_;
  std::condition_variable changed_;
  LogFaults faults_;
  std::mt19937_64 random_;
  std::vector<Kept> log_;
  std::map<std::string, std::uint64_t> ids_;
  std::map<std::string, std::string> texts_;
  std::map<const void*, std::vector<std::pair<std::string, store::SharedLog::Hearer>>> hearers_;
  host::Timer timer_;
};

}  // namespace plumb::test
