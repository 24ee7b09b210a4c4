// ForkSource: the finished entries of another journal, found by part and by key. One pass over the journal finds them.
// Internal to core/run.
//
// A trial run with the new input and pins takes the entries that it reaches. journal() then has these entries, in the
// order of the old run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/run/fork.hpp"

namespace plumb::run {

struct MachineState;
struct ScopeState;
struct Slot;

class ForkSource {
 public:
  ForkSource(const ForkOf& of, std::uint64_t pipeline_version);

  // Takes over a finished part with everything in it.
  void take_scope(MachineState& run, ScopeState& scope);
  // Takes over the reply to the same request at the same place.
  void take_effect(MachineState& run, Slot& slot);
  // The version of a change that the old run used (Run::version).
  std::uint64_t way(std::string_view path, std::string_view change, std::uint64_t current);
  // Takes over a note that the trial run makes exactly as the old run did.
  void take_note(const Entry& note);
  // Takes over the next signal with this name, and those before it. False if there is none.
  bool take_signal(MachineState& run, std::string_view name);

  std::uint64_t taken() const { return chosen().size(); }
  Journal journal(Entry begin) const;
  std::vector<std::string> left() const;

 private:
  struct Answered {
    std::size_t attempt = 0;
    std::size_t reply = 0;
  };
  bool cut(std::string_view path) const;
  bool kept(const Entry& entry) const;
  std::string_view owner_of(std::string_view path) const;
  void read();
  std::vector<std::size_t> chosen() const;
  void copy(MachineState& run, std::size_t number);

  const std::vector<Entry>& entries_;
  const std::vector<std::string>& without_;
  std::size_t limit_ = 0;
  bool same_version_ = true;
  std::unordered_map<std::string, bool> finished_;                   // the parts that are kept; true: taken over
  std::unordered_map<std::string, std::vector<std::size_t>> owned_;  // entries, by the outermost kept part around them
  std::unordered_map<std::string, Answered> answered_;               // outside the kept parts, by key
  std::unordered_map<std::string, std::size_t> ways_;                // by path and change
  std::unordered_map<std::string, std::size_t> notes_;               // by key
  std::vector<std::size_t> signals_;
  std::size_t signals_taken_ = 0;
  std::vector<bool> taken_;
};

}  // namespace plumb::run
