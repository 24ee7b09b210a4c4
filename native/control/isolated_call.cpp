#include "native/control/isolated_call.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <thread>

#include "core/require.hpp"

namespace plumb::control {

namespace {

constexpr int resting_max = 32;

struct Call {
  std::mutex mutex;
  std::condition_variable changed;
  bool over = false;
  CallOutcome outcome;

  void end(CallOutcome how) {
    const std::lock_guard<std::mutex> lock(mutex);
    outcome = std::move(how);
    over = true;
    changed.notify_all();
  }
};

// Which call this thread works for. Process-wide state: a handler gets nothing else to know it by.
thread_local Call* call_of_this_thread = nullptr;
std::atomic<int> resting{0};

void on_broken_requirement(const char* what, const char* file, int line) {
  const std::string told = std::string("broken assumption: ") + what + " (" + file + ":" + std::to_string(line) + ")";
  spdlog::critical("{}", told);
  if (call_of_this_thread == nullptr || ++resting > resting_max) {
    spdlog::shutdown();
    ::_exit(2);
  }
  call_of_this_thread->end({false, false, told});
  for (;;)
    ::pause();
}

}  // namespace

CallOutcome isolated_call(std::function<void()> work) {
  const auto call = std::make_shared<Call>();
  std::thread thread([call, work = std::move(work)] {
    call_of_this_thread = call.get();
    CallOutcome outcome;
    try {
      work();
      outcome.finished = true;
    } catch (const std::bad_alloc&) {
      outcome.out_of_memory = true;
      outcome.problem = "out of memory";
    } catch (const std::exception& error) {
      outcome.problem = error.what();
    }
    call->end(std::move(outcome));
  });
  thread.detach();
  std::unique_lock<std::mutex> lock(call->mutex);
  call->changed.wait(lock, [&] { return call->over; });
  return call->outcome;
}

void install_requirement_handler() { set_requirement_handler(on_broken_requirement); }

}  // namespace plumb::control
