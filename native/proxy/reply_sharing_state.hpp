// The state of an open ReplySharing. Internal to reply_sharing.cpp (questions from outside, threads) and
// reply_claims.cpp (claims at the servers).
//
// The asking thread sends a claim. Two workers do what takes longer (reading answers, publishing outcomes), and one
// thread handles timeouts. Threads that deliver the servers' answers send nothing, because the log may be closing.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "native/proxy/claim_law.hpp"
#include "native/proxy/reply_sharing.hpp"
#include "native/proxy/time_point.hpp"
#include "native/store/hosts_heard.hpp"

namespace plumb::proxy {

inline constexpr const char* no_answer = "the servers do not answer";

enum class ClaimWork : std::uint8_t {
  look,    // another was faster: read its claim
  settle,  // the call is over
  record,  // its answer is stored as a text
  probe,   // check whether the servers answer again
};

struct ClaimJob {
  ClaimWork work = ClaimWork::probe;
  std::uint64_t number = 0;
  std::uint64_t expected = 0;
  std::string answer = {};
};

struct ClaimEntry {
  Claim what;
  ClaimRecord own;
  std::string subject;
  std::function<void(ClaimAnswer)> done;  // empty: already told
  std::uint64_t until_ms = 0;             // then `alone` is told
  std::uint64_t sequence = 0;             // of its claim, if it is known to exist
  int rounds = 0;
  bool busy = false;     // something of it is on its way to the servers, or with a worker
  bool settled = false;  // the call is over
  std::shared_ptr<const StoredReply> reply;
  std::uint64_t bytes = 0;
  std::uint64_t again_at_ms = 0;
  std::uint64_t ends_ms = 0;  // it is published until then
};

// Functions without a lock parameter are called with the lock held, except jobs.
struct ReplySharing::State : std::enable_shared_from_this<ReplySharing::State> {
  using Entry = ClaimEntry;
  using Job = ClaimJob;
  using Work = ClaimWork;
  using Lock = std::unique_lock<std::mutex>;
  using LogAnswer = store::LogAnswer;

  State(std::unique_ptr<store::SharedLog> with, ReplySharingOptions how)
      : options(std::move(how)), processes(options.process, options.gone_ms), log(std::move(with)) {}

  const ReplySharingOptions options;
  store::HostsHeard processes;
  std::mutex mutex;
  std::condition_variable wake_workers, wake_watch, settled_one;
  std::map<std::uint64_t, Entry> entries;                  // by number
  std::set<std::pair<std::uint64_t, std::uint64_t>> late;  // deadline and number of those that wait
  std::deque<Job> jobs;                                    // at most one per entry, and one probe
  std::string unanswered;                                  // why nobody is asked at present
  std::uint64_t probe_at_ms = 0;
  std::uint64_t settles = 0, settle_bytes = 0;
  std::uint64_t gone = 0;
  std::uint64_t counter = 0;
  bool probing = false;
  bool closing = false;
  ProxyMetrics* metrics = nullptr;
  std::shared_mutex log_mutex;  // held exclusively by whoever closes the log
  std::unique_ptr<store::SharedLog> log;
  std::vector<std::thread> threads;

  static std::uint64_t steady_now() { return moment_now().steady_ms(); }
  void count(ClaimCount what) const;
  bool is_away() const { return !unanswered.empty() || !log->problem().empty(); }
  void went_unanswered(const std::string& why);
  // Does nothing once everything is closing.
  Entry* find(std::uint64_t number);
  void give(Job job);
  void tell(std::uint64_t number, Entry& entry, ClaimAnswer answer);
  void tell_and_drop(std::uint64_t number, Entry& entry, ClaimAnswer answer);
  void drop(std::uint64_t number);
  void wait_until(std::uint64_t number, Entry& entry, std::uint64_t ms);
  void go_on(std::uint64_t number, Entry& entry);
  void try_later(std::uint64_t number);
  store::LogPut put_of(const Entry& entry, const ClaimRecord& record, std::uint64_t expected);
  void put_claim(Lock& lock, std::uint64_t number, std::uint64_t expected);
  void claim_put(std::uint64_t number, const LogAnswer& answer);
  Result<std::optional<ClaimSeen>> last_of(const std::string& subject);
  void look(std::uint64_t number);
  void read(Lock& lock, std::uint64_t number, const ClaimSeen& seen);
  void settle(std::uint64_t number);
  void put_answer(Lock& lock, std::uint64_t number, std::uint64_t expected);
  void put_record(const Job& job);
  void probe();
  void work();
  void watch();
  void look_at_late(std::uint64_t now);
};

}  // namespace plumb::proxy
