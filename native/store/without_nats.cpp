// In place of the sources in native/store/nats that use the client's library, where that is not there.
#include "native/store/message_bus.hpp"
#include "native/store/nats/jetstream.hpp"

namespace plumb::store {

namespace {

Error without(const std::string& where) {
  return {ErrorCode::unavailable,
          "this plumb was built without NATS: install libnats-dev and build it again (./dev build)", where, 0, 0};
}

}  // namespace

Result<std::unique_ptr<SharedLog>> open_jetstream(const JetStreamSettings& settings) {
  return without(settings.address.shown);
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): as where there is one
Result<std::unique_ptr<MessageBus>> open_message_bus(BusSettings settings) { return without(settings.address.shown); }

}  // namespace plumb::store
