// A run that a command begins and follows: the store, the host, the log and the bar on standard error, Ctrl-C.
//
//   block_signals();                                     // before any thread is made
//   host::Routes routes;  routes.add(run::EffectKind::model, *models.value().fulfiller);
//   Result<WatchedRun> run = watch_run(arguments, {"boundary", "with extract: ...", {}}, std::move(prepared), routes);
//   *run.value().journal;                                // what it has come to
//
// A run that pauses, or asks whether to go on, asks who sits at the terminal; where nobody does it waits in the store.
// Ctrl-C cancels the run once; a second one leaves at once: the run stays in the store, and goes on when it is resumed.
// SIGTERM leaves it there too, after the calls under way or ten seconds. While another command writes the store it is
// waited for, at most ten minutes; a server that has it is given the run, where it would do the same.
// The options --store, --quiet, --ascii and --color are heeded.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/pipelines/pipelines.hpp"
#include "native/cli/arguments.hpp"
#include "native/host/asked_of.hpp"
#include "native/host/fulfil.hpp"
#include "native/store/store.hpp"

namespace plumb::cli {

struct WatchedRun {
  std::string id;
  std::shared_ptr<const run::Journal> journal;
  store::RunRow row;
  bool paused = false;  // it waits in the store for somebody to let it go on, and that was told
};

struct Watching {
  std::string_view pipeline;
  std::string before;  // a line that is told first
  // Whether what the view shows is enough: the run then waits in the store for somebody else. Empty: to its end.
  std::function<bool(const json::Value& view)> enough = {};
  // What a person says to the question that the view has under `asks`; asked once for each. Nothing: nobody is there,
  // and the run waits in the store. `interrupted` says that Ctrl-C was pressed meanwhile.
  using Interrupted = std::function<bool()>;
  std::function<std::optional<std::string>(const json::Value& view, const Interrupted& interrupted)> answer = {};
  // An answer that is a JSON object is taken as it is.
  std::string resumes = {};     // a run of the store that goes on, in place of a new one
  host::AskedOf asked_of = {};  // whom the fulfiller asks
  bool beside = false;          // other commands may write the store meanwhile; not for work on repositories
  std::string request = {};     // JSON: for a server that has the store, and does it instead; empty: only here
};

// SIGINT and SIGTERM are taken by watch_run(), in this thread and those it makes; a broken assumption ends a run, not
// the process.
void block_signals();

Result<WatchedRun> watch_run(const Arguments& arguments, const Watching& what, pipelines::Prepared prepared,
                             host::Fulfiller& fulfiller);

// "12,000".
std::string grouped_digits(std::uint64_t number);

}  // namespace plumb::cli
