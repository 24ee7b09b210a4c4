// What a host of a shared store decides: which operations may be put into the log and what became of them, what is read
// from it, which hosts live, whose runs are free. It has no thread and no clock: who drives it (log_store.cpp with
// threads, a simulation with a clock of its own) calls the three parts over and over.
//
//   work()    begins an operation, or ends one: those of one run one after the other. An operation waits in its lane
//             until the one before it is done, is put, and is done when follow() has come to it; an append when the log
//             has it, since what it makes of the run is known (LogAwaited)
//   follow()  reads the log and applies it to the projection: all that has come, in one transaction. What others wrote
//             may lie for a while (is_awaited(): nobody here waits for it), so that it is read with what comes after it
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
#include "native/store/log_operation.hpp"
#include "native/store/log_texts.hpp"
#include "native/store/projection.hpp"
#include "native/store/sharing.hpp"

namespace plumb::store {

class LogEngine {
 public:
  // `host`: of this process alone. `woken`: from any thread, and with no lock held.
  LogEngine(std::unique_ptr<SharedLog> log, LogStoreSettings settings, LogClock clock, std::string host,
            std::function<void(Woken)> woken);
  ~LogEngine();

  Result<std::uint64_t> open();  // follow() has to come to the position given before anybody asks
  // Nothing new is begun; what was begun ends. stop_hearing() comes first, log_goes() last.
  void close();
  void stop_hearing() { log_->stop_hearing(); }
  void log_goes();

  bool work();  // one piece; false: there is none
  // Waits so long for a message where one is awaited. How long to wait before the next: 0, as is_awaited() says.
  std::uint64_t follow(std::uint64_t wait_ms);
  // Something here waits for what follow() reads: an operation of this host, or who has asked.
  bool is_awaited();
  // Who asks for what the log has up to there; for all that has come, and all that was told as stored: nothing where
  // that was read in the last `fresh_ms`, or cannot be at present.
  struct Asked {
    std::uint64_t number, sequence;
  };
  void await(std::uint64_t sequence);
  std::optional<Asked> await_what_came(std::uint64_t fresh_ms);
  bool was_read(const Asked& asked);
  void keep();
  std::uint64_t keep_ms() const;  // between two of these

  void submit(LoggedOp op, std::uint64_t bytes, OperationEnded done);

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
  void post(std::function<void()> work);
  void begin(const LogOperationRef& one);
  void name(LogOperation& one);
  Outcome look(LogOperation& one);  // why it cannot be, and what it is guarded by
  Outcome look_at_append(LogOperation& one, const RunInLog& now);
  void put_texts(const LogOperationRef& one);
  void put(const LogOperationRef& one);
  void answered(const LogOperationRef& one, const LogAnswer& answer);
  void begin_when_read(const LogOperationRef& one);
  bool is_sequence_awaited() const { return awaited_.sequence > position_ || closing_; }
  void confirm(const LogOperationRef& one, std::uint64_t sequence);
  bool waits_for_own(const LogOperationRef& one);
  Result<RunInLog> run_in_log(const std::string& id);
  void end(const LogOperationRef& one, const Outcome& outcome, const Applied& applied = {});

  bool read(LogMessage message, ReadMessage& into, bool knows);
  bool read_texts(const std::vector<TextPlace>& missing, ReadMessage& into, bool knows);
  bool is_pending(ReadMessage& into);
  bool is_lost(std::uint64_t sequence);
  bool apply(std::vector<ReadMessage> messages);
  void tell_applied(const ReadMessage& one, Applied applied);
  void is_applied(const std::vector<ReadMessage>& messages);
  void was_read_on(std::uint64_t asked, bool whole);
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
  void set_problem(const std::string& problem, Reason reason = Reason::none);

  const LogStoreSettings settings_;
  const LogClock clock_;
  const std::function<void(Woken)> woken_;
  std::unique_ptr<SharedLog> log_;
  const std::string host_;
  HostsHeard hosts_;
  std::unique_ptr<Projection> projection_;
  std::string made_;

  std::mutex mutex_;  // of all below to `work_`
  std::map<std::string, std::deque<LogOperationRef>> lanes_;
  std::map<std::string, LogOperationRef> pending_;              // that were put, by id
  std::multimap<std::uint64_t, LogOperationRef> when_read_;     // that begin anew when the log was read so far
  std::map<const void*, UnsureEntries> unsure_;                 // entries whose message may be stored, with its id
  std::uint64_t queue_bytes_ = 0, position_ = 0, counter_ = 0;  // position: what was applied
  LogAwaited awaited_;
  std::string problem_;  // of follow()
  Reason problem_reason_ = Reason::none;
  bool broken_ = false, closing_ = false;
  std::deque<std::function<void()>> work_;

  std::mutex heard_mutex_;  // held while somebody is told
  Sharing::Heard heard_;
  LogTexts texts_;
  LogFollowed followed_;
  // Of who keeps.
  std::uint64_t said_ms_ = 0, own_looked_ms_ = 0, reconnects_ = 0;
};

}  // namespace plumb::store
