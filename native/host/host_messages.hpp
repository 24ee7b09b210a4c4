// What hosts that share a store ask each other about a run, as texts. Internal to native/host.
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
// invalid_argument: it is none that this host knows.
Result<RunQuestion> read_question(const std::string& text);

// {"done": true}, or {"error", "code"}
std::string answer_text(const Result<bool>& answer);
// What the host that drives the run has answered.
Result<bool> read_answer(const std::string& text, const std::string& run);

}  // namespace plumb::host
