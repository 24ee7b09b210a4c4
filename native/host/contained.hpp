// contained(): runs a piece of work on a thread that others need too, such as an event loop. If an assumption breaks
// in it (core/require.hpp), only this work ends, and the thread continues.
//
//   if (std::optional<std::string> why = host::contained([&] { call.take(bytes); }))
//     call.end_broken(*why);                   // says where; the call's state is not used again
//
// The failure leaves the work as an exception that does not derive from std::exception, so that no handler in between
// mistakes it for an ordinary error. Destructors that run during unwinding must not rely on the broken assumption. If
// a thread can be spared, use isolated_call.hpp, which unwinds nothing. Any other exception ends the work too. Needs
// the handler of isolated_call.hpp.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace plumb::host {

struct BrokenAssumption {
  std::string told;  // "broken assumption: ... (FILE:LINE)"
};

// While an object of this class lives, assumptions that break on its thread are thrown.
class Containment {
 public:
  Containment();
  ~Containment();
  Containment(const Containment&) = delete;
  Containment& operator=(const Containment&) = delete;

  static bool holds();
};

// Runs the work. Returns nothing if it finished, else why it did not.
template <class Work>
std::optional<std::string> contained(Work&& work) {
  const Containment here;
  try {
    std::forward<Work>(work)();
  } catch (BrokenAssumption& broken) {
    return std::move(broken.told);
  } catch (const std::exception& error) {
    return std::string("an error that nothing handles: ") + error.what();
  }
  return std::nullopt;
}

}  // namespace plumb::host
