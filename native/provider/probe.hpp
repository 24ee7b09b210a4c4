// Is a provider there? One cheap request: its list of models, which costs nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "native/provider/settings.hpp"

namespace plumb::provider {

struct Probe {
  bool usable = false;
  std::string message;  // one sentence: why not, or what else there is to know; empty: nothing
  std::uint64_t took_ms = 0;
};

// Waits for the answer, at most `deadline_ms`. A model that Ollama has not pulled is not usable; other providers' lists
// need not be whole, so that a model they do not list is only told.
Probe probe(const Settings& settings, std::string_view model, std::uint64_t deadline_ms = 10'000);

}  // namespace plumb::provider
