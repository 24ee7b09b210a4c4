// What the two users of the client's library share: its header (included here alone), owning, logging in. Internal to
// native/store/nats.
#pragma once

#include <nats/nats.h>

#include <memory>
#include <optional>
#include <string>

#include "core/result.hpp"
#include "native/store/nats/nats_address.hpp"

namespace plumb::store {

struct Forget {
  void operator()(natsMsg* one) const { natsMsg_Destroy(one); }
  void operator()(natsOptions* one) const { natsOptions_Destroy(one); }
  void operator()(natsSubscription* one) const { natsSubscription_Destroy(one); }
};
template <class T>
using Owned = std::unique_ptr<T, Forget>;

std::string text_of(natsMsg* message);
std::string header_of(natsMsg* message, const char* name);  // empty: it has none

// Of the whole process, and of no use once the last one is closed.
class Library {
 public:
  Library();
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
};

// Who asks, and by which certificates (`authorities`: a file of them; empty: the system's) servers are believed.
std::optional<Error> log_in(natsOptions* options, const NatsAddress& address, const std::string& authorities);
// Why servers cannot be asked, for people.
std::string why_away(natsStatus status);
// The same of a connection that was not made, right after it was tried: what is wrong with TLS.
std::string why_unconnected(natsStatus status, const NatsAddress& address);

}  // namespace plumb::store
