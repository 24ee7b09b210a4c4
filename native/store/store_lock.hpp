// The lock of a store: FILE.lock, held as long as the process lives and given back by the system when it ends.
//
// The file says who holds it, for the message of the second: "PID MILLISECONDS_SINCE_1970". It stays when nobody does;
// what counts is the lock on it, not that it is there.
#pragma once

#include <string>

#include "core/result.hpp"

namespace plumb::store {

class StoreLock {
 public:
  static Result<StoreLock> take(const std::string& store_file);
  ~StoreLock();
  StoreLock(StoreLock&& other) noexcept;
  StoreLock& operator=(StoreLock&&) = delete;

 private:
  explicit StoreLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace plumb::store
