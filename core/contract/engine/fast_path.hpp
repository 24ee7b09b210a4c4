// The fast accept path: the engine accepts a container by its plan (core/contract/fast_path.hpp), or judges it in
// full.
//
// The walk over the bytes is as strict as the scanner. It gives up as soon as it cannot say yes: at a fault, a bound,
// a repeated key or half of a surrogate pair. Texts that a `distinct` or `acyclic` above collects are inserted as they
// come, and removed if the walk gives up. So giving up costs time and nothing else, and the time is bounded.
// Containers that were open where a walk gave up are not tried again, and containers before that place pass at the
// second attempt. So each byte is read in vain at most once.
//
// A container that continues in the next piece is held back: the scanner waits before it, and the walk continues with
// the next piece. The walk looks at every byte when it comes, and gives up no later than the byte at which the engine
// would be certain of anything. The engine then judges the held bytes and finds, with this piece, everything it would
// have found without the walk. So while the walk waits, there is nothing to report: no finding, and no place that is
// asked for.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/contract/engine/containers.hpp"
#include "core/contract/fast_path_walk.hpp"

namespace plumb::contract {

// The result of a walk: it accepted the container, it reached the end of the bytes, or it gave up.
enum class Walked : std::uint8_t { through, cut, no };

// Called by the scanner at a container. Returns the byte after it if it is accepted, p if more bytes are needed,
// nullptr if the engine must judge it.
const char* fast_container(Engine& engine, const char* p, const char* end, std::uint64_t from, std::uint32_t depth);
// The plan for the items of a container, or none32.
std::uint32_t fast_items(const Engine& engine, const Frame& frame);
// Continues the waiting walk with `bytes`, and removes what it reads from them. Returns the piece for the scanner;
// empty while the walk still waits.
std::string_view fast_more(Engine& engine, std::string_view& bytes);
// Ends the waiting walk, because nothing more comes. Returns the held bytes for the engine.
std::string_view fast_ends(Engine& engine);

// Opens the container at p. False if this plan does not accept it.
bool fast_enter(Engine& engine, const Plan& plan, const char* p);
// Walks over a container, from p on, where the walk began or was cut. `padded`: bytes after `end` may be read.
Walked fast_walk(Engine& engine, const char* p, const char* const end, const bool padded);

// Tests of texts for a walk: does the plan accept the text, may a text that has only begun continue, and does the text
// differ from those from index `first` on.
bool fast_accepts(Engine& engine, const Plan& plan, std::string_view text);
bool fast_may_go_on(Engine& engine, const Plan& plan, std::string_view text, bool escapes);
bool fast_fresh(Engine& engine, const Plan& plan, std::size_t first, std::string_view text);

}  // namespace plumb::contract
