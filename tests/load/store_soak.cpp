// ./dev soak store: many simulations of a store that hosts share, and the laws that broke
// (tests/native/store_world.hpp).
//
//   store_soak SEEDS [FIRST]   plays seeds FROM FIRST (1) on two at a time; exit code 1 with the first that broke a law
//   store_soak --seed S        one of them, with all that happens in it
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "native/host/isolated_call.hpp"
#include "tests/native/store_world.hpp"

namespace {

using namespace plumb::test;
using Clock = std::chrono::steady_clock;

// In memory where the system has such a folder: copies of hosts are files, and none of them is to outlive this.
std::string folder_for(const std::string& name) {
  const char* memory = "/dev/shm";
  const std::string above = ::access(memory, W_OK) == 0 ? memory : std::filesystem::temp_directory_path().string();
  const std::string folder = above + "/plumb-store-soak-" + std::to_string(::getpid()) + "-" + name;
  std::filesystem::create_directories(folder);
  return folder;
}

struct Sums {
  std::mutex mutex;
  WorldEnd all;
  std::uint64_t played = 0;
  std::optional<std::pair<std::uint64_t, std::vector<std::string>>> first;  // the smallest seed that broke a law

  void add(std::uint64_t seed, const WorldEnd& one) {
    const std::lock_guard<std::mutex> lock(mutex);
    ++played;
    all.virtual_ms += one.virtual_ms;
    all.events += one.events;
    all.messages += one.messages;
    all.calls += one.calls;
    all.calls_again += one.calls_again;
    all.taken += one.taken;
    all.dropped += one.dropped;
    all.interrupted += one.interrupted;
    all.handed_over += one.handed_over;
    all.faults += one.faults;
    if (!one.broken.empty() && (!first || seed < first->first)) {
      first = {seed, one.broken};
    }
  }
};

void tell(const Sums& sums, double seconds) {
  const auto number = [](std::uint64_t one) { return static_cast<unsigned long long>(one); };
  const WorldEnd& all = sums.all;
  std::printf(
      "%llu seeds in %.0f s, %.0f a second: %llu hours of hosts, %llu faults, %llu messages, %llu runs taken over, "
      "%llu dropped, %llu calls, %llu made again, %llu handed over, %llu given up\n",
      number(sums.played), seconds, static_cast<double>(sums.played) / seconds, number(all.virtual_ms / 3'600'000),
      number(all.faults), number(all.messages), number(all.taken), number(all.dropped), number(all.calls),
      number(all.calls_again), number(all.handed_over), number(all.interrupted));
}

int one(std::uint64_t seed) {
  const std::string folder = folder_for("one");
  const WorldEnd end = play_world({seed, folder, true});
  std::filesystem::remove_all(folder);
  for (const std::string& law : end.broken) {
    std::printf("broken: %s\n", law.c_str());
  }
  std::printf("laws broken: %zu\n", end.broken.size());
  return end.broken.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  plumb::host::install_requirement_handler();
  // No world shares a connection with another: nothing of SQLite is to wait for another thread.
  sqlite3_config(SQLITE_CONFIG_MULTITHREAD);
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto number = [&](std::size_t at, std::uint64_t otherwise) {
    return words.size() > at ? std::strtoull(words[at].c_str(), nullptr, 10) : otherwise;
  };
  if (!words.empty() && words[0] == "--seed") {
    return one(number(1, 1));
  }
  const std::uint64_t seeds = number(0, 100'000);
  std::atomic<std::uint64_t> next{number(1, 1)};
  const std::uint64_t last = next + seeds;
  const auto begin = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  Sums sums;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
    threads.emplace_back([&, i] {
      const std::string folder = folder_for(std::to_string(i));
      for (std::uint64_t seed = next++; seed < last; seed = next++) {
        {
          const std::lock_guard<std::mutex> lock(sums.mutex);
          if (sums.first) {
            break;
          }
        }
        sums.add(seed, play_world({seed, folder, false}));
        const std::lock_guard<std::mutex> lock(sums.mutex);
        if (sums.played % 5'000 == 0) {
          tell(sums, seconds());
          std::fflush(stdout);
        }
      }
      std::filesystem::remove_all(folder);
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  tell(sums, seconds());
  if (sums.first) {
    std::printf("broken by seed %llu:\n", static_cast<unsigned long long>(sums.first->first));
    for (const std::string& law : sums.first->second) {
      std::printf("  %s\n", law.c_str());
    }
    return 1;
  }
  std::printf("laws broken: none\n");
  return 0;
}
