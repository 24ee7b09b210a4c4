// MappedCounts: the day's counts in a memory-mapped file, beside the file of counters that is written once a second. A
// stored count belongs to the kernel at once, without a system call, so SIGKILL does not lose the last second.
//
//   auto made = MappedCounts::create("counters.json.live");   // empty; replaces an older one
//   CountRow* row = made.value()->row("key:kabcd2345");       // nullptr: there is no room
//   row->set(day, requests, tokens, nano_usd);
//   std::vector<Used> before = read_mapped_counts(path);      // counts of the previous process, if any
//
// Rows have this machine's own layout; a process that finds another layout uses the file of counters only. Disk space
// is allocated in advance, so a full disk is an error here, and not a signal later.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "native/proxy/ledger.hpp"

namespace plumb::proxy {

struct CountRow {
  static constexpr std::size_t scope_bytes_max = 216;
  char scope[scope_bytes_max];  // padded with zeros
  std::atomic<std::uint64_t> day;
  std::atomic<std::uint64_t> requests;
  std::atomic<std::uint64_t> tokens;  // this and the next include reservations of calls in progress
  std::atomic<std::uint64_t> nano_usd;
  std::atomic<std::uint64_t> used;  // 1: the row is complete

  void set(std::uint64_t on, std::uint64_t requests_of, std::uint64_t tokens_of, std::uint64_t nano_usd_of) {
    requests.store(requests_of, std::memory_order_relaxed);
    tokens.store(tokens_of, std::memory_order_relaxed);
    nano_usd.store(nano_usd_of, std::memory_order_relaxed);
    day.store(on, std::memory_order_relaxed);
  }
};
static_assert(sizeof(CountRow) == 256);

class MappedCounts {
 public:
  static Result<std::unique_ptr<MappedCounts>> create(const std::string& path);
  ~MappedCounts();
  MappedCounts(const MappedCounts&) = delete;
  MappedCounts& operator=(const MappedCounts&) = delete;

  // Adds a row, which never moves.
  CountRow* row(std::string_view scope);

 private:
  MappedCounts(int file, CountRow* rows) : file_(file), rows_(rows) {}

  int file_;
  CountRow* rows_;  // the first is the file's head
  std::size_t count_ = 1;
  std::size_t room_ = 1;
};

std::vector<Used> read_mapped_counts(const std::string& path);
// Merges both: for each account the later day, and for the same day the higher counts.
std::vector<Used> later_of(std::vector<Used> counters, const std::vector<Used>& mapped);

}  // namespace plumb::proxy
