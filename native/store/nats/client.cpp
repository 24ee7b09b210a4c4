#include "native/store/nats/client.hpp"

#include <mutex>

namespace plumb::store {

namespace {

std::mutex& count_mutex() {
  static std::mutex one;
  return one;
}
int& count() {
  static int one = 0;
  return one;
}

}  // namespace

Library::Library() {
  const std::lock_guard<std::mutex> lock(count_mutex());
  if (count()++ == 0) {
    nats_Open(-1);
  }
}

Library::~Library() {
  const std::lock_guard<std::mutex> lock(count_mutex());
  --count();
}

std::string text_of(natsMsg* message) {
  return {natsMsg_GetData(message), static_cast<std::size_t>(natsMsg_GetDataLength(message))};
}

std::string header_of(natsMsg* message, const char* name) {
  const char* value = nullptr;
  return natsMsgHeader_Get(message, name, &value) == NATS_OK && value != nullptr ? value : "";
}

std::optional<Error> log_in(natsOptions* options, const NatsAddress& address, const std::string& authorities) {
  natsStatus status = NATS_OK;
  if (!address.user.empty()) {
    status = natsOptions_SetUserInfo(options, address.user.c_str(), address.password.c_str());
  } else if (!address.token.empty()) {
    status = natsOptions_SetToken(options, address.token.c_str());
  }
  if (status == NATS_OK && address.tls) {
    status = natsOptions_SetSecure(options, true);
    if (status == NATS_OK && !authorities.empty()) {
      status = natsOptions_LoadCATrustedCertificates(options, authorities.c_str());
    }
    // The certificate must be of the host that was named; of several, of each.
    std::string host = address.servers.front().substr(address.servers.front().find("//") + 2);
    host.resize(host.rfind(':'));
    if (status == NATS_OK) {
      status = natsOptions_SetExpectedHostname(options, host.c_str());
    }
  }
  if (status != NATS_OK) {
    return Error{ErrorCode::invalid_argument,
                 std::string("cannot be asked with these certificates or this login: ") + natsStatus_GetText(status),
                 address.shown, 0, 0};
  }
  return std::nullopt;
}

std::string why_away(natsStatus status) {
  return status == NATS_TIMEOUT         ? "the servers do not answer in time"
         : status == NATS_NO_SERVER     ? "none of the servers is there"
         : status == NATS_NO_RESPONDERS ? "JetStream does not answer: it is off, or has no leader"
         : status == NATS_CONNECTION_AUTH_FAILED || status == NATS_NOT_PERMITTED
             ? "the servers do not let us in: see PLUMB_NATS_LOGIN"
             : natsStatus_GetText(status);
}

}  // namespace plumb::store
