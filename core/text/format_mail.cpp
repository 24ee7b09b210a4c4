#include "core/text/format_mail.hpp"

#include <cstddef>
#include <cstdint>

#include "core/ascii.hpp"
#include "core/text/format_address.hpp"
#include "core/text/format_host.hpp"
#include "core/text/utf8.hpp"

namespace plumb::text {
namespace {

constexpr std::size_t mailbox_octets_max = 254;
constexpr std::size_t local_octets_max = 64;
constexpr std::size_t domain_octets_max = 255;
constexpr std::size_t label_octets_max = 63;

enum class Repertoire : std::uint8_t { ascii, utf8 };

bool is_atext(char c) {
  constexpr std::string_view more = "!#$%&'*+-/=?^_`{|}~";
  return ascii::is_letter(c) || ascii::is_digit(c) || more.find(c) != std::string_view::npos;
}

// Bytes of the character beyond ASCII at `at`; 0 when there is none, or when it is not allowed.
std::size_t beyond_ascii(std::string_view text, std::size_t at, Repertoire repertoire) {
  if (repertoire == Repertoire::ascii) {
    return 0;
  }
  const Decoded next = decode(text.data() + at, text.data() + text.size());
  return next.valid && next.code_point >= 0x80 && !is_surrogate(next.code_point) ? next.size : 0;
}

// Dot-string. Returns the bytes read, 0 when there is none.
std::size_t dot_string(std::string_view text, Repertoire repertoire) {
  std::size_t at = 0;
  bool atom = false;  // the current atom has a character
  while (at < text.size()) {
    if (is_atext(text[at])) {
      ++at;
      atom = true;
    } else if (text[at] == '.') {
      if (!atom) {
        return 0;
      }
      ++at;
      atom = false;
    } else if (const std::size_t size = beyond_ascii(text, at, repertoire); size > 0) {
      at += size;
      atom = true;
    } else {
      break;
    }
  }
  return atom ? at : 0;
}

// Quoted-string with its quotes. Returns the bytes read, 0 when it is none.
std::size_t quoted_string(std::string_view text, Repertoire repertoire) {
  std::size_t at = 1;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      return at + 1;
    }
    if (c == '\\') {
      if (at + 1 >= text.size() || text[at + 1] < 0x20 || text[at + 1] > 0x7E) {
        return 0;
      }
      at += 2;
    } else if (c >= 0x20 && c <= 0x7E) {
      ++at;
    } else if (const std::size_t size = beyond_ascii(text, at, repertoire); size > 0) {
      at += size;
    } else {
      return 0;
    }
  }
  return 0;
}

// sub-domain: a letter or digit, then letters, digits and hyphens, a letter or digit last.
bool is_sub_domain(std::string_view text) {
  if (text.empty() || text.size() > label_octets_max || text.front() == '-' || text.back() == '-') {
    return false;
  }
  for (const char c : text) {
    if (!ascii::is_letter(c) && !ascii::is_digit(c) && c != '-') {
      return false;
    }
  }
  return true;
}

bool is_domain(std::string_view text, Repertoire repertoire) {
  if (text.size() > domain_octets_max) {
    return false;
  }
  bool ascii = true;
  for (const char c : text) {
    ascii = ascii && static_cast<unsigned char>(c) < 0x80;
  }
  if (!ascii) {
    return repertoire == Repertoire::utf8 && is_idn_hostname(text);
  }
  for (;;) {
    const std::size_t dot = text.find('.');
    if (!is_sub_domain(text.substr(0, dot))) {
      return false;
    }
    if (dot == std::string_view::npos) {
      return true;
    }
    text.remove_prefix(dot + 1);
  }
}

// IPv4-address-literal: three digits at most a part, up to 255; unlike the format ipv4 leading zeros are allowed.
bool is_ipv4_literal(std::string_view text) {
  for (int part = 0; part < 4; ++part) {
    std::size_t digits = 0;
    int value = 0;
    while (digits < text.size() && digits < 3 && ascii::is_digit(text[digits])) {
      value = value * 10 + (text[digits] - '0');
      ++digits;
    }
    if (digits == 0 || value > 255) {
      return false;
    }
    text.remove_prefix(digits);
    if (part < 3) {
      if (text.empty() || text[0] != '.') {
        return false;
      }
      text.remove_prefix(1);
    }
  }
  return text.empty();
}

// IPv6-addr of RFC 5321: as everywhere, but `::` stands for two groups or more. Once the address is known to be sound,
// the groups that are written decide; an IPv4 tail writes two.
bool is_ipv6_literal(std::string_view text) {
  if (!is_ipv6(text)) {
    return false;
  }
  if (text.find("::") == std::string_view::npos) {
    return true;
  }
  int groups = text.find('.') == std::string_view::npos ? 0 : 1;
  bool in_group = false;
  for (const char c : text) {
    groups += c != ':' && !in_group ? 1 : 0;
    in_group = c != ':';
  }
  return groups <= 6;
}

bool is_address_literal(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') {
    return false;
  }
  text = text.substr(1, text.size() - 2);
  constexpr std::string_view tag = "ipv6:";
  if (text.size() > tag.size()) {
    bool tagged = true;
    for (std::size_t i = 0; i < tag.size(); ++i) {
      const char lower = ascii::is_letter(text[i]) ? static_cast<char>(text[i] | 0x20) : text[i];
      tagged = tagged && lower == tag[i];
    }
    if (tagged) {
      return is_ipv6_literal(text.substr(tag.size()));
    }
  }
  return is_ipv4_literal(text);
}

bool is_mailbox(std::string_view text, Repertoire repertoire) {
  if (text.empty() || text.size() > mailbox_octets_max) {
    return false;
  }
  const std::size_t local = text[0] == '"' ? quoted_string(text, repertoire) : dot_string(text, repertoire);
  if (local == 0 || local > local_octets_max || local >= text.size() || text[local] != '@') {
    return false;
  }
  const std::string_view domain = text.substr(local + 1);
  return is_domain(domain, repertoire) || is_address_literal(domain);
}

}  // namespace

bool is_email(std::string_view text) { return is_mailbox(text, Repertoire::ascii); }
bool is_idn_email(std::string_view text) { return is_mailbox(text, Repertoire::utf8); }

}  // namespace plumb::text
