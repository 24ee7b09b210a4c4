// How a host reads a shared log: what it fetches becomes rows of its projection, and what may go from the log goes.
#include <algorithm>
#include <utility>

#include "native/store/log_engine.hpp"

namespace plumb::store {

namespace {

constexpr std::size_t messages_at_once = 256;
constexpr std::uint64_t follow_retry_ms = 250;
constexpr std::uint64_t head_ms = 5'000;  // how often what the servers have is held against what was read
constexpr std::uint64_t less_ms = 2'000;  // how long they have less before it is lost
constexpr std::uint64_t old_ms = 10 * 60'000;
constexpr std::uint64_t tidy_ms = 1'000;  // between two looks at what may go, where messages come all the time
constexpr std::uint64_t current_ms_max = 3'600'000;  // between two looks at whether all was read
constexpr std::uint64_t currents_in_kept = 50;

std::uint64_t look_ms(const LogStoreSettings& settings) {
  return std::min(current_ms_max, settings.gone_kept_ms / currents_in_kept);
}

}  // namespace

std::uint64_t LogEngine::follow(std::uint64_t wait_ms) {
  const std::uint64_t after = position();
  if (is_broken() || is_outdated()) {
    return follow_retry_ms;
  }
  look_at_head();
  Result<std::vector<LogMessage>> messages = log_->next(after, messages_at_once, wait_ms);
  std::vector<ReadMessage> read_ones;
  bool good = static_cast<bool>(messages);
  if (good) {
    for (LogMessage& message : messages.value()) {
      read_ones.emplace_back();
      good = good && read(std::move(message), read_ones.back());
    }
  }
  if (good && (read_ones.empty() || clock_.steady_ms() >= tidied_ms_ + tidy_ms)) {
    tidied_ms_ = clock_.steady_ms();
    tidy(after);
  }
  return good && (read_ones.empty() || apply(std::move(read_ones))) ? 0 : follow_retry_ms;
}

// Now and then, and when it was reached anew: whether the servers answer, and have what they had confirmed. They may
// have lost it, or begun anew: then this host knows more than there is. A server that has just begun to lead may be a
// moment behind what it has. (It may take as long as an answer may: this is not for who says that this host lives.)
void LogEngine::look_at_head() {
  const std::uint64_t connected = log_->reconnects();
  if (!log_->problem().empty() || (connected == looked_reconnects_ && clock_.steady_ms() < look_at_ms_)) {
    return;
  }
  const Result<LogHead> head = log_->head();
  const std::uint64_t now = clock_.steady_ms();
  looked_reconnects_ = connected;
  look_at_ms_ = now + head_ms;
  if (!head) {
    head_failed_ = true;
    set_problem(head.error().message);
    return;
  }
  if (std::exchange(head_failed_, false)) {
    set_problem({});
  }
  const std::uint64_t read = position();
  if (head.value().made == made_ && head.value().last >= read) {
    less_since_ms_.reset();
    return;
  }
  if (!less_since_ms_ || now < *less_since_ms_ + less_ms) {
    less_since_ms_ = less_since_ms_.value_or(now);
    look_at_ms_ = *less_since_ms_ + less_ms;
    return;
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    broken_ = true;
  }
  set_problem("has lost what it had confirmed (" + std::to_string(head.value().last) + " messages are there, " +
              std::to_string(read) + " had been read): restart this host, which then reads what is there");
}

// Those that are gone.
std::vector<std::uint64_t> LogEngine::erased(const Result<std::vector<std::uint64_t>>& sequences) {
  std::vector<std::uint64_t> out;
  if (sequences) {
    for (const std::uint64_t sequence : sequences.value()) {
      if (!log_->erase(sequence)) {
        break;
      }
      out.push_back(sequence);
    }
  }
  if (!out.empty()) {
    projection_->is_erased(out);
  }
  return out;
}

void LogEngine::tidy(std::uint64_t position) {
  note_current(position);
  if (!settings_.read_only) {
    // What is left in the log gives the same again. The last message of all stays until there is another one.
    (void)erased(projection_->refused(position));
    erase_gone(position);
  }
}

// Every host has read that the run is gone, or will make its copy anew.
void LogEngine::erase_gone(std::uint64_t position) {
  const std::uint64_t now = clock_.system_ms();
  if (now < settings_.gone_kept_ms || clock_.steady_ms() < gone_look_ms_) {
    return;
  }
  if (erased(projection_->gone_before(now - settings_.gone_kept_ms, position)).empty()) {
    gone_look_ms_ = clock_.steady_ms() + look_ms(settings_);
  }
}

void LogEngine::note_current(std::uint64_t position) {
  if (aim_ && position >= aim_->last) {
    current_boot_ms_ = aim_->at_boot_ms;
    projection_->is_current(aim_->at_ms);
    aim_.reset();
  }
  const std::uint64_t now = clock_.boot_ms();
  if (!aim_ && (!current_noted_ || now >= current_boot_ms_ + look_ms(settings_))) {
    if (const Result<LogHead> head = log_->head()) {
      aim_ = Aim{head.value().last, clock_.system_ms(), now};
      current_noted_ = true;
    }
  }
}

// It was cut off for so long that messages may be gone which it has not read.
bool LogEngine::is_outdated() {
  if (clock_.boot_ms() < current_boot_ms_ + copy_kept_ms(settings_)) {
    return false;
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    broken_ = true;
  }
  set_problem(
      "was not read by this host for so long that it may have missed which runs were removed: restart this "
      "host, which then reads what is there");
  return true;
}

// What is not there may have gone with its run since the message was fetched: then the next fetch has no such message.
bool LogEngine::is_lost(std::uint64_t sequence) { return std::exchange(missed_, sequence) == sequence; }

// False: it cannot be read at present.
bool LogEngine::read(LogMessage message, ReadMessage& into) {
  into.message = std::move(message);
  into.old = into.message.at_ms + old_ms < clock_.system_ms();
  if (into.message.by == host_ && is_pending(into)) {
    return true;
  }
  std::string body = into.message.body;
  into.body_name = body_name_in(body);
  if (!into.body_name.empty()) {
    Result<std::string> text = log_->text(into.body_name);
    if (!text && text.error().code != ErrorCode::not_found) {
      set_problem(text.error().message);
      return false;
    }
    if (!text && !is_lost(into.message.sequence)) {
      return false;
    }
    if (!text) {
      tell(StoreTold::error, settings_.name + ": the servers have lost what message " +
                                 std::to_string(into.message.sequence) + " said (" + into.message.subject +
                                 "); its run cannot go on");
      into.lost = true;
      return true;
    }
    body = std::move(text).value();
  }
  std::vector<TextPlace> missing;
  Result<LoggedOp> op = read_op(body, missing);
  if (!op) {
    set_problem(op.error().message);
    return false;
  }
  into.op = std::move(op).value();
  if (missing.empty()) {
    return true;
  }
  auto entries = std::make_shared<std::vector<run::Stored>>(*into.op.entries);
  for (const TextPlace& place : missing) {
    run::Blob& blob = (*entries)[place.entry].blobs[place.blob];
    Result<std::string> text = log_->text(blob.hash);
    if (text) {
      blob.text = std::move(text).value();
    } else if (text.error().code != ErrorCode::not_found) {
      set_problem(text.error().message);
      return false;
    } else if (!is_lost(into.message.sequence)) {
      return false;
    } else {
      // Its run was removed since, or the servers have lost it: reading the journal says so.
      tell(StoreTold::warning, settings_.name + ": the text " + blob.hash + " of run " + into.op.run + " is not there");
    }
  }
  into.op.entries = std::move(entries);
  return true;
}

bool LogEngine::apply(std::vector<ReadMessage> messages) {
  Result<std::vector<Applied>> applied = projection_->apply(messages);
  if (!applied) {
    set_problem("this host's own copy " + applied.error().message + " (" + projection_->file() + ")");
    return false;
  }
  set_problem({});
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    position_ = messages.back().message.sequence;
    const auto waited = when_read_.upper_bound(position_);
    for (auto one = when_read_.begin(); one != waited; ++one) {
      work_.push_back([this, again = std::move(one->second)] { begin(again); });
    }
    when_read_.erase(when_read_.begin(), waited);
  }
  woken_();
  for (std::size_t i = 0; i < messages.size(); ++i) {
    tell_applied(messages[i], std::move(applied.value()[i]));
  }
  return true;
}

void LogEngine::tell_applied(const ReadMessage& one, Applied applied) {
  PendingRef own;
  if (one.message.by == host_) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = pending_.find(one.message.id);
    own = found == pending_.end() ? nullptr : found->second;
  }
  const std::uint64_t entries = applied.entries;
  const run::State state = applied.state;
  const bool refused = applied.refused;
  if (own) {
    post([this, own, what = std::move(applied)] { end(own, what.outcome, what); });
  }
  const std::lock_guard<std::mutex> lock(heard_mutex_);
  if (one.op.op == LogOp::claim) {
    if (!refused && heard_.claims_changed) {
      heard_.claims_changed();
    }
  } else if (!refused && heard_.changed) {
    heard_.changed(one.op.run, entries, state);
  }
}

}  // namespace plumb::store
