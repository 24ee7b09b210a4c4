// The phase of a run in memory, and who holds it. They are separate because a run that was given up may still be with
// the store. docs/architecture.md has the diagram; a test compares both. Internal to native/host.
#pragma once

#include <array>
#include <cstdint>

#include "native/base/phase_table.hpp"

namespace plumb::host {

enum class RunPhase : std::uint8_t {
  fresh,     // taken up; its journal is not read yet
  loaded,    // it has a machine
  parked,    // it gets no machine: its `problem` says why
  given_up,  // it still waits, but this host is done with it: `problem` says why
  ended,     // its end is stored
};

inline constexpr std::array<PhaseRow<RunPhase, 4>, 5> run_phases = {{
    {RunPhase::fresh, "fresh", {RunPhase::loaded, RunPhase::parked, RunPhase::given_up, RunPhase::ended}},
    {RunPhase::loaded, "loaded", {RunPhase::given_up, RunPhase::ended, RunPhase::given_up, RunPhase::given_up}},
    {RunPhase::parked, "parked", {RunPhase::given_up, RunPhase::ended, RunPhase::given_up, RunPhase::given_up}},
    // A run that was given up because an assumption broke is ended by hand; the store may finish after the host has
    // stopped.
    {RunPhase::given_up, "given_up", {RunPhase::given_up, RunPhase::ended, RunPhase::given_up, RunPhase::given_up}},
    {RunPhase::ended, "ended", {RunPhase::ended, RunPhase::ended, RunPhase::ended, RunPhase::ended}},
}};

// At most one worker has a run, and at most one batch of it is with the store.
enum class RunHolder : std::uint8_t {
  nobody,
  queue,    // queued for a worker
  worker,   // a worker has it
  both,     // a worker has it, and its last batch is still with the store
  storing,  // the store has its batch, and nothing else happens to it
};

inline constexpr std::array<PhaseRow<RunHolder, 2>, 5> run_holders = {{
    {RunHolder::nobody, "nobody", {RunHolder::queue, RunHolder::storing}},  // `storing`: a new run
    {RunHolder::queue, "queue", {RunHolder::worker, RunHolder::nobody}},    // `nobody`: it was over before its turn
    {RunHolder::worker, "worker", {RunHolder::both, RunHolder::nobody}},
    {RunHolder::both, "both", {RunHolder::storing, RunHolder::worker}},
    {RunHolder::storing, "storing", {RunHolder::nobody, RunHolder::nobody}},
}};

}  // namespace plumb::host
