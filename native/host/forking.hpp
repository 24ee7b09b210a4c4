// A fork of a stored run: the new run's row and machine, ready to be stored. Whoever stores it goes on with it, or
// leaves that to another host.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/pipelines/pipelines.hpp"
#include "core/run/fork.hpp"
#include "native/host/asked_of.hpp"
#include "native/store/store.hpp"

namespace plumb::host {

struct ForkWish {
  std::uint64_t at = 0;                 // before this entry; 0: all
  std::vector<std::string> redo = {};   // parts, with what comes behind them
  std::optional<run::Data> input = {};  // empty: the same
  bool prepared = false;                // the input comes of the pipeline's own preparation, and may have another form
  // In place of what the run is pinned to, by name. A pin that is a text (a prompt) takes any text, others JSON.
  std::vector<std::pair<std::string, std::string>> pins = {};
  std::string owner = {};
};

// A fork that a host has begun. The old run stays as it is, also while it goes on. The new one asks whom the old one
// asked, or with GoOn::here whom the host does.
struct ForkStarted {
  std::string id;
  std::uint64_t taken = 0;        // entries of the old run
  std::vector<std::string> left;  // its finished parts that the new one does not enter
};

struct MadeFork {
  store::RunRow row;
  run::Machine machine;
  std::uint64_t taken = 0;
  std::vector<std::string> left = {};  // finished parts that the new run does not enter
};

// What is left of `journal`, the run `row`, with what is wished for. `asked_of`: whom the new run is to ask, where it
// shall be somebody else than the old one did; empty: whom that asked.
Result<MadeFork> make_fork(const store::RunRow& row, const run::Journal& journal,
                           std::span<const pipelines::Known> pipelines, ForkWish wish, const AskedOf& asked_of,
                           const run::MachineOptions& options, std::uint64_t now_ms);

}  // namespace plumb::host
