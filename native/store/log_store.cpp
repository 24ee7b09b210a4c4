// Three threads: the follower reads the log and applies it to the projection; the runner begins operations and ends
// them, those of one run one after the other; the keeper says that this host lives, sees who does not, and ends what
// takes too long. An operation waits in its lane until the one before it is done, is put, and is done when the follower
// has come to it.

#include "native/store/log_store.hpp"

#include <sys/random.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "core/json/sha256.hpp"
#include "native/store/hosts_heard.hpp"
#include "native/store/log_message.hpp"
#include "native/store/projection.hpp"
#include "native/store/run_tables.hpp"
#include "native/store/sharing.hpp"

namespace plumb::store {

namespace {

constexpr std::size_t messages_at_once = 256;
constexpr std::uint64_t follow_ms = 50;
constexpr std::uint64_t follow_retry_ms = 250;
constexpr std::uint64_t keep_ms_max = 250;  // between two looks at who lives; less where a lease is short
constexpr std::uint64_t keeps_in_lease = 10;
constexpr std::uint64_t head_ms = 5'000;  // how often what the servers have is held against what was read
constexpr std::uint64_t sync_ms = 5'000;
constexpr std::uint64_t old_ms = 10 * 60'000;
constexpr std::uint64_t stall_ms = 30'000;  // without a message of those that there are, at the beginning
constexpr int tries_max = 8;                // of an operation that others were faster with
constexpr std::size_t unsure_max = 10'000;
constexpr std::size_t fresh_texts_max = 100'000;
constexpr std::size_t removed_at_once = 100;
constexpr std::uint64_t tidy_ms = 1'000;  // between two looks at what may go, where messages come all the time
constexpr std::uint64_t current_ms_max = 3'600'000;  // between two looks at whether all was read
constexpr std::uint64_t currents_in_kept = 50;

std::uint64_t steady_ms() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

std::uint64_t system_ms() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
}

// Goes on while the machine sleeps, and never back.
std::uint64_t boot_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000 + static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000;
}

std::string random_name() {
  std::uint64_t bits = 0;
  const ssize_t size = ::getrandom(&bits, sizeof bits, 0);
  PLUMB_REQUIRE(size == static_cast<ssize_t>(sizeof bits), "the system gives 8 random bytes at once");
  return json::sha256_hex(std::to_string(bits)).substr(0, 12);
}

// A run's id as part of a subject.
std::string subject_part(const std::string& id) {
  const bool plain = !id.empty() && id.size() <= 100 && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
  return plain ? id : "x-" + json::sha256_hex(id);
}

Error away(std::string why, const std::string& where) {
  const bool whole = why.rfind("cannot be ", 0) == 0;
  return store_error(ErrorCode::unavailable, (whole ? "" : "cannot be written: ") + std::move(why), where);
}

// An operation on its way.
struct Pending {
  LoggedOp op;
  std::string id;
  std::string body;       // as it is put
  std::string body_name;  // where it is too long for a message
  std::string lane;
  std::uint64_t bytes = 0;
  std::uint64_t until_ms = 0;
  std::uint64_t expected = 0;  // the sequence that the run's last message has
  int tries = 0;
  int texts = 0;  // that are not there yet
  bool over = false;
  std::function<void(const Outcome&, const Applied&)> done;
};
using PendingRef = std::shared_ptr<Pending>;

class LogStore final : public Store, public Sharing {
 public:
  LogStore(std::unique_ptr<SharedLog> log, LogStoreSettings settings)
      : settings_(std::move(settings)), log_(std::move(log)), host_(random_name()), hosts_(host_, settings_.lease_ms) {}
  ~LogStore() override;
  std::optional<Error> open();

  void create(RunRow row, Batch entries, Done done) override;
  void append(std::string id, std::uint64_t expected, Batch entries, Change change, Done done) override;
  void waits(std::string id, std::string why) override;
  Result<RunRow> find(std::string_view id) override;
  Result<RunRow> find_request(std::string_view owner, std::string_view request_key) override;
  Result<Page> list(const ListQuery& query) override {
    return projection_->readers().read<Page>([&](Connection& connection) { return list_runs(connection, query); });
  }
  Result<std::vector<RunRow>> waiting() override {
    return projection_->readers().read<std::vector<RunRow>>(
        [](Connection& connection) { return waiting_runs(connection); });
  }
  Result<JournalPart> journal(std::string_view id, std::uint64_t from, std::size_t entries_max,
                              std::uint64_t bytes_max) override;
  Result<bool> adopt(std::string_view id) override;
  Result<Claimed> claim(const ClaimWish& wish) override;
  Result<bool> remove(std::string_view id) override;
  Result<Removed> remove_ended(std::uint64_t ended_before_ms) override;
  std::string problem() override;
  Sharing* sharing() override { return settings_.read_only ? nullptr : this; }

  Result<bool> take(std::string_view id) override;
  bool elsewhere(std::string_view id) override;
  Result<std::string> ask(std::string_view id, std::string text, std::uint64_t timeout_ms) override;
  void hear(Heard heard) override;

 private:
  using Ended = std::function<void(const Outcome&, const Applied&)>;
  void submit(LoggedOp op, std::uint64_t bytes, Ended done);
  Outcome written(LoggedOp op, Applied* applied = nullptr);
  void post(std::function<void()> work);

  // The runner's.
  void run();
  void begin(const PendingRef& one);
  Outcome look(Pending& one);  // why it cannot be, and what it is guarded by
  Outcome look_at_append(Pending& one, const RunInLog& now) const;
  void put_texts(const PendingRef& one);
  void put(const PendingRef& one);
  void answered(const PendingRef& one, const LogAnswer& answer);
  void end(const PendingRef& one, const Outcome& outcome, const Applied& applied = {});

  // The follower's.
  void follow();
  bool read(LogMessage message, ReadMessage& into);
  bool is_lost(std::uint64_t sequence);
  bool apply(std::vector<ReadMessage> messages);
  void tidy(std::uint64_t position);
  void erase_refused(std::uint64_t position);
  void erase_gone(std::uint64_t position);
  void note_current(std::uint64_t position);
  bool is_outdated();
  std::vector<std::uint64_t> erased(const Result<std::vector<std::uint64_t>>& sequences);
  void tell_applied(const ReadMessage& one, Applied applied);

  void keep();
  void look_for_free();
  void look_at_head();
  void end_late();
  Result<bool> sync();
  Result<std::uint64_t> remove_one(std::string_view id);
  void forget_texts(const std::vector<std::string>& names);
  void sweep_texts();
  bool is_fresh(const std::string& hash);
  void made_fresh(const std::string& hash);
  void tell(StoreTold kind, const std::string& text) const {
    if (settings_.told) {
      settings_.told(kind, text);
    }
  }
  void set_problem(const std::string& problem);
  std::uint64_t look_ms() const { return std::min(current_ms_max, settings_.gone_kept_ms / currents_in_kept); }
  // A day of seven is left for clocks that differ.
  std::uint64_t copy_kept_ms() const { return settings_.gone_kept_ms / 7 * 6; }

  LogStoreSettings settings_;
  std::unique_ptr<SharedLog> log_;
  const std::string host_;
  HostsHeard hosts_;
  std::unique_ptr<Projection> projection_;
  std::string made_;

  std::mutex mutex_;  // of all below to `work_`
  std::condition_variable changed_;
  std::map<std::string, std::deque<PendingRef>> lanes_;
  std::map<std::string, PendingRef> pending_;  // that were put, by id
  std::uint64_t queue_bytes_ = 0;
  std::uint64_t position_ = 0;  // what the follower has applied
  std::uint64_t counter_ = 0;
  std::map<const void*, std::pair<Batch, std::string>> unsure_;  // entries whose message may be stored, with its id
  std::string problem_;                                          // of the follower
  bool broken_ = false;                                          // the log is not what it was
  bool closing_ = false;
  std::deque<std::function<void()>> work_;

  std::mutex heard_mutex_;  // held while somebody is told
  Heard heard_;

  std::mutex texts_mutex_;
  std::map<std::string, std::uint64_t> fresh_texts_;

  // The follower's.
  std::uint64_t missed_ = 0;  // the message that lacked a text
  std::uint64_t tidied_ms_ = 0;
  std::uint64_t gone_look_ms_ = 0;
  std::uint64_t current_boot_ms_ = 0;  // all had been read that there was then
  bool current_noted_ = false;         // it was looked at once
  struct Aim {
    std::uint64_t last, at_ms, at_boot_ms;
  };
  std::optional<Aim> aim_;  // what there was then, and may not have been read yet

  std::thread follower_, runner_, keeper_;
};

// ---------------------------------------------------------------- opening and closing

std::optional<Error> LogStore::open() {
  const Result<LogHead> head = log_->head();
  if (!head) {
    return head.error();
  }
  made_ = head.value().made;
  Projection::Place place;
  place.file = settings_.projection;
  place.host = settings_.read_only ? std::string() : host_;
  place.log = head.value();
  place.now_ms = system_ms();
  place.kept_ms = copy_kept_ms();
  current_boot_ms_ = boot_ms();  // what it lacks is read before this returns
  Result<std::unique_ptr<Projection>> projection = Projection::open(place);
  if (!projection) {
    return projection.error();
  }
  projection_ = std::move(projection).value();
  position_ = projection_->position();
  if (!place.told.empty()) {
    tell(StoreTold::warning, settings_.name + ": " + place.told);
  }
  for (const std::string& host : projection_->hosts_before()) {
    hosts_.is_gone(host);  // it had the file that this one has now
  }
  hosts_.deaf_until(steady_ms());
  const Result<bool> heard = log_->hear("hosts.*", [this](const std::string& subject, std::string text, auto) {
    const std::string host = subject.substr(subject.rfind('.') + 1);
    if (text == "goes") {
      hosts_.is_gone(host);
    } else {
      hosts_.lives(host, steady_ms());
    }
  });
  if (!heard) {
    return heard.error();
  }
  if (!settings_.read_only) {
    const Result<bool> asked = log_->hear("ask." + host_, [this](const std::string&, std::string text, auto answer) {
      const std::lock_guard<std::mutex> lock(heard_mutex_);
      if (heard_.asked && answer) {
        heard_.asked(std::move(text), std::move(answer));
      }
    });
    if (!asked) {
      return asked.error();
    }
  }
  follower_ = std::thread([this] { follow(); });
  runner_ = std::thread([this] { run(); });
  keeper_ = std::thread([this] { keep(); });
  // All that there is, before anybody asks.
  std::unique_lock<std::mutex> lock(mutex_);
  for (std::uint64_t at = position_; position_ < head.value().last; at = position_) {
    if (!changed_.wait_for(lock, std::chrono::milliseconds(stall_ms), [&] { return position_ > at; })) {
      return store_error(ErrorCode::unavailable,
                         "cannot be read: " + (problem_.empty() ? "the servers give nothing" : problem_),
                         settings_.name);
    }
  }
  return std::nullopt;
}

LogStore::~LogStore() {
  log_->stop_hearing();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  for (std::thread* one : {&follower_, &keeper_, &runner_}) {
    if (one->joinable()) {
      one->join();
    }
  }
  if (!settings_.read_only && projection_ != nullptr) {
    log_->say("hosts." + host_, "goes");
  }
  log_.reset();  // its threads use what is below
}

void LogStore::set_problem(const std::string& problem) {
  bool fresh = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    fresh = problem_ != problem;
    problem_ = problem;
  }
  changed_.notify_all();
  if (fresh && !problem.empty()) {
    tell(StoreTold::error, settings_.name + ": " + problem);
  } else if (fresh) {
    tell(StoreTold::note, settings_.name + ": goes on");
  }
}

std::string LogStore::problem() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!problem_.empty()) {
      return problem_;
    }
  }
  return log_->problem();
}

// ---------------------------------------------------------------- operations

void LogStore::post(std::function<void()> work) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    work_.push_back(std::move(work));
  }
  changed_.notify_all();
}

void LogStore::run() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return !work_.empty() || (closing_ && lanes_.empty()); });
    if (work_.empty()) {
      return;
    }
    const std::function<void()> one = std::move(work_.front());
    work_.pop_front();
    lock.unlock();
    one();
    lock.lock();
  }
}

void LogStore::submit(LoggedOp op, std::uint64_t bytes, Ended done) {
  auto one = std::make_shared<Pending>();
  one->op = std::move(op);
  one->bytes = bytes;
  one->done = std::move(done);
  one->until_ms = steady_ms() + settings_.operation_ms;
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
      std::deque<PendingRef>& lane = lanes_[one->lane];
      lane.push_back(one);
      first = lane.size() == 1;
    }
  }
  if (refused) {
    if (runner_.joinable()) {
      post([one, refused] { one->done(refused, {}); });
    } else {
      one->done(refused, {});
    }
  } else if (first) {
    post([this, one] { begin(one); });
  }
}

// Does it and waits.
Outcome LogStore::written(LoggedOp op, Applied* applied) {
  const auto answer = std::make_shared<std::promise<std::pair<Outcome, Applied>>>();
  std::future<std::pair<Outcome, Applied>> done = answer->get_future();
  submit(std::move(op), 0, [answer](const Outcome& outcome, const Applied& what) {
    answer->set_value({outcome, what});
  });
  std::pair<Outcome, Applied> got = done.get();
  if (applied != nullptr) {
    *applied = std::move(got.second);
  }
  return got.first;
}

void LogStore::begin(const PendingRef& one) {
  if (one->over) {
    return;
  }
  std::string problem;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    problem = broken_ ? problem_ : std::string();
  }
  if (!problem.empty()) {
    end(one, away(problem, settings_.name));
    return;
  }
  if (one->id.empty()) {
    one->body = op_text(one->op);
    const bool entries = one->op.op == LogOp::create || one->op.op == LogOp::append;
    // The same entries given again, where nobody knows whether they were stored, are the same message.
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto before = entries ? unsure_.find(one->op.entries.get()) : unsure_.end();
    one->id = before != unsure_.end() ? before->second.second
                                      : json::sha256_hex(host_ + std::to_string(++counter_) + one->body).substr(0, 32);
    if (one->body.size() > log_->message_bytes_max()) {
      one->body_name = "body-" + one->id;
    }
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

Outcome LogStore::look_at_append(Pending& one, const RunInLog& now) const {
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
  if (now.driver != host_ && hosts_.is_alive(now.driver, steady_ms())) {
    return store_error(ErrorCode::invalid_argument,
                       "the run '" + op.run + "' is driven by another host (" + now.driver +
                           "), which took it when this one was not heard of",
                       settings_.name);
  }
  return std::nullopt;
}

Outcome LogStore::look(Pending& one) {
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
  const Result<RunInLog> now = projection_->run(op.run);
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
      if (!waits || (driver != host_ && hosts_.is_alive(driver, steady_ms()))) {
        one.expected = UINT64_MAX;  // whoever drives it says why it waits
      }
      return std::nullopt;
    case LogOp::take:
      if (!waits) {
        return store_error(ErrorCode::invalid_argument, "the run '" + op.run + "' has ended", settings_.name);
      }
      if (driver == host_ || hosts_.is_alive(driver, steady_ms())) {
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

bool LogStore::is_fresh(const std::string& hash) {
  const std::lock_guard<std::mutex> lock(texts_mutex_);
  const auto found = fresh_texts_.find(hash);
  return found != fresh_texts_.end() && steady_ms() < found->second + settings_.text_fresh_ms;
}

void LogStore::made_fresh(const std::string& hash) {
  const std::lock_guard<std::mutex> lock(texts_mutex_);
  if (fresh_texts_.size() >= fresh_texts_max) {
    fresh_texts_.clear();  // they are given once more
  }
  fresh_texts_[hash] = steady_ms();
}

void LogStore::put_texts(const PendingRef& one) {
  std::map<std::string, const std::string*> wanted;
  if (one->op.entries != nullptr) {
    for (const run::Stored& entry : *one->op.entries) {
      for (const run::Blob& blob : entry.blobs) {
        if (blob.text.size() > inline_bytes && !is_fresh(blob.hash)) {
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
                       : away(answer.why, settings_.name));
          return;
        }
        made_fresh(hash);
        if (--one->texts == 0 && !one->over) {
          put(one);
        }
      });
    });
  }
}

void LogStore::put(const PendingRef& one) {
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
  log_->put(std::move(what),
            [this, one](const LogAnswer& answer) { post([this, one, answer] { answered(one, answer); }); });
}

void LogStore::answered(const PendingRef& one, const LogAnswer& answer) {
  if (one->over || answer.what == LogAnswer::What::stored) {
    return;  // the follower comes to it
  }
  if (answer.what == LogAnswer::What::never) {
    end(one, store_error(ErrorCode::limit, "cannot take this: " + answer.why, settings_.name));
    return;
  }
  if (answer.what == LogAnswer::What::away) {
    // It may have been stored: the same message again, which is then no second one.
    if (++one->tries <= 2 && steady_ms() < one->until_ms) {
      put(one);
    } else {
      end(one, away(answer.why, settings_.name));
    }
    return;
  }
  // Somebody has written of this run. What that was decides whether this one still fits.
  if (++one->tries > tries_max) {
    end(one, away("others write this run again and again", settings_.name));
    return;
  }
  if (const Result<bool> read = sync(); !read) {
    end(one, read.error());
    return;
  }
  begin(one);
}

void LogStore::end(const PendingRef& one, const Outcome& outcome, const Applied& applied) {
  if (one->over) {
    return;
  }
  one->over = true;
  PendingRef next;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    pending_.erase(one->id);
    queue_bytes_ -= one->bytes;
    if (one->op.entries != nullptr) {
      unsure_.erase(one->op.entries.get());
      if (outcome && outcome->code == ErrorCode::unavailable && unsure_.size() < unsure_max) {
        unsure_.emplace(one->op.entries.get(), std::make_pair(one->op.entries, one->id));
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
  }
  one->done(outcome, applied);
  if (next) {
    post([this, next] { begin(next); });
  }
  changed_.notify_all();
}

void LogStore::create(RunRow row, Batch entries, Done done) {
  LoggedOp op;
  op.op = LogOp::create;
  op.run = row.id;
  op.row = std::move(row);
  op.entries = std::move(entries);
  const std::uint64_t bytes = batch_bytes(op.entries);
  submit(std::move(op), bytes, [done = std::move(done)](const Outcome& outcome, const Applied&) { done(outcome); });
}

void LogStore::append(std::string id, std::uint64_t expected, Batch entries, Change change, Done done) {
  LoggedOp op;
  op.op = LogOp::append;
  op.run = std::move(id);
  op.expected = expected;
  op.entries = std::move(entries);
  op.change = std::move(change);
  const std::uint64_t bytes = batch_bytes(op.entries);
  submit(std::move(op), bytes, [done = std::move(done)](const Outcome& outcome, const Applied&) { done(outcome); });
}

void LogStore::waits(std::string id, std::string why) {
  LoggedOp op;
  op.op = LogOp::waits;
  op.run = std::move(id);
  op.why = std::move(why);
  submit(std::move(op), 0, [](const Outcome&, const Applied&) {});
}

Result<bool> LogStore::adopt(std::string_view id) {
  LoggedOp op;
  op.op = LogOp::adopt;
  op.run = id;
  const Outcome outcome = written(std::move(op));
  return outcome ? Result<bool>(*outcome) : Result<bool>(true);
}

Result<Claimed> LogStore::claim(const ClaimWish& wish) {
  LoggedOp op;
  op.op = LogOp::claim;
  op.run = wish.run;
  op.wish = wish;
  Applied applied;
  if (const Outcome outcome = written(std::move(op), &applied)) {
    return *outcome;
  }
  return applied.claimed;
}

Result<bool> LogStore::remove(std::string_view id) {
  const Result<std::uint64_t> removed = remove_one(id);
  return removed ? Result<bool>(true) : Result<bool>(removed.error());
}

// How many texts went with it.
Result<std::uint64_t> LogStore::remove_one(std::string_view id) {
  LoggedOp op;
  op.op = LogOp::gone;
  op.run = id;
  Applied applied;
  if (const Outcome outcome = written(std::move(op), &applied)) {
    return *outcome;
  }
  for (const std::uint64_t sequence : applied.messages) {
    (void)log_->erase(sequence);  // what is left comes to nothing, since the run is gone after it
  }
  forget_texts(applied.texts);
  return applied.texts_removed;
}

Result<Removed> LogStore::remove_ended(std::uint64_t ended_before_ms) {
  Removed out;
  for (;;) {
    const Result<std::vector<std::string>> ids = projection_->ended_before(ended_before_ms, removed_at_once);
    if (!ids) {
      return ids.error();
    }
    for (const std::string& id : ids.value()) {
      const Result<std::uint64_t> removed = remove_one(id);
      if (!removed && removed.error().code != ErrorCode::not_found) {  // another host was faster
        return removed.error();
      }
      out.runs += removed ? 1 : 0;
      out.texts += removed ? removed.value() : 0;
    }
    if (ids.value().size() < removed_at_once) {
      break;
    }
  }
  sweep_texts();
  return out;
}

// Those that somebody may be about to need are left for the next sweep.
void LogStore::forget_texts(const std::vector<std::string>& names) {
  const std::uint64_t now = system_ms();
  if (names.empty() || now < settings_.text_grace_ms || !sync()) {
    return;
  }
  for (const std::string& name : names) {
    const Result<bool> needed = projection_->needs_text(name);
    if (needed && !needed.value()) {
      (void)log_->remove_text(name, now - settings_.text_grace_ms);
    }
  }
}

// Also what a host has left that died between two steps.
void LogStore::sweep_texts() {
  const Result<std::vector<std::string>> names = log_->text_names();
  if (!names) {
    return;
  }
  std::vector<std::string> unneeded;
  for (const std::string& name : names.value()) {
    const Result<bool> needed = projection_->needs_text(name);
    if (needed && !needed.value()) {
      unneeded.push_back(name);
    }
  }
  forget_texts(unneeded);
}

// ---------------------------------------------------------------- reading

// Until all has been read that the log has now.
Result<bool> LogStore::sync() {
  const Result<LogHead> head = log_->head();
  if (!head) {
    return head.error();
  }
  std::unique_lock<std::mutex> lock(mutex_);
  const bool read = changed_.wait_for(lock, std::chrono::milliseconds(sync_ms),
                                      [&] { return position_ >= head.value().last || closing_; });
  if (!read) {
    return store_error(ErrorCode::unavailable,
                       "cannot be read: " + (problem_.empty() ? "the servers give nothing" : problem_), settings_.name);
  }
  return true;
}

Result<RunRow> LogStore::find(std::string_view id) {
  const auto look_up = [&] {
    return projection_->readers().read<RunRow>([&](Connection& connection) { return find_run(connection, id); });
  };
  Result<RunRow> found = look_up();
  // Another host may have made it a moment ago.
  if (!found && found.error().code == ErrorCode::not_found && sync()) {
    found = look_up();
  }
  return found;
}

Result<RunRow> LogStore::find_request(std::string_view owner, std::string_view request_key) {
  const auto look_up = [&] {
    return projection_->readers().read<RunRow>(
        [&](Connection& connection) { return find_run_of_request(connection, owner, request_key); });
  };
  Result<RunRow> found = look_up();
  if (!found && !request_key.empty() && found.error().code == ErrorCode::not_found && sync()) {
    found = look_up();
  }
  return found;
}

Result<JournalPart> LogStore::journal(std::string_view id, std::uint64_t from, std::size_t entries_max,
                                      std::uint64_t bytes_max) {
  return projection_->readers().read<JournalPart>(
      [&](Connection& connection) { return read_entries(connection, id, from, entries_max, bytes_max); });
}

// ---------------------------------------------------------------- following

void LogStore::follow() {
  for (;;) {
    std::uint64_t after = 0;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      if (closing_ && lanes_.empty()) {
        return;
      }
      if (broken_) {
        changed_.wait(lock, [&] { return closing_ && lanes_.empty(); });
        return;
      }
      after = position_;
    }
    if (is_outdated()) {
      continue;
    }
    Result<std::vector<LogMessage>> messages = log_->next(after, messages_at_once, follow_ms);
    std::vector<ReadMessage> read_ones;
    bool good = static_cast<bool>(messages);
    if (good) {
      for (LogMessage& message : messages.value()) {
        read_ones.emplace_back();
        good = good && read(std::move(message), read_ones.back());
      }
    }
    if (good && (read_ones.empty() || steady_ms() >= tidied_ms_ + tidy_ms)) {
      tidied_ms_ = steady_ms();
      tidy(after);
    }
    if (!good || (!read_ones.empty() && !apply(std::move(read_ones)))) {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait_for(lock, std::chrono::milliseconds(follow_retry_ms), [&] { return closing_; });
    }
  }
}

// Those that are gone.
std::vector<std::uint64_t> LogStore::erased(const Result<std::vector<std::uint64_t>>& sequences) {
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

void LogStore::tidy(std::uint64_t position) {
  note_current(position);
  if (!settings_.read_only) {
    erase_refused(position);
    erase_gone(position);
  }
}

// What is left in the log gives the same again. The last message of all stays until there is another one.
void LogStore::erase_refused(std::uint64_t position) { (void)erased(projection_->refused(position)); }

// Every host has read that the run is gone, or will make its copy anew.
void LogStore::erase_gone(std::uint64_t position) {
  const std::uint64_t now = system_ms();
  if (now < settings_.gone_kept_ms || steady_ms() < gone_look_ms_) {
    return;
  }
  if (erased(projection_->gone_before(now - settings_.gone_kept_ms, position)).empty()) {
    gone_look_ms_ = steady_ms() + look_ms();
  }
}

void LogStore::note_current(std::uint64_t position) {
  if (aim_ && position >= aim_->last) {
    current_boot_ms_ = aim_->at_boot_ms;
    projection_->is_current(aim_->at_ms);
    aim_.reset();
  }
  const std::uint64_t now = boot_ms();
  if (!aim_ && (!current_noted_ || now >= current_boot_ms_ + look_ms())) {
    if (const Result<LogHead> head = log_->head()) {
      aim_ = Aim{head.value().last, system_ms(), now};
      current_noted_ = true;
    }
  }
}

// It was cut off for so long that messages may be gone which it has not read.
bool LogStore::is_outdated() {
  if (boot_ms() < current_boot_ms_ + copy_kept_ms()) {
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
bool LogStore::is_lost(std::uint64_t sequence) { return std::exchange(missed_, sequence) == sequence; }

// False: it cannot be read at present.
bool LogStore::read(LogMessage message, ReadMessage& into) {
  into.message = std::move(message);
  into.old = into.message.at_ms + old_ms < system_ms();
  if (into.message.by == host_) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto own = pending_.find(into.message.id);
    if (own != pending_.end()) {
      into.op = own->second->op;
      into.body_name = own->second->body_name;
      return true;
    }
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

bool LogStore::apply(std::vector<ReadMessage> messages) {
  Result<std::vector<Applied>> applied = projection_->apply(messages);
  if (!applied) {
    set_problem("this host's own copy " + applied.error().message + " (" + projection_->file() + ")");
    return false;
  }
  set_problem({});
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    position_ = messages.back().message.sequence;
  }
  changed_.notify_all();
  for (std::size_t i = 0; i < messages.size(); ++i) {
    tell_applied(messages[i], std::move(applied.value()[i]));
  }
  return true;
}

void LogStore::tell_applied(const ReadMessage& one, Applied applied) {
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

// ---------------------------------------------------------------- who lives

void LogStore::keep() {
  const std::uint64_t keep_ms = std::clamp<std::uint64_t>(settings_.lease_ms / keeps_in_lease, 1, keep_ms_max);
  std::uint64_t said = 0;
  std::uint64_t looked = 0;
  std::uint64_t reconnects = log_->reconnects();
  for (;;) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      if (changed_.wait_for(lock, std::chrono::milliseconds(keep_ms), [&] { return closing_ && lanes_.empty(); })) {
        return;
      }
    }
    const std::uint64_t now = steady_ms();
    // Who was not connected has heard nothing. (Who has slept does not hear itself.)
    const std::uint64_t connected = log_->reconnects();
    if (connected != reconnects || !log_->problem().empty()) {
      hosts_.deaf_until(now);
      looked = connected != reconnects ? 0 : looked;
    }
    reconnects = connected;
    if (!settings_.read_only && now >= said + settings_.heartbeat_ms) {
      log_->say("hosts." + host_, "lives");
      said = now;
    }
    if (now >= looked + head_ms && log_->problem().empty()) {
      looked = now;
      look_at_head();
    }
    end_late();
    look_for_free();
  }
}

// The servers may have lost what they had confirmed, or begun anew: then this host knows more than there is.
void LogStore::look_at_head() {
  std::uint64_t position = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    position = position_;
  }
  const Result<LogHead> head = log_->head();
  if (!head || (head.value().made == made_ && head.value().last >= position)) {
    return;
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (std::exchange(broken_, true)) {
      return;
    }
  }
  set_problem("has lost what it had confirmed (" + std::to_string(head.value().last) + " messages are there, " +
              std::to_string(position) + " had been read): restart this host, which then reads what is there");
}

void LogStore::end_late() {
  const std::uint64_t now = steady_ms();
  std::vector<PendingRef> late;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [id, one] : pending_) {
      if (now > one->until_ms) {
        late.push_back(one);
      }
    }
  }
  for (const PendingRef& one : late) {
    post([this, one] { end(one, away("not confirmed in time", settings_.name)); });
  }
}

void LogStore::look_for_free() {
  {
    const std::lock_guard<std::mutex> lock(heard_mutex_);
    if (!heard_.freed) {
      return;
    }
  }
  const Result<std::vector<std::string>> drivers = projection_->drivers();
  if (!drivers) {
    return;
  }
  for (const std::string& driver : drivers.value()) {
    if (hosts_.is_alive(driver, steady_ms())) {
      continue;
    }
    const Result<std::vector<RunRow>> rows = projection_->driven_by(driver);
    if (!rows) {
      continue;
    }
    for (const RunRow& row : rows.value()) {
      const std::lock_guard<std::mutex> lock(heard_mutex_);
      if (heard_.freed) {
        heard_.freed(row);
      }
    }
  }
}

Result<bool> LogStore::take(std::string_view id) {
  LoggedOp op;
  op.op = LogOp::take;
  op.run = id;
  if (const Outcome outcome = written(std::move(op))) {
    return *outcome;
  }
  const Result<RunInLog> now = projection_->run(id);
  return now ? Result<bool>(now.value().driver == host_) : Result<bool>(now.error());
}

bool LogStore::elsewhere(std::string_view id) {
  const Result<RunInLog> now = projection_->run(id);
  return now && now.value().state == run::State::waiting && now.value().driver != host_ &&
         hosts_.is_alive(now.value().driver, steady_ms());
}

Result<std::string> LogStore::ask(std::string_view id, std::string text, std::uint64_t timeout_ms) {
  const Result<RunInLog> now = projection_->run(id);
  if (!now) {
    return now.error();
  }
  return log_->ask("ask." + now.value().driver, text, timeout_ms);
}

void LogStore::hear(Heard heard) {
  const std::lock_guard<std::mutex> lock(heard_mutex_);
  heard_ = std::move(heard);
}

}  // namespace

Result<std::unique_ptr<Store>> open_log_store(std::unique_ptr<SharedLog> log, LogStoreSettings settings) {
  auto store = std::make_unique<LogStore>(std::move(log), std::move(settings));
  if (std::optional<Error> error = store->open()) {
    return *error;
  }
  return std::unique_ptr<Store>(std::move(store));
}

}  // namespace plumb::store
