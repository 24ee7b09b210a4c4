// Whether this is the build with sanitizers. They look for faults of memory and cost ten times the time: laws over
// hundreds of thousands of cases go over every fourth of them there, and over all in the release build.
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

inline constexpr std::size_t law_step = sanitized ? 4 : 1;

}  // namespace plumb::test
