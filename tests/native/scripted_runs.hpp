// Small pipelines, and a Fulfiller whose answers are a script: what tests of the host, the kill matrix and the
// benchmark of runs work with.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/pipelines/pipelines.hpp"
#include "native/host/fulfil.hpp"
#include "native/host/timer.hpp"
#include "native/host/workers.hpp"

namespace plumb::test {

// chain {"count": N, "bytes": B}: N questions one after the other, each of B bytes and with the answer before.
// tree {"items": N}: a claim, N parts at once with two questions and notes each, three questions at once, a scope.
// person {"question": TEXT, "signal": NAME, "deadline_ms": N}: asks a person, gives the decision.
// race {}: two questions at once, the first answer counts.
// deadline {"deadline_ms": N}: one question with that deadline, gives the status.
// broken {"after": N}: a broken assumption of its own after N questions.
// endless {}: questions without end.
std::span<const pipelines::Known> scripted_pipelines();
// The same table with `chain` of version 2, and without `tree`.
std::span<const pipelines::Known> later_pipelines();

pipelines::Prepared prepared(std::string input, std::string fingerprint = {});

// The answer to a request that every test may expect: {"text": "re: ", and a hash of the request}.
run::Reply echo(const run::Data& request);

class ScriptedFulfiller final : public host::Fulfiller {
 public:
  using Script = std::function<run::Reply(const host::EffectCall& call)>;
  // Answers after `delay_ms`.
  explicit ScriptedFulfiller(Script script = {}, std::uint64_t delay_ms = 0);

  void begin(host::EffectCall call, std::function<void(run::Reply)> done) override;
  void stop(std::string_view run, std::string_view key) override;

  // While held, calls are kept and not answered.
  void hold(bool yes);
  std::map<std::string, int> calls() const;    // by "RUN KEY"
  std::map<std::string, int> stopped() const;  // that were under way
  std::size_t most_at_once() const;
  std::size_t held() const;

 private:
  struct Held {
    host::EffectCall call;
    std::function<void(run::Reply)> done;
  };
  void answer(const std::string& name);

  Script script_;
  std::uint64_t delay_ms_ = 0;
  mutable std::mutex mutex_;
  bool holding_ = false;
  std::map<std::string, Held> under_way_;
  std::map<std::string, int> calls_;
  std::map<std::string, int> stopped_;
  std::size_t most_ = 0;
  host::Timer timer_;
  host::Workers workers_{2};
};

// A folder that goes with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

}  // namespace plumb::test
