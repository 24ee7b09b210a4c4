// What holds for an answer on every wire, for the decoders of this folder (reply_state.hpp).
#pragma once

#include <cstdint>
#include <string_view>

#include "core/json/value.hpp"
#include "core/wire/reply_state.hpp"

namespace plumb::wire {

// The code of the failure of an answer that ended without a reason why it is over.
inline constexpr std::string_view no_finish_reason = "no_finish_reason";

// The protocol's end has come. An answer that has not said why it is over was cut: nobody knows what is missing.
void end_answer(ReplyState& state);

// True where the answer, or an event of it, is an error (told_failure.hpp): the answer has failed with it.
bool take_error(std::string_view type, const json::Value& body, ReplyState& state);

// Arguments of a call as a member of the answer: a text, or a value, which is written as text. Missing and null are
// nothing: a call that has said nothing by the end of its answer has the arguments {}.
void add_call_arguments(ReplyState& state, std::uint32_t call, const json::Value* arguments);

// The number of a part by this member of an event. Where it is missing: the last part's, or, for a part that begins,
// the number after that.
std::uint64_t block_number(ReplyState& state, const json::Value& event, std::string_view member, bool begins);

}  // namespace plumb::wire
