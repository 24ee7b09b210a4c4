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
// The same calls in the same order give the same journal, whatever the host is. resume() takes a stored journal:
// replies are used again, never asked for again; an effect that was under way is wanted once more, or answered
// `interrupted`. One that a host handed over before it stopped is wanted as if it had not been begun.
//
// Bounds: entries, bytes, effects under way, levels of scopes. Reaching one ends the run with status failed and an
// error that names it; nothing that was journalled is lost.
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
  std::uint64_t version = 1;  // raised when its steps change
  Result<Data> (*function)(Run& run) = nullptr;
  // What a run has come to whose journal has its end: the end then holds it (outcome.hpp). None: ends hold nothing.
  Outcome (*came_to)(const Journal& journal) = nullptr;
};

// Texts that a run goes on with whatever happens to their files: contracts, prompts, profiles. By name, unique.
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
  // Reads the text of a pinned contract; empty: Contract::read. A host with many runs compiles each text once.
  std::function<Result<contract::Contract>(const std::string& text)> read_contract = {};
  // What happens to an effect whose host was lost: for those that cost nothing here, such as calls of `extract`. Empty:
  // as the table of effects has it.
  std::function<Lost(EffectKind kind, const Data& request)> lost = {};
};

enum class State : std::uint8_t { waiting, done, failed, cancelled };
std::string_view state_name(State state);

// An effect that no reply has come for.
struct Want {
  std::string key;
  EffectKind kind = EffectKind::model;
  Data request;
  std::uint64_t deadline_ms = 0;
  std::uint64_t attempts = 0;  // that have been journalled; 0: not begun
  std::uint64_t since_ms = 0;  // stamp of the first that was not handed over
  bool anew = true;            // none is to be counted: not begun, or handed over
};

struct MachineState;
struct ForkOf;
struct Forked;

class Machine {
 public:
  static Machine start(const Pipeline& pipeline, std::string id, const Data& input, const Pins& pins,
                       const MachineOptions& options, std::uint64_t now_ms);
  // As fork() of fork.hpp, which looks at the cut first.
  static Result<Forked> fork(const Pipeline& pipeline, std::string id, const Data& input, const Pins& pins,
                             const ForkOf& of, const MachineOptions& options, std::uint64_t now_ms);
  // An error when the journal is of another pipeline, or of a later version of it.
  static Result<Machine> resume(const Pipeline& pipeline, Journal journal, const MachineOptions& options,
                                std::uint64_t now_ms);
  ~Machine();
  Machine(Machine&&) noexcept;
  Machine& operator=(Machine&&) noexcept;

  // Runs the pipeline as far as the journal goes.
  State step(std::uint64_t now_ms);
  State state() const;
  // Result of a run that is done or cancelled.
  const Data& result() const;
  const Error& error() const;  // of a run that failed

  // Effects that are to be begun, in the order in which they were asked for, and those under way.
  std::vector<Want> wanted() const;
  std::vector<Want> under_way() const;
  // Under way and no longer wanted: another was faster, or the run is cancelled. The host stops them.
  std::vector<std::string> abandoned() const;

  // An effect is about to be tried. False when it is not wanted any more.
  bool attempt(std::string_view key, std::uint64_t now_ms);
  // The host stops and gives up what is under way: it is wanted again, in this host or another one, with all of its
  // time. False when it is not under way, or may not be repeated.
  bool hand_over(std::string_view key, std::uint64_t now_ms);
  // Its reply. A value that breaks the contract of its kind becomes a failed reply. Ignored (false) when there is one.
  bool reply(std::string_view key, Reply reply, std::uint64_t now_ms);
  // False when the run has ended or its journal is full.
  bool signal(std::string_view name, Data value, std::uint64_t now_ms);
  void cancel(std::string_view why, std::uint64_t now_ms);

  // What is to be stored.
  std::vector<Stored> take();
  const Journal& journal() const;
  const std::string& id() const;
  // A text that the run is pinned to, or nullptr. As good as the machine.
  const Data* pin(std::string_view name) const;

 private:
  friend class Run;
  explicit Machine(std::unique_ptr<MachineState> state);
  static Machine begin(const Pipeline& pipeline, std::string id, const Data& input, const Pins& pins,
                       std::string_view fork, const MachineOptions& options, std::uint64_t now_ms);
  std::unique_ptr<MachineState> state_;
};

}  // namespace plumb::run
