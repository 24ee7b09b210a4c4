#include "core/extract/definitions.hpp"

#include <algorithm>
#include <optional>

namespace plumb::extract {
namespace {

constexpr std::uint32_t term_words_max = 5;
constexpr std::uint32_t chinese_term_characters_max = 12;
constexpr std::size_t meaning_bytes_min = 12;

constexpr std::string_view says_no_kind[] = {
    "best",  "case", "difference", "example", "few",   "first",  "following", "good",  "great", "important",
    "key",   "last", "lot",        "main",    "major", "more",   "most",      "next",  "one",   "only",
    "other", "part", "reason",     "result",  "same",  "second", "subject",   "total", "way",   "year",
};

bool is_any_of(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

class Finder {
 public:
  explicit Finder(const Reading& reading) : r_(reading), w_(*reading.words) {}

  std::vector<Definition> run() {
    for (std::size_t i = 0; i < r_.sentences.size(); ++i) {
      s_ = &r_.sentences[i];
      while (mark_ < r_.marks.size() && r_.marks[mark_].where.from < s_->plain.from) {
        ++mark_;
      }
      std::optional<Definition> found;
      if (s_->kind == SentenceKind::row) {
        found = row();
      } else if (s_->kind != SentenceKind::heading && r_.words_in(*s_) >= 3) {
        found = listed();
        if (!found && (s_->complete || r_.plain(*s_).back() == ';')) {
          found = r_.language == Language::chinese ? chinese() : said();
          if (!found && r_.language == Language::english) {
            found = called();
          }
        }
      }
      if (found && means_something(*found)) {
        found->sentence = static_cast<std::uint32_t>(i);
        out_.push_back(*found);
      }
    }
    return std::move(out_);
  }

 private:
  std::string_view folded(std::uint32_t word) const { return w_.folded(word); }
  bool is_article_at(std::uint32_t word) const { return is_article(r_.language, folded(word)); }

  // Up to the end of the sentence, without its full stop.
  TextSpan rest_from(std::uint32_t word) const { return trimmed({w_.span(word).from, s_->plain.to}); }

  TextSpan trimmed(TextSpan span) const {
    static constexpr std::string_view ends[] = {".", ";", ",", " ", "\xE3\x80\x82", "\xEF\xBC\x9B"};
    for (bool again = true; again;) {
      again = false;
      for (const std::string_view end : ends) {
        const std::string_view now = piece(r_.text, span);
        if (ends_with(now, end)) {
          span.to -= end.size();
          again = true;
        }
      }
    }
    return span;
  }

  bool means_something(const Definition& d) const {
    const std::string_view meaning = piece(r_.text, d.meaning);
    const std::size_t least = r_.language == Language::chinese ? meaning_bytes_min : meaning_bytes_min + 3;
    if (meaning.size() < least || d.first_word >= d.words_end) {
      return false;
    }
    if (r_.language == Language::chinese) {
      return true;
    }
    std::size_t words = 0;
    for (std::uint32_t i = s_->first_word; i < s_->words_end || words == 0; ++i) {
      if (i >= w_.size()) {
        break;
      }
      words += w_.span(i).from >= d.meaning.from && w_.span(i).to <= d.meaning.to ? 1 : 0;
      if (w_.span(i).from >= d.meaning.to) {
        break;
      }
    }
    return words >= 2 || d.listed;
  }

  bool is_term(std::uint32_t from, std::uint32_t to) const {
    if (from >= to || to - from > term_words_max) {
      return false;
    }
    for (std::uint32_t i = from; i < to; ++i) {
      const bool of = i > from && i + 1 < to && is_any_of(folded(i), {"of", "der", "des", "von"});
      if (!of && (r_.function_word(i) || points_back(r_.language, folded(i)))) {
        return false;
      }
      if (i > from && w_.gap(i - 1).find_first_of(",;:()") != std::string_view::npos) {
        return false;
      }
    }
    const char first = w_.written(from).front();
    return !(first >= '0' && first <= '9');
  }

  // Where the sentence begins behind a number in brackets.
  std::uint32_t subject_from() const {
    const std::uint32_t first = s_->first_word;
    const char c = w_.written(first).front();
    return first + 1 < s_->words_end && c >= '0' && c <= '9' ? first + 1 : first;
  }

  // X is a ...
  std::optional<Definition> said() const {
    const bool english = r_.language == Language::english;
    if (!english && r_.language != Language::german) {
      return std::nullopt;
    }
    std::uint32_t from = subject_from();
    if (is_article_at(from)) {
      ++from;
    }
    std::uint32_t verb = from + 1;
    while (verb < s_->words_end && verb - from <= term_words_max + 6 && !is_verb(verb)) {
      ++verb;
    }
    if (verb + 2 > s_->words_end || verb - from > term_words_max + 6 || !is_verb(verb)) {
      return std::nullopt;
    }
    Definition d;
    d.first_word = from;
    d.words_end = verb;
    // What stands between commas or brackets before the verb is an aside.
    for (std::uint32_t i = from; i + 1 < verb; ++i) {
      if (w_.gap(i).find_first_of(",(") != std::string_view::npos) {
        const std::string_view last = w_.gap(verb - 1);
        if (last.find_first_of(",)") == std::string_view::npos) {
          return std::nullopt;
        }
        d.words_end = i + 1;
        break;
      }
    }
    if (!is_term(d.first_word, d.words_end)) {
      return std::nullopt;
    }
    const std::uint32_t object = folded(verb) == "refers" ? verb + 2 : verb + 1;
    if (object >= s_->words_end || !defines(verb, object, d)) {
      return std::nullopt;
    }
    const std::string_view word = folded(verb);
    d.wording = is_any_of(word, {"means", "denotes", "refers"}) ? Wording::what_means
                : is_any_of(word, {"are", "sind"})              ? Wording::what_are
                : is_any_of(word, {"was", "war"})               ? Wording::what_was
                : is_any_of(word, {"were", "waren"})            ? Wording::what_were
                                                                : Wording::what_is;
    d.has_article = from > subject_from();
    d.meaning = rest_from(object);
    return d;
  }

  bool is_verb(std::uint32_t word) const {
    const std::string_view text = folded(word);
    if (r_.language == Language::german) {
      return is_any_of(text, {"ist", "sind", "war", "waren"});
    }
    return is_any_of(text, {"is", "are", "was", "were", "means", "denotes"}) ||
           (text == "refers" && word + 1 < s_->words_end && folded(word + 1) == "to");
  }

  bool defines(std::uint32_t verb, std::uint32_t object, const Definition& d) const {
    const std::string_view text = folded(verb);
    if (is_any_of(text, {"means", "denotes", "refers"})) {
      return true;
    }
    if (folded(object) == "one" || w_.gap(verb).find_first_of(",:") != std::string_view::npos) {
      return false;
    }
    std::uint32_t kind = object;
    if (is_article_at(object)) {
      kind = object + 1;
      if (kind >= s_->words_end || is_any_of(folded(object), {"dem", "den", "des", "einem", "einen", "einer"})) {
        return false;
      }
    } else if (text == "are" || text == "were") {
      if (!plural_before_function_word(object)) {
        return false;
      }
    } else if (text == "sind" || text == "waren") {
      if (!r_.is_capital(object) && !(object + 1 < s_->words_end && r_.is_capital(object + 1))) {
        return false;
      }
    } else {
      return false;
    }
    for (const std::string_view word : says_no_kind) {
      if (folded(kind) == word) {
        return false;
      }
    }
    if (r_.language == Language::english && folded(kind).size() > 5 && ends_with(folded(kind), "est")) {
      return false;
    }
    // "A model is a model that ..." explains nothing.
    return r_.stems[kind] != r_.stems[d.words_end - 1] || kind + 1 >= s_->words_end || d.words_end - d.first_word > 1;
  }

  // "organelles that", "yellow and orange pigments that": no adjective or participle by itself.
  bool plural_before_function_word(std::uint32_t from) const {
    for (std::uint32_t i = from; i < s_->words_end && i < from + 5; ++i) {
      const std::string_view word = folded(i);
      if (word == "and" || word == "or") {
        continue;
      }
      if (r_.function_word(i)) {
        return false;
      }
      if (word.size() > 3 && word.back() == 's' && !ends_with(word, "ss") && !ends_with(word, "us")) {
        // "autotrophs, and animals are ..." and "autotrophs." only name; "organelles that ..." tells.
        return i + 2 < s_->words_end && w_.gap(i) == " ";
      }
      if (ends_with(word, "ing")) {
        return false;
      }
    }
    return false;
  }

  // ... is called X.
  std::optional<Definition> called() const {
    for (std::uint32_t i = s_->first_word + 3; i + 1 < s_->words_end; ++i) {
      const bool is_called = folded(i) == "called" || (folded(i) == "known" && folded(i + 1) == "as");
      if (!is_called || !is_any_of(folded(i - 1), {"is", "are"})) {
        continue;
      }
      Definition d;
      d.first_word = folded(i) == "known" ? i + 2 : i + 1;
      if (d.first_word < s_->words_end && is_article_at(d.first_word)) {
        d.has_article = true;
        ++d.first_word;
      }
      d.words_end = s_->words_end;
      d.wording = folded(i - 1) == "are" ? Wording::what_are : Wording::what_is;
      d.meaning = trimmed({s_->plain.from, w_.span(i - 1).from});
      const bool plain_subject = !points_back(r_.language, folded(s_->first_word)) && !r_.function_word(i - 2) &&
                                 is_article_at(s_->first_word) &&
                                 piece(r_.text, d.meaning).find(',') == std::string::npos;
      return plain_subject && is_term(d.first_word, d.words_end) ? std::optional(d) : std::nullopt;
    }
    return std::nullopt;
  }

  // Stroma: the fluid ...
  std::optional<Definition> listed() const {
    const bool marked = mark_ < r_.marks.size() && r_.marks[mark_].where.from == s_->plain.from &&
                        r_.marks[mark_].kind != MarkKind::italic;
    if (!marked && s_->kind != SentenceKind::item) {
      return std::nullopt;
    }
    const std::size_t marked_to = marked ? r_.marks[mark_].where.to : 0;
    for (std::uint32_t i = s_->first_word; i + 1 < s_->words_end && i < s_->first_word + term_words_max; ++i) {
      const std::string_view between = w_.gap(i);
      const bool divides = between.find(": ") != std::string_view::npos ||
                           between.find(" - ") != std::string_view::npos ||
                           between.find("\xE2\x80\x93") != std::string_view::npos ||
                           between.find("\xE2\x80\x94") != std::string_view::npos ||
                           between.find("\xEF\xBC\x9A") != std::string_view::npos;
      if (!divides) {
        continue;
      }
      if (marked && w_.span(i).to + 2 < marked_to) {
        return std::nullopt;
      }
      Definition d;
      d.first_word = s_->first_word;
      if (is_article_at(d.first_word)) {
        ++d.first_word;
      }
      d.words_end = i + 1;
      d.meaning = rest_from(i + 1);
      d.meaning.from = opening(d.meaning.from);
      d.listed = true;
      d.wording = Wording::what_means;
      return is_term(d.first_word, d.words_end) ? std::optional(d) : std::nullopt;
    }
    return std::nullopt;
  }

  // A bracket or a quotation mark right before the first word belongs to the meaning.
  std::size_t opening(std::size_t from) const {
    while (from > 0 && (r_.text[from - 1] == '(' || r_.text[from - 1] == '"' || r_.text[from - 1] == '-')) {
      --from;
    }
    return from;
  }

  // The first two cells of a row.
  std::optional<Definition> row() const {
    Definition d;
    d.first_word = s_->first_word;
    d.listed = true;
    d.wording = Wording::what_means;
    std::uint32_t meaning = 0;
    for (std::uint32_t i = s_->first_word; i + 1 < s_->words_end; ++i) {
      if (w_.gap(i).find('|') == std::string_view::npos) {
        continue;
      }
      if (d.words_end == 0) {
        d.words_end = i + 1;
        meaning = i + 1;
        continue;
      }
      d.meaning = {w_.span(meaning).from, w_.span(i).to};
      break;
    }
    if (d.words_end == 0) {
      return std::nullopt;
    }
    if (d.meaning.to == 0) {
      d.meaning = {w_.span(meaning).from, w_.span(s_->words_end - 1).to};
    }
    const std::string_view words = piece(r_.text, d.meaning);
    const bool tells = std::count(words.begin(), words.end(), ' ') >= 2;
    return tells && is_term(d.first_word, d.words_end) ? std::optional(d) : std::nullopt;
  }

  std::optional<Definition> chinese() const {
    constexpr std::string_view is = "\xE6\x98\xAF";     // 是
    constexpr std::string_view means = "\xE6\x8C\x87";  // 指
    static constexpr std::string_view not_after[] = {"\xE5\x90\xA6", "\xE4\xB8\x8D", "\xE5\x9B\xA0", "\xE7\x94\xB1",
                                                     "\xE5\x9C\xA8", "\xE4\xBB\x8E", "\xE5\xAF\xB9"};
    static constexpr std::string_view not_in[] = {"\xE7\x9A\x84", "\xE4\xBA\x86", "\xE5\x9C\xA8", "\xE5\x92\x8C",
                                                  "\xE4\xB8\x8E", "\xE6\x88\x91", "\xE4\xBB\xAC", "\xE9\x83\xBD",
                                                  "\xE6\x9C\x89", "\xE4\xB9\x9F", "\xE5\xB0\xB1"};
    if (points_back(r_.language, folded(s_->first_word))) {
      return std::nullopt;
    }
    for (std::uint32_t i = s_->first_word; i + 2 < s_->words_end; ++i) {
      const std::uint32_t length = i - s_->first_word;
      if (length > chinese_term_characters_max) {
        return std::nullopt;
      }
      if (folded(i) == is && length >= 2) {
        Definition d;
        d.first_word = s_->first_word;
        d.words_end = i;
        const std::uint32_t object = folded(i + 1) == means ? i + 2 : i + 1;
        const bool refused =
            std::find(std::begin(not_after), std::end(not_after), folded(object)) != std::end(not_after);
        d.meaning = rest_from(object);
        return refused ? std::nullopt : std::optional(d);
      }
      const bool particle = std::find(std::begin(not_in), std::end(not_in), folded(i)) != std::end(not_in);
      if (particle || (i > s_->first_word && !w_.gap(i - 1).empty() && w_.is_single_letter(i))) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  const Reading& r_;
  const text::Words& w_;
  const Sentence* s_ = nullptr;
  std::size_t mark_ = 0;
  std::vector<Definition> out_;
};

}  // namespace

std::vector<Definition> find_definitions(const Reading& reading) { return Finder(reading).run(); }

}  // namespace plumb::extract
