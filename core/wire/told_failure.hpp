// Failures that a status does not tell: an error under a success, and a refusal that another model may not repeat.
#pragma once

#include <string_view>

#include "core/wire/failure.hpp"

namespace plumb::wire {

// The request is longer than this model can read: another one may. By the provider's code, or its words.
bool says_too_long(const Failure& failure);

// What a whole body says whose status was a success and that has an `error` instead of an answer.
Failure failure_of_success(std::string_view body);

}  // namespace plumb::wire
