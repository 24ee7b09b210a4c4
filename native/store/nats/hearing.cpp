#include "native/store/nats/hearing.hpp"

#include <functional>
#include <utility>

namespace plumb::store {

namespace {

constexpr std::int64_t drain_ms = 500;
constexpr std::int64_t drained_ms = 1'000;

}  // namespace

void Hearing::say(const std::string& subject, const std::string& text) const {
  if (!servers_.is_away()) {
    natsConnection_Publish(servers_.connection(), servers_.subject(subject).c_str(), text.data(),
                           static_cast<int>(text.size()));
  }
}

Result<std::string> Hearing::ask(const std::string& subject, const std::string& text, std::uint64_t timeout_ms) const {
  if (servers_.is_away()) {
    return servers_.is_lost();
  }
  natsMsg* got = nullptr;
  const natsStatus status =
      natsConnection_Request(&got, servers_.connection(), servers_.subject(subject).c_str(), text.data(),
                             static_cast<int>(text.size()), static_cast<std::int64_t>(timeout_ms));
  const Owned<natsMsg> answer(got);
  if (status == NATS_OK) {
    return text_of(got);
  }
  if (status == NATS_NO_RESPONDERS) {
    return servers_.not_there("the host that is asked is not there");
  }
  return servers_.away("the host that drives it has not answered in time: it may have done it");
}

Result<bool> Hearing::hear(const std::string& subject, SharedLog::Hearer hearer) {
  auto one = std::make_unique<Heard>();
  one->connection = servers_.connection();
  one->hearer = std::move(hearer);
  natsSubscription* made = nullptr;
  const natsStatus status = natsConnection_Subscribe(
      &made, servers_.connection(), servers_.subject(subject).c_str(),
      [](natsConnection*, natsSubscription*, natsMsg* got, void* heard) {
        auto* const its = static_cast<Heard*>(heard);
        const char* reply = natsMsg_GetReply(got);
        std::function<void(std::string)> answer;
        if (reply != nullptr && *reply != '\0') {
          answer = [connection = its->connection, to = std::string(reply)](const std::string& text) {
            natsConnection_Publish(connection, to.c_str(), text.data(), static_cast<int>(text.size()));
          };
        }
        its->hearer(natsMsg_GetSubject(got), text_of(got), std::move(answer));
        natsMsg_Destroy(got);
      },
      one.get());
  if (status != NATS_OK) {
    return servers_.away(status);
  }
  one->subscription.reset(made);
  const std::lock_guard<std::mutex> lock(mutex_);
  heard_.push_back(std::move(one));
  return true;
}

void Hearing::stop() {
  std::vector<std::unique_ptr<Heard>> heard;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    heard.swap(heard_);
  }
  for (const std::unique_ptr<Heard>& one : heard) {
    // Until who is being told has been told.
    if (natsSubscription_DrainTimeout(one->subscription.get(), drain_ms) == NATS_OK) {
      natsSubscription_WaitForDrainCompletion(one->subscription.get(), drained_ms);
    }
  }
}

}  // namespace plumb::store
