// What work costs beside itself: a command, the end of a tree of processes, operations on a tree of 5,000 files; and
// how commands end that do what they should not. `./dev bench work`
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "core/json/members.hpp"
#include "native/git/worktree_fulfiller.hpp"
#include "native/process/command.hpp"

using namespace plumb;
using Clock = std::chrono::steady_clock;

namespace {

double ms_since(Clock::time_point from) {
  return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
}

void row(const std::string& what, std::vector<double> ms, const std::string& bound) {
  std::sort(ms.begin(), ms.end());
  std::printf("| %-58s | %8.1f | %8.1f | %-8s |\n", what.c_str(), ms[ms.size() / 2], ms[ms.size() * 95 / 100],
              bound.c_str());
  std::fflush(stdout);
}

std::vector<double> times(int count, const std::function<void()>& work) {
  std::vector<double> out;
  for (int i = 0; i < count; ++i) {
    const auto begun = Clock::now();
    work();
    out.push_back(ms_since(begun));
  }
  return out;
}

process::Command sh(const std::string& folder, const std::string& script, process::Isolation most) {
  process::Command command;
  command.argv = {"/bin/sh", "-c", script};
  command.folder = folder;
  command.writable = {folder};
  command.most = most;
  command.limits.time_ms = 60'000;
  return command;
}

struct Repository {
  explicit Repository(std::string top) : folder(std::move(top)) {}
  run::Reply ask(const std::string& operation, const std::string& members) {
    host::EffectCall call;
    call.run = "r1";
    call.request = run::Data::written("{\"operation\":\"" + operation + "\",\"repository\":\"here\"," + members + "}");
    std::promise<run::Reply> promise;
    trees.begin(std::move(call), [&](run::Reply reply) { promise.set_value(std::move(reply)); });
    run::Reply reply = promise.get_future().get();
    if (!reply.ok()) {
      std::fprintf(stderr, "%s: %s\n", operation.c_str(), reply.error.c_str());
      std::exit(1);
    }
    return reply;
  }
  std::string commit(const std::string& operation, const std::string& members) {
    return std::string(json::text_of(ask(operation, members).value.value(), "commit"));
  }
  std::string folder;
  command::WorkFolders folders{folder + "/work"};
  git::WorktreeFulfiller trees{{{{"here", folder + "/repo"}}, {}, 2, {}}, folders};
};

void commands(const std::string& folder) {
  for (const process::Isolation most : {process::Isolation::full, process::Isolation::partial}) {
    process::Command command = sh(folder, "", most);
    command.argv = {"/bin/true"};
    const Result<process::Outcome> once = process::run(command);
    const std::string how(once ? process::isolation_name(once.value().in_force.isolation) : "refused");
    row("a command that does nothing, isolation " + how, times(100, [&] { (void)process::run(command); }), "5 ms");
  }
  for (const process::Isolation most : {process::Isolation::full, process::Isolation::partial}) {
    std::vector<double> ended;
    for (int i = 0; i < 5; ++i) {
      process::Stop stop;
      const process::Command command = sh(folder, "for i in $(seq 100); do sleep 99 & done; touch ready; wait", most);
      std::filesystem::remove(folder + "/ready");
      auto running = std::async(std::launch::async, [&] { return process::run(command, &stop); });
      for (int wait = 0; wait < 2000 && !std::filesystem::exists(folder + "/ready"); ++wait)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      const auto begun = Clock::now();
      stop.now();
      (void)running.get();
      ended.push_back(ms_since(begun));
    }
    row("a tree of 100 processes ended, " + std::string(process::isolation_name(most)) + " asked for", ended, "100 ms");
  }
}

void trees(const std::string& folder) {
  Repository repository(folder);
  const std::string top = folder + "/repo";
  for (int i = 0; i < 5000; ++i) {
    const std::string file = top + "/d" + std::to_string(i / 100) + "/f" + std::to_string(i) + ".txt";
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    std::ofstream(file) << "file " << i << "\n" << std::string(static_cast<std::size_t>(i % 50) * 40, 'x') << "\n";
  }
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"init", "-q", "-b", "main"},
           {"add", "-A"},
           {"-c", "user.name=S", "-c", "user.email=s@example.org", "commit", "-q", "-m", "first"}}) {
    process::Command command = sh(top, "", process::Isolation::partial);
    command.argv = {"git"};
    command.argv.insert(command.argv.end(), words.begin(), words.end());
    if (const Result<process::Outcome> done = process::run(command); !done || !done.value().ok())
      std::exit(1);
  }
  std::string base;
  row("open, 5,000 files, fetched for the first time",
      times(1, [&] { base = repository.commit("open", R"("tree":"T")"); }), "");
  int number = 0;
  row("open once more in another tree, 5,000 files written",
      times(3, [&] { repository.ask("open", "\"tree\":\"N" + std::to_string(number++) + "\""); }), "");
  const std::string from = "\"tree\":\"T\",\"from\":\"" + base + "\"";
  row("change one of 5,000",
      times(10,
            [&] {
              repository.ask("change",
                             from + R"(,"edits":[{"path":"d1/f100.txt","text":")" + std::to_string(number++) + "\"}]");
            }),
      "50 ms");
  std::string one;
  row("take, one of 5,000 changed", times(10, [&] { one = repository.commit("take", from + R"(,"date_ms":1000)"); }),
      "50 ms");
  row("diff", times(10, [&] { repository.ask("diff", "\"from\":\"" + base + "\",\"to\":\"" + one + "\""); }), "50 ms");
  repository.ask("change", R"("tree":"N0","from":")" + base + R"(","edits":[{"path":"d2/f200.txt","text":"other"}])");
  const std::string two = repository.commit("take", R"("tree":"N0","from":")" + base + R"(","date_ms":1000)");
  row("merge of two",
      times(10,
            [&] { repository.ask("merge", "\"ours\":\"" + one + "\",\"theirs\":\"" + two + R"(","date_ms":1000)"); }),
      "50 ms");
  row("reset", times(10, [&] { repository.ask("reset", R"("tree":"T","to":")" + base + "\""); }), "50 ms");
  row("land", times(1, [&] { repository.ask("land", "\"commit\":\"" + one + R"(","branch":"plumb/w")"); }), "50 ms");
  row("close", times(1, [&] { repository.ask("close", R"("tree":"T")"); }), "50 ms");
}

void told(const char* what, const process::Command& command) {
  const auto begun = Clock::now();
  const Result<process::Outcome> outcome = process::run(command);
  std::printf("%-40s %s after %.0f ms\n", what,
              outcome ? std::string(process::end_name(outcome.value().end)).c_str() : outcome.error().message.c_str(),
              ms_since(begun));
  std::fflush(stdout);
}

void hostile(const std::string& folder) {
  const auto full = process::Isolation::full;
  process::Command command = sh(folder, "head -c 1000000000 /dev/zero", full);
  told("1 GB of output", command);
  command = sh(folder, ":(){ :|:& };:; sleep 30", full);
  command.limits.time_ms = 3000;
  command.limits.processes_max = 64;
  told("a fork storm", command);
  command = sh(folder, "setsid sleep 99 & echo begun", full);
  told("a grandchild that holds the pipe", command);
  std::filesystem::create_directories(folder + "/gone");
  command = sh(folder, "rmdir gone; cd gone", full);
  told("a folder that vanishes under it", command);
  command = sh(folder + "/gone", "true", full);
  told("a folder that is not there", command);
}

}  // namespace

int main() {
  std::string folder = (std::filesystem::temp_directory_path() / "plumb-work-bench-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr)
    return 1;
  ::chmod(folder.c_str(), 0755);
  std::filesystem::create_directories(folder + "/repo");
  std::printf("| %-58s | %8s | %8s | %-8s |\n|---|---:|---:|---|\n", "", "p50 ms", "p95 ms", "bound");
  commands(folder);
  trees(folder);
  std::printf("\n");
  hostile(folder);
  return command::WorkFolders::remove(folder) ? 0 : 1;
}
