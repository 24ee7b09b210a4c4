// A call whose broken assumptions (core/require.hpp) end the call, not the process.
//
// The work runs on a thread of its own. Where an assumption of ours is found to be false there, nothing in that thread
// can be trusted any more, and unwinding it would run code that relies on the assumption: the thread is put to rest for
// good, and the caller is told. Its memory is lost, so there may be only so many; then the process ends.
#pragma once

#include <functional>
#include <string>

namespace plumb::control {

struct CallOutcome {
  bool finished = false;  // else `problem` says why
  bool out_of_memory = false;
  std::string problem;
};

// Runs `work` to its end, or until an assumption breaks in it. `work` must own, or share, all that it uses: after a
// broken assumption the caller goes on while the resting thread still holds it.
CallOutcome isolated_call(std::function<void()> work);

// The requirement handler that knows such threads. Elsewhere it says what is wrong and ends the process with code 2.
void install_requirement_handler();

}  // namespace plumb::control
