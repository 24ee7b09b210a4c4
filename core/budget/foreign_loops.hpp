// ForeignLoops: judges loops of agents that other programs drive and report (004-23) as our own loops are judged: by
// pressure, risk and repeated calls (pressure.hpp, risk.hpp, loops.hpp). It has no clock: the caller gives the time,
// which need not be the real one.
//
//   ForeignLoops loops;
//   Result<LoopSignal> signal = loops.hear(R"({"loop_id":"a","iteration":7,"retries":4, ...})", "", now_ms);
//   signal.value().response                  // escalate
//
// A message is an object of at most `message_bytes_max`:
//
//   {"loop_id", "task_id"?, "slug"?, "iteration", "retries"?, "context_tokens_used"?, "window"?, "files_written"?,
//    "task_files"?, "tool"?, "arguments"?}
//
// Other members are ignored. A value that the message lacks is unknown and raises no signal. Without `task_files` any
// file may be written. Whether two loops write the same file is never judged, because they may be in different
// repositories. If the written files differ from those of the message before, the call has changed something
// (loops.hpp). A message whose `id` is among the last 20 is a repetition and ignored.
//
// There are at most `loops_max` loops. If there are more, the loop that was silent longest is forgotten. So is a loop
// that was silent for `silent_ms`. Both are counted.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/budget/ladder.hpp"
#include "core/budget/pressure.hpp"
#include "core/budget/run_settings.hpp"
#include "core/result.hpp"

namespace plumb::budget {

struct LoopSignal {
  std::string loop_id;
  Response response = Response::observe;
  bool fresh = false;  // the response differs from the one after the previous message, and is at least `log`
  std::string reason;  // a sentence for people
  std::string json;    // {"loop_id", "task_id", "slug"?, "iteration", "response", "reason", "signals": [...], ...}
};

struct LoopBounds {
  std::size_t loops_max = 10'000;
  std::uint64_t silent_ms = 3'600'000;
};

struct LoopCounts {
  std::uint64_t heard = 0;      // all messages
  std::uint64_t malformed = 0;  // malformed ones
  std::uint64_t repeated = 0;   // ones with a repeated id
  std::uint64_t forgotten_silent = 0;
  std::uint64_t forgotten_full = 0;
};

class ForeignLoops {
 public:
  static constexpr std::size_t message_bytes_max = 65'536;

  explicit ForeignLoops(RunSettings settings = {}, LoopBounds bounds = {});

  // The error says what is wrong with the message; then only the count changes. `now_ms` must never decrease.
  Result<LoopSignal> hear(std::string_view message, std::string_view id, std::uint64_t now_ms);
  void forget_silent(std::uint64_t now_ms);

  const LoopCounts& counts() const { return counts_; }
  std::size_t size() const { return loops_.size(); }
  // {"loops": [...], "more": N}: the loops that call for `at_least`, the most recent message first, each with
  // `silent_ms`.
  std::string json(std::size_t loops_max, Response at_least, std::uint64_t now_ms) const;

 private:
  struct Call {
    std::string tool;
    std::string arguments;  // JSON; a hash if it is long
    bool changes = false;
  };
  struct Loop {
    std::string id;
    std::uint64_t heard_ms = 0;
    std::uint64_t messages = 0;
    std::vector<Call> calls;
    std::vector<ContextSize> readings;
    std::deque<std::string> ids;  // of the last messages
    std::string written;          // a hash of the files
    std::string called_for;       // signals and their responses after the last message
    LoopSignal last;
  };
  struct LoopMessage;  // a message that was read

  static Result<LoopMessage> read(std::string_view message);
  Loop& loop_of(const std::string& id, std::uint64_t now_ms);
  void forget_eldest();
  void judge(Loop& loop, const LoopMessage& said) const;

  RunSettings settings_;
  LoopBounds bounds_;
  LoopCounts counts_;
  std::uint64_t turns_ = 0;
  std::map<std::uint64_t, Loop> loops_;  // by the number of their last message
  std::map<std::string, std::uint64_t, std::less<>> by_id_;
};

}  // namespace plumb::budget
