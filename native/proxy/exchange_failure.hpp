// The failures of an exchange with a provider.
#pragma once

#include "core/wire/failure.hpp"
#include "native/provider/transport.hpp"

namespace plumb::proxy {

// Why an exchange is not complete.
wire::Failure failure_of_end(const provider::ExchangeOutcome& outcome);

// A provider that refuses the key refuses the operator's, not the client's: to the client it is a provider that does
// not work.
wire::Failure as_ours(wire::Failure failure);

}  // namespace plumb::proxy
