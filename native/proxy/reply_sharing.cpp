// A claim is put by whoever asks; what takes longer (reading what is there, telling what a call came to) two workers
// do, and one thread looks at what is late. Nothing is put by those who bring the servers' answers: the log may be
// closing.
#include "native/proxy/reply_sharing.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/json/sha256.hpp"
#include "native/proxy/claim_law.hpp"
#include "native/proxy/time_point.hpp"
#include "native/store/hosts_heard.hpp"

namespace plumb::proxy {

namespace {

using What = ClaimAnswer::What;
using store::LogAnswer;

constexpr std::size_t workers = 2;
constexpr int rounds_max = 4;  // of claims that others were faster with
constexpr std::uint64_t look_ms = 250;
constexpr std::uint64_t again_ms = 1'000;

std::uint64_t steady_now() { return moment_now().steady_ms(); }

std::string hex(const ReplyKey& key) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (const std::uint8_t byte : key) {
    out += digits[byte >> 4U];
    out += digits[byte & 15U];
  }
  return out;
}

enum class Work : std::uint8_t {
  look,    // somebody was faster: what is there
  settle,  // the call is over
  record,  // its answer is there as a text
  probe,   // whether the servers answer again
};

struct Job {
  Work work = Work::probe;
  std::uint64_t number = 0;
  std::uint64_t expected = 0;
  std::string answer = {};
};

struct Entry {
  Claim what;
  ClaimRecord own;
  std::string subject;
  std::function<void(ClaimAnswer)> done;  // empty: told
  std::uint64_t until_ms = 0;             // told `alone` then
  std::uint64_t sequence = 0;             // of its claim, where that is known to be there
  int rounds = 0;
  bool busy = false;     // something of it is on its way to the servers, or with a worker
  bool settled = false;  // the call is over
  std::shared_ptr<const StoredReply> reply;
  std::uint64_t bytes = 0;
  std::uint64_t again_at_ms = 0;
  std::uint64_t ends_ms = 0;  // it is told until then
};

using Lock = std::unique_lock<std::mutex>;

}  // namespace

struct ReplySharing::State : std::enable_shared_from_this<ReplySharing::State> {
  State(std::unique_ptr<store::SharedLog> with, ReplySharingOptions how)
      : options(std::move(how)), processes(options.process, options.gone_ms), log(std::move(with)) {}

  const ReplySharingOptions options;
  store::HostsHeard processes;
  std::mutex mutex;
  std::condition_variable wake_workers, wake_watch, settled_one;
  std::map<std::uint64_t, Entry> entries;                  // by number
  std::set<std::pair<std::uint64_t, std::uint64_t>> late;  // until when, number: of those who wait
  std::deque<Job> jobs;                                    // one of each entry at most, and one that probes
  std::string unanswered;                                  // why nobody is asked at present
  std::uint64_t probe_at_ms = 0;
  std::uint64_t settles = 0, settle_bytes = 0;
  std::uint64_t gone = 0;
  std::uint64_t counter = 0;
  bool probing = false;
  bool closing = false;
  ProxyMetrics* metrics = nullptr;
  std::shared_mutex log_mutex;  // alone: by who closes it
  std::unique_ptr<store::SharedLog> log;
  std::vector<std::thread> threads;

  void count(ClaimCount what) const {
    if (metrics != nullptr)
      ++metrics->claims[static_cast<std::size_t>(what)];
  }
  bool is_away() const { return !unanswered.empty() || !log->problem().empty(); }
  void went_unanswered(const std::string& why) {
    unanswered = why.empty() ? "the servers do not answer" : why;
    probe_at_ms = steady_now();
    wake_watch.notify_all();
  }
  // Nothing is done any more once all is closing.
  Entry* find(std::uint64_t number) {
    const auto found = entries.find(number);
    return closing || found == entries.end() ? nullptr : &found->second;
  }
  void give(Job job) {
    if (job.work == Work::look)
      jobs.push_front(std::move(job));
    else
      jobs.push_back(std::move(job));
    wake_workers.notify_one();
  }

  void tell(std::uint64_t number, Entry& entry, ClaimAnswer answer);
  void tell_and_drop(std::uint64_t number, Entry& entry, ClaimAnswer answer);
  void drop(std::uint64_t number);
  void wait_until(std::uint64_t number, Entry& entry, std::uint64_t ms);
  void go_on(std::uint64_t number, Entry& entry);
  void try_later(std::uint64_t number);
  store::LogPut put_of(const Entry& entry, const ClaimRecord& record, std::uint64_t expected);
  void put_claim(Lock& lock, std::uint64_t number, std::uint64_t expected);
  void claim_put(std::uint64_t number, const LogAnswer& answer);
  Result<std::optional<ClaimSeen>> last_of(const std::string& subject);
  void look(std::uint64_t number);
  void read(Lock& lock, std::uint64_t number, const ClaimSeen& seen);
  void settle(std::uint64_t number);
  void put_answer(Lock& lock, std::uint64_t number, std::uint64_t expected);
  void put_record(const Job& job);
  void probe();
  void work();
  void watch();
  void look_at_late(std::uint64_t now);
};

// ---------------------------------------------------------------- what becomes of an entry; all under the lock

void ReplySharing::State::tell(std::uint64_t number, Entry& entry, ClaimAnswer answer) {
  if (!entry.done)
    return;
  constexpr std::array<ClaimCount, 5> counted = {ClaimCount::mine, ClaimCount::alone, ClaimCount::answered,
                                                 ClaimCount::busy, ClaimCount::other_body};
  count(counted[static_cast<std::size_t>(answer.what)]);
  late.erase({entry.until_ms, number});
  std::exchange(entry.done, nullptr)(std::move(answer));
}

void ReplySharing::State::tell_and_drop(std::uint64_t number, Entry& entry, ClaimAnswer answer) {
  tell(number, entry, std::move(answer));
  drop(number);
}

void ReplySharing::State::drop(std::uint64_t number) {
  const auto found = entries.find(number);
  if (found == entries.end())
    return;
  if (found->second.settled) {
    --settles;
    settle_bytes -= found->second.bytes;
  }
  late.erase({found->second.until_ms, number});
  entries.erase(found);
  settled_one.notify_all();
}

void ReplySharing::State::wait_until(std::uint64_t number, Entry& entry, std::uint64_t ms) {
  late.erase({entry.until_ms, number});
  entry.until_ms = ms;
  const bool first = late.empty() || late.begin()->first > ms;
  late.emplace(ms, number);
  if (first)
    wake_watch.notify_all();
}

// Nothing of it is on its way any more.
void ReplySharing::State::go_on(std::uint64_t number, Entry& entry) {
  entry.busy = entry.settled && !is_away();
  if (entry.busy)
    give({Work::settle, number});
}

void ReplySharing::State::try_later(std::uint64_t number) {
  if (Entry* const entry = find(number)) {
    entry->busy = false;
    entry->again_at_ms = steady_now() + again_ms;
  }
}

// ---------------------------------------------------------------- claiming

store::LogPut ReplySharing::State::put_of(const Entry& entry, const ClaimRecord& record, std::uint64_t expected) {
  store::LogPut out;
  out.subject = entry.subject;
  out.id = options.process + "-" + std::to_string(++counter);
  out.by = options.process;
  out.body = claim_text(record);
  out.expected = expected;
  return out;
}

void ReplySharing::State::put_claim(Lock& lock, std::uint64_t number, std::uint64_t expected) {
  Entry& entry = *find(number);
  entry.busy = true;
  store::LogPut put = put_of(entry, entry.own, expected);
  lock.unlock();
  log->put(std::move(put),
           [self = shared_from_this(), number](const LogAnswer& answer) { self->claim_put(number, answer); });
}

void ReplySharing::State::claim_put(std::uint64_t number, const LogAnswer& answer) {
  const Lock lock(mutex);
  Entry* const entry = find(number);
  if (entry == nullptr)
    return;
  switch (answer.what) {
    case LogAnswer::What::stored:
      entry->sequence = answer.sequence;
      tell(number, *entry, {What::mine});
      break;
    case LogAnswer::What::refused:
      if (entry->done) {
        give({Work::look, number});
        return;
      }
      break;
    case LogAnswer::What::away:
    case LogAnswer::What::never:
      tell(number, *entry, {What::alone});
      went_unanswered(answer.why);
      break;
  }
  go_on(number, *entry);
}

Result<std::optional<ClaimSeen>> ReplySharing::State::last_of(const std::string& subject) {
  const Result<store::LogMessage> got = log->last(subject);
  if (!got && got.error().code == ErrorCode::not_found)
    return std::optional<ClaimSeen>();
  if (!got)
    return got.error();
  Result<ClaimRecord> record = read_claim(got.value().body);
  if (!record)
    return record.error();
  return std::optional<ClaimSeen>(ClaimSeen{std::move(record).value(), got.value().sequence, got.value().at_ms});
}

void ReplySharing::State::look(std::uint64_t number) {
  std::string subject;
  {
    const Lock lock(mutex);
    Entry* const entry = find(number);
    if (entry == nullptr)
      return;
    if (!entry->done) {
      go_on(number, *entry);
      return;
    }
    subject = entry->subject;
  }
  const Result<std::optional<ClaimSeen>> seen = last_of(subject);
  Lock lock(mutex);
  Entry* const entry = find(number);
  if (entry == nullptr)
    return;
  if (!entry->done || !seen) {
    tell(number, *entry, {What::alone});
    if (!seen && seen.error().code == ErrorCode::unavailable)
      went_unanswered(seen.error().message);
    go_on(number, *entry);
    return;
  }
  const std::uint64_t now = steady_now();
  const ClaimAsk ask{options.process, entry->own.body, moment_now().wall_ms, entry->what.ttl_ms,
                     [&](const std::string& who) { return processes.is_alive(who, now); }};
  switch (claim_step(seen.value(), ask)) {
    case ClaimVerdict::take:
      if (++entry->rounds <= rounds_max)
        put_claim(lock, number, seen.value() ? seen.value()->sequence : 0);
      else
        tell_and_drop(number, *entry, {What::busy});
      return;
    case ClaimVerdict::answered:
      read(lock, number, *seen.value());
      return;
    case ClaimVerdict::busy:
      tell_and_drop(number, *entry, {What::busy});
      return;
    case ClaimVerdict::other_body:
      tell_and_drop(number, *entry, {What::other_body});
      return;
  }
}

// An answer that is there, unless the servers had no room for it any more.
void ReplySharing::State::read(Lock& lock, std::uint64_t number, const ClaimSeen& seen) {
  wait_until(number, *find(number), steady_now() + options.read_ms);
  lock.unlock();
  const Result<std::string> text = log->text(seen.record.answer);
  const Result<StoredReply> reply = text ? read_reply(text.value()) : Result<StoredReply>(text.error());
  lock.lock();
  Entry* const entry = find(number);
  if (entry == nullptr)
    return;
  if (!entry->done || (!reply && reply.error().code == ErrorCode::unavailable)) {
    tell(number, *entry, {What::alone});
    go_on(number, *entry);
    return;
  }
  if (!reply) {
    ++gone;
    count(ClaimCount::gone);
    wait_until(number, *entry, steady_now() + options.claim_ms);
    put_claim(lock, number, seen.sequence);
    return;
  }
  const std::uint64_t now = moment_now().wall_ms;
  tell_and_drop(number, *entry,
                {What::answered, std::make_shared<const StoredReply>(reply.value()), now - std::min(now, seen.at_ms)});
}

// ---------------------------------------------------------------- settling

void ReplySharing::State::settle(std::uint64_t number) {
  Lock lock(mutex);
  Entry* entry = find(number);
  if (entry == nullptr)
    return;
  std::uint64_t expected = entry->sequence;
  if (expected == 0) {
    const std::string subject = entry->subject;
    lock.unlock();
    const Result<std::optional<ClaimSeen>> seen = last_of(subject);
    lock.lock();
    entry = find(number);
    if (entry == nullptr)
      return;
    if (!seen && seen.error().code == ErrorCode::unavailable) {
      try_later(number);
      return;
    }
    if (!seen || settle_step(seen.value(), entry->own, entry->reply != nullptr) == SettleVerdict::nothing) {
      const bool told = seen && seen.value() && seen.value()->record.by == entry->own.by &&
                        seen.value()->record.number == entry->own.number;
      if (entry->reply != nullptr && !told)
        count(ClaimCount::unsettled);
      drop(number);
      return;
    }
    expected = seen.value() ? seen.value()->sequence : 0;
  }
  if (entry->reply != nullptr) {
    put_answer(lock, number, expected);
    return;
  }
  lock.unlock();
  const Result<bool> erased = log->erase(expected);
  lock.lock();
  if (erased)
    drop(number);
  else
    try_later(number);
}

void ReplySharing::State::put_answer(Lock& lock, std::uint64_t number, std::uint64_t expected) {
  const Entry& entry = *find(number);
  std::string name = entry.subject.substr(0, 32) + "-" + options.process + "-" + std::to_string(number);
  const std::shared_ptr<const StoredReply> reply = entry.reply;
  lock.unlock();
  log->put_text(name, reply_text(*reply), [self = shared_from_this(), number, expected, name](const LogAnswer& answer) {
    const Lock its(self->mutex);
    Entry* const now = self->find(number);
    if (now == nullptr)
      return;
    if (answer.what == LogAnswer::What::stored) {
      self->give({Work::record, number, expected, name});
    } else if (answer.what == LogAnswer::What::away) {
      self->try_later(number);
    } else {
      self->count(ClaimCount::unsettled);
      now->reply.reset();
      self->go_on(number, *now);
    }
  });
}

void ReplySharing::State::put_record(const Job& job) {
  Lock lock(mutex);
  Entry* const entry = find(job.number);
  if (entry == nullptr)
    return;
  ClaimRecord record = entry->own;
  record.answer = job.answer;
  store::LogPut put = put_of(*entry, record, job.expected);
  entry->sequence = 0;  // what is there then is looked at, should it not be answered
  lock.unlock();
  log->put(std::move(put), [self = shared_from_this(), number = job.number](const LogAnswer& answer) {
    const Lock its(self->mutex);
    if (answer.what == LogAnswer::What::away) {
      self->try_later(number);
      return;
    }
    if (answer.what != LogAnswer::What::stored)
      self->count(ClaimCount::unsettled);  // this process was taken for lost meanwhile
    self->drop(number);
  });
}

// ---------------------------------------------------------------- threads

void ReplySharing::State::probe() {
  const Result<store::LogHead> head = log->head();
  const Lock lock(mutex);
  probing = false;
  probe_at_ms = steady_now() + options.probe_ms;
  if (head)
    unanswered.clear();
  else
    unanswered = head.error().message;
}

void ReplySharing::State::work() {
  for (;;) {
    Job job;
    {
      Lock lock(mutex);
      wake_workers.wait(lock, [this] { return closing || !jobs.empty(); });
      if (closing)
        return;
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
      went_unanswered("the servers do not answer in time");
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
        if (!entry.settled || entry.busy)
          continue;
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
  state->processes.deaf_until(steady_now());
  State* const of = state.get();
  for (std::size_t i = 0; i < workers; ++i)
    state->threads.emplace_back([of] { of->work(); });
  state->threads.emplace_back([of] { of->watch(); });
  return std::shared_ptr<ReplySharing>(new ReplySharing(state));
}

ReplySharing::~ReplySharing() { close(); }

void ReplySharing::attach(ProxyMetrics& metrics) {
  const Lock lock(state_->mutex);
  state_->metrics = &metrics;
}

const std::string& ReplySharing::process() const { return state_->options.process; }

void ReplySharing::heard(const std::string& process) { state_->processes.lives(process, steady_now()); }

void ReplySharing::claim(std::uint64_t number, const Claim& claim, std::function<void(ClaimAnswer)> done) {
  State& of = *state_;
  const std::shared_lock<std::shared_mutex> use(of.log_mutex);
  Lock lock(of.mutex);
  if (of.closing) {
    lock.unlock();
    done({What::alone});
    return;
  }
  Entry& entry = of.entries[number];
  entry.what = claim;
  entry.own = {of.options.process, number, hex(claim.body), claim.for_ms};
  entry.subject = hex(claim.ticket);
  entry.done = std::move(done);
  if (of.is_away()) {
    of.tell(number, entry, {What::alone});
    return;
  }
  of.wait_until(number, entry, steady_now() + of.options.claim_ms);
  of.put_claim(lock, number, 0);
}

void ReplySharing::settle(std::uint64_t number, std::shared_ptr<const StoredReply> reply) {
  State& of = *state_;
  const Lock lock(of.mutex);
  Entry* const entry = of.find(number);
  if (entry == nullptr || entry->settled)
    return;
  of.late.erase({entry->until_ms, number});
  entry->done = nullptr;
  if (of.settles >= of.options.settles_max) {
    of.count(ClaimCount::unsettled);
    of.drop(number);
    return;
  }
  const std::uint64_t bytes = reply == nullptr ? 0 : reply->body.size() + reply->headers.size();
  const bool fits = bytes <= of.options.settle_bytes_max && of.settle_bytes <= of.options.settle_bytes_max - bytes;
  if (!fits)
    of.count(ClaimCount::unsettled);
  entry->settled = true;
  entry->reply = fits ? std::move(reply) : nullptr;
  entry->bytes = fits ? bytes : 0;
  entry->ends_ms = steady_now() + of.options.settle_ms;
  ++of.settles;
  of.settle_bytes += entry->bytes;
  if (!entry->busy)
    of.go_on(number, *entry);
}

std::string ReplySharing::problem() {
  const std::shared_lock<std::shared_mutex> use(state_->log_mutex);
  const Lock lock(state_->mutex);
  if (state_->closing)
    return {};
  const std::string problem = state_->log->problem();
  return problem.empty() ? state_->unanswered : problem;
}

std::uint64_t ReplySharing::take_gone() {
  const Lock lock(state_->mutex);
  return std::exchange(state_->gone, 0);
}

void ReplySharing::leave(std::uint64_t ms) {
  Lock lock(state_->mutex);
  state_->settled_one.wait_for(lock, std::chrono::milliseconds(ms),
                               [this] { return state_->settles == 0 || state_->is_away(); });
}

void ReplySharing::close() {
  State& of = *state_;
  {
    const Lock lock(of.mutex);
    if (std::exchange(of.closing, true))
      return;
    for (auto& [number, entry] : of.entries)
      of.tell(number, entry, {What::alone});
    of.metrics = nullptr;
  }
  of.wake_workers.notify_all();
  of.wake_watch.notify_all();
  for (std::thread& one : of.threads)
    one.join();
  // What is not answered yet holds the state, and is told with the log's end.
  const std::unique_lock<std::shared_mutex> alone(of.log_mutex);
  of.log.reset();
}

}  // namespace plumb::proxy
