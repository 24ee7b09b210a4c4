// W3C trace context: reads, makes and passes on `traceparent`.
//
//   traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plumb::proxy {

struct TraceContext {
  std::uint64_t trace_high = 0;
  std::uint64_t trace_low = 0;
  std::uint64_t span = 0;  // of the sender: the parent of spans made here
  bool sampled = false;
};

// Nothing if it does not follow the specification; then a new trace begins. Later versions are read as far as they are
// the same.
std::optional<TraceContext> read_traceparent(std::string_view text);
std::string traceparent_text(const TraceContext& context);

inline constexpr std::size_t trace_id_bytes = 32;

std::string hex16(std::uint64_t value);
std::string trace_id_text(const TraceContext& context);
// The same, written to a buffer that has room.
void write_trace_id(char* to, const TraceContext& context);

}  // namespace plumb::proxy
