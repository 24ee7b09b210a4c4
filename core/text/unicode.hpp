// What the core knows about characters, all from one version of Unicode, without locale.
//
// Every function takes any value up to U+10FFFF, surrogates and unassigned code points too. is_white_space() and
// to_lower() are made for every character of a text; the others look their answer up in packed ranges (50 to 200 ns).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/unicode_scripts.hpp"

namespace plumb::text {

constexpr std::string_view unicode_version = "15.0.0";

// White_Space.
constexpr bool is_white_space(char32_t c) {
  if (c < 0x80) {
    return c == ' ' || (c >= 0x09 && c <= 0x0D);
  }
  if (c < 0x1680) {
    return c == 0x85 || c == 0xA0;
  }
  return c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

// The full default lower case mapping (toLowercase of the Unicode Standard, section 3.13), each character by itself:
// the one mapping to several characters is U+0130, which gives i and U+0307. The rule for the Greek sigma at the end of
// a word needs context and is left out on purpose: capital sigma always gives U+03C3, so that the lower case of a text
// does not depend on where the text is cut. Gives the number of characters written, one or two.
std::uint32_t to_lower(char32_t c, char32_t (&out)[2]);

// clang-format off
enum class Category : std::uint8_t {
  lu, ll, lt, lm, lo, mn, mc, me, nd, nl, no, pc, pd, ps, pe, pi, pf, po, sm, sc, sk, so, zs, zl, zp, cc, cf, cs, co, cn
};
// clang-format on
Category category(char32_t c);

Script script(char32_t c);                        // Script::unknown where nothing is assigned
bool has_script_extension(char32_t c, Script s);  // Script_Extensions of `c` holds `s`

// The binary properties that ECMA-262 allows in \p{}, in the order of the tables.
// clang-format off
enum class Property : std::uint8_t {
  ascii_hex_digit, alphabetic, bidi_control, bidi_mirrored, case_ignorable, cased, changes_when_casefolded,
  changes_when_casemapped, changes_when_lowercased, changes_when_nfkc_casefolded, changes_when_titlecased,
  changes_when_uppercased, dash, default_ignorable_code_point, deprecated, diacritic, emoji, emoji_component,
  emoji_modifier, emoji_modifier_base, emoji_presentation, extended_pictographic, extender, grapheme_base,
  grapheme_extend, hex_digit, ids_binary_operator, ids_trinary_operator, id_continue, id_start, ideographic,
  join_control, logical_order_exception, lowercase, math, noncharacter_code_point, pattern_syntax,
  pattern_white_space, quotation_mark, radical, regional_indicator, sentence_terminal, soft_dotted,
  terminal_punctuation, unified_ideograph, uppercase, variation_selector, white_space, xid_continue, xid_start
};
// clang-format on
constexpr std::uint32_t properties_size = 50;
bool has_property(char32_t c, Property property);

struct CodePointRange {
  char32_t first = 0;
  char32_t last = 0;

  friend bool operator==(const CodePointRange& a, const CodePointRange& b) {
    return a.first == b.first && a.last == b.last;
  }
};

// Appends the code points that ECMA-262 gives for \p{EXPRESSION}, sorted and without overlap: a general category or a
// binary property by itself, or General_Category=, Script=, Script_Extensions= (gc, sc, scx). Names are matched
// exactly. False: there is no such property or value.
bool append_property(std::string_view expression, std::vector<CodePointRange>& out);

// Normalisation form C, meant for short text such as labels and names: a microsecond or so for each character beyond
// U+02FF. Malformed bytes are kept as they are.
std::string nfc(std::string_view text);
bool is_nfc(std::string_view text);

std::uint8_t combining_class(char32_t c);  // Canonical_Combining_Class; 9 is Virama

// For internationalised domain names.
enum class JoiningType : std::uint8_t { u, l, r, d, c, t };
JoiningType joining_type(char32_t c);

// clang-format off
enum class BidiClass : std::uint8_t {
  l, r, al, an, en, es, cs, et, on, bn, nsm, b, s, ws, lre, lro, rle, rlo, pdf, lri, rli, fsi, pdi
};
// clang-format on
BidiClass bidi_class(char32_t c);  // of assigned characters; says nothing about the others

enum class IdnaClass : std::uint8_t { pvalid, contextj, contexto, disallowed, unassigned };
IdnaClass idna_class(char32_t c);  // RFC 5892, section 3, derived from this version of Unicode

}  // namespace plumb::text
