#include "core/extract/language.hpp"

#include <iterator>

#include "core/text/phrases.hpp"
#include "core/text/unicode.hpp"
#include "core/text/utf8.hpp"

namespace plumb::extract {
namespace {

using text::WordList;

constexpr std::string_view more_english[] = {
    "about",   "above",      "according", "across",   "after",        "again",      "all",       "almost",
    "along",   "already",    "also",      "always",   "among",        "any",        "around",    "as",
    "because", "become",     "becomes",   "before",   "behind",       "below",      "best",      "better",
    "between", "both",       "called",    "cannot",   "come",         "comes",      "commonly",  "directly",
    "during",  "each",       "either",    "else",     "enough",       "especially", "even",      "every",
    "few",     "find",       "first",     "found",    "further",      "generally",  "get",       "give",
    "given",   "gives",      "hence",     "however",  "indirectly",   "inside",     "instead",   "just",
    "kind",    "known",      "last",      "later",    "less",         "like",       "made",      "mainly",
    "make",    "makes",      "many",      "may",      "means",        "merely",     "might",     "more",
    "most",    "much",       "must",      "near",     "nearly",       "never",      "next",      "none",
    "nothing", "often",      "once",      "one",      "only",         "onto",       "other",     "others",
    "others'", "outside",    "over",      "own",      "particularly", "perhaps",    "rather",    "same",
    "second",  "seen",       "several",   "shall",    "since",        "some",       "sometimes", "still",
    "such",    "take",       "taken",     "takes",    "than",         "then",       "therefore", "third",
    "through", "throughout", "thus",      "together", "toward",       "towards",    "typically", "under",
    "until",   "up",         "upon",      "use",      "used",         "uses",       "using",     "usually",
    "various", "very",       "via",       "well",     "whereas",      "whether",    "while",     "whole",
    "whose",   "within",     "without",   "yet",
};
constexpr WordList more_english_words(more_english);

constexpr std::string_view german[] = {
    "aber",
    "alle",
    "als",
    "also",
    "am",
    "an",
    "auch",
    "auf",
    "aus",
    "bei",
    "bis",
    "bzw",
    "da",
    "damit",
    "dann",
    "das",
    "dass",
    "dem",
    "den",
    "denn",
    "der",
    "des",
    "die",
    "dies",
    "diese",
    "diesem",
    "diesen",
    "dieser",
    "dieses",
    "doch",
    "durch",
    "ein",
    "eine",
    "einem",
    "einen",
    "einer",
    "eines",
    "er",
    "es",
    "etwa",
    "f\xC3\xBCr",
    "gegen",
    "hat",
    "hatte",
    "haben",
    "ihr",
    "ihre",
    "ihrer",
    "im",
    "in",
    "ist",
    "jede",
    "jeder",
    "kann",
    "kein",
    "keine",
    "k\xC3\xB6nnen",
    "man",
    "mehr",
    "mit",
    "nach",
    "nicht",
    "noch",
    "nur",
    "ob",
    "oder",
    "ohne",
    "sehr",
    "sein",
    "seine",
    "seit",
    "sich",
    "sie",
    "sind",
    "so",
    "sowie",
    "\xC3\xBC"
    "ber",
    "um",
    "und",
    "unter",
    "vom",
    "von",
    "vor",
    "war",
    "waren",
    "was",
    "wegen",
    "welche",
    "wenn",
    "werden",
    "wie",
    "wird",
    "wo",
    "wurde",
    "wurden",
    "zu",
    "zum",
    "zur",
    "zwischen",
};

bool is_german(std::string_view folded) {
  for (const std::string_view word : german) {
    if (word == folded) {
      return true;
    }
  }
  return false;
}

constexpr std::string_view german_articles[] = {
    "das", "dem", "den", "der", "des", "die", "ein", "eine", "einem", "einen", "einer", "eines",
};
constexpr WordList german_article_words(german_articles);

constexpr std::string_view english_back[] = {
    "accordingly", "additionally", "again",        "also",         "and",         "another",   "as",      "besides",
    "both",        "but",          "consequently", "conversely",   "each",        "either",    "finally", "first",
    "for",         "furthermore",  "he",           "hence",        "her",         "here",      "his",     "however",
    "i",           "in addition",  "indeed",       "instead",      "it",          "its",       "later",   "likewise",
    "meanwhile",   "moreover",     "neither",      "nevertheless", "nonetheless", "nor",       "once",    "one",
    "or",          "otherwise",    "our",          "second",       "she",         "similarly", "so",      "still",
    "such",        "that",         "their",        "then",         "there",       "therefore", "these",   "they",
    "third",       "this",         "those",        "though",       "thus",        "to",        "too",     "we",
    "what",        "when",         "why",          "yet",          "you",         "your",
};

constexpr std::string_view german_back[] = {
    "aber",
    "also",
    "andere",
    "au\xC3\x9F"
    "erdem",
    "beide",
    "da",
    "dabei",
    "dadurch",
    "daf\xC3\xBCr",
    "daher",
    "damit",
    "danach",
    "dann",
    "daraus",
    "darin",
    "darum",
    "dar\xC3\xBC"
    "ber",
    "das",
    "dem",
    "denn",
    "dennoch",
    "deren",
    "deshalb",
    "dessen",
    "dies",
    "diese",
    "diesem",
    "diesen",
    "dieser",
    "dieses",
    "dort",
    "er",
    "es",
    "ferner",
    "hier",
    "hierbei",
    "ihr",
    "ihre",
    "jedoch",
    "man",
    "oder",
    "sein",
    "seine",
    "sie",
    "so",
    "somit",
    "sonst",
    "trotzdem",
    "und",
    "wir",
    "zudem",
};

constexpr std::string_view chinese_back[] = {
    "\xE5\x85\xB6",  // its
    "\xE5\xAE\x83",  // it
    "\xE4\xBB\x96",  // he
    "\xE5\xA5\xB9",  // she
    "\xE8\xBF\x99",  // this
    "\xE9\x82\xA3",  // that
    "\xE6\xAD\xA4",  // this
    "\xE8\xAF\xA5",  // the said
    "\xE4\xBD\x86",  // but
    "\xE5\x9B\xA0",  // because
    "\xE6\x89\x80",  // therefore
    "\xE4\xB9\x9F",  // also
    "\xE5\xA6\x82",  // if
};

constexpr std::string_view empty_headings[] = {
    "abstract",
    "appendix",
    "bibliography",
    "conclusion",
    "conclusions",
    "contents",
    "definitions",
    "einleitung",
    "example",
    "examples",
    "exercises",
    "faq",
    "further reading",
    "glossary",
    "introduction",
    "key terms",
    "notes",
    "overview",
    "preface",
    "quellen",
    "questions",
    "references",
    "review",
    "see also",
    "summary",
    "table of contents",
    "usage",
    "zusammenfassung",
    "\xC3\xBC"
    "berblick",
    "\xC3\xBC"
    "bersicht",
};

template <std::size_t Size>
bool is_among(const std::string_view (&list)[Size], std::string_view word) {
  for (const std::string_view entry : list) {
    if (entry == word) {
      return true;
    }
  }
  return false;
}

struct Sentences {
  Wording wording;
  std::string_view in[4];  // english, german, chinese, other
};

constexpr std::string_view bare = "{}";
constexpr Sentences wordings[] = {
    {Wording::what_is, {"What is {}?", "Was ist {}?", "\xE4\xBB\x80\xE4\xB9\x88\xE6\x98\xAF{}\xEF\xBC\x9F", bare}},
    {Wording::what_are, {"What are {}?", "Was sind {}?", "\xE4\xBB\x80\xE4\xB9\x88\xE6\x98\xAF{}\xEF\xBC\x9F", bare}},
    {Wording::what_was, {"What was {}?", "Was war {}?", "\xE4\xBB\x80\xE4\xB9\x88\xE6\x98\xAF{}\xEF\xBC\x9F", bare}},
    {Wording::what_were,
     {"What were {}?", "Was waren {}?", "\xE4\xBB\x80\xE4\xB9\x88\xE6\x98\xAF{}\xEF\xBC\x9F", bare}},
    {Wording::what_means,
     {"What is meant by \xE2\x80\x9C{}\xE2\x80\x9D?", "Was bedeutet \xE2\x80\x9E{}\xE2\x80\x9C?",
      "\xE4\xBB\x80\xE4\xB9\x88\xE6\x98\xAF{}\xEF\xBC\x9F", bare}},
    {Wording::which_term,
     {"Which term fits this description: \xE2\x80\x9C{}\xE2\x80\x9D?",
      "Welcher Begriff passt zu dieser Beschreibung: \xE2\x80\x9E{}\xE2\x80\x9C?",
      "\xE4\xB8\x8B\xE5\x88\x97\xE5\x93\xAA\xE4\xB8\xAA\xE6\x9C\xAF\xE8\xAF\xAD\xE7\xAC\xA6\xE5\x90\x88\xE8\xBF\x99"
      "\xE4\xB8\x80\xE6\x8F\x8F\xE8\xBF\xB0\xEF\xBC\x9A\xE2\x80\x9C{}\xE2\x80\x9D\xEF\xBC\x9F",
      bare}},
    {Wording::cloze_term,
     {"Which term completes this sentence? \xE2\x80\x9C{}\xE2\x80\x9D",
      "Welcher Begriff erg\xC3\xA4nzt diesen Satz? \xE2\x80\x9E{}\xE2\x80\x9C",
      "\xE5\xA1\xAB\xE7\xA9\xBA\xEF\xBC\x9A\xE2\x80\x9C{}\xE2\x80\x9D", bare}},
    {Wording::cloze_name,
     {"Which name completes this sentence? \xE2\x80\x9C{}\xE2\x80\x9D",
      "Welcher Begriff erg\xC3\xA4nzt diesen Satz? \xE2\x80\x9E{}\xE2\x80\x9C",
      "\xE5\xA1\xAB\xE7\xA9\xBA\xEF\xBC\x9A\xE2\x80\x9C{}\xE2\x80\x9D", bare}},
    {Wording::cloze_number,
     {"Which number completes this sentence? \xE2\x80\x9C{}\xE2\x80\x9D",
      "Welche Zahl erg\xC3\xA4nzt diesen Satz? \xE2\x80\x9E{}\xE2\x80\x9C",
      "\xE5\xA1\xAB\xE7\xA9\xBA\xEF\xBC\x9A\xE2\x80\x9C{}\xE2\x80\x9D", bare}},
    {Wording::cloze_year,
     {"Which year completes this sentence? \xE2\x80\x9C{}\xE2\x80\x9D",
      "Welches Jahr erg\xC3\xA4nzt diesen Satz? \xE2\x80\x9E{}\xE2\x80\x9C",
      "\xE5\xA1\xAB\xE7\xA9\xBA\xEF\xBC\x9A\xE2\x80\x9C{}\xE2\x80\x9D", bare}},
    {Wording::source_says,
     {"The source says: \xE2\x80\x9C{}\xE2\x80\x9D", "In der Quelle steht: \xE2\x80\x9E{}\xE2\x80\x9C",
      "\xE5\x8E\x9F\xE6\x96\x87\xEF\xBC\x9A\xE2\x80\x9C{}\xE2\x80\x9D", "\xE2\x80\x9C{}\xE2\x80\x9D"}},
};

}  // namespace

Language language_of(const text::Words& words) {
  constexpr std::size_t words_max = 20'000;
  const std::size_t count = words.size() < words_max ? words.size() : words_max;
  std::size_t singles = 0;
  std::size_t kana = 0;
  std::size_t english_count = 0;
  std::size_t german_count = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view word = words.folded(i);
    if (words.is_single_letter(i)) {
      const char32_t c = text::decode(word.data(), word.data() + word.size()).code_point;
      ++singles;
      kana += c < 0x3100 || c > 0x9FFF ? 1 : 0;
    } else {
      english_count += text::is_function_word(word) ? 1 : 0;
      german_count += is_german(word) ? 1 : 0;
    }
  }
  if (singles * 3 > count) {
    return kana * 20 > singles ? Language::other : Language::chinese;
  }
  if (english_count * 10 < count && german_count * 10 < count) {
    return Language::other;
  }
  return german_count > english_count ? Language::german : Language::english;
}

bool is_function_word(Language language, std::string_view folded) {
  return language == Language::english  ? text::is_function_word(folded) || more_english_words.contains(folded)
         : language == Language::german ? is_german(folded)
                                        : false;
}

bool is_article(Language language, std::string_view folded) {
  return language == Language::english  ? folded == "the" || folded == "a" || folded == "an"
         : language == Language::german ? german_article_words.contains(folded)
                                        : false;
}

bool points_back(Language language, std::string_view folded) {
  return language == Language::english   ? is_among(english_back, folded)
         : language == Language::german  ? is_among(german_back, folded)
         : language == Language::chinese ? is_among(chinese_back, folded)
                                         : false;
}

bool is_empty_heading(std::string_view folded) { return is_among(empty_headings, folded); }

std::string worded(Language language, Wording wording, std::string_view text) {
  const std::string_view pattern = wordings[static_cast<std::size_t>(wording)].in[static_cast<std::size_t>(language)];
  const std::size_t hole = pattern.find(bare);
  std::string out(pattern.substr(0, hole));
  out += text;
  out += pattern.substr(hole + bare.size());
  return out;
}

}  // namespace plumb::extract
