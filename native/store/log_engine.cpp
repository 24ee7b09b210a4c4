#include "native/store/log_engine.hpp"

#include <algorithm>
#include <utility>

#include "core/json/sha256.hpp"
#include "native/store/run_tables.hpp"

namespace plumb::store {

namespace {

constexpr std::uint64_t keep_ms_max = 250;  // between two looks at who lives; less where a lease is short
constexpr std::uint64_t keeps_in_lease = 10;

}  // namespace

LogEngine::LogEngine(std::unique_ptr<SharedLog> log, LogStoreSettings settings, LogClock clock, std::string host,
                     std::function<void(Woken)> woken)
    : settings_(std::move(settings)),
      clock_(std::move(clock)),
      woken_(std::move(woken)),
      log_(std::move(log)),
      host_(std::move(host)),
      hosts_(host_, settings_.lease_ms),
      texts_(settings_.text_fresh_ms) {}

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
  followed_.current_boot_ms = clock_.boot_ms();  // what it lacks is read before this returns
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
  const Result<bool> heard = log_->hear("hosts.*", [this](const std::string& subject, const std::string& text, auto) {
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
    const Result<bool> asked =
        log_->hear("ask." + host_, [this](const std::string&, const std::string& text, auto answer) {
          const std::lock_guard<std::mutex> lock(heard_mutex_);
          if (heard_.asked && answer) {
            heard_.asked(text, std::move(answer));
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
  woken_(Woken::all);
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

// ---------------------------------------------------------------- who waits for what is read

bool LogEngine::is_awaited() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return is_sequence_awaited() || awaited_.asked > awaited_.served;
}

void LogEngine::await(std::uint64_t sequence) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (sequence <= position_) {
      return;
    }
    awaited_.sequence = std::max(awaited_.sequence, sequence);
  }
  woken_(Woken::reading);
}

std::optional<LogEngine::Asked> LogEngine::await_what_came(std::uint64_t fresh_ms) {
  const std::uint64_t now = clock_.steady_ms();
  Asked out{};
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const bool fresh = now < awaited_.read_at_ms + fresh_ms && position_ >= awaited_.told;
    if (broken_ || closing_ || !problem_.empty() || fresh) {
      return std::nullopt;
    }
    out = {++awaited_.asked, awaited_.told};
    awaited_.sequence = std::max(awaited_.sequence, awaited_.told);
  }
  if (!log_->problem().empty()) {
    return std::nullopt;
  }
  woken_(Woken::reading);
  return out;
}

bool LogEngine::was_read(const Asked& asked) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !problem_.empty() || (awaited_.served >= asked.number && position_ >= asked.sequence);
}

// ---------------------------------------------------------------- operations

void LogEngine::set_problem(const std::string& problem, Reason reason) {
  bool fresh = false, said = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    fresh = problem_ != problem;
    // Why they are not reached differs from try to try.
    said = problem_reason_ == Reason::unreachable && reason == Reason::unreachable;
    problem_ = problem;
    problem_reason_ = reason;
  }
  if (fresh) {
    woken_(Woken::read);
  }
  if (said) {
    return;
  }
  if (fresh && !problem.empty()) {
    tell(StoreTold::error, settings_.name + ": " + problem);
  } else if (fresh) {
    tell(StoreTold::warning, settings_.name + ": goes on");
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
  woken_(Woken::work);
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
  std::vector<LogOperationRef> late;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [id, one] : pending_) {
      if (now > one->until_ms) {
        late.push_back(one);
      }
    }
  }
  for (const LogOperationRef& one : late) {
    post([this, one] { end(one, cannot_be_written("not confirmed in time", settings_.name)); });
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
