// A list that grows without moving what is in it, so that references stay good: what std::deque is used for, in a tenth
// of the code (the WebAssembly module counts every kilobyte). A list that mostly stays short has small blocks: a block
// is what one entry costs.
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

  // A fresh entry at the end.
  T& emplace_back() {
    if (size_ == blocks_.size() * block_size) {
      blocks_.push_back(std::make_unique<T[]>(block_size));
    }
    return (*this)[size_++];
  }
  void push_back(T value) { emplace_back() = std::move(value); }

  // Keeps the first `size` entries; the others and their memory go. `size` is at most size().
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
