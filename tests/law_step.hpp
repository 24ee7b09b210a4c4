// How much of a long law a build plays: all cases in the release build, every seventh in the builds that need ten times
// the time for a case. Sanitizers look for faults of memory, WebAssembly for what differs where sizes have 32 bits.
#pragma once

#include <cstddef>

namespace plumb::test {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#else
inline constexpr bool sanitized = false;
#endif

#if defined(__EMSCRIPTEN__)
inline constexpr std::size_t law_step = 7;
#else
inline constexpr std::size_t law_step = sanitized ? 7 : 1;
#endif

}  // namespace plumb::test
