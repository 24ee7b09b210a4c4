// The access log: one line a call, of what CallRecord knows: never a key, a prompt or an answer.
//
//   {"time":"2026-01-31T08:00:00.123Z","event":"call","id":"c...","key":"k...","route":"/v1/chat/completions",...}
//
// Lines are written by a thread of their own; what it cannot keep up with is dropped and counted, so that a slow disk
// or terminal slows nobody down.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "native/proxy/call_record.hpp"
#include "native/proxy/policy.hpp"
#include "native/proxy/settings.hpp"

namespace plumb::proxy {

// Without its line end.
std::string log_line(const CallRecord& record, LogKind kind);
// A request that never became a call.
std::string refusal_line(const Refusal& refusal, std::uint64_t wall_ms, LogKind kind);
// Of anything else that is worth a line: a reload, a file that cannot be written.
std::string event_line(std::string_view level, std::string_view event, std::string_view message, std::uint64_t wall_ms,
                       LogKind kind);

}  // namespace plumb::proxy
