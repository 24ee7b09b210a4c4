#include "native/store/log_engine.hpp"

#include <algorithm>
#include <utility>

#include "core/json/sha256.hpp"
#include "native/store/run_tables.hpp"

namespace plumb::store {

namespace {

constexpr std::uint64_t keep_ms_max = 250;  // between two looks at who lives; less where a lease is short
constexpr std::uint64_t keeps_in_lease = 10;
constexpr int tries_max = 8;  // of an operation that others were faster with
constexpr std::size_t unsure_max = 10'000;
constexpr std::size_t fresh_texts_max = 100'000;

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

}  // namespace

// An operation on its way.
struct LogEngine::Pending {
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
  Ended done;
};

LogEngine::LogEngine(std::unique_ptr<SharedLog> log, LogStoreSettings settings, LogClock clock, std::string host,
                     std::function<void()> woken)
    : settings_(std::move(settings)),
      clock_(std::move(clock)),
      woken_(std::move(woken)),
      log_(std::move(log)),
      host_(std::move(host)),
      hosts_(host_, settings_.lease_ms) {}

LogEngine::~LogEngine() { log_goes(); }

// ---------------------------------------------------------------- opening and closing

Result<std::uint64_t> LogEngine::open() {
  const Result<LogHead> head = log_->head();
  if (!head) {
    return head.error();
  }
  made_ = head.value().made;
  Projection::Place place;
  place.file = settings_.projection;
  place.host = settings_.read_only ? std::string() : host_;
  place.log = head.value();
  place.now_ms = clock_.system_ms();
  place.kept_ms = copy_kept_ms(settings_);
  current_boot_ms_ = clock_.boot_ms();  // what it lacks is read before this returns
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
  hosts_.deaf_until(clock_.steady_ms());
  const Result<bool> heard = log_->hear("hosts.*", [this](const std::string& subject, std::string text, auto) {
    const std::string host = subject.substr(subject.rfind('.') + 1);
    if (text == "goes") {
      hosts_.is_gone(host);
    } else {
      hosts_.lives(host, clock_.steady_ms());
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
  reconnects_ = log_->reconnects();
  if (!settings_.read_only) {
    log_->say("hosts." + host_, "lives");  // before it takes any run
  }
  return head.value().last;
}

void LogEngine::close() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closing_ = true;
  }
  woken_();
}

// Its threads use what is here.
void LogEngine::log_goes() {
  if (log_ == nullptr) {
    return;
  }
  if (!settings_.read_only && projection_ != nullptr) {
    log_->say("hosts." + host_, "goes");
  }
  log_.reset();
}

bool LogEngine::has_work() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !work_.empty();
}

bool LogEngine::is_over() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return closing_ && lanes_.empty();
}

bool LogEngine::is_closed() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return closing_;
}

bool LogEngine::is_broken() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return broken_;
}

std::uint64_t LogEngine::position() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return position_;
}

std::string LogEngine::follower_problem() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return problem_;
}

void LogEngine::tell(StoreTold kind, const std::string& text) const {
  if (settings_.told) {
    settings_.told(kind, text);
  }
}

void LogEngine::hear(Sharing::Heard heard) {
  const std::lock_guard<std::mutex> lock(heard_mutex_);
  heard_ = std::move(heard);
}

// ---------------------------------------------------------------- operations

void LogEngine::set_problem(const std::string& problem) {
  bool fresh = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    fresh = problem_ != problem;
    problem_ = problem;
  }
  woken_();
  if (fresh && !problem.empty()) {
    tell(StoreTold::error, settings_.name + ": " + problem);
  } else if (fresh) {
    tell(StoreTold::note, settings_.name + ": goes on");
  }
}

std::string LogEngine::problem() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!problem_.empty()) {
      return problem_;
    }
  }
  return log_->problem();
}

void LogEngine::post(std::function<void()> work) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    work_.push_back(std::move(work));
  }
  woken_();
}

bool LogEngine::work() {
  std::function<void()> one;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (work_.empty()) {
      return false;
    }
    one = std::move(work_.front());
    work_.pop_front();
  }
  one();
  return true;
}

void LogEngine::submit(LoggedOp op, std::uint64_t bytes, Ended done) {
  auto one = std::make_shared<Pending>();
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
      std::deque<PendingRef>& lane = lanes_[one->lane];
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

void LogEngine::begin(const PendingRef& one) {
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

Outcome LogEngine::look_at_append(Pending& one, const RunInLog& now) {
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

Outcome LogEngine::look(Pending& one) {
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

bool LogEngine::is_fresh(const std::string& hash) {
  const std::lock_guard<std::mutex> lock(texts_mutex_);
  const auto found = fresh_texts_.find(hash);
  return found != fresh_texts_.end() && clock_.steady_ms() < found->second + settings_.text_fresh_ms;
}

void LogEngine::made_fresh(const std::string& hash) {
  const std::lock_guard<std::mutex> lock(texts_mutex_);
  if (fresh_texts_.size() >= fresh_texts_max) {
    fresh_texts_.clear();  // they are given once more
  }
  fresh_texts_[hash] = clock_.steady_ms();
}

void LogEngine::put_texts(const PendingRef& one) {
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

void LogEngine::put(const PendingRef& one) {
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

void LogEngine::answered(const PendingRef& one, const LogAnswer& answer) {
  if (one->over || answer.what == LogAnswer::What::stored) {
    return;  // the follower comes to it
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
      end(one, away(answer.why, settings_.name));
    }
    return;
  }
  // Somebody has written of this run. What that was decides whether this one still fits.
  if (++one->tries > tries_max) {
    end(one, away("others write this run again and again", settings_.name));
    return;
  }
  begin_when_read(one);
}

// All that the log has now.
void LogEngine::begin_when_read(const PendingRef& one) {
  const Result<LogHead> head = log_->head();
  if (!head) {
    end(one, head.error());
    return;
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (position_ < head.value().last) {
      when_read_.emplace(head.value().last, one);
      return;
    }
  }
  begin(one);
}

void LogEngine::end(const PendingRef& one, const Outcome& outcome, const Applied& applied) {
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
  woken_();
}

// ---------------------------------------------------------------- who lives

std::uint64_t LogEngine::keep_ms() const {
  return std::clamp<std::uint64_t>(settings_.lease_ms / keeps_in_lease, 1, keep_ms_max);
}

void LogEngine::keep() {
  const std::uint64_t now = clock_.steady_ms();
  // Who was not connected has heard nothing. (Who has slept does not hear itself.)
  const std::uint64_t connected = log_->reconnects();
  if (connected != reconnects_ || !log_->problem().empty()) {
    hosts_.deaf_until(now);
  }
  reconnects_ = connected;
  if (!settings_.read_only && now >= said_ms_ + settings_.heartbeat_ms) {
    log_->say("hosts." + host_, "lives");
    said_ms_ = now;
  }
  end_late();
  look_for_free();
}

void LogEngine::end_late() {
  const std::uint64_t now = clock_.steady_ms();
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

void LogEngine::look_for_free() {
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
  const std::uint64_t now = clock_.steady_ms();
  const bool own_too = now >= own_looked_ms_ + settings_.lease_ms;
  own_looked_ms_ = own_too ? now : own_looked_ms_;
  for (const std::string& driver : drivers.value()) {
    if (driver == host_ ? own_too : !hosts_.is_alive(driver, now)) {
      tell_free(driver);
    }
  }
}

void LogEngine::tell_free(const std::string& driver) {
  const Result<std::vector<std::string>> ids = projection_->driven_by(driver);
  if (!ids) {
    return;
  }
  for (const std::string& id : ids.value()) {
    const std::lock_guard<std::mutex> lock(heard_mutex_);
    if (!heard_.freed || (driver == host_ && (!heard_.works_on || heard_.works_on(id)))) {
      continue;
    }
    const Result<RunRow> row =
        projection_->readers().read<RunRow>([&](Connection& connection) { return find_run(connection, id); });
    if (row && row.value().state == run::State::waiting) {
      heard_.freed(row.value());
    }
  }
}

}  // namespace plumb::store
