// How a host's operations go into a shared log: what they are held to, and what became of them.
#include <algorithm>
#include <utility>

#include "core/json/sha256.hpp"
#include "native/store/log_engine.hpp"
#include "native/store/run_tables.hpp"

namespace plumb::store {

namespace {

constexpr int tries_max = 8;  // of an operation that others were faster with
constexpr std::size_t unsure_max = 10'000;
constexpr std::size_t ahead_max = 10'000;  // beyond, an append waits until it is applied

// A run's id as part of a subject.
std::string subject_part(const std::string& id) {
  const bool plain = !id.empty() && id.size() <= 100 && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
  return plain ? id : "x-" + json::sha256_hex(id);
}

}  // namespace

Error cannot_be_written(std::string why, const std::string& where, Reason reason) {
  const bool whole = reason == Reason::unreachable;
  Error out = store_error(ErrorCode::unavailable, (whole ? "" : "cannot be written: ") + std::move(why), where);
  out.reason = reason;
  return out;
}

void LogEngine::submit(LoggedOp op, std::uint64_t bytes, OperationEnded done) {
  auto one = std::make_shared<LogOperation>();
  one->op = std::move(op);
  one->bytes = bytes;
  one->done = std::move(done);
  one->until_ms = clock_.steady_ms() + settings_.operation_ms;
  Outcome refused;
  bool first = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (settings_.read_only) {
      refused = store_error(ErrorCode::unavailable, "was opened for reading only", settings_.name);
    } else if (closing_) {
      refused = store_error(ErrorCode::unavailable, "is being closed", settings_.name);
    } else if (queue_bytes_ + bytes > settings_.queue_bytes) {
      refused = store_error(
          ErrorCode::limit,
          "has " + std::to_string(queue_bytes_) + " bytes waiting to be written, the most there may be; try again",
          settings_.name);
    } else {
      queue_bytes_ += bytes;
      // Claims say nothing of the run's own log, and wait for nobody.
      one->lane = one->op.op == LogOp::claim ? "claim " + std::to_string(++counter_) : one->op.run;
      std::deque<LogOperationRef>& lane = lanes_[one->lane];
      lane.push_back(one);
      first = lane.size() == 1;
    }
  }
  if (refused) {
    post([one, refused] { one->done(refused, {}); });
  } else if (first) {
    post([this, one] { begin(one); });
  }
}

void LogEngine::begin(const LogOperationRef& one) {
  if (one->over) {
    return;
  }
  std::string problem;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    problem = broken_ ? problem_ : std::string();
  }
  if (!problem.empty()) {
    end(one, cannot_be_written(problem, settings_.name));
    return;
  }
  if (one->id.empty()) {
    name(*one);
  }
  if (waits_for_own(one)) {
    return;
  }
  bool already = false;
  const Outcome refused = [&]() -> Outcome {
    Outcome why = look(*one);
    already = !why && one->expected == UINT64_MAX;
    return why;
  }();
  if (refused || already) {
    end(one, refused);
    return;
  }
  put_texts(one);
}

// Its id, and what is put. The same entries given again, where nobody knows whether they were stored, are the same
// message.
void LogEngine::name(LogOperation& one) {
  const bool entries = one.op.op == LogOp::create || one.op.op == LogOp::append;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto before = entries ? unsure_.find(one.op.entries.get()) : unsure_.end();
    if (before != unsure_.end()) {
      one.id = before->second.id;
      one.elsewhere = before->second.elsewhere;
    }
  }
  if (one.id.empty()) {
    one.elsewhere = texts_.given_again(one.op);
  }
  one.body = op_text(one.op, one.elsewhere);
  if (one.id.empty()) {
    const std::lock_guard<std::mutex> lock(mutex_);
    one.id = json::sha256_hex(host_ + std::to_string(++counter_) + one.body).substr(0, 32);
  }
  if (one.body.size() > log_->message_bytes_max()) {
    one.body_name = "body-" + one.id;
  }
}

// What is not an append looks at what is applied, of other runs too: who has a fingerprint or a name. So all that was
// told here as stored is applied before.
bool LogEngine::waits_for_own(const LogOperationRef& one) {
  std::uint64_t sequence = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (one->op.op == LogOp::append || awaited_.told <= position_) {
      return false;
    }
    sequence = awaited_.told;
    pending_[one->id] = one;  // so that it ends in time
    when_read_.emplace(sequence, one);
  }
  await(sequence);
  return true;
}

// Of an append.
Result<RunInLog> LogEngine::run_in_log(const std::string& id) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto ahead = awaited_.ahead.find(id);
    if (ahead != awaited_.ahead.end()) {
      return ahead->second;
    }
  }
  return projection_->run(id);
}

// What it says is known here.
bool LogEngine::is_pending(ReadMessage& into) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto own = pending_.find(into.message.id);
  if (own == pending_.end()) {
    return false;
  }
  into.op = own->second->op;
  into.body_name = own->second->body_name;
  return true;
}

Outcome LogEngine::look_at_append(LogOperation& one, const RunInLog& now) {
  const LoggedOp& op = one.op;
  if (now.id == one.id) {
    one.expected = UINT64_MAX;  // it was stored, and nobody had said so
    return std::nullopt;
  }
  if (now.entries != op.expected) {
    return store_error(ErrorCode::invalid_argument,
                       "the run '" + op.run + "' has " + std::to_string(now.entries) + " entries, not " +
                           std::to_string(op.expected) + ": something else has gone on with it",
                       settings_.name);
  }
  if (now.state != run::State::waiting) {
    return store_error(ErrorCode::invalid_argument, "the run '" + op.run + "' has ended", settings_.name);
  }
  if (now.driver != host_ && hosts_.is_alive(now.driver, clock_.steady_ms())) {
    return store_error(ErrorCode::invalid_argument,
                       "the run '" + op.run + "' is driven by another host (" + now.driver +
                           "), which took it when this one was not heard of",
                       settings_.name);
  }
  return std::nullopt;
}

Outcome LogEngine::look(LogOperation& one) {
  const LoggedOp& op = one.op;
  if (op.op == LogOp::create) {
    RunRow row = op.row;
    const Result<bool> fits = projection_->readers().read<bool>([&](Connection& connection) -> Result<bool> {
      const Outcome refused = refuses_run(connection, row, settings_.name);
      return refused ? Result<bool>(*refused) : Result<bool>(true);
    });
    if (!fits) {
      const Result<RunInLog> now = projection_->run(op.run);
      if (now && now.value().id == one.id) {
        one.expected = UINT64_MAX;
        return std::nullopt;
      }
      return fits.error();
    }
    const Result<std::uint64_t> removed = projection_->removed_at(op.run);
    // The message that says so may be gone since: then there is none of that run.
    one.expected = removed && one.tries % 2 == 0 ? removed.value() : 0;
    return removed ? Outcome() : Outcome(removed.error());
  }
  const Result<RunInLog> now = run_in_log(op.run);
  if (!now) {
    return now.error();
  }
  one.expected = now.value().sequence;
  const bool waits = now.value().state == run::State::waiting;
  const std::string& driver = now.value().driver;
  switch (op.op) {
    case LogOp::append:
      return look_at_append(one, now.value());
    case LogOp::waits:
      if (!waits || (driver != host_ && hosts_.is_alive(driver, clock_.steady_ms()))) {
        one.expected = UINT64_MAX;  // whoever drives it says why it waits
      }
      return std::nullopt;
    case LogOp::take:
      if (!waits) {
        return store_error(ErrorCode::invalid_argument, "the run '" + op.run + "' has ended", settings_.name);
      }
      if (driver == host_ || hosts_.is_alive(driver, clock_.steady_ms())) {
        one.expected = UINT64_MAX;
      }
      return std::nullopt;
    case LogOp::gone:
      return waits ? Outcome(store_error(ErrorCode::invalid_argument, "the run has not ended; cancel it first",
                                         "run " + op.run))
                   : std::nullopt;
    case LogOp::claim:
      return waits ? Outcome() : Outcome(not_there(op.run));
    case LogOp::create:
    case LogOp::adopt:
      break;
  }
  return std::nullopt;
}

void LogEngine::put_texts(const LogOperationRef& one) {
  const std::uint64_t now = clock_.steady_ms();
  std::map<std::string, const std::string*> wanted;
  if (one->op.entries != nullptr) {
    for (const run::Stored& entry : *one->op.entries) {
      for (const run::Blob& blob : entry.blobs) {
        const bool elsewhere = blob.text.size() > inline_bytes || one->elsewhere.count(blob.hash) != 0;
        if (elsewhere && !texts_.is_fresh(blob.hash, now)) {
          wanted.emplace(blob.hash, &blob.text);
        }
      }
    }
  }
  if (!one->body_name.empty()) {
    wanted.emplace(one->body_name, &one->body);
  }
  one->texts = static_cast<int>(wanted.size());
  if (wanted.empty()) {
    put(one);
    return;
  }
  for (const auto& [name, text] : wanted) {
    log_->put_text(name, *text, [this, one, hash = name](const LogAnswer& answer) {
      post([this, one, hash, answer] {
        if (answer.what != LogAnswer::What::stored) {
          end(one, answer.what == LogAnswer::What::never
                       ? store_error(ErrorCode::limit, "cannot take a text: " + answer.why, settings_.name)
                       : cannot_be_written(answer.why, settings_.name, answer.reason));
          return;
        }
        texts_.made_fresh(hash, clock_.steady_ms());
        if (--one->texts == 0 && !one->over) {
          put(one);
        }
      });
    });
  }
}

void LogEngine::put(const LogOperationRef& one) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    pending_[one->id] = one;
  }
  LogPut what;
  const bool claims = one->op.op == LogOp::claim;
  what.subject = (claims ? "claim." : "run.") + subject_part(one->op.run);
  what.id = one->id;
  what.by = host_;
  what.body = one->body_name.empty() ? one->body : body_reference(one->body_name);
  if (!claims) {
    what.expected = one->expected;
  }
  log_->put(std::move(what), [this, one](const LogAnswer& answer) {
    if (answer.what == LogAnswer::What::stored && one->op.op == LogOp::append) {
      post([this, one, sequence = answer.sequence] { confirm(one, sequence); });
    } else if (answer.what == LogAnswer::What::stored) {
      await(answer.sequence);  // follow() comes to it
    } else {
      post([this, one, answer] { answered(one, answer); });
    }
  });
}

void LogEngine::answered(const LogOperationRef& one, const LogAnswer& answer) {
  if (one->over) {
    return;
  }
  if (answer.what == LogAnswer::What::never) {
    end(one, store_error(ErrorCode::limit, "cannot take this: " + answer.why, settings_.name));
    return;
  }
  if (answer.what == LogAnswer::What::away) {
    // It may have been stored: the same message again, which is then no second one.
    if (++one->tries <= 2 && clock_.steady_ms() < one->until_ms) {
      put(one);
    } else {
      end(one, cannot_be_written(answer.why, settings_.name, answer.reason));
    }
    return;
  }
  // Somebody has written of this run. What that was decides whether this one still fits.
  if (++one->tries > tries_max) {
    end(one, cannot_be_written("others write this run again and again", settings_.name));
    return;
  }
  begin_when_read(one);
}

// All that the log has now.
void LogEngine::begin_when_read(const LogOperationRef& one) {
  const Result<LogHead> head = log_->head();
  if (!head) {
    end(one, head.error());
    return;
  }
  bool at_once = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (position_ >= head.value().last) {
      at_once = true;
    } else {
      when_read_.emplace(head.value().last, one);
    }
  }
  if (at_once) {
    begin(one);
  } else {
    await(head.value().last);
  }
}

// Nothing is between it and the message that it had to follow, so its outcome is what look() saw.
void LogEngine::confirm(const LogOperationRef& one, std::uint64_t sequence) {
  if (one->over) {
    return;
  }
  Applied applied;
  applied.entries = one->op.expected + one->op.entries->size();
  applied.state = one->op.change.state;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    one->confirmed = position_ < sequence && problem_.empty() && awaited_.ahead.size() < ahead_max;
    if (one->confirmed) {
      awaited_.ahead[one->op.run] = {sequence, host_, one->id, applied.entries, applied.state};
      awaited_.told = std::max(awaited_.told, sequence);
    }
  }
  if (one->confirmed) {
    end(one, std::nullopt, applied);
  } else {
    await(sequence);
  }
}

void LogEngine::end(const LogOperationRef& one, const Outcome& outcome, const Applied& applied) {
  if (one->over) {
    return;
  }
  one->over = true;
  LogOperationRef next;
  bool over = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!one->confirmed) {
      pending_.erase(one->id);
      queue_bytes_ -= one->bytes;
    }
    if (one->op.entries != nullptr) {
      unsure_.erase(one->op.entries.get());
      if (outcome && outcome->code == ErrorCode::unavailable && unsure_.size() < unsure_max) {
        unsure_.emplace(one->op.entries.get(), UnsureEntries{one->op.entries, one->id, one->elsewhere});
      }
    }
    const auto lane = lanes_.find(one->lane);
    if (lane != lanes_.end()) {
      lane->second.pop_front();
      if (lane->second.empty()) {
        lanes_.erase(lane);
      } else {
        next = lane->second.front();
      }
    }
    over = closing_ && lanes_.empty();
  }
  one->done(outcome, applied);
  if (next) {
    post([this, next] { begin(next); });
  }
  if (over) {
    woken_(Woken::all);
  }
}

}  // namespace plumb::store
