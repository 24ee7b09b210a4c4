// Whether this is the small build for edges (`./dev build edge`): check, contracts, serve with the proxy, keys, and no
// work on repositories, no stories. What it is without is named where it is asked for.
#pragma once

namespace plumb {

#if defined(PLUMB_EDGE)
inline constexpr bool edge_build = true;
#else
inline constexpr bool edge_build = false;
#endif

}  // namespace plumb
