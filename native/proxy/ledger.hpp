// Ledger: how much of every limit is used, and how much is reserved for calls in progress.
//
//   Reservation held;
//   std::optional<OverLimit> over = ledger.reserve(scopes, worst_case, now, held);     // before; counts one request
//   ledger.settle(held, real, now);                                                    // after, once
//
// A call is admitted only if every limit would hold even if the call used everything reserved for it. So of any number
// of concurrent calls, none too many is admitted. The unused part of a reservation is returned when it is settled.
//
// A minute is any 60 seconds, in steps of one second; a day is a day in UTC. days() and restore() carry the day's
// counts over a restart; reservations of that time count as used. For any number of threads.
//
// If proxies share their limits (limit_sharing.hpp), this ledger holds a share of each, and admits calls within it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "native/proxy/limits.hpp"
#include "native/proxy/share_law.hpp"
#include "native/proxy/time_point.hpp"

namespace plumb::proxy {

struct Amount {
  std::uint64_t tokens = 0;
  std::uint64_t nano_usd = 0;
};

// A limited scope: "key:kabcd2345", "project:acme", "model:fast", "all".
struct LimitScope {
  std::string_view name;
  const Limits* limits = nullptr;
};

// The limit that refuses a call.
struct OverLimit {
  const LimitField* field = nullptr;
  std::string scope;
  std::uint64_t limit = 0;
  std::uint64_t left = 0;
  std::uint64_t wanted = 0;
  bool never = false;    // the call needs more than the whole limit
  bool pending = false;  // this host's share is too small, and more was requested: retry in a moment
  std::uint64_t retry_after_ms = 0;
};

struct Account;  // ledger.cpp
class MappedCounts;

// What remains of a per-minute limit.
struct MinuteLeft {
  std::uint64_t limit = 0;  // 0: no limit
  std::uint64_t left = 0;
  std::uint64_t reset_ms = 0;  // time until everything counted now, including this call, has left the minute
};

struct Reservation {
  static constexpr std::size_t scopes_max = 4;
  std::array<std::shared_ptr<Account>, scopes_max> accounts;
  Amount amount;
  bool open = false;
  // For the scope with the least left, after this reservation.
  MinuteLeft requests;
  MinuteLeft tokens;
};

struct Used {
  std::string scope;
  std::uint64_t requests_minute = 0;
  std::uint64_t tokens_minute = 0;
  std::uint64_t nano_usd_minute = 0;
  std::uint64_t day = 0;  // since 1970
  std::uint64_t requests_day = 0;
  std::uint64_t tokens_day = 0;
  std::uint64_t nano_usd_day = 0;
  std::uint64_t calls = 0;
  Amount reserved;
};

class Ledger {
 public:
  // Above this number, unused accounts are dropped.
  static constexpr std::size_t accounts_max = 50'000;

  Ledger();
  ~Ledger();

  // Takes at most Reservation::scopes_max scopes. If it returns a limit, nothing is reserved. `patient`: the caller
  // retries soon if the result is `pending`; otherwise a share that is too small counts as a reached limit for a
  // second.
  std::optional<OverLimit> reserve(std::span<const LimitScope> scopes, Amount worst, TimePoint now, Reservation& into,
                                   bool patient = false);
  // Reserves more for the same call, without counting another request: a repair.
  std::optional<OverLimit> reserve_more(std::span<const LimitScope> scopes, Amount more, TimePoint now,
                                        Reservation& held);
  void settle(Reservation& held, Amount real, TimePoint now);

  std::vector<Used> used(TimePoint now) const;
  // The number of changes to the day's counts so far, so that a writer can compare.
  std::uint64_t changes() const;
  void restore(const std::vector<Used>& days);
  // Publishes each change of a day's counts there at once. Call once, before the first call.
  void publish_to(std::unique_ptr<MappedCounts> mapped);

  // Requires shares from now on. `wanted` is called, by whoever reserves, when more is needed.
  void share(std::function<void()> wanted);
  void share_no_more();
  std::vector<std::string> limited() const;  // scopes that have limits and were used
  std::vector<std::string> take_wanting();   // those that need more, since the last call
  std::optional<ShareUse> use_of(const std::string& scope, TimePoint now);
  // Lowers a share; only fields below the present share count. False: more than that is in use.
  bool lower_share(const std::string& scope, const FieldCounts& share, TimePoint now);
  void set_share(const std::string& scope, const FieldCounts& share, const FieldCounts& others, TimePoint now);

 private:
  std::shared_ptr<Account> known(const std::string& scope, TimePoint now);
  std::shared_ptr<Account> account(std::string_view name, TimePoint now);

  mutable std::mutex mutex_;
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
  };
  std::unordered_map<std::string, std::shared_ptr<Account>, NameHash, std::equal_to<>> accounts_;
  std::uint64_t changes_ = 0;
  std::unique_ptr<MappedCounts> mapped_;
  bool shared_ = false;
  std::function<void()> wanted_;
  std::vector<std::string> wanting_;
};

}  // namespace plumb::proxy
