// A shared log in memory, in a time that is not ours: one thread, one source of chance, one queue of what is still to
// happen. The same seed gives the same story to the last message.
//
// The log is as JetStream is: one order, a message that is put again within two minutes is the same, an append is held
// to the sequence that it expects. What lies between it and a host may be slow, lose what is put or what is answered,
// bring a message twice, and be cut: so that the client knows (`told`), or so that it does not (`silent`) and all that
// was said comes when the cut has healed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "native/store/shared_log.hpp"

namespace plumb::test {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  std::uint64_t below(std::uint64_t most) { return most == 0 ? 0 : next() % most; }
  std::uint64_t between(std::uint64_t least, std::uint64_t most) { return least + below(most - least + 1); }
  bool percent(std::uint64_t chance) { return below(100) < chance; }

 private:
  std::uint64_t state_;
};

class VirtualTime {
 public:
  std::uint64_t now_ms() const { return now_ms_; }
  // What is due at the same time happens in the order in which it was said.
  void at(std::uint64_t when_ms, std::function<void()> what);
  void after(std::uint64_t ms, std::function<void()> what) { at(now_ms_ + ms, std::move(what)); }
  bool step();  // false: nothing is to happen any more

 private:
  struct Due {
    std::uint64_t when_ms, order;
    std::function<void()> what;
    bool operator<(const Due& other) const {
      return when_ms != other.when_ms ? when_ms > other.when_ms : order > other.order;
    }
  };
  std::priority_queue<Due> due_;
  std::uint64_t now_ms_ = 1'000'000;
  std::uint64_t order_ = 0;
};

struct VirtualFaults {
  std::uint64_t lost = 0;     // of 100 puts, that never come; of what hosts say
  std::uint64_t unsaid = 0;   // that come, and nobody is told
  std::uint64_t twice = 0;    // that come once more, later
  std::uint64_t away = 0;     // of 100 readings, that fail
  std::uint64_t late_ms = 0;  // at most, each way
};

enum class Cut : std::uint8_t { none, told, silent };

class VirtualClient;

class VirtualServers {
 public:
  static constexpr std::uint64_t same_ms = 24'000;   // how long a message that is put again is the same
  static constexpr std::uint64_t answer_ms = 1'000;  // after which a client takes a put for not answered
  static constexpr std::uint64_t since_1970_ms = 1'700'000'000'000;

  VirtualServers(VirtualTime& time, Dice& dice, std::size_t hosts) : time_(time), dice_(dice), cuts_(hosts) {}

  // What comes to a host comes through `give`, which knows whether it lives and is awake; `comes` is told that there
  // are messages to read. The client must not outlive the servers.
  struct Place {
    std::size_t host = 0;
    std::function<void(std::function<void()>)> give;
    std::function<void()> comes;
  };
  std::unique_ptr<store::SharedLog> client(Place place);

  void set_faults(const VirtualFaults& faults) { faults_ = faults; }
  void cut(std::size_t host, Cut how);
  const std::vector<store::LogMessage>& all() const { return log_; }  // also what was erased
  std::string text_of(const std::string& name) const;                 // empty: it is not there

 private:
  friend class VirtualClient;
  store::LogAnswer store(const store::LogPut& put);
  std::uint64_t latency_ms() { return 1 + dice_.below(3) + dice_.below(faults_.late_ms + 1); }

  VirtualTime& time_;
  Dice& dice_;
  VirtualFaults faults_;
  std::vector<Cut> cuts_;  // of each host
  std::vector<store::LogMessage> log_;
  std::vector<bool> erased_;
  std::map<std::string, std::vector<std::uint64_t>> subjects_;          // what is there of each
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> ids_;  // sequence, when
  std::map<std::string, std::pair<std::string, std::uint64_t>> texts_;  // and when it was given last
  std::vector<std::shared_ptr<VirtualClient*>> clients_;                // nullptr: gone
};

}  // namespace plumb::test
