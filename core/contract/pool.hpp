// Pool: a list that grows without moving its entries, so references to them stay valid. It does what std::deque does
// with a tenth of the code, because the WebAssembly module counts every kilobyte.
//
// Memory is taken in blocks, so the first entry costs a whole block. Choose a small block_size for lists that stay
// short.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace plumb::contract {

template <class T, std::size_t block_size = 32>
class Pool {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return blocks_[i / block_size][i % block_size]; }
  const T& operator[](std::size_t i) const { return blocks_[i / block_size][i % block_size]; }
  T& front() { return (*this)[0]; }
  T& back() { return (*this)[size_ - 1]; }

  // Appends a new entry.
  T& emplace_back() {
    if (size_ == blocks_.size() * block_size) {
      blocks_.push_back(std::make_unique<T[]>(block_size));
    }
    return (*this)[size_++];
  }
  void push_back(T value) { emplace_back() = std::move(value); }

  // Keeps the first `size` entries, at most size(), and frees the blocks that are no longer used.
  void shrink(std::size_t size) {
    blocks_.resize((size + block_size - 1) / block_size);
    for (std::size_t i = size; i < blocks_.size() * block_size; ++i) {
      (*this)[i] = T();
    }
    size_ = size;
  }

  template <class Of, class Entry>
  class Iterator {
   public:
    Iterator(Of& pool, std::size_t i) : pool_(pool), i_(i) {}
    Entry& operator*() const { return pool_[i_]; }
    Iterator& operator++() {
      ++i_;
      return *this;
    }
    bool operator!=(const Iterator& o) const { return i_ != o.i_; }

   private:
    Of& pool_;
    std::size_t i_;
  };
  auto begin() { return Iterator<Pool, T>(*this, 0); }
  auto end() { return Iterator<Pool, T>(*this, size_); }
  auto begin() const { return Iterator<const Pool, const T>(*this, 0); }
  auto end() const { return Iterator<const Pool, const T>(*this, size_); }

 private:
  std::vector<std::unique_ptr<T[]>> blocks_;
  std::size_t size_ = 0;
};

}  // namespace plumb::contract
