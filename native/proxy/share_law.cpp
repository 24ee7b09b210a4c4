#include "native/proxy/share_law.hpp"

#include <algorithm>
#include <limits>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"

namespace plumb::proxy {

namespace {

constexpr std::uint64_t slices = 16;
constexpr std::size_t hosts_max = 256;
constexpr std::uint64_t count_max = std::numeric_limits<std::uint64_t>::max() / (2 * hosts_max);

std::uint64_t less(std::uint64_t from, std::uint64_t what) { return from - std::min(from, what); }

void append_counts(json::Writer& json, std::string_view name, const FieldCounts& counts) {
  json.key(name).begin_array();
  for (const std::uint64_t one : counts) {
    json.uint(one);
  }
  json.end_array();
}

bool read_counts(const json::Value& host, std::string_view name, FieldCounts& into) {
  const json::Value* list = host.find(name);
  if (list == nullptr || !list->is(json::Kind::array) || list->array().size() != into.size()) {
    return false;
  }
  for (std::size_t i = 0; i < into.size(); ++i) {
    const std::optional<std::uint64_t> read = read_decimal(list->array()[i].str(), 0);
    if (!read || *read > count_max) {
      return false;
    }
    into[i] = *read;
  }
  return true;
}

// A new day, and hosts that are no more.
void settle_others(ShareRecord& record, const std::string& host, std::uint64_t today,
                   const std::function<bool(const std::string&)>& alive) {
  const bool new_day = record.day < today;
  record.day = std::max(record.day, today);
  for (auto at = record.hosts.begin(); at != record.hosts.end();) {
    HostShare& one = at->second;
    const bool gone = at->first != host && !alive(at->first);
    for (std::size_t i = 0; i < one.share.size(); ++i) {
      if (new_day && is_of_day(i)) {
        one.share[i] = one.used[i] = one.want[i] = 0;
      }
      if (gone) {
        one.share[i] = is_of_day(i) ? std::min(one.share[i], one.used[i]) : 0;
        one.want[i] = 0;
      }
    }
    at = gone && one.share == FieldCounts{} ? record.hosts.erase(at) : std::next(at);
  }
}

struct FieldStep {
  std::uint64_t limit;
  std::uint64_t others;       // what they hold
  std::uint64_t others_want;  // and would have besides
};

// This host's share and want of one field.
void step_field(HostShare& own, std::size_t i, std::uint64_t used, std::uint64_t want, const FieldStep& at) {
  const std::uint64_t slice = slice_of(at.limit);
  std::uint64_t& share = own.share[i];
  const std::uint64_t free = less(at.limit, at.others + share);
  const std::uint64_t idle = less(share, used);
  own.want[i] = 0;
  if (want != 0) {
    const std::uint64_t needed = less(used + want, share);
    share += std::min(free, std::max(needed, slice));
    own.want[i] = std::min(at.limit, less(used + want, share));
    return;
  }
  if (at.others_want != 0 && free < at.others_want) {
    share -= std::min(idle, std::max(at.others_want - free, idle / 2));
  } else if (used != 0 && idle < slice / 2) {
    share += std::min(free, slice);
  } else if (idle > 2 * slice) {
    share = used + slice;
  }
  // A limit that was lowered.
  if (at.others + share > at.limit) {
    share = std::max(std::min(used, share), less(at.limit, at.others));
  }
}

}  // namespace

bool is_of_day(std::size_t field) {
  const auto member = limit_fields[field].member;
  return member == &Limits::requests_per_day || member == &Limits::tokens_per_day ||
         member == &Limits::nano_usd_per_day;
}

std::uint64_t slice_of(std::uint64_t limit) { return std::max<std::uint64_t>(1, limit / slices); }

std::string share_text(const ShareRecord& record) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member_uint("v", 1).member("scope", record.scope).member_uint("day", record.day);
  json.key("hosts").begin_object();
  for (const auto& [host, one] : record.hosts) {
    json.key(host).begin_object();
    append_counts(json, "share", one.share);
    append_counts(json, "used", one.used);
    append_counts(json, "want", one.want);
    json.end_object();
  }
  json.end_object().end_object();
  return out;
}

Result<ShareRecord> read_share(std::string_view text) {
  Error wrong{ErrorCode::invalid_argument, "is not a record of shares that this version knows", "", 0, 0};
  json::Arena arena;
  const Result<json::Value> read = json::parse(text, arena);
  const json::Value* hosts = read ? read.value().find("hosts") : nullptr;
  if (hosts == nullptr || !hosts->is(json::Kind::object) || hosts->object().size() > hosts_max ||
      json::number_of(read.value(), "v") != 1) {
    return wrong;
  }
  ShareRecord out;
  out.scope = json::text_of(read.value(), "scope");
  out.day = json::number_of(read.value(), "day");
  for (const json::Member& member : hosts->object()) {
    HostShare one;
    if (!read_counts(member.value, "share", one.share) || !read_counts(member.value, "used", one.used) ||
        !read_counts(member.value, "want", one.want)) {
      return wrong;
    }
    out.hosts.emplace(member.key, one);
  }
  return out;
}

ShareStep share_step(const ShareRecord& before, const std::string& host, const ShareUse& own, std::uint64_t today,
                     const std::function<bool(const std::string&)>& alive, bool leaving) {
  ShareStep out;
  out.record = before;
  settle_others(out.record, host, today, alive);
  const bool there = before.hosts.count(host) != 0;
  if (!there && out.record.hosts.size() >= hosts_max) {
    return out;  // it holds nothing
  }
  HostShare mine = there ? out.record.hosts[host] : HostShare{};
  for (std::size_t i = 0; i < limit_fields.size(); ++i) {
    FieldStep at{std::min(count_max, own.limits.*limit_fields[i].member), 0, 0};
    const std::uint64_t used = std::min(count_max, own.used[i]);
    for (const auto& [name, one] : out.record.hosts) {
      if (name != host) {
        at.others += one.share[i];
        at.others_want += one.want[i];
      }
    }
    if (is_of_day(i)) {
      mine.used[i] = used;
    }
    if (at.limit == 0 || leaving) {
      mine.share[i] = at.limit == 0 ? 0 : std::min(mine.share[i], used);
      mine.want[i] = 0;
    } else {
      step_field(mine, i, used, std::min(count_max, own.want[i]), at);
    }
  }
  const HostShare had = there ? before.hosts.at(host) : HostShare{};
  if (mine.share == FieldCounts{} && mine.want == FieldCounts{}) {
    out.record.hosts.erase(host);
  } else {
    out.record.hosts[host] = mine;
  }
  out.changed = mine.share != had.share || mine.want != had.want;
  out.used_changed = mine.used != had.used;
  return out;
}

FieldCounts share_of(const ShareRecord& record, const std::string& host, std::uint64_t today) {
  const auto found = record.hosts.find(host);
  FieldCounts out = found == record.hosts.end() ? FieldCounts{} : found->second.share;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (is_of_day(i) && record.day != today) {
      out[i] = 0;
    }
  }
  return out;
}

FieldCounts share_of_others(const ShareRecord& record, const std::string& host, std::uint64_t today) {
  FieldCounts out = {};
  for (const auto& [name, one] : record.hosts) {
    for (std::size_t i = 0; name != host && i < out.size(); ++i) {
      out[i] += is_of_day(i) && record.day != today ? 0 : one.share[i];
    }
  }
  return out;
}

}  // namespace plumb::proxy
