// The lock of a store: on FILE.lock and on FILE itself, so that no link to it leads around it; held as long as the
// process lives and given back by the system when it ends.
//
// A server has it alone. Commands that each do a job of their own have it beside each other: each is alone while it
// opens the store, which may make its tables, and then shares it. Of one job (JobLock) there is one at a time.
//
// The file says who holds it, for the message of the second: "PID MILLISECONDS_SINCE_1970 WHO", where WHO is the
// address of a server and else nothing. It stays when nobody does; what counts is the lock on it, not that it is there.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace plumb::store {

class StoreLock {
 public:
  static Result<StoreLock> take(const std::string& store_file, const std::string& who = {}, bool beside = false);
  // Of one that was taken `beside`: the store is open.
  void share() const;
  ~StoreLock();
  StoreLock(StoreLock&& other) noexcept;
  StoreLock& operator=(StoreLock&&) = delete;

 private:
  explicit StoreLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;  // of FILE.lock
  int store_ = -1;       // of the store itself
};

// One job among those that have the store beside each other: the same job again waits for it, and finds what it did.
class JobLock {
 public:
  // Nothing where another process has it.
  static Result<std::optional<JobLock>> take(const std::string& store_file, std::string_view job);
  ~JobLock();
  JobLock(JobLock&& other) noexcept;
  JobLock& operator=(JobLock&&) = delete;

 private:
  explicit JobLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

// Who has the store alone at present.
struct Writer {
  bool there = false;
  std::string server;  // its address, where it is one
};
Writer writer_of(const std::string& store_file);

}  // namespace plumb::store
