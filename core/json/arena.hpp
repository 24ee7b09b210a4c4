// A bump allocator for values without destructors. Everything goes at once, or back to a mark.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

namespace plumb::json {

class Arena {
 public:
  struct Mark {
    std::size_t block = 0;
    std::size_t used = 0;
  };

  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = default;

  // `size` bytes, aligned to 8, not initialised. Never null: running out of memory ends the process as `new` does.
  char* bytes(std::size_t size) {
    size = (size + 7U) & ~std::size_t{7};
    if (current_ < blocks_.size() && blocks_[current_].size - used_ >= size) {
      char* p = blocks_[current_].data.get() + used_;
      used_ += size;
      return p;
    }
    return next_block(size);
  }

  std::string_view copy(std::string_view text) {
    if (text.empty()) {
      return std::string_view("");
    }
    char* p = bytes(text.size());
    std::memcpy(p, text.data(), text.size());
    return {p, text.size()};
  }

  template <class T>
  T* array(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 8);
    return reinterpret_cast<T*>(bytes(sizeof(T) * count));
  }

  Mark mark() const { return {current_, used_}; }
  // Gives back everything taken since `mark`; blocks stay for reuse.
  void release(Mark mark) {
    current_ = mark.block;
    used_ = mark.used;
  }
  // Gives back everything, and memory beyond `keep_max` bytes to the system.
  void clear(std::size_t keep_max = std::size_t{1} << 20) {
    std::size_t kept = 0;
    std::size_t count = 0;
    while (count < blocks_.size() && kept + blocks_[count].size <= keep_max) {
      kept += blocks_[count].size;
      ++count;
    }
    blocks_.resize(count);
    current_ = 0;
    used_ = 0;
  }
  // Bytes held from the system.
  std::size_t capacity() const {
    std::size_t total = 0;
    for (const Block& block : blocks_) {
      total += block.size;
    }
    return total;
  }

 private:
  struct Block {
    std::unique_ptr<char[]> data;
    std::size_t size = 0;
  };

  char* next_block(std::size_t size) {
    std::size_t next = blocks_.empty() ? 0 : current_ + 1;
    if (next >= blocks_.size() || blocks_[next].size < size) {
      std::size_t wanted = std::max<std::size_t>(
          size, blocks_.empty() ? 512 : std::min<std::size_t>(blocks_.back().size * 2, std::size_t{1} << 20));
      Block block{std::unique_ptr<char[]>(new char[wanted]), wanted};
      blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(next), std::move(block));
    }
    current_ = next;
    used_ = size;
    return blocks_[next].data.get();
  }

  std::vector<Block> blocks_;
  std::size_t current_ = 0;
  std::size_t used_ = 0;
};

}  // namespace plumb::json
