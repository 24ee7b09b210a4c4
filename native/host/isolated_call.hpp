// Work whose broken assumptions (core/require.hpp) end the work, not the process.
//
// Where an assumption of ours is found to be false, nothing in that thread can be trusted any more, and unwinding it
// would run code that relies on the assumption: the thread is put to rest for good, and whoever waits for it is told.
// Its memory is lost, so there may be only so many such threads; then the process ends.
#pragma once

#include <functional>
#include <string>

namespace plumb::host {

struct CallOutcome {
  bool finished = false;  // else `problem` says why
  bool out_of_memory = false;
  std::string problem;
};

// Runs `work` on a thread of its own, to its end or until an assumption breaks in it. `work` must own, or share, all
// that it uses: after a broken assumption the caller goes on while the resting thread still holds it.
CallOutcome isolated_call(std::function<void()> work);

// The same for a thread that works on one thing after the other: while this object lives, a broken assumption calls
// `broken` on the thread, which then rests. What the work uses must be shared with it and not be touched by others.
class IsolatedWork {
 public:
  explicit IsolatedWork(std::function<void(const std::string& problem)> broken);
  ~IsolatedWork();
  IsolatedWork(const IsolatedWork&) = delete;
  IsolatedWork& operator=(const IsolatedWork&) = delete;

 private:
  friend void on_broken_requirement(const char* what, const char* file, int line);
  std::function<void(const std::string& problem)> broken_;
  IsolatedWork* outer_ = nullptr;
};

// The requirement handler that knows such threads, and work that is contained (contained.hpp). Elsewhere it says what
// is wrong and ends the process with code 2.
void install_requirement_handler();

}  // namespace plumb::host
