// How many answers are kept, and for how long. Part of Settings.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumb::proxy {

struct CacheSettings {
  std::uint64_t bytes_max = 64U << 20;  // 0: no cache
  std::uint64_t entry_bytes_max = 1U << 20;
  std::uint64_t ttl_ms = 3'600'000;
};

// Which responses kept by providers belong to which client key (response_book.hpp).
struct KeptSettings {
  std::size_t entries_max = 100'000;
  std::uint64_t ttl_ms = 2'592'000'000;  // 30 days, as OpenAI keeps them
};

}  // namespace plumb::proxy
