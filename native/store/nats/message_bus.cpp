// One thread connects, and connects anew whenever the connection is closed; the library's own reconnecting is off, so
// that there is one way only, and a login that is refused is tried again like all else.
#include "native/store/message_bus.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <utility>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "native/store/nats/client.hpp"

namespace plumb::store {

namespace {

constexpr int connect_ms = 2'000;
constexpr int ping_ms = 2'000;
constexpr int no_stream = 10059;  // JSStreamNotFoundErr
constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t kept_s = std::int64_t{7} * 24 * 3'600;
constexpr std::int64_t ids_known_s = 3'600;
constexpr auto closed_wait = std::chrono::seconds(5);

class NatsBus final : public MessageBus {
 public:
  explicit NatsBus(BusSettings settings) : settings_(std::move(settings)) {
    for (const BusSettings::Heard& one : settings_.hears) {
      heard_.push_back({this, &one});
    }
    thread_ = std::thread([this] { keep_connected(); });
  }
  ~NatsBus() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      closing_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  BusAnswer put(const BusMessage& message) override;
  void say(const std::string& subject, const std::string& body) override {
    const std::shared_lock<std::shared_mutex> use(connection_mutex_);
    if (connection_ != nullptr) {
      natsConnection_Publish(connection_, subject.c_str(), body.data(), static_cast<int>(body.size()));
    }
  }
  bool is_stored(const std::string& subject) override {
    const std::shared_lock<std::shared_mutex> use(connection_mutex_);
    const Result<std::vector<std::string>> streams = connection_ == nullptr ? Error{} : streams_of(subject);
    return !streams || !streams.value().empty();
  }
  std::string problem() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return problem_;
  }

 private:
  struct Subscribed {
    NatsBus* bus = nullptr;
    const BusSettings::Heard* heard = nullptr;
  };

  void keep_connected();
  std::string connect();
  void disconnect();
  std::string make_stream(const BusSettings::Keeps& keeps);
  Result<std::vector<std::string>> streams_of(const std::string& subject);
  Result<std::string> request(const std::string& what, const std::string& text);
  void tell(StoreTold kind, const std::string& text) const {
    if (settings_.told) {
      settings_.told(kind, settings_.address.shown + ": " + text);
    }
  }
  void turned(const std::string& problem);

  Library library_;
  const BusSettings settings_;
  std::vector<Subscribed> heard_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string problem_ = "it is not connected yet";
  bool told_away_ = false;
  bool closing_ = false;
  bool closed_ = false;  // the connection is, and the library calls us no more

  std::shared_mutex connection_mutex_;  // held by all that use these, alone by who makes or ends them
  natsConnection* connection_ = nullptr;
  jsCtx* js_ = nullptr;
  std::vector<Owned<natsSubscription>> subscriptions_;
  std::thread thread_;
};

// Whether it only says again that the servers are not reached. What is met on the way there differs from try to try.
bool is_unreached(const std::string& problem) {
  constexpr natsStatus ways[] = {NATS_NO_SERVER, NATS_TIMEOUT, NATS_IO_ERROR, NATS_CONNECTION_CLOSED,
                                 NATS_CONNECTION_DISCONNECTED};
  return std::any_of(std::begin(ways), std::end(ways), [&](natsStatus one) { return problem == why_away(one); });
}

// Says so where it is another problem than before, or none any more; once for as long as the servers are not reached.
void NatsBus::turned(const std::string& problem) {
  bool was_away = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (problem == problem_) {
      return;
    }
    problem_ = problem;
    was_away = std::exchange(told_away_, !problem.empty());
  }
  if (was_away && is_unreached(problem)) {
    return;
  }
  if (!problem.empty()) {
    tell(StoreTold::error, problem + "; what is to be told waits in the store of runs");
  } else {
    tell(was_away ? StoreTold::warning : StoreTold::note, was_away ? "connected again" : "connected");
  }
}

void NatsBus::keep_connected() {
  std::uint64_t again_ms = settings_.again_ms;
  for (;;) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      closed_ = false;
    }
    const std::string problem = connect();
    const bool connected = problem.empty();
    turned(problem);
    std::unique_lock<std::mutex> lock(mutex_);
    if (connected) {
      changed_.wait(lock, [&] { return closing_ || closed_; });
    } else {
      changed_.wait_for(lock, std::chrono::milliseconds(again_ms), [&] { return closing_; });
    }
    again_ms = connected ? settings_.again_ms : std::min(2 * again_ms, 10 * settings_.again_ms);
    const bool closing = closing_;
    lock.unlock();
    disconnect();
    if (closing) {
      return;
    }
    if (connected) {
      turned("the connection is lost");
    }
  }
}

// Empty: it is connected. Else why not.
std::string NatsBus::connect() {
  natsOptions* made = nullptr;
  natsStatus status = natsOptions_Create(&made);
  const Owned<natsOptions> options(made);
  if (status != NATS_OK) {
    return why_away(status);
  }
  if (std::optional<Error> error = log_in(made, settings_.address, settings_.authorities)) {
    return error->message;
  }
  std::vector<const char*> servers;
  for (const std::string& one : settings_.address.servers) {
    servers.push_back(one.c_str());
  }
  const auto set = [&](natsStatus how) { status = status == NATS_OK ? how : status; };
  set(natsOptions_SetServers(made, servers.data(), static_cast<int>(servers.size())));
  set(natsOptions_SetName(made, "plumb events"));
  set(natsOptions_SetTimeout(made, connect_ms));
  set(natsOptions_SetAllowReconnect(made, false));
  set(natsOptions_SetPingInterval(made, ping_ms));
  set(natsOptions_SetMaxPingsOut(made, 2));
  set(natsOptions_SetSendAsap(made, true));
  set(natsOptions_SetErrorHandler(
      made,
      [](natsConnection*, natsSubscription*, natsStatus error, void* self) {
        static_cast<NatsBus*>(self)->tell(
            StoreTold::warning, error == NATS_SLOW_CONSUMER ? "messages come faster than they are heard: some are lost"
                                : error == NATS_NOT_PERMITTED ? "this login may not publish or hear all of it"
                                                              : natsStatus_GetText(error));
      },
      this));
  set(natsOptions_SetClosedCB(
      made,
      [](natsConnection*, void* self) {
        auto* const bus = static_cast<NatsBus*>(self);
        const std::lock_guard<std::mutex> lock(bus->mutex_);
        bus->closed_ = true;
        bus->changed_.notify_all();
      },
      this));
  const std::unique_lock<std::shared_mutex> alone(connection_mutex_);
  set(status == NATS_OK ? natsConnection_Connect(&connection_, made) : status);
  if (status != NATS_OK) {
    connection_ = nullptr;
    return why_unconnected(status, settings_.address);
  }
  set(natsConnection_JetStream(&js_, connection_, nullptr));
  for (Subscribed& one : heard_) {
    natsSubscription* subscription = nullptr;
    const natsMsgHandler handler = [](natsConnection*, natsSubscription*, natsMsg* got, void* its) {
      const auto* const subscribed = static_cast<Subscribed*>(its);
      const char* reply = natsMsg_GetReply(got);
      BusMessage message{natsMsg_GetSubject(got), header_of(got, "Nats-Msg-Id"), header_of(got, "Plumb-By"),
                         text_of(got)};
      message.reply = reply == nullptr ? "" : reply;
      natsMsg_Destroy(got);
      subscribed->heard->hear(std::move(message));
    };
    const char* subject = one.heard->subject.c_str();
    set(one.heard->group.empty() ? natsConnection_Subscribe(&subscription, connection_, subject, handler, &one)
                                 : natsConnection_QueueSubscribe(&subscription, connection_, subject,
                                                                 one.heard->group.c_str(), handler, &one));
    if (subscription != nullptr) {
      subscriptions_.emplace_back(subscription);
      set(natsSubscription_SetPendingLimits(subscription, heard_messages_max, heard_bytes_max));
    }
  }
  std::string problem = status == NATS_OK ? std::string() : why_away(status);
  for (const BusSettings::Keeps& one : settings_.keeps) {
    problem = problem.empty() ? make_stream(one) : problem;
  }
  return problem;
}

void NatsBus::disconnect() {
  natsConnection* connection = nullptr;
  {
    const std::unique_lock<std::shared_mutex> alone(connection_mutex_);
    jsCtx_Destroy(std::exchange(js_, nullptr));
    connection = std::exchange(connection_, nullptr);
  }
  if (connection == nullptr) {
    return;
  }
  for (const Owned<natsSubscription>& one : subscriptions_) {
    // Until who is being told has been told.
    if (natsSubscription_DrainTimeout(one.get(), 500) == NATS_OK) {
      natsSubscription_WaitForDrainCompletion(one.get(), 1'000);
    }
  }
  natsConnection_Close(connection);
  {
    // The last thing that the library calls us for.
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, closed_wait, [&] { return closed_; });
  }
  subscriptions_.clear();
  natsConnection_Destroy(connection);
}

// ---------------------------------------------------------------- JetStream

// The error of the servers' has their number as line.
Result<std::string> NatsBus::request(const std::string& what, const std::string& text) {
  natsMsg* got = nullptr;
  const natsStatus status =
      natsConnection_Request(&got, connection_, ("$JS.API." + what).c_str(), text.data(), static_cast<int>(text.size()),
                             static_cast<std::int64_t>(settings_.answer_ms));
  const Owned<natsMsg> answer(got);
  if (status != NATS_OK) {
    return Error{ErrorCode::unavailable, why_away(status), "", 0, 0};
  }
  std::string out = text_of(got);
  json::Arena arena;
  const Result<json::Value> read = json::parse(out, arena);
  const json::Value* error = read ? read.value().find("error") : nullptr;
  if (!read || error != nullptr) {
    Error failed{ErrorCode::unavailable, "the servers' answer is not JSON", "", 0, 0};
    if (error != nullptr) {
      failed.message = json::text_of(*error, "description");
      failed.line = static_cast<std::size_t>(json::number_of(*error, "err_code"));
    }
    return failed;
  }
  return out;
}

Result<std::vector<std::string>> NatsBus::streams_of(const std::string& subject) {
  std::string text;
  json::Writer(text).begin_object().member("subject", subject).end_object();
  const Result<std::string> told = request("STREAM.NAMES", text);
  if (!told) {
    return told.error();
  }
  json::Arena arena;
  return json::texts_of(json::parse(told.value(), arena).value(), "streams");
}

// Empty: each of the subjects is taken by a stream. Else why not.
std::string NatsBus::make_stream(const BusSettings::Keeps& keeps) {
  std::vector<std::string> ours;
  const std::string stream = settings_.address.name + "-" + keeps.name;
  for (const std::string& subject : keeps.subjects) {
    const Result<std::vector<std::string>> streams = streams_of(subject);
    if (!streams) {
      return streams.error().message;
    }
    const auto& all = streams.value();
    if (all.empty() || std::find(all.begin(), all.end(), stream) != all.end()) {
      ours.push_back(subject);
    }
  }
  if (ours.empty()) {
    return {};
  }
  const Result<std::string> there = request("STREAM.INFO." + stream, "");
  if (!there && there.error().line != no_stream) {
    return there.error().message;
  }
  if (there) {
    json::Arena arena;
    const Result<json::Value> read = json::parse(there.value(), arena);
    const json::Value* config = read ? read.value().find("config") : nullptr;
    std::vector<std::string> has = config == nullptr ? std::vector<std::string>() : json::texts_of(*config, "subjects");
    std::sort(has.begin(), has.end());
    std::vector<std::string> wanted = ours;
    std::sort(wanted.begin(), wanted.end());
    if (has == wanted) {
      return {};
    }
  }
  const NatsAddress& address = settings_.address;
  std::string text;
  json::Writer json(text);
  json.begin_object().member("name", stream).key("subjects").begin_array();
  for (const std::string& one : ours) {
    json.string(one);
  }
  json.end_array().member("retention", "limits").member("storage", "file").member("discard", "old");
  json.key("num_replicas").integer(address.replicas > 0 ? address.replicas : address.servers.size() >= 3 ? 3 : 1);
  json.key("max_msgs").integer(-1).member_uint("max_bytes", keeps.bytes_max);
  json.key("max_age").integer(kept_s * second_ns).key("duplicate_window").integer(ids_known_s * second_ns);
  json.end_object();
  const Result<std::string> made = request((there ? "STREAM.UPDATE." : "STREAM.CREATE.") + stream, text);
  return made ? std::string() : "the stream '" + stream + "' cannot be made: " + made.error().message;
}

BusAnswer NatsBus::put(const BusMessage& message) {
  BusAnswer out;
  const std::shared_lock<std::shared_mutex> use(connection_mutex_);
  if (connection_ == nullptr || js_ == nullptr) {
    out.why = problem();
    return out;
  }
  natsMsg* made = nullptr;
  natsStatus status = natsMsg_Create(&made, message.subject.c_str(), nullptr, message.body.data(),
                                     static_cast<int>(message.body.size()));
  const Owned<natsMsg> one(made);
  status = status == NATS_OK ? natsMsgHeader_Set(made, "Nats-Msg-Id", message.id.c_str()) : status;
  status = status == NATS_OK ? natsMsgHeader_Set(made, "Plumb-By", message.by.c_str()) : status;
  jsPubOptions options;
  jsPubOptions_Init(&options);
  options.MaxWait = static_cast<std::int64_t>(settings_.answer_ms);
  jsPubAck* ack = nullptr;
  jsErrCode code{};
  status = status == NATS_OK ? js_PublishMsg(&ack, js_, made, &options, &code) : status;
  if (status == NATS_OK) {
    out.what = LogAnswer::What::stored;
    out.known = ack->Duplicate;
  } else if (status == NATS_MAX_PAYLOAD) {
    out.what = LogAnswer::What::never;
    out.why = "it is longer than the servers take";
  } else {
    out.why = status == NATS_NO_RESPONDERS ? "no stream takes the subject '" + message.subject + "'" : why_away(status);
  }
  jsPubAck_Destroy(ack);
  return out;
}

}  // namespace

Result<std::unique_ptr<MessageBus>> open_message_bus(BusSettings settings) {
  return std::unique_ptr<MessageBus>(std::make_unique<NatsBus>(std::move(settings)));
}

}  // namespace plumb::store
