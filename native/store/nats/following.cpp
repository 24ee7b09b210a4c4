#include "native/store/nats/following.hpp"

namespace plumb::store {

namespace {

constexpr std::uint64_t unfollowed_ms = 10'000;
constexpr std::int64_t heartbeat_ns = 1'000'000'000;

}  // namespace

void Following::stop() {
  const std::uint64_t now = steady_ms();
  while (!unfollowed_.empty() && now > unfollowed_.front().second + unfollowed_ms) {
    unfollowed_.erase(unfollowed_.begin());
  }
  if (followed_ != nullptr) {
    natsSubscription_Unsubscribe(followed_.get());
    unfollowed_.emplace_back(std::move(followed_), now);
  }
}

std::optional<Error> Following::follow_from(std::uint64_t after) {
  stop();
  jsSubOptions options;
  jsSubOptions_Init(&options);
  options.Stream = stream_.c_str();
  options.Ordered = true;
  options.Config.DeliverPolicy = js_DeliverByStartSequence;
  options.Config.OptStartSeq = after + 1;
  options.Config.Heartbeat = heartbeat_ns;
  natsSubscription* made = nullptr;
  jsErrCode code{};
  const natsStatus status =
      js_SubscribeSync(&made, servers_.jetstream(), servers_.subject(room_ + ".>").c_str(), nullptr, &options, &code);
  followed_.reset(made);
  if (status != NATS_OK) {
    followed_.reset();
    return servers_.away(status);
  }
  given_ = after;
  followed_since_ = servers_.reconnects();
  return std::nullopt;
}

Result<std::vector<LogMessage>> Following::next(std::uint64_t after, std::size_t messages_max,
                                                std::uint64_t timeout_ms) {
  if (servers_.is_away()) {
    servers_.wait_while_away(timeout_ms);
    return servers_.is_lost();
  }
  if (followed_ == nullptr || given_ != after || followed_since_ != servers_.reconnects()) {
    if (std::optional<Error> error = follow_from(after)) {
      return *error;
    }
  }
  const std::size_t before_subject = servers_.subject(room_ + ".").size();
  std::vector<LogMessage> out;
  std::uint64_t queued = 0;
  do {
    natsMsg* got = nullptr;
    const natsStatus status =
        natsSubscription_NextMsg(&got, followed_.get(), out.empty() ? static_cast<std::int64_t>(timeout_ms) : 1);
    const Owned<natsMsg> one(got);
    if (status == NATS_TIMEOUT) {
      break;
    }
    jsMsgMetaData* about = nullptr;
    if (status != NATS_OK || natsMsg_GetMetaData(&about, got) != NATS_OK) {
      stop();  // begun anew from what was given
      if (out.empty() && status != NATS_MISSED_HEARTBEAT && status != NATS_MISMATCH) {
        return servers_.away(status);
      }
      break;
    }
    LogMessage message;
    message.sequence = about->Sequence.Stream;
    message.at_ms = static_cast<std::uint64_t>(about->Timestamp / 1'000'000);
    jsMsgMetaData_Destroy(about);
    if (message.sequence <= given_) {
      continue;
    }
    message.subject = std::string(natsMsg_GetSubject(got)).substr(before_subject);
    message.id = header_of(got, "Nats-Msg-Id");
    message.by = header_of(got, "Plumb-By");
    message.body = text_of(got);
    given_ = message.sequence;
    out.push_back(std::move(message));
    natsSubscription_QueuedMsgs(followed_.get(), &queued);
  } while (out.size() < messages_max && queued > 0);
  return out;
}

}  // namespace plumb::store
