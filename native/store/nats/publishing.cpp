#include "native/store/nats/publishing.hpp"

#include <chrono>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/reason.hpp"

namespace plumb::store {

namespace {

constexpr int wrong_sequence = 10071;  // JSStreamWrongLastSequenceErrF
constexpr int server_failed = 500;
constexpr std::uint64_t sweep_ms = 100;

LogAnswer answer_of(const std::string& text) {
  LogAnswer answer;
  json::Arena arena;
  const Result<json::Value> read = json::parse(text, arena);
  const json::Value* error = read ? read.value().find("error") : nullptr;
  if (!read) {
    answer.why = "the servers' answer is not JSON";
  } else if (error == nullptr) {
    answer.what = LogAnswer::What::stored;
    answer.sequence = json::number_of(read.value(), "seq");
  } else {
    answer.what = json::number_of(*error, "err_code") == wrong_sequence ? LogAnswer::What::refused
                  : json::number_of(*error, "code") >= server_failed    ? LogAnswer::What::away
                                                                        : LogAnswer::What::never;
    answer.why = json::text_of(*error, "description");
  }
  return answer;
}

}  // namespace

std::optional<Error> Publishing::open() {
  natsInbox* inbox = nullptr;
  natsStatus status = natsInbox_Create(&inbox);
  if (status != NATS_OK) {
    return servers_.away(status);
  }
  inbox_ = inbox;
  natsInbox_Destroy(inbox);
  natsSubscription* answers = nullptr;
  status = natsConnection_Subscribe(
      &answers, servers_.connection(), (inbox_ + ".*").c_str(),
      [](natsConnection*, natsSubscription*, natsMsg* one, void* self) {
        static_cast<Publishing*>(self)->answer_came(one);
        natsMsg_Destroy(one);
      },
      this);
  if (status != NATS_OK) {
    return servers_.away(status);
  }
  answers_.reset(answers);
  sweeper_ = std::thread([this] { sweep(); });
  return std::nullopt;
}

Owned<natsMsg> Publishing::message(const std::string& subject, const std::string& reply, std::string_view body,
                                   const Headers& headers) const {
  natsMsg* made = nullptr;
  const natsStatus status =
      natsMsg_Create(&made, subject.c_str(), reply.c_str(), body.data(), static_cast<int>(body.size()));
  Owned<natsMsg> out(status == NATS_OK ? made : nullptr);
  for (const auto& [name, value] : headers) {
    if (out != nullptr) {
      natsMsgHeader_Set(out.get(), name, value.c_str());
    }
  }
  return out;
}

// Who waits under this subject, and waits no more. Empty: nobody does.
Answered Publishing::take(const std::string& reply) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = waiting_.find(reply);
  if (found == waiting_.end()) {
    return {};
  }
  Answered done = std::move(found->second.done);
  waiting_.erase(found);
  return done;
}

void Publishing::publish(const std::string& subject, std::string_view body, const Headers& headers, Answered done) {
  std::string reply;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    reply = inbox_ + "." + std::to_string(++counter_);
  }
  const Owned<natsMsg> made = message(subject, reply, body, headers);
  natsStatus status = made == nullptr ? NATS_NO_MEMORY : servers_.is_away() ? NATS_CONNECTION_DISCONNECTED : NATS_OK;
  if (status == NATS_OK) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      waiting_[reply] = {std::move(done), steady_ms() + servers_.settings().answer_ms};
    }
    status = natsConnection_PublishMsg(servers_.connection(), made.get());
    if (status == NATS_OK) {
      return;
    }
    done = take(reply);
    if (!done) {
      return;
    }
  }
  LogAnswer answer;
  answer.what = status == NATS_MAX_PAYLOAD ? LogAnswer::What::never : LogAnswer::What::away;
  answer.why = status == NATS_CONNECTION_DISCONNECTED ? servers_.problem() : servers_.away(status).message;
  answer.reason = answer.what == LogAnswer::What::away ? Reason::unreachable : Reason::none;
  done(answer);
}

void Publishing::answer_came(natsMsg* one) {
  const Answered done = take(natsMsg_GetSubject(one));
  if (!done) {
    return;
  }
  if (natsMsg_IsNoResponders(one)) {
    done({LogAnswer::What::away, 0, servers_.away(NATS_NO_RESPONDERS).message});
  } else {
    done(answer_of(text_of(one)));
  }
}

void Publishing::sweep() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!closing_ || !waiting_.empty()) {
    changed_.wait_for(lock, std::chrono::milliseconds(sweep_ms), [&] { return closing_; });
    std::vector<Answered> late;
    const std::uint64_t now = steady_ms();
    for (auto at = waiting_.begin(); at != waiting_.end();) {
      if (closing_ || now >= at->second.until_ms) {
        late.push_back(std::move(at->second.done));
        at = waiting_.erase(at);
      } else {
        ++at;
      }
    }
    lock.unlock();
    for (const Answered& done : late) {
      done({LogAnswer::What::away, 0, servers_.away(NATS_TIMEOUT).message});
    }
    lock.lock();
  }
}

void Publishing::begin_closing() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
}

void Publishing::close() {
  answers_.reset();
  if (sweeper_.joinable()) {
    sweeper_.join();
  }
}

Publishing::~Publishing() {
  begin_closing();
  close();
}

}  // namespace plumb::store
