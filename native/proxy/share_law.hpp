// The law of limits that several proxies share: each host holds a share of each limit, and lets in no more than that.
//
//   ShareStep step = share_step(record, "h1", {limits, used, want}, today, alive, leaving);
//   if (step.changed) ... put step.record in the record's place, if it is still the one that was read
//
// A record is of one scope ("key:kabcd2345", "model:fast", "all"). As the shares of all hosts are at most the limit and
// none uses more than its own in any minute or day, all together do not use more either. A host gives up only what it
// does not use, and takes only what nobody holds:
//
//   slice   a sixteenth of the limit, at least 1: what is taken at a time, and held unused without being asked for
//   want    what a host needs and nobody had left: who holds unused shares gives them up
//   gone    of a host that is not alive: its minute is over, and of its day what it had used stays counted
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

// A number for each of limit_fields, in their order.
using FieldCounts = std::array<std::uint64_t, limit_fields.size()>;

bool is_of_day(std::size_t field);
std::uint64_t slice_of(std::uint64_t limit);

struct HostShare {
  FieldCounts share = {};
  FieldCounts used = {};  // when it last wrote: of days alone
  FieldCounts want = {};
  bool operator==(const HostShare&) const = default;
};

struct ShareRecord {
  std::string scope;
  std::uint64_t day = 0;  // since 1970, of the counts of days
  std::map<std::string, HostShare> hosts;
};

std::string share_text(const ShareRecord& record);
Result<ShareRecord> read_share(std::string_view text);

// What a host uses of a scope, promises to calls under way included.
struct ShareUse {
  Limits limits;  // as this host knows them
  FieldCounts used = {};
  FieldCounts want = {};  // beyond its share, at present
};

struct ShareStep {
  ShareRecord record;
  bool changed = false;  // shares or wants
  bool used_changed = false;
};

// `alive` is asked of other hosts. `leaving`: this host keeps what it has used.
ShareStep share_step(const ShareRecord& before, const std::string& host, const ShareUse& own, std::uint64_t today,
                     const std::function<bool(const std::string&)>& alive, bool leaving = false);

// What the record gives this host, and all others together, on that day.
FieldCounts share_of(const ShareRecord& record, const std::string& host, std::uint64_t today);
FieldCounts share_of_others(const ShareRecord& record, const std::string& host, std::uint64_t today);

}  // namespace plumb::proxy
