// A list whose entries are given back and taken again, and named by their index: what the engine makes and frees while
// it reads is kept in these.
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

  // The index of an entry: a new one, or one that was in use before, which `renew` makes as good as new.
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
  // The same where whoever takes it fills it, or has left it clean.
  std::uint32_t take() {
    return take([](auto&) {});
  }
  void give(std::uint32_t i) { free_.push_back(i); }

  // Nothing is in use any more, and entries need not be kept.
  void clear() {
    list_.clear();
    free_.clear();
  }
  // Nothing but the first `first` is in use any more: each of the others goes through `clean`. A list that has stayed
  // small is used again as it is; one that has grown gives its memory back.
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
