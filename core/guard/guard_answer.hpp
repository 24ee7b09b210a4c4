// What a guard did, as each answer says it: the `plumb` object, the headers, and the error of an answer that could not
// be given.
//
//   { "valid": true, "decision": "accept", "contract": "quiz", "mode": "enforce", "verdict": {...},
//     "edits": [{ "part": "text", "class": "fence", "at": "" }], "attempts": 1,
//     "tokens": { "spent": 812, "saved": 430, "estimated": true }, "stopped": [...], "calls": [...],
//     "judge": { "calls": 1, "holds": 5, "broken": 0, "undecided": 1, "reason": "..." }, "note": "..." }
//
// `verdict` is of the answer's text; each call of a tool that was judged has its own in `calls`. A verdict of null has
// a `reason` beside it. The object is carried as
//
// - a whole answer: a member `plumb` of the body (append_whole_answer)
// - a stream: a comment before the protocol's end, `: plumb {...}`; for a client that asks for our events a last chunk
//   with `choices: []` and `plumb` (OpenAI), or `event: plumb` (Anthropic)
// - an error: `error.plumb`, with the verdict and its findings
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/guard/guard.hpp"
#include "core/wire/reply_writer.hpp"

namespace plumb::guard {

// The `plumb` object as JSON text on one line.
std::string plumb_json(const GuardOutcome& outcome);
// x-plumb-verdict (valid, invalid, undecided) and x-plumb-decision, for answers whose headers are still unsent.
std::vector<std::pair<std::string, std::string>> plumb_headers(const GuardOutcome& outcome);

// A whole answer in the client's wire: the reply with its `plumb` member, or the error. Gives the HTTP status.
int append_whole_answer(std::string& out, wire::Wire client, const GuardOutcome& outcome, const wire::ReplyHead& head);
// The end of a stream: finish, usage, `plumb` and the protocol's own end; or the error event.
void append_stream_end(std::string& out, wire::StreamWriter& writer, const GuardOutcome& outcome);

}  // namespace plumb::guard
