#include "core/extract/floor.hpp"

#include <algorithm>
#include <array>

#include "core/ascii.hpp"
#include "core/extract/floor_forms.hpp"
#include "core/extract/language.hpp"
#include "core/extract/wanted.hpp"
#include "core/text/facts.hpp"
#include "core/text/mentions.hpp"
#include "core/text/phrases.hpp"
#include "core/text/quotes.hpp"
#include "core/text/sentences.hpp"

namespace plumb::extract {

namespace {

using Strings = std::vector<std::string>;

constexpr std::size_t asked_words_max = 200;
constexpr std::size_t quote_words_max = 400;
constexpr std::size_t statements_read = 12;
constexpr std::ptrdiff_t titles_shared_min = 3;

bool is_in(std::string_view list, std::string_view folded) { return listed_in(list, folded); }

bool has_any(const text::Words& words, std::string_view list) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_in(list, words.folded(i))) {
      return true;
    }
  }
  return false;
}

// ---------------------------------------------------------------- English

enum class Form : std::uint8_t { other, why, how, where };

Form form_of(const text::Words& asked) {
  for (std::size_t i = 0; i < std::min<std::size_t>(asked.size(), 3); ++i) {
    const std::string_view word = asked.folded(i);
    if (word == "why" || word == "how" || word == "where") {
      return word == "why" ? Form::why : word == "how" ? Form::how : Form::where;
    }
  }
  return Form::other;
}

// "in Gdynia", "at the pier of Oslo": a name behind a word that says where.
bool has_place(std::string_view asked, std::string_view quote) {
  constexpr std::string_view before = " in at near on from to outside inside behind beside under above of ";
  const text::Words question(asked, asked_words_max);
  const text::Words words(quote, quote_words_max);
  for (const text::Fact& fact : text::facts(quote, text::fact_bit(text::FactKind::name))) {
    std::size_t first = 0;
    while (first < words.size() && words.span(first).from < fact.where.from) {
      ++first;
    }
    bool fresh = true;
    for (std::size_t i = 0; i < question.size(); ++i) {
      fresh = fresh && (first >= words.size() || question.folded(i) != words.folded(first));
    }
    for (std::size_t back = 1; back <= 2 && back <= first && fresh; ++back) {
      if (is_in(before, words.folded(first - back))) {
        return true;
      }
    }
  }
  return false;
}

// "run `x`", "by pressing it", "encrypted with AES": how it is done, not that it is.
bool has_manner(std::string_view asked, std::string_view quote) {
  constexpr std::string_view manner = " using via through run runs type press set pass call first then must means ";
  const text::Words question(asked, asked_words_max);
  const text::Words words(quote, quote_words_max);
  const auto asked_of = [&](std::string_view folded) {
    for (std::size_t i = 0; i < question.size(); ++i) {
      if (word_stem(question.folded(i)) == word_stem(folded)) {
        return true;
      }
    }
    return false;
  };
  if (quote.find('`') != std::string_view::npos) {
    return true;
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words.folded(i);
    const bool by = word == "by" && i + 1 < words.size() && words.folded(i + 1).ends_with("ing");
    const bool with = word == "with" && i > 0 && asked_of(words.folded(i - 1));
    if (by || with || (is_in(manner, word) && !asked_of(word))) {
      return true;
    }
  }
  return false;
}

bool has_reason(std::string_view quote) {
  return has_any(text::Words(quote, quote_words_max),
                 " because since due so therefore thus hence reason reasons order owing thanks cause caused causes ");
}

// "How many minutes does it need to cross the sound?" asks no more than how long it takes.
void drop_taking(const Wanted& wanted, Strings& unsaid) {
  constexpr std::string_view spans = " second minut hour day week month year ";
  if (wanted.kind == WantedKind::number && !wanted.focus.empty() && is_in(spans, wanted.focus.front())) {
    std::erase_if(unsaid, [](const std::string& one) { return one == "need" || one == "needs"; });
  }
}

bool confirms_english(std::string_view asked, const Wanted& wanted, std::string_view quote, const std::string& around) {
  const Form form = form_of(text::Words(asked, asked_words_max));
  const bool place = form == Form::where && wanted.kind == WantedKind::path;
  if (wanted.kind == WantedKind::statement || place) {
    const bool kind = place               ? has_kind(asked, quote)
                      : form == Form::why ? has_reason(quote)
                      : form == Form::how ? has_manner(asked, quote)
                                          : supports(wanted, quote);
    return kind && !speaks_of_another(asked, quote) && unsaid_words(asked, quote, around).empty();
  }
  if (proves(asked, wanted, quote, around)) {
    return true;
  }
  if (wanted.kind == WantedKind::verdict) {
    return says_all(asked, wanted, quote, around);  // also in no other words than the question's
  }
  if (wanted.kind == WantedKind::number && supports(wanted, quote) && !speaks_of_another(asked, quote)) {
    Strings unsaid = unsaid_words(asked, quote, around);
    drop_taking(wanted, unsaid);
    return unsaid.empty();
  }
  return false;
}

// Names of the question that nothing in and around the passage has: it is about something else.
bool names_nothing_of(std::string_view asked, const Quoted& quoted) {
  const std::string all =
      std::string(quoted.title) + " \n " + std::string(quoted.heading) + " \n " + std::string(quoted.passage);
  std::size_t named = 0;
  std::size_t had = 0;
  for (const text::Fact& fact : text::facts(asked, text::fact_bit(text::FactKind::name))) {
    const text::Words name(text::piece(asked, fact.where), asked_words_max);
    for (std::size_t i = 0; i < name.size(); ++i) {
      const std::string_view written = name.written(i);
      const bool acronym = std::none_of(written.begin(), written.end(), [](char c) { return ascii::is_lower(c); });
      if (acronym || text::is_function_word(name.folded(i))) {
        return false;  // it may be spelled out
      }
      ++named;
      had += text::find_folded(word_stem(name.folded(i)), all, {.lowercase = true}) ? 1 : 0;
    }
  }
  return named > 0 && had == 0;
}

// Nothing of that kind is in the quote at all.
bool has_nothing_of(const Wanted& wanted, std::string_view quote) {
  constexpr std::string_view counts =
      " a an one two three four five six seven eight nine ten eleven twelve zero no none single both pair dozen once "
      "twice hundred thousand million half unlimited every each daily weekly hourly monthly yearly infinite any all ";
  const bool digit = std::any_of(quote.begin(), quote.end(), ascii::is_digit<char>);
  const text::Words words(quote, quote_words_max);
  switch (wanted.kind) {
    case WantedKind::number:
      for (std::size_t i = 0; i < words.size(); ++i) {
        if ((is_in(counts, words.folded(i)) && words.folded(i) != "a" && words.folded(i) != "an") ||
            words.folded(i).ends_with("teen") || words.folded(i).ends_with("ty")) {
          return false;
        }
      }
      return !digit;
    case WantedKind::date:
      return !digit && text::facts(quote, text::fact_bit(text::FactKind::date)).empty();
    case WantedKind::name:
      return text::facts(quote, text::fact_bit(text::FactKind::name)).empty() && !supports(wanted, quote);
    case WantedKind::path:
    case WantedKind::variable:
      return !supports(wanted, quote);
    default:
      return false;
  }
}

// "Which command lists every copy?" and "it checks every copy": of a verb that says little and that the quote does not
// have, another word stands before its object.
bool acts_otherwise(std::string_view asked, std::string_view quote, std::string_view around) {
  constexpr std::string_view verbs =
      " list lists listed show shows shown print prints printed find finds found get gets give gives given set sets "
      "keep "
      "keeps kept hold holds held make makes made put puts contain contains contained choose chooses chosen ";
  constexpr std::string_view all = " every all each any both the a an its their ";
  const text::Words question(asked, asked_words_max);
  const text::Words words(quote, quote_words_max);
  const text::Words beside(around, quote_words_max);
  const auto says = [](const text::Words& text, std::string_view verb) {
    for (std::size_t n = 0; n < text.size(); ++n) {
      if (means_the_same(word_stem(text.folded(n)), word_stem(verb))) {
        return true;
      }
    }
    return false;
  };
  const auto holds_together = [&](std::string_view folded) {
    return text::is_function_word(folded) || is_in(all, folded);
  };
  for (std::size_t i = 0; i + 1 < question.size(); ++i) {
    if (!is_in(verbs, question.folded(i)) || says(words, question.folded(i)) || says(beside, question.folded(i))) {
      continue;
    }
    std::size_t object = i + 1;
    while (object + 1 < question.size() && holds_together(question.folded(object))) {
      ++object;
    }
    for (std::size_t k = 1; k < words.size(); ++k) {
      if (word_stem(words.folded(k)) != word_stem(question.folded(object))) {
        continue;
      }
      std::size_t before = k;
      while (before > 0 && holds_together(words.folded(before - 1))) {
        --before;
      }
      const bool other =
          before > 0 && !means_the_same(word_stem(words.folded(before - 1)), word_stem(question.folded(i)));
      bool own = false;
      for (std::size_t n = 0; n < question.size() && other; ++n) {
        own = own || word_stem(question.folded(n)) == word_stem(words.folded(before - 1));
      }
      if (other && !own) {
        return true;
      }
    }
  }
  return false;
}

Floor english(std::string_view asked, const Quoted& quoted, const std::string& around) {
  const Wanted wanted = wanted_by(asked);
  if (confirms_english(asked, wanted, quoted.quote, around) && !acts_otherwise(asked, quoted.quote, around)) {
    return Floor::confirmed;
  }
  const bool place = form_of(text::Words(asked, asked_words_max)) == Form::where;
  return names_nothing_of(asked, quoted) || (!place && has_nothing_of(wanted, quoted.quote)) ? Floor::contradicted
                                                                                             : Floor::unknown;
}

// ---------------------------------------------------------------- criteria

// The words of a criterion that only say that something be stated, and of what kind.
constexpr std::string_view only_states =
    " answer answers answered state states stated source sources quote quotes quoted cite cites cited citation "
    "citations "
    "reference references referenced evidence document documents documented documentation passage passages manual text "
    "give gives given name names named list lists listed report reports reported mention mentions mentioned provide "
    "provides provided include includes included contain contains contained specify specifies specified identify "
    "identifies identified say says said tell tells told find found confirm confirms confirmed verify verified "
    "verifiable support supports supported prove proves proven show shows shown back backed explicit explicitly exact "
    "exactly exactness official reliable independent single correct clear clearly least one two three four five at "
    "least directly number amount count figure value year date month day option flag command file path directory "
    "person "
    "place location reason way question objective asked word words link url antwort quelle quellen zitiert genannt "
    "angegeben belegt mindestens wird steht réponse source citée cité indiquée donnée moins ";

std::string own_words(std::string_view criterion, std::string_view objective) {
  const text::Words said(objective, asked_words_max);
  const text::Words words(criterion, asked_words_max);
  const Language language = language_of(words);
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words.folded(i);
    if (text::is_function_word(word) || is_function_word(language, word) || is_in(only_states, word) ||
        is_in(only_states, text::without_ending(word))) {
      continue;
    }
    bool asked = false;
    for (std::size_t k = 0; k < said.size() && !asked; ++k) {
      asked = means_the_same(word_stem(said.folded(k)), word_stem(word));
    }
    if (!asked) {
      out += (out.empty() ? "" : " ") + std::string(words.written(i));
    }
  }
  return out;
}

// "at least two sources"
std::size_t sources_in(std::string_view criterion) {
  static constexpr std::array<std::string_view, 6> numbers = {"zero", "one", "two", "three", "four", "five"};
  const text::Words words(criterion, asked_words_max);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto spelled = std::find(numbers.begin(), numbers.end(), words.folded(i));
    const bool digit = words.folded(i).size() == 1 && ascii::is_digit(words.folded(i).front());
    for (std::size_t k = i + 1; k < std::min(words.size(), i + 4) && (digit || spelled != numbers.end()); ++k) {
      if (is_in(" source sources document documents reference references citation citations ", words.folded(k))) {
        return digit ? static_cast<std::size_t>(words.folded(i).front() - '0')
                     : static_cast<std::size_t>(spelled - numbers.begin());
      }
    }
  }
  return 1;
}

struct Criterion {
  std::string own;
  Wanted kind;
  std::size_t sources = 1;
};

// Whether a quote that answers a question of the objective also has what the criterion itself asks for.
bool keeps(const Criterion& criterion, std::string_view objective, const Answering& one) {
  if (criterion.kind.kind != WantedKind::statement && !supports(criterion.kind, one.quoted.quote)) {
    return false;
  }
  if (criterion.own.empty()) {
    return true;
  }
  const std::string around = around_quote(one.quoted, {});
  return unsaid_words(criterion.own, one.quoted.quote, around).empty() &&
         unsaid_words(subject_of(objective).entity, one.quoted.quote, around).empty();
}

}  // namespace

std::string_view floor_name(Floor floor) {
  static constexpr std::array<std::string_view, 3> names = {"unknown", "confirmed", "contradicted"};
  return names[static_cast<std::size_t>(floor)];
}

Floor floor_named(std::string_view name) {
  return name == "confirmed" ? Floor::confirmed : name == "contradicted" ? Floor::contradicted : Floor::unknown;
}

bool has_kind(std::string_view asked, std::string_view quote, std::string_view claim) {
  const Wanted wanted = wanted_by(asked);
  const bool place = wanted.kind == WantedKind::path && form_of(text::Words(asked, asked_words_max)) == Form::where;
  return wanted.kind == WantedKind::verdict || supports(wanted, quote, claim) || (place && has_place(asked, quote));
}

// Words of the titles of several documents: what the whole collection is about need not be said in each passage.
std::string shared_subject(std::string_view question, const std::vector<Found>& passages) {
  std::vector<std::string_view> titles;
  for (const Found& one : passages) {
    if (std::find(titles.begin(), titles.end(), one.title) == titles.end()) {
      titles.push_back(one.title);
    }
  }
  std::string out = " \n ";
  for (const std::string_view title : titles) {
    for (const std::string& word : key_words(title)) {
      const auto count = std::count_if(titles.begin(), titles.end(),
                                       [&](std::string_view other) { return coverage({word}, other) == 100; });
      out += count >= titles_shared_min ? word + " " : "";
    }
  }
  // "on Debian", where a passage names it: the place in which all of a collection holds.
  const std::size_t at = question.rfind(" on ");
  const std::string scope =
      at == std::string_view::npos ? std::string() : std::string(ascii::trim(question.substr(at + 4), " ?."));
  const bool name = !scope.empty() && ascii::is_upper(scope.front()) && text::Words(scope).size() <= 2;
  const std::vector<std::string> words = key_words(scope);
  const bool named = name && std::any_of(passages.begin(), passages.end(), [&](const Found& one) {
                       return coverage(words, one.title) == 100 || coverage(words, one.text) == 100;
                     });
  return out + " " + (named ? scope : std::string());
}

std::string around_quote(const Quoted& quoted, std::string_view term) {
  std::string out = std::string(quoted.title) + " \n " + std::string(quoted.heading) + " \n " + std::string(term);
  // "It was written by ...": what the sentence before speaks of.
  static constexpr std::array<std::string_view, 4> back = {"it", "its", "they", "them"};
  const text::Words words(quoted.quote, 8);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (std::find(back.begin(), back.end(), words.folded(i)) != back.end()) {
      const std::size_t before = quoted.passage.find(quoted.quote);
      const std::string_view read =
          before == std::string_view::npos ? std::string_view() : quoted.passage.substr(0, before);
      const std::vector<text::TextSpan> all = text::sentences(read);
      out += all.empty() ? std::string() : " \n " + std::string(text::piece(read, all.back()));
      break;
    }
  }
  return out;
}

Floor floor_of(std::string_view asked, const Quoted& quoted, std::string_view shared) {
  Language language = language_asked(asked);
  if (language == Language::other && wanted_by(asked).kind != WantedKind::statement) {
    language = Language::english;  // by its form
  }
  if (!may_be_in(language, quoted.quote)) {
    return Floor::unknown;
  }
  if (language != Language::english) {
    const std::string around = around_quote(quoted, {});
    return confirms_in(language, asked, quoted.quote, around) ? Floor::confirmed : Floor::unknown;
  }
  std::string_view term;
  const std::vector<Found> passage = {{1, quoted.title, quoted.heading, quoted.passage}};
  for (const Statement& one : best_statements(asked, passage, statements_read, 0)) {
    term = one.quote == quoted.quote ? one.head : term;
  }
  return english(asked, quoted, around_quote(quoted, term) + std::string(shared));
}

Floor floor_of_criterion(std::string_view criterion, std::string_view objective, std::span<const Answering> all) {
  const Criterion what{own_words(criterion, objective), wanted_in(criterion), sources_in(criterion)};
  std::vector<std::string_view> sources;
  const auto take = [&](const Answering& one) {
    if (std::find(sources.begin(), sources.end(), one.source) == sources.end()) {
      sources.push_back(one.source);
    }
  };
  bool contradicted = !all.empty();
  std::size_t confirmed = 0;
  const std::vector<std::string> questions = questions_in(objective);
  for (const std::string& question : questions) {
    bool any = false;
    for (const Answering& one : all) {
      const Floor floor = one.question == question ? one.floor : floor_of(question, one.quoted);
      contradicted = contradicted && floor == Floor::contradicted;
      const bool answers = floor == Floor::confirmed || (!what.own.empty() && one.floor == Floor::confirmed);
      if (answers && keeps(what, objective, one)) {
        any = true;
        take(one);
      }
    }
    confirmed += any ? 1 : 0;
  }
  // A criterion with words of its own may be about one of the questions.
  const bool enough = what.own.empty() ? confirmed == questions.size() : confirmed > 0;
  return enough && sources.size() >= what.sources ? Floor::confirmed
         : contradicted                           ? Floor::contradicted
                                                  : Floor::unknown;
}

}  // namespace plumb::extract
