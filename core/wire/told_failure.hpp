// Failures that a status does not tell: an error under a success.
#pragma once

#include <optional>
#include <string_view>

#include "core/wire/failure.hpp"

namespace plumb::wire {

// What an answer under a success, or an event of a stream, tells instead of what its wire has: an `error`, an object
// that calls itself one, `detail`, or a message with a code, as servers write them that speak like others. Of a list
// its first element. `type`: the event's name, where it has one. Nothing where it tells no error.
std::optional<Failure> told_failure(std::string_view type, const json::Value& body);

// The same of a document in JSON; nothing where it is not JSON.
std::optional<Failure> told_failure(std::string_view document);

}  // namespace plumb::wire
