// What the allocator keeps for later, given back to the system.
#pragma once

// mimalloc's, where the command is linked with it (cmake/native.cmake).
extern "C" void mi_collect(bool force) __attribute__((weak));

namespace plumb {

// For a thread that has had much to do and has nothing now; some milliseconds.
inline void give_back_memory() {
  if (mi_collect != nullptr) {
    mi_collect(true);
  }
}

}  // namespace plumb
