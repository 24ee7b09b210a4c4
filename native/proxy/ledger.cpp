// The rolling minute is a ring of 61 seconds with its sum: the second that is being filled and the 60 before it, so
// that no 60 seconds hold more than a limit says. A reservation counts against every window until it is settled; the
// real amount is then booked at that moment.
#include "native/proxy/ledger.hpp"

#include <algorithm>
#include <utility>

#include "native/proxy/mapped_counts.hpp"
#include "native/proxy/utc.hpp"

namespace plumb::proxy {

namespace {

constexpr std::size_t slots = 61;
constexpr std::size_t requests_field = 0;  // of limit_fields
constexpr std::size_t tokens_field = 2;
static_assert(limit_fields[requests_field].member == &Limits::requests_per_minute);
static_assert(limit_fields[tokens_field].member == &Limits::tokens_per_minute);
constexpr std::uint64_t retry_soon_ms = 1'000;
constexpr std::uint64_t want_ms = 1'000;  // a call that wanted more is not waited for any longer

class RollingMinute {
 public:
  void add(std::uint64_t amount, std::uint64_t second) {
    advance(second);
    slots_[last_ % slots] += amount;
    sum_ += amount;
  }
  std::uint64_t sum(std::uint64_t second) {
    advance(second);
    return sum_;
  }
  // How long until no more than `limit` is left of what is counted now.
  std::uint64_t until_at_most(std::uint64_t limit, TimePoint now) {
    advance(now.steady_ms() / 1000);
    std::uint64_t left = sum_;
    for (std::uint64_t age = slots - 1; left > limit; --age) {
      // The slot of that age leaves the ring when it would be `slots` seconds old.
      left -= last_ >= age ? slots_[(last_ - age) % slots] : 0;
      if (left <= limit || age == 0) {
        return (last_ + slots - age) * 1000 - now.steady_ms();
      }
    }
    return 0;
  }

 private:
  void advance(std::uint64_t second) {
    if (second <= last_) {
      return;
    }
    if (second - last_ >= slots) {
      slots_.fill(0);
      sum_ = 0;
    } else {
      for (std::uint64_t gone = last_ + 1; gone <= second; ++gone) {
        sum_ -= slots_[gone % slots];
        slots_[gone % slots] = 0;
      }
    }
    last_ = second;
  }

  std::array<std::uint64_t, slots> slots_ = {};
  std::uint64_t last_ = 0;
  std::uint64_t sum_ = 0;
};

}  // namespace

// Guarded by the ledger's mutex.
struct Account {
  std::string name;
  RollingMinute requests;
  RollingMinute tokens;
  RollingMinute nano_usd;
  std::uint64_t day = 0;
  std::uint64_t requests_day = 0;
  Amount used_day;
  Amount reserved;
  std::uint64_t calls = 0;
  CountRow* row = nullptr;  // in the mapped file
  // Where proxies share their limits.
  Limits limits;
  FieldCounts held = {};    // this host's share
  FieldCounts others = {};  // what others hold
  FieldCounts want = {};
  std::uint64_t want_until_ms = 0;
  std::array<std::uint64_t, limit_fields.size()> denied_until_ms = {};
  bool wanting = false;

  // Told at once, with what is promised as used: after a kill the counts are rather too high than too low.
  void publish() const {
    if (row != nullptr) {
      row->set(day, requests_day, used_day.tokens + reserved.tokens, used_day.nano_usd + reserved.nano_usd);
    }
  }
  void turn(std::uint64_t today) {
    if (today <= day) {
      return;
    }
    day = today;
    requests_day = 0;
    used_day = {};
    for (std::size_t i = 0; i < held.size(); ++i) {
      if (is_of_day(i)) {
        held[i] = others[i] = want[i] = 0;
      }
    }
  }
};

namespace {

// What a limit counts: how much there is and how much more is wanted.
struct Count {
  std::uint64_t used = 0;
  std::uint64_t wanted = 0;
  RollingMinute* minute = nullptr;
};

Count count_of(const LimitField& field, Account& account, Amount wanted, bool request, std::uint64_t second) {
  const std::uint64_t one = request ? 1 : 0;
  if (field.member == &Limits::requests_per_minute) {
    return {account.requests.sum(second), one, &account.requests};
  }
  if (field.member == &Limits::requests_per_day) {
    return {account.requests_day, one, nullptr};
  }
  if (field.member == &Limits::tokens_per_minute) {
    return {account.tokens.sum(second) + account.reserved.tokens, wanted.tokens, &account.tokens};
  }
  if (field.member == &Limits::tokens_per_day) {
    return {account.used_day.tokens + account.reserved.tokens, wanted.tokens, nullptr};
  }
  if (field.member == &Limits::nano_usd_per_minute) {
    return {account.nano_usd.sum(second) + account.reserved.nano_usd, wanted.nano_usd, &account.nano_usd};
  }
  if (field.member == &Limits::nano_usd_per_day) {
    return {account.used_day.nano_usd + account.reserved.nano_usd, wanted.nano_usd, nullptr};
  }
  return {account.calls, one, nullptr};
}

std::uint64_t retry_after(const LimitField& field, const Count& count, std::uint64_t limit, TimePoint now) {
  if (field.member == &Limits::calls_at_once) {
    return retry_soon_ms;
  }
  if (count.minute == nullptr) {
    return day_ms - now.wall_ms % day_ms;
  }
  return std::max(retry_soon_ms, count.minute->until_at_most(limit - count.wanted, now));
}

// Who asks: whether a request is counted, whether this host needs a share, and whether it waits for a larger one.
struct Asking {
  bool request;
  bool shared;
  bool patient;
};

bool fits(std::uint64_t limit, const Count& count) { return count.used <= limit && count.wanted <= limit - count.used; }

// More of a share is asked for, unless there was none a moment ago.
bool wants_more(Account& account, std::size_t field, const Count& count, TimePoint now, bool patient) {
  const std::uint64_t now_ms = now.steady_ms();
  if (now_ms < account.denied_until_ms[field]) {
    return false;
  }
  if (!patient) {
    account.denied_until_ms[field] = now_ms + retry_soon_ms;
    return false;
  }
  account.want[field] = std::max(now_ms < account.want_until_ms ? account.want[field] : 0, count.wanted);
  account.want_until_ms = now_ms + want_ms;
  account.wanting = true;
  return true;
}

bool is_worse(const OverLimit& one, const OverLimit& than) {
  if (one.never || than.never) {
    return one.never && !than.never;
  }
  if (one.pending != than.pending) {
    return than.pending;
  }
  return one.retry_after_ms > than.retry_after_ms;
}

std::optional<OverLimit> first_over(const LimitScope& scope, Account& account, Amount wanted, Asking how,
                                    TimePoint now) {
  std::optional<OverLimit> worst;
  if (how.shared) {
    account.limits = *scope.limits;
  }
  for (std::size_t i = 0; i < limit_fields.size(); ++i) {
    const LimitField& field = limit_fields[i];
    const std::uint64_t limit = scope.limits->*field.member;
    if (limit == 0) {
      continue;
    }
    const Count count = count_of(field, account, wanted, how.request, now.steady_ms() / 1000);
    const std::uint64_t bound = how.shared ? std::min(limit, account.held[i]) : limit;
    if (count.wanted == 0 || fits(bound, count)) {
      continue;
    }
    OverLimit over{&field,       std::string(scope.name), limit, bound - std::min(bound, count.used),
                   count.wanted, count.wanted > limit,    false, 0};
    over.pending = how.shared && fits(limit, count) && wants_more(account, i, count, now, how.patient);
    over.retry_after_ms = over.never                                           ? 0
                          : over.pending || (how.shared && fits(limit, count)) ? retry_soon_ms
                                                                               : retry_after(field, count, limit, now);
    // Of several, the one that lasts longest is told.
    if (!worst || is_worse(over, *worst)) {
      worst = std::move(over);
    }
  }
  return worst;
}

void take_least(MinuteLeft& least, std::uint64_t limit, std::uint64_t used, TimePoint now) {
  const std::uint64_t left = limit - std::min(limit, used);
  if (limit != 0 && (least.limit == 0 || left < least.left)) {
    least = {limit, left, slots * 1'000 - now.steady_ms() % 1'000};
  }
}

}  // namespace

Ledger::Ledger() = default;
Ledger::~Ledger() = default;

std::shared_ptr<Account> Ledger::account(std::string_view name, TimePoint now) {
  const auto found = accounts_.find(name);
  if (found != accounts_.end()) {
    found->second->turn(now.wall_ms / day_ms);
    return found->second;
  }
  if (accounts_.size() >= accounts_max) {
    const std::uint64_t today = now.wall_ms / day_ms;
    for (auto one = accounts_.begin(); one != accounts_.end();) {
      one = one->second->calls == 0 && one->second->day < today ? accounts_.erase(one) : std::next(one);
    }
  }
  auto made = std::make_shared<Account>();
  made->name = name;
  made->turn(now.wall_ms / day_ms);
  made->row = mapped_ ? mapped_->row(made->name) : nullptr;
  accounts_.emplace(made->name, made);
  return made;
}

std::optional<OverLimit> Ledger::reserve(std::span<const LimitScope> scopes, Amount worst, TimePoint now,
                                         Reservation& into, bool patient) {
  std::unique_lock lock(mutex_);
  std::array<std::shared_ptr<Account>, Reservation::scopes_max> found;
  std::optional<OverLimit> over;
  const std::size_t count = std::min(scopes.size(), found.size());
  for (std::size_t i = 0; i < count; ++i) {
    found[i] = account(scopes[i].name, now);
    std::optional<OverLimit> one = first_over(scopes[i], *found[i], worst, {true, shared_, patient}, now);
    if (shared_ && std::exchange(found[i]->wanting, false)) {
      wanting_.push_back(found[i]->name);
    }
    if (one && !one->pending) {
      return one;  // what was asked for of other scopes is not needed, and given back
    }
    if (one && !over) {
      over = std::move(one);
    }
  }
  if (over) {
    const std::function<void()> wanted = wanted_;
    lock.unlock();
    wanted();
    return over;
  }
  const std::uint64_t second = now.steady_ms() / 1000;
  for (std::size_t i = 0; i < count; ++i) {
    found[i]->requests.add(1, second);
    ++found[i]->requests_day;
    ++found[i]->calls;
    found[i]->reserved.tokens += worst.tokens;
    found[i]->reserved.nano_usd += worst.nano_usd;
    take_least(into.requests, scopes[i].limits->requests_per_minute,
               found[i]->requests.sum(second) + found[i]->others[requests_field], now);
    take_least(into.tokens, scopes[i].limits->tokens_per_minute,
               found[i]->tokens.sum(second) + found[i]->reserved.tokens + found[i]->others[tokens_field], now);
    found[i]->publish();
  }
  ++changes_;
  into.accounts = std::move(found);
  into.amount = worst;
  into.open = true;
  return std::nullopt;
}

std::optional<OverLimit> Ledger::reserve_more(std::span<const LimitScope> scopes, Amount more, TimePoint now,
                                              Reservation& held) {
  const std::lock_guard lock(mutex_);
  if (!held.open) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < std::min(scopes.size(), held.accounts.size()); ++i) {
    held.accounts[i]->turn(now.wall_ms / day_ms);
    if (std::optional<OverLimit> over = first_over(scopes[i], *held.accounts[i], more, {false, shared_, false}, now)) {
      return over;
    }
  }
  for (const std::shared_ptr<Account>& one : held.accounts) {
    if (one == nullptr) {
      continue;
    }
    one->reserved.tokens += more.tokens;
    one->reserved.nano_usd += more.nano_usd;
    one->publish();
  }
  held.amount.tokens += more.tokens;
  held.amount.nano_usd += more.nano_usd;
  ++changes_;
  return std::nullopt;
}

void Ledger::settle(Reservation& held, Amount real, TimePoint now) {
  const std::lock_guard lock(mutex_);
  if (!held.open) {
    return;
  }
  held.open = false;
  const std::uint64_t second = now.steady_ms() / 1000;
  for (const std::shared_ptr<Account>& one : held.accounts) {
    if (one == nullptr) {
      continue;
    }
    one->turn(now.wall_ms / day_ms);
    one->reserved.tokens -= held.amount.tokens;
    one->reserved.nano_usd -= held.amount.nano_usd;
    --one->calls;
    one->tokens.add(real.tokens, second);
    one->nano_usd.add(real.nano_usd, second);
    one->used_day.tokens += real.tokens;
    one->used_day.nano_usd += real.nano_usd;
    one->publish();
  }
  ++changes_;
}

void Ledger::share(std::function<void()> wanted) {
  const std::lock_guard lock(mutex_);
  shared_ = true;
  wanted_ = std::move(wanted);
}

void Ledger::share_no_more() {
  const std::lock_guard lock(mutex_);
  shared_ = false;
  wanted_ = nullptr;
}

std::vector<std::string> Ledger::limited() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> out;
  for (const auto& [name, one] : accounts_) {
    if (one->limits.any()) {
      out.push_back(name);
    }
  }
  return out;
}

std::vector<std::string> Ledger::take_wanting() {
  const std::lock_guard lock(mutex_);
  return std::exchange(wanting_, {});
}

std::shared_ptr<Account> Ledger::known(const std::string& scope, TimePoint now) {
  const auto found = accounts_.find(scope);
  if (found == accounts_.end()) {
    return nullptr;
  }
  found->second->turn(now.wall_ms / day_ms);
  return found->second;
}

std::optional<ShareUse> Ledger::use_of(const std::string& scope, TimePoint now) {
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<Account> one = known(scope, now);
  if (one == nullptr) {
    return std::nullopt;
  }
  ShareUse out;
  out.limits = one->limits;
  for (std::size_t i = 0; i < out.used.size(); ++i) {
    out.used[i] = count_of(limit_fields[i], *one, {}, false, now.steady_ms() / 1000).used;
  }
  if (now.steady_ms() < one->want_until_ms) {
    out.want = one->want;
  }
  return out;
}

bool Ledger::lower_share(const std::string& scope, const FieldCounts& share, TimePoint now) {
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<Account> one = known(scope, now);
  if (one == nullptr) {
    return true;
  }
  for (std::size_t i = 0; i < share.size(); ++i) {
    if (share[i] < one->held[i] && count_of(limit_fields[i], *one, {}, false, now.steady_ms() / 1000).used > share[i]) {
      return false;
    }
  }
  for (std::size_t i = 0; i < share.size(); ++i) {
    one->held[i] = std::min(one->held[i], share[i]);
  }
  return true;
}

void Ledger::set_share(const std::string& scope, const FieldCounts& share, const FieldCounts& others, TimePoint now) {
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<Account> one = account(scope, now);
  for (std::size_t i = 0; i < share.size(); ++i) {
    if (share[i] > one->held[i]) {
      one->denied_until_ms[i] = 0;
    }
    // What it had no more is not wanted any longer.
    const std::uint64_t used = count_of(limit_fields[i], *one, {}, false, now.steady_ms() / 1000).used;
    if (share[i] >= used + one->want[i]) {
      one->want[i] = 0;
    }
  }
  one->held = share;
  one->others = others;
}

std::vector<Used> Ledger::used(TimePoint now) const {
  const std::lock_guard lock(mutex_);
  std::vector<Used> out;
  out.reserve(accounts_.size());
  const std::uint64_t second = now.steady_ms() / 1000;
  for (const auto& [name, one] : accounts_) {
    one->turn(now.wall_ms / day_ms);
    out.push_back({name, one->requests.sum(second), one->tokens.sum(second), one->nano_usd.sum(second), one->day,
                   one->requests_day, one->used_day.tokens, one->used_day.nano_usd, one->calls, one->reserved});
  }
  std::sort(out.begin(), out.end(), [](const Used& a, const Used& b) { return a.scope < b.scope; });
  return out;
}

std::uint64_t Ledger::changes() const {
  const std::lock_guard lock(mutex_);
  return changes_;
}

void Ledger::restore(const std::vector<Used>& days) {
  const std::lock_guard lock(mutex_);
  for (const Used& one : days) {
    auto made = std::make_shared<Account>();
    made->name = one.scope;
    made->day = one.day;
    made->requests_day = one.requests_day;
    made->used_day = {one.tokens_day, one.nano_usd_day};
    accounts_[one.scope] = std::move(made);
  }
}

void Ledger::publish_to(std::unique_ptr<MappedCounts> mapped) {
  const std::lock_guard lock(mutex_);
  mapped_ = std::move(mapped);
  for (const auto& [name, one] : accounts_) {
    one->row = mapped_->row(name);
    one->publish();
  }
}

}  // namespace plumb::proxy
