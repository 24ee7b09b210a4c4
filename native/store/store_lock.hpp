// The lock of a store: on FILE.lock and on FILE itself, so that no link to it leads around it; held as long as the
// process lives and given back by the system when it ends.
//
// The file says who holds it, for the message of the second: "PID MILLISECONDS_SINCE_1970 WHO", where WHO is the
// address of a server and else nothing. It stays when nobody does; what counts is the lock on it, not that it is there.
#pragma once

#include <string>

#include "core/result.hpp"

namespace plumb::store {

class StoreLock {
 public:
  static Result<StoreLock> take(const std::string& store_file, const std::string& who = {});
  ~StoreLock();
  StoreLock(StoreLock&& other) noexcept;
  StoreLock& operator=(StoreLock&&) = delete;

 private:
  explicit StoreLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;  // of FILE.lock
  int store_ = -1;       // of the store itself
};

// Who writes the store at present.
struct Writer {
  bool there = false;
  std::string server;  // its address, where it is one
};
Writer writer_of(const std::string& store_file);

}  // namespace plumb::store
