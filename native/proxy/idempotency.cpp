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

IdempotentStart in_progress() {
  IdempotentStart out =
      refuse(409, wire::FailureClass::server, "idempotency_in_progress",
             "The first request with this Idempotency-Key is still under way; send it again a little later");
  out.failure.retryable = true;
  out.failure.retry_after_ms = retry_soon_ms;
  return out;
}

IdempotentStart reused() {
  return refuse(422, wire::FailureClass::bad_request, "idempotency_key_reused",
                "This Idempotency-Key belongs to another request; take a new key for each request");
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

IdempotentStart Idempotency::begin(std::string_view client, std::string_view key, std::string_view body, TimePoint now,
                                   std::string_view wishes) {
  const auto is_visible = [](char c) { return c > 0x20 && c < 0x7F; };
  if (key.empty() || key.size() > idempotency_key_bytes_max || !std::all_of(key.begin(), key.end(), is_visible)) {
    return refuse(400, wire::FailureClass::bad_request, "idempotency_key_invalid",
                  "An Idempotency-Key has 1 to 255 characters of ASCII without blanks");
  }
  IdempotentStart out;
  out.ticket = digest_of(client, key);
  out.body = digest_of(wishes, body);
  std::lock_guard lock(mutex_);
  drop_old(now.steady_ms());
  const auto found = known_.find(out.ticket);
  if (found == known_.end()) {
    if (under_way_ >= under_way_max) {
      return refuse(503, wire::FailureClass::overloaded, "idempotency_full",
                    "Too many calls with an Idempotency-Key are under way");
    }
    known_[out.ticket] = {out.body, false, 0, 0};
    ++under_way_;
    return out;
  }
  if (found->second.body != out.body) {
    return reused();
  }
  if (!found->second.over) {
    return in_progress();
  }
  out.reply = replies_.find(out.ticket, now);
  if (out.reply != nullptr) {
    out.kind = IdempotentKind::replay;
    return out;
  }
  // It was forgotten for want of room: made again.
  found->second.over = false;
  found->second.claim = 0;
  ++under_way_;
  return out;
}

bool Idempotency::keep(Entry entry, std::shared_ptr<const StoredReply> reply, TimePoint now, std::uint64_t age_ms) {
  --under_way_;
  if (!replies_.put(entry->first, std::move(reply), now, age_ms)) {
    known_.erase(entry);  // too large to be kept
    return false;
  }
  const std::uint64_t ttl_ms = replies_.settings().ttl_ms;
  entry->second.over = true;
  entry->second.until_ms = now.steady_ms() + ttl_ms - std::min(ttl_ms, age_ms);
  ends_.emplace(entry->second.until_ms, entry->first);
  return true;
}

// Without a reply the key may be used again.
void Idempotency::finish(const ReplyKey& ticket, std::shared_ptr<const StoredReply> reply, TimePoint now) {
  std::shared_ptr<SharedClaims> others;
  std::uint64_t claim = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(ticket);
    if (found == known_.end() || found->second.over) {
      return;
    }
    claim = found->second.claim;
    others = shared_;
    if (reply == nullptr) {
      --under_way_;
      known_.erase(found);
    } else if (!keep(found, reply, now, 0)) {
      reply.reset();
    }
  }
  if (claim != 0 && others != nullptr) {
    others->settle(claim, std::move(reply));
  }
}

void Idempotency::forget(const ReplyKey& ticket) { finish(ticket, nullptr, {}); }

// ---------------------------------------------------------------- other proxies

void Idempotency::share(std::shared_ptr<SharedClaims> claims) {
  const std::lock_guard lock(mutex_);
  shared_ = std::move(claims);
}

AskedOthers::AskedOthers(IdempotentStart fresh, std::function<void()> told)
    : start_(std::move(fresh)), slot_(std::make_shared<Slot>()) {
  slot_->told = std::move(told);
}

AskedOthers::~AskedOthers() {
  const std::lock_guard lock(slot_->mutex);
  slot_->told = nullptr;
}

std::unique_ptr<AskedOthers> Idempotency::ask_others(const IdempotentStart& start, std::uint64_t for_ms,
                                                     std::function<void()> told) {
  const CacheSettings settings = replies_.settings();
  std::shared_ptr<SharedClaims> others;
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(start.ticket);
    if (shared_ == nullptr || settings.bytes_max == 0 || found == known_.end() || found->second.over) {
      return nullptr;
    }
    others = shared_;
    number = ++claims_;
    found->second.claim = number;
  }
  auto asked = std::make_unique<AskedOthers>(start, std::move(told));
  others->claim(number, {start.ticket, start.body, for_ms, settings.ttl_ms}, [slot = asked->slot_](ClaimAnswer answer) {
    const std::lock_guard lock(slot->mutex);
    slot->answer = std::move(answer);
    if (slot->told) {
      slot->told();
    }
  });
  return asked;
}

std::optional<IdempotentStart> Idempotency::heard(AskedOthers& asked, TimePoint now) {
  using What = ClaimAnswer::What;
  const IdempotentStart& start = asked.start_;
  ClaimAnswer answer;
  {
    const std::lock_guard lock(asked.slot_->mutex);
    if (!asked.slot_->answer) {
      return std::nullopt;
    }
    answer = *asked.slot_->answer;
  }
  if (answer.what == What::mine || answer.what == What::alone) {
    return start;
  }
  {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(start.ticket);
    if (found != known_.end() && !found->second.over) {
      if (answer.what == What::answered) {
        keep(found, answer.reply, now, answer.age_ms);
      } else {
        --under_way_;
        known_.erase(found);
      }
    }
  }
  if (answer.what != What::answered) {
    return answer.what == What::busy ? in_progress() : reused();
  }
  IdempotentStart out = start;
  out.kind = IdempotentKind::replay;
  out.reply = std::move(answer.reply);
  return out;
}

}  // namespace plumb::proxy
