#include "native/proxy/stored_replies.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/json/sha256.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"

namespace plumb::proxy {

namespace {

constexpr std::uint32_t depth_max = 256;
constexpr std::uint64_t entry_overhead_bytes = 256;

// The value with the members of every object in the order of their keys; numbers as they are written.
void append_canonical(std::string& out, const json::Value& value) {
  if (value.is(json::Kind::array)) {
    out += '[';
    for (const json::Value& one : value.array()) {
      append_canonical(out, one);
      out += ',';
    }
    out += ']';
  } else if (value.is(json::Kind::object)) {
    std::vector<const json::Member*> members;
    for (const json::Member& one : value.object())
      members.push_back(&one);
    std::sort(members.begin(), members.end(),
              [](const json::Member* a, const json::Member* b) { return a->key < b->key; });
    out += '{';
    for (const json::Member* one : members) {
      json::append_string(out, one->key);
      out += ':';
      append_canonical(out, one->value);
      out += ',';
    }
    out += '}';
  } else {
    json::append_value(out, value);
  }
}

// The length goes first, so that no two lists of parts give the same bytes.
void update(json::Sha256& hash, std::string_view part) {
  hash.update(std::to_string(part.size()) + ":");
  hash.update(part);
}

}  // namespace

std::size_t ReplyKeyHash::operator()(const ReplyKey& key) const {
  std::size_t value = 0;
  std::memcpy(&value, key.data(), sizeof value);
  return value;
}

bool cache_key(const CacheAsk& ask, ReplyKey& into) {
  json::Arena arena;
  const Result<json::Value> body = json::parse(ask.body, arena, {depth_max, std::uint64_t{1} << 30});
  if (!body || !body.value().is(json::Kind::object))
    return false;
  std::string canonical;
  canonical.reserve(ask.body.size());
  append_canonical(canonical, body.value());
  json::Sha256 hash;
  for (const std::string_view part : {ask.client, ask.wire, ask.target, ask.contract, ask.guarding})
    update(hash, part);
  update(hash, canonical);
  into = hash.digest();
  return true;
}

void StoredReplies::set(const CacheSettings& settings) {
  const std::lock_guard lock(mutex_);
  settings_ = settings;
  shrink();
}

bool StoredReplies::on() const {
  const std::lock_guard lock(mutex_);
  return settings_.bytes_max != 0;
}

std::uint64_t StoredReplies::ttl_ms() const {
  const std::lock_guard lock(mutex_);
  return settings_.ttl_ms;
}

void StoredReplies::drop(Order::iterator entry) {
  counts_.bytes -= entry->bytes;
  --counts_.entries;
  by_key_.erase(entry->key);
  order_.erase(entry);
}

void StoredReplies::shrink() {
  while (counts_.bytes > settings_.bytes_max && !order_.empty()) {
    ++counts_.evicted;
    drop(std::prev(order_.end()));
  }
}

std::shared_ptr<const StoredReply> StoredReplies::find(const ReplyKey& key, Moment now) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end() || found->second->until_ms <= now.steady_ms()) {
    if (found != by_key_.end())
      drop(found->second);
    ++counts_.misses;
    return nullptr;
  }
  ++counts_.hits;
  order_.splice(order_.begin(), order_, found->second);
  return found->second->reply;
}

bool StoredReplies::put(const ReplyKey& key, std::shared_ptr<const StoredReply> reply, Moment now) {
  const std::uint64_t bytes =
      reply->body.size() + reply->content_type.size() + reply->headers.size() + entry_overhead_bytes;
  const std::lock_guard lock(mutex_);
  if (bytes > settings_.entry_bytes_max || bytes > settings_.bytes_max)
    return false;
  if (const auto found = by_key_.find(key); found != by_key_.end())
    drop(found->second);
  order_.push_front({key, std::move(reply), now.steady_ms() + settings_.ttl_ms, bytes});
  by_key_[key] = order_.begin();
  counts_.bytes += bytes;
  ++counts_.entries;
  shrink();
  return true;
}

StoredCounts StoredReplies::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace plumb::proxy
