#include "native/store/nats/jetstream.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "native/store/nats/client.hpp"

namespace plumb::store {

namespace {

constexpr int connect_ms = 2'000;
constexpr int reconnect_ms = 250;
constexpr int ping_ms = 2'000;
constexpr int closed_ms = 5'000;
constexpr int piece_bytes_max = 512 * 1024;
constexpr std::size_t room_for_headers = 2048;
constexpr int wrong_sequence = 10071;                  // JSStreamWrongLastSequenceErrF
constexpr int no_stream = 10059;                       // JSStreamNotFoundErr
constexpr int in_use = 10058;                          // JSStreamNameExistErr
constexpr int no_sequence = 10043;                     // JSSequenceNotFoundErr
constexpr int not_deleted = 10057;                     // JSStreamMsgDeleteFailed, for whatever reason it says
constexpr int no_answer = 408;                         // none of the servers': nobody has answered in time
constexpr int electing[] = {no_answer, 10008, 10009};  // JSClusterNotAvailErr, JSClusterNotLeaderErr
constexpr std::uint64_t quiet_ns = 5'000'000'000;
constexpr std::int64_t ids_known_ns = std::int64_t{120} * 1'000'000'000;
constexpr std::uint64_t electing_ms = 20'000;     // at the beginning
constexpr std::size_t names_at_once_max = 1'000;  // answers of one list, each of many names
constexpr std::uint64_t sweep_ms = 100;
constexpr std::uint64_t unfollowed_ms = 10'000;

using Told = std::function<void(StoreTold, const std::string&)>;

// Who is left of a stream's servers answers too, and a leader that has lost the others for some time: nothing can be
// stored then. Empty: a majority is there. (The answer of STREAM.INFO.)
std::string without_majority(const json::Value& info) {
  const json::Value* config = info.find("config");
  const json::Value* cluster = info.find("cluster");
  const std::uint64_t all = config == nullptr ? 1 : json::number_of(*config, "num_replicas", 1);
  if (all < 2 || cluster == nullptr) {
    return {};
  }
  if (json::text_of(*cluster, "leader").empty()) {
    return "its servers have not chosen which of them leads";
  }
  std::uint64_t there = all;
  for (const json::Value& one : json::list_of(*cluster, "replicas")) {
    // The leader hears each of them every second.
    const bool away = json::flag_of(one, "offline") || json::number_of(one, "active") > quiet_ns;
    there -= away && there > 0 ? 1 : 0;
  }
  return 2 * there > all ? std::string()
                         : "only " + std::to_string(there) + " of its " + std::to_string(all) + " servers are there";
}

// Whether the message that was to be erased is not there: the servers (2.9) say it in one way of those between the
// first and the last, and in another of those before the first.
bool is_gone(const Error& error) {
  return error.line == no_sequence || (error.line == not_deleted && error.message.ends_with("no message found"));
}

// What the library says again and again as long as a stream has nobody who leads.
bool is_unanswered(natsStatus status) {
  return status == NATS_TIMEOUT || status == NATS_NO_RESPONDERS || status == NATS_NO_SERVER ||
         status == NATS_IO_ERROR || status == NATS_CONNECTION_CLOSED || status == NATS_CONNECTION_DISCONNECTED;
}

// For people: without the number of the error.
Error away_for(Error error) {
  error.line = 0;
  return error;
}

std::uint64_t steady_ms() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

const char* room_of(Keeps keeps) {
  switch (keeps) {
    case Keeps::proxies:
      return "proxies";
    case Keeps::told:
      return "told";
    case Keeps::calls:
      return "calls";
    case Keeps::responses:
      return "responses";
    case Keeps::runs:
      break;
  }
  return "runs";
}

class JetStream final : public SharedLog {
 public:
  explicit JetStream(JetStreamSettings settings)
      : settings_(std::move(settings)),
        name_(settings_.address.name),
        room_(room_of(settings_.keeps)),
        texts_room_(settings_.keeps == Keeps::calls ? "replies" : "texts"),
        runs_(name_ + "-" + room_),
        texts_(name_ + "-" + texts_room_) {}
  ~JetStream() override;
  std::optional<Error> open();

  std::size_t message_bytes_max() const override { return payload_ - room_for_headers; }
  void put(LogPut put, std::function<void(const LogAnswer&)> done) override;
  Result<LogHead> head() override;
  Result<LogMessage> last(const std::string& subject) override;
  Result<bool> erase(std::uint64_t sequence) override;
  Result<std::vector<LogMessage>> next(std::uint64_t after, std::size_t messages_max,
                                       std::uint64_t timeout_ms) override;
  void put_text(std::string name, std::string text, std::function<void(const LogAnswer&)> done) override;
  Result<std::string> text(const std::string& name) override;
  Result<bool> remove_text(const std::string& name, std::uint64_t before_ms) override;
  Result<std::vector<std::string>> text_names() override;
  void say(const std::string& subject, const std::string& text) override;
  Result<std::string> ask(const std::string& subject, const std::string& text, std::uint64_t timeout_ms) override;
  Result<bool> hear(const std::string& subject, Hearer hearer) override;
  void stop_hearing() override;
  std::string problem() override;
  std::uint64_t reconnects() override { return reconnects_; }

 private:
  using Answered = std::function<void(const LogAnswer&)>;
  struct Waiting {
    Answered done;
    std::uint64_t until_ms = 0;
  };
  struct Heard {
    JetStream* log = nullptr;
    Hearer hearer;
    Owned<natsSubscription> subscription;
  };

  std::optional<Error> connect();
  // `bytes_max`: of a stream that is bounded (KeptBounds); 0: it is not.
  std::optional<Error> make_stream(const std::string& stream, const std::string& subjects, bool once,
                                   std::uint64_t bytes_max = 0);
  std::string stream_text(const std::string& stream, const std::string& subjects, bool once, std::uint64_t bytes_max,
                          int replicas) const;
  std::optional<Error> bound_stream(const std::string& text, const json::Value& config);
  void warn() const;
  void says(natsStatus error);
  void answers();
  Error away(natsStatus status) const;
  Error away(std::string why) const;
  // A request of JetStream's interface, and its answer. The error of the servers' has their number as line.
  Result<std::string> request(const std::string& what, const std::string& text);
  Result<std::string> first_request(const std::string& what, const std::string& text);
  void publish(Owned<natsMsg> message, Answered done);
  Owned<natsMsg> message(const std::string& subject, const std::string& reply, std::string_view body) const;
  void answer_came(natsMsg* message);
  void sweep();
  void put_pieces(const std::shared_ptr<std::string>& text, const std::string& name, std::size_t piece, Answered done);
  std::optional<Error> follow_from(std::uint64_t after);
  Result<Owned<natsMsg>> last_of(const std::string& stream, const std::string& whole_subject);
  Result<Owned<natsMsg>> piece_of(const std::string& name, std::size_t piece);
  std::string subject(const std::string& of) const { return name_ + "." + of; }
  std::size_t piece_bytes() const { return std::min<std::size_t>(piece_bytes_max, payload_ - room_for_headers); }
  void tell(StoreTold kind, const std::string& text) const {
    if (settings_.told) {
      settings_.told(kind, settings_.address.shown + ": " + text);
    }
  }

  Library library_;
  const JetStreamSettings settings_;
  const std::string name_, room_, texts_room_, runs_, texts_;
  std::size_t payload_ = 1U << 20U;
  int replicas_ = 0;
  natsConnection* connection_ = nullptr;
  jsCtx* js_ = nullptr;
  std::atomic<bool> away_{false};
  std::atomic<std::uint64_t> reconnects_{0};
  std::mutex said_mutex_;
  std::set<natsStatus> said_;  // what the library was told of since the servers have last answered for the stream

  std::string inbox_;
  Owned<natsSubscription> answers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Waiting> waiting_;  // by the subject that the answer comes under
  std::uint64_t counter_ = 0;
  bool closing_ = false;
  bool closed_ = false;
  std::thread sweeper_;

  std::mutex heard_mutex_;
  std::vector<std::unique_ptr<Heard>> heard_;

  // Of who follows. The library (3.4) uses a subscription that was destroyed while messages were on their way to it:
  // one that is not followed any more is unsubscribed, and destroyed later.
  void follow_no_more();
  Owned<natsSubscription> followed_;
  std::vector<std::pair<Owned<natsSubscription>, std::uint64_t>> unfollowed_;  // and since when
  std::uint64_t given_ = 0;                                                    // the last sequence that was given
  std::uint64_t followed_since_ = 0;
};

// ---------------------------------------------------------------- the connection

Error JetStream::away(natsStatus status) const { return away(why_away(status)); }

Error JetStream::away(std::string why) const {
  return Error{ErrorCode::unavailable, "cannot be reached: " + std::move(why), settings_.address.shown, 0, 0};
}

std::optional<Error> JetStream::connect() {
  natsOptions* made = nullptr;
  natsStatus status = natsOptions_Create(&made);
  const Owned<natsOptions> options(made);
  std::vector<const char*> servers;
  for (const std::string& one : settings_.address.servers) {
    servers.push_back(one.c_str());
  }
  if (status == NATS_OK) {
    if (std::optional<Error> error = log_in(made, settings_.address, settings_.authorities)) {
      return error;
    }
  }
  const auto set = [&](natsStatus how) { status = status == NATS_OK ? how : status; };
  set(natsOptions_SetServers(made, servers.data(), static_cast<int>(servers.size())));
  set(natsOptions_SetName(made, "plumb"));
  set(natsOptions_SetTimeout(made, connect_ms));
  set(natsOptions_SetMaxReconnect(made, -1));
  set(natsOptions_SetReconnectWait(made, reconnect_ms));
  set(natsOptions_SetReconnectJitter(made, reconnect_ms, reconnect_ms));
  set(natsOptions_SetReconnectBufSize(made, 64 * 1024));
  set(natsOptions_SetPingInterval(made, ping_ms));
  set(natsOptions_SetMaxPingsOut(made, 2));
  set(natsOptions_SetSendAsap(made, true));
  set(natsOptions_SetFailRequestsOnDisconnect(made, true));
  set(natsOptions_SetErrorHandler(
      made,
      [](natsConnection*, natsSubscription*, natsStatus error, void* self) {
        if (error != NATS_MISSED_HEARTBEAT && error != NATS_MISMATCH) {  // who follows begins anew
          static_cast<JetStream*>(self)->says(error);
        }
      },
      this));
  set(natsOptions_SetDisconnectedCB(
      made,
      [](natsConnection*, void* self) {
        auto* const log = static_cast<JetStream*>(self);
        bool closing = false;
        {
          const std::lock_guard<std::mutex> lock(log->mutex_);
          closing = log->closing_;
        }
        if (!closing && !log->away_.exchange(true)) {
          log->tell(StoreTold::error, "the connection is lost; runs wait until it is there again");
        }
      },
      this));
  set(natsOptions_SetReconnectedCB(
      made,
      [](natsConnection* connection, void* self) {
        auto* const log = static_cast<JetStream*>(self);
        char server[256] = "";
        natsConnection_GetConnectedUrl(connection, server, sizeof server);
        const std::string shown = server;
        log->away_ = false;
        ++log->reconnects_;
        log->tell(StoreTold::warning, "connected again, to " + shown.substr(shown.rfind('@') + 1));
      },
      this));
  set(natsOptions_SetClosedCB(
      made,
      [](natsConnection*, void* self) {
        auto* const log = static_cast<JetStream*>(self);
        const std::lock_guard<std::mutex> lock(log->mutex_);
        log->closed_ = true;
        log->changed_.notify_all();
      },
      this));
  set(status == NATS_OK ? natsConnection_Connect(&connection_, made) : status);
  return status == NATS_OK ? std::nullopt : std::optional<Error>(away(why_unconnected(status, settings_.address)));
}

std::optional<Error> JetStream::open() {
  if (std::optional<Error> error = connect()) {
    return error;
  }
  payload_ = static_cast<std::size_t>(std::max<std::int64_t>(64 * 1024, natsConnection_GetMaxPayload(connection_)));
  natsStatus status = natsConnection_JetStream(&js_, connection_, nullptr);
  natsInbox* inbox = nullptr;
  status = status == NATS_OK ? natsInbox_Create(&inbox) : status;
  if (status != NATS_OK) {
    return away(status);
  }
  inbox_ = inbox;
  natsInbox_Destroy(inbox);
  natsSubscription* answers = nullptr;
  status = natsConnection_Subscribe(
      &answers, connection_, (inbox_ + ".*").c_str(),
      [](natsConnection*, natsSubscription*, natsMsg* one, void* self) {
        static_cast<JetStream*>(self)->answer_came(one);
        natsMsg_Destroy(one);
      },
      this);
  if (status != NATS_OK) {
    return away(status);
  }
  answers_.reset(answers);
  sweeper_ = std::thread([this] { sweep(); });
  const bool bounded = settings_.keeps == Keeps::calls || settings_.keeps == Keeps::responses;
  if (std::optional<Error> error = make_stream(runs_, subject(room_ + ".>"), settings_.keeps != Keeps::runs,
                                               bounded ? settings_.bounds.calls_bytes_max : 0)) {
    return error;
  }
  if (settings_.keeps == Keeps::calls) {
    return make_stream(texts_, subject(texts_room_ + ".>"), true, settings_.bounds.replies_bytes_max);
  }
  if (settings_.keeps != Keeps::runs) {
    return std::nullopt;
  }
  if (std::optional<Error> error = make_stream(texts_, subject(texts_room_ + ".>"), true)) {
    return error;
  }
  warn();
  return std::nullopt;
}

void JetStream::warn() const {
  const std::string lost =
      replicas_ > 1 ? "a loss of power of all servers at once takes" : "a loss of power of the server takes";
  if (!settings_.address.sync_always) {
    tell(StoreTold::warning,
         "how often these servers write to the disk cannot be known from here: unless their configuration has "
         "'sync_interval: always', it is every two minutes, and " +
             lost + " what was confirmed since (docs/scale.md; '?sync=always' in the address says that it is set)");
  }
  if (replicas_ == 1 && settings_.address.servers.size() > 1) {
    tell(StoreTold::warning,
         "several servers are named, and only one of them keeps the runs: the streams were made with "
         "one replica");
  }
}

// Once, until the servers answer for the stream.
void JetStream::says(natsStatus error) {
  {
    const std::lock_guard<std::mutex> lock(said_mutex_);
    if (!said_.insert(is_unanswered(error) ? NATS_TIMEOUT : error).second) {
      return;
    }
  }
  tell(StoreTold::warning, is_unanswered(error) ? why_away(error) : natsStatus_GetText(error));
}

void JetStream::answers() {
  bool again = false;
  {
    const std::lock_guard<std::mutex> lock(said_mutex_);
    again = said_.count(NATS_TIMEOUT) != 0;
    said_.clear();
  }
  if (again) {
    tell(StoreTold::warning, "the servers answer again");
  }
}

JetStream::~JetStream() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  stop_hearing();
  follow_no_more();
  if (connection_ != nullptr) {
    natsConnection_FlushTimeout(connection_, 200);
    natsConnection_Close(connection_);
    // The last thing that the library calls us for.
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(closed_ms), [&] { return closed_; });
  }
  answers_.reset();
  unfollowed_.clear();
  if (sweeper_.joinable()) {
    sweeper_.join();
  }
  jsCtx_Destroy(js_);
  natsConnection_Destroy(connection_);
}

std::string JetStream::problem() {
  return away_ ? "cannot be reached: the connection to " + settings_.address.shown + " is lost" : std::string();
}

// ---------------------------------------------------------------- JetStream's interface

Result<std::string> JetStream::request(const std::string& what, const std::string& text) {
  if (away_) {
    return away("the connection is lost");
  }
  natsMsg* got = nullptr;
  const natsStatus status =
      natsConnection_Request(&got, connection_, ("$JS.API." + what).c_str(), text.data(), static_cast<int>(text.size()),
                             static_cast<std::int64_t>(settings_.answer_ms));
  const Owned<natsMsg> answer(got);
  if (status != NATS_OK) {
    Error failed = away(status);
    failed.line = status == NATS_TIMEOUT ? no_answer : 0;
    return failed;
  }
  std::string out = text_of(got);
  json::Arena arena;
  const Result<json::Value> read = json::parse(out, arena);
  const json::Value* error = read ? read.value().find("error") : nullptr;
  if (!read || error != nullptr) {
    Error failed = away(error == nullptr ? std::string("the servers' answer is no JSON")
                                         : std::string(json::text_of(*error, "description")));
    failed.line = error == nullptr ? 0 : static_cast<std::size_t>(json::number_of(*error, "err_code"));
    return failed;
  }
  return out;
}

// As request(), at the beginning: where a server was just lost the others choose who leads, which takes some seconds.
Result<std::string> JetStream::first_request(const std::string& what, const std::string& text) {
  const std::uint64_t until_ms = steady_ms() + electing_ms;
  for (;;) {
    Result<std::string> answer = request(what, text);
    bool again = !answer && std::find(std::begin(electing), std::end(electing),
                                      static_cast<int>(answer.error().line)) != std::end(electing);
    if (answer) {
      json::Arena arena;
      const Result<json::Value> read = json::parse(answer.value(), arena);
      const std::string lacks = read ? without_majority(read.value()) : std::string();
      if (!lacks.empty()) {
        answer = away(lacks);
        again = true;
      }
    }
    if (!again || steady_ms() >= until_ms || settings_.address.servers.size() < 2) {
      return answer;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(reconnect_ms));
  }
}

// The configuration of a stream, as JetStream's interface has it.
std::string JetStream::stream_text(const std::string& stream, const std::string& subjects, bool once,
                                   std::uint64_t bytes_max, int replicas) const {
  const std::int64_t age_ns = bytes_max == 0 ? 0 : static_cast<std::int64_t>(settings_.bounds.age_ms) * 1'000'000;
  std::string text;
  json::Writer json(text);
  json.begin_object().member("name", stream).key("subjects").begin_array().string(subjects).end_array();
  json.member("retention", "limits").member("storage", "file").member("discard", once ? "old" : "new");
  json.key("num_replicas").integer(replicas).key("max_msgs_per_subject").integer(once ? 1 : -1);
  json.key("max_msgs").integer(-1).key("max_bytes");
  json.integer(bytes_max == 0 ? -1 : static_cast<std::int64_t>(bytes_max)).key("max_age").integer(age_ns);
  json.key("duplicate_window").integer(age_ns == 0 ? ids_known_ns : std::min(ids_known_ns, age_ns));
  json.member_boolean("deny_delete", false);
  json.member_boolean("deny_purge", false).end_object();
  return text;
}

// A stream that is there, and may have other bounds. `text`: what it is to be.
std::optional<Error> JetStream::bound_stream(const std::string& text, const json::Value& config) {
  json::Arena arena;
  const Result<json::Value> wanted = json::parse(text, arena);
  for (const char* bound : {"max_age", "max_bytes"}) {
    if (json::number_of(wanted.value(), bound) != json::number_of(config, bound)) {
      const std::string name(json::text_of(config, "name"));
      const Result<std::string> done = request("STREAM.UPDATE." + name, text);
      if (done) {
        tell(StoreTold::note, "the stream '" + name + "' had other bounds of age or bytes; it has ours now");
      }
      return done ? std::nullopt : std::optional<Error>(away_for(done.error()));
    }
  }
  return std::nullopt;
}

std::optional<Error> JetStream::make_stream(const std::string& stream, const std::string& subjects, bool once,
                                            std::uint64_t bytes_max) {
  Result<std::string> there = first_request("STREAM.INFO." + stream, "");
  if (!there && there.error().line == no_stream) {
    const NatsAddress& address = settings_.address;
    const int replicas = address.replicas > 0 ? address.replicas : address.servers.size() >= 3 ? 3 : 1;
    there = first_request("STREAM.CREATE." + stream, stream_text(stream, subjects, once, bytes_max, replicas));
    if (!there && there.error().line == in_use) {
      there = request("STREAM.INFO." + stream, "");  // another host was faster
    }
  }
  if (!there) {
    return away_for(there.error());
  }
  json::Arena arena;
  const Result<json::Value> read = json::parse(there.value(), arena);
  const json::Value* config = read ? read.value().find("config") : nullptr;
  const std::vector<std::string> has =
      config == nullptr ? std::vector<std::string>() : json::texts_of(*config, "subjects");
  if (has != std::vector<std::string>{subjects}) {
    return Error{ErrorCode::invalid_argument,
                 "has a stream '" + stream + "' that is no store of runs; name another one behind the last '/'",
                 settings_.address.shown, 0, 0};
  }
  const int replicas = static_cast<int>(json::number_of(*config, "num_replicas", 1));
  replicas_ = replicas_ == 0 ? replicas : std::min(replicas_, replicas);
  return bytes_max == 0 ? std::nullopt
                        : bound_stream(stream_text(stream, subjects, once, bytes_max, replicas), *config);
}

Result<LogHead> JetStream::head() {
  const Result<std::string> told = request("STREAM.INFO." + runs_, "");
  if (!told) {
    return away_for(told.error());
  }
  json::Arena arena;
  const Result<json::Value> read = json::parse(told.value(), arena);
  const json::Value* state = read ? read.value().find("state") : nullptr;
  if (state == nullptr) {
    return away("the servers' answer has no state");
  }
  if (const std::string lacks = without_majority(read.value()); !lacks.empty()) {
    return away(lacks);
  }
  answers();
  LogHead out;
  out.made = json::text_of(read.value(), "created");
  out.first = json::number_of(*state, "first_seq");
  out.last = json::number_of(*state, "last_seq");
  out.messages = json::number_of(*state, "messages");
  return out;
}

// Asked of the stream's leader, which has what was confirmed.
Result<LogMessage> JetStream::last(const std::string& of) {
  const Result<Owned<natsMsg>> got = last_of(runs_, subject(room_ + "." + of));
  if (!got) {
    return got.error();
  }
  natsMsg* const one = got.value().get();
  LogMessage out;
  out.sequence = natsMsg_GetSequence(one);
  out.at_ms = static_cast<std::uint64_t>(natsMsg_GetTime(one) / 1'000'000);
  out.subject = of;
  out.id = header_of(one, "Nats-Msg-Id");
  out.by = header_of(one, "Plumb-By");
  out.body = text_of(one);
  return out;
}

Result<bool> JetStream::erase(std::uint64_t sequence) {
  std::string text;
  json::Writer(text).begin_object().member_uint("seq", sequence).end_object();
  const Result<std::string> done = request("STREAM.MSG.DELETE." + runs_, text);
  return done || is_gone(done.error()) ? Result<bool>(true) : Result<bool>(away_for(done.error()));
}

// ---------------------------------------------------------------- putting

Owned<natsMsg> JetStream::message(const std::string& to, const std::string& reply, std::string_view body) const {
  natsMsg* made = nullptr;
  const natsStatus status = natsMsg_Create(&made, to.c_str(), reply.empty() ? nullptr : reply.c_str(), body.data(),
                                           static_cast<int>(body.size()));
  return Owned<natsMsg>(status == NATS_OK ? made : nullptr);
}

void JetStream::publish(Owned<natsMsg> message, Answered done) {
  const std::string reply = message == nullptr ? std::string() : natsMsg_GetReply(message.get());
  natsStatus status = message == nullptr ? NATS_NO_MEMORY : away_ ? NATS_CONNECTION_DISCONNECTED : NATS_OK;
  if (status == NATS_OK) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      waiting_[reply] = {std::move(done), steady_ms() + settings_.answer_ms};
    }
    status = natsConnection_PublishMsg(connection_, message.get());
    if (status == NATS_OK) {
      return;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = waiting_.find(reply);
    if (found == waiting_.end()) {
      return;
    }
    done = std::move(found->second.done);
    waiting_.erase(found);
  }
  LogAnswer answer;
  answer.what = status == NATS_MAX_PAYLOAD ? LogAnswer::What::never : LogAnswer::What::away;
  answer.why = status == NATS_CONNECTION_DISCONNECTED ? problem() : away(status).message;
  done(answer);
}

void JetStream::answer_came(natsMsg* one) {
  Answered done;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = waiting_.find(natsMsg_GetSubject(one));
    if (found == waiting_.end()) {
      return;
    }
    done = std::move(found->second.done);
    waiting_.erase(found);
  }
  LogAnswer answer;
  if (natsMsg_IsNoResponders(one)) {
    answer.why = away(NATS_NO_RESPONDERS).message;
    done(answer);
    return;
  }
  json::Arena arena;
  const std::string text = text_of(one);
  const Result<json::Value> read = json::parse(text, arena);
  const json::Value* error = read ? read.value().find("error") : nullptr;
  if (!read) {
    answer.why = "the servers' answer is no JSON";
  } else if (error == nullptr) {
    answer.what = LogAnswer::What::stored;
    answer.sequence = json::number_of(read.value(), "seq");
  } else {
    answer.what = json::number_of(*error, "err_code") == wrong_sequence ? LogAnswer::What::refused
                  : json::number_of(*error, "code") >= 500              ? LogAnswer::What::away
                                                                        : LogAnswer::What::never;
    answer.why = json::text_of(*error, "description");
  }
  done(answer);
}

// What is not answered in time is away.
void JetStream::sweep() {
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
      done({LogAnswer::What::away, 0, away(NATS_TIMEOUT).message});
    }
    lock.lock();
  }
}

void JetStream::put(LogPut what, std::function<void(const LogAnswer&)> done) {
  std::string reply;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    reply = inbox_ + "." + std::to_string(++counter_);
  }
  Owned<natsMsg> one = message(subject(room_ + "." + what.subject), reply, what.body);
  if (one != nullptr) {
    natsMsgHeader_Set(one.get(), "Nats-Msg-Id", what.id.c_str());
    natsMsgHeader_Set(one.get(), "Plumb-By", what.by.c_str());
    if (what.expected) {
      natsMsgHeader_Set(one.get(), "Nats-Expected-Last-Subject-Sequence", std::to_string(*what.expected).c_str());
    }
  }
  publish(std::move(one), std::move(done));
}

// ---------------------------------------------------------------- texts

// The first piece says how many there are, and comes last.
void JetStream::put_pieces(const std::shared_ptr<std::string>& text, const std::string& name, std::size_t piece,
                           Answered done) {
  const std::size_t size = piece_bytes();
  const std::size_t count = std::max<std::size_t>(1, (text->size() + size - 1) / size);
  std::string reply;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    reply = inbox_ + "." + std::to_string(++counter_);
  }
  Owned<natsMsg> one = message(subject(texts_room_ + "." + name + "." + std::to_string(piece)), reply,
                               std::string_view(*text).substr(piece * size, size));
  if (one != nullptr && piece == 0) {
    natsMsgHeader_Set(one.get(), "Plumb-Pieces", std::to_string(count).c_str());
    natsMsgHeader_Set(one.get(), "Plumb-Bytes", std::to_string(text->size()).c_str());
  }
  publish(std::move(one), [this, text, name, piece, done = std::move(done)](const LogAnswer& answer) {
    if (piece == 0 || answer.what != LogAnswer::What::stored) {
      done(answer);
    } else {
      put_pieces(text, name, piece - 1, done);
    }
  });
}

void JetStream::put_text(std::string name, std::string text, std::function<void(const LogAnswer&)> done) {
  const std::size_t count = std::max<std::size_t>(1, (text.size() + piece_bytes() - 1) / piece_bytes());
  put_pieces(std::make_shared<std::string>(std::move(text)), name, count - 1, std::move(done));
}

Result<Owned<natsMsg>> JetStream::last_of(const std::string& stream, const std::string& whole_subject) {
  if (away_) {
    return away("the connection is lost");
  }
  natsMsg* got = nullptr;
  jsOptions options;
  jsOptions_Init(&options);
  options.Wait = static_cast<std::int64_t>(settings_.answer_ms);
  const natsStatus status = js_GetLastMsg(&got, js_, stream.c_str(), whole_subject.c_str(), &options, nullptr);
  Owned<natsMsg> out(got);
  if (status == NATS_NOT_FOUND) {
    return Error{ErrorCode::not_found, "there is no " + whole_subject, settings_.address.shown, 0, 0};
  }
  return status == NATS_OK ? Result<Owned<natsMsg>>(std::move(out)) : Result<Owned<natsMsg>>(away(status));
}

Result<Owned<natsMsg>> JetStream::piece_of(const std::string& name, std::size_t piece) {
  return last_of(texts_, subject(texts_room_ + "." + name + "." + std::to_string(piece)));
}

Result<std::string> JetStream::text(const std::string& name) {
  Result<Owned<natsMsg>> first = piece_of(name, 0);
  if (!first) {
    return first.error();
  }
  natsMsg* const one = first.value().get();
  std::string out = text_of(one);
  const auto number = [&](const char* header) { return std::strtoull(header_of(one, header).c_str(), nullptr, 10); };
  const std::size_t count = static_cast<std::size_t>(number("Plumb-Pieces"));
  const std::size_t bytes = static_cast<std::size_t>(number("Plumb-Bytes"));
  for (std::size_t piece = 1; piece < count && out.size() < bytes; ++piece) {
    Result<Owned<natsMsg>> more = piece_of(name, piece);
    if (!more) {
      return more.error();
    }
    out += text_of(more.value().get());
  }
  if (out.size() != bytes) {
    return Error{ErrorCode::not_found, "the text " + name + " is there in part only", settings_.address.shown, 0, 0};
  }
  return out;
}

Result<bool> JetStream::remove_text(const std::string& name, std::uint64_t before_ms) {
  Result<Owned<natsMsg>> first = piece_of(name, 0);
  if (!first) {
    return first.error().code == ErrorCode::not_found ? Result<bool>(false) : Result<bool>(first.error());
  }
  natsMsg* const one = first.value().get();
  if (natsMsg_GetTime(one) / 1'000'000 >= static_cast<std::int64_t>(before_ms)) {
    return false;
  }
  // What somebody gives at this moment has a later sequence, and stays.
  std::string text;
  json::Writer(text)
      .begin_object()
      .member("filter", subject(texts_room_ + "." + name + ".*"))
      .member_uint("seq", natsMsg_GetSequence(one) + 1)
      .end_object();
  const Result<std::string> done = request("STREAM.PURGE." + texts_, text);
  return done ? Result<bool>(true) : Result<bool>(done.error());
}

Result<std::vector<std::string>> JetStream::text_names() {
  std::vector<std::string> out;
  for (std::size_t round = 0; round < names_at_once_max; ++round) {
    std::string text;
    json::Writer(text)
        .begin_object()
        .member("subjects_filter", subject(texts_room_ + ".*.0"))
        .member_uint("offset", out.size())
        .end_object();
    const Result<std::string> told = request("STREAM.INFO." + texts_, text);
    if (!told) {
      return told.error();
    }
    json::Arena arena;
    const Result<json::Value> read = json::parse(told.value(), arena);
    const json::Value* state = read ? read.value().find("state") : nullptr;
    const json::Value* subjects = state == nullptr ? nullptr : state->find("subjects");
    if (subjects == nullptr || subjects->object().empty()) {
      break;
    }
    const std::size_t before = subject(texts_room_ + ".").size();
    for (const json::Member& one : subjects->object()) {
      const std::string whole(one.key);
      out.push_back(whole.substr(before, whole.size() - before - 2));
    }
    if (out.size() >= json::number_of(read.value(), "total")) {
      break;
    }
  }
  return out;
}

// ---------------------------------------------------------------- following

void JetStream::follow_no_more() {
  const std::uint64_t now = steady_ms();
  while (!unfollowed_.empty() && now > unfollowed_.front().second + unfollowed_ms) {
    unfollowed_.erase(unfollowed_.begin());
  }
  if (followed_ != nullptr) {
    natsSubscription_Unsubscribe(followed_.get());
    unfollowed_.emplace_back(std::move(followed_), now);
  }
}

std::optional<Error> JetStream::follow_from(std::uint64_t after) {
  follow_no_more();
  jsSubOptions options;
  jsSubOptions_Init(&options);
  options.Stream = runs_.c_str();
  options.Ordered = true;
  options.Config.DeliverPolicy = js_DeliverByStartSequence;
  options.Config.OptStartSeq = after + 1;
  options.Config.Heartbeat = std::int64_t{1} * 1'000'000'000;
  natsSubscription* made = nullptr;
  jsErrCode code{};
  const natsStatus status = js_SubscribeSync(&made, js_, subject(room_ + ".>").c_str(), nullptr, &options, &code);
  followed_.reset(made);
  if (status != NATS_OK) {
    followed_.reset();
    return away(status);
  }
  given_ = after;
  followed_since_ = reconnects_;
  return std::nullopt;
}

Result<std::vector<LogMessage>> JetStream::next(std::uint64_t after, std::size_t messages_max,
                                                std::uint64_t timeout_ms) {
  if (away_) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms), [&] { return closing_; });
    return away("the connection is lost");
  }
  if (followed_ == nullptr || given_ != after || followed_since_ != reconnects_) {
    if (std::optional<Error> error = follow_from(after)) {
      return *error;
    }
  }
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
      follow_no_more();  // begun anew from what was given
      if (out.empty() && status != NATS_MISSED_HEARTBEAT && status != NATS_MISMATCH) {
        return away(status);
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
    message.subject = std::string(natsMsg_GetSubject(got)).substr(subject(room_ + ".").size());
    message.id = header_of(got, "Nats-Msg-Id");
    message.by = header_of(got, "Plumb-By");
    message.body = text_of(got);
    given_ = message.sequence;
    out.push_back(std::move(message));
    natsSubscription_QueuedMsgs(followed_.get(), &queued);
  } while (out.size() < messages_max && queued > 0);
  return out;
}

// ---------------------------------------------------------------- what hosts say

void JetStream::say(const std::string& to, const std::string& text) {
  if (!away_) {
    natsConnection_Publish(connection_, subject(to).c_str(), text.data(), static_cast<int>(text.size()));
  }
}

Result<std::string> JetStream::ask(const std::string& to, const std::string& text, std::uint64_t timeout_ms) {
  if (away_) {
    return away("the connection is lost");
  }
  natsMsg* got = nullptr;
  const natsStatus status =
      natsConnection_Request(&got, connection_, subject(to).c_str(), text.data(), static_cast<int>(text.size()),
                             static_cast<std::int64_t>(timeout_ms));
  const Owned<natsMsg> answer(got);
  if (status == NATS_OK) {
    return text_of(got);
  }
  if (status == NATS_NO_RESPONDERS) {
    return Error{ErrorCode::not_found, "the host that is asked is not there", settings_.address.shown, 0, 0};
  }
  return away("the host that drives it has not answered in time: it may have done it");
}

Result<bool> JetStream::hear(const std::string& what, Hearer hearer) {
  auto one = std::make_unique<Heard>();
  one->log = this;
  one->hearer = std::move(hearer);
  natsSubscription* made = nullptr;
  const natsStatus status = natsConnection_Subscribe(
      &made, connection_, subject(what).c_str(),
      [](natsConnection*, natsSubscription*, natsMsg* got, void* heard) {
        auto* const its = static_cast<Heard*>(heard);
        const char* reply = natsMsg_GetReply(got);
        std::function<void(std::string)> answer;
        if (reply != nullptr && *reply != '\0') {
          answer = [log = its->log, to = std::string(reply)](const std::string& text) {
            natsConnection_Publish(log->connection_, to.c_str(), text.data(), static_cast<int>(text.size()));
          };
        }
        its->hearer(natsMsg_GetSubject(got), text_of(got), std::move(answer));
        natsMsg_Destroy(got);
      },
      one.get());
  if (status != NATS_OK) {
    return away(status);
  }
  one->subscription.reset(made);
  const std::lock_guard<std::mutex> lock(heard_mutex_);
  heard_.push_back(std::move(one));
  return true;
}

void JetStream::stop_hearing() {
  std::vector<std::unique_ptr<Heard>> heard;
  {
    const std::lock_guard<std::mutex> lock(heard_mutex_);
    heard.swap(heard_);
  }
  for (const std::unique_ptr<Heard>& one : heard) {
    // Until who is being told has been told.
    if (natsSubscription_DrainTimeout(one->subscription.get(), 500) == NATS_OK) {
      natsSubscription_WaitForDrainCompletion(one->subscription.get(), 1'000);
    }
  }
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
