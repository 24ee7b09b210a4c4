#include "native/proxy/trace_context.hpp"

#include <array>

namespace plumb::proxy {

namespace {

constexpr std::string_view digits = "0123456789abcdef";

std::optional<std::uint64_t> read_hex(std::string_view text) {
  std::uint64_t value = 0;
  for (const char c : text) {
    const std::size_t digit = digits.find(c);
    if (digit == std::string_view::npos) {
      return std::nullopt;
    }
    value = value << 4U | digit;
  }
  return value;
}

void write_hex16(char* to, std::uint64_t value) {
  static constexpr std::array<std::array<char, 2>, 256> pairs = [] {
    std::array<std::array<char, 2>, 256> made = {};
    for (std::size_t i = 0; i < made.size(); ++i) {
      made[i] = {digits[i >> 4U], digits[i & 15U]};
    }
    return made;
  }();
  for (std::size_t i = 16; i > 0; i -= 2, value >>= 8U) {
    const std::array<char, 2>& pair = pairs[value & 255U];
    to[i - 2] = pair[0];
    to[i - 1] = pair[1];
  }
}

}  // namespace

std::optional<TraceContext> read_traceparent(std::string_view text) {
  constexpr std::size_t size = 55;
  if (text.size() < size || text[2] != '-' || text[35] != '-' || text[52] != '-') {
    return std::nullopt;
  }
  const auto version = read_hex(text.substr(0, 2));
  const auto high = read_hex(text.substr(3, 16));
  const auto low = read_hex(text.substr(19, 16));
  const auto span = read_hex(text.substr(36, 16));
  const auto flags = read_hex(text.substr(53, 2));
  if (!version || !high || !low || !span || !flags || *version == 0xFF || (*high == 0 && *low == 0) || *span == 0) {
    return std::nullopt;
  }
  if (*version == 0 ? text.size() != size : text.size() > size && text[size] != '-') {
    return std::nullopt;
  }
  return TraceContext{*high, *low, *span, (*flags & 1U) != 0};
}

std::string hex16(std::uint64_t value) {
  std::string out(16, '0');
  write_hex16(out.data(), value);
  return out;
}

std::string trace_id_text(const TraceContext& context) {
  std::string out(trace_id_bytes, '0');
  write_trace_id(out.data(), context);
  return out;
}

void write_trace_id(char* to, const TraceContext& context) {
  write_hex16(to, context.trace_high);
  write_hex16(to + 16, context.trace_low);
}

std::string traceparent_text(const TraceContext& context) {
  std::string out("00-00000000000000000000000000000000-0000000000000000-00");
  write_trace_id(out.data() + 3, context);
  write_hex16(out.data() + 36, context.span);
  out.back() = context.sampled ? '1' : '0';
  return out;
}

}  // namespace plumb::proxy
