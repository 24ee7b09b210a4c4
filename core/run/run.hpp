// Run: what a pipeline asks, and the part of a run in which it asks.
//
//   Result<Data> pipeline(Run& run) {
//     const Reply& plan = run.ask(model_effect(...));
//     std::vector<Data> parts = run.each("write", count, [&](Run& scope, std::size_t i) { ... });
//     run.emit("progress", progress(60));
//     return ...;
//   }
//
// A pipeline is a plain function of its input and its journal. ask() gives the reply when the journal has it; when it
// has not, the effect is noted as wanted and the function is left by an exception, Suspended, that no pipeline may
// catch: it is called again from the start when there is more. So each ask is a statement of its own, nothing is
// asked in destructors or comparators, and nothing else than what the run gives may have an influence: no clock, no
// randomness.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/contract/check.hpp"
#include "core/run/effect.hpp"

namespace plumb::run {

class Machine;
struct ScopeState;

// Leaves a pipeline that has to wait. Not derived from std::exception; never caught outside core/run.
struct Suspended {};

class Run {
 public:
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  const Data& input() const;
  const std::string& id() const;
  // The path of this part, "" of the whole: "stage.0/call".
  const std::string& path() const;
  // 32 hexadecimal digits that are this run's own for this name in this scope: for ids, fences, the seed of a shuffle.
  std::string derived(std::string_view name) const;
  // The stamp of the last entry that this part of the run has read, in milliseconds since 1970. Costs no step.
  std::uint64_t now_ms() const;

  // What the run is pinned to: a text that was stored with it. Asking for one that is not there is a bug.
  const Data& pin(std::string_view name) const;
  // A pinned contract, read once.
  const contract::Contract& contract(std::string_view pin_name) const;
  // What `make` gives, made once: for a text that follows from the pins alone, under a name of its own.
  const std::string& remembered(const std::string& name, const std::function<std::string()>& make) const;

  // Whether the next effect of this part was asked for before: what is decided before the first asking (does it fit the
  // budget?) need not be worked out again.
  bool asked_before() const;
  // The reply, once it is there. The reference stays good as long as the run.
  const Reply& ask(const Effect& effect);
  // All replies, in the order of the effects.
  std::vector<const Reply*> ask_all(const std::vector<Effect>& effects);
  // The effect whose reply came first. The others are cancelled.
  std::size_t ask_any(const std::vector<Effect>& effects, const Reply** first);
  // The verdict on the `text` of a model's reply, or on the value of any other, judged once for each contract.
  const contract::Verdict& judge(const Reply& reply, const contract::Contract& contract);

  // A named part. Its result is journalled when it has finished, and it is not run again. Names: letters, digits, -_.
  Data scope(std::string_view name, const std::function<Data(Run&)>& part);
  // A scope for each item, "name.0", "name.1", ...: each goes on as soon as its own reply is there, at most
  // `concurrency` effects are under way, results come in the order of the items.
  std::vector<Data> each(std::string_view name, std::size_t count, const std::function<Data(Run&, std::size_t)>& part,
                         std::size_t concurrency = 8);

  // A note, journalled and told once, by its position in its scope.
  void emit(std::string_view kind, Data value);
  // The same, made only when it is new; gives the note as the journal has it.
  Data note(std::string_view kind, const std::function<Data()>& make);
  // Worked out once while the run stays in memory, and not journalled: `make` must depend on nothing but the input, the
  // pins and parts of this scope that have finished, and ask for nothing.
  template <class T, class Make>
  std::shared_ptr<const T> keep(std::string_view name, const Make& make) {
    std::shared_ptr<const void>& at = kept_as(name);
    if (at == nullptr) {
      at = std::make_shared<const T>(make());
    }
    return std::static_pointer_cast<const T>(at);
  }
  // The notes of a kind that had come before the last entry that this part of the run has read, of the last `most`
  // those whose key is wanted, the oldest first.
  std::vector<Data> notes(std::string_view kind, std::size_t most,
                          const std::function<bool(std::string_view key)>& wanted) const;
  // What a reply of this part answers.
  const Data& request_of(const Reply& reply) const;
  // Ends the run as failed, from whichever part.
  [[noreturn]] void stop(Error error);
  // The signals of that name that had come before the last entry that this part of the run has read.
  std::vector<Data> signals(std::string_view name) const;
  // The next signal of that name that this part has not had; waits for it.
  Data next_signal(std::string_view name);
  // Whether the run was cancelled before the last entry that this part of it has read.
  bool cancelled() const;

  // Which way to go where a pipeline has changed: `current` for a run that comes here for the first time, what it was
  // then for others, 0 for those that had been here before the change was made.
  std::uint64_t version(std::string_view change, std::uint64_t current);

 private:
  friend class Machine;
  Run(Machine& machine, ScopeState& scope, std::uint64_t position)
      : machine_(machine), scope_(scope), position_(position) {}

  struct Found;
  Found find(const Effect& effect);
  [[noreturn]] void suspend();
  void read(std::uint64_t entry) { position_ = entry > position_ ? entry : position_; }
  void leave();
  Data enter(std::string_view name, const std::function<Data(Run&)>& part);
  void take_signals(std::string_view text);
  std::size_t& signals_of(std::string_view name);
  std::shared_ptr<const void>& kept_as(std::string_view name);

  Machine& machine_;
  ScopeState& scope_;
  std::uint64_t position_ = 0;  // the last entry that was read
  std::size_t effects_ = 0;
  std::size_t notes_ = 0;
  std::vector<std::pair<std::string, std::size_t>> names_;         // of scopes, and how often
  std::vector<std::pair<std::string, std::size_t>> signals_read_;  // by name, in this part and those around it
};

}  // namespace plumb::run
