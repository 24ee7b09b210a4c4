// Labels are decoded one by one into code points; what a rule about the whole name needs of them is kept as flags, so
// that memory does not grow with the name.
#include "core/text/format_host.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/ascii.hpp"
#include "core/text/format_punycode.hpp"
#include "core/text/unicode.hpp"
#include "core/text/utf8.hpp"

namespace plumb::text {
namespace {

constexpr std::size_t name_octets_max = 253;
constexpr std::size_t label_octets_max = 63;
constexpr std::string_view a_label_prefix = "xn--";
using Label = std::vector<char32_t>;

bool is_ldh_label(std::string_view label) {
  if (label.empty() || label.size() > label_octets_max || label.front() == '-' || label.back() == '-') {
    return false;
  }
  for (const char c : label) {
    if (!ascii::is_letter(c) && !ascii::is_digit(c) && c != '-') {
      return false;
    }
  }
  return true;
}

bool is_reserved(std::string_view label) { return label.size() >= 4 && label[2] == '-' && label[3] == '-'; }

bool has_virama_before(const Label& label, std::size_t at) { return at > 0 && combining_class(label[at - 1]) == 9; }

// RFC 5892 appendix A.1: between joining characters, with transparent ones in between.
bool joins_around(const Label& label, std::size_t at) {
  std::size_t before = at;
  while (before > 0 && joining_type(label[before - 1]) == JoiningType::t) {
    --before;
  }
  std::size_t after = at + 1;
  while (after < label.size() && joining_type(label[after]) == JoiningType::t) {
    ++after;
  }
  if (before == 0 || after == label.size()) {
    return false;
  }
  const JoiningType left = joining_type(label[before - 1]);
  const JoiningType right = joining_type(label[after]);
  return (left == JoiningType::l || left == JoiningType::d) && (right == JoiningType::r || right == JoiningType::d);
}

bool any_between(const Label& label, char32_t first, char32_t last) {
  for (const char32_t c : label) {
    if (c >= first && c <= last) {
      return true;
    }
  }
  return false;
}

// The rules of RFC 5892 appendix A for one character that is CONTEXTJ or CONTEXTO. A character without a rule is not
// allowed.
bool context_holds(const Label& label, std::size_t at) {
  const char32_t c = label[at];
  switch (c) {
    case 0x200C:
      return has_virama_before(label, at) || joins_around(label, at);
    case 0x200D:
      return has_virama_before(label, at);
    case 0x00B7:
      return at > 0 && at + 1 < label.size() && label[at - 1] == 'l' && label[at + 1] == 'l';
    case 0x0375:
      return at + 1 < label.size() && script(label[at + 1]) == Script::greek;
    case 0x05F3:
    case 0x05F4:
      return at > 0 && script(label[at - 1]) == Script::hebrew;
    case 0x30FB:
      for (const char32_t other : label) {
        const Script s = script(other);
        if (s == Script::hiragana || s == Script::katakana || s == Script::han) {
          return true;
        }
      }
      return false;
    default:
      break;
  }
  if (c >= 0x0660 && c <= 0x0669) {
    return !any_between(label, 0x06F0, 0x06F9);
  }
  if (c >= 0x06F0 && c <= 0x06F9) {
    return !any_between(label, 0x0660, 0x0669);
  }
  return false;
}

bool is_mark(char32_t c) {
  const Category kind = category(c);
  return kind == Category::mn || kind == Category::mc || kind == Category::me;
}

// All rules for a U-label by itself, but for its length and the Bidi rule.
bool is_u_label(const Label& label) {
  if (label.empty() || label.size() > label_octets_max || label.front() == '-' || label.back() == '-' ||
      (label.size() >= 4 && label[2] == '-' && label[3] == '-') || is_mark(label.front())) {
    return false;
  }
  for (std::size_t at = 0; at < label.size(); ++at) {
    switch (idna_class(label[at])) {
      case IdnaClass::pvalid:
        break;
      case IdnaClass::contextj:
      case IdnaClass::contexto:
        if (!context_holds(label, at)) {
          return false;
        }
        break;
      case IdnaClass::disallowed:
      case IdnaClass::unassigned:
        return false;
    }
  }
  std::string text;
  for (const char32_t c : label) {
    append_utf8(text, c);
  }
  return is_nfc(text);
}

// RFC 5893 section 2, conditions 1 to 6.
bool bidi_rule_holds(const Label& label) {
  const BidiClass first = bidi_class(label.front());
  const bool right_to_left = first == BidiClass::r || first == BidiClass::al;
  if (!right_to_left && first != BidiClass::l) {
    return false;
  }
  bool european = false;
  bool arabic = false;
  BidiClass last = first;  // the last that is no nonspacing mark
  for (const char32_t c : label) {
    const BidiClass kind = bidi_class(c);
    switch (kind) {
      case BidiClass::en:
        european = true;
        break;
      case BidiClass::an:
        if (!right_to_left) {
          return false;
        }
        arabic = true;
        break;
      case BidiClass::r:
      case BidiClass::al:
        if (!right_to_left) {
          return false;
        }
        break;
      case BidiClass::l:
        if (right_to_left) {
          return false;
        }
        break;
      case BidiClass::es:
      case BidiClass::cs:
      case BidiClass::et:
      case BidiClass::on:
      case BidiClass::bn:
        break;
      case BidiClass::nsm:
        continue;
      default:
        return false;
    }
    last = kind;
  }
  if (right_to_left) {
    const bool ends = last == BidiClass::r || last == BidiClass::al || last == BidiClass::en || last == BidiClass::an;
    return ends && !(european && arabic);
  }
  return last == BidiClass::l || last == BidiClass::en;
}

bool has_right_to_left(const Label& label) {
  for (const char32_t c : label) {
    const BidiClass kind = bidi_class(c);
    if (kind == BidiClass::r || kind == BidiClass::al || kind == BidiClass::an) {
      return true;
    }
  }
  return false;
}

struct ReadLabel {
  Label code_points;       // decoded
  std::size_t octets = 0;  // as an LDH label or A-label
  bool unicode = false;    // was a U-label
  bool reserved = false;   // hyphens in the third and fourth place, and no A-label
  bool number = false;     // only digits
};

// Reads and checks one label by itself.
bool read_label(std::string_view text, bool unicode_allowed, ReadLabel& label) {
  label = ReadLabel();
  bool plain = true;
  bool digits = true;
  for (const char c : text) {
    plain = plain && static_cast<unsigned char>(c) < 0x80;
    digits = digits && ascii::is_digit(c);
  }
  if (plain) {
    if (!is_ldh_label(text)) {
      return false;
    }
    label.octets = text.size();
    label.number = digits;
    const std::string lower = ascii::lower(text);
    if (!lower.starts_with(a_label_prefix)) {
      label.reserved = is_reserved(text);
      for (const char c : lower) {
        label.code_points.push_back(static_cast<char32_t>(c));
      }
      return true;
    }
    const std::string_view encoded = std::string_view(lower).substr(a_label_prefix.size());
    if (!punycode_decode(encoded, label.code_points) || !is_u_label(label.code_points)) {
      return false;
    }
    bool beyond_ascii = false;
    for (const char32_t c : label.code_points) {
      beyond_ascii = beyond_ascii || c >= 0x80;
    }
    return beyond_ascii && punycode_encode(label.code_points) == encoded;
  }
  if (!unicode_allowed || text.size() > 4 * label_octets_max) {
    return false;
  }
  for (std::size_t at = 0; at < text.size();) {
    const Decoded next = decode(text.data() + at, text.data() + text.size());
    if (!next.valid || is_surrogate(next.code_point)) {
      return false;
    }
    label.code_points.push_back(next.code_point);
    at += next.size;
  }
  if (!is_u_label(label.code_points)) {
    return false;
  }
  const std::string encoded = punycode_encode(label.code_points);
  label.octets = a_label_prefix.size() + encoded.size();
  label.unicode = true;
  return !encoded.empty() && label.octets <= label_octets_max;
}

// Bytes of the separator at `at`, 0 when there is none.
std::size_t separator(std::string_view text, std::size_t at, bool unicode_allowed) {
  if (text[at] == '.') {
    return 1;
  }
  if (unicode_allowed) {
    const std::string_view here = text.substr(at, 3);
    if (here == "\xE3\x80\x82" || here == "\xEF\xBC\x8E" || here == "\xEF\xBD\xA1") {
      return 3;
    }
  }
  return 0;
}

bool is_host(std::string_view text, bool unicode_allowed) {
  // A U-label has at most as many characters as its A-label has octets, each of at most 4 bytes.
  if (text.empty() || text.size() > 4 * name_octets_max) {
    return false;
  }
  std::size_t octets = 0;
  std::size_t labels = 0;
  std::size_t numbers = 0;
  bool unicode = false;
  bool reserved = false;
  bool bidi = false;
  bool bidi_sound = true;
  ReadLabel label;
  std::size_t from = 0;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t size = at < text.size() ? separator(text, at, unicode_allowed) : 1;
    if (size == 0) {
      ++at;
      continue;
    }
    if (!read_label(text.substr(from, at - from), unicode_allowed, label)) {
      return false;
    }
    octets += label.octets + (labels > 0 ? 1 : 0);
    ++labels;
    numbers += label.number ? 1 : 0;
    unicode = unicode || label.unicode;
    reserved = reserved || label.reserved;
    bidi = bidi || has_right_to_left(label.code_points);
    bidi_sound = bidi_sound && bidi_rule_holds(label.code_points);
    at += size;
    from = at;
  }
  if (octets > name_octets_max || (labels == 4 && numbers == 4) || (unicode && reserved)) {
    return false;
  }
  return !bidi || bidi_sound;
}

}  // namespace

bool is_hostname(std::string_view text) { return is_host(text, false); }
bool is_idn_hostname(std::string_view text) { return is_host(text, true); }

}  // namespace plumb::text
