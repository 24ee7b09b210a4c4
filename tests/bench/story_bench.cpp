// What stories cost, and the laws that seeded ones keep.
//
//   story_bench            a table: GROW, the routing plan, folding, play
//   story_bench soak [N]   N seeded stories (10,000): fold, inverse, hash, counts, exports read back; what broke
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/story/grow.hpp"
#include "core/story/make.hpp"
#include "core/story/outline.hpp"
#include "core/story/routing.hpp"
#include "core/story/ship.hpp"
#include "core/story/twee.hpp"
#include "tests/story/seeded_outline.hpp"
#include "tests/story/story_laws.hpp"

namespace {

using namespace plumb::story;

// The median of nine, in milliseconds.
template <class Work>
double timed(const Work& work) {
  std::vector<double> all;
  for (int i = 0; i < 9; ++i) {
    const auto begun = std::chrono::steady_clock::now();
    work();
    all.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count());
  }
  std::sort(all.begin(), all.end());
  return all[4];
}

long peak_kb() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

Graph seeded_graph(const plumb_test::OutlineWish& wish, std::uint64_t seed) {
  Graph graph;
  const OutlineReading read = read_outline(plumb_test::seeded_outline(seed, wish));
  seed_phases(*read.outline, graph);
  return graph;
}

void table() {
  std::printf("| what | of | ms | to reach |\n| --- | --- | --- | --- |\n");
  // Five dilemmas with both answers: 32 arcs.
  const plumb_test::OutlineWish wish{5, 13, 8, true};
  const Graph seeded = seeded_graph(wish, 4);
  Graph grown = seeded;
  std::vector<PhaseNote> notes = grow(grown);
  const std::string size =
      std::to_string(grown.nodes().size()) + " nodes, " + std::to_string(grown.edge_count()) + " edges";
  std::printf("| GROW | %s | %.1f | 50 |\n", size.c_str(), timed([&] {
                Graph one = seeded;
                grow(one);
              }));
  Graph before = seeded;
  for (const GrowPhase& phase : grow_phases()) {
    if (phase.name == "apply_routing") {
      break;
    }
    run_grow_phase(phase, before);
  }
  std::size_t operations = 0;
  const double plan = timed([&] { operations = compute_routing_plan(before).operations.size(); });
  std::printf("| routing plan | %zu operations | %.1f | 10 |\n", operations, plan);
  std::vector<std::pair<Stage, Mutation>> many;
  for (std::uint64_t seed = 0; many.size() < 10'000; ++seed) {
    Graph graph;
    const OutlineReading read = read_outline(plumb_test::seeded_outline(seed, wish));
    std::vector<PhaseNote> all = seed_phases(*read.outline, graph);
    for (PhaseNote& note : grow(graph)) {
      all.push_back(std::move(note));
    }
    for (const PhaseNote& note : all) {
      for (const Mutation& one : note.mutations) {
        many.emplace_back(note.stage, one);
      }
    }
    // The next story begins anew: what was made is taken away again.
    for (auto note = all.rbegin(); note != all.rend(); ++note) {
      for (auto one = note->mutations.rbegin(); one != note->mutations.rend(); ++one) {
        many.emplace_back(note->stage, inverse(*one));
      }
    }
  }
  const double folded = timed([&] {
    Graph graph;
    for (std::size_t i = 0; i < 10'000; ++i) {
      if (!graph.replay(many[i].second)) {
        std::abort();
      }
    }
  });
  std::printf("| folding | 10000 mutations | %.1f | 100 |\n", folded);
  const Made made = make_story(plumb_test::seeded_outline(4, {5, 12, 8, true}));
  const long memory = peak_kb();
  PlayOutcome play;
  const double played = timed([&] { play = play_book(*made.book); });
  std::printf("| play | %zu passages, 5 dilemmas, %llu states | %.1f | 200 |\n", made.book->passages.size(),
              static_cast<unsigned long long>(play.states), played);
  std::printf("| play's memory beyond the story's | | %.1f MB | 64 MB |\n",
              static_cast<double>(peak_kb() - memory) / 1024);
}

int soak(std::uint64_t seeds) {
  std::uint64_t broken = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const std::string what = plumb_test::broken_law(seed);
    if (!what.empty()) {
      std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), what.c_str());
      ++broken;
    }
    if (broken == 20) {
      break;
    }
  }
  std::printf("%llu stories, %llu laws broken\n", static_cast<unsigned long long>(seeds),
              static_cast<unsigned long long>(broken));
  return broken == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "soak") {
    return soak(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 10'000);
  }
  table();
  return 0;
}
