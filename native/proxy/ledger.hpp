// Ledger: what has been used of every limit, and what is promised to calls under way.
//
//   Reservation held;
//   std::optional<OverLimit> over = ledger.reserve(scopes, worst_case, now, held);     // before; counts one request
//   ledger.settle(held, real, now);                                                    // after, once
//
// A call is let in only if every limit would hold though it used all that was reserved for it; so of any number of
// calls at the edge, not one too many gets in. What was reserved and not used is given back when it is settled.
//
// A minute is any 60 seconds, in steps of one second; a day is one of UTC. days() and restore() carry the day's counts
// over a restart: what was promised then counts as used. For any number of threads.
//
// Where proxies share their limits (limit_sharing.hpp), this one holds a share of each, and lets in what that bears.
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

// Whose limits: "key:kabcd2345", "project:acme", "model:fast", "all".
struct LimitScope {
  std::string_view name;
  const Limits* limits = nullptr;
};

// Which limit does not let a call in.
struct OverLimit {
  const LimitField* field = nullptr;
  std::string scope;
  std::uint64_t limit = 0;
  std::uint64_t left = 0;
  std::uint64_t wanted = 0;
  bool never = false;    // it wants more than the whole limit
  bool pending = false;  // this host's share is too small, and more of it was asked for: in a moment it may be enough
  std::uint64_t retry_after_ms = 0;
};

struct Account;  // ledger.cpp
class MappedCounts;

// What a limit of a minute leaves.
struct MinuteLeft {
  std::uint64_t limit = 0;  // 0: there is none
  std::uint64_t left = 0;
  std::uint64_t reset_ms = 0;  // until all that is counted now, this call as well, has left the minute
};

struct Reservation {
  static constexpr std::size_t scopes_max = 4;
  std::array<std::shared_ptr<Account>, scopes_max> accounts;
  Amount amount;
  bool open = false;
  // Of the scope that leaves least, once this was reserved.
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
  // Accounts that nobody uses go when there are more.
  static constexpr std::size_t accounts_max = 50'000;

  Ledger();
  ~Ledger();

  // At most Reservation::scopes_max scopes. Nothing is reserved where a limit is given back. `patient`: the caller asks
  // again soon where that is `pending`; else a share that is too small is a limit that is reached, for a second.
  std::optional<OverLimit> reserve(std::span<const LimitScope> scopes, Amount worst, TimePoint now, Reservation& into,
                                   bool patient = false);
  // More for the same call, without another request: a repair.
  std::optional<OverLimit> reserve_more(std::span<const LimitScope> scopes, Amount more, TimePoint now,
                                        Reservation& held);
  void settle(Reservation& held, Amount real, TimePoint now);

  std::vector<Used> used(TimePoint now) const;
  // What changed the day's counts, ever: whoever keeps them compares it.
  std::uint64_t changes() const;
  void restore(const std::vector<Used>& days);
  // From now on each change of a day's counts is told there at once. Once, before the first call.
  void publish_to(std::unique_ptr<MappedCounts> mapped);

  // From now on a share is needed. `wanted` is called, from who reserves, when somebody needs more.
  void share(std::function<void()> wanted);
  void share_no_more();
  std::vector<std::string> limited() const;  // scopes that have limits and were used
  std::vector<std::string> take_wanting();   // those that need more, since this was last asked
  std::optional<ShareUse> use_of(const std::string& scope, TimePoint now);
  // Of what is at least as large as now only the lower counts. False: more is in use than that.
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
