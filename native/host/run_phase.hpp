// What a run in memory is at, and who has it. Two things: a run that is given up may still be with the store. Drawn in
// docs/architecture.md; a test holds both to each other. Internal to native/host.
#pragma once

#include <array>
#include <cstdint>

#include "native/base/phase_table.hpp"

namespace plumb::host {

enum class RunPhase : std::uint8_t {
  fresh,     // taken up; its journal is not read yet
  loaded,    // there is a machine
  parked,    // there will be none: the run's `problem` says why
  given_up,  // it waits still, and this host has no more to do with it: `problem` says why
  ended,     // and its end is stored
};

inline constexpr std::array<PhaseRow<RunPhase, 4>, 5> run_phases = {{
    {RunPhase::fresh, "fresh", {RunPhase::loaded, RunPhase::parked, RunPhase::given_up, RunPhase::ended}},
    {RunPhase::loaded, "loaded", {RunPhase::given_up, RunPhase::ended, RunPhase::given_up, RunPhase::given_up}},
    {RunPhase::parked, "parked", {RunPhase::given_up, RunPhase::ended, RunPhase::given_up, RunPhase::given_up}},
    // What was given up for a bug of ours is ended by hand, and the store may be later than the host's stop.
    {RunPhase::given_up, "given_up", {RunPhase::given_up, RunPhase::ended, RunPhase::given_up, RunPhase::given_up}},
    {RunPhase::ended, "ended", {RunPhase::ended, RunPhase::ended, RunPhase::ended, RunPhase::ended}},
}};

// At most one worker has a run, and at most one batch of it is with the store.
enum class RunHolder : std::uint8_t {
  nobody,
  queue,    // a worker will take it up
  worker,   // one has
  both,     // one has, and what it gave to the store is there still
  storing,  // the store has its batch; nothing else is done with the run
};

inline constexpr std::array<PhaseRow<RunHolder, 2>, 5> run_holders = {{
    {RunHolder::nobody, "nobody", {RunHolder::queue, RunHolder::storing}},  // `storing`: a new run
    {RunHolder::queue, "queue", {RunHolder::worker, RunHolder::nobody}},    // `nobody`: it was over before its turn
    {RunHolder::worker, "worker", {RunHolder::both, RunHolder::nobody}},
    {RunHolder::both, "both", {RunHolder::storing, RunHolder::worker}},
    {RunHolder::storing, "storing", {RunHolder::nobody, RunHolder::nobody}},
}};

}  // namespace plumb::host
