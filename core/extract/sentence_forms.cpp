#include "core/extract/sentence_forms.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/text/fold.hpp"
#include "core/text/utf8.hpp"

namespace plumb::extract {
namespace {

constexpr WordLists copulas = {" is are was were ", " ist sind war waren ", " est sont était étaient ", " ", " ", " "};
constexpr WordLists meaning_verbs = {
    " means denotes refers ", " bezeichnet bedeutet ", " désigne désignent ", " ", " ", " "};
constexpr WordLists plural_verbs = {" are were ", " sind waren ", " sont étaient désignent ", " ", " ", " "};
constexpr WordLists past_verbs = {" was were ", " war waren ", " était étaient ", " ", " ", " "};
// What a thing does tells what it is: "The home directory field provides ...".
constexpr std::string_view does_verbs =
    " computes consists contains controls converts creates defines describes determines displays executes generates "
    "holds identifies indicates lists measures offers performs prepares prevents provides reads records removes "
    "reports "
    "represents returns specifies stores writes ";
// "The best part of ..." says no kind.
constexpr WordLists says_no_kind = {
    " author best case chance consequence derivative difference example fact few first following good great important "
    "key kind last lot main major matter more most next note number one only other part prime problem question reason "
    "result same second subject sum thing total trademark way year ",
    " beste ergebnis erste folge folgende fall frage gleiche grund größte hauptgrund letzte name nächste problem teil "
    "wichtigste zahl zweite ",
    " cas cause conséquence deuxième dernier dernière même meilleur meilleure même plupart plus premier première "
    "problème question raison résultat seul seule suivant suite ",
    " ",
    " ",
    " "};
// Words before a colon that only label what follows.
constexpr std::string_view labels =
    " achtung author autor beispiel caution copyright date datum default description email example examples exemple "
    "fax hinweis important name note phone problem remark remarque semantics solution source status tip todo type "
    "url usage version warning website ";

}  // namespace

// Without the stops and blanks at its end.
TextSpan SentenceForms::trimmed(TextSpan span) const {
  static constexpr std::string_view ends[] = {".", ";", ",", " ", "。", "；", "，", "、"};
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view end : ends) {
      if (text(span).ends_with(end)) {
        span.to -= end.size();
        again = true;
      }
    }
  }
  return span;
}

TextSpan SentenceForms::rest_from(std::size_t from) const {
  while (from > s_->plain.from && std::string_view("(\"-/").find(r_.text[from - 1]) != std::string_view::npos) {
    --from;  // a bracket or a quotation mark right before the first word belongs to the meaning
  }
  TextSpan span = trimmed({from, s_->plain.to});
  // An entry whose next sentence begins with a small letter: "Force decompression. bzip2 and bzcat are ..."
  for (std::size_t at = text(span).find(". "); at != std::string_view::npos; at = text(span).find(". ", at + 1)) {
    const std::string_view before = text(span).substr(0, at);
    const std::size_t word = before.find_last_of(" .(");
    if (at >= meaning_bytes_min && before.size() - (word == std::string_view::npos ? 0 : word + 1) >= 5) {
      span.to = span.from + at;
      break;
    }
  }
  for (const std::string_view clause : {"; ", ", but ", "；", "，它", "、それ"}) {
    const std::size_t at = text(span).find(clause);
    if (at != std::string_view::npos && text(span).substr(at).starts_with("、それぞれ")) {
      continue;  // "each", a word of its own
    }
    span.to = at != std::string_view::npos && at >= meaning_bytes_min ? span.from + at : span.to;
  }
  return trimmed(span);
}

Definition SentenceForms::definition(std::uint32_t from, std::uint32_t to, TextSpan meaning, Shape shape,
                                     Wording wording) const {
  Definition d;
  d.first_word = from;
  d.words_end = to;
  d.term = {w_.span(from).from, w_.span(to - 1).to};
  d.meaning = meaning;
  d.shape = shape;
  d.wording = wording;
  return d;
}

bool SentenceForms::is_term(std::uint32_t from, std::uint32_t to) const {
  if (from >= to || to > s_->words_end) {
    return false;
  }
  if (is_unspaced(r_.language)) {
    return to - from <= unspaced_term_characters_max &&
           !is_adverb(r_.language, text({w_.span(from).from, w_.span(to - 1).to}));
  }
  if (to - from > definition_words_max ||
      (to - from == 1 && (listed_in(labels, folded(from)) || is_changelog_word(folded(from)) || !is_noun(from)))) {
    return false;
  }
  for (std::uint32_t i = from; i < to; ++i) {
    const bool joins = i > from && i + 1 < to && listed_in(" of der des von de du d la l à en aux ", folded(i));
    if (!joins &&
        (r_.function_word(i) || points_back(r_.language, folded(i)) ||
         listed_in(" above beispiel beispiele below example examples exemple exemples following previous result ",
                   folded(i)))) {
      return false;
    }
    if (i > from && w_.gap(i - 1).find_first_of(",;:()[]=<>|") != std::string_view::npos) {
      return false;
    }
  }
  const char first = w_.written(from).front();
  return !ascii::is_digit(first) && (to - from > 1 || w_.written(from).size() > 1);
}

// Whether a word at the beginning of a sentence may be a noun. A German word is not a noun if it is written with a
// small letter elsewhere in the source.
bool SentenceForms::is_noun(std::uint32_t word) const {
  if (is_adverb(r_.language, folded(word))) {
    return false;
  }
  if (r_.language != Language::german || !r_.begins_sentence(word)) {
    return true;
  }
  constexpr std::size_t places_most = 64;
  const auto places = r_.occurrences(r_.stems[word]);
  for (std::size_t i = 0; i < places.size() && i < places_most; ++i) {
    const std::uint32_t at = places[i];
    if (at != word && !r_.begins_sentence(at) && !r_.is_capital(at) && folded(at) == folded(word)) {
      return false;
    }
  }
  return true;
}

// Where the sentence begins behind a number in brackets.
std::uint32_t SentenceForms::subject_from() const {
  const std::uint32_t first = s_->first_word;
  const char c = w_.written(first).front();
  return first + 1 < s_->words_end && ascii::is_digit(c) ? first + 1 : first;
}

std::optional<Definition> SentenceForms::spoken() const {
  if (is_unspaced(r_.language)) {
    return r_.language == Language::chinese ? chinese() : japanese();
  }
  std::optional<Definition> out = said();
  if (!out && r_.language == Language::english) {
    out = called();
  } else if (!out) {
    out = turned();
  }
  return out;
}

bool SentenceForms::is_verb(std::uint32_t word) const {
  return listed_in(copulas[language_], folded(word)) || listed_in(meaning_verbs[language_], folded(word)) ||
         (r_.language == Language::english && listed_in(does_verbs, folded(word)));
}

// X is a ...
std::optional<Definition> SentenceForms::said() const {
  std::uint32_t from = subject_from();
  const bool article = is_article_at(from);
  from += article ? 1 : 0;
  std::uint32_t verb = from + 1;
  const std::uint32_t last = std::min(s_->words_end, from + definition_words_max + 7);
  while (verb < last && !is_verb(verb)) {
    ++verb;
  }
  if (verb + 2 > s_->words_end || verb >= last) {
    return std::nullopt;
  }
  std::uint32_t end = verb;
  // What is between commas or brackets before the verb is an aside.
  for (std::uint32_t i = from; i + 1 < verb; ++i) {
    if (w_.gap(i).find_first_of(",(") != std::string_view::npos) {
      if (w_.gap(verb - 1).find_first_of(",)") == std::string_view::npos) {
        return std::nullopt;
      }
      end = i + 1;
      break;
    }
  }
  const std::string_view word = folded(verb);
  const bool used = r_.language == Language::english && is_used(verb);
  const bool does = used || (!listed_in(copulas[language_], word) && !listed_in(meaning_verbs[language_], word));
  const std::uint32_t object = verb + (word == "refers" ? 2 : does && !used ? 0 : 1);
  // "Indicating a warning means ..." names what is done.
  const bool deed = is(verb, "means") && folded(from).ends_with("ing") && end - from == 3 && is_article_at(from + 1);
  if ((!deed && !is_term(from, end)) || object >= s_->words_end ||
      (used   ? false
       : does ? !tells_what_it_does(verb, article)
              : !defines(verb, object, end))) {
    return std::nullopt;
  }
  // "The /dev directory": a sign before the name that its words do not have.
  const std::size_t begins = w_.span(from).from;
  if (begins > s_->plain.from && std::string_view("/$-.~_@#").find(r_.text[begins - 1]) != std::string_view::npos) {
    return std::nullopt;
  }
  const bool plural = listed_in(plural_verbs[language_], word);
  const bool past = listed_in(past_verbs[language_], word);
  Definition d = definition(from, end, rest_from_word(object), does ? Shape::does : Shape::is,
                            listed_in(meaning_verbs[language_], word) || does ? Wording::what_means
                            : plural && past                                  ? Wording::what_were
                            : plural                                          ? Wording::what_are
                            : past                                            ? Wording::what_was
                                                                              : Wording::what_is);
  d.has_article = article;
  return d;
}

// "XDMCP is designed to provide ...", "An IndirectQuery packet is sent to ...": a thing with a name, not "the program".
bool SentenceForms::is_used(std::uint32_t verb) const {
  bool name = false;
  for (std::uint32_t i = s_->first_word; i < verb; ++i) {
    const std::string_view word = w_.written(i);
    name = name || (i > s_->first_word && r_.is_capital(i)) ||
           std::any_of(word.begin() + 1, word.end(), [](char c) { return ascii::is_upper(c); });
  }
  return name && (is(verb, "is") || is(verb, "are")) && verb + 5 < s_->words_end &&
         listed_in(" designed intended made sent used ", folded(verb + 1)) &&
         listed_in(" as for from in only to when ", folded(verb + 2));
}

// "The X provides ..." with an object, and X no pronoun's kin: a thing with a name of its own.
bool SentenceForms::tells_what_it_does(std::uint32_t verb, bool article) const {
  // One common word is no name: "The file consists of ...", "It contains ...".
  const std::string_view subject = w_.written(verb - 1);
  const bool common = verb == subject_from() + (article ? 2U : 1U) && subject.size() > 1 &&
                      std::all_of(subject.begin() + 1, subject.end(), [](char c) { return ascii::is_lower(c); }) &&
                      (article || r_.is_capital(verb - 1));
  if (common) {
    return false;
  }
  const bool named = article || r_.is_capital(s_->first_word) || w_.written(s_->first_word).front() == '/';
  return named && verb + 3 < s_->words_end && w_.gap(verb) == " " &&
         (is_article_at(verb + 1) || folded(verb + 1) == "how" || folded(verb + 1) == "what" ||
          folded(verb + 1) == "one" || (is(verb, "consists") && is(verb + 1, "of")) || folded(verb + 1) == "whether" ||
          folded(verb + 1).ends_with('s'));
}

bool SentenceForms::defines(std::uint32_t verb, std::uint32_t object, std::uint32_t term_end) const {
  if (listed_in(meaning_verbs[language_], folded(verb))) {
    return !listed_in(" that dass que ", folded(object));
  }
  if (folded(object) == "one" || w_.gap(verb).find_first_of(",:") != std::string_view::npos) {
    return false;
  }
  std::uint32_t kind = object;
  if (is_article_at(object)) {
    kind = object + 1;
    if (kind >= s_->words_end || listed_in(" dem den des einem einen einer du ", folded(object))) {
      return false;
    }
  } else if (r_.language == Language::english && (is(verb, "are") || is(verb, "were"))) {
    if (!plural_before_function_word(object)) {
      return false;
    }
  } else if (r_.language == Language::german) {
    // "Wind ist Luft, die ...", "Organellen, in denen ..."
    const bool noun = r_.is_capital(object) || (object + 1 < s_->words_end && r_.is_capital(object + 1));
    if (!noun || r_.function_word(object) || text({w_.span(object).to, s_->plain.to}).find(", ") == std::string::npos) {
      return false;
    }
  } else {
    return false;
  }
  for (std::uint32_t i = kind; i < std::min(kind + 3, s_->words_end) && !(i > kind && r_.function_word(i)); ++i) {
    if (listed_in(says_no_kind[language_], folded(i))) {
      return false;
    }
  }
  if (r_.language == Language::english && folded(kind).size() > 5 && folded(kind).ends_with("est")) {
    return false;
  }
  // "A model is a model that ..." explains nothing.
  return r_.stems[kind] != r_.stems[term_end - 1] || kind + 1 >= s_->words_end;
}

// "organelles that", "yellow and orange pigments that": no adjective or participle by itself.
bool SentenceForms::plural_before_function_word(std::uint32_t from) const {
  for (std::uint32_t i = from; i < s_->words_end && i < from + 5; ++i) {
    const std::string_view word = folded(i);
    if (word == "and" || word == "or") {
      continue;
    }
    if (r_.function_word(i) || word.ends_with("ing")) {
      return false;
    }
    if (word.size() > 3 && word.back() == 's' && !word.ends_with("ss") && !word.ends_with("us")) {
      // "autotrophs, and animals are ..." and "autotrophs." only name; "organelles that ..." tells.
      return i + 2 < s_->words_end && w_.gap(i) == " ";
    }
  }
  return false;
}

// ... is called X.
std::optional<Definition> SentenceForms::called() const {
  for (std::uint32_t i = s_->first_word + 3; i + 1 < s_->words_end; ++i) {
    const bool is_called = is(i, "called") || (is(i, "known") && is(i + 1, "as"));
    const std::uint32_t verb = i - (is(i - 1, "so") ? 2 : 1);
    if (!is_called || (folded(verb) != "is" && folded(verb) != "are")) {
      continue;
    }
    std::uint32_t from = is(i, "known") ? i + 2 : i + 1;
    const bool article = from < s_->words_end && is_article_at(from);
    from += article ? 1 : 0;
    const TextSpan meaning = trimmed({s_->plain.from, w_.span(verb).from});
    if (!is_term(from, s_->words_end) || points_back(r_.language, folded(s_->first_word)) ||
        r_.function_word(verb - 1) || !is_article_at(s_->first_word) || text(meaning).find(',') != std::string::npos) {
      return std::nullopt;
    }
    Definition d =
        definition(from, s_->words_end, meaning, Shape::is, is(verb, "are") ? Wording::what_are : Wording::what_is);
    d.has_article = article;
    return d;
  }
  return std::nullopt;
}

// Unter X versteht man ..., Als X bezeichnet man ..., On appelle X ...
std::optional<Definition> SentenceForms::turned() const {
  const std::uint32_t first = s_->first_word;
  const bool german = is(first, "unter") || is(first, "als");
  const bool french = is(first, "on") && is(first + 1, "appelle");
  std::uint32_t from = first + (french ? 2 : 1);
  if ((!german && !french) || from >= s_->words_end) {
    return std::nullopt;
  }
  from += is_article_at(from) ? 1 : 0;
  for (std::uint32_t i = from + 1; i + 2 < s_->words_end && i <= from + definition_words_max; ++i) {
    const bool man = (is(i, "versteht") || is(i, "bezeichnet")) && is(i + 1, "man");
    if (german ? !man : !is_article_at(i) || is(i, "du")) {
      continue;
    }
    if (german && i + 2 < s_->words_end && is(i + 2, "einen")) {
      return std::nullopt;  // what is in the accusative cannot be shown alone: "einen steilen Vulkan"
    }
    return is_term(from, i)
               ? std::optional(definition(from, i, rest_from_word(german ? i + 2 : i), Shape::is, Wording::what_is))
               : std::nullopt;
  }
  return std::nullopt;
}

std::optional<Definition> SentenceForms::chinese() const {
  static constexpr std::string_view not_after = " 否 不 因 由 在 对 有 我 ";
  static constexpr std::string_view not_in = " 的 了 在 和 与 我 们 都 有 也 就 不 ";
  std::uint32_t from = s_->first_word;
  if (is(from, "所") && is(from + 1, "谓")) {
    from += 2;
  } else if (points_back(r_.language, folded(from))) {
    return std::nullopt;
  }
  for (std::uint32_t i = from; i + 2 < s_->words_end; ++i) {
    if (i - from > unspaced_term_characters_max) {
      return std::nullopt;
    }
    if (is(i, "是") && i - from >= 2) {
      const std::uint32_t object = is(i + 1, "指") ? i + 2 : i + 1;
      const bool adverb = is_adverb(r_.language, text({w_.span(from).from, w_.span(i - 1).to}));
      return adverb || listed_in(not_after, folded(object))
                 ? std::nullopt
                 : std::optional(definition(from, i, rest_from_word(object), Shape::is, Wording::what_is));
    }
    if (listed_in(not_in, folded(i)) || (i > from && !w_.gap(i - 1).empty() && from == s_->first_word)) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

namespace {

bool is_hiragana(char32_t c) { return c >= 0x3041 && c <= 0x309F; }

// The last code point of a text.
char32_t last_of(std::string_view text) {
  std::size_t at = text.size() - 1;
  while (at > 0 && text::is_continuation(text[at])) {
    --at;
  }
  return text::decode(text.data() + at, text.data() + text.size()).code_point;
}

// What is before "は、" and is no thing: a particle, or a word that joins.
bool ends_in_particle(std::string_view text) {
  for (const std::string_view end : {"で", "に", "へ", "と", "て", "から", "まで", "より", "また", "しく", "るい",
                                     "こと", "もの", "ため", "ところ", "ほか"}) {
    if (text.ends_with(end)) {
      return true;
    }
  }
  return false;
}

}  // namespace

// Where "とは" ends a term. After hiragana it may be a word's own と with は: "しごとは", "大切なことは".
std::size_t says_what_it_is(std::string_view text) {
  constexpr std::string_view sign = "とは";
  const std::size_t at = text.find(sign);
  return at == 0 || at == std::string_view::npos || is_hiragana(last_of(text.substr(0, at))) ? std::string_view::npos
                                                                                             : at;
}

std::optional<Definition> SentenceForms::japanese() const {
  const std::string_view sentence = r_.plain(*s_);
  std::size_t end = says_what_it_is(sentence);
  const bool means = end < 60;
  const std::string_view sign = means ? std::string_view("とは") : std::string_view("は、");
  end = means ? end : sentence.find("は、");
  if (end == std::string_view::npos || end == 0 || points_back(r_.language, folded(s_->first_word))) {
    return std::nullopt;
  }
  const std::string_view term = sentence.substr(0, end);
  TextSpan meaning = trimmed({s_->plain.from + end + sign.size(), s_->plain.to});
  for (const std::string_view comma : {"、", " "}) {
    meaning.from += text(meaning).starts_with(comma) ? comma.size() : 0;
  }
  bool copula = false;
  for (const std::string_view tail :
       {"のことである", "のことをいう", "のことです", "をいう", "を指す", "である", "です", "のこと"}) {
    if (text(meaning).ends_with(tail)) {
      meaning.to -= tail.size();
      copula = true;
      break;
    }
  }
  // "…の直径は、約8マイクロメートルである" tells a measure; "AはB" without a copula tells what happens.
  const bool vague = !means && (term.find("の") != std::string_view::npos || text(meaning).starts_with("約") ||
                                ends_in_particle(term));
  std::uint32_t last = s_->first_word;
  while (last < s_->words_end && w_.span(last).to <= s_->plain.from + end) {
    ++last;
  }
  if (!copula || vague || term.find("、") != std::string_view::npos || !is_term(s_->first_word, last)) {
    return std::nullopt;
  }
  const std::size_t comma = text(meaning).rfind("で、");  // "丈夫な壁で、細胞の形を保つ役割がある"
  meaning.to = comma != std::string_view::npos && !copula ? meaning.from + comma : meaning.to;
  Definition d = definition(s_->first_word, last, meaning, Shape::is, Wording::what_is);
  d.term.to = s_->plain.from + end;  // with the bracket that closes: "リボ核酸（RNA）"
  return d;
}

bool SentenceForms::is_copula(std::uint32_t word) const { return listed_in(copulas[language_], folded(word)); }

}  // namespace plumb::extract
