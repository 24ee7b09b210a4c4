// Rules for an answer that are the same on every wire. For the decoders in this folder (reply_state.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/json/value.hpp"
#include "core/result.hpp"
#include "core/wire/model.hpp"
#include "core/wire/reply_state.hpp"

namespace plumb::wire {

// Failure code of an answer that ended without a finish reason.
inline constexpr std::string_view no_finish_reason = "no_finish_reason";

// What an answer's bytes are, by how they begin.
enum class AnswerForm : std::uint8_t {
  unknown,  // not enough of them
  whole,    // one document
  stream,   // server-sent events; of Ollama, lines
};

// `begin`: the bytes so far. `says_events`: the content type does. What begins as JSON or HTML is a document whatever
// the content type says, and what begins as an event is a stream: servers say otherwise of both.
AnswerForm answer_form(std::string_view begin, bool says_events);

// Whether a content type is that of server-sent events, in any case and with any parameters.
bool says_events(std::string_view content_type);

// OpenAI's mark behind the last event.
bool is_done_mark(std::string_view data);
bool is_done_mark(Wire wire, std::string_view data);

// "The provider's answer is not valid JSON: ... (line 1, column 2)"
std::string not_json(const Error& error);

// Ends the answer. If it has no finish reason, it fails as cut off, because some of it may be missing.
void end_answer(ReplyState& state);

// Returns true if the body or event reports an error (told_failure.hpp), and fails the answer with that error.
bool take_error(std::string_view type, const json::Value& body, ReplyState& state);

// Adds the arguments of a call, given as a string or as a JSON value. Missing and null arguments add nothing; a call
// that is still empty when the answer ends gets {}.
void add_call_arguments(ReplyState& state, std::uint32_t call, const json::Value* arguments);

// Reads the index of a part from this member of an event. If it is missing: the index of the last part, or the next
// one if a new part begins.
std::uint64_t block_number(ReplyState& state, const json::Value& event, std::string_view member, bool begins);

}  // namespace plumb::wire
