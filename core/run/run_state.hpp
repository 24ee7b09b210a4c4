// The state that Machine and Run share: the parts of a run, and the effects of each. Internal to core/run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/contract/contract.hpp"
#include "core/contract/verdict.hpp"
#include "core/run/machine.hpp"

namespace plumb::run {

// Thrown to end a run with an error: a bound was reached, or the journal does not fit.
struct Stopped {
  Error error;
};

// One effect of a scope.
struct Slot {
  std::string key;
  EffectKind kind = EffectKind::model;
  Data request;
  std::string hash;  // of the request, as journalled
  std::uint64_t deadline_ms = 0;
  std::uint64_t attempts = 0;
  std::uint64_t handed_over = 0;  // the number of the last attempt that was handed over
  std::uint64_t handovers = 0;    // how many attempts were handed over
  std::uint64_t since_ms = 0;
  bool running = false;
  bool stored = false;    // came with a stored journal
  bool verified = false;  // the stored request was compared with the present one, and a drift is noted
  bool has_reply = false;
  Reply reply;
  std::uint64_t position = 0;  // of the reply
  std::uint64_t pass = 0;      // the pass in which it was last asked for
};

struct ScopeState {
  std::string path;  // empty for the root
  std::string name;
  std::size_t level = 0;
  std::vector<std::unique_ptr<Slot>> effects;  // by ordinal; nullptr if nothing is known
  std::vector<std::unique_ptr<ScopeState>> scopes;
  std::unordered_map<std::string, std::size_t> scope_by_name;
  std::vector<std::pair<std::string, std::uint64_t>> versions;
  std::vector<std::uint64_t> notes;  // entry numbers of journalled notes, by ordinal
  // For each `each`, by name: the number of its first items that have finished and read no signal.
  std::vector<std::pair<std::string, std::size_t>> each_done;
  std::vector<std::pair<std::string, std::shared_ptr<const void>>> kept;
  bool finished = false;
  Data result;
  std::string signals;  // the signals that a finished scope has read
  std::uint64_t position = 0;
  std::uint64_t pass = 0;

  ScopeState& child(std::string_view child_name);
  std::size_t& done_of(std::string_view each_name);
};

struct SignalEntry {
  std::string name;
  std::uint64_t position = 0;
  Data value;
};

class ForkSource;

struct MachineState {
  Pipeline pipeline;
  MachineOptions options;
  Journal journal;
  std::string id;
  std::string seed;              // of derived values: the first run's in a line of forks
  ForkSource* source = nullptr;  // set while a fork is made
  Data input;
  Pins pins;
  ScopeState root;
  std::unordered_map<std::string, Slot*> slot_by_key;
  std::vector<SignalEntry> signals;
  std::unordered_map<std::string, std::vector<std::uint64_t>> notes_by_kind;  // entry numbers
  std::vector<Slot*> outstanding;  // asked for in the last pass, and not answered
  std::vector<std::string> abandoned;
  std::unordered_map<std::string, std::unique_ptr<contract::Contract>> contracts;  // by pin
  std::unordered_map<std::string, std::string> remembered;
  struct Judged {
    std::string contract_hash;
    std::unique_ptr<contract::Verdict> verdict;
  };
  std::unordered_map<const Reply*, std::vector<Judged>> judged;
  std::vector<std::string> drifts;  // key and hash of noted drifts
  State state = State::waiting;
  Data result;
  Error error;
  std::uint64_t now_ms = 0;
  std::uint64_t pass = 0;
  std::uint64_t cancelled_at = 0;  // entry number; 0: not cancelled
  bool suspended = false;

  std::string full() const;
  std::uint64_t append(Entry entry);
  void forget(ScopeState& scope);
  Slot& slot(ScopeState& scope, std::size_t ordinal);
  void verify(Slot& slot, const Effect& effect);
  void set_reply(Slot& slot, Reply reply, std::uint64_t position);
  void take_parts(const Data& begin, const json::Value& told);
  void load();
  ScopeState* scope_at(std::string_view path);
};

// The errors for a journal that does not fit, and for a run that has reached a bound.
Error journal_mismatch(std::string message, std::string where = {});
Error limit_reached(std::string message);

}  // namespace plumb::run
