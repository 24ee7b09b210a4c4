// Questions to people in a run, and their answers, read from its journal.
#pragma once

#include <string_view>

#include "core/run/journal.hpp"

namespace plumb::run {

// The signal that answers a `person` effect with this request: its member `signal`, or "decide".
std::string_view answering_signal(const json::Value& request);

// The answer to the last question that this signal answers. nullptr if nobody was asked, or the answer is not there
// yet.
const Entry* answered_by(const Journal& journal, std::string_view signal);

}  // namespace plumb::run
