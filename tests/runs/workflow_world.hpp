// A world for the pipeline `workflow` without files: a git repository in memory that does what the `worktree` effect
// does, gates that are decided by the texts of a tree, and a run in it that may be killed at any entry.
//
//   MemoryWorld world(texts);
//   WorkflowRun run(prepared_workflow(request, settings));
//   while (run.step() == run::State::waiting) {
//     const run::Want want = *run.begin();
//     run.reply(want, want.kind == run::EffectKind::model ? model_reply("...") : world.work(want, run.machine()));
//   }
//
// Gates of this world: `build` (src/** has no BROKEN; prints a fix-it for each), `test` (src/** has no WRONG; a report
// with a test for each line of tests/t.txt), `lint` (optional: nothing is ugly), `docs` (docs/** has no typo; called
// for by docs/** alone).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/pipelines/pipelines.hpp"
#include "core/run/machine.hpp"

namespace plumb::test {

// Looks up the declaration of a command.
using Commands = decltype(pipelines::Texts::command);

using FileTexts = std::map<std::string, std::string>;

// Where a run's trees, commands and claims are.
class WorkflowWorld {
 public:
  virtual ~WorkflowWorld() = default;
  // The reply of a `worktree` or `command` effect.
  virtual run::Reply work(const run::Want& want, const run::Machine& machine) = 0;
  // A person or an agent writes into an open tree; an empty text removes.
  virtual void write(const std::string& tree, const std::string& path, const std::string& text) = 0;
  // What is declared of commands; empty: as in memory.
  virtual Commands commands() const { return {}; }
};

class MemoryWorld final : public WorkflowWorld {
 public:
  explicit MemoryWorld(FileTexts texts);

  run::Reply work(const run::Want& want, const run::Machine& machine) override;
  void write(const std::string& tree, const std::string& path, const std::string& text) override;

  const FileTexts& at(const std::string& commit) const { return commits_.at(commit).texts; }
  const std::string& head() const { return head_; }
  const std::map<std::string, std::string>& branches() const { return branches_; }
  bool is_open(const std::string& tree) const { return trees_.count(tree) != 0; }

 private:
  struct Commit {
    FileTexts texts;
    std::vector<std::string> parents;
  };
  std::string commit(FileTexts texts, std::vector<std::string> parents, const json::Value& request);
  bool is_ancestor(const std::string& one, const std::string& other) const;
  run::Reply worktree(const json::Value& request);
  run::Reply change(const json::Value& request);
  run::Reply take(const json::Value& request);
  run::Reply merge(const json::Value& request);

  std::map<std::string, Commit> commits_;
  std::map<std::string, FileTexts> trees_;
  std::map<std::string, std::string> branches_;
  std::string head_;
};

// What a gate of this world says of texts.
struct GateSays {
  int exit_code = 0;
  std::string output;
};
GateSays gate_says(std::string_view gate, const FileTexts& texts);
run::Reply command_reply(int exit_code, std::string_view out, std::string_view end = "exited");
run::Reply failed_reply(std::string error, run::Status status = run::Status::failed);
run::Reply model_reply(std::string_view text);

// The gates and commands that a host of this world declares, as JSON: the members of `settings` but SOPs.
std::string_view world_gates();
// With everything that this world declares. An error of the request is told on standard error, and ends the process.
pipelines::Prepared prepared_workflow(const std::string& request, const std::string& settings,
                                      const std::string& monitor = {}, const Commands& commands = {},
                                      const std::string& models = {});

// A run, stored entry by entry as a host stores it.
class WorkflowRun {
 public:
  explicit WorkflowRun(const pipelines::Prepared& prepared, std::string id = "r1");

  run::State step();
  // What is wanted first is begun: nothing where nothing is wanted.
  const run::Want* begin();
  void reply(const run::Want& want, run::Reply reply);
  void cancel();
  // The process ends, the last `lost` entries of what was stored together not yet stored; another one goes on. An error
  // of the journal, or nothing.
  std::string lose(std::size_t lost);

  const run::Journal& journal() const { return machine_.journal(); }
  const run::Machine& machine() const { return machine_; }
  std::uint64_t now = 1'800'000'000'000;
  const std::vector<run::Stored>& stored() const { return stored_; }
  // Of the entries alone, without the texts that are kept by their hash.
  std::uint64_t stored_bytes() const;
  std::size_t last_stored() const { return stored_.size() - before_last_; }

 private:
  void store();

  run::Machine machine_;
  std::vector<run::Stored> stored_;
  std::size_t before_last_ = 0;
  run::Want want_;
};

}  // namespace plumb::test
