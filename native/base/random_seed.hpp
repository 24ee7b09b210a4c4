// Random bits from the system, for what must differ and need not be secret: the order that a hash table takes, the ids
// of a session. Keys and the like are made in native/cli/keys_command.cpp.
#pragma once

#include <cstdint>

namespace plumb {

// 0 where the system has no randomness yet (early at boot): crafted keys could then be slow, never wrong.
std::uint64_t random_seed();

}  // namespace plumb
