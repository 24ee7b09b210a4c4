#include "core/text/unicode.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/utf8.hpp"

using namespace plumb::text;

namespace {

std::vector<CodePointRange> property(std::string_view expression) {
  std::vector<CodePointRange> ranges;
  CAPTURE(expression);
  REQUIRE(append_property(expression, ranges));
  return ranges;
}

std::size_t size_of(const std::vector<CodePointRange>& ranges) {
  std::size_t size = 0;
  for (const CodePointRange& range : ranges) {
    size += static_cast<std::size_t>(range.last - range.first) + 1;
  }
  return size;
}

bool holds(const std::vector<CodePointRange>& ranges, char32_t c) {
  for (const CodePointRange& range : ranges) {
    if (c >= range.first && c <= range.last) {
      return true;
    }
  }
  return false;
}

std::string lower(char32_t c) {
  char32_t out[2];
  const std::uint32_t size = to_lower(c, out);
  std::string text;
  for (std::uint32_t i = 0; i < size; ++i) {
    append_utf8(text, out[i]);
  }
  return text;
}

// The totals that the files of the Unicode Character Database state themselves ("# Total code points: ...").
struct Total {
  std::string_view expression;
  std::size_t size;
};

// clang-format off
constexpr Total category_totals[] = {
    {"gc=Lu", 1831}, {"gc=Ll", 2233}, {"gc=Lt", 31}, {"gc=Lm", 397}, {"gc=Lo", 131612}, {"gc=Mn", 1985},
    {"gc=Mc", 452}, {"gc=Me", 13}, {"gc=Nd", 680}, {"gc=Nl", 236}, {"gc=No", 915}, {"gc=Pc", 10}, {"gc=Pd", 26},
    {"gc=Ps", 79}, {"gc=Pe", 77}, {"gc=Pi", 12}, {"gc=Pf", 10}, {"gc=Po", 628}, {"gc=Sm", 948}, {"gc=Sc", 63},
    {"gc=Sk", 125}, {"gc=So", 6634}, {"gc=Zs", 17}, {"gc=Zl", 1}, {"gc=Zp", 1}, {"gc=Cc", 65}, {"gc=Cf", 170},
    {"gc=Cs", 2048}, {"gc=Co", 137468}, {"gc=Cn", 825345},
};

constexpr Total script_totals[] = {
    {"sc=Adlam", 88}, {"sc=Ahom", 65}, {"sc=Anatolian_Hieroglyphs", 583}, {"sc=Arabic", 1368}, {"sc=Armenian", 96},
    {"sc=Avestan", 61}, {"sc=Balinese", 124}, {"sc=Bamum", 657}, {"sc=Bassa_Vah", 36}, {"sc=Batak", 56},
    {"sc=Bengali", 96}, {"sc=Bhaiksuki", 97}, {"sc=Bopomofo", 77}, {"sc=Brahmi", 115}, {"sc=Braille", 256},
    {"sc=Buginese", 30}, {"sc=Buhid", 20}, {"sc=Canadian_Aboriginal", 726}, {"sc=Carian", 49},
    {"sc=Caucasian_Albanian", 53}, {"sc=Chakma", 71}, {"sc=Cham", 83}, {"sc=Cherokee", 172}, {"sc=Chorasmian", 28},
    {"sc=Common", 8301}, {"sc=Coptic", 137}, {"sc=Cuneiform", 1234}, {"sc=Cypriot", 55}, {"sc=Cypro_Minoan", 99},
    {"sc=Cyrillic", 506}, {"sc=Deseret", 80}, {"sc=Devanagari", 164}, {"sc=Dives_Akuru", 72}, {"sc=Dogra", 60},
    {"sc=Duployan", 143}, {"sc=Egyptian_Hieroglyphs", 1110}, {"sc=Elbasan", 40}, {"sc=Elymaic", 23},
    {"sc=Ethiopic", 523}, {"sc=Georgian", 173}, {"sc=Glagolitic", 134}, {"sc=Gothic", 27}, {"sc=Grantha", 85},
    {"sc=Greek", 518}, {"sc=Gujarati", 91}, {"sc=Gunjala_Gondi", 63}, {"sc=Gurmukhi", 80}, {"sc=Han", 98408},
    {"sc=Hangul", 11739}, {"sc=Hanifi_Rohingya", 50}, {"sc=Hanunoo", 21}, {"sc=Hatran", 26}, {"sc=Hebrew", 134},
    {"sc=Hiragana", 381}, {"sc=Imperial_Aramaic", 31}, {"sc=Inherited", 657}, {"sc=Inscriptional_Pahlavi", 27},
    {"sc=Inscriptional_Parthian", 30}, {"sc=Javanese", 90}, {"sc=Kaithi", 68}, {"sc=Kannada", 91},
    {"sc=Katakana", 321}, {"sc=Kawi", 86}, {"sc=Kayah_Li", 47}, {"sc=Kharoshthi", 68},
    {"sc=Khitan_Small_Script", 471}, {"sc=Khmer", 146}, {"sc=Khojki", 65}, {"sc=Khudawadi", 69}, {"sc=Lao", 83},
    {"sc=Latin", 1481}, {"sc=Lepcha", 74}, {"sc=Limbu", 68}, {"sc=Linear_A", 341}, {"sc=Linear_B", 211},
    {"sc=Lisu", 49}, {"sc=Lycian", 29}, {"sc=Lydian", 27}, {"sc=Mahajani", 39}, {"sc=Makasar", 25},
    {"sc=Malayalam", 118}, {"sc=Mandaic", 29}, {"sc=Manichaean", 51}, {"sc=Marchen", 68}, {"sc=Masaram_Gondi", 75},
    {"sc=Medefaidrin", 91}, {"sc=Meetei_Mayek", 79}, {"sc=Mende_Kikakui", 213}, {"sc=Meroitic_Cursive", 90},
    {"sc=Meroitic_Hieroglyphs", 32}, {"sc=Miao", 149}, {"sc=Modi", 79}, {"sc=Mongolian", 168}, {"sc=Mro", 43},
    {"sc=Multani", 38}, {"sc=Myanmar", 223}, {"sc=Nabataean", 40}, {"sc=Nag_Mundari", 42}, {"sc=Nandinagari", 65},
    {"sc=New_Tai_Lue", 83}, {"sc=Newa", 97}, {"sc=Nko", 62}, {"sc=Nushu", 397}, {"sc=Nyiakeng_Puachue_Hmong", 71},
    {"sc=Ogham", 29}, {"sc=Ol_Chiki", 48}, {"sc=Old_Hungarian", 108}, {"sc=Old_Italic", 39},
    {"sc=Old_North_Arabian", 32}, {"sc=Old_Permic", 43}, {"sc=Old_Persian", 50}, {"sc=Old_Sogdian", 40},
    {"sc=Old_South_Arabian", 32}, {"sc=Old_Turkic", 73}, {"sc=Old_Uyghur", 26}, {"sc=Oriya", 91}, {"sc=Osage", 72},
    {"sc=Osmanya", 40}, {"sc=Pahawh_Hmong", 127}, {"sc=Palmyrene", 32}, {"sc=Pau_Cin_Hau", 57}, {"sc=Phags_Pa", 56},
    {"sc=Phoenician", 29}, {"sc=Psalter_Pahlavi", 29}, {"sc=Rejang", 37}, {"sc=Runic", 86}, {"sc=Samaritan", 61},
    {"sc=Saurashtra", 82}, {"sc=Sharada", 96}, {"sc=Shavian", 48}, {"sc=Siddham", 92}, {"sc=SignWriting", 672},
    {"sc=Sinhala", 111}, {"sc=Sogdian", 42}, {"sc=Sora_Sompeng", 35}, {"sc=Soyombo", 83}, {"sc=Sundanese", 72},
    {"sc=Syloti_Nagri", 45}, {"sc=Syriac", 88}, {"sc=Tagalog", 23}, {"sc=Tagbanwa", 18}, {"sc=Tai_Le", 35},
    {"sc=Tai_Tham", 127}, {"sc=Tai_Viet", 72}, {"sc=Takri", 68}, {"sc=Tamil", 123}, {"sc=Tangsa", 89},
    {"sc=Tangut", 6914}, {"sc=Telugu", 100}, {"sc=Thaana", 50}, {"sc=Thai", 86}, {"sc=Tibetan", 207},
    {"sc=Tifinagh", 59}, {"sc=Tirhuta", 82}, {"sc=Toto", 31}, {"sc=Ugaritic", 31}, {"sc=Vai", 300},
    {"sc=Vithkuqi", 70}, {"sc=Wancho", 59}, {"sc=Warang_Citi", 84}, {"sc=Yezidi", 47}, {"sc=Yi", 1220},
    {"sc=Zanabazar_Square", 72},
};

// In the order of the enumeration Property.
constexpr Total property_totals[] = {
    {"ASCII_Hex_Digit", 22}, {"Alphabetic", 137765}, {"Bidi_Control", 12}, {"Bidi_Mirrored", 553},
    {"Case_Ignorable", 2707}, {"Cased", 4526}, {"Changes_When_Casefolded", 1506}, {"Changes_When_Casemapped", 2927},
    {"Changes_When_Lowercased", 1433}, {"Changes_When_NFKC_Casefolded", 10491}, {"Changes_When_Titlecased", 1452},
    {"Changes_When_Uppercased", 1525}, {"Dash", 30}, {"Default_Ignorable_Code_Point", 4174}, {"Deprecated", 15},
    {"Diacritic", 1144}, {"Emoji", 1424}, {"Emoji_Component", 146}, {"Emoji_Modifier", 5},
    {"Emoji_Modifier_Base", 134}, {"Emoji_Presentation", 1205}, {"Extended_Pictographic", 3537}, {"Extender", 50},
    {"Grapheme_Base", 146986}, {"Grapheme_Extend", 2125}, {"Hex_Digit", 44}, {"IDS_Binary_Operator", 10},
    {"IDS_Trinary_Operator", 2}, {"ID_Continue", 139482}, {"ID_Start", 136345}, {"Ideographic", 105854},
    {"Join_Control", 2}, {"Logical_Order_Exception", 19}, {"Lowercase", 2544}, {"Math", 2310},
    {"Noncharacter_Code_Point", 66}, {"Pattern_Syntax", 2760}, {"Pattern_White_Space", 11}, {"Quotation_Mark", 30},
    {"Radical", 329}, {"Regional_Indicator", 26}, {"Sentence_Terminal", 154}, {"Soft_Dotted", 50},
    {"Terminal_Punctuation", 278}, {"Unified_Ideograph", 97058}, {"Uppercase", 1951}, {"Variation_Selector", 260},
    {"White_Space", 25}, {"XID_Continue", 139463}, {"XID_Start", 136322},
};
// clang-format on

}  // namespace

TEST_CASE("unicode: properties have as many code points as the database says") {
  for (const Total& total : category_totals) {
    CAPTURE(total.expression);
    CHECK(size_of(property(total.expression)) == total.size);
  }
  for (const Total& total : script_totals) {
    CAPTURE(total.expression);
    CHECK(size_of(property(total.expression)) == total.size);
  }
  for (const Total& total : property_totals) {
    CAPTURE(total.expression);
    CHECK(size_of(property(total.expression)) == total.size);
  }
}

TEST_CASE("unicode: looking one character up and listing a property agree") {
  static_assert(std::size(category_totals) == 30 && std::size(property_totals) == properties_size);
  std::size_t wrong = 0;
  for (std::uint32_t i = 0; i < properties_size; ++i) {
    std::vector<CodePointRange> listed = property(property_totals[i].expression);
    // At the borders of the ranges and inside, before and after them.
    for (const CodePointRange& range : listed) {
      const auto p = static_cast<Property>(i);
      wrong += has_property(range.first, p) && has_property(range.last, p) ? 0U : 1U;
      wrong += range.first != 0 && has_property(range.first - 1, p) ? 1U : 0U;
      wrong += range.last != code_point_last && has_property(range.last + 1, p) ? 1U : 0U;
    }
  }
  for (std::uint32_t i = 0; i < 30; ++i) {
    for (const CodePointRange& range : property(category_totals[i].expression)) {
      wrong += category(range.first) == static_cast<Category>(i) ? 0U : 1U;
      wrong += category(range.last) == static_cast<Category>(i) ? 0U : 1U;
      wrong += range.last != code_point_last && category(range.last + 1) == static_cast<Category>(i) ? 1U : 0U;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("unicode: the categories and scripts are a partition") {
  std::size_t all = 0;
  for (const Total& total : category_totals) {
    all += size_of(property(total.expression));
  }
  CHECK(all == 0x110000);
  all = size_of(property("sc=Unknown"));
  for (const Total& total : script_totals) {
    all += size_of(property(total.expression));
  }
  CHECK(all == 0x110000);
}

TEST_CASE("unicode: property expressions have exactly the names of ECMA-262") {
  for (const std::string_view same : {"L", "Letter", "gc=L", "General_Category=Letter"}) {
    CHECK(property(same) == property("L"));
  }
  CHECK(property("Nd") == property("digit"));
  CHECK(property("P") == property("punct"));
  CHECK(property("LC") == property("Cased_Letter"));
  CHECK(property("Script=Greek") == property("sc=Grek"));
  CHECK(property("sc=Qaai") == property("Script=Inherited"));
  CHECK(property("Alpha") == property("Alphabetic"));
  CHECK(property("space") == property("White_Space"));
  CHECK(size_of(property("Any")) == 0x110000);
  CHECK(size_of(property("Assigned")) == 0x110000 - 825345);
  std::vector<CodePointRange> none;
  for (const std::string_view wrong : {"",
                                       "=",
                                       "letter",
                                       "L ",
                                       " L",
                                       "Latin",
                                       "Greek",
                                       "sc=greek",
                                       "sc=",
                                       "gc=Alphabetic",
                                       "Script",
                                       "Block=Basic_Latin",
                                       "InGreek",
                                       "ASCII=Y",
                                       "Other_Math",
                                       "Hyphen",
                                       "Composition_Exclusion",
                                       "IsL",
                                       "L\nM",
                                       "Lu Uppercase_Letter"}) {
    CAPTURE(wrong);
    CHECK_FALSE(append_property(wrong, none));
  }
  CHECK(none.empty());
}

TEST_CASE("unicode: script extensions add the scripts that share a character") {
  CHECK(script(0x3B1) == Script::greek);
  CHECK(script(0x30FC) == Script::common);
  CHECK(has_script_extension(0x30FC, Script::hiragana));
  CHECK(has_script_extension(0x30FC, Script::katakana));
  CHECK_FALSE(has_script_extension(0x30FC, Script::common));
  CHECK(holds(property("scx=Hira"), 0x30FC));
  CHECK_FALSE(holds(property("scx=Zyyy"), 0x30FC));
  CHECK(script(0x378) == Script::unknown);
  CHECK(script(0xE000) == Script::unknown);
}

TEST_CASE("unicode: lower case maps each character by itself") {
  CHECK(lower('A') == "a");
  CHECK(lower('a') == "a");
  CHECK(lower('[') == "[");
  CHECK(lower(0xC9) == "\u00e9");
  CHECK(lower(0xD7) == "\u00d7");  // the multiplication sign is among capital letters
  CHECK(lower(0x100) == "\u0101");
  CHECK(lower(0x101) == "\u0101");
  CHECK(lower(0x130) == "i\u0307");
  CHECK(lower(0x1C4) == "\u01c6");
  CHECK(lower(0x1C5) == "\u01c6");
  CHECK(lower(0x3A3) == "\u03c3");
  CHECK(lower(0x1E9E) == "\u00df");
  CHECK(lower(0x2126) == "\u03c9");
  CHECK(lower(0x13A0) == "\uab70");
  CHECK(lower(0x1E900) == "\U0001E922");
  // What Changes_When_Lowercased says of characters that have no canonical decomposition is what to_lower does.
  std::size_t changed = 0;
  for (char32_t c = 0; c <= code_point_last; ++c) {
    char32_t out[2];
    changed += to_lower(c, out) != 1 || out[0] != c ? 1U : 0U;
  }
  CHECK(changed == 1433);
}

TEST_CASE("unicode: normalisation form C") {
  CHECK(nfc("abc") == "abc");
  CHECK(nfc("e\u0301") == "\u00e9");
  CHECK(nfc("\u00e9") == "\u00e9");
  CHECK(nfc("\u212b") == "\u00c5");                // a singleton
  CHECK(nfc("q\u0307\u0323") == "q\u0323\u0307");  // order by class
  CHECK(nfc("\u1e0b\u0323") == "\u1e0d\u0307");    // taken apart, put in order, put together
  CHECK(nfc("\u1e9b\u0323") == "\u1e9b\u0323");
  CHECK(nfc("\u0958") == "\u0915\u093c");  // excluded from composition
  CHECK(nfc("\u1100\u1161\u11a8") == "\uac01");
  CHECK(nfc("\uac00\u11a8") == "\uac01");
  CHECK(nfc("\u0344") == "\u0308\u0301");
  CHECK(nfc("\u1fb4") == "\u1fb4");
  CHECK(nfc("\u03b1\u0345\u0301") == "\u1fb4");
  CHECK(nfc("\U0002F800") == "\u4e3d");
  CHECK(nfc("\xff"
            "e\u0301\xed\xa0\x80") == "\xff\u00e9\xed\xa0\x80");
  CHECK(is_nfc("\u00e9"));
  CHECK_FALSE(is_nfc("e\u0301"));
  CHECK(is_nfc(""));
}

TEST_CASE("unicode: normalising twice changes nothing, and every Hangul syllable comes back") {
  std::size_t wrong = 0;
  for (char32_t c = 0xA0; c < 0x3400; ++c) {
    std::string text = "a";
    append_utf8(text, c);
    append_utf8(text, 0x301);
    const std::string once = nfc(text);
    wrong += nfc(once) == once && is_nfc(once) ? 0U : 1U;
  }
  for (char32_t c = 0xAC00; c <= 0xD7A3; ++c) {
    std::string text;
    append_utf8(text, c);
    wrong += is_nfc(text) ? 0U : 1U;
  }
  CHECK(wrong == 0);
}

TEST_CASE("unicode: combining classes, joining types and directions") {
  CHECK(combining_class(0x94D) == 9);
  CHECK(combining_class(0x301) == 230);
  CHECK(combining_class('a') == 0);
  CHECK(joining_type(0x628) == JoiningType::d);
  CHECK(joining_type(0x627) == JoiningType::r);
  CHECK(joining_type(0x640) == JoiningType::c);
  CHECK(joining_type(0xA872) == JoiningType::l);
  CHECK(joining_type(0x300) == JoiningType::t);
  CHECK(joining_type('a') == JoiningType::u);
  CHECK(bidi_class('a') == BidiClass::l);
  CHECK(bidi_class('1') == BidiClass::en);
  CHECK(bidi_class(0x5D0) == BidiClass::r);
  CHECK(bidi_class(0x627) == BidiClass::al);
  CHECK(bidi_class(0x661) == BidiClass::an);
  CHECK(bidi_class(0x300) == BidiClass::nsm);
  std::array<std::size_t, 6> joining{};
  std::size_t viramas = 0;
  for (char32_t c = 0; c <= code_point_last; ++c) {
    ++joining[static_cast<std::size_t>(joining_type(c))];
    viramas += combining_class(c) == 9 ? 1U : 0U;
  }
  CHECK(joining[static_cast<std::size_t>(JoiningType::d)] == 610);
  CHECK(joining[static_cast<std::size_t>(JoiningType::r)] == 152);
  CHECK(joining[static_cast<std::size_t>(JoiningType::l)] == 5);
  CHECK(joining[static_cast<std::size_t>(JoiningType::c)] == 7);
  CHECK(joining[static_cast<std::size_t>(JoiningType::t)] == 2150);
  CHECK(viramas == 65);
}

TEST_CASE("unicode: the classes of RFC 5892") {
  const auto is = [](char32_t c, IdnaClass wanted) {
    CAPTURE(c);
    CHECK(idna_class(c) == wanted);
  };
  for (const char32_t c :
       {U'a', U'0', U'-', U'\u00df', U'\u00e9', U'\u03c2', U'\u4e2d', U'\u05d0', U'\u3007', U'\u06fd'}) {
    is(c, IdnaClass::pvalid);
  }
  for (const char32_t c : {U'A', U'.', U' ', U'\u00c9', U'\u0640', U'\u07fa', U'\u302e', U'\u3031', U'\u2126',
                           U'\uff41', U'\u1100', U'\u20d0', U'\u00ad', U'\ufdd0', U'\U0001F600', U'\ue000'}) {
    is(c, IdnaClass::disallowed);
  }
  is(0xD800, IdnaClass::disallowed);
  is(0x200C, IdnaClass::contextj);
  is(0x200D, IdnaClass::contextj);
  for (const char32_t c : {U'\u00b7', U'\u0375', U'\u05f3', U'\u05f4', U'\u30fb', U'\u0660', U'\u06f9'}) {
    is(c, IdnaClass::contexto);
  }
  is(0x378, IdnaClass::unassigned);
  // Counted once by the letter of the RFC, with NFKC and case folding done on the files of the database.
  std::array<std::size_t, 5> counts{};
  for (char32_t c = 0; c <= code_point_last; ++c) {
    ++counts[static_cast<std::size_t>(idna_class(c))];
  }
  CHECK(counts == std::array<std::size_t, 5>{133523, 2, 25, 155283, 825279});
}
