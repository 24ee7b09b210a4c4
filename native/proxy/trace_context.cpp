#include "native/proxy/trace_context.hpp"

namespace plumb::proxy {

namespace {

constexpr std::string_view digits = "0123456789abcdef";

std::optional<std::uint64_t> read_hex(std::string_view text) {
  std::uint64_t value = 0;
  for (const char c : text) {
    const std::size_t digit = digits.find(c);
    if (digit == std::string_view::npos)
      return std::nullopt;
    value = value << 4U | digit;
  }
  return value;
}

}  // namespace

std::optional<TraceContext> read_traceparent(std::string_view text) {
  constexpr std::size_t size = 55;
  if (text.size() < size || text[2] != '-' || text[35] != '-' || text[52] != '-')
    return std::nullopt;
  const auto version = read_hex(text.substr(0, 2));
  const auto high = read_hex(text.substr(3, 16));
  const auto low = read_hex(text.substr(19, 16));
  const auto span = read_hex(text.substr(36, 16));
  const auto flags = read_hex(text.substr(53, 2));
  if (!version || !high || !low || !span || !flags || *version == 0xFF || (*high == 0 && *low == 0) || *span == 0)
    return std::nullopt;
  if (*version == 0 ? text.size() != size : text.size() > size && text[size] != '-')
    return std::nullopt;
  return TraceContext{*high, *low, *span, (*flags & 1U) != 0};
}

std::string hex16(std::uint64_t value) {
  std::string out(16, '0');
  for (std::size_t i = out.size(); i-- > 0; value >>= 4U)
    out[i] = digits[value & 15U];
  return out;
}

std::string trace_id_text(const TraceContext& context) { return hex16(context.trace_high) + hex16(context.trace_low); }

std::string traceparent_text(const TraceContext& context) {
  return "00-" + trace_id_text(context) + "-" + hex16(context.span) + (context.sampled ? "-01" : "-00");
}

}  // namespace plumb::proxy
