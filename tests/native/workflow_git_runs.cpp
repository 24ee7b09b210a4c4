#include "tests/native/workflow_git_runs.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include "core/json/number_text.hpp"
#include "native/command/command_fulfiller.hpp"
#include "native/git/worktree_fulfiller.hpp"
#include "tests/native/work_runs.hpp"

namespace plumb::test {

namespace {

namespace fs = std::filesystem;
using command::DeclaredCommand;

// The gates of tests/runs/workflow_world.hpp as scripts, and an agent that does what it makes of its input.
std::vector<DeclaredCommand> declared() {
  const auto command = [](std::string name, std::string script, bool repeatable) {
    DeclaredCommand out;
    out.name = std::move(name);
    out.argv = {"/bin/sh", "-c", std::move(script)};
    out.repeatable = repeatable;
    return out;
  };
  const auto none_of = [](const std::string& word, const std::string& where) {
    return "grep -rn " + word + " " + where + " && exit 1; exit 0";
  };
  const std::string report =
      "{ echo '<testsuite>'; while read -r l; do echo \"<testcase name='$l'/>\"; done < tests/t.txt; "
      "echo '</testsuite>'; } > report.xml; ";
  const std::string agent = R"(n=$(cksum | cut -d' ' -f1)
mkdir -p src docs
case $((n % 14)) in
  0) echo "BROKEN $n" >> src/b.c ;;
  1) echo "a test $n" >> tests/t.txt ;;
  2) mkdir -p .git && echo x > .git/config ;;
  3) ln -sf /etc/passwd src/link ;;
  4) rm -f src/c.c ;;
  5) exit 3 ;;
  6) echo "* filter=x" > .gitattributes ;;
  7) ;;
  8) echo "TODO $n of it" >> src/a.c ;;
  9) echo "ugly line $n" >> docs/manual.md ;;
  *) sed -i -e /BROKEN/d -e /WRONG/d -e /TODO/d src/*.c
     rm -rf .git .gitattributes src/link
     echo "a line that mends $n" >> src/b.c ;;
esac)";
  return {command("gate.build", none_of("BROKEN", "src"), true),
          command("gate.test", report + none_of("WRONG", "src"), true),
          command("gate.lint", none_of("ugly", "."), true),
          command("gate.docs", none_of("typo", "docs"), true),
          command("setup", "exit 0", true),
          command("developer.agent", agent, false)};
}

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

bool is_ours(const std::string& path) {
  constexpr std::array<std::string_view, 5> ours = {".git/objects/", ".git/refs/plumb", ".git/refs/heads/plumb",
                                                    ".git/logs/refs/plumb", ".git/logs/refs/heads/plumb"};
  return std::any_of(ours.begin(), ours.end(), [&](std::string_view one) { return path.rfind(one, 0) == 0; });
}

// Each file of a user's repository that is not ours, byte for byte, and each folder.
std::map<std::string, std::string> all_of(const std::string& repository) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(repository)) {
    const std::string path = fs::relative(entry.path(), repository).string();
    if (!is_ours(path + (entry.is_directory() ? "/" : ""))) {
      out[path] = entry.is_regular_file() ? bytes_of(entry.path()) : "";
    }
  }
  return out;
}

class GitWorld final : public WorkflowWorld {
 public:
  GitWorld(std::string folder, std::string run, const FileTexts& texts)
      : repository_(folder + "/repo"),
        run_(std::move(run)),
        folders_(folder + "/runs.db.work"),
        command_({declared(), process::Isolation::partial, 2}, folders_),
        worktree_({{{"here", repository_}}, {}, 2, {}}, folders_) {
    for (const auto& [path, text] : texts) {
      put(repository_ + "/" + path, text);
    }
    git_in(repository_, {"init", "-q", "-b", "main"});
    git_in(repository_, {"config", "user.name", "Somebody"});
    git_in(repository_, {"config", "user.email", "somebody@example.org"});
    git_in(repository_, {"add", "-A"});
    git_in(repository_, {"commit", "-q", "-m", "first"});
    put(repository_ + "/readme.md", "# Put aside\n");
    git_in(repository_, {"stash", "-q"});
    put(repository_ + "/readme.md", "# Staged\n");
    git_in(repository_, {"add", "-A"});
    put(repository_ + "/readme.md", "# Neither\n");
    put(repository_ + "/untracked.txt", "nobody's\n");
  }

  run::Reply work(const run::Want& want, const run::Machine& machine) override {
    host::EffectCall call;
    call.run = run_;
    call.key = want.key;
    call.kind = want.kind;
    call.request = want.request.deep_copy();
    std::map<std::string, run::Data, std::less<>> pins;
    if (want.kind == run::EffectKind::command) {
      for (const DeclaredCommand& one : declared()) {
        const std::string name = command::command_pin(one.name);
        if (const run::Data* pin = machine.pin(name)) {
          pins.emplace(name, pin->deep_copy());
        }
      }
    }
    call.pin = [&](std::string_view name) -> const run::Data* {
      const auto found = pins.find(name);
      return found == pins.end() ? nullptr : &found->second;
    };
    const auto promise = std::make_shared<std::promise<run::Reply>>();
    std::future<run::Reply> future = promise->get_future();
    host::Fulfiller& who = want.kind == run::EffectKind::command ? static_cast<host::Fulfiller&>(command_) : worktree_;
    who.begin(std::move(call), [promise](run::Reply reply) { promise->set_value(std::move(reply)); });
    if (future.wait_for(std::chrono::seconds(120)) != std::future_status::ready) {
      std::fprintf(stderr, "no reply within 120 s: %s\n", std::string(want.request.text()).c_str());
      std::_Exit(3);  // a thread is at work on this stack
    }
    return future.get();
  }

  void write(const std::string& tree, const std::string& path, const std::string& text) override {
    const std::string file = folders_.tree(run_, tree) + "/" + path;
    std::error_code error;
    if (text.empty()) {
      fs::remove(file, error);
    } else {
      put(file, text);
    }
  }

  Commands commands() const override {
    return [](std::string_view name, std::string_view) -> Result<std::string> {
      const std::vector<DeclaredCommand> all = declared();
      const DeclaredCommand* found = command::find_command(all, name);
      return found == nullptr ? Result<std::string>(command::no_such_command(all, name))
                              : command::command_text(*found);
    };
  }

  const std::string& repository() const { return repository_; }

 private:
  static void put(const std::string& file, const std::string& text) {
    fs::create_directories(fs::path(file).parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }

  std::string repository_, run_;
  command::WorkFolders folders_;
  command::CommandFulfiller command_;
  git::WorktreeFulfiller worktree_;
};

}  // namespace

std::unique_ptr<WorkflowWorld> git_world(const std::string& folder, const std::string& run, const FileTexts& texts) {
  return std::make_unique<GitWorld>(folder, run, texts);
}

std::string play_workflow_on_git(std::uint64_t seed, const std::string& folder, WorkflowCounts& counts) {
  const std::string own = folder + "/" + json::uint_text(seed);
  fs::create_directories(own);
  std::string wrong;
  {
    GitWorld world(own, "r" + json::uint_text(seed), workflow_texts(seed));
    const std::map<std::string, std::string> before = all_of(world.repository());
    wrong = play_workflow(seed, world, "r" + json::uint_text(seed), counts);
    const std::map<std::string, std::string> after = all_of(world.repository());
    for (const auto& [path, bytes] : before) {
      const auto found = after.find(path);
      if (wrong.empty() && (found == after.end() || found->second != bytes)) {
        wrong =
            "the user's repository is not what it was: " + path + (found == after.end() ? " is gone" : " is changed");
      }
    }
    for (const auto& [path, bytes] : after) {
      if (wrong.empty() && before.count(path) == 0) {
        wrong = "the user's repository is not what it was: it has " + path;
      }
    }
  }
  command::WorkFolders::remove(own);
  return wrong;
}

}  // namespace plumb::test
