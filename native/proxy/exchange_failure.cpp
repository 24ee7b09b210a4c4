#include "native/proxy/exchange_failure.hpp"

namespace plumb::proxy {

wire::Failure failure_of_end(const provider::ExchangeOutcome& outcome) {
  using provider::ExchangeEnd;
  wire::FailureClass failure_class = wire::FailureClass::cut;
  switch (outcome.end) {
    case ExchangeEnd::unreachable:
      failure_class = wire::FailureClass::unreachable;
      break;
    case ExchangeEnd::timed_out:
    case ExchangeEnd::deadline:
      failure_class = wire::FailureClass::timed_out;
      break;
    case ExchangeEnd::malformed:
      failure_class = wire::FailureClass::malformed;
      break;
    case ExchangeEnd::limit:
      failure_class = wire::FailureClass::limit;
      break;
    case ExchangeEnd::complete:
    case ExchangeEnd::cut:
    case ExchangeEnd::cancelled:
      break;
  }
  return wire::make_failure(failure_class, outcome.message);
}

wire::Failure as_ours(wire::Failure failure) {
  if (failure.failure_class == wire::FailureClass::unauthorised) {
    failure.status = 502;
    failure.code = "provider_refused_key";
  }
  return failure;
}

}  // namespace plumb::proxy
