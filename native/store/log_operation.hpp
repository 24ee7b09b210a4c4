// What LogEngine keeps of an operation on its way, of who waits for what the log has, and of who reads it; and what it
// is given by who drives it. Internal to native/store.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "core/reason.hpp"
#include "native/store/log_message.hpp"
#include "native/store/log_store.hpp"
#include "native/store/projection.hpp"

namespace plumb::store {

// Milliseconds. `steady` never goes back, `boot` neither and goes on while the machine sleeps, `system` is since 1970
// and may jump.
struct LogClock {
  std::function<std::uint64_t()> steady_ms, system_ms, boot_ms;
};

// A day of seven is left for clocks that differ.
inline std::uint64_t copy_kept_ms(const LogStoreSettings& settings) { return settings.gone_kept_ms / 7 * 6; }

// What has changed, and who may wait for it.
enum class Woken : std::uint8_t {
  work,     // there is work for work()
  reading,  // somebody waits for what follow() reads
  read,     // follow() has read on
  all,      // it is being closed, or is over
};

// It may have been stored. Of servers that cannot be reached `why` says the whole.
Error cannot_be_written(std::string why, const std::string& where, Reason reason = Reason::none);

using OperationEnded = std::function<void(const Outcome&, const Applied&)>;

struct LogOperation {
  LoggedOp op;
  std::string id;
  std::string body;       // as it is put
  std::string body_name;  // where it is too long for a message
  std::string lane;
  std::set<std::string> elsewhere;  // texts that are not in it
  std::uint64_t bytes = 0;
  std::uint64_t until_ms = 0;
  std::uint64_t expected = 0;  // the sequence that the run's last message has
  int tries = 0;
  int texts = 0;  // that are not there yet
  bool over = false;
  bool confirmed = false;  // and not applied yet
  OperationEnded done;
};
using LogOperationRef = std::shared_ptr<LogOperation>;

// Entries whose message may be stored: given again, they are that message.
struct UnsureEntries {
  Batch entries;
  std::string id;
  std::set<std::string> elsewhere;
};

// What the log has and the projection may not have yet.
struct LogAwaited {
  std::map<std::string, RunInLog> ahead;  // runs as the log has them, where that was told and is not applied
  std::uint64_t told = 0;                 // the last sequence that was
  std::uint64_t sequence = 0;             // the last that somebody here waits for
  std::uint64_t asked = 0, served = 0;    // who asked for what has come, and whose was read
  std::uint64_t read_at_ms = 0;           // when all that had come was read
};

// Of who follows.
struct LogFollowed {
  std::uint64_t missed = 0;  // the message that lacked a text
  std::uint64_t tidied_ms = 0, gone_look_ms = 0, current_boot_ms = 0;
  std::uint64_t look_at_ms = 0, looked_reconnects = 0;  // of the head
  std::optional<std::uint64_t> less_since_ms;           // the servers have less than was read
  bool head_failed = false, current_noted = false;      // noted: it was looked at once
  struct Aim {
    std::uint64_t last, at_ms, at_boot_ms;
  };
  std::optional<Aim> aim;  // what there was then, and may not be read yet
};

}  // namespace plumb::store
