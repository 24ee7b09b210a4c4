#include "native/provider/fulfiller_core.hpp"

#include <utility>

#include "native/provider/model_task.hpp"

namespace plumb::provider {

FulfillerCore::FulfillerCore(FulfillerOptions wanted) : options(std::move(wanted)) {
  for (const Settings& one : options.settings) {
    gates.emplace(one.name, std::make_unique<ProviderGate>(one.calls_max));
  }
}

void FulfillerCore::enter(const std::shared_ptr<ModelTask>& task) {
  ProviderGate& gate = *gates.at(task->choice()->provider);
  {
    const std::lock_guard lock(gate.mutex);
    gate.waiting.emplace(task->number, task);
  }
  if (task->over) {
    leave(*task);  // it was ended in between
    return;
  }
  pump(gate);
}

void FulfillerCore::pump(ProviderGate& gate) {
  for (;;) {
    std::shared_ptr<ModelTask> next;
    {
      const std::lock_guard lock(gate.mutex);
      if (gate.waiting.empty() || gate.in_progress >= gate.in_progress_max) {
        return;
      }
      next = std::move(gate.waiting.begin()->second);
      gate.waiting.erase(gate.waiting.begin());
      ++gate.in_progress;
      next->passed = true;
    }
    workers->give([next] { next->go(); });
  }
}

void FulfillerCore::leave(ModelTask& task) {
  if (task.choice() == nullptr) {
    return;
  }
  const auto found = gates.find(task.choice()->provider);
  if (found == gates.end()) {
    return;
  }
  ProviderGate& gate = *found->second;
  std::shared_ptr<ModelTask> gone;  // goes after the lock
  {
    const std::lock_guard lock(gate.mutex);
    if (task.passed) {
      task.passed = false;
      --gate.in_progress;
    } else if (const auto waiting = gate.waiting.find(task.number); waiting != gate.waiting.end()) {
      gone = std::move(waiting->second);
      gate.waiting.erase(waiting);
    }
  }
  pump(gate);
}

void FulfillerCore::add_answer(const std::string& whose, std::uint64_t tokens) {
  const std::lock_guard lock(mutex);
  Mean& mean = means[whose];
  ++mean.answers;
  mean.tokens += tokens;
}

void FulfillerCore::keep_structured(const std::string& whose, Structured mode) {
  const std::lock_guard lock(mutex);
  structured[whose] = mode;
}

std::optional<Structured> FulfillerCore::structured_of(const std::string& whose) {
  const std::lock_guard lock(mutex);
  const auto found = structured.find(whose);
  return found == structured.end() ? std::nullopt : std::optional(found->second);
}

std::uint64_t FulfillerCore::usual_tokens(const std::string& whose, std::uint64_t where_none_is_finished) {
  const std::lock_guard lock(mutex);
  const auto mean = means.find(whose);
  return mean == means.end() ? where_none_is_finished : mean->second.tokens / mean->second.answers;
}

}  // namespace plumb::provider
