// Runs of every pipeline with a stranger (core/stranger) as its model: what is sent goes through the provider's own
// codecs, time is a script's, and nothing is known but what is in the requests.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/pipelines/pipelines.hpp"
#include "core/wire/model.hpp"

namespace plumb::test {

// A pipeline with what it is to work on.
struct Scenario {
  std::string_view name;      // "quiz"
  std::string_view pipeline;  // "artifact"
  std::vector<std::string_view> phases;
};
const std::vector<Scenario>& scenarios();

// The manners that are tried: "obedient", "obedient-smallest", ..., each a model's name without wire and seed.
const std::vector<std::string_view>& manners();

struct Play {
  const Scenario* scenario = nullptr;
  wire::Wire wire = wire::Wire::openai;
  std::string_view manner;
  std::string_view phase;  // the only one that is asked so, the others being obedient; empty: all
  std::uint64_t seed = 1;

  // "quiz openai sloppy judge 7"
  std::string text() const;
};

// What a role was sent, the first time.
struct Sent {
  std::string phase, role;
  std::string contract;  // JSON text of what its answer is judged by
  std::string schema;    // that was sent; empty: none
  std::string prompt;    // all messages
};

struct Played {
  std::vector<Sent> sent;  // one for each phase, role and contract
  std::string state;       // of the machine: "done", "failed"
  std::string status;      // of the view, as people see it
  std::string error;       // what a failed run says
  std::uint64_t calls = 0;
  std::uint64_t calls_max = 0;      // as stated; 0: nothing is
  std::vector<std::string> broken;  // laws, a sentence each
};
Played play(const Play& what);
// A play from its text.
bool read_play(std::string_view text, Play& out);

// Sums by pipeline and manner.
struct Tally {
  struct Row {
    std::uint64_t runs = 0, done = 0, failed = 0, calls = 0, broken = 0;
    std::map<std::string, std::uint64_t> statuses;
  };
  std::map<std::pair<std::string, std::string>, Row> rows;
  std::map<std::string, std::pair<std::uint64_t, std::string>> laws;  // the sentence, how often, the first play

  void add(const Play& what, const Played& how);
  void add(const Tally& other);
  std::string table() const;
};

// What is reached by the seed: all phases or one of them in turn.
std::string_view phase_of(const Scenario& scenario, std::uint64_t seed);

}  // namespace plumb::test
