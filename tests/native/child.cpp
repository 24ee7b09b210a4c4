#include "child.hpp"

#include <unistd.h>

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace plumb::test {
namespace {

// Whether every thread but this one sleeps. A thread's state is the word behind its name in brackets (proc(5)).
bool others_sleep() {
  std::error_code ignored;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    if (task.path().filename() == std::to_string(::gettid()))
      continue;
    std::ifstream in(task.path() / "stat");
    const std::string stat(std::istreambuf_iterator<char>(in), {});
    const std::size_t end = stat.rfind(')');
    if (end != std::string::npos && stat.compare(end + 1, 2, " S") != 0)
      return false;
  }
  return true;
}

}  // namespace

pid_t fork_when_quiet() {
  // Three looks in a row: a thread on its way from one lock to the next sleeps too, but not for long.
  int quiet = 0;
  for (int i = 0; i < 6000 && quiet < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    quiet = others_sleep() ? quiet + 1 : 0;
  }
  REQUIRE_MESSAGE(quiet == 3, "other threads of this process did not come to rest");
  return ::fork();
}

}  // namespace plumb::test
