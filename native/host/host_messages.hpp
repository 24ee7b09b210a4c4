// Messages between hosts that share a store, about one run. Internal to native/host.
#pragma once

#include <string>

#include "core/result.hpp"
#include "native/host/run_event.hpp"

namespace plumb::host {

// {"run", "what", "key", "name", "with", "value"?}
std::string question_text(const std::string& run, const Event& event);

struct RunQuestion {
  std::string run;
  Event event;
};
// Error invalid_argument: not a message that this host knows.
Result<RunQuestion> read_question(const std::string& text);

// {"done": true}, or {"error", "code"}
std::string answer_text(const Result<bool>& answer);
// Reads the answer of the host that drives the run.
Result<bool> read_answer(const std::string& text, const std::string& run);

}  // namespace plumb::host
