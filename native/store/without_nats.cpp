// In place of native/store/nats/jetstream.cpp where the client's library is not there.
#include "native/store/nats/jetstream.hpp"

namespace plumb::store {

Result<std::unique_ptr<SharedLog>> open_jetstream(const JetStreamSettings& settings) {
  return Error{ErrorCode::unavailable,
               "this plumb was built without NATS: install libnats-dev and build it again (./dev build)",
               settings.address.shown, 0, 0};
}

}  // namespace plumb::store
