// The access log: one line per call, made from its CallRecord. It never contains a key, a prompt or an answer.
//
//   {"time":"2026-01-31T08:00:00.123Z","event":"call","id":"c...","key":"k...","route":"/v1/chat/completions",...}
//
// A separate thread writes the lines. Lines that it cannot keep up with are dropped and counted, so a slow disk or
// terminal does not slow calls down.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "native/proxy/call_record.hpp"
#include "native/proxy/policy.hpp"
#include "native/proxy/settings.hpp"

namespace plumb::proxy {

// The line, without a line end.
std::string log_line(const CallRecord& record, LogKind kind);
// A request that never became a call.
std::string refusal_line(const Refusal& refusal, std::uint64_t wall_ms, LogKind kind);
// Any other event worth a line, such as a reload, or a file that cannot be written.
std::string event_line(std::string_view level, std::string_view event, std::string_view message, std::uint64_t wall_ms,
                       LogKind kind);

}  // namespace plumb::proxy
