#include "native/store/nats/servers.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/reason.hpp"

namespace plumb::store {

namespace {

constexpr int connect_ms = 2'000;
constexpr int ping_ms = 2'000;
constexpr int closed_ms = 5'000;
constexpr int flush_ms = 200;
constexpr std::int64_t payload_min = std::int64_t{64} * 1024;

// What the library says again and again as long as a stream has nobody who leads.
bool is_unanswered(natsStatus status) {
  return status == NATS_TIMEOUT || status == NATS_NO_RESPONDERS || status == NATS_NO_SERVER ||
         status == NATS_IO_ERROR || status == NATS_CONNECTION_CLOSED || status == NATS_CONNECTION_DISCONNECTED;
}

// Whether the message that was to be erased is not there: the servers (2.9) have a code for those between the first and
// the last, and only words for those before the first.
bool is_gone(std::uint64_t code, std::string_view description) {
  constexpr std::uint64_t no_sequence = 10043;  // JSSequenceNotFoundErr
  constexpr std::uint64_t not_deleted = 10057;  // JSStreamMsgDeleteFailed, for whatever reason it says
  return code == no_sequence || (code == not_deleted && description.ends_with("no message found"));
}

}  // namespace

std::uint64_t steady_ms() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

Error Servers::away(std::string why) const {
  return Error{ErrorCode::unavailable, "cannot be reached: " + std::move(why), settings_.address.shown, 0, 0,
               Reason::unreachable};
}

Error Servers::not_there(std::string what) const {
  return Error{ErrorCode::not_found, std::move(what), settings_.address.shown, 0, 0};
}

std::string Servers::problem() const {
  return away_ ? "cannot be reached: the connection to " + settings_.address.shown + " is lost" : std::string();
}

void Servers::tell(StoreTold kind, const std::string& text) const {
  if (settings_.told) {
    settings_.told(kind, settings_.address.shown + ": " + text);
  }
}

std::optional<Error> Servers::connect() {
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
  if (status == NATS_OK) {
    set_callbacks(made);
    status = natsConnection_Connect(&connection_, made);
  }
  if (status != NATS_OK) {
    return away(why_unconnected(status, settings_.address));
  }
  payload_ = static_cast<std::size_t>(std::max(payload_min, natsConnection_GetMaxPayload(connection_)));
  status = natsConnection_JetStream(&js_, connection_, nullptr);
  return status == NATS_OK ? std::nullopt : std::optional<Error>(away(status));
}

// None of these can fail with options that are there.
void Servers::set_callbacks(natsOptions* options) {
  natsOptions_SetErrorHandler(
      options,
      [](natsConnection*, natsSubscription*, natsStatus error, void* self) {
        if (error != NATS_MISSED_HEARTBEAT && error != NATS_MISMATCH) {  // who follows begins anew
          static_cast<Servers*>(self)->note_trouble(error);
        }
      },
      this);
  natsOptions_SetDisconnectedCB(
      options, [](natsConnection*, void* self) { static_cast<Servers*>(self)->lost(); }, this);
  natsOptions_SetReconnectedCB(
      options,
      [](natsConnection* connection, void* self) {
        auto* const servers = static_cast<Servers*>(self);
        char server[256] = "";
        natsConnection_GetConnectedUrl(connection, server, sizeof server);
        const std::string shown = server;
        servers->away_ = false;
        ++servers->reconnects_;
        servers->tell(StoreTold::warning, "connected again, to " + shown.substr(shown.rfind('@') + 1));
      },
      this);
  natsOptions_SetClosedCB(
      options,
      [](natsConnection*, void* self) {
        auto* const servers = static_cast<Servers*>(self);
        const std::lock_guard<std::mutex> lock(servers->mutex_);
        servers->closed_ = true;
        servers->changed_.notify_all();
      },
      this);
}

void Servers::lost() {
  bool closing = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closing = closing_;
  }
  if (!closing && !away_.exchange(true)) {
    tell(StoreTold::error, "the connection is lost; runs wait until it is there again");
  }
}

// Once, until the servers answer for the stream.
void Servers::note_trouble(natsStatus error) {
  {
    const std::lock_guard<std::mutex> lock(said_mutex_);
    if (!said_.insert(is_unanswered(error) ? NATS_TIMEOUT : error).second) {
      return;
    }
  }
  tell(StoreTold::warning, is_unanswered(error) ? why_away(error) : natsStatus_GetText(error));
}

void Servers::note_answer() {
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

void Servers::wait_while_away(std::uint64_t timeout_ms) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms), [&] { return closing_; });
}

void Servers::begin_closing() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
}

void Servers::close() {
  if (connection_ != nullptr) {
    natsConnection_FlushTimeout(connection_, flush_ms);
    natsConnection_Close(connection_);
    // The last thing that the library calls us for.
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(closed_ms), [&] { return closed_; });
  }
}

Servers::~Servers() {
  jsCtx_Destroy(js_);
  natsConnection_Destroy(connection_);
}

Result<std::string> Servers::request(const std::string& what, const std::string& text) const {
  if (away_) {
    return is_lost();
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
    if (error == nullptr) {
      return away("the servers' answer is not JSON");
    }
    const std::string_view description = json::text_of(*error, "description");
    const std::uint64_t code = json::number_of(*error, "err_code");
    Error failed = away(std::string(description));
    failed.line = static_cast<std::size_t>(code);
    failed.reason = is_gone(code, description) ? Reason::gone : failed.reason;
    return failed;
  }
  return out;
}

}  // namespace plumb::store
