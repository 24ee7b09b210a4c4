// The fast accept path: a container is accepted by its plan (fast_path.hpp), or left to the engine.
//
// The walk over the bytes is strict where the scanner is strict, and gives up wherever it cannot say yes: a fault, a
// bound, a key given twice, half of a surrogate pair. What `distinct` and `acyclic` above collect is inserted as it is
// met; when the walk gives up, that is taken back. So giving up costs time and nothing else. That time is bounded: the
// containers that were open where a walk gave up are known to be such that no walk gets through them, and are not tried
// again; those before that place are passed at the second attempt. So each byte is read in vain at most once.
//
// A container that goes on in the next piece is held back: the scanner waits before it, and the walk goes on with what
// comes. It looks at every byte when it comes, and gives up no later than the byte by which the engine would be certain
// of anything; then the engine judges what was held, and finds with this piece what it would have found without the
// walk. While the walk waits there is nothing to tell: no finding, and no place that anybody has asked for.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/contract/engine/containers.hpp"
#include "core/contract/fast_path_walk.hpp"

namespace plumb::contract {

// What the walk over a container comes to: it has got through, it is cut at the end of the bytes, or no.
enum class Walked : std::uint8_t { through, cut, no };

// The scanner is at a container: the byte after it, where it could be accepted at once; p, where more must be seen.
const char* fast_container(Engine& engine, const char* p, const char* end, std::uint64_t from, std::uint32_t depth);
// The plan for the items of a container, or none32.
std::uint32_t fast_items(const Engine& engine, const Frame& frame);
// Goes on with the walk that waits, and takes what it reads from `bytes`. The piece that the scanner is to have then;
// empty while the walk goes on waiting.
std::string_view fast_more(Engine& engine, std::string_view& bytes);
// What is held when nothing more comes: for the engine.
std::string_view fast_ends(Engine& engine);

// Opens the container at p, or says that it is none for this plan.
bool fast_enter(Engine& engine, const Plan& plan, const char* p);
// What the walk over a container comes to, from p on, where it began or was cut.
Walked fast_walk(Engine& engine, const char* p, const char* const end, const bool padded);

// What a walk asks of texts: whether its plan accepts one, whether one that has only begun may go on, and whether it
// differs from those from `first` on.
bool fast_accepts(Engine& engine, const Plan& plan, std::string_view text);
bool fast_may_go_on(Engine& engine, const Plan& plan, std::string_view text, bool escapes);
bool fast_fresh(Engine& engine, const Plan& plan, std::size_t first, std::string_view text);

}  // namespace plumb::contract
