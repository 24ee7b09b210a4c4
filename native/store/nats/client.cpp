#include "native/store/nats/client.hpp"

#include <algorithm>
#include <mutex>
#include <string_view>

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
  // The library holds the certificate of each server against the host that it was named by.
  if (status == NATS_OK && address.tls) {
    status = natsOptions_SetSecure(options, true);
    if (status == NATS_OK && !authorities.empty() &&
        natsOptions_LoadCATrustedCertificates(options, authorities.c_str()) != NATS_OK) {
      return Error{ErrorCode::invalid_argument,
                   "cannot be asked: PLUMB_NATS_CA names '" + authorities +
                       "', which is not there, or holds no certificate (PEM)",
                   address.shown, 0, 0};
    }
  }
  if (status != NATS_OK) {
    return Error{ErrorCode::invalid_argument,
                 std::string("cannot be asked with this login: ") + natsStatus_GetText(status), address.shown, 0, 0};
  }
  return std::nullopt;
}

std::string why_unconnected(natsStatus status, const NatsAddress& address) {
  if (status == NATS_SECURE_CONNECTION_WANTED) {
    return "the servers speak no TLS: they are named with nats://, not tls://";
  }
  if (status != NATS_SSL_ERROR) {
    return why_away(status);
  }
  if (!address.tls) {
    return "the servers want TLS: they are named with tls://, not nats://";
  }
  natsStatus ignored = NATS_OK;
  const char* const last = nats_GetLastError(&ignored);
  std::string detail = last == nullptr ? "" : last;
  constexpr std::string_view before = "SSL handshake error: ";
  if (const std::size_t at = detail.find(before); at != std::string::npos) {
    detail.erase(0, std::min(detail.size(), detail.find_first_not_of("0123456789:", at + before.size())));
  }
  return detail.find(" mismatch") != std::string::npos
             ? "the server's certificate is of another host than the one that it is named by: " + detail
             : "the server's certificate is not believed; PLUMB_NATS_CA names a file of the authorities that are: " +
                   detail;
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
