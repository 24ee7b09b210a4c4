// What a fork is made from: the settled entries of another journal, found by part and by key in one pass over it.
// Internal to core/run.
//
// A passing run with the new input and pins takes what it comes to; journal() is then what was taken, in the order in
// which the old run had it.
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

  // A finished part, with all that was in it.
  void take_scope(MachineState& run, ScopeState& scope);
  // The reply to the same request at the same place.
  void take_effect(MachineState& run, Slot& slot);
  // The way that the old run went.
  std::uint64_t way(std::string_view path, std::string_view change, std::uint64_t current);
  // A note that the passing run makes as the old one had.
  void take_note(const Entry& note);
  // One more signal of that name, with those before it; false: there is none.
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
  std::unordered_map<std::string, std::vector<std::size_t>> owned_;  // entries by the outermost kept part around them
  std::unordered_map<std::string, Answered> answered_;               // outside of these, by key
  std::unordered_map<std::string, std::size_t> ways_;                // by path and change
  std::unordered_map<std::string, std::size_t> notes_;               // by key
  std::vector<std::size_t> signals_;
  std::size_t signals_taken_ = 0;
  std::vector<bool> taken_;
};

}  // namespace plumb::run
