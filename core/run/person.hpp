// What people were asked in a run, and what they said: read from its journal.
#pragma once

#include <string_view>

#include "core/run/journal.hpp"

namespace plumb::run {

// The signal that answers a `person` effect of this request: its `signal`, else "decide".
std::string_view answering_signal(const json::Value& request);

// The answer to the last question that this signal answers; nullptr where nobody was asked, or an answer is waited for.
const Entry* answered_by(const Journal& journal, std::string_view signal);

}  // namespace plumb::run
