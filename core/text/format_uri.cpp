// A reference is cut into its parts at the delimiters of RFC 3986 appendix B; each part then has a set of characters.
#include "core/text/format_uri.hpp"

#include <cstddef>
#include <cstdint>

#include "core/ascii.hpp"
#include "core/text/format_address.hpp"
#include "core/text/utf8.hpp"

namespace plumb::text {
namespace {

bool is_unreserved(char c) {
  return ascii::is_letter(c) || ascii::is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

bool is_sub_delimiter(char c) {
  constexpr std::string_view set = "!$&'()*+,;=";
  return set.find(c) != std::string_view::npos;
}

bool is_percent_encoded(std::string_view text, std::size_t at) {
  return at + 2 < text.size() && text[at] == '%' && ascii::is_hex(text[at + 1]) && ascii::is_hex(text[at + 2]);
}

enum class Repertoire : std::uint8_t { uri, iri };

// What section 4.1 of RFC 3987 forbids in an IRI, though its grammar has it.
bool is_bidi_formatting(char32_t c) { return c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E); }

bool is_ucschar(char32_t c) {
  if (c < 0x10000) {
    return (c >= 0xA0 && c <= 0xD7FF) || (c >= 0xF900 && c <= 0xFDCF) || (c >= 0xFDF0 && c <= 0xFFEF);
  }
  return c <= 0xEFFFD && (c & 0xFFFF) <= 0xFFFD && !(c >= 0xE0000 && c < 0xE1000);
}

bool is_iprivate(char32_t c) {
  return (c >= 0xE000 && c <= 0xF8FF) || (c >= 0xF0000 && c <= 0xFFFFD) || (c >= 0x100000 && c <= 0x10FFFD);
}

// Whether every character is unreserved, a sub-delimiter, percent-encoded or one of `more`; in an IRI also ucschar, and
// iprivate where `with_private`.
bool made_of(std::string_view text, std::string_view more, Repertoire repertoire, bool with_private = false) {
  std::size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (static_cast<unsigned char>(c) >= 0x80) {
      if (repertoire == Repertoire::uri) {
        return false;
      }
      const Decoded next = decode(text.data() + at, text.data() + text.size());
      if (!next.valid || is_bidi_formatting(next.code_point) ||
          !(is_ucschar(next.code_point) || (with_private && is_iprivate(next.code_point)))) {
        return false;
      }
      at += next.size;
    } else if (c == '%') {
      if (!is_percent_encoded(text, at)) {
        return false;
      }
      at += 3;
    } else {
      if (!is_unreserved(c) && !is_sub_delimiter(c) && more.find(c) == std::string_view::npos) {
        return false;
      }
      ++at;
    }
  }
  return true;
}

bool is_scheme(std::string_view text) {
  if (text.empty() || !ascii::is_letter(text[0])) {
    return false;
  }
  for (const char c : text) {
    if (!ascii::is_letter(c) && !ascii::is_digit(c) && c != '+' && c != '-' && c != '.') {
      return false;
    }
  }
  return true;
}

// What is between `[` and `]`.
bool is_ip_literal(std::string_view text) {
  if (!text.empty() && (text[0] == 'v' || text[0] == 'V')) {
    std::size_t at = 1;
    while (at < text.size() && ascii::is_hex(text[at])) {
      ++at;
    }
    if (at == 1 || at + 1 >= text.size() || text[at] != '.') {
      return false;
    }
    for (++at; at < text.size(); ++at) {
      if (!is_unreserved(text[at]) && !is_sub_delimiter(text[at]) && text[at] != ':') {
        return false;
      }
    }
    return true;
  }
  return is_ipv6(text);
}

bool is_authority(std::string_view text, Repertoire repertoire) {
  const std::size_t at_sign = text.find('@');
  if (at_sign != std::string_view::npos) {
    if (!made_of(text.substr(0, at_sign), ":", repertoire)) {
      return false;
    }
    text.remove_prefix(at_sign + 1);
  }
  std::string_view port;
  if (!text.empty() && text[0] == '[') {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos || !is_ip_literal(text.substr(1, close - 1))) {
      return false;
    }
    text.remove_prefix(close + 1);
    if (!text.empty() && text[0] != ':') {
      return false;
    }
    port = text.empty() ? text : text.substr(1);
  } else {
    const std::size_t colon = text.find(':');
    const std::string_view host = text.substr(0, colon);
    if (!made_of(host, "", repertoire)) {
      return false;
    }
    port = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  }
  for (const char c : port) {
    if (!ascii::is_digit(c)) {
      return false;
    }
  }
  return true;
}

bool is_reference(std::string_view text, Repertoire repertoire, bool scheme_required) {
  const std::size_t delimiter = text.find_first_of(":/?#");
  if (delimiter != std::string_view::npos && text[delimiter] == ':') {
    if (!is_scheme(text.substr(0, delimiter))) {
      return false;  // also path-noscheme: the first segment of a relative path holds no colon
    }
    text.remove_prefix(delimiter + 1);
  } else if (scheme_required) {
    return false;
  }
  const std::size_t hash = text.find('#');
  if (hash != std::string_view::npos) {
    if (!made_of(text.substr(hash + 1), ":@/?", repertoire)) {
      return false;
    }
    text = text.substr(0, hash);
  }
  const std::size_t question = text.find('?');
  if (question != std::string_view::npos) {
    if (!made_of(text.substr(question + 1), ":@/?", repertoire, true)) {
      return false;
    }
    text = text.substr(0, question);
  }
  if (text.size() >= 2 && text[0] == '/' && text[1] == '/') {
    text.remove_prefix(2);
    const std::size_t slash = text.find('/');
    if (!is_authority(text.substr(0, slash), repertoire)) {
      return false;
    }
    text = slash == std::string_view::npos ? std::string_view() : text.substr(slash);
  }
  return made_of(text, ":@/", repertoire);
}

// literals of RFC 6570 2.1 in ASCII.
bool is_template_literal(char c) {
  constexpr std::string_view excluded = "\"'%<>\\^`{|}";
  return c > 0x20 && c < 0x7F && excluded.find(c) == std::string_view::npos;
}

// varname: varchar *( ["."] varchar ). Returns the bytes read, 0 when there is no name.
std::size_t variable_name(std::string_view text) {
  std::size_t at = 0;
  bool dot_allowed = false;
  while (at < text.size()) {
    if (ascii::is_letter(text[at]) || ascii::is_digit(text[at]) || text[at] == '_') {
      ++at;
      dot_allowed = true;
    } else if (is_percent_encoded(text, at)) {
      at += 3;
      dot_allowed = true;
    } else if (text[at] == '.' && dot_allowed) {
      ++at;
      dot_allowed = false;
    } else {
      break;
    }
  }
  return at > 0 && !dot_allowed ? 0 : at;
}

// What is between `{` and `}`.
bool is_expression(std::string_view text) {
  constexpr std::string_view operators = "+#./;?&=,!@|";
  if (!text.empty() && operators.find(text[0]) != std::string_view::npos) {
    text.remove_prefix(1);
  }
  for (;;) {
    const std::size_t name = variable_name(text);
    if (name == 0) {
      return false;
    }
    text.remove_prefix(name);
    if (!text.empty() && text[0] == '*') {
      text.remove_prefix(1);
    } else if (!text.empty() && text[0] == ':') {
      std::size_t digits = 1;
      while (digits < text.size() && ascii::is_digit(text[digits])) {
        ++digits;
      }
      if (digits < 2 || digits > 5 || text[1] == '0') {
        return false;
      }
      text.remove_prefix(digits);
    }
    if (text.empty()) {
      return true;
    }
    if (text[0] != ',') {
      return false;
    }
    text.remove_prefix(1);
  }
}

}  // namespace

bool is_uri(std::string_view text) { return is_reference(text, Repertoire::uri, true); }
bool is_uri_reference(std::string_view text) { return is_reference(text, Repertoire::uri, false); }
bool is_iri(std::string_view text) { return is_reference(text, Repertoire::iri, true); }
bool is_iri_reference(std::string_view text) { return is_reference(text, Repertoire::iri, false); }

bool is_uri_template(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (static_cast<unsigned char>(c) >= 0x80) {
      const Decoded next = decode(text.data() + at, text.data() + text.size());
      if (!next.valid || !(is_ucschar(next.code_point) || is_iprivate(next.code_point))) {
        return false;
      }
      at += next.size;
    } else if (c == '{') {
      const std::size_t close = text.find('}', at);
      if (close == std::string_view::npos || !is_expression(text.substr(at + 1, close - at - 1))) {
        return false;
      }
      at = close + 1;
    } else if (is_percent_encoded(text, at)) {
      at += 3;
    } else if (is_template_literal(c)) {
      ++at;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace plumb::text
