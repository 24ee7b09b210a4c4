// Reasons (core/reason.hpp) in journals: a reply that failed and a record of a part have them as the member `reason`.
//
// Journals that were begun before have them in words alone. reason_of() is the one place that reads a sentence to know
// what it means; the sentences are those of the hosts of then, and never change.
#pragma once

#include <string>
#include <string_view>

#include "core/reason.hpp"
#include "core/run/effect.hpp"

namespace plumb::run {

// {"reason": "no_program"} beside the sentence.
Reply failed_reply(std::string error, Reason reason = Reason::none);

// Why an effect failed.
Reason reason_of(const Reply& reply);
// An entry as it was journalled before reasons were: without the members `reason` and `why` that name one.
std::string without_reasons(std::string line);

// Why a part failed: the reason that its record stores, else the one that its words had when none was stored.
Reason reason_of(Reason stored, std::string_view words);

}  // namespace plumb::run
