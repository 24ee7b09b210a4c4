#include "core/text/language.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/ascii.hpp"
#include "core/text/utf8.hpp"
#include "core/text/words.hpp"

namespace plumb::text {

namespace {

constexpr std::size_t words_max = 20'000;
constexpr std::size_t hits_min = 5;       // telling words that make a language evident
constexpr std::size_t one_of_words = 12;  // at least one word in so many is telling
constexpr std::size_t ahead = 3;          // times as many as any other language has
constexpr std::size_t letters_min = 10;   // of a script

struct Telling {
  std::string_view tag;
  std::string_view words;  // folded, each with a blank on both sides
};
// Frequent words. One that several languages have tells nothing, and is only listed so that it does not.
constexpr Telling telling[] = {
    {"cs", " je se na že do pro jsou byl byla bylo která který které nebo jako tak ale jsem při podle být není "},
    {"de",
     " der die das und ist nicht ein eine einen einer eines einem den dem mit von für auf auch sich werden wird "
     "wurde sind oder durch bei zum zur nach aus als wie im es sie welche welcher welches was wo wer warum "},
    {"en",
     " the of and to is are was were that which with from this by it be has have not their they what how when "
     "where who why does do can an in on for as or at its these into than "},
    {"es",
     " el la los las del una un por con para que en es son como más se su sus al lo qué cuál dónde esta este "
     "pero muy fue cuando entre sobre también de "},
    {"fi", " ja on ei se että hän oli ovat joka mikä missä kun niin kuin myös tai mutta sen ole mitä jotka "},
    {"fr",
     " le la les des du un une et est dans pour sur qui pas par avec sont au aux cette ces ou où être leur quel "
     "quelle que en de ne se plus il elle "},
    {"hu", " az és hogy nem egy is van volt mint ez meg vagy csak amely mely mi hol melyik azt ezt "},
    {"it",
     " il lo la gli le di che è sono nel nella del della dei delle degli per con una un come più non alla dal "
     "questo questa quale cosa dove si in da "},
    {"nl",
     " de het een van en in is dat op te zijn met voor niet aan er om ook door worden wordt naar bij uit deze "
     "die als wat waar welke wie hoe kan of "},
    {"pl", " na się nie jest do że jak oraz od po przez dla są co to jaki jaka który która które czy gdzie "},
    {"pt",
     " os as um uma do da dos das em no na nos nas por com para não que é são ao pelo pela mais como seu sua "
     "foi qual onde de se "},
    {"ro", " și în de la cu din pe este sunt pentru care nu mai un al ale sau prin ce unde "},
    {"ru",
     " и в не на что с как это по к из у за от для его или то есть был была были быть при который которая "
     "которые где чем "},
    {"sv", " och att det som är på för av med till en ett den inte har om från vid eller vad var hur de "},
    {"tr", " ve bir bu için ile olarak olan da de çok daha ne gibi kadar sonra değil hangi nedir nerede "},
    {"uk", " і в не на що з як це до та за від для його або є був була були бути при який яка які де у й "},
};
constexpr std::size_t tongues = std::size(telling);

bool listed_in(std::string_view list, std::string_view word) {
  for (std::size_t at = list.find(word); at != std::string_view::npos; at = list.find(word, at + 1)) {
    if (list[at - 1] == ' ' && list[at + word.size()] == ' ') {
      return true;
    }
  }
  return false;
}

enum class Script : std::uint8_t { kana, han, hangul, greek, hebrew, thai, other };
struct Range {
  char32_t from;
  char32_t to;
  Script script;
};
constexpr Range ranges[] = {
    {0x370, 0x3FF, Script::greek},    {0x590, 0x5FF, Script::hebrew},  {0xE00, 0xE7F, Script::thai},
    {0x1100, 0x11FF, Script::hangul}, {0x1F00, 0x1FFF, Script::greek}, {0x3040, 0x30FF, Script::kana},
    {0x3400, 0x4DBF, Script::han},    {0x4E00, 0x9FFF, Script::han},   {0xAC00, 0xD7AF, Script::hangul},
};
constexpr std::array<std::pair<Script, std::string_view>, 4> by_script = {
    {{Script::hangul, "ko"}, {Script::greek, "el"}, {Script::hebrew, "he"}, {Script::thai, "th"}}};

Script script_of(char32_t c) {
  for (const Range& one : ranges) {
    if (c >= one.from && c <= one.to) {
      return one.script;
    }
  }
  return Script::other;
}

// clang-format off
// ISO 639-1.
constexpr std::pair<std::string_view, std::string_view> names[] = {
    {"aa", "Afar"}, {"ab", "Abkhazian"}, {"ae", "Avestan"}, {"af", "Afrikaans"}, {"ak", "Akan"}, {"am", "Amharic"},
    {"an", "Aragonese"}, {"ar", "Arabic"}, {"as", "Assamese"}, {"av", "Avaric"}, {"ay", "Aymara"},
    {"az", "Azerbaijani"}, {"ba", "Bashkir"}, {"be", "Belarusian"}, {"bg", "Bulgarian"}, {"bi", "Bislama"},
    {"bm", "Bambara"}, {"bn", "Bengali"}, {"bo", "Tibetan"}, {"br", "Breton"}, {"bs", "Bosnian"}, {"ca", "Catalan"},
    {"ce", "Chechen"}, {"ch", "Chamorro"}, {"co", "Corsican"}, {"cr", "Cree"}, {"cs", "Czech"},
    {"cu", "Church Slavic"}, {"cv", "Chuvash"}, {"cy", "Welsh"}, {"da", "Danish"}, {"de", "German"},
    {"dv", "Divehi"}, {"dz", "Dzongkha"}, {"ee", "Ewe"}, {"el", "Greek"}, {"en", "English"}, {"eo", "Esperanto"},
    {"es", "Spanish"}, {"et", "Estonian"}, {"eu", "Basque"}, {"fa", "Persian"}, {"ff", "Fulah"}, {"fi", "Finnish"},
    {"fj", "Fijian"}, {"fo", "Faroese"}, {"fr", "French"}, {"fy", "Western Frisian"}, {"ga", "Irish"},
    {"gd", "Scottish Gaelic"}, {"gl", "Galician"}, {"gn", "Guarani"}, {"gu", "Gujarati"}, {"gv", "Manx"},
    {"ha", "Hausa"}, {"he", "Hebrew"}, {"hi", "Hindi"}, {"ho", "Hiri Motu"}, {"hr", "Croatian"}, {"ht", "Haitian"},
    {"hu", "Hungarian"}, {"hy", "Armenian"}, {"hz", "Herero"}, {"ia", "Interlingua"}, {"id", "Indonesian"},
    {"ie", "Interlingue"}, {"ig", "Igbo"}, {"ii", "Sichuan Yi"}, {"ik", "Inupiaq"}, {"io", "Ido"},
    {"is", "Icelandic"}, {"it", "Italian"}, {"iu", "Inuktitut"}, {"ja", "Japanese"}, {"jv", "Javanese"},
    {"ka", "Georgian"}, {"kg", "Kongo"}, {"ki", "Kikuyu"}, {"kj", "Kuanyama"}, {"kk", "Kazakh"},
    {"kl", "Kalaallisut"}, {"km", "Khmer"}, {"kn", "Kannada"}, {"ko", "Korean"}, {"kr", "Kanuri"},
    {"ks", "Kashmiri"}, {"ku", "Kurdish"}, {"kv", "Komi"}, {"kw", "Cornish"}, {"ky", "Kyrgyz"}, {"la", "Latin"},
    {"lb", "Luxembourgish"}, {"lg", "Ganda"}, {"li", "Limburgish"}, {"ln", "Lingala"}, {"lo", "Lao"},
    {"lt", "Lithuanian"}, {"lu", "Luba-Katanga"}, {"lv", "Latvian"}, {"mg", "Malagasy"}, {"mh", "Marshallese"},
    {"mi", "Maori"}, {"mk", "Macedonian"}, {"ml", "Malayalam"}, {"mn", "Mongolian"}, {"mr", "Marathi"},
    {"ms", "Malay"}, {"mt", "Maltese"}, {"my", "Burmese"}, {"na", "Nauru"}, {"nb", "Norwegian Bokmål"},
    {"nd", "North Ndebele"}, {"ne", "Nepali"}, {"ng", "Ndonga"}, {"nl", "Dutch"}, {"nn", "Norwegian Nynorsk"},
    {"no", "Norwegian"}, {"nr", "South Ndebele"}, {"nv", "Navajo"}, {"ny", "Chichewa"}, {"oc", "Occitan"},
    {"oj", "Ojibwa"}, {"om", "Oromo"}, {"or", "Odia"}, {"os", "Ossetian"}, {"pa", "Punjabi"}, {"pi", "Pali"},
    {"pl", "Polish"}, {"ps", "Pashto"}, {"pt", "Portuguese"}, {"qu", "Quechua"}, {"rm", "Romansh"}, {"rn", "Rundi"},
    {"ro", "Romanian"}, {"ru", "Russian"}, {"rw", "Kinyarwanda"}, {"sa", "Sanskrit"}, {"sc", "Sardinian"},
    {"sd", "Sindhi"}, {"se", "Northern Sami"}, {"sg", "Sango"}, {"si", "Sinhala"}, {"sk", "Slovak"},
    {"sl", "Slovenian"}, {"sm", "Samoan"}, {"sn", "Shona"}, {"so", "Somali"}, {"sq", "Albanian"}, {"sr", "Serbian"},
    {"ss", "Swati"}, {"st", "Southern Sotho"}, {"su", "Sundanese"}, {"sv", "Swedish"}, {"sw", "Swahili"},
    {"ta", "Tamil"}, {"te", "Telugu"}, {"tg", "Tajik"}, {"th", "Thai"}, {"ti", "Tigrinya"}, {"tk", "Turkmen"},
    {"tl", "Tagalog"}, {"tn", "Tswana"}, {"to", "Tongan"}, {"tr", "Turkish"}, {"ts", "Tsonga"}, {"tt", "Tatar"},
    {"tw", "Twi"}, {"ty", "Tahitian"}, {"ug", "Uyghur"}, {"uk", "Ukrainian"}, {"ur", "Urdu"}, {"uz", "Uzbek"},
    {"ve", "Venda"}, {"vi", "Vietnamese"}, {"vo", "Volapük"}, {"wa", "Walloon"}, {"wo", "Wolof"}, {"xh", "Xhosa"},
    {"yi", "Yiddish"}, {"yo", "Yoruba"}, {"za", "Zhuang"}, {"zh", "Chinese"}, {"zu", "Zulu"}};
// clang-format on

// What the letters of a text say.
struct Letters {
  std::array<std::size_t, static_cast<std::size_t>(Script::other) + 1> counts = {};
  std::size_t all = 0;

  std::size_t of(Script script) const { return counts[static_cast<std::size_t>(script)]; }
};

Letters letters_of(const Words& words) {
  Letters out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words.folded(i);
    for (std::size_t at = 0; at < word.size();) {
      const auto decoded = text::decode(word.data() + at, word.data() + word.size());
      ++out.counts[static_cast<std::size_t>(script_of(decoded.code_point))];
      ++out.all;
      at += decoded.size;
    }
  }
  return out;
}

std::string_view language_of_words(const Words& words) {
  std::array<std::size_t, tongues> hits = {};
  std::size_t counted = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words.folded(i);
    // Letters alone are names of quantities and options, too.
    if (words.is_single_letter(i) || word.size() == 1 || word.find(' ') != std::string_view::npos) {
      continue;
    }
    ++counted;
    std::size_t known = 0;
    std::size_t last = 0;
    for (std::size_t one = 0; one < tongues; ++one) {
      if (listed_in(telling[one].words, word)) {
        ++known;
        last = one;
      }
    }
    hits[last] += known == 1 ? 1 : 0;
  }
  const auto best = std::max_element(hits.begin(), hits.end());
  const std::size_t most = *best;
  *best = 0;
  const std::size_t second = *std::max_element(hits.begin(), hits.end());
  const bool evident = most >= hits_min && most * one_of_words >= counted && most >= ahead * second;
  return evident ? telling[best - hits.begin()].tag : std::string_view();
}

}  // namespace

std::string_view language_of(std::string_view text) {
  const Words words(text, words_max);
  const Letters letters = letters_of(words);
  const std::string_view by_words = language_of_words(words);
  const std::size_t wide = letters.of(Script::kana) + letters.of(Script::han);
  // Of a text in two languages, such as a page that was translated in part, neither is evident.
  if (wide >= letters_min && wide * 2 > letters.all) {
    return !by_words.empty()                      ? ""
           : letters.of(Script::kana) * 10 > wide ? "ja"
           : letters.of(Script::kana) * 50 < wide ? "zh"
                                                  : "";
  }
  for (const auto& [script, tag] : by_script) {
    if (letters.of(script) >= letters_min && letters.of(script) * 2 > letters.all) {
      return by_words.empty() ? tag : std::string_view();
    }
  }
  return wide * 20 > letters.all ? std::string_view() : by_words;
}

bool is_evident_language(std::string_view tag) {
  return tag == "zh" || tag == "ja" ||
         std::any_of(by_script.begin(), by_script.end(), [tag](const auto& one) { return one.second == tag; }) ||
         std::any_of(std::begin(telling), std::end(telling), [tag](const Telling& one) { return one.tag == tag; });
}

std::string_view language_name(std::string_view tag) {
  const auto* const found =
      std::lower_bound(std::begin(names), std::end(names), tag,
                       [](const auto& one, std::string_view wanted) { return one.first < wanted; });
  return found != std::end(names) && found->first == tag ? found->second : std::string_view();
}

std::string primary_language(std::string_view tag) {
  constexpr std::size_t tag_bytes_max = 35;
  const std::size_t end = std::min(tag.find('-'), tag.size());
  std::string out;
  for (const char c : tag.substr(0, end)) {
    out += ascii::lower(c);
  }
  bool good = tag.size() <= tag_bytes_max && (out.size() == 2 || out.size() == 3) &&
              std::all_of(out.begin(), out.end(), [](char c) { return ascii::is_lower(c); }) &&
              (out.size() == 3 || !language_name(out).empty());
  for (std::size_t at = end; good && at < tag.size();) {  // "-AT", "-Latn"
    const std::size_t next = std::min(tag.find('-', at + 1), tag.size());
    const std::string_view part = tag.substr(at + 1, next - at - 1);
    good = !part.empty() && part.size() <= 8 &&
           std::all_of(part.begin(), part.end(), [](char c) { return ascii::is_alphanumeric(c); });
    at = next;
  }
  return good ? out : std::string();
}

}  // namespace plumb::text
