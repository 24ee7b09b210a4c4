// The lock of a store: on FILE.lock and on FILE itself, so that no link to it leads around it; held as long as the
// process lives and given back by the system when it ends.
//
// A server holds it exclusively. Commands that each run a job of their own share it: each one holds it exclusively
// while it opens the store (which may create tables), and then shares it. JobLock keeps two processes from running the
// same job.
//
// The lock file contains "PID MILLISECONDS_SINCE_1970 WHO" of its holder, for the message to the next process. WHO is
// the address of a server, or empty. The file remains after the lock is released; only the lock counts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace plumb::store {

class StoreLock {
 public:
  static Result<StoreLock> take(const std::string& store_file, const std::string& who = {}, bool beside = false);
  // Call this when the store is open, on a lock that was taken with `beside`: from then on, others may share it.
  void share() const;
  ~StoreLock();
  StoreLock(StoreLock&& other) noexcept;
  StoreLock& operator=(StoreLock&&) = delete;

 private:
  explicit StoreLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;  // of FILE.lock
  int store_ = -1;       // of the store itself
};

// Held by a process that runs a job in a shared store. Another process with the same job waits for it.
class JobLock {
 public:
  // nullopt if another process runs this job.
  static Result<std::optional<JobLock>> take(const std::string& store_file, std::string_view job);
  ~JobLock();
  JobLock(JobLock&& other) noexcept;
  JobLock& operator=(JobLock&&) = delete;

 private:
  explicit JobLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

// The process that currently has exclusive use of the store.
struct Writer {
  bool there = false;
  std::string server;  // the address, if the process is a server
};
Writer writer_of(const std::string& store_file);

}  // namespace plumb::store
