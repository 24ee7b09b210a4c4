// Landlock: what a process, and all that it starts, may still do with files. Safe after a fork.
#pragma once

#include <cstddef>

namespace plumb::process {

struct LandlockWish {
  const char* const* writable = nullptr;  // files and folders that may be written and changed
  std::size_t count = 0;
  bool network = true;  // false: no TCP, where the kernel can say so
};

// The bits of Force that hold now; 0: the kernel has no Landlock; -errno: it has, and refused.
int landlock_self(const LandlockWish& wish);

}  // namespace plumb::process
