#include "native/base/random_seed.hpp"

#include <sys/random.h>

namespace plumb {

std::uint64_t random_seed() {
  std::uint64_t seed = 0;
  return ::getrandom(&seed, sizeof seed, GRND_NONBLOCK) == static_cast<ssize_t>(sizeof seed) ? seed : 0;
}

}  // namespace plumb
