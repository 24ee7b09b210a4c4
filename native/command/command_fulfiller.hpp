// CommandFulfiller: the Fulfiller of `command` effects.
//
//   {"command": "test", "tree": "T1", "dir": "src", "input": "...", "time_ms": 60000, "isolation": "full"}
//   -> {"command", "end": "exited", "exit_code": 0, "stdout", "stderr", "duration_ms",
//       "isolation": {"is": "full", "parts": [...], "lacking"?},
//       "left_out"?: {"stdout": {"bytes", "kept"}, ...}}
//
// A request only names a command. What is run is in this host's configuration; the run must be pinned to the same
// text (command_pin()), so a journal, plan or model makes nothing run that its owner has not declared. `tree` is one
// that this run has opened (native/git); without one the command has an empty folder of its own. Its HOME and TMPDIR
// are private and gone with it, it sees no variable but those that are declared, and no network unless declared.
//
// Of each output the journal has at most 32 KB, its beginning and its end; what was kept of it (256 KB) lies beside the
// store as `left_out.stdout.kept`. Commands run side by side on as many cores as there are; waiting in line is not
// charged to their time. An exit code is no error: `failed` says that it could not be run at all.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "native/command/declared_command.hpp"
#include "native/command/work_folders.hpp"
#include "native/host/fulfil.hpp"
#include "native/host/workers.hpp"
#include "native/process/command.hpp"

namespace plumb::command {

struct CommandSettings {
  std::vector<DeclaredCommand> commands;
  process::Isolation least = process::Isolation::full;  // less: not run. A request may ask for more, not for less
  std::size_t at_once = 0;                              // 0: as many as there are cores
};

class CommandFulfiller final : public host::Fulfiller {
 public:
  CommandFulfiller(CommandSettings settings, WorkFolders folders);

  bool can(run::EffectKind kind) const override { return kind == run::EffectKind::command; }
  void begin(host::EffectCall call, std::function<void(run::Reply)> done) override;
  void stop(std::string_view run, std::string_view key) override;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
  host::Workers workers_;
};

}  // namespace plumb::command
