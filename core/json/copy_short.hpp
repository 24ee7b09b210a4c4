// Copying a few bytes, as pieces of a stream are: without a call, where memcpy would take longer to find out how many.
#pragma once

#include <cstddef>
#include <cstring>

namespace plumb::json {

inline void copy_short(char* to, const char* from, std::size_t size) {
  struct Block {
    char bytes[16];
  };
  if (size - 16 <= 16) {  // 16 to 32: one block from each end, which may overlap
    Block first;
    Block last;
    std::memcpy(&first, from, 16);
    std::memcpy(&last, from + size - 16, 16);
    std::memcpy(to, &first, 16);
    std::memcpy(to + size - 16, &last, 16);
    return;
  }
  if (size > 0) {  // nothing may be at no place
    std::memcpy(to, from, size);
  }
}

}  // namespace plumb::json
