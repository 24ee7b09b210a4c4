// Marks in a log: a subject a run, of which it keeps the last message. Who writes names the message that it has read,
// so that a host that was slow sets no mark back.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <future>
#include <map>
#include <mutex>
#include <utility>

#include "native/store/told_marks.hpp"

namespace plumb::store {

namespace {

constexpr std::string_view since_subject = "since";
constexpr std::size_t messages_at_once = 1'000;
constexpr std::uint64_t follow_ms = 1'000;
constexpr std::size_t looked_at_once = 100;  // of a sweep

std::uint64_t number_in(std::string_view text) {
  std::uint64_t out = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

class SharedMarks final : public ToldMarks {
 public:
  SharedMarks(std::unique_ptr<SharedLog> log, std::string by) : by_(std::move(by)), log_(std::move(log)) {}

  std::optional<Error> catch_up() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return read_on();
  }

  Result<std::uint64_t> begin(std::uint64_t newest, const std::vector<std::string>& waiting) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (std::optional<Error> error = read_on()) {
      return *error;
    }
    const auto found = marks_.find(since_subject);
    if (found != marks_.end()) {
      return found->second.entries;
    }
    for (const std::string& run : waiting) {
      if (const Result<bool> put = put_mark(run, 0); !put) {
        return put.error();
      }
    }
    if (const Result<bool> put = put_mark(std::string(since_subject), newest); !put) {
      return put.error();
    }
    return marks_.find(since_subject)->second.entries;
  }

  Result<std::optional<std::uint64_t>> told(std::string_view run) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (std::optional<Error> error = read_lately()) {
      return *error;
    }
    const auto found = marks_.find(run);
    return found == marks_.end() ? std::optional<std::uint64_t>() : std::optional(found->second.entries);
  }

  Result<bool> mark(const std::string& run, std::uint64_t entries) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return put_mark(run, entries);
  }

  void sweep(const std::function<bool(const std::string& run)>& is_there) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto at = marks_.upper_bound(swept_);
    for (std::size_t i = 0; i < looked_at_once && at != marks_.end(); ++i) {
      swept_ = at->first;
      const bool gone = at->first != since_subject && !is_there(at->first);
      // The last message of all stays: it says how far the log goes.
      if (gone && at->second.sequence < position_ && log_->erase(at->second.sequence)) {
        at = marks_.erase(at);
      } else {
        ++at;
      }
    }
    if (at == marks_.end()) {
      swept_.clear();
    }
  }

 private:
  struct Mark {
    std::uint64_t entries = 0;
    std::uint64_t sequence = 0;
  };

  // Twice a second at most: what another host has told since is told once more under the same ids.
  std::optional<Error> read_lately() {
    const auto now = std::chrono::steady_clock::now();
    if (now < read_ + std::chrono::milliseconds(500)) {
      return std::nullopt;
    }
    std::optional<Error> error = read_on();
    read_ = error ? read_ : now;
    return error;
  }

  std::optional<Error> read_on() {
    const Result<LogHead> head = log_->head();
    if (!head) {
      return head.error();
    }
    if (head.value().last < position_) {  // the servers have lost some, or it was made anew
      position_ = 0;
      marks_.clear();
    }
    while (position_ < head.value().last) {
      const Result<std::vector<LogMessage>> messages = log_->next(position_, messages_at_once, follow_ms);
      if (!messages) {
        return messages.error();
      }
      if (messages.value().empty()) {
        return Error{ErrorCode::unavailable, "the marks of what was told cannot be read in time", "", 0, 0};
      }
      for (const LogMessage& one : messages.value()) {
        marks_[one.subject] = {number_in(one.body), one.sequence};
        position_ = one.sequence;
      }
    }
    return std::nullopt;
  }

  Result<bool> put_mark(const std::string& run, std::uint64_t entries) {
    for (int tries = 0; tries < 3; ++tries) {
      const auto found = marks_.find(run);
      if (found != marks_.end() && found->second.entries >= entries && !(run == since_subject)) {
        return true;
      }
      LogPut put;
      put.subject = run;
      put.id = run + "." + std::to_string(entries);
      put.by = by_;
      put.body = std::to_string(entries);
      put.expected = found == marks_.end() ? 0 : found->second.sequence;
      const auto answered = std::make_shared<std::promise<LogAnswer>>();
      std::future<LogAnswer> answer = answered->get_future();
      log_->put(std::move(put), [answered](const LogAnswer& how) { answered->set_value(how); });
      const LogAnswer how = answer.get();
      if (how.what == LogAnswer::What::stored) {
        marks_[run] = {entries, how.sequence};
        return true;
      }
      if (how.what != LogAnswer::What::refused) {
        return Error{ErrorCode::unavailable, "the mark of what was told cannot be stored: " + how.why, "", 0, 0};
      }
      if (std::optional<Error> error = read_on()) {
        return *error;
      }
      if (run == since_subject && marks_.find(run) != marks_.end()) {
        return true;  // another host was faster
      }
    }
    return Error{ErrorCode::unavailable, "the mark of what was told is set by other hosts again and again", "", 0, 0};
  }

  std::mutex mutex_;
  const std::string by_;
  std::map<std::string, Mark, std::less<>> marks_;
  std::uint64_t position_ = 0;
  std::string swept_;
  std::chrono::steady_clock::time_point read_;
  std::unique_ptr<SharedLog> log_;
};

}  // namespace

Result<std::unique_ptr<ToldMarks>> open_shared_marks(std::unique_ptr<SharedLog> log, std::string by) {
  auto marks = std::make_unique<SharedMarks>(std::move(log), std::move(by));
  if (std::optional<Error> error = marks->catch_up()) {
    return *error;
  }
  return std::unique_ptr<ToldMarks>(std::move(marks));
}

}  // namespace plumb::store
