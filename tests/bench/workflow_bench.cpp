// What a workflow costs beside models and gates, and how it does among hostile developers, reviewers and persons.
//
//   workflow_bench                  a table: ./dev bench workflow
//   workflow_bench soak [N] [GIT]   N seeds in memory (10,000), GIT on a real repository (200), and what broke:
//                                   ./dev soak workflow
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/workflow/context.hpp"
#include "native/command/work_folders.hpp"
#include "tests/native/workflow_git_runs.hpp"
#include "tests/runs/hostile_workflow.hpp"

using namespace plumb;
using Clock = std::chrono::steady_clock;

namespace {

double ms_since(Clock::time_point from) {
  return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
}

// Time of processors, of this process and of those that it has waited for.
double cpu_ms() {
  double ms = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    ::getrusage(who, &used);
    for (const timeval& one : {used.ru_utime, used.ru_stime})
      ms += static_cast<double>(one.tv_sec) * 1000 + static_cast<double>(one.tv_usec) / 1000;
  }
  return ms;
}

void row(const std::string& what, std::vector<double> all, const std::string& unit, double most) {
  std::sort(all.begin(), all.end());
  const double p50 = all[all.size() / 2];
  std::printf("| %-62s | %8.2f | %8.2f | %s, at most %.1f%s |\n", what.c_str(), p50, all[all.size() * 95 / 100],
              unit.c_str(), most, p50 > most ? " !" : "");
  std::fflush(stdout);
}

// A temporary folder, removed with what is in it.
struct Folder {
  Folder() {
    name = (std::filesystem::temp_directory_path() / "plumb-workflow-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      std::exit(1);
    ::chmod(name.c_str(), 0755);
  }
  ~Folder() { command::WorkFolders::remove(name); }
  std::string name;
};

std::string plan_of(std::size_t tasks, const std::string& path) {
  std::string out = R"({"title":"A plan","tasks":[)";
  for (std::size_t i = 0; i < tasks; ++i) {
    const std::string number = json::uint_text(i);
    out += (i == 0 ? "" : ",") + std::string(R"({"id":"T)") + number + R"(","description":"Work )" + number +
           R"(","files":[{"path":")" + path + number + R"(.c"}],"acceptance":[{"text":"it builds","check":"build"}]})";
  }
  return out + "]}";
}

std::string request_of(const std::string& plan) {
  return R"({"repository":"here","promoted":true,"developer":"model","reviewer":"extract",)"
         R"("providers":{"develop":"s/m"},)"
         R"("plan":)" +
         plan + "}";
}
std::string settings_of(std::string_view more = {}) {
  return R"({"isolation":"partial","gates":)" + std::string(test::world_gates()) + std::string(more) + "}";
}

// The answer of a developer that writes one file: the first that its task lets it write.
run::Reply developed(const run::Want& want, const std::string& text) {
  const std::string_view asked = json::text_of(json::list_of(want.request.value(), "messages").back(), "content");
  const std::size_t at = asked.find("may be written\n\n- ") + 18;
  const std::string path(asked.substr(at, asked.find('\n', at) - at));
  return test::model_reply(R"({"result":"done","changes_summary":"written","edits":[{"path":")" + path +
                           R"(","text":")" + text + R"(\n"}]})");
}

struct Spent {
  double ms = 0;
  double cpu_ms = 0;
};

// A run until it ends or waits for a person; `seen` after each step with what was spent, of which models and gates
// none.
template <class Seen>
void drive(test::WorkflowRun& run, test::WorkflowWorld& world, const std::string& text, const Seen& seen) {
  const Clock::time_point start = Clock::now();
  const auto now = [&] { return Spent{ms_since(start), cpu_ms()}; };
  Spent begun = now();
  const auto spent = [&] { return Spent{now().ms - begun.ms, now().cpu_ms - begun.cpu_ms}; };
  int number = 0;
  while (run.step() == run::State::waiting) {
    const run::Want* wanted = run.begin();
    if (wanted == nullptr || wanted->kind == run::EffectKind::person)
      return;
    const run::Want want = *wanted;
    const Spent from = now();
    run::Reply reply;
    if (want.kind == run::EffectKind::model)
      reply = developed(want, text + " " + std::to_string(++number));
    else if (want.kind == run::EffectKind::claim)
      reply.value = run::Data::written(R"({"granted":true})");
    else
      reply = world.work(want, run.machine());
    if (want.kind == run::EffectKind::model || want.kind == run::EffectKind::command) {
      const Spent to = now();
      begun = {begun.ms + to.ms - from.ms, begun.cpu_ms + to.cpu_ms - from.cpu_ms};
    }
    run.reply(want, std::move(reply));
    if (seen(want, spent()))
      begun = now();
  }
  (void)seen(run::Want(), spent());
}

void tasks_on_git() {
  const Folder folder;
  test::FileTexts texts = test::workflow_texts(1);
  for (int i = 0; i < 5000; ++i)
    texts["lib/d" + std::to_string(i / 100) + "/f" + std::to_string(i) + ".txt"] =
        "file " + std::to_string(i) + "\n" + std::string(static_cast<std::size_t>(i % 50) * 40, 'x') + "\n";
  const auto world = test::git_world(folder.name, "r1", texts);
  test::WorkflowRun run(
      test::prepared_workflow(request_of(plan_of(12, "src/new")), settings_of(), {}, world->commands()), "r1");
  // From one claim to the next is a task: open, change, take, gates, diff, merge, land, close.
  std::vector<double> all, cpu;
  std::size_t claims = 0;
  drive(run, *world, "a line of text", [&](const run::Want& want, const Spent& spent) {
    if (want.kind != run::EffectKind::claim || json::flag_of(want.request.value(), "release"))
      return false;
    if (++claims > 1) {
      all.push_back(spent.ms);
      cpu.push_back(spent.cpu_ms);
    }
    return true;
  });
  if (run.machine().state() != run::State::done || all.size() < 10) {
    std::fprintf(stderr, "the run did not end as it should: %s\n", run.machine().error().message.c_str());
    std::exit(1);
  }
  row("a task beside models and gates, 5,000 files", all, "ms", 150);
  row("the same, of processors (git's too)", cpu, "ms", 150);
}

void sops() {
  std::vector<workflow::SopFile> files;
  for (int i = 0; i < 500; ++i) {
    workflow::SopFile one;
    one.path = "sops/" + std::to_string(i) + ".md";
    one.text = "# SOP " + std::to_string(i) + "\n\nIt MUST hold.\n\n## Requirements\n\n- one of it\n- two of it\n\n";
    for (int section = 0; section < 4; ++section)
      one.text += "## Section " + std::to_string(section) + "\n\n" + std::string(600, 'w') + " and so on.\n\n";
    one.front_matter = R"({"applies_to":["src/**"],"severity":"error"})";
    files.push_back(std::move(one));
  }
  const workflow::SopLibrary library = workflow::read_sops(files);
  const std::vector<std::string> paths = {"src/a.c", "src/b.c"};
  std::vector<double> all;
  for (int i = 0; i < 9; ++i) {
    const Clock::time_point begun = Clock::now();
    const std::vector<const workflow::Sop*> held = workflow::sops_for(library.sops, paths, workflow::SopScope::code);
    budget::Layout layout;
    layout.window = 32'000;
    const workflow::ReviewContext context = workflow::assemble_context(layout, {held, {}, {}, {}});
    all.push_back(ms_since(begun));
    if (held.size() != 500 || context.text.empty())
      std::exit(1);
  }
  row("500 SOPs assembled", all, "ms", 100);
}

void steps() {
  test::MemoryWorld world(test::workflow_texts(1));
  test::WorkflowRun run(test::prepared_workflow(request_of(plan_of(50, "src/new")), settings_of()), "r1");
  std::vector<double> all;
  for (std::uint64_t count = 0; all.size() < 200;) {
    count = run.journal().entries().size();
    const Clock::time_point begun = Clock::now();
    if (run.step() != run::State::waiting)
      break;
    if (count >= 1900 && count < 2300)
      all.push_back(ms_since(begun));
    const run::Want want = *run.begin();
    run::Reply reply;
    if (want.kind == run::EffectKind::model)
      reply = developed(want, "a line");
    else if (want.kind == run::EffectKind::claim)
      reply.value = run::Data::written(R"({"granted":true})");
    else
      reply = world.work(want, run.machine());
    run.reply(want, std::move(reply));
  }
  row("a step of a run with 2,000 entries", all, "ms", 0.5);
}

void waiting() {
  test::MemoryWorld world(test::workflow_texts(1));
  test::WorkflowRun run(test::prepared_workflow(request_of(plan_of(3, "src/new")), settings_of()), "r1");
  drive(run, world, "BROKEN", [](const run::Want&, const Spent&) { return false; });
  std::uint64_t lines = 0;
  for (const run::Entry& entry : run.journal().entries())
    lines += entry.kind == run::EntryKind::attempt && entry.name == "person" ? 1 : 0;
  if (lines != 1)
    std::exit(1);
  row("the journal of a run that waits for a person, beyond its texts",
      {static_cast<double>(run.stored_bytes()) / 1024}, "KB", 200);
}

int soak(std::uint64_t seeds, std::uint64_t on_git) {
  const Folder folder;
  std::uint64_t broken = 0;
  const auto told = [&](const char* where, std::uint64_t seed, const std::string& wrong) {
    if (!wrong.empty() && broken++ < 20)
      std::printf("seed %llu %s: %s\n", static_cast<unsigned long long>(seed), where, wrong.c_str());
  };
  test::WorkflowCounts counts;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    told("in memory", seed, test::play_workflow(seed, counts));
  const std::uint64_t in_memory = counts.runs;
  const Clock::time_point begun = Clock::now();
  for (std::uint64_t seed = 1; seed <= on_git; ++seed)
    told("on git", seed, test::play_workflow_on_git(seed, folder.name, counts));
  const double seconds = ms_since(begun) / 1000;
  const auto line = [](const std::string& what, std::uint64_t number) {
    std::printf("%-60s %12llu\n", what.c_str(), static_cast<unsigned long long>(number));
  };
  line("runs in memory", in_memory);
  line("runs on git", counts.runs - in_memory);
  line("  seconds", static_cast<std::uint64_t>(seconds));
  line("entries", counts.entries);
  line("kills", counts.kills);
  line("cancelled", counts.cancelled);
  line("developer runs", counts.developed);
  line("turns of conversations", counts.turns);
  line("  killed in one", counts.kills_talking);
  line("  checkpoints", counts.checkpoints);
  for (const auto& [end, number] : counts.talks)
    line("  conversations: " + end, number);
  line("tasks said anew", counts.revised);
  line("tasks cut", counts.cut);
  line("gates run", counts.gated);
  line("  lost", counts.lost);
  line("reviews", counts.reviewed);
  line("  that approved", counts.approving);
  line("questions to persons", counts.persons);
  line("steps of the longest run", counts.longest);
  line("tasks", counts.tasks);
  for (const auto& [state, number] : counts.states)
    line("  " + state, number);
  for (const auto& [end, number] : counts.ends)
    line("runs: " + end, number);
  line("runs that broke a law", broken);
  return broken == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "soak") {
    std::uint64_t seeds = 10'000, on_git = 200;
    if ((argc > 2 && !json::read_uint(argv[2], seeds)) || (argc > 3 && !json::read_uint(argv[3], on_git))) {
      std::fprintf(stderr, "workflow_bench soak [SEEDS] [SEEDS ON GIT]\n");
      return 2;
    }
    return soak(seeds, on_git);
  }
  std::printf("| %-62s | %8s | %8s | |\n|---|---:|---:|---|\n", "", "p50", "p95");
  sops();
  steps();
  waiting();
  tasks_on_git();
  return 0;
}
