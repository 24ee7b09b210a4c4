// What a host of a shared store decides: which operations may be put into the log and what became of them, what is read
// from it, which hosts live, whose runs are free. It has no thread and no clock: who drives it (log_store.cpp with
// threads, a simulation with a clock of its own) calls the three parts over and over.
//
//   work()    begins an operation, or ends one: those of one run one after the other. An operation waits in its lane
//             until the one before it is done, is put, and is done when follow() has come to it
//   follow()  reads the log and applies it to the projection
//   keep()    says that this host lives, sees who does not, and ends what takes too long
//
// Each part is called by one thread at a time, all others from any. Internal to native/store.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "native/store/hosts_heard.hpp"
#include "native/store/log_message.hpp"
#include "native/store/log_store.hpp"
#include "native/store/projection.hpp"
#include "native/store/sharing.hpp"

namespace plumb::store {

// Milliseconds. `steady` never goes back, `boot` neither and goes on while the machine sleeps, `system` is since 1970
// and may jump.
struct LogClock {
  std::function<std::uint64_t()> steady_ms, system_ms, boot_ms;
};

// A day of seven is left for clocks that differ.
inline std::uint64_t copy_kept_ms(const LogStoreSettings& settings) { return settings.gone_kept_ms / 7 * 6; }

class LogEngine {
 public:
  using Ended = std::function<void(const Outcome&, const Applied&)>;
  // `host`: of this process alone. `woken`: something has changed that who drives it may wait for; from any thread, and
  // with no lock held.
  LogEngine(std::unique_ptr<SharedLog> log, LogStoreSettings settings, LogClock clock, std::string host,
            std::function<void()> woken);
  ~LogEngine();

  Result<std::uint64_t> open();  // follow() has to come to the position given before anybody asks
  // Nothing new is begun; what was begun ends. stop_hearing() comes first, log_goes() last.
  void close();
  void stop_hearing() { log_->stop_hearing(); }
  void log_goes();

  bool work();  // one piece; false: there is none
  // How long to wait before the next, where there is nothing to wait for: 0, the fetch itself has waited.
  std::uint64_t follow(std::uint64_t wait_ms);
  void keep();
  std::uint64_t keep_ms() const;  // between two of these

  void submit(LoggedOp op, std::uint64_t bytes, Ended done);

  bool has_work();
  bool is_over();    // it is closed, and nothing is under way
  bool is_closed();  // it is being closed
  bool is_broken();  // the log is not what it was; follow() has no more to do
  std::uint64_t position();
  std::string problem();
  std::string follower_problem();
  const std::string& host() const { return host_; }
  const LogStoreSettings& settings() const { return settings_; }
  const LogClock& clock() const { return clock_; }
  SharedLog& log() { return *log_; }
  Projection& projection() { return *projection_; }
  bool is_alive(const std::string& host) { return hosts_.is_alive(host, clock_.steady_ms()); }
  void hear(Sharing::Heard heard);

 private:
  struct Pending;
  using PendingRef = std::shared_ptr<Pending>;
  struct Aim {
    std::uint64_t last, at_ms, at_boot_ms;
  };

  void post(std::function<void()> work);
  void begin(const PendingRef& one);
  Outcome look(Pending& one);  // why it cannot be, and what it is guarded by
  Outcome look_at_append(Pending& one, const RunInLog& now);
  void put_texts(const PendingRef& one);
  void put(const PendingRef& one);
  void answered(const PendingRef& one, const LogAnswer& answer);
  void begin_when_read(const PendingRef& one);
  void end(const PendingRef& one, const Outcome& outcome, const Applied& applied = {});
  bool is_fresh(const std::string& hash);
  void made_fresh(const std::string& hash);

  bool read(LogMessage message, ReadMessage& into);
  bool is_pending(ReadMessage& into);
  bool is_lost(std::uint64_t sequence);
  bool apply(std::vector<ReadMessage> messages);
  void tell_applied(const ReadMessage& one, Applied applied);
  void tidy(std::uint64_t position);
  void erase_gone(std::uint64_t position);
  void note_current(std::uint64_t position);
  void look_at_head();
  bool is_outdated();
  std::vector<std::uint64_t> erased(const Result<std::vector<std::uint64_t>>& sequences);

  void end_late();
  void look_for_free();
  void tell_free(const std::string& driver);
  void tell(StoreTold kind, const std::string& text) const;
  void set_problem(const std::string& problem);

  const LogStoreSettings settings_;
  const LogClock clock_;
  const std::function<void()> woken_;
  std::unique_ptr<SharedLog> log_;
  const std::string host_;
  HostsHeard hosts_;
  std::unique_ptr<Projection> projection_;
  std::string made_;

  std::mutex mutex_;  // of all below to `work_`
  std::map<std::string, std::deque<PendingRef>> lanes_;
  std::map<std::string, PendingRef> pending_;                    // that were put, by id
  std::multimap<std::uint64_t, PendingRef> when_read_;           // that begin anew when the log was read so far
  std::map<const void*, std::pair<Batch, std::string>> unsure_;  // entries whose message may be stored, with its id
  std::uint64_t queue_bytes_ = 0, position_ = 0, counter_ = 0;   // position: what was applied
  std::string problem_;                                          // of follow()
  bool broken_ = false, closing_ = false;
  std::deque<std::function<void()>> work_;

  std::mutex heard_mutex_;  // held while somebody is told
  Sharing::Heard heard_;
  std::mutex texts_mutex_;
  std::map<std::string, std::uint64_t> fresh_texts_;
  // Of who follows. `missed_`: the message that lacked a text; `aim_`: what there was then, and may not be read yet.
  std::uint64_t missed_ = 0, tidied_ms_ = 0, gone_look_ms_ = 0, current_boot_ms_ = 0;
  std::uint64_t look_at_ms_ = 0, looked_reconnects_ = 0;  // of the head
  std::optional<std::uint64_t> less_since_ms_;            // the servers have less than was read
  bool head_failed_ = false, current_noted_ = false;      // noted: it was looked at once
  std::optional<Aim> aim_;
  // Of who keeps.
  std::uint64_t said_ms_ = 0, own_looked_ms_ = 0, reconnects_ = 0;
};

}  // namespace plumb::store
