// The scripts of Unicode 15.0.0, by their long names. Written by `python3 toolchains/unicode/generate.py`; do not edit.
// clang-format off
#pragma once

#include <cstdint>

namespace plumb::text {

enum class Script : std::uint8_t {
  adlam, ahom, anatolian_hieroglyphs, arabic, armenian, avestan, balinese, bamum, bassa_vah, batak, bengali,
  bhaiksuki, bopomofo, brahmi, braille, buginese, buhid, canadian_aboriginal, carian, caucasian_albanian, chakma,
  cham, cherokee, chorasmian, common, coptic, cuneiform, cypriot, cypro_minoan, cyrillic, deseret, devanagari,
  dives_akuru, dogra, duployan, egyptian_hieroglyphs, elbasan, elymaic, ethiopic, georgian, glagolitic, gothic,
  grantha, greek, gujarati, gunjala_gondi, gurmukhi, han, hangul, hanifi_rohingya, hanunoo, hatran, hebrew, hiragana,
  imperial_aramaic, inherited, inscriptional_pahlavi, inscriptional_parthian, javanese, kaithi, kannada, katakana,
  katakana_or_hiragana, kawi, kayah_li, kharoshthi, khitan_small_script, khmer, khojki, khudawadi, lao, latin, lepcha,
  limbu, linear_a, linear_b, lisu, lycian, lydian, mahajani, makasar, malayalam, mandaic, manichaean, marchen,
  masaram_gondi, medefaidrin, meetei_mayek, mende_kikakui, meroitic_cursive, meroitic_hieroglyphs, miao, modi,
  mongolian, mro, multani, myanmar, nabataean, nag_mundari, nandinagari, new_tai_lue, newa, nko, nushu,
  nyiakeng_puachue_hmong, ogham, ol_chiki, old_hungarian, old_italic, old_north_arabian, old_permic, old_persian,
  old_sogdian, old_south_arabian, old_turkic, old_uyghur, oriya, osage, osmanya, pahawh_hmong, palmyrene, pau_cin_hau,
  phags_pa, phoenician, psalter_pahlavi, rejang, runic, samaritan, saurashtra, sharada, shavian, siddham, signwriting,
  sinhala, sogdian, sora_sompeng, soyombo, sundanese, syloti_nagri, syriac, tagalog, tagbanwa, tai_le, tai_tham,
  tai_viet, takri, tamil, tangsa, tangut, telugu, thaana, thai, tibetan, tifinagh, tirhuta, toto, ugaritic, unknown,
  vai, vithkuqi, wancho, warang_citi, yezidi, yi, zanabazar_square,
};

constexpr std::uint32_t scripts_size = 165;

}  // namespace plumb::text
