#include "core/extract/floor_forms.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "core/ascii.hpp"
#include "core/text/facts.hpp"
#include "core/text/fold.hpp"
#include "core/text/words.hpp"

namespace plumb::extract {

namespace {

constexpr std::size_t words_max = 400;
constexpr std::size_t number_far = 3;  // words between a number and what is counted

enum class Kind : std::uint8_t { none, number, date, name, reason };

struct Asks {
  std::string_view form;  // as it is written, folded
  Kind kind;
};

// ---------------------------------------------------------------- German and French: words with spaces

constexpr std::array<Asks, 16> german_asks = {{{"wie viele", Kind::number},
                                               {"wie viel", Kind::number},
                                               {"wieviele", Kind::number},
                                               {"wieviel", Kind::number},
                                               {"in welchem jahr", Kind::date},
                                               {"seit wann", Kind::date},
                                               {"wann", Kind::date},
                                               {"von wem", Kind::name},
                                               {"wer", Kind::name},
                                               {"wen", Kind::name},
                                               {"wem", Kind::name},
                                               {"warum", Kind::reason},
                                               {"weshalb", Kind::reason},
                                               {"wieso", Kind::reason},
                                               {"aus welchem grund", Kind::reason},
                                               {"welches jahr", Kind::date}}};
constexpr std::array<Asks, 8> french_asks = {{{"combien", Kind::number},
                                              {"en quelle année", Kind::date},
                                              {"quelle année", Kind::date},
                                              {"quand", Kind::date},
                                              {"par qui", Kind::name},
                                              {"qui", Kind::name},
                                              {"pourquoi", Kind::reason},
                                              {"pour quelle raison", Kind::reason}}};
constexpr std::string_view german_reasons = " weil denn wegen damit aufgrund da deshalb daher um grund ";
constexpr std::string_view french_reasons = " parce car puisque raison cause afin pour grâce faute ";
constexpr std::string_view german_numbers =
    " eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf hundert tausend ";
constexpr std::string_view french_numbers = " deux trois quatre cinq six sept huit neuf dix onze douze cent mille ";
// Words of a question that say nothing of their own.
constexpr std::string_view german_light =
    " wie viele viel wieviele wieviel wann wer wen wem warum weshalb wieso welchem welches welche jahr grund hat haben "
    "gibt es besitzt seit ";
constexpr std::string_view french_light =
    " combien quand qui pourquoi quelle quel année raison a t il elle y compte possède ";

std::string folded(std::string_view text) { return text::fold(text, {true, true}); }

// "gebaut" and "gebaute": all but the last letter are one.
bool is_alike(std::string_view a, std::string_view b) {
  constexpr std::size_t stem_min = 4;
  constexpr std::size_t ending_max = 3;
  const std::size_t shorter = std::min(a.size(), b.size());
  const std::size_t longer = std::max(a.size(), b.size());
  if (a == b) {
    return true;
  }
  return shorter > stem_min && longer - shorter <= ending_max && a.substr(0, shorter - 1) == b.substr(0, shorter - 1);
}

bool is_number(std::string_view word, Language language) {
  return ascii::is_digit(word.front()) ||
         listed_in(language == Language::german ? german_numbers : french_numbers, word);
}

bool is_asked(const text::Words& question, std::string_view word) {
  for (std::size_t i = 0; i < question.size(); ++i) {
    if (question.folded(i) == word) {
      return true;
    }
  }
  return false;
}

bool is_capital(std::string_view written) {
  return ascii::is_upper(written.front()) || folded(written).substr(0, 2) != written.substr(0, 2);
}

// A number that the question does not have, beside what is counted: the first word behind "how many" that carries it.
bool has_number(Language language, const text::Words& question, const std::vector<std::string>& carrying,
                const text::Words& words) {
  for (std::size_t i = 0; i < words.size() && !carrying.empty(); ++i) {
    if (!is_number(words.folded(i), language) || is_asked(question, words.folded(i))) {
      continue;
    }
    const std::size_t from = i > number_far ? i - number_far : 0;
    for (std::size_t k = from; k < std::min(words.size(), i + number_far + 1); ++k) {
      if (k != i && is_alike(words.folded(k), carrying.front())) {
        return true;
      }
    }
  }
  return false;
}

// German nouns have capitals too: a name is two such words in a row, or one behind "von".
bool has_name(Language language, const text::Words& question, const text::Words& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool fresh = is_capital(words.written(i)) && !is_asked(question, words.folded(i)) &&
                       !is_function_word(language, words.folded(i));
    const bool next = i + 1 < words.size() && is_capital(words.written(i + 1)) && words.gap(i) == " " &&
                      !is_asked(question, words.folded(i + 1)) && !is_function_word(language, words.folded(i + 1));
    const bool behind = i > 0 && (words.folded(i - 1) == "von" || words.folded(i - 1) == "par");
    if (fresh && (next || behind || (language == Language::french && i > 0))) {
      return true;
    }
  }
  return false;
}

bool has_date(const text::Words& question, std::string_view quote) {
  const std::vector<text::Fact> dates = text::facts(quote, text::fact_bit(text::FactKind::date));
  if (std::any_of(dates.begin(), dates.end(),
                  [&](const text::Fact& one) { return !is_asked(question, folded(text::piece(quote, one.where))); })) {
    return true;
  }
  const text::Words words(quote, words_max);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words.folded(i);
    if (word.size() == 4 && (word.front() == '1' || word.front() == '2') &&
        std::all_of(word.begin(), word.end(), ascii::is_digit<char>) && !is_asked(question, word)) {
      return true;
    }
  }
  return false;
}

bool has_word(const text::Words& words, std::string_view list) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (listed_in(list, words.folded(i))) {
      return true;
    }
  }
  return false;
}

// By the form that the question begins with.
Kind kind_of(std::span<const Asks> forms, std::string_view question) {
  for (const Asks& one : forms) {
    const bool ends =
        question.size() == one.form.size() || (question.size() > one.form.size() && question[one.form.size()] == ' ');
    if (question.starts_with(one.form) && ends) {
      return one.kind;
    }
  }
  return Kind::none;
}

bool confirms_spaced(Language language, std::string_view asked, std::string_view quote, std::string_view around) {
  const bool german = language == Language::german;
  const std::string question = folded(asked);
  const Kind kind = german ? kind_of(german_asks, question) : kind_of(french_asks, question);
  const text::Words words(asked, words_max);
  const text::Words said(quote, words_max);
  const text::Words beside(around, words_max);
  std::vector<std::string> carrying;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words.folded(i);
    if (!is_function_word(language, word) && !listed_in(german ? german_light : french_light, word)) {
      carrying.emplace_back(word);
    }
  }
  const auto is_said = [&](const std::string& word) {
    for (const text::Words* all : {&said, &beside}) {
      for (std::size_t i = 0; i < all->size(); ++i) {
        if (is_alike(all->folded(i), word)) {
          return true;
        }
      }
    }
    return false;
  };
  if (carrying.empty() || !std::all_of(carrying.begin(), carrying.end(), is_said)) {
    return false;
  }
  switch (kind) {
    case Kind::number:
      return has_number(language, words, carrying, said);
    case Kind::date:
      return has_date(words, quote);
    case Kind::name:
      return has_name(language, words, said);
    case Kind::reason:
      return has_word(said, german ? german_reasons : french_reasons);
    case Kind::none:
      break;
  }
  return false;
}

// ---------------------------------------------------------------- Chinese and Japanese: words without spaces

// What asks, longest first; the unit of a number stands behind it.
constexpr std::array<Asks, 20> unspaced_asks = {
    {{"什么时候", Kind::date}, {"哪一年", Kind::date},       {"哪年", Kind::date},         {"何时", Kind::date},
     {"多少", Kind::number},   {"几", Kind::number},         {"为什么", Kind::reason},     {"为何", Kind::reason},
     {"いつ", Kind::date},     {"何年", Kind::date},         {"何月", Kind::date},         {"なぜ", Kind::reason},
     {"いくつ", Kind::number}, {"どれくらい", Kind::number}, {"どのくらい", Kind::number}, {"何人", Kind::number},
     {"何", Kind::number},     {"なんの", Kind::none},       {"谁", Kind::none},           {"誰", Kind::none}}};
constexpr std::array<std::string_view, 8> unspaced_reasons = {"因为", "由于", "所以", "因此",
                                                              "ため", "から", "ので", "理由"};
// Particles and signs between what carries a question.
constexpr std::array<std::string_view, 30> between = {
    "ですか", "ますか", "ました", "です", "ます", "される", "された", "した", "する", "的",
    "是",     "在",     "于",     "了",   "有",   "吗",     "呢",     "，",   "。",   "？",
    "、",     "の",     "は",     "が",   "を",   "に",     "で",     "と",   "か",   "?"};

// The runs of a question without what asks and what is between.
std::vector<std::string> runs_of(std::string text) {
  const auto cut = [&](std::string_view what) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
      text.replace(at, what.size(), " ");
    }
  };
  std::for_each(between.begin(), between.end(), cut);
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) {
      out.push_back(text.substr(at, end - at));
    }
    at = end + 1;
  }
  return out;
}

bool confirms_unspaced(std::string_view asked, std::string_view quote, std::string_view around) {
  const auto form = std::find_if(unspaced_asks.begin(), unspaced_asks.end(),
                                 [&](const Asks& one) { return asked.find(one.form) != std::string_view::npos; });
  if (form == unspaced_asks.end() || form->kind == Kind::none) {
    return false;
  }
  const std::size_t at = asked.find(form->form);
  const std::vector<std::string> before = runs_of(std::string(asked.substr(0, at)));
  const std::vector<std::string> behind = runs_of(std::string(asked.substr(at + form->form.size())));
  const auto is_said = [&](const std::string& run) {
    return quote.find(run) != std::string_view::npos || around.find(run) != std::string_view::npos;
  };
  if (before.empty() || !std::all_of(before.begin(), before.end(), is_said)) {
    return false;
  }
  const auto digit = std::find_if(quote.begin(), quote.end(), ascii::is_digit<char>);
  const bool reason = std::any_of(unspaced_reasons.begin(), unspaced_reasons.end(),
                                  [&](std::string_view one) { return quote.find(one) != std::string_view::npos; });
  if (form->kind == Kind::reason) {
    return reason && std::all_of(behind.begin(), behind.end(), is_said);
  }
  if (digit == quote.end()) {
    return false;
  }
  std::string_view counted = quote.substr(static_cast<std::size_t>(digit - quote.begin()));
  while (!counted.empty() && (ascii::is_digit(counted.front()) || counted.front() == '.' || counted.front() == ',')) {
    counted.remove_prefix(1);
  }
  if (form->kind == Kind::date) {
    return counted.starts_with("年") && std::all_of(behind.begin(), behind.end(), is_said);
  }
  // The number has the unit that is asked for.
  return !behind.empty() && counted.starts_with(behind.front()) && std::all_of(behind.begin(), behind.end(), is_said);
}

}  // namespace

Language language_asked(std::string_view asked) {
  const std::string question = folded(asked);
  return kind_of(german_asks, question) != Kind::none   ? Language::german
         : kind_of(french_asks, question) != Kind::none ? Language::french
                                                        : language_of(text::Words(asked, words_max));
}

bool may_be_in(Language language, std::string_view text) {
  const text::Words words(text, words_max);
  const Language most = language_of(words);
  if (most == language || most == Language::other || is_unspaced(language) || is_unspaced(most)) {
    return most == language || most == Language::other;
  }
  std::size_t own = 0;
  std::size_t others = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    own += is_function_word(language, words.folded(i)) ? 1 : 0;
    others += is_function_word(most, words.folded(i)) ? 1 : 0;
  }
  return own > 0 && own >= others;
}

bool confirms_in(Language language, std::string_view asked, std::string_view quote, std::string_view around) {
  switch (language) {
    case Language::german:
    case Language::french:
      return confirms_spaced(language, asked, quote, around);
    case Language::chinese:
    case Language::japanese:
      return confirms_unspaced(asked, quote, around);
    case Language::english:
    case Language::other:
      break;
  }
  return false;
}

}  // namespace plumb::extract
