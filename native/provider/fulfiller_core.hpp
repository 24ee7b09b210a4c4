// What the calls of a ModelFulfiller share: the gates before the providers, what is recorded, what answers take, the
// transport and the workers. Internal to the sources of the fulfiller.
//
//   core.enter(task);    // task->go() is called by a worker, once the gate of its provider lets it pass
//   core.leave(*task);   // it has ended, or waits no more: the next may pass
//
// From any thread. A provider has so many calls in progress as its settings allow; the others wait in the order in
// which they were asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "native/host/workers.hpp"
#include "native/provider/model_fulfiller.hpp"
#include "native/provider/recording.hpp"
#include "native/provider/sample_exchanges.hpp"
#include "native/provider/structured_output.hpp"
#include "native/provider/transport.hpp"

namespace plumb::provider {

struct ModelTask;

struct ProviderGate {
  explicit ProviderGate(std::uint64_t most) : in_progress_max(most) {}

  const std::uint64_t in_progress_max;
  std::mutex mutex;
  std::uint64_t in_progress = 0;
  std::map<std::uint64_t, std::shared_ptr<ModelTask>> waiting;
};

struct FulfillerCore {
  explicit FulfillerCore(FulfillerOptions wanted);

  void enter(const std::shared_ptr<ModelTask>& task);
  void leave(ModelTask& task);
  void pump(ProviderGate& gate);

  // What finished answers took, to tell what a stop has saved. `whose`: provider, model and phase.
  void add_answer(const std::string& whose, std::uint64_t tokens);
  std::uint64_t usual_tokens(const std::string& whose, std::uint64_t where_none_is_finished);

  // The mode of structured output that a provider and model were found to take, after they had refused a stronger one.
  void keep_structured(const std::string& whose, Structured mode);
  std::optional<Structured> structured_of(const std::string& whose);

  struct Mean {
    std::uint64_t answers = 0;
    std::uint64_t tokens = 0;
  };

  FulfillerOptions options;
  ContractShelf shelf;
  std::map<std::string, std::unique_ptr<ProviderGate>> gates;
  std::map<std::string, std::unique_ptr<Recording>> recordings;  // by file
  std::unique_ptr<Recorder> recorder;
  std::mutex mutex;  // of the four below
  std::map<std::pair<std::string, std::string>, std::shared_ptr<ModelTask>, std::less<>> tasks;
  std::map<std::string, Mean> means;
  std::map<std::string, Structured> structured;  // one for each choice at most
  std::uint64_t last_number = 0;
  std::optional<Transport> transport;
  std::optional<NetworkExchanges> network;
  std::optional<SampleExchanges> sample;
  std::optional<host::Workers> workers;
};

}  // namespace plumb::provider
