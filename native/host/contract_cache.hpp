// ContractCache: compiles each contract text once, for all runs that use it. Internal to native/host.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>

#include "core/contract/check.hpp"
#include "core/result.hpp"

namespace plumb::host {

class ContractCache {
 public:
  Result<contract::Contract> read(const std::string& text) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto found = contracts_.find(text);
      if (found != contracts_.end()) {
        return found->second;
      }
    }
    Result<contract::Contract> read = contract::Contract::read(text);
    if (read) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (contracts_.size() >= contracts_max) {
        contracts_.clear();  // runs in use keep theirs
      }
      contracts_.emplace(text, read.value());
    }
    return read;
  }

 private:
  static constexpr std::size_t contracts_max = 256;
  std::mutex mutex_;
  std::unordered_map<std::string, contract::Contract> contracts_;
};

}  // namespace plumb::host
