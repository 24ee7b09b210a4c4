#include "native/proxy/response_sharing.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/json/members.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "native/proxy/time_point.hpp"

namespace plumb::proxy {

namespace {

using store::LogAnswer;
using store::LogMessage;
using store::LogPut;

constexpr std::size_t read_at_once = 500;
constexpr std::uint64_t wait_ms = 250;
constexpr std::uint64_t open_ms = 5'000;

std::string body_of(const KeptResponse* response) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  if (response != nullptr) {
    json.member("target", response->target).member("model", response->model);
    json.member_boolean("held", response->held).member_boolean("booked", response->booked);
  }
  json.end_object();
  return out;
}

// Without a target: it is no more.
std::optional<KeptResponse> response_of(const json::Value& body) {
  if (body.find("target") == nullptr) {
    return std::nullopt;
  }
  return KeptResponse{std::string(json::text_of(body, "target")), std::string(json::text_of(body, "model")),
                      json::flag_of(body, "held"), json::flag_of(body, "booked")};
}

}  // namespace

struct ResponseSharing::State : std::enable_shared_from_this<ResponseSharing::State> {
  State(std::unique_ptr<store::SharedLog> with, std::string name) : process(std::move(name)), log(std::move(with)) {}

  const std::string process;
  std::shared_mutex log_mutex;  // alone: by who closes it
  std::unique_ptr<store::SharedLog> log;
  std::mutex mutex;
  std::condition_variable read_on;
  std::deque<LogPut> pending;  // were not stored
  std::size_t dropped = 0;     // of these, since it was told
  std::uint64_t counter = 0;
  std::uint64_t position = 0;
  bool stopping = false;
  ResponseBook* book = nullptr;
  std::function<void(const std::string&)> warn;
  std::thread follower;

  bool stops() {
    const std::lock_guard lock(mutex);
    return stopping;
  }
  void tell(const std::string& key, const KeptResponse* response);
  void put(LogPut what);
  void put_pending();
  void take(const LogMessage& message);
  void follow();
};

void ResponseSharing::State::tell(const std::string& key, const KeptResponse* response) {
  LogPut what;
  what.subject = key;
  what.by = process;
  what.body = body_of(response);
  {
    const std::lock_guard lock(mutex);
    what.id = process + "-r" + std::to_string(++counter);
  }
  put(std::move(what));
}

void ResponseSharing::State::put(LogPut what) {
  const std::shared_lock use(log_mutex);
  if (log == nullptr) {
    return;
  }
  const auto kept = std::make_shared<LogPut>(what);
  log->put(std::move(what), [self = shared_from_this(), kept](const LogAnswer& answer) {
    if (answer.what == LogAnswer::What::stored) {
      return;
    }
    const std::lock_guard lock(self->mutex);
    const bool again = answer.what == LogAnswer::What::away && self->pending.size() < pending_max;
    if (again) {
      self->pending.push_back(std::move(*kept));
    } else {
      ++self->dropped;
    }
  });
}

void ResponseSharing::State::put_pending() {
  std::deque<LogPut> again;
  std::size_t lost = 0;
  {
    const std::lock_guard lock(mutex);
    again = std::exchange(pending, {});
    lost = std::exchange(dropped, 0);
  }
  for (LogPut& one : again) {
    put(std::move(one));
  }
  if (lost != 0 && warn) {
    warn("of " + std::to_string(lost) +
         " responses the other proxies were not told whose they are: the servers did not take it");
  }
}

void ResponseSharing::State::take(const LogMessage& message) {
  json::Arena arena;
  const Result<json::Value> body = json::parse(message.body, arena);
  if (message.by == process || !body) {
    return;
  }
  const TimePoint now = moment_now();
  book->take(message.subject, response_of(body.value()), now.wall_ms - std::min(message.at_ms, now.wall_ms), now);
}

void ResponseSharing::State::follow() {
  std::uint64_t reconnects = log->reconnects();
  while (!stops()) {
    const Result<std::vector<LogMessage>> came = log->next(position, read_at_once, wait_ms);
    if (!came) {
      std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
    } else {
      for (const LogMessage& one : came.value()) {
        take(one);
      }
      if (log->problem().empty()) {
        put_pending();
      }
    }
    // Servers that have lost what they had begin anew.
    bool anew = false;
    if (log->reconnects() != reconnects) {
      const Result<store::LogHead> head = log->head();
      reconnects = head ? log->reconnects() : reconnects;
      anew = head && head.value().last < position;
    }
    const std::lock_guard lock(mutex);
    position = anew ? 0 : came && !came.value().empty() ? came.value().back().sequence : position;
    read_on.notify_all();
  }
}

ResponseSharing::ResponseSharing(std::unique_ptr<store::SharedLog> log, std::string process)
    : state_(std::make_shared<State>(std::move(log), std::move(process))) {}

void ResponseSharing::attach(ResponseBook& book, std::function<void(const std::string&)> warn) {
  State* const of = state_.get();
  of->book = &book;
  of->warn = std::move(warn);
  book.share([state = state_](const std::string& key, const KeptResponse* response) { state->tell(key, response); });
  const Result<store::LogHead> head = of->log->head();
  of->follower = std::thread([of] { of->follow(); });
  if (!head) {
    of->warn("whose the responses are that providers keep is not known yet: " + head.error().message);
    return;
  }
  std::unique_lock lock(of->mutex);
  if (!of->read_on.wait_for(lock, std::chrono::milliseconds(open_ms),
                            [&] { return of->position >= head.value().last; })) {
    lock.unlock();
    of->warn("whose the responses are that providers keep is not read to its end yet");
  }
}

ResponseSharing::~ResponseSharing() {
  if (state_->book != nullptr) {
    state_->book->share({});
  }
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  if (state_->follower.joinable()) {
    state_->follower.join();
  }
  // Answers that are not there yet hold the state; with the log they are told.
  std::unique_ptr<store::SharedLog> last;
  const std::unique_lock alone(state_->log_mutex);
  last = std::move(state_->log);
}

}  // namespace plumb::proxy
