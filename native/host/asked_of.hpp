// Whom a run asks: who answers its models' phases, where it searches and what it reads. A run is pinned to them when it
// begins, under the name `asked_of` (docs/journal.md), and a host that has others does not go on with it.
//
//   settings.asked_of = AskedOf{{{"judge", "openai", "gpt-4o", "openai", "https://api.openai.com", true,
//   "--provider"}}};
//
// Never in it: keys. Names alone are not the same: `openai/gpt-4o` may be anywhere, so the address is part of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/journal.hpp"

namespace plumb::host {

inline constexpr std::string_view search_part = "search";
inline constexpr std::string_view read_part = "read";
inline constexpr std::string_view repository_part = "repository";
inline constexpr std::string_view named_part = "also/";        // before a provider that a request may name
inline constexpr std::string_view asked_of_name = "asked_of";  // of the pin, and of the signal that notes a choice

// One who is asked.
struct Asked {
  std::string part;      // a phase: "judge"; "also/ollama/b"; "search"; "read"
  std::string provider;  // "openai"; "corpus", "searxng"; of `read` the name of the root
  std::string model;     // of a phase
  std::string wire;      // what is spoken there; empty where nobody is
  std::string at;        // "https://api.openai.com"; the folder of a corpus or of a root; empty: here
  bool said = false;     // somebody has chosen it in words, on the command line
  std::string flag;      // how it is chosen in words: "--provider-judge"

  bool same(const Asked& other) const {
    return part == other.part && provider == other.provider && model == other.model && wire == other.wire &&
           at == other.at;
  }
  // Built in: asking it costs nothing and leaves nothing behind.
  bool extract() const { return provider == "extract"; }
  bool free() const { return extract() || part == "read" || (part == "search" && provider == "corpus"); }
  // "openai/gpt-4o at https://api.openai.com"
  std::string words() const;
};
using AskedOf = std::vector<Asked>;

// With whom a run goes on where this host has others than it is pinned to.
enum class GoOn : std::uint8_t {
  same,    // with nobody else
  chosen,  // with whom somebody has chosen in words (Asked::said)
  here,    // with whom this host has
};

// What a run with this input asks of those that there are, as the text of its pin.
std::string asked_of_pin(const AskedOf& here, const json::Value& input);

// Whom a stored run is to ask. `unknown`: nothing says where, since the journal is from before this was kept.
struct PinnedAsked {
  AskedOf parts;
  bool unknown = false;
};
PinnedAsked asked_of_run(const run::Journal& journal);
// Whom it asked before the entry of this number.
PinnedAsked asked_of_run(const run::Journal& journal, std::size_t before);

// Where a host differs from what a run is pinned to.
struct Difference {
  std::string part;
  std::string was;     // in words
  std::string is;      // in words
  std::string flag;    // that chooses in words
  std::string name;    // of a root or a repository: what the run calls it
  bool said = false;   // it was chosen in words here
  bool never = false;  // a model's run is not gone on with by `extract`, whoever says so
};
std::vector<Difference> differences(const PinnedAsked& pinned, const AskedOf& here, const json::Value& input);
// Why the run waits, and what lets it go on. Empty where nothing differs.
std::string why_it_waits(const std::vector<Difference>& differ, std::string_view run);

// `pinned` with these parts of `here` in the place of its own.
AskedOf with_parts(const AskedOf& pinned, const AskedOf& here, const std::vector<std::string>& parts);
// What the journal is told when somebody has chosen: the value of the signal `asked_of`.
std::string chosen_text(const AskedOf& here, const json::Value& input, std::string_view by);

// The part that an effect asks: the phase of a model's, "search", "read"; empty: none that is pinned.
std::string part_of(run::EffectKind kind, const json::Value& request);

}  // namespace plumb::host
