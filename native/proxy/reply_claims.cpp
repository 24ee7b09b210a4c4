#include <algorithm>
#include <array>
#include <utility>

#include "native/proxy/reply_sharing_state.hpp"

namespace plumb::proxy {

namespace {

using What = ClaimAnswer::What;
using store::LogAnswer;

constexpr int rounds_max = 4;  // of claims that others were faster with
constexpr std::uint64_t again_ms = 1'000;

}  // namespace

void ReplySharing::State::count(ClaimCount what) const {
  if (metrics != nullptr) {
    ++metrics->claims[static_cast<std::size_t>(what)];
  }
}

void ReplySharing::State::went_unanswered(const std::string& why) {
  unanswered = why.empty() ? no_answer : why;
  probe_at_ms = steady_now();
  wake_watch.notify_all();
}

ClaimEntry* ReplySharing::State::find(std::uint64_t number) {
  const auto found = entries.find(number);
  return closing || found == entries.end() ? nullptr : &found->second;
}

void ReplySharing::State::give(Job job) {
  if (job.work == Work::look) {
    jobs.push_front(std::move(job));
  } else {
    jobs.push_back(std::move(job));
  }
  wake_workers.notify_one();
}

// ---------------------------------------------------------------- what becomes of an entry; all under the lock

void ReplySharing::State::tell(std::uint64_t number, Entry& entry, ClaimAnswer answer) {
  if (!entry.done) {
    return;
  }
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
  if (found == entries.end()) {
    return;
  }
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
  if (first) {
    wake_watch.notify_all();
  }
}

// Nothing of it is on its way any more.
void ReplySharing::State::go_on(std::uint64_t number, Entry& entry) {
  entry.busy = entry.settled && !is_away();
  if (entry.busy) {
    give({Work::settle, number});
  }
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
  if (entry == nullptr) {
    return;
  }
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
  if (!got && got.error().code == ErrorCode::not_found) {
    return std::optional<ClaimSeen>();
  }
  if (!got) {
    return got.error();
  }
  Result<ClaimRecord> record = read_claim(got.value().body);
  if (!record) {
    return record.error();
  }
  return std::optional<ClaimSeen>(ClaimSeen{std::move(record).value(), got.value().sequence, got.value().at_ms});
}

void ReplySharing::State::look(std::uint64_t number) {
  std::string subject;
  {
    const Lock lock(mutex);
    Entry* const entry = find(number);
    if (entry == nullptr) {
      return;
    }
    if (!entry->done) {
      go_on(number, *entry);
      return;
    }
    subject = entry->subject;
  }
  const Result<std::optional<ClaimSeen>> seen = last_of(subject);
  Lock lock(mutex);
  Entry* const entry = find(number);
  if (entry == nullptr) {
    return;
  }
  if (!entry->done || !seen) {
    tell(number, *entry, {What::alone});
    if (!seen && seen.error().code == ErrorCode::unavailable) {
      went_unanswered(seen.error().message);
    }
    go_on(number, *entry);
    return;
  }
  const std::uint64_t now = steady_now();
  const ClaimAsk ask{options.process, entry->own.body, moment_now().wall_ms, entry->what.ttl_ms,
                     [&](const std::string& who) { return processes.is_alive(who, now); }};
  switch (claim_step(seen.value(), ask)) {
    case ClaimVerdict::take:
      if (++entry->rounds <= rounds_max) {
        put_claim(lock, number, seen.value() ? seen.value()->sequence : 0);
      } else {
        tell_and_drop(number, *entry, {What::busy});
      }
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
  if (entry == nullptr) {
    return;
  }
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
  if (entry == nullptr) {
    return;
  }
  std::uint64_t expected = entry->sequence;
  if (expected == 0) {
    const std::string subject = entry->subject;
    lock.unlock();
    const Result<std::optional<ClaimSeen>> seen = last_of(subject);
    lock.lock();
    entry = find(number);
    if (entry == nullptr) {
      return;
    }
    if (!seen && seen.error().code == ErrorCode::unavailable) {
      try_later(number);
      return;
    }
    if (!seen || settle_step(seen.value(), entry->own, entry->reply != nullptr) == SettleVerdict::nothing) {
      const bool told = seen && seen.value() && seen.value()->record.by == entry->own.by &&
                        seen.value()->record.number == entry->own.number;
      if (entry->reply != nullptr && !told) {
        count(ClaimCount::unsettled);
      }
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
  if (erased) {
    drop(number);
  } else {
    try_later(number);
  }
}

void ReplySharing::State::put_answer(Lock& lock, std::uint64_t number, std::uint64_t expected) {
  const Entry& entry = *find(number);
  std::string name = entry.subject.substr(0, 32) + "-" + options.process + "-" + std::to_string(number);
  const std::shared_ptr<const StoredReply> reply = entry.reply;
  lock.unlock();
  log->put_text(name, reply_text(*reply), [self = shared_from_this(), number, expected, name](const LogAnswer& answer) {
    const Lock its(self->mutex);
    Entry* const now = self->find(number);
    if (now == nullptr) {
      return;
    }
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
  if (entry == nullptr) {
    return;
  }
  ClaimRecord record = entry->own;
  record.answer = job.answer;
  store::LogPut put = put_of(*entry, record, job.expected);
  entry->sequence = 0;  // what is there then is looked at, should it not be answered
  lock.unlock();
  log->put(std::move(put), [self = shared_from_this(), number = job.number](const LogAnswer& answer) {
    const Lock its(self->mutex);
    if (answer.what == LogAnswer::What::never) {
      self->count(ClaimCount::unsettled);
    }
    // Refused: this process was taken for lost meanwhile, or the servers have lost its claim.
    if (answer.what == LogAnswer::What::away || answer.what == LogAnswer::What::refused) {
      self->try_later(number);
    } else {
      self->drop(number);
    }
  });
}

}  // namespace plumb::proxy
