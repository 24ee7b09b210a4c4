// W3C trace context: `traceparent` read, made and passed on.
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
  std::uint64_t span = 0;  // of whoever says it: the parent of what is made here
  bool sampled = false;
};

// Nothing where it is not what the specification says: a new trace is begun then. Later versions are read as far as
// they are the same.
std::optional<TraceContext> read_traceparent(std::string_view text);
std::string traceparent_text(const TraceContext& context);

inline constexpr std::size_t trace_id_bytes = 32;

std::string hex16(std::uint64_t value);
std::string trace_id_text(const TraceContext& context);
// The same, written to where there is room for it.
void write_trace_id(char* to, const TraceContext& context);

}  // namespace plumb::proxy
