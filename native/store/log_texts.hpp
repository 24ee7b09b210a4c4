// LogTexts: which texts this host has lately put into the log's own, and which short ones it has given at all. From any
// thread. Internal to native/store.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <unordered_set>

#include "native/store/log_message.hpp"

namespace plumb::store {

class LogTexts {
 public:
  explicit LogTexts(std::uint64_t fresh_ms) : fresh_ms_(fresh_ms) {}

  // Those of an operation that are to go beside its message, though they are short: this host has given them before.
  std::set<std::string> given_again(const LoggedOp& op);
  // It was put so lately that it need not be put again.
  bool is_fresh(const std::string& hash, std::uint64_t now_ms);
  void made_fresh(const std::string& hash, std::uint64_t now_ms);

 private:
  const std::uint64_t fresh_ms_;
  std::mutex mutex_;
  std::map<std::string, std::uint64_t> fresh_;
  std::unordered_set<std::string> given_;
};

}  // namespace plumb::store
