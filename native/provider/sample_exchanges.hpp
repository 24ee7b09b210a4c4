// Exchanges with a stranger (core/stranger) inside of this program: what is sent is read and answered as OpenAI,
// Anthropic or Ollama would, by the path it is sent to, in the time that the sample takes for it.
//
//   SampleExchanges sample(clock);        // whose after(), post() and now_ms() are used
//   ModelCall::start(sample, request, limits, events);
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "core/stranger/stranger.hpp"
#include "native/provider/exchanges.hpp"

namespace plumb::provider {

// A stranger for many callers, which remembers how often it was asked for what.
class SampleParty {
 public:
  static constexpr std::size_t bodies_max = 10'000;

  stranger::Answered answer(wire::Wire wire, std::string_view body);

 private:
  std::mutex mutex_;
  stranger::Stranger stranger_;
  std::unordered_map<std::string, std::uint64_t> asked_;  // by hash
};

class SampleExchanges final : public Exchanges {
 public:
  // Told of each answer before it is given.
  using Told = std::function<void(const ExchangeRequest& request, const stranger::Answered& answered)>;

  explicit SampleExchanges(Exchanges& clock, Told told = {}) : clock_(clock), told_(std::move(told)) {}

  ExchangeId start(ExchangeRequest request, const ExchangeLimits& limits, ExchangeEvents events) override;
  void cancel(ExchangeId id) override;
  void post(std::function<void()> work) override { clock_.post(std::move(work)); }
  TimerId after(std::uint64_t delay_ms, std::function<void()> work) override {
    return clock_.after(delay_ms, std::move(work));
  }
  void forget(TimerId timer) override { clock_.forget(timer); }
  std::uint64_t now_ms() const override { return clock_.now_ms(); }

 private:
  struct Exchange;
  void play(const std::shared_ptr<Exchange>& exchange);
  void end(const std::shared_ptr<Exchange>& exchange, ExchangeEnd how, std::string message);

  Exchanges& clock_;
  Told told_;
  SampleParty party_;
  std::mutex mutex_;  // of the two below
  std::map<ExchangeId, std::shared_ptr<Exchange>> active_;
  ExchangeId last_id_ = 0;
};

// The interface that a path belongs to; nothing for another one.
std::optional<wire::Wire> sample_wire(std::string_view path);

}  // namespace plumb::provider
