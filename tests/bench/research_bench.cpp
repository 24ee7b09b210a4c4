// What a research run itself costs: models and searches answer at once, from a script. ./dev bench research
#include <chrono>
#include <cstdio>

#include "tests/native/research_runs.hpp"

using namespace plumb;

namespace {

void measure(const char* name, void (*make)(test::ResearchRun&), int times) {
  using Clock = std::chrono::steady_clock;
  std::size_t calls = 0;
  const Clock::time_point begun = Clock::now();
  for (int i = 0; i < times; ++i) {
    test::ResearchRun run;
    make(run);
    calls = run.searches;
    for (const run::Entry& entry : run.machine().journal().entries())
      calls += entry.kind == run::EntryKind::attempt && entry.name == "model" ? 1 : 0;
  }
  const double ms = std::chrono::duration<double, std::milli>(Clock::now() - begun).count() / times;
  const double called_ms = 200.0 * static_cast<double>(calls);
  std::printf("%-36s %3zu calls, own time %7.2f ms a run, %.2f ms a call: %.2f %% of a run whose calls take 200 ms\n",
              name, calls, ms, ms / static_cast<double>(calls), 100.0 * ms / (called_ms + ms));
}

}  // namespace

int main() {
  measure("every gate breaks once", test::every_gate, 400);
  measure(
      "two questions, with extract's own time", [](test::ResearchRun& run) { run.go(test::two_questions_request); },
      40);
  return 0;
}
