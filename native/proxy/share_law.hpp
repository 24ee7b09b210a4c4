// The rules for limits that several proxies share: each host holds a share of each limit, and admits calls only within
// it.
//
//   ShareStep step = share_step(record, "h1", {limits, used, want}, today, alive, leaving);
//   if (step.changed) ... replace the record by step.record, if nobody else has replaced it
//
// A record is for one scope ("key:kabcd2345", "model:fast", "all"). The shares of all hosts never exceed the limit,
// and no host uses more than its share in any minute or day, so all together never exceed it. A host gives up only
// what it does not use, and takes only what nobody holds:
//
//   slice   a sixteenth of the limit, at least 1: taken at a time, and kept unused without a request
//   want    what a host needs and nobody had free: holders of unused shares give them up
//   gone    for a host that is not alive: its minute is over, and of its day the used part stays counted
//
// Pure: the same record and use give the same step.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "native/proxy/limits.hpp"

namespace plumb::proxy {

// One number per limit in limit_fields, in that order.
using FieldCounts = std::array<std::uint64_t, limit_fields.size()>;

bool is_of_day(std::size_t field);
std::uint64_t slice_of(std::uint64_t limit);

struct HostShare {
  FieldCounts share = {};
  FieldCounts used = {};  // when it last wrote; for days only
  FieldCounts want = {};
  bool operator==(const HostShare&) const = default;
};

struct ShareRecord {
  std::string scope;
  std::uint64_t day = 0;  // since 1970, for the counts of days
  std::map<std::string, HostShare> hosts;
};

std::string share_text(const ShareRecord& record);
Result<ShareRecord> read_share(std::string_view text);

// What a host uses of a scope, including reservations for calls in progress.
struct ShareUse {
  Limits limits;  // as this host knows them
  FieldCounts used = {};
  FieldCounts want = {};  // needed beyond its share at present
};

struct ShareStep {
  ShareRecord record;
  bool changed = false;  // shares or wants
  bool used_changed = false;
};

// `alive` is asked about other hosts. `leaving`: this host keeps only what it has used.
ShareStep share_step(const ShareRecord& before, const std::string& host, const ShareUse& own, std::uint64_t today,
                     const std::function<bool(const std::string&)>& alive, bool leaving = false);

// The record's share for this host, or for all others together, on that day.
FieldCounts share_of(const ShareRecord& record, const std::string& host, std::uint64_t today);
FieldCounts share_of_others(const ShareRecord& record, const std::string& host, std::uint64_t today);

}  // namespace plumb::proxy
