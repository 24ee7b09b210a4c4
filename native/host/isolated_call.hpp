// Work in which a broken assumption (core/require.hpp) ends only the work, not the process.
//
// After a broken assumption the thread's state cannot be trusted, and unwinding would run code that relies on it. So
// the thread is suspended permanently, and the caller gets an error. The suspended thread's memory is never freed, so
// the number of such threads is limited; beyond the limit, the process exits.
#pragma once

#include <functional>
#include <string>

namespace plumb::host {

struct CallOutcome {
  bool finished = false;  // if false, `problem` says why
  bool out_of_memory = false;
  std::string problem;
};

// Runs `work` on its own thread until it returns, or an assumption breaks in it. `work` must own or share everything
// that it uses: after a broken assumption the caller continues, and the suspended thread still holds it.
CallOutcome isolated_call(std::function<void()> work);

// The same for a thread with a series of work. While this object lives, a broken assumption calls `broken` on the
// thread, which is then suspended. The work must share what it uses, and nobody else may touch it.
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

// Installs the handler that supports isolated and contained work (contained.hpp). On other threads it reports the
// broken assumption and ends the process with code 2.
void install_requirement_handler();

}  // namespace plumb::host
