#include "native/host/isolated_call.hpp"

#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "core/require.hpp"
#include "native/base/log.hpp"
#include "native/host/contained.hpp"

namespace plumb::host {

namespace {

constexpr int resting_max = 32;

struct ThreadCall {
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

// What this thread works on. Process-wide state: a handler gets nothing else to know it by.
thread_local IsolatedWork* work_of_this_thread = nullptr;
std::atomic<int> resting{0};

}  // namespace

void on_broken_requirement(const char* what, const char* file, int line) {
  const std::string told = std::string("broken assumption: ") + what + " (" + file + ":" + std::to_string(line) + ")";
  if (Containment::holds()) {
    throw BrokenAssumption{told};
  }
  log_at(LogLevel::critical, told);
  IsolatedWork* work = std::exchange(work_of_this_thread, nullptr);
  if (work == nullptr || ++resting > resting_max) {
    close_log();
    ::_exit(2);
  }
  work->broken_(told);
  for (;;) {
    ::pause();
  }
}

IsolatedWork::IsolatedWork(std::function<void(const std::string& problem)> broken)
    : broken_(std::move(broken)), outer_(std::exchange(work_of_this_thread, this)) {}

IsolatedWork::~IsolatedWork() { work_of_this_thread = outer_; }

CallOutcome isolated_call(std::function<void()> work) {
  const auto call = std::make_shared<ThreadCall>();
  std::thread thread([call, work = std::move(work)] {
    const IsolatedWork isolated([call](const std::string& problem) { call->end({false, false, problem}); });
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

}  // namespace plumb::host
