// A host of a simulated store: the real engine of a shared store with its own projection, and runs that are driven over
// it by the real machine, as native/host/driver.hpp drives them, in a time that is not ours. It can die, with or
// without its copy, stop, sleep and be begun again; its clocks are its own.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/run/machine.hpp"
#include "native/store/log_engine.hpp"
#include "virtual_servers.hpp"

namespace plumb::test {

// What hosts were told and have done, over all of their lives.
struct Books {
  std::map<std::string, std::string> stored;                           // "RUN NUMBER" -> the line
  std::map<std::string, std::pair<std::string, std::string>> refused;  // "RUN NUMBER LINE" -> run, host
  std::map<std::string, std::uint64_t> calls;                          // "RUN KEY", that were made
  std::uint64_t taken = 0, dropped = 0, given_up = 0, handed_over = 0;
  std::vector<std::string> broken;  // laws
};

struct World {
  World(std::uint64_t seed, std::size_t hosts, std::string in, bool traced)
      : dice(seed), servers(time, dice, hosts), troubles(hosts), folder(std::move(in)), tracing(traced) {}
  void trace(const std::string& who, const std::string& what) const;
  // Something is done to a host, for so long; `cut`: to its network.
  void trouble(std::size_t host, std::uint64_t ms, bool cut = false) {
    troubles[host].push_back({time.now_ms(), time.now_ms() + ms, cut});
  }
  // Until it begins again.
  void is_down(std::size_t host) { troubles[host].push_back({time.now_ms(), UINT64_MAX, false}); }
  void begins(std::size_t host, const std::string& name);
  bool was_well(std::size_t host, std::uint64_t from_ms, std::uint64_t until_ms, bool only_its_network = false) const;

  VirtualTime time;
  Dice dice;
  VirtualServers servers;
  struct Trouble {
    std::uint64_t from_ms, until_ms;
    bool cut;
  };
  std::vector<std::vector<Trouble>> troubles;  // of each host
  std::map<std::string, std::uint64_t> began;  // when, of each life of a host
  Books books;
  const std::string folder;
  const bool tracing;
};

// A copy that has read nothing, where there is none yet: to make its tables takes longer than all that happens in them.
void copy_empty(const std::string& folder, const std::string& to);

// Questions one after the other ("questions"), or between taking a name and letting it go ("named").
const run::Pipeline* world_pipeline(std::string_view name);
run::Reply world_answer(const run::Data& request);

class VirtualHost {
 public:
  static constexpr std::uint64_t lease_ms = 2'000;
  VirtualHost(World& world, std::size_t number);
  ~VirtualHost();

  void begin();  // until it could
  void die(bool with_its_copy);
  void stop();  // as SIGTERM: hands over what is under way, says that it goes
  // Nothing happens in it meanwhile; `suspended`: its steady clock stops too.
  void sleep(std::uint64_t ms, bool suspended);
  void set_system_clock(std::int64_t ahead_ms) { system_ahead_ms_ = ahead_ms; }

  bool is_up() const { return engine_ != nullptr; }
  bool is_awake() const { return world_.time.now_ms() >= wakes_ms_; }
  store::LogEngine* engine() { return engine_.get(); }
  // The run of this request, new or not; nobody is told when the host dies.
  void start(const std::string& key, const std::string& pipeline, const std::string& input,
             std::function<void(const Result<std::string>& id)> told);

 private:
  struct Live;
  using LiveRef = std::shared_ptr<Live>;
  struct Claiming {
    std::string run, key;
    std::uint64_t number = 0;
    store::ClaimWish wish;
    bool asked = false, again = false;  // again: something has become free since it was asked
  };

  void here(std::function<void()> what);  // in this life, when it is awake
  void later(std::uint64_t ms, std::function<void()> what);
  void poke();
  void follow_soon(std::uint64_t ms);
  void hear_when_read(std::uint64_t last);
  void keep();
  std::uint64_t system_ms() const;

  void take_up(const store::RunRow& row);
  LiveRef found(const std::string& id);
  void turn(const LiveRef& live);
  void take(const LiveRef& live);
  bool load(Live& live);
  bool apply_replies(Live& live);
  void give(const LiveRef& live);
  void submit(const LiveRef& live);
  void stored(const LiveRef& live, const store::Outcome& outcome);
  void drop(const LiveRef& live, const std::string& why);
  void begin_call(const LiveRef& live, const run::Want& want);
  void reply(const std::string& run, const std::string& key, std::uint64_t number, run::Reply reply);
  void claim(const Claiming& one);
  void claim_again();
  void go();
  std::optional<std::string> run_of(const std::string& key);

  World& world_;
  const std::size_t number_;
  std::string name_;
  std::uint64_t life_ = 0, wakes_ms_ = 0, stood_ms_ = 0, boot_ahead_ms_ = 0;
  std::int64_t system_ahead_ms_ = 0;
  std::unique_ptr<store::LogEngine> engine_;
  std::map<std::string, LiveRef> lives_;
  std::deque<Claiming> claims_;
  std::uint64_t calls_ = 0;
  bool working_ = false, following_ = false, stopping_ = false;
};

}  // namespace plumb::test
