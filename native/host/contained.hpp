// Work for one of many on a thread that all of them need, such as an event loop: a broken assumption (core/require.hpp)
// in it ends that work, and the thread goes on with the others.
//
//   if (std::optional<std::string> why = host::contained([&] { call.take(bytes); }))
//     call.end_broken(*why);                   // says where; nothing that the work was doing is asked again
//
// It leaves the work as an exception that is none of std::exception, so that nobody between takes it for an error of
// the world; what unwinding destroys must not rely on the assumption. Where a thread can be spared, isolated_call.hpp
// unwinds nothing. An exception that the work lets out ends it as well. The handler is that of isolated_call.hpp.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace plumb::host {

struct BrokenAssumption {
  std::string told;  // "broken assumption: ... (FILE:LINE)"
};

// As long as one lives, assumptions that break on this thread are thrown.
class Containment {
 public:
  Containment();
  ~Containment();
  Containment(const Containment&) = delete;
  Containment& operator=(const Containment&) = delete;

  static bool holds();
};

// Nothing, or why the work did not come to its end.
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
