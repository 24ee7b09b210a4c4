#include "native/proxy/reply_sharing.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "native/proxy/reply_sharing_state.hpp"

namespace plumb::proxy {

namespace {

using What = ClaimAnswer::What;

constexpr std::size_t workers = 2;
constexpr std::uint64_t look_ms = 250;

std::string hex(const ReplyKey& key) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (const std::uint8_t byte : key) {
    out += digits[byte >> 4U];
    out += digits[byte & 15U];
  }
  return out;
}

}  // namespace

// ---------------------------------------------------------------- threads

// By a message of no key: who can be read may not be able to keep anything.
void ReplySharing::State::probe() {
  store::LogPut put;
  {
    const Lock lock(mutex);
    put.id = options.process + "-" + std::to_string(++counter);
  }
  put.subject = "probe";
  put.by = options.process;
  log->put(std::move(put), [self = shared_from_this()](const LogAnswer& answer) {
    const Lock lock(self->mutex);
    self->probing = false;
    self->probe_at_ms = steady_now() + self->options.probe_ms;
    self->unanswered = answer.what == LogAnswer::What::stored ? std::string() : answer.why;
    if (answer.what != LogAnswer::What::stored && self->unanswered.empty()) {
      self->unanswered = no_answer;
    }
  });
}

void ReplySharing::State::work() {
  for (;;) {
    Job job;
    {
      Lock lock(mutex);
      wake_workers.wait(lock, [this] { return closing || !jobs.empty(); });
      if (closing) {
        return;
      }
      job = std::move(jobs.front());
      jobs.pop_front();
    }
    switch (job.work) {
      case Work::look:
        look(job.number);
        break;
      case Work::settle:
        settle(job.number);
        break;
      case Work::record:
        put_record(job);
        break;
      case Work::probe:
        probe();
        break;
    }
  }
}

void ReplySharing::State::look_at_late(std::uint64_t now) {
  while (!late.empty() && late.begin()->first <= now) {
    const std::uint64_t number = late.begin()->second;
    late.erase(late.begin());
    if (Entry* const entry = find(number)) {
      tell(number, *entry, {What::alone});
      went_unanswered({});
    }
  }
  if (!unanswered.empty() && !probing && now >= probe_at_ms) {
    probing = true;
    give({});
  }
}

void ReplySharing::State::watch() {
  Lock lock(mutex);
  std::uint64_t looked = 0;
  while (!closing) {
    const std::uint64_t now = steady_now();
    look_at_late(now);
    if (now >= looked + look_ms) {
      looked = now;
      const bool away = is_away();
      for (auto at = entries.begin(); at != entries.end();) {
        const std::uint64_t number = at->first;
        Entry& entry = (at++)->second;
        if (!entry.settled || entry.busy) {
          continue;
        }
        if (now >= entry.ends_ms) {
          count(ClaimCount::unsettled);
          drop(number);
        } else if (!away && now >= entry.again_at_ms) {
          go_on(number, entry);
        }
      }
    }
    const std::uint64_t next = std::min(looked + look_ms, late.empty() ? ~std::uint64_t{0} : late.begin()->first);
    wake_watch.wait_for(lock, std::chrono::milliseconds(next - std::min(next, steady_now()) + 1));
  }
}

// ---------------------------------------------------------------- from outside

ReplySharing::ReplySharing(std::shared_ptr<State> state) : state_(std::move(state)) {}

std::shared_ptr<ReplySharing> ReplySharing::open(std::unique_ptr<store::SharedLog> log, ReplySharingOptions options) {
  const auto state = std::make_shared<State>(std::move(log), std::move(options));
  state->processes.deaf_until(State::steady_now());
  State* const of = state.get();
  for (std::size_t i = 0; i < workers; ++i) {
    state->threads.emplace_back([of] { of->work(); });
  }
  state->threads.emplace_back([of] { of->watch(); });
  return std::shared_ptr<ReplySharing>(new ReplySharing(state));
}

ReplySharing::~ReplySharing() { close(); }

void ReplySharing::attach(ProxyMetrics& metrics) {
  const State::Lock lock(state_->mutex);
  state_->metrics = &metrics;
}

const std::string& ReplySharing::process() const { return state_->options.process; }

void ReplySharing::heard(const std::string& process) { state_->processes.lives(process, State::steady_now()); }

void ReplySharing::claim(std::uint64_t number, const Claim& claim, std::function<void(ClaimAnswer)> done) {
  State& of = *state_;
  const std::shared_lock<std::shared_mutex> use(of.log_mutex);
  State::Lock lock(of.mutex);
  if (of.closing) {
    lock.unlock();
    done({What::alone});
    return;
  }
  ClaimEntry& entry = of.entries[number];
  entry.what = claim;
  entry.own = {of.options.process, number, hex(claim.body), claim.for_ms};
  entry.subject = hex(claim.ticket);
  entry.done = std::move(done);
  if (of.is_away()) {
    of.tell(number, entry, {What::alone});
    return;
  }
  of.wait_until(number, entry, State::steady_now() + of.options.claim_ms);
  of.put_claim(lock, number, 0);
}

void ReplySharing::settle(std::uint64_t number, std::shared_ptr<const StoredReply> reply) {
  State& of = *state_;
  const State::Lock lock(of.mutex);
  ClaimEntry* const entry = of.find(number);
  if (entry == nullptr || entry->settled) {
    return;
  }
  of.late.erase({entry->until_ms, number});
  entry->done = nullptr;
  if (of.settles >= of.options.settles_max) {
    of.count(ClaimCount::unsettled);
    of.drop(number);
    return;
  }
  const std::uint64_t bytes = reply == nullptr ? 0 : reply->body.size() + reply->headers.size();
  const bool fits = bytes <= of.options.settle_bytes_max && of.settle_bytes <= of.options.settle_bytes_max - bytes;
  if (!fits) {
    of.count(ClaimCount::unsettled);
  }
  entry->settled = true;
  entry->reply = fits ? std::move(reply) : nullptr;
  entry->bytes = fits ? bytes : 0;
  entry->ends_ms = State::steady_now() + of.options.settle_ms;
  ++of.settles;
  of.settle_bytes += entry->bytes;
  if (!entry->busy) {
    of.go_on(number, *entry);
  }
}

std::string ReplySharing::problem() {
  const std::shared_lock<std::shared_mutex> use(state_->log_mutex);
  const State::Lock lock(state_->mutex);
  if (state_->closing) {
    return {};
  }
  const std::string problem = state_->log->problem();
  return problem.empty() ? state_->unanswered : problem;
}

std::uint64_t ReplySharing::take_gone() {
  const State::Lock lock(state_->mutex);
  return std::exchange(state_->gone, 0);
}

void ReplySharing::leave(std::uint64_t ms) {
  State::Lock lock(state_->mutex);
  state_->settled_one.wait_for(lock, std::chrono::milliseconds(ms),
                               [this] { return state_->settles == 0 || state_->is_away(); });
}

void ReplySharing::close() {
  State& of = *state_;
  {
    const State::Lock lock(of.mutex);
    if (std::exchange(of.closing, true)) {
      return;
    }
    for (auto& [number, entry] : of.entries) {
      of.tell(number, entry, {What::alone});
    }
    of.metrics = nullptr;
  }
  of.wake_workers.notify_all();
  of.wake_watch.notify_all();
  for (std::thread& one : of.threads) {
    one.join();
  }
  // What is not answered yet holds the state, and is told with the log's end.
  const std::unique_lock<std::shared_mutex> alone(of.log_mutex);
  of.log.reset();
}

}  // namespace plumb::proxy
