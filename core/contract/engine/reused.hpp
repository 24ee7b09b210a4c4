// Reused: a list whose entries are returned, taken again, and named by their index. The engine keeps in such lists
// what it creates and frees while it reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plumb::contract {

template <class List>
class Reused {
 public:
  auto& operator[](std::size_t i) { return list_[i]; }
  const auto& operator[](std::size_t i) const { return list_[i]; }
  bool empty() const { return list_.empty(); }
  std::size_t in_use() const { return list_.size() - free_.size(); }

  // Returns the index of an entry: a new one, or a returned one, which `renew` must reset.
  template <class Renew>
  std::uint32_t take(Renew renew) {
    if (free_.empty()) {
      list_.emplace_back();
      return static_cast<std::uint32_t>(list_.size() - 1);
    }
    const std::uint32_t i = free_.back();
    free_.pop_back();
    renew(list_[i]);
    return i;
  }
  // The same for a caller that overwrites every member, or that returns entries clean.
  std::uint32_t take() {
    return take([](auto&) {});
  }
  void give(std::uint32_t i) { free_.push_back(i); }

  // Frees all entries.
  void clear() {
    list_.clear();
    free_.clear();
  }
  // Returns all entries except the first `first`, and calls `clean` for each. A list of at most 256 entries keeps its
  // memory; a longer one frees it.
  template <class Clean>
  void give_all(std::uint32_t first, Clean clean) {
    constexpr std::size_t kept_max = 256;
    free_.clear();
    if (list_.size() > kept_max) {
      list_.shrink(first);
    }
    for (std::size_t i = list_.size(); i-- > first;) {
      clean(list_[i]);
      free_.push_back(static_cast<std::uint32_t>(i));
    }
  }

 private:
  List list_;
  std::vector<std::uint32_t> free_;
};

}  // namespace plumb::contract
