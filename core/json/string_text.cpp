#include "core/json/string_text.hpp"

#include <string_view>

#include "core/ascii.hpp"
#include "core/json/scan_simd.hpp"

namespace plumb::json {

namespace {

bool read_hex4(const char* p, const char* end, std::uint32_t& out) {
  if (end - p < 4) {
    return false;
  }
  out = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = ascii::hex_value(p[i]);
    if (digit < 0) {
      return false;
    }
    out = out * 16 + static_cast<std::uint32_t>(digit);
  }
  return true;
}

}  // namespace

const char* decode_string(const char* p, const char* q, const char* end, std::string& out) {
  constexpr std::string_view from = "\"\\/bfnrt";
  constexpr std::string_view to = "\"\\/\b\f\n\r\t";
  out.assign(p, static_cast<std::size_t>(q - p));
  p = q;
  for (;;) {
    q = skip_plain(p, end);
    out.append(p, static_cast<std::size_t>(q - p));
    p = q;
    if (p == end) {
      return nullptr;
    }
    if (*p == '"') {
      return p + 1;
    }
    if (static_cast<signed char>(*p) < 0) {
      int bad_at = 0;
      int length = utf8_sequence(p, end, bad_at);
      if (length <= 0) {
        return nullptr;
      }
      out.append(p, static_cast<std::size_t>(length));
      p += length;
      continue;
    }
    if (*p != '\\' || end - p < 2) {
      return nullptr;
    }
    if (p[1] != 'u') {
      std::size_t i = from.find(p[1]);
      if (i == std::string_view::npos) {
        return nullptr;
      }
      out.push_back(to[i]);
      p += 2;
      continue;
    }
    std::uint32_t unit = 0;
    if (!read_hex4(p + 2, end, unit)) {
      return nullptr;
    }
    p += 6;
    if (unit >= 0xD800 && unit <= 0xDFFF) {
      std::uint32_t low = 0;
      if (unit > 0xDBFF || end - p < 6 || p[0] != '\\' || p[1] != 'u' || !read_hex4(p + 2, end, low) || low < 0xDC00 ||
          low > 0xDFFF) {
        return nullptr;
      }
      unit = 0x10000 + ((unit - 0xD800) << 10U) + (low - 0xDC00);
      p += 6;
    }
    char bytes[4];
    out.append(bytes, encode_utf8(unit, bytes));
  }
}

}  // namespace plumb::json
