// ./dev soak stranger: every pipeline, phase, wire and manner with many seeds, and the laws that broke.
//
//   stranger_soak SEEDS [SECONDS [FIRST]]   sums, and the first play of each broken law; exit code 1 where there is
//                                           one. FIRST (1) to SEEDS are played, as many as SECONDS (3600) allow
//   stranger_soak play "quiz openai sloppy judge 7"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "native/host/isolated_call.hpp"
#include "tests/native/stranger_runs.hpp"

namespace {

using namespace plumb;
using namespace plumb::test;

int one(const std::string& text) {
  Play what;
  if (!read_play(text, what)) {
    std::fprintf(stderr, "no play: %s\n", text.c_str());
    return 2;
  }
  const Played how = play(what);
  std::printf("%s: %s, %s, %llu calls%s%s\n", text.c_str(), how.state.c_str(), how.status.c_str(),
              static_cast<unsigned long long>(how.calls), how.error.empty() ? "" : ", ", how.error.c_str());
  for (const std::string& law : how.broken)
    std::printf("broken: %s\n", law.c_str());
  return how.broken.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  host::install_requirement_handler();
  const std::string first = argc > 1 ? argv[1] : "500";
  if (first == "play" && argc > 2)
    return one(argv[2]);
  const std::uint64_t seeds = std::strtoull(first.c_str(), nullptr, 10);
  const double seconds_max = argc > 2 ? std::atof(argv[2]) : 3600;
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  const std::uint64_t from = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  const std::uint64_t wanted = seeds + 1 - std::min(from, seeds + 1);
  std::atomic<std::uint64_t> next{from};
  std::atomic<std::uint64_t> done{0};
  std::mutex mutex;
  Tally all;
  const auto play_all = [](Tally& into, const Scenario& scenario, std::string_view phase, std::uint64_t seed) {
    for (const wire::Wire wire : {wire::Wire::openai, wire::Wire::anthropic, wire::Wire::ollama}) {
      for (const std::string_view manner : manners()) {
        if (!phase.empty() && manner == "obedient")
          continue;  // the other phases are asked so too: it would be the same play
        const Play what{&scenario, wire, manner, phase, seed};
        into.add(what, play(what));
      }
    }
  };
  const auto work = [&] {
    Tally mine;
    for (std::uint64_t seed = next++; seed <= seeds && seconds() < seconds_max; seed = next++) {
      for (const Scenario& scenario : scenarios()) {
        play_all(mine, scenario, {}, seed);
        for (const std::string_view phase : scenario.phases)
          play_all(mine, scenario, phase, seed);
      }
      const std::lock_guard lock(mutex);
      all.add(mine);
      mine = {};
      if (++done % 10 == 0) {
        std::fprintf(stderr, "%llu of %llu seeds in %.0f s, %zu laws broken\n",
                     static_cast<unsigned long long>(done.load()), static_cast<unsigned long long>(wanted), seconds(),
                     all.laws.size());
      }
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
    threads.emplace_back(work);
  for (std::thread& thread : threads)
    thread.join();
  std::fputs(all.table().c_str(), stdout);
  std::printf("%llu of %llu seeds in %.0f s, %zu laws broken\n", static_cast<unsigned long long>(done.load()),
              static_cast<unsigned long long>(wanted), seconds(), all.laws.size());
  return all.laws.empty() && done == wanted ? 0 : 1;
}
