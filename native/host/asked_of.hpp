// AskedOf: whom a run asks. It lists who answers each model phase, where the run searches, and what it reads. A run is
// pinned to this list when it starts, under the name `asked_of` (docs/journal.md). A host with another list does not
// continue the run.
//
//   settings.asked_of = AskedOf{{{"judge", "openai", "gpt-4o", "openai", "https://api.openai.com", true,
//   "--provider"}}};
//
// Keys are never in it. The address is part of it, because `openai/gpt-4o` may be served from anywhere.
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
inline constexpr std::string_view named_part = "also/";        // prefix of parts for providers that a request may name
inline constexpr std::string_view asked_of_name = "asked_of";  // name of the pin, and of the signal that notes a choice

// One part of a run, and who is asked for it.
struct Asked {
  std::string part;      // a phase such as "judge"; or "also/ollama/b", "search", "read"
  std::string provider;  // "openai"; "corpus" or "searxng"; for `read` the root's name
  std::string model;     // of a phase
  std::string wire;      // the wire format; empty if nobody is asked
  std::string at;        // "https://api.openai.com", or the folder of a corpus or root; empty if built in
  bool said = false;     // chosen explicitly on the command line
  std::string flag;      // the option that chooses it: "--provider-judge"

  bool same(const Asked& other) const {
    return part == other.part && provider == other.provider && model == other.model && wire == other.wire &&
           at == other.at;
  }
  // True for the built-in provider, which costs nothing and keeps nothing.
  bool extract() const { return provider == "extract"; }
  bool free() const { return extract() || part == "read" || (part == "search" && provider == "corpus"); }
  // "openai/gpt-4o at https://api.openai.com"
  std::string words() const;
};
using AskedOf = std::vector<Asked>;

// How a run may continue on a host that differs from its pin.
enum class GoOn : std::uint8_t {
  same,    // only with those it is pinned to
  chosen,  // also with those chosen explicitly (Asked::said)
  here,    // with those of this host
};

// The text of the pin for a run with this input: the parts of `here` that it uses.
std::string asked_of_pin(const AskedOf& here, const json::Value& input);

// Whom a stored run is pinned to. `unknown`: its journal is older than this pin.
struct PinnedAsked {
  AskedOf parts;
  bool unknown = false;
};
PinnedAsked asked_of_run(const run::Journal& journal);
// The pin that was in force before the entry with this number.
PinnedAsked asked_of_run(const run::Journal& journal, std::size_t before);

// One part in which a host differs from a run's pin.
struct Difference {
  std::string part;
  std::string was;     // for people
  std::string is;      // for people
  std::string flag;    // the option that chooses it
  std::string name;    // for a root or repository: its name in the run
  bool said = false;   // chosen explicitly here
  bool never = false;  // true if no choice allows it: `extract` never continues a model's run
};
std::vector<Difference> differences(const PinnedAsked& pinned, const AskedOf& here, const json::Value& input);
// Why the run waits, and what lets it continue. Empty if nothing differs.
std::string why_it_waits(const std::vector<Difference>& differ, std::string_view run);

// `pinned`, with these parts replaced by those of `here`.
AskedOf with_parts(const AskedOf& pinned, const AskedOf& here, const std::vector<std::string>& parts);
// The value of the signal `asked_of`, which notes a choice in the journal.
std::string chosen_text(const AskedOf& here, const json::Value& input, std::string_view by);

// The part that an effect uses: a model's phase, "search" or "read". Empty if effects of this kind are not pinned.
std::string part_of(run::EffectKind kind, const json::Value& request);

}  // namespace plumb::host
