#include "native/store/nats/jetstream.hpp"

#include <utility>

#include "native/store/nats/following.hpp"
#include "native/store/nats/hearing.hpp"
#include "native/store/nats/publishing.hpp"
#include "native/store/nats/servers.hpp"
#include "native/store/nats/streams.hpp"
#include "native/store/nats/text_pieces.hpp"

namespace plumb::store {

namespace {

std::string room_of(Keeps keeps) {
  switch (keeps) {
    case Keeps::runs:
      return "runs";
    case Keeps::told:
      return "told";
    case Keeps::calls:
      return "calls";
    case Keeps::responses:
      return "responses";
    case Keeps::proxies:
      break;
  }
  return "proxies";
}

class JetStream final : public SharedLog {
 public:
  explicit JetStream(const JetStreamSettings& settings)
      : room_(room_of(settings.keeps)),
        texts_room_(settings.keeps == Keeps::calls ? "replies" : "texts"),
        messages_(settings.address.name + "-" + room_),
        texts_stream_(settings.address.name + "-" + texts_room_),
        servers_(settings),
        streams_(servers_),
        publishing_(servers_),
        texts_(servers_, streams_, publishing_, texts_stream_, texts_room_),
        following_(servers_, messages_, room_),
        hearing_(servers_) {}
  ~JetStream() override;
  std::optional<Error> open();

  std::size_t message_bytes_max() const override { return servers_.body_bytes_max(); }
  void put(LogPut put, std::function<void(const LogAnswer&)> done) override;
  Result<LogHead> head() override;
  Result<LogMessage> last(const std::string& subject) override;
  Result<bool> erase(std::uint64_t sequence) override { return streams_.erase(messages_, sequence); }
  Result<std::vector<LogMessage>> next(std::uint64_t after, std::size_t messages_max,
                                       std::uint64_t timeout_ms) override {
    return following_.next(after, messages_max, timeout_ms);
  }
  void put_text(std::string name, std::string text, std::function<void(const LogAnswer&)> done) override {
    texts_.put(name, std::move(text), std::move(done));
  }
  Result<std::string> text(const std::string& name) override { return texts_.text(name); }
  Result<bool> remove_text(const std::string& name, std::uint64_t before_ms) override {
    return texts_.remove(name, before_ms);
  }
  Result<std::vector<std::string>> text_names() override { return texts_.names(); }
  void say(const std::string& subject, const std::string& text) override { hearing_.say(subject, text); }
  Result<std::string> ask(const std::string& subject, const std::string& text, std::uint64_t timeout_ms) override {
    return hearing_.ask(subject, text, timeout_ms);
  }
  Result<bool> hear(const std::string& subject, Hearer hearer) override {
    return hearing_.hear(subject, std::move(hearer));
  }
  void stop_hearing() override { hearing_.stop(); }
  std::string problem() override { return servers_.problem(); }
  std::uint64_t reconnects() override { return servers_.reconnects(); }

 private:
  std::optional<Error> make_streams();
  void warn() const;

  const std::string room_, texts_room_, messages_, texts_stream_;
  Servers servers_;
  Streams streams_;
  Publishing publishing_;
  TextPieces texts_;
  Following following_;
  Hearing hearing_;
};

std::optional<Error> JetStream::open() {
  if (std::optional<Error> error = servers_.connect()) {
    return error;
  }
  if (std::optional<Error> error = publishing_.open()) {
    return error;
  }
  if (std::optional<Error> error = make_streams()) {
    return error;
  }
  if (servers_.settings().keeps == Keeps::runs) {
    warn();
  }
  return std::nullopt;
}

std::optional<Error> JetStream::make_streams() {
  const Keeps keeps = servers_.settings().keeps;
  const KeptBounds& bounds = servers_.settings().bounds;
  const bool bounded = keeps == Keeps::calls || keeps == Keeps::responses;
  const StreamWish messages = {messages_, servers_.subject(room_ + ".>"), keeps != Keeps::runs,
                               bounded ? bounds.calls_bytes_max : 0};
  if (std::optional<Error> error = streams_.make(messages)) {
    return error;
  }
  if (keeps != Keeps::calls && keeps != Keeps::runs) {
    return std::nullopt;  // no texts
  }
  return streams_.make(
      {texts_stream_, servers_.subject(texts_room_ + ".>"), true, bounded ? bounds.replies_bytes_max : 0});
}

void JetStream::warn() const {
  const NatsAddress& address = servers_.settings().address;
  const int replicas = streams_.replicas();
  const std::string lost =
      replicas > 1 ? "a loss of power of all servers at once takes" : "a loss of power of the server takes";
  if (!address.sync_always) {
    servers_.tell(StoreTold::warning,
                  "how often these servers write to the disk cannot be known from here: unless their configuration has "
                  "'sync_interval: always', it is every two minutes, and " +
                      lost +
                      " what was confirmed since (docs/scale.md; '?sync=always' in the address says that it is set)");
  }
  if (replicas == 1 && address.servers.size() > 1) {
    servers_.tell(StoreTold::warning,
                  "several servers are named, and only one of them keeps the runs: the streams were made with "
                  "one replica");
  }
}

JetStream::~JetStream() {
  servers_.begin_closing();
  publishing_.begin_closing();
  hearing_.stop();
  following_.stop();
  servers_.close();
  publishing_.close();
  following_.close();
}

void JetStream::put(LogPut put, std::function<void(const LogAnswer&)> done) {
  Headers headers = {{"Nats-Msg-Id", std::move(put.id)}, {"Plumb-By", std::move(put.by)}};
  if (put.expected) {
    headers.emplace_back("Nats-Expected-Last-Subject-Sequence", std::to_string(*put.expected));
  }
  publishing_.publish(servers_.subject(room_ + "." + put.subject), put.body, headers, std::move(done));
}

Result<LogHead> JetStream::head() {
  Result<LogHead> head = streams_.head(messages_);
  if (head) {
    servers_.note_answer();
  }
  return head;
}

Result<LogMessage> JetStream::last(const std::string& subject) {
  const Result<Owned<natsMsg>> got = streams_.last(messages_, servers_.subject(room_ + "." + subject));
  if (!got) {
    return got.error();
  }
  natsMsg* const one = got.value().get();
  LogMessage out;
  out.sequence = natsMsg_GetSequence(one);
  out.at_ms = static_cast<std::uint64_t>(natsMsg_GetTime(one) / 1'000'000);
  out.subject = subject;
  out.id = header_of(one, "Nats-Msg-Id");
  out.by = header_of(one, "Plumb-By");
  out.body = text_of(one);
  return out;
}

}  // namespace

Result<std::unique_ptr<SharedLog>> open_jetstream(const JetStreamSettings& settings) {
  auto log = std::make_unique<JetStream>(settings);
  if (std::optional<Error> error = log->open()) {
    return *error;
  }
  return std::unique_ptr<SharedLog>(std::move(log));
}

}  // namespace plumb::store
