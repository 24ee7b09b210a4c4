#include "core/extract/distractors.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/text/fold.hpp"

namespace plumb::extract {
namespace {

constexpr int never = -1'000'000;

struct Ranked {
  int rank = never;
  std::size_t index = 0;
};

// The best ones, by rank and then by their order.
Options best(std::vector<Ranked>& ranked, const Options& texts, std::string_view answer) {
  std::sort(ranked.begin(), ranked.end(),
            [](const Ranked& a, const Ranked& b) { return a.rank != b.rank ? a.rank > b.rank : a.index < b.index; });
  Options out;
  std::vector<std::string> folded{text::fold(answer, {true, true})};
  for (const Ranked& one : ranked) {
    std::string key = text::fold(texts[one.index], {true, true});
    if (one.rank == never || key.empty() || std::find(folded.begin(), folded.end(), key) != folded.end()) {
      continue;
    }
    folded.push_back(std::move(key));
    out.push_back(texts[one.index]);
    if (out.size() == distractors_most) {
      break;
    }
  }
  return out;
}

bool contains_all(const std::vector<std::uint32_t>& all, const std::vector<std::uint32_t>& some) {
  return std::all_of(some.begin(), some.end(),
                     [&all](std::uint32_t stem) { return std::find(all.begin(), all.end(), stem) != all.end(); });
}

std::vector<std::uint32_t> stems_in(const SourceText& r, TextSpan span) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = first_word_from(r, span.from); i < r.words->size() && r.words->span(i).to <= span.to; ++i) {
    out.push_back(r.stems[i]);
  }
  return out;
}

int difference(std::size_t a, std::size_t b) { return static_cast<int>(a > b ? a - b : b - a); }

class TermRanker {
 public:
  TermRanker(const SourceText& reading, const Terms& terms, const Term& answer, TextSpan asked)
      : r_(reading),
        terms_(terms),
        answer_(answer),
        text_(piece(reading.text, asked)),
        asked_(stems_in(reading, asked)) {}

  int rank(const Term& term) const {
    const bool worded = term.exact.empty() && answer_.exact.empty();
    if (&term == &answer_ || term.kind != answer_.kind || term.at.empty() ||
        (worded && (contains_all(term.stems, answer_.stems) || contains_all(answer_.stems, term.stems))) ||
        is_in_question(term) || is_kind_of(term, answer_) || is_kind_of(answer_, term) || is_part_of_name(term) ||
        is_of_place(term) != is_of_place(answer_) || sign_of(term) != sign_of(answer_)) {
      return never;
    }
    int rank = 0;
    rank += term.head != no_stem && term.head == answer_.head ? 8 : 0;
    rank += term.stems.size() > 1 && answer_.stems.size() > 1 && term.stems.back() == answer_.stems.back() ? 7 : 0;
    rank += term.stems.size() == answer_.stems.size() ? 3 : 0;
    rank += ends_alike(term.name, answer_.name) ? 2 : 0;
    rank += term.bold == answer_.bold ? 4 : 0;
    rank += (term.definition >= 0) == (answer_.definition >= 0) ? 2 : 0;
    rank += term.bold || term.definition >= 0 || term.kind != TermKind::noun ? 2 : 0;
    rank += is_near(term) ? 3 : 0;
    rank += is_listed(term) == is_listed(answer_) ? 4 : 0;
    rank += term.kind == TermKind::name && has_the(term) != has_the(answer_) ? -6 : 0;
    rank -= std::min(difference(term.name.size(), answer_.name.size()) / 4, 4);
    return rank;
  }

  // Options are offered with options, paths with paths.
  static char sign_of(const Term& term) {
    const char first = term.exact.empty() ? 'a' : term.exact.front();
    return first == '-' || first == '/' || first == '$' ? first : 'a';
  }

  bool is_listed(const Term& term) const {
    const Definition* const d = terms_.definition_of(term);
    return d != nullptr && d->shape == Shape::listed;
  }

 private:
  bool is_in_question(const Term& term) const {
    if (!term.exact.empty()) {
      return text_.find(term.exact) != std::string_view::npos;
    }
    return is_unspaced(r_.language) ? text_.find(term.name) != std::string_view::npos
                                    : contains_all(asked_, term.stems);
  }

  // Whether it mostly has the article: the Holy Alliance, but Lynn Margulis.
  bool has_the(const Term& term) const {
    std::size_t with = 0;
    for (const Occurrence& at : term.at) {
      with += !r_.begins_sentence(at.first_word) && r_.words->folded(at.first_word - 1) == "the" ? 1 : 0;
    }
    return with * 2 > term.at.size();
  }

  // "Carotenoids are pigments that ...": what is said of pigments may hold of carotenoids.
  static bool is_kind_of(const Term& term, const Term& wider) {
    return wider.stems.size() == 1 && term.head == wider.stems.front();
  }

  bool is_part_of_name(const Term& term) const {
    if (term.kind != TermKind::name || term.stems.size() > 1) {
      return false;
    }
    return std::any_of(terms_.list.begin(), terms_.list.end(), [&](const Term& other) {
      return other.kind == TermKind::name && other.stems.size() > 1 && contains_all(other.stems, term.stems);
    });
  }

  // Names that follow "in" or "at" are of places.
  bool is_of_place(const Term& term) const {
    if (term.kind != TermKind::name || r_.language != Language::english) {
      return false;
    }
    std::size_t behind = 0;
    for (const Occurrence& at : term.at) {
      if (r_.begins_sentence(at.first_word)) {
        continue;
      }
      std::uint32_t before = at.first_word - 1;
      if (r_.words->folded(before) == "the" && !r_.begins_sentence(before)) {
        --before;
      }
      const std::string_view word = r_.words->folded(before);
      behind +=
          word == "in" || word == "at" || word == "on" || word == "to" || word == "near" || word == "from" ? 1 : 0;
    }
    return behind * 2 >= term.at.size() && behind > 0;
  }

  static bool ends_alike(std::string_view a, std::string_view b) {
    return a.size() > 4 && b.size() > 4 && a.substr(a.size() - 3) == b.substr(b.size() - 3);
  }

  bool is_near(const Term& term) const {
    const auto chunk_of = [this](const Term& t) { return r_.sentences[r_.sentence_of[t.first_word]].chunk; };
    return difference(chunk_of(term), chunk_of(answer_)) <= 1;
  }

  const SourceText& r_;
  const Terms& terms_;
  const Term& answer_;
  std::string_view text_;
  std::vector<std::uint32_t> asked_;
};

bool is_plural(Wording wording) { return wording == Wording::what_are || wording == Wording::what_were; }

bool begins_with_vowel(std::string_view text) {
  return !text.empty() && std::string_view("aeiouAEIOU").find(text.front()) != std::string_view::npos;
}

}  // namespace

Options term_distractors(const SourceText& reading, const Terms& terms, const Term& answer, const Occurrence& at) {
  const TermRanker ranker(reading, terms, answer, reading.sentences[reading.sentence_of[at.first_word]].plain);
  const std::string right = capitalised(written(reading, at));
  const bool begins = reading.begins_sentence(at.first_word);
  const std::string_view before = begins ? std::string_view() : reading.words->folded(at.first_word - 1);
  const std::uint32_t after = at.words_end < reading.words->size() ? reading.stems[at.words_end] : no_stem;
  Options texts;
  std::vector<Ranked> ranked;
  for (std::size_t i = 0; i < terms.list.size(); ++i) {
    const Term& term = terms.list[i];
    const std::string_view text = reading.language == Language::english ? form(reading, term, at.plural)
                                  : term.at.empty()                     ? std::string_view()
                                                    : std::string_view(written(reading, term.at.front()));
    texts.push_back(capitalised(text));
    int rank = text.empty() ? never : ranker.rank(term);
    if (rank != never && (before == "a" || before == "an") && begins_with_vowel(text) != begins_with_vowel(right)) {
      rank = never;
    }
    if (rank != never && !begins) {
      bool same_before = false;
      bool same_after = false;
      for (const Occurrence& other : term.at) {
        same_before = same_before || (!reading.begins_sentence(other.first_word) &&
                                      reading.words->folded(other.first_word - 1) == before);
        same_after = same_after || (other.words_end < reading.words->size() && reading.stems[other.words_end] == after);
      }
      rank += (same_before ? 3 : 0) + (same_after ? 1 : 0);
    }
    ranked.push_back({rank, i});
  }
  return best(ranked, texts, right);
}

Options name_distractors(const SourceText& reading, const Terms& terms, const Term& answer) {
  const Definition& definition = *terms.definition_of(answer);
  const TermRanker ranker(reading, terms, answer, definition.meaning);
  Options texts;
  std::vector<Ranked> ranked;
  for (std::size_t i = 0; i < terms.list.size(); ++i) {
    const Term& term = terms.list[i];
    texts.push_back(label_of(term));
    // What the source itself explains or marks: a name that only occurs there is no term to choose from.
    const Definition* const known = terms.definition_of(term);
    int rank = known != nullptr || term.bold || !term.flaw.empty() ? ranker.rank(term) : never;
    if (rank != never && definition.shape == Shape::is && (known != nullptr || reading.language == Language::english)) {
      const bool plural = known != nullptr ? is_plural(known->wording) : term.at.front().plural;
      rank = plural == is_plural(definition.wording) ? rank : never;
    }
    ranked.push_back({rank, i});
  }
  return best(ranked, texts, label_of(answer));
}

std::string meaning_text(const SourceText& reading, const Definition& definition) {
  const std::string_view said = piece(reading.text, definition.meaning);
  return is_unspaced(reading.language) ? std::string(said) : capitalised(said);
}

bool gives_away(const SourceText& reading, const Term& term, TextSpan meaning) {
  const text::Words& words = *reading.words;
  const std::string_view said = piece(reading.text, meaning);
  if (!term.exact.empty()) {  // "-a bind_address": by its argument
    const text::Words tag(term.exact, 8);
    for (std::size_t i = 0; i < tag.size(); ++i) {
      if (tag.written(i).size() >= (term.exact.front() == '-' ? 3U : 4U) &&
          said.find(tag.written(i)) != std::string_view::npos) {
        return true;
      }
    }
    return said.find(term.exact) != std::string_view::npos;
  }
  if (is_unspaced(reading.language)) {
    return said.find(term.name) != std::string_view::npos;
  }
  const std::vector<std::uint32_t> in_meaning = stems_in(reading, meaning);
  const Occurrence& at = term.at.front();
  for (std::uint32_t i = at.first_word; i < at.words_end; ++i) {
    if (reading.function_word(i)) {
      continue;
    }
    if (std::find(in_meaning.begin(), in_meaning.end(), reading.stems[i]) != in_meaning.end()) {
      return true;
    }
    constexpr std::size_t alike = 6;
    const std::string_view begin = words.folded(i).substr(0, alike);
    for (std::uint32_t k = first_word_from(reading, meaning.from); k < words.size() && words.span(k).to <= meaning.to;
         ++k) {
      if (begin.size() == alike && words.folded(k).substr(0, alike) == begin) {
        return true;
      }
    }
  }
  return false;
}

Options meaning_distractors(const SourceText& reading, const Terms& terms, const Term& answer) {
  const Definition& right = *terms.definition_of(answer);
  const auto chunk_of = [&reading](const Definition& d) { return reading.sentences[d.sentence].chunk; };
  Options texts;
  std::vector<Ranked> ranked;
  for (std::size_t i = 0; i < terms.list.size(); ++i) {
    const Term& term = terms.list[i];
    texts.emplace_back();
    const Definition* const other = terms.definition_of(term);
    if (&term == &answer || other == nullptr || term.at.empty() || reading.sentences[other->sentence].foreign) {
      continue;
    }
    texts.back() = meaning_text(reading, *other);
    const std::size_t size = other->meaning.to - other->meaning.from;
    if (other->wording != right.wording || other->shape != right.shape || size > meaning_bytes_max ||
        gives_away(reading, answer, other->meaning) ||
        (term.exact.empty() && (contains_all(term.stems, answer.stems) || contains_all(answer.stems, term.stems)))) {
      continue;
    }
    const int rank = (term.head != no_stem && term.head == answer.head ? 6 : 0) + (term.kind == answer.kind ? 3 : 0) +
                     (term.bold == answer.bold ? 2 : 0) + (chunk_of(*other) == chunk_of(right) ? 2 : 0) +
                     (TermRanker::sign_of(term) == TermRanker::sign_of(answer) ? 5 : 0) -
                     difference(size, right.meaning.to - right.meaning.from) / 15;
    ranked.push_back({rank, i});
  }
  return best(ranked, texts, meaning_text(reading, right));
}

namespace {

bool read_number(std::string_view text, Number& number) {
  std::uint64_t value = 0;
  std::size_t digits = 0;
  std::uint64_t decimals = 1000;
  bool point = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.') {
      if (point) {
        return false;
      }
      point = true;
    } else if (c == ',') {
      if (point || text.size() - i < 4) {
        return false;
      }
    } else if (c < '0' || c > '9' || ++digits > 12) {
      return false;
    } else if (!point) {
      value = value * 10 + static_cast<std::uint64_t>(c - '0') * 1000;
    } else if (decimals > 1) {
      decimals /= 10;
      value += static_cast<std::uint64_t>(c - '0') * decimals;
    }
  }
  number.thousandths = value;
  number.whole = !point;
  return digits > 0;
}

bool only_numbers(std::string_view folded) {
  static constexpr std::string_view before[] = {"abb",     "absatz",   "appendix",  "art",    "article", "artikel",
                                                "chapter", "equation", "fig",       "figure", "kapitel", "no",
                                                "number",  "page",     "paragraph", "part",   "section", "step",
                                                "table",   "version",  "versions",  "volume"};
  return std::find(std::begin(before), std::end(before), folded) != std::end(before);
}

}  // namespace

std::vector<Number> find_numbers(const SourceText& reading) {
  const text::Words& words = *reading.words;
  std::vector<Number> out;
  for (const Sentence& sentence : reading.sentences) {
    if (!sentence.complete || sentence.aside ||
        (sentence.kind != SentenceKind::prose && sentence.kind != SentenceKind::item)) {
      continue;
    }
    for (std::uint32_t i = sentence.first_word + 1; i < sentence.words_end; ++i) {
      Number number;
      number.word = i;
      const std::string_view before = words.gap(i - 1);
      const bool last = i + 1 >= sentence.words_end;
      const std::string_view after = last ? std::string_view(".") : words.gap(i);
      const bool stands_alone = !before.empty() && before.back() == ' ' && !after.empty() &&
                                (after.front() == ' ' || after.front() == '.' || after.front() == ',' ||
                                 after.front() == '%' || after.front() == ';');
      const auto is_digits = [&](std::uint32_t word) { return ascii::is_digit(words.written(word).front()); };
      if (is_digits(i - 1) || (!last && is_digits(i + 1))) {
        continue;  // "3 000", "18 May 1804": a part of a longer one
      }
      if (!stands_alone || !read_number(words.folded(i), number) || only_numbers(words.folded(i - 1))) {
        continue;
      }
      const bool four = words.folded(i).size() == 4 && number.whole;
      const std::string_view lead = words.folded(i - 1);
      if (!last && after == " " && words.folded(i + 1).starts_with("version")) {
        continue;
      }
      const bool counts = !last && after.front() == ' ' && !reading.function_word(i + 1) && !reading.is_capital(i + 1);
      number.year = four && number.thousandths >= 1'000'000 && number.thousandths < 2'100'000 &&
                    (lead == "in" || lead == "since" || lead == "until" || !counts);
      if (!number.year && !last && after == " ") {
        number.unit = reading.stems[i + 1];
      } else if (after.front() == '%') {
        number.unit = no_stem - 1;
      }
      out.push_back(number);
    }
  }
  return out;
}

Options number_distractors(const SourceText& reading, const std::vector<Number>& numbers, const Number& answer) {
  const Sentence& asked = reading.sentences[reading.sentence_of[answer.word]];
  std::vector<std::string_view> in_question;
  for (std::uint32_t i = asked.first_word; i < asked.words_end; ++i) {
    in_question.push_back(reading.words->folded(i));
  }
  Options texts;
  std::vector<Ranked> ranked;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Number& other = numbers[i];
    const std::string_view written = reading.words->written(other.word);
    texts.emplace_back(written);
    const std::uint64_t a = answer.thousandths;
    const std::uint64_t b = other.thousandths;
    if (other.year != answer.year || other.whole != answer.whole ||
        std::find(in_question.begin(), in_question.end(), reading.words->folded(other.word)) != in_question.end()) {
      continue;
    }
    const bool same_unit = answer.unit != no_stem && other.unit == answer.unit;
    if (!answer.year && ((answer.unit == no_stem - 1) != (other.unit == no_stem - 1) || a > b * 12 || b > a * 12)) {
      continue;
    }
    const std::uint64_t apart = a > b ? a - b : b - a;
    const std::uint64_t share = answer.year ? apart / 4'000 : apart * 20 / std::max<std::uint64_t>(std::max(a, b), 1);
    ranked.push_back({(same_unit ? 40 : 0) - static_cast<int>(std::min<std::uint64_t>(share, 500)), i});
  }
  return best(ranked, texts, reading.words->written(answer.word));
}

}  // namespace plumb::extract
