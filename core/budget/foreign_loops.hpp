// Loops of agents that others drive, as they tell them (004-23), judged as our own are: pressure, risk and calls that
// go round in circles (pressure.hpp, risk.hpp, loops.hpp). No clock: who hears says when, and need not say the real
// time.
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
// What else it has is passed over. What is not told is not known, and asks for nothing. Without `task_files` any file
// may be written. Whether two loops write the same file is never judged: they may be of different repositories. A call
// whose message tells other written files than the one before has changed something (loops.hpp). The same `id` again,
// of the last 20, is the same message.
//
// At most `loops_max` loops: of more the one that was silent longest is forgotten, and one that was silent for
// `silent_ms` is. Both are counted.
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
  bool fresh = false;  // it calls for something else than after the message before, and at least to be logged
  std::string reason;  // a sentence for people
  std::string json;    // {"loop_id", "task_id", "slug"?, "iteration", "response", "reason", "signals": [...], ...}
};

struct LoopBounds {
  std::size_t loops_max = 10'000;
  std::uint64_t silent_ms = 3'600'000;
};

struct LoopCounts {
  std::uint64_t heard = 0;      // all messages
  std::uint64_t malformed = 0;  // of them
  std::uint64_t repeated = 0;   // of them: the same id
  std::uint64_t forgotten_silent = 0;
  std::uint64_t forgotten_full = 0;
};

class ForeignLoops {
 public:
  static constexpr std::size_t message_bytes_max = 65'536;

  explicit ForeignLoops(RunSettings settings = {}, LoopBounds bounds = {});

  // An error says what is wrong with the message; nothing is changed then but the count. `now_ms` never falls.
  Result<LoopSignal> hear(std::string_view message, std::string_view id, std::uint64_t now_ms);
  void forget_silent(std::uint64_t now_ms);

  const LoopCounts& counts() const { return counts_; }
  std::size_t size() const { return loops_.size(); }
  // {"loops": [...], "more": N}: those that call for `at_least`, the one that was heard last first; `silent_ms` of
  // each.
  std::string json(std::size_t loops_max, Response at_least, std::uint64_t now_ms) const;

 private:
  struct Call {
    std::string tool;
    std::string arguments;  // JSON; of long ones a hash
    bool changes = false;
  };
  struct Loop {
    std::string id;
    std::uint64_t heard_ms = 0;
    std::uint64_t messages = 0;
    std::vector<Call> calls;
    std::vector<ContextSize> readings;
    std::deque<std::string> ids;  // of messages
    std::string written;          // a hash of the files
    std::string called_for;       // signals and their responses, at the last message
    LoopSignal last;
  };
  struct LoopMessage;  // a message, read

  static Result<LoopMessage> read(std::string_view message);
  Loop& loop_of(const std::string& id, std::uint64_t now_ms);
  void forget_eldest();
  void judge(Loop& loop, const LoopMessage& said) const;

  RunSettings settings_;
  LoopBounds bounds_;
  LoopCounts counts_;
  std::uint64_t turns_ = 0;
  std::map<std::uint64_t, Loop> loops_;  // by when they were heard last: the number of that message
  std::map<std::string, std::uint64_t, std::less<>> by_id_;
};

}  // namespace plumb::budget
