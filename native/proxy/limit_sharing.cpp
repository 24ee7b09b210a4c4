// Two threads: one follows what all write, the other makes steps: where a call wants more, where somebody has written,
// and twice a second.
#include "native/proxy/limit_sharing.hpp"

#include <sys/random.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "core/ascii.hpp"
#include "core/json/sha256.hpp"
#include "core/require.hpp"
#include "native/base/file_bytes.hpp"
#include "native/proxy/key_file.hpp"
#include "native/proxy/key_sharing.hpp"
#include "native/proxy/policy_state.hpp"
#include "native/proxy/response_sharing.hpp"
#include "native/proxy/utc.hpp"
#include "native/store/hosts_heard.hpp"

namespace plumb::proxy {

namespace {

constexpr std::size_t messages_at_once = 256;
constexpr std::uint64_t follow_ms = 250;
constexpr std::uint64_t open_ms = 10'000;
constexpr std::uint64_t leave_ms = 2'000;
constexpr std::uint64_t gone_again_ms = 60'000;
constexpr std::size_t name_digits = 12;
constexpr std::uint64_t answer_ms = 6'000;  // after that a message that was put is taken for lost
constexpr unsigned owner_only = 0600;
constexpr std::string_view keys_subject = "keys";

std::string random_name() {
  std::uint64_t bits = 0;
  PLUMB_REQUIRE(::getrandom(&bits, sizeof bits, 0) == static_cast<ssize_t>(sizeof bits),
                "the system gives 8 random bytes at once");
  return json::sha256_hex(std::to_string(bits)).substr(0, name_digits);
}

bool is_random_name(const std::string& name) {
  return name.size() == name_digits && name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// The same after a restart: what it holds is its own still.
std::string host_name(const std::string& file) {
  const Result<std::string> kept = file.empty() ? Result<std::string>(Error{}) : plumb::read_file(file, 64);
  if (kept && is_random_name(kept.value())) {
    return kept.value();
  }
  std::string made = random_name();
  if (!file.empty()) {
    (void)plumb::write_file(file, made, owner_only);  // else it is another one after a restart
  }
  return made;
}

// A scope as part of a subject; names of models may have any letters.
std::string subject_of(const std::string& scope) { return "limits." + json::sha256_hex(scope).substr(0, 24); }

}  // namespace

struct Sharing::State : std::enable_shared_from_this<Sharing::State> {
  State(std::unique_ptr<store::SharedLog> with, SharingOptions how)
      : options(std::move(how)),
        host(host_name(options.host_file)),
        hosts(host, options.gone_ms),
        log(std::move(with)) {}

  // What is under a subject, and whether this host has put something there that is not answered.
  struct Kept {
    std::uint64_t sequence = 0;
    ShareRecord record;
    std::uint64_t busy_until_ms = 0;
    std::uint64_t told_ms = 0;
    bool unsure = false;  // what was put last may have been stored, or may be yet
  };

  const SharingOptions options;
  const std::string host;
  store::HostsHeard hosts;
  std::mutex mutex;
  std::condition_variable wake;
  std::map<std::string, Kept> kept;  // by scope
  std::set<std::string> due;
  std::string keys;
  std::uint64_t keys_sequence = 0;
  std::uint64_t keys_busy_until_ms = 0;
  bool keys_due = true;
  std::string keys_problem;
  std::uint64_t position = 0;
  std::uint64_t counter = 0;
  std::string problem;  // of the follower
  bool wanted = false;
  bool stopping = false;
  bool followed = true;
  Policy* policy = nullptr;
  std::unique_ptr<store::SharedLog> log;
  std::shared_ptr<ReplySharing> replies;  // nullptr: Idempotency-Keys are not shared
  std::unique_ptr<ResponseSharing> responses;
  std::uint64_t gone_told_ms = 0;
  std::thread follower, stepper;

  void tell(std::string_view level, const std::string& text) const {
    if (policy != nullptr) {
      policy->tell(level, "sharing", options.name + ": " + text);
    }
  }
  void put(const std::string& subject, const std::string& body, std::uint64_t expected,
           std::function<void(const store::LogAnswer&)> done);
  void follow();
  void read(const store::LogMessage& message);
  void take(const std::string& scope, const Kept& now);
  void step();
  void step_keys();
  void step_scope(const std::string& scope, bool leaving);
  bool look_at_servers(std::string& before);
  void look_at_gone(std::uint64_t now_ms);
  bool leave();
};

void Sharing::State::put(const std::string& subject, const std::string& body, std::uint64_t expected,
                         std::function<void(const store::LogAnswer&)> done) {
  store::LogPut what;
  what.subject = subject;
  {
    const std::lock_guard lock(mutex);
    what.id = json::sha256_hex(host + std::to_string(++counter) + body + std::to_string(moment_now().wall_ms));
  }
  what.by = host;
  what.body = body;
  what.expected = expected;
  log->put(std::move(what), std::move(done));
}

// ---------------------------------------------------------------- what others write

void Sharing::State::follow() {
  for (;;) {
    std::uint64_t after = 0;
    {
      const std::lock_guard lock(mutex);
      if (!followed) {
        return;
      }
      after = position;
    }
    const Result<std::vector<store::LogMessage>> messages = log->next(after, messages_at_once, follow_ms);
    if (messages) {
      for (const store::LogMessage& one : messages.value()) {
        read(one);
      }
    }
    std::unique_lock lock(mutex);
    problem = messages ? std::string() : messages.error().message;
    if (!messages) {
      wake.wait_for(lock, std::chrono::milliseconds(follow_ms), [this] { return !followed; });
    } else if (!messages.value().empty()) {
      wake.notify_all();
    }
  }
}

void Sharing::State::read(const store::LogMessage& message) {
  std::optional<Result<ShareRecord>> record;
  if (message.subject != keys_subject) {
    record.emplace(read_share(message.body));
  }
  const std::lock_guard lock(mutex);
  position = message.sequence;
  if (message.subject == keys_subject) {
    if (message.sequence > keys_sequence) {
      keys = message.body;
      keys_sequence = message.sequence;
    }
    keys_due = true;
    return;
  }
  if (!*record || subject_of(record->value().scope) != message.subject) {
    return;  // of a later version
  }
  const std::string scope = record->value().scope;
  Kept& one = kept[scope];
  if (message.sequence <= one.sequence) {
    return;
  }
  one.sequence = message.sequence;
  one.record = std::move(*record).value();
  if (message.by != host) {
    due.insert(scope);
  }
  take(scope, one);
}

// Under the lock.
void Sharing::State::take(const std::string& scope, const Kept& now) {
  if (policy == nullptr) {
    return;
  }
  const TimePoint at = moment_now();
  const std::uint64_t today = at.wall_ms / day_ms;
  policy->state().ledger.set_share(scope, share_of(now.record, host, today), share_of_others(now.record, host, today),
                                   at);
}

// ---------------------------------------------------------------- steps

void Sharing::State::step_scope(const std::string& scope, bool leaving) {
  const TimePoint at = moment_now();
  const std::uint64_t now_ms = at.steady_ms();
  Ledger& ledger = policy->state().ledger;
  const std::optional<ShareUse> use = ledger.use_of(scope, at);
  Kept before;
  {
    const std::lock_guard lock(mutex);
    before = kept[scope];
  }
  if (!use || !use->limits.any() || now_ms < before.busy_until_ms) {
    return;
  }
  const std::uint64_t today = at.wall_ms / day_ms;
  ShareStep made = share_step(
      before.record, host, *use, today, [&](const std::string& who) { return hosts.is_alive(who, now_ms); }, leaving);
  made.record.scope = scope;
  const bool told = made.used_changed && now_ms >= before.told_ms + options.used_ms;
  if (!made.changed && !told && !before.unsure) {
    const std::lock_guard lock(mutex);
    take(scope, kept[scope]);  // the ledger forgets whom it has not seen for long
    return;
  }
  // What it gives up it does not use from now on, whether it is stored or not.
  if (!ledger.lower_share(scope, share_of(made.record, host, today), at)) {
    return;
  }
  {
    const std::lock_guard lock(mutex);
    kept[scope].busy_until_ms = now_ms + answer_ms;
  }
  const std::string body = share_text(made.record);
  put(subject_of(scope), body, before.sequence,
      [self = shared_from_this(), scope, expected = before.sequence, record = std::move(made.record),
       now_ms](const store::LogAnswer& answer) {
        const std::lock_guard lock(self->mutex);
        Kept& one = self->kept[scope];
        one.busy_until_ms = 0;
        one.unsure = answer.what == store::LogAnswer::What::away;
        if (answer.what == store::LogAnswer::What::stored && answer.sequence > one.sequence) {
          one.sequence = answer.sequence;
          one.record = record;
          one.told_ms = now_ms;
          ++self->policy->state().metrics.shares_stored;
          self->take(scope, one);
        } else if (answer.what == store::LogAnswer::What::refused) {
          self->take(scope, one);  // nothing was given up
          if (one.sequence > expected) {
            self->due.insert(scope);  // else when the other one's message comes
          }
        }
        self->wake.notify_all();
      });
}

void Sharing::State::step_keys() {
  std::string theirs;
  std::uint64_t expected = 0;
  {
    const std::lock_guard lock(mutex);
    if (options.keys_file.empty() || moment_now().steady_ms() < keys_busy_until_ms) {
      return;
    }
    theirs = keys;
    expected = keys_sequence;
    keys_due = false;
  }
  Result<std::string> all = share_keys(options.keys_file, theirs);
  if (all && all.value().size() > log->message_bytes_max()) {
    all = Error{ErrorCode::limit,
                "has more than " + std::to_string(log->message_bytes_max()) + " bytes of keys, too many to be shared",
                options.keys_file, 0, 0};
  }
  const std::string now_problem = all ? std::string() : sentence(all.error());
  if (policy != nullptr && now_problem != std::exchange(keys_problem, now_problem) && !now_problem.empty()) {
    tell("error", "client keys are not shared: " + now_problem);
  }
  const bool none = all && theirs.empty() && all.value() == keys_text({});
  if (!all || none || all.value() == theirs) {
    return;
  }
  {
    const std::lock_guard lock(mutex);
    keys_busy_until_ms = moment_now().steady_ms() + answer_ms;
  }
  put(std::string(keys_subject), all.value(), expected,
      [self = shared_from_this(), all = all.value()](const store::LogAnswer& answer) {
        const std::lock_guard lock(self->mutex);
        self->keys_busy_until_ms = 0;
        if (answer.what == store::LogAnswer::What::stored && answer.sequence > self->keys_sequence) {
          self->keys = all;
          self->keys_sequence = answer.sequence;
        }
        self->keys_due = true;
        self->wake.notify_all();
      });
}

// Whether limits can be shared at present.
bool Sharing::State::look_at_servers(std::string& before) {
  std::string now = log->problem();
  if (now.empty()) {
    const std::lock_guard lock(mutex);
    now = problem;
  }
  const bool reached = now.empty();
  if (reached && replies != nullptr) {
    now = replies->problem();
  }
  policy->state().metrics.sharing_away = now.empty() ? 0 : 1;
  if (now.empty() != before.empty()) {
    tell(now.empty() ? "info" : "error",
         now.empty()
             ? "limits, keys and answers are shared again"
             : now +
                   "; this proxy goes on with the shares of limits that it holds, with the keys it knows, and with "
                   "the answers that it keeps itself for an Idempotency-Key");
  }
  before = now;
  return reached;
}

// Answers that the servers had no room for.
void Sharing::State::look_at_gone(std::uint64_t now_ms) {
  if (replies == nullptr || now_ms < gone_told_ms) {
    return;
  }
  if (const std::uint64_t count = replies->take_gone(); count != 0) {
    gone_told_ms = now_ms + gone_again_ms;
    tell("warn", std::to_string(count) +
                     " calls were made again: what had been answered for their Idempotency-Key is not at the servers "
                     "any more (proxy.idempotency.bytes is too little for its ttl_s)");
  }
}

void Sharing::State::step() {
  std::string before;
  bool reached = true;
  std::uint64_t ticked = 0;
  std::unique_lock lock(mutex);
  for (;;) {
    wake.wait_for(lock, std::chrono::milliseconds(options.tick_ms),
                  [this] { return stopping || wanted || !due.empty(); });
    if (stopping) {
      return;
    }
    wanted = false;
    std::set<std::string> scopes = std::exchange(due, {});
    const bool with_keys = keys_due;
    lock.unlock();
    for (std::string& one : policy->state().ledger.take_wanting()) {
      scopes.insert(std::move(one));
    }
    const std::uint64_t now = moment_now().steady_ms();
    if (now >= ticked + options.tick_ms) {
      ticked = now;
      log->say("proxies." + host, replies == nullptr ? "lives" : replies->process());
      reached = look_at_servers(before);
      look_at_gone(now);
      for (std::string& one : policy->state().ledger.limited()) {
        scopes.insert(std::move(one));
      }
      step_keys();
    } else if (with_keys) {
      step_keys();
    }
    if (reached) {
      for (const std::string& one : scopes) {
        step_scope(one, false);
      }
    }
    lock.lock();
  }
}

// What it does not use is free at once.
bool Sharing::State::leave() {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(leave_ms);
  if (!log->problem().empty()) {
    return false;
  }
  for (const std::string& one : policy->state().ledger.limited()) {
    if (std::chrono::steady_clock::now() < until) {
      step_scope(one, true);
    }
  }
  std::unique_lock lock(mutex);
  return wake.wait_until(lock, until, [this] {
    return std::all_of(kept.begin(), kept.end(), [](const auto& one) { return one.second.busy_until_ms == 0; });
  });
}

// ---------------------------------------------------------------- opening and closing

Sharing::Sharing(std::shared_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<Sharing>> Sharing::open(std::unique_ptr<store::SharedLog> log, SharingOptions options,
                                               std::unique_ptr<store::SharedLog> calls,
                                               std::unique_ptr<store::SharedLog> responses) {
  auto state = std::make_shared<State>(std::move(log), std::move(options));
  if (calls != nullptr) {
    ReplySharingOptions replies = state->options.replies;
    replies.process = random_name();
    state->replies = ReplySharing::open(std::move(calls), std::move(replies));
  }
  if (responses != nullptr) {
    state->responses = std::make_unique<ResponseSharing>(std::move(responses), random_name());
  }
  const Result<store::LogHead> head = state->log->head();
  if (!head) {
    return head.error();
  }
  state->hosts.deaf_until(moment_now().steady_ms());
  State* const of = state.get();
  // What is said is the name of the process, which its claims have; of a version before, or without them, a word.
  const auto hear = [of](const std::string& subject, const std::string& text, auto) {
    of->hosts.lives(subject.substr(subject.rfind('.') + 1), moment_now().steady_ms());
    if (of->replies != nullptr && is_random_name(text)) {
      of->replies->heard(text);
    }
  };
  const Result<bool> heard = state->log->hear("proxies.*", hear);
  if (!heard) {
    return heard.error();
  }
  state->follower = std::thread([of] { of->follow(); });
  std::unique_ptr<Sharing> out(new Sharing(state));
  // All that there is, and then the keys, until both are the same.
  const std::uint64_t until = moment_now().steady_ms() + open_ms;
  for (bool same = false; !same;) {
    {
      std::unique_lock lock(of->mutex);
      of->wake.wait_for(lock, std::chrono::milliseconds(20),
                        [&] { return of->position >= head.value().last && of->keys_busy_until_ms == 0; });
      if (of->position < head.value().last || of->keys_busy_until_ms != 0) {
        if (moment_now().steady_ms() < until) {
          continue;
        }
        return Error{ErrorCode::unavailable, "cannot be read: the servers give nothing", of->options.name, 0, 0};
      }
    }
    of->step_keys();
    const std::lock_guard lock(of->mutex);
    same = of->keys_busy_until_ms == 0 && !of->keys_due;
  }
  return out;
}

Sharing::~Sharing() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->wake.notify_all();
  if (state_->stepper.joinable()) {
    state_->stepper.join();
  }
  if (state_->policy != nullptr) {
    (void)state_->leave();
    state_->policy->state().ledger.share_no_more();
    state_->policy->idempotency().share(nullptr);
  }
  state_->responses.reset();
  if (state_->replies != nullptr) {
    state_->replies->leave(leave_ms);
    state_->replies->close();
  }
  {
    const std::lock_guard lock(state_->mutex);
    state_->followed = false;
  }
  state_->wake.notify_all();
  if (state_->follower.joinable()) {
    state_->follower.join();
  }
  state_->log->stop_hearing();
  // Answers that are not there yet hold the state; with the log they are told.
  const std::unique_ptr<store::SharedLog> last = std::move(state_->log);
}

void Sharing::attach(Policy& policy) {
  State* const of = state_.get();
  {
    const std::lock_guard lock(of->mutex);
    of->policy = &policy;
    for (const auto& [scope, one] : of->kept) {
      of->take(scope, one);
    }
  }
  policy.state().metrics.shares = true;
  if (of->replies != nullptr) {
    of->replies->attach(policy.state().metrics);
    policy.idempotency().share(of->replies);
  }
  if (of->responses != nullptr) {
    of->responses->attach(policy.responses(), [of](const std::string& what) { of->tell("warn", what); });
  }
  policy.state().ledger.share([state = state_] {
    {
      const std::lock_guard lock(state->mutex);
      state->wanted = true;
    }
    state->wake.notify_all();
  });
  of->stepper = std::thread([of] { of->step(); });
}

}  // namespace plumb::proxy
