// Forks a stored run: makes the new run's row and machine, ready to be stored. The caller stores and continues it, or
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
  std::uint64_t at = 0;                 // take entries before this one; 0: all
  std::vector<std::string> redo = {};   // parts to redo, with everything after them
  std::optional<run::Data> input = {};  // empty: the old input
  bool prepared = false;                // the input was prepared by the pipeline, and may have another form
  // Replaces pins, by name. A pin that is text, such as a prompt, takes any text; others take JSON.
  std::vector<std::pair<std::string, std::string>> pins = {};
  std::string owner = {};
};

// A fork that a host has started. The old run is unchanged, even if it is still in progress. The new run asks the same
// providers as the old one, or with GoOn::here those of this host.
struct ForkStarted {
  std::string id;
  std::uint64_t taken = 0;        // entries taken from the old run
  std::vector<std::string> left;  // finished parts of the old run that the new one does not reach
};

struct MadeFork {
  store::RunRow row;
  run::Machine machine;
  std::uint64_t taken = 0;
  std::vector<std::string> left = {};  // finished parts that the new run does not reach
};

// Makes a fork of the run `row` with this journal. `asked_of` replaces whom the new run asks; empty keeps the old pin.
Result<MadeFork> make_fork(const store::RunRow& row, const run::Journal& journal,
                           std::span<const pipelines::Known> pipelines, ForkWish wish, const AskedOf& asked_of,
                           const run::MachineOptions& options, std::uint64_t now_ms);

}  // namespace plumb::host
