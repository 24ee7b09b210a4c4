// Run: the interface through which a pipeline asks for effects, in one part of a run.
//
//   Result<Data> pipeline(Run& run) {
//     const Reply& plan = run.ask(model_effect(...));
//     std::vector<Data> parts = run.each("write", count, [&](Run& scope, std::size_t i) { ... });
//     run.emit("progress", progress(60));
//     return ...;
//   }
//
// A pipeline is a plain function of its input and its journal. ask() returns the reply if the journal has it. If not,
// the effect is noted as wanted, and the function is left by the exception Suspended, which no pipeline may catch. The
// function is called again from the start when more replies are there. So each ask must be a statement of its own, and
// destructors and comparators must not ask. Only what the run provides may influence a pipeline: no clock and no
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

// Leaves a pipeline that must wait. It does not derive from std::exception, and is caught only in core/run.
struct Suspended {};

class Run {
 public:
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  const Data& input() const;
  const std::string& id() const;
  // The path of this part, such as "stage.0/call". Empty for the whole run.
  const std::string& path() const;
  // 32 hexadecimal digits that are unique to this run, this scope and this name: for ids, fences, the seed of a
  // shuffle.
  std::string derived(std::string_view name) const;
  // The stamp of the last entry that this part of the run has read, in milliseconds since 1970. Costs no step.
  std::uint64_t now_ms() const;

  // A text that the run is pinned to, which was stored with it. A name that is not pinned is a bug.
  const Data& pin(std::string_view name) const;
  // A pinned contract, read once.
  const contract::Contract& contract(std::string_view pin_name) const;
  // Calls `make` once and keeps its text under this name. The text must depend on the pins alone.
  const std::string& remembered(const std::string& name, const std::function<std::string()>& make) const;

  // True if the next effect of this part was asked for before. Decisions made before the first asking, such as whether
  // it fits the budget, need not be repeated.
  bool asked_before() const;
  // The reply of an effect. The reference is valid as long as the run.
  const Reply& ask(const Effect& effect);
  // All replies, in the order of the effects.
  std::vector<const Reply*> ask_all(const std::vector<Effect>& effects);
  // Returns the index of the effect whose reply came first. The others are cancelled.
  std::size_t ask_any(const std::vector<Effect>& effects, const Reply** first);
  // The verdict on the member `text` of a model's reply, or on the value of any other. Judged once per contract.
  const contract::Verdict& judge(const Reply& reply, const contract::Contract& contract);

  // Runs a named part. When it has finished, its result is journalled and it is not run again. Names: letters, digits,
  // -_.
  Data scope(std::string_view name, const std::function<Data(Run&)>& part);
  // Runs a scope for each item: "name.0", "name.1", ... Each continues as soon as its own reply is there. At most
  // `concurrency` effects are in progress. Results come in the order of the items.
  std::vector<Data> each(std::string_view name, std::size_t count, const std::function<Data(Run&, std::size_t)>& part,
                         std::size_t concurrency = 8);

  // Journals a note once, identified by its position in its scope.
  void emit(std::string_view kind, Data value);
  // The same, but the note is made only if it is new. Returns the journalled note.
  Data note(std::string_view kind, const std::function<Data()>& make);
  // Calls `make` once while the run stays in memory, and keeps its value, which is not journalled. `make` must depend
  // only on the input, the pins and finished parts of this scope, and must not ask for anything.
  template <class T, class Make>
  std::shared_ptr<const T> keep(std::string_view name, const Make& make) {
    std::shared_ptr<const void>& at = kept_as(name);
    if (at == nullptr) {
      at = std::make_shared<const T>(make());
    }
    return std::static_pointer_cast<const T>(at);
  }
  // Notes of a kind that came before the last entry that this part of the run has read. Of the last `most`, those
  // whose key is wanted, oldest first.
  std::vector<Data> notes(std::string_view kind, std::size_t most,
                          const std::function<bool(std::string_view key)>& wanted) const;
  // The request that a reply of this part answers.
  const Data& request_of(const Reply& reply) const;
  // Ends the whole run as failed. Any part may call it.
  [[noreturn]] void stop(Error error);
  // The signals with this name that came before the last entry that this part of the run has read.
  std::vector<Data> signals(std::string_view name) const;
  // The next signal with this name that this part has not read. Waits for it.
  Data next_signal(std::string_view name);
  // True if the run was cancelled before the last entry that this part of it has read.
  bool cancelled() const;

  // The version of a change to the pipeline that this run uses. A run that comes here for the first time uses
  // `current`, and keeps that version. A run that had passed here before the change was made gets 0.
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
  std::vector<std::pair<std::string, std::size_t>> names_;         // of scopes, with the number of uses
  std::vector<std::pair<std::string, std::size_t>> signals_read_;  // by name, in this part and those around it
};

}  // namespace plumb::run
