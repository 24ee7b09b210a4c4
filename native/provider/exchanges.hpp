// Where a model call's exchanges happen: the network, or a sample of a provider inside of this program, and whose clock
// runs meanwhile. As of Transport: callbacks never come from inside start() and cancel(), and all on one thread.
#pragma once

#include <cstdint>
#include <functional>

#include "native/provider/transport.hpp"

namespace plumb::provider {

class Exchanges {
 public:
  virtual ~Exchanges() = default;
  virtual ExchangeId start(ExchangeRequest request, const ExchangeLimits& limits, ExchangeEvents events) = 0;
  virtual void cancel(ExchangeId id) = 0;
  virtual void post(std::function<void()> work) = 0;
  virtual TimerId after(std::uint64_t delay_ms, std::function<void()> work) = 0;
  virtual void forget(TimerId timer) = 0;
  // Of a clock that only goes on.
  virtual std::uint64_t now_ms() const = 0;
};

class NetworkExchanges final : public Exchanges {
 public:
  explicit NetworkExchanges(Transport& transport) : transport_(transport) {}

  ExchangeId start(ExchangeRequest request, const ExchangeLimits& limits, ExchangeEvents events) override {
    return transport_.start(std::move(request), limits, std::move(events));
  }
  void cancel(ExchangeId id) override { transport_.cancel(id); }
  void post(std::function<void()> work) override { transport_.post(std::move(work)); }
  TimerId after(std::uint64_t delay_ms, std::function<void()> work) override {
    return transport_.after(delay_ms, std::move(work));
  }
  void forget(TimerId timer) override { transport_.forget(timer); }
  std::uint64_t now_ms() const override;

 private:
  Transport& transport_;
};

}  // namespace plumb::provider
