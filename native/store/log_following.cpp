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
constexpr std::uint64_t old_ms = std::uint64_t{10} * 60'000;
constexpr std::uint64_t tidy_ms = 1'000;  // between two looks at what may go, where messages come all the time
constexpr std::uint64_t current_ms_max = 3'600'000;  // between two looks at whether all was read
constexpr std::uint64_t currents_in_kept = 50;

std::uint64_t look_ms(const LogStoreSettings& settings) {
  return std::min(current_ms_max, settings.gone_kept_ms / currents_in_kept);
}

}  // namespace

std::uint64_t LogEngine::follow(std::uint64_t wait_ms) {
  if (is_broken() || is_outdated()) {
    return follow_retry_ms;
  }
  look_at_head();
  std::uint64_t after = 0, asked = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    after = position_;
    asked = awaited_.asked;
    wait_ms = is_sequence_awaited() ? wait_ms : 0;
  }
  Result<std::vector<LogMessage>> messages = log_->next(after, messages_at_once, wait_ms);
  std::vector<ReadMessage> read_ones;
  bool knows = true;
  bool good = static_cast<bool>(messages);
  if (good) {
    for (LogMessage& message : messages.value()) {
      read_ones.emplace_back();
      good = good && read(std::move(message), read_ones.back(), knows);
      knows = knows && read_ones.back().op.op != LogOp::gone;  // with a run its texts may go
    }
  }
  if (good && (read_ones.empty() || clock_.steady_ms() >= followed_.tidied_ms + tidy_ms)) {
    followed_.tidied_ms = clock_.steady_ms();
    tidy(after);
  }
  const bool whole = read_ones.size() < messages_at_once;
  good = good && (read_ones.empty() || apply(std::move(read_ones)));
  if (whole || !good) {
    was_read_on(asked, good);
  }
  return good ? 0 : follow_retry_ms;
}

// Those who had asked by then have what can be had.
void LogEngine::was_read_on(std::uint64_t asked, bool whole) {
  bool heard = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    heard = asked > awaited_.served;
    awaited_.served = std::max(awaited_.served, asked);
    awaited_.read_at_ms = whole ? clock_.steady_ms() : awaited_.read_at_ms;
  }
  if (heard) {
    woken_(Woken::read);
  }
}

// Now and then, and when it was reached anew: whether the servers answer, and have what they had confirmed. They may
// have lost it, or begun anew: then this host knows more than there is. A server that has just begun to lead may be a
// moment behind what it has. (It may take as long as an answer may: this is not for who says that this host lives.)
void LogEngine::look_at_head() {
  const std::uint64_t connected = log_->reconnects();
  if (!log_->problem().empty() ||
      (connected == followed_.looked_reconnects && clock_.steady_ms() < followed_.look_at_ms)) {
    return;
  }
  const Result<LogHead> head = log_->head();
  const std::uint64_t now = clock_.steady_ms();
  followed_.looked_reconnects = connected;
  followed_.look_at_ms = now + head_ms;
  if (!head) {
    followed_.head_failed = true;
    set_problem(head.error().message, head.error().reason);
    return;
  }
  if (std::exchange(followed_.head_failed, false)) {
    set_problem({});
  }
  const std::uint64_t read = position();
  if (head.value().made == made_ && head.value().last >= read) {
    followed_.less_since_ms.reset();
    return;
  }
  if (!followed_.less_since_ms || now < *followed_.less_since_ms + less_ms) {
    followed_.less_since_ms = followed_.less_since_ms.value_or(now);
    followed_.look_at_ms = *followed_.less_since_ms + less_ms;
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
  if (now < settings_.gone_kept_ms || clock_.steady_ms() < followed_.gone_look_ms) {
    return;
  }
  if (erased(projection_->gone_before(now - settings_.gone_kept_ms, position)).empty()) {
    followed_.gone_look_ms = clock_.steady_ms() + look_ms(settings_);
  }
}

void LogEngine::note_current(std::uint64_t position) {
  if (followed_.aim && position >= followed_.aim->last) {
    followed_.current_boot_ms = followed_.aim->at_boot_ms;
    projection_->is_current(followed_.aim->at_ms);
    followed_.aim.reset();
  }
  const std::uint64_t now = clock_.boot_ms();
  if (!followed_.aim && (!followed_.current_noted || now >= followed_.current_boot_ms + look_ms(settings_))) {
    if (const Result<LogHead> head = log_->head()) {
      followed_.aim = LogFollowed::Aim{head.value().last, clock_.system_ms(), now};
      followed_.current_noted = true;
    }
  }
}

// It was cut off for so long that messages may be gone which it has not read.
bool LogEngine::is_outdated() {
  if (clock_.boot_ms() < followed_.current_boot_ms + copy_kept_ms(settings_)) {
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
bool LogEngine::is_lost(std::uint64_t sequence) { return std::exchange(followed_.missed, sequence) == sequence; }

// False: it cannot be read at present. `knows`: what the copy has of texts it has when this is applied.
bool LogEngine::read(LogMessage message, ReadMessage& into, bool knows) {
  into.message = std::move(message);
  into.old = into.message.at_ms + old_ms < clock_.system_ms();
  if (into.message.by == host_ && is_pending(into)) {
    return true;
  }
  std::string long_body;
  into.body_name = body_name_in(into.message.body);
  if (!into.body_name.empty()) {
    Result<std::string> text = log_->text(into.body_name);
    if (!text && text.error().code != ErrorCode::not_found) {
      set_problem(text.error().message, text.error().reason);
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
    long_body = std::move(text).value();
  }
  std::vector<TextPlace> missing;
  Result<LoggedOp> op = read_op(into.body_name.empty() ? into.message.body : long_body, missing);
  if (!op) {
    set_problem(op.error().message, op.error().reason);
    return false;
  }
  into.op = std::move(op).value();
  return missing.empty() || read_texts(missing, into, knows);
}

// Those that are not in the message. False: they cannot be read at present.
bool LogEngine::read_texts(const std::vector<TextPlace>& missing, ReadMessage& into, bool knows) {
  std::shared_ptr<std::vector<run::Stored>> entries;
  for (const TextPlace& place : missing) {
    const std::string& hash = (*into.op.entries)[place.entry].blobs[place.blob].hash;
    if (const std::optional<std::uint64_t> bytes = knows ? projection_->text_bytes(hash) : std::nullopt) {
      into.op.more_bytes += *bytes;
      continue;
    }
    Result<std::string> text = log_->text(hash);
    if (text) {
      entries = entries ? entries : std::make_shared<std::vector<run::Stored>>(*into.op.entries);
      (*entries)[place.entry].blobs[place.blob].text = std::move(text).value();
    } else if (text.error().code != ErrorCode::not_found) {
      set_problem(text.error().message, text.error().reason);
      return false;
    } else if (!is_lost(into.message.sequence)) {
      return false;
    } else {
      // Its run was removed since, or the servers have lost it: reading the journal says so.
      tell(StoreTold::warning, settings_.name + ": the text " + hash + " of run " + into.op.run + " is not there");
    }
  }
  into.op.entries = entries ? std::move(entries) : into.op.entries;
  return true;
}

bool LogEngine::apply(std::vector<ReadMessage> messages) {
  Result<std::vector<Applied>> applied = projection_->apply(messages);
  if (!applied) {
    set_problem("this host's own copy " + applied.error().message + " (" + projection_->file() + ")");
    return false;
  }
  set_problem({});
  bool works = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    position_ = messages.back().message.sequence;
    is_applied(messages);
    const auto waited = when_read_.upper_bound(position_);
    works = waited != when_read_.begin();
    for (auto one = when_read_.begin(); one != waited; ++one) {
      work_.push_back([this, again = std::move(one->second)] { begin(again); });
    }
    when_read_.erase(when_read_.begin(), waited);
  }
  woken_(Woken::read);
  if (works) {
    woken_(Woken::work);
  }
  for (std::size_t i = 0; i < messages.size(); ++i) {
    tell_applied(messages[i], std::move(applied.value()[i]));
  }
  return true;
}

// With the lock held.
void LogEngine::is_applied(const std::vector<ReadMessage>& messages) {
  for (auto at = awaited_.ahead.begin(); at != awaited_.ahead.end();) {
    at = at->second.sequence <= position_ ? awaited_.ahead.erase(at) : std::next(at);
  }
  for (const ReadMessage& one : messages) {
    const auto own = one.message.by == host_ ? pending_.find(one.message.id) : pending_.end();
    if (own != pending_.end() && own->second->confirmed) {
      queue_bytes_ -= own->second->bytes;
      pending_.erase(own);
    }
  }
}

void LogEngine::tell_applied(const ReadMessage& one, Applied applied) {
  LogOperationRef own;
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
