// Reasons (core/reason.hpp) in journals. A failed reply and the record of a part store a reason in the member `reason`.
//
// Older journals hold only the sentence. reason_of() is the one function that derives a reason from a sentence. Its
// sentences are those of earlier versions, and never change.
#pragma once

#include <string>
#include <string_view>

#include "core/reason.hpp"
#include "core/run/effect.hpp"

namespace plumb::run {

// A failed reply with this sentence, and {"reason": "no_program"} as its value.
Reply failed_reply(std::string error, Reason reason = Reason::none);

// Why the effect failed; Reason::none if nothing depends on it.
Reason reason_of(const Reply& reply);
// A journal line as an earlier version wrote it: without the members `reason` and `why` whose value names a reason.
std::string without_reasons(std::string line);

// Why a part failed: the stored reason, or, if there is none, the one that its sentence stands for.
Reason reason_of(Reason stored, std::string_view words);

}  // namespace plumb::run
