// Machine: a run while a host works on it.
//
//   Machine machine = Machine::start(pipeline, "r1", input, pins, {}, now);
//   for (;;) {
//     State state = machine.step(now);
//     store(machine.take());                        // append before anything of it is used
//     if (state != State::waiting) break;
//     for (const Want& want : machine.wanted()) {
//       machine.attempt(want.key, now);  store(machine.take());   // before the call, so that it is counted
//       ...
//       machine.reply(want.key, reply, now);
//     }
//   }
//
// The same calls in the same order give the same journal on every host. resume() takes a stored journal. It uses
// stored replies and never asks for them again. An effect that was in progress is wanted once more, or answered
// `interrupted` (effect.hpp, Lost). An effect that a host handed over before it stopped is wanted as if it had not
// begun.
//
// Bounds limits entries, bytes, effects in progress and nested scopes. Reaching one ends the run with status `failed`
// and an error that names it. Nothing that was journalled is lost.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/run/journal.hpp"
#include "core/run/run.hpp"

namespace plumb::run {

struct Outcome;

struct Pipeline {
  std::string_view name;
  std::uint64_t version = 1;  // increased when its steps change
  Result<Data> (*function)(Run& run) = nullptr;
  // The outcome of a run whose journal has its end, which then stores it (outcome.hpp). nullptr: ends store no
  // outcome.
  Outcome (*came_to)(const Journal& journal) = nullptr;
};

// Texts that a run keeps even if their files change: contracts, prompts, profiles. By name, which is unique.
using Pins = std::vector<std::pair<std::string, Data>>;

struct Bounds {
  std::uint64_t entries_max = 100'000;
  std::uint64_t bytes_max = std::uint64_t{256} << 20U;
  std::size_t outstanding_max = 1000;
  std::size_t levels_max = 32;
};

struct MachineOptions {
  Bounds bounds;
  bool strict = false;  // a drift ends the run instead of being noted
  // Reads the text of a pinned contract; Contract::read if empty. A host with many runs compiles each text once.
  std::function<Result<contract::Contract>(const std::string& text)> read_contract = {};
  // What happens to an effect whose host was lost, for effects that cost nothing here, such as calls of `extract`. If
  // empty, the table of effects decides.
  std::function<Lost(EffectKind kind, const Data& request)> lost = {};
};

enum class State : std::uint8_t { waiting, done, failed, cancelled };
std::string_view state_name(State state);

// An effect without a reply.
struct Want {
  std::string key;
  EffectKind kind = EffectKind::model;
  Data request;
  std::uint64_t deadline_ms = 0;
  std::uint64_t attempts = 0;  // number of journalled attempts; 0: not begun
  std::uint64_t since_ms = 0;  // stamp of the first attempt that was not handed over
  bool anew = true;            // no attempt counts: it is not begun, or was handed over
};

struct MachineState;
struct ForkOf;
struct Forked;

class Machine {
 public:
  static Machine start(const Pipeline& pipeline, std::string id, const Data& input, const Pins& pins,
                       const MachineOptions& options, std::uint64_t now_ms);
  // Called by fork() of fork.hpp, which checks the cut first.
  static Result<Forked> fork(const Pipeline& pipeline, std::string id, const Data& input, const Pins& pins,
                             const ForkOf& of, const MachineOptions& options, std::uint64_t now_ms);
  // An error if the journal is of another pipeline, or of a later version of this one.
  static Result<Machine> resume(const Pipeline& pipeline, Journal journal, const MachineOptions& options,
                                std::uint64_t now_ms);
  ~Machine();
  Machine(Machine&&) noexcept;
  Machine& operator=(Machine&&) noexcept;

  // Runs the pipeline as far as the journal allows.
  State step(std::uint64_t now_ms);
  State state() const;
  // The result of a run that is done or cancelled.
  const Data& result() const;
  const Error& error() const;  // of a run that failed

  // The effects to begin, in the order in which they were asked for, and those in progress.
  std::vector<Want> wanted() const;
  std::vector<Want> under_way() const;
  // The keys of effects that are in progress and no longer wanted, because another was faster or the run is cancelled.
  // The host must stop them.
  std::vector<std::string> abandoned() const;

  // Journals that an effect will be tried. False if it is not wanted any more.
  bool attempt(std::string_view key, std::uint64_t now_ms);
  // The host stops and gives up the effect: this host or another will try it again, with all of its time. False if it
  // is not in progress, or may not be repeated.
  bool hand_over(std::string_view key, std::uint64_t now_ms);
  // The reply of an effect. If its value breaks the contract of its kind, the reply becomes `failed`. False if there
  // is a reply already; this one is then ignored.
  bool reply(std::string_view key, Reply reply, std::uint64_t now_ms);
  // False if the run has ended or its journal is full.
  bool signal(std::string_view name, Data value, std::uint64_t now_ms);
  void cancel(std::string_view why, std::uint64_t now_ms);

  // Returns what must be stored.
  std::vector<Stored> take();
  const Journal& journal() const;
  const std::string& id() const;
  // A text that the run is pinned to, or nullptr. Valid as long as the machine.
  const Data* pin(std::string_view name) const;

 private:
  friend class Run;
  explicit Machine(std::unique_ptr<MachineState> state);
  static Machine begin(const Pipeline& pipeline, std::string id, const Data& input, const Pins& pins,
                       std::string_view fork, const MachineOptions& options, std::uint64_t now_ms);
  std::unique_ptr<MachineState> state_;
};

}  // namespace plumb::run
