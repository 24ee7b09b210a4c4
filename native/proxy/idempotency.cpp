#include "native/proxy/idempotency.hpp"

#include <algorithm>

#include "core/json/sha256.hpp"

namespace plumb::proxy {

namespace {

constexpr std::uint64_t retry_soon_ms = 1'000;

ReplyKey digest_of(std::string_view first, std::string_view second) {
  json::Sha256 hash;
  hash.update(std::to_string(first.size()) + ":");
  hash.update(first);
  hash.update(second);
  return hash.digest();
}

IdempotentStart refuse(int status, wire::FailureClass failure_class, std::string code, std::string_view message) {
  IdempotentStart out;
  out.kind = IdempotentKind::refused;
  out.failure = wire::make_failure(failure_class, message);
  out.failure.status = status;
  out.failure.code = std::move(code);
  out.failure.retryable = false;
  return out;
}

}  // namespace

void Idempotency::drop_old(std::uint64_t now_ms) {
  while (!ends_.empty() && ends_.begin()->first <= now_ms) {
    const auto found = known_.find(ends_.begin()->second);
    if (found != known_.end() && found->second.over && found->second.until_ms == ends_.begin()->first) {
      known_.erase(found);
    }
    ends_.erase(ends_.begin());
  }
}

IdempotentStart Idempotency::begin(std::string_view client, std::string_view key, std::string_view body, Moment now,
                                   std::string_view wishes) {
  const auto is_visible = [](char c) { return c > 0x20 && c < 0x7F; };
  if (key.empty() || key.size() > idempotency_key_bytes_max || !std::all_of(key.begin(), key.end(), is_visible)) {
    return refuse(400, wire::FailureClass::bad_request, "idempotency_key_invalid",
                  "An Idempotency-Key has 1 to 255 characters of ASCII without blanks");
  }
  IdempotentStart out;
  out.ticket = digest_of(client, key);
  const ReplyKey body_digest = digest_of(wishes, body);
  std::lock_guard lock(mutex_);
  drop_old(now.steady_ms());
  const auto found = known_.find(out.ticket);
  if (found == known_.end()) {
    if (under_way_ >= under_way_max) {
      return refuse(503, wire::FailureClass::overloaded, "idempotency_full",
                    "Too many calls with an Idempotency-Key are under way");
    }
    known_[out.ticket] = {body_digest, false, 0};
    ++under_way_;
    return out;
  }
  if (found->second.body != body_digest) {
    return refuse(422, wire::FailureClass::bad_request, "idempotency_key_reused",
                  "This Idempotency-Key belongs to another request; take a new key for each request");
  }
  if (!found->second.over) {
    out = refuse(409, wire::FailureClass::server, "idempotency_in_progress",
                 "The first request with this Idempotency-Key is still under way; send it again a little later");
    out.failure.retryable = true;
    out.failure.retry_after_ms = retry_soon_ms;
    return out;
  }
  out.reply = replies_.find(out.ticket, now);
  if (out.reply != nullptr) {
    out.kind = IdempotentKind::replay;
    return out;
  }
  // It was forgotten for want of room: made again.
  found->second.over = false;
  ++under_way_;
  return out;
}

void Idempotency::finish(const ReplyKey& ticket, std::shared_ptr<const StoredReply> reply, Moment now) {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(ticket);
  if (found == known_.end() || found->second.over) {
    return;
  }
  --under_way_;
  if (!replies_.put(ticket, std::move(reply), now)) {
    known_.erase(found);  // too large to be kept
    return;
  }
  found->second.over = true;
  found->second.until_ms = now.steady_ms() + replies_.ttl_ms();
  ends_.emplace(found->second.until_ms, ticket);
}

void Idempotency::forget(const ReplyKey& ticket) {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(ticket);
  if (found == known_.end() || found->second.over) {
    return;
  }
  --under_way_;
  known_.erase(found);
}

}  // namespace plumb::proxy
