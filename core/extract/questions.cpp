#include "core/extract/questions.hpp"

#include <algorithm>

#include "core/ascii.hpp"

namespace plumb::extract {
namespace {

constexpr std::size_t sentence_bytes_min = 35;
constexpr std::size_t sentence_bytes_max = 260;
constexpr std::size_t questions_max = 24;

bool is_among(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

QuestionMaker::QuestionMaker(const SourceText& reading, const Terms& terms)
    : r_(reading), terms_(terms), evidence_(reading, terms), numbers_(find_numbers(reading)) {}

bool QuestionMaker::stands_alone(const Sentence& sentence) const {
  const std::size_t size = sentence.plain.to - sentence.plain.from;
  const std::size_t least = is_unspaced(r_.language) ? 24 : sentence_bytes_min;
  const bool prose = sentence.kind == SentenceKind::prose || sentence.kind == SentenceKind::item;
  if (!prose || !sentence.complete || sentence.aside || sentence.foreign || size < least || size > sentence_bytes_max ||
      r_.words_in(sentence) < 5) {
    return false;
  }
  const text::Words& words = *r_.words;
  const std::uint32_t first = sentence.first_word;
  const char initial = words.written(first).front();
  const std::string_view text = r_.plain(sentence);
  if (ascii::is_lower(initial) || points_back(r_.language, words.folded(first)) ||
      points_elsewhere(r_, sentence.plain) || text.find_first_of(":|\\") != std::string_view::npos || is_code(text)) {
    return false;
  }
  // A pronoun for somebody named before, or the reader who is spoken to.
  for (std::uint32_t i = first; i < sentence.words_end; ++i) {
    const std::string_view word = words.folded(i);
    if (r_.language == Language::english &&
        (is_among(word, {"we", "i", "you", "us", "our", "your", "my", "them", "him", "please", "example", "however",
                         "trademark", "trademarks", "copyright", "licence", "license", "warranty"}) ||
         (i < first + 5 && is_among(word, {"he", "she", "they", "it", "its", "their"})))) {
      return false;
    }
  }
  return true;
}

std::string QuestionMaker::with_gap(const Sentence& sentence, TextSpan hole) const {
  std::string out(piece(r_.text, {sentence.plain.from, hole.from}));
  out += gap;
  out += piece(r_.text, {hole.to, sentence.plain.to});
  return out;
}

std::string QuestionMaker::explanation(const Sentence& sentence) const {
  return worded(r_.language, Wording::source_says, r_.plain(sentence));
}

void QuestionMaker::add(Question question, const Options& candidates, std::vector<Question>& out) const {
  const Asked asked = evidence_.asked(question.question);
  if (candidates.size() < distractors_wanted || out.size() >= questions_max ||
      !evidence_.proof(asked, question.answer).certain) {
    return;
  }
  Options options;
  for (const std::string& candidate : candidates) {
    if (options.size() < distractors_wanted && !evidence_.proof(asked, candidate).certain) {
      options.push_back(candidate);
    }
  }
  if (options.size() < distractors_wanted) {
    return;
  }
  options.push_back(question.answer);
  // The order depends on the question alone, and the right answer may be in any place.
  std::sort(options.begin(), options.end(), [&question](const std::string& a, const std::string& b) {
    const std::uint32_t left = mix(question.question + a);
    const std::uint32_t right = mix(question.question + b);
    return left != right ? left < right : a < b;
  });
  question.options = std::move(options);
  out.push_back(std::move(question));
}

std::vector<Question> QuestionMaker::about(const Term& term) const {
  std::vector<Question> out;
  by_definition(term, out);
  by_number(term, out);
  constexpr std::size_t sentences_max = 12;
  for (std::size_t i = 0; i < term.at.size() && i < sentences_max && term.exact.empty(); ++i) {
    by_gap(term, term.at[i], out);
  }
  return out;
}

std::string_view QuestionMaker::why_none(const Term& term) const {
  const Definition* const d = terms_.definition_of(term);
  if (d == nullptr) {
    return term.flaw.empty() ? "no sentence about it can be asked about alone" : term.flaw;
  }
  return gives_away(r_, term, d->meaning) ? "what the source says of it has its own words in it"
                                          : "the source has no three others of its kind to choose from";
}

void QuestionMaker::by_definition(const Term& term, std::vector<Question>& out) const {
  const Definition* const d = terms_.definition_of(term);
  if (d == nullptr) {
    return;
  }
  const Sentence& sentence = r_.sentences[d->sentence];
  const std::string meaning = meaning_text(r_, *d);
  if (sentence.foreign || gives_away(r_, term, d->meaning)) {
    return;
  }
  Question q;
  q.sentence = d->sentence;
  q.explanation = sentence.kind == SentenceKind::row
                      ? worded(r_.language, Wording::source_says, piece(r_.text, d->meaning))
                      : explanation(sentence);
  q.rank = 20 + static_cast<int>(term.score) - (d->shape == Shape::does ? 6 : 0);
  if (meaning.size() <= meaning_bytes_max && r_.language != Language::other && d->shape != Shape::does) {
    q.type = QuestionType::meaning;
    q.answer = meaning;
    std::string asked = term.name;
    if (d->has_article && d->wording != Wording::what_means && r_.language != Language::french) {
      asked = std::string(r_.words->folded(d->first_word - 1)) + " " + asked;
    }
    q.question = worded(r_.language, d->wording, asked);
    add(q, meaning_distractors(r_, terms_, term), out);
  }
  if (r_.language != Language::other || sentence.kind == SentenceKind::entry) {
    q.type = QuestionType::name;
    q.answer = label_of(term);
    q.question = worded(r_.language, Wording::which_term, piece(r_.text, d->meaning));
    add(q, name_distractors(r_, terms_, term), out);
  }
}

// Where somebody or a place is named: behind a preposition of place or "by", a verb, a title ("the statesman ____"), or
// before a verb at the beginning.
bool QuestionMaker::reads_as_name(const Occurrence& at) const {
  const text::Words& words = *r_.words;
  const auto is_past = [](std::string_view word) { return word.size() > 3 && word.ends_with("ed"); };
  if (r_.begins_sentence(at.first_word)) {
    return at.words_end < words.size() && is_past(words.folded(at.words_end));
  }
  const std::string_view before = words.folded(at.first_word - 1);
  const bool adjective =
      is_past(before) && at.first_word > 1 && is_article(r_.language, words.folded(at.first_word - 2));
  return is_among(before, {"at", "by", "from", "in", "near", "to"}) ||
         (!adjective && !r_.function_word(at.first_word - 1) && !r_.is_capital(at.first_word - 1) &&
          words.gap(at.first_word - 1) == " " && before.size() > 3);
}

void QuestionMaker::by_gap(const Term& term, const Occurrence& at, std::vector<Question>& out) const {
  const Sentence& sentence = r_.sentences[r_.sentence_of[at.first_word]];
  const text::Words& words = *r_.words;
  // In German and French the words around a gap give the gender of what fills it.
  if (!stands_alone(sentence) || r_.language == Language::german || r_.language == Language::french ||
      r_.language == Language::other) {
    return;
  }
  // The sentence that defines the term is asked for by its meaning, and at its beginning a gap says little.
  const Definition* const d = terms_.definition_of(term);
  if (at.first_word < sentence.first_word + 2 && d != nullptr && d->sentence == r_.sentence_of[at.first_word]) {
    return;
  }
  const TextSpan hole{words.span(at.first_word).from, words.span(at.words_end - 1).to};
  const TextSpan before{sentence.plain.from, hole.from};
  const TextSpan after{hole.to, sentence.plain.to};
  if (gives_away(r_, term, before) || gives_away(r_, term, after)) {
    return;
  }
  const std::string_view left = piece(r_.text, before);
  const std::string_view right = piece(r_.text, after);
  const bool listed = is_unspaced(r_.language) && left.size() > 2 && (left.ends_with(", ") || left.ends_with("、"));
  if (listed || right.starts_with(',') || right.starts_with("、")) {
    return;  // one of a list, which any other may be too
  }
  const bool joined =
      (!left.empty() && (left.back() == '-' || left.back() == '(' || left.back() == '/' || left.back() == '"')) ||
      (!right.empty() && (right.front() == '-' || right.front() == '\'' || right.front() == '/'));
  if (joined) {
    return;
  }
  // "photosystem II", "vitamin C": the gap would leave the rest of a name.
  if (term.kind == TermKind::name && !reads_as_name(at)) {
    return;
  }
  if (term.kind == TermKind::name && at.words_end < sentence.words_end && right.starts_with(' ') &&
      !r_.function_word(at.words_end) && !r_.is_capital(at.words_end)) {
    const std::string_view next = words.folded(at.words_end);
    if (next.size() < 4 || next.substr(next.size() - 2) != "ed") {
      return;  // "a ____ configuration file": the name only says which
    }
  }
  // "All the ____ implementations": nothing says which. "A ____ waits for ..." says it.
  const bool subject = at.first_word == sentence.first_word + 1;
  if (r_.language == Language::english && at.words_end < sentence.words_end && right.starts_with(' ') && !subject &&
      !r_.function_word(at.words_end)) {
    return;
  }
  if (at.words_end < sentence.words_end && right.starts_with(' ')) {
    const std::string_view next = words.written(at.words_end);
    if (next.size() == 1 || ascii::is_digit(next.front()) ||
        (term.kind != TermKind::noun && r_.is_capital(at.words_end) && r_.language == Language::english)) {
      return;
    }
  }
  Question q;
  q.type = QuestionType::gap_term;
  q.sentence = r_.sentence_of[at.first_word];
  q.answer = capitalised(written(r_, at));
  const bool name = term.kind == TermKind::name;
  q.question = worded(r_.language, name ? Wording::cloze_name : Wording::cloze_term, with_gap(sentence, hole));
  q.explanation = explanation(sentence);
  const std::size_t size = sentence.plain.to - sentence.plain.from;
  q.rank = static_cast<int>(term.score) + (size >= 60 && size <= 170 ? 3 : 0) +
           (at.first_word > sentence.first_word + 2 ? 3 : 0) + (name ? 2 : 0) +
           (term.bold || term.definition >= 0 || term.kind != TermKind::noun ? 6 : -6) +
           (sentence.kind == SentenceKind::prose ? 1 : 0);
  add(std::move(q), term_distractors(r_, terms_, term, at), out);
}

void QuestionMaker::by_number(const Term& term, std::vector<Question>& out) const {
  std::size_t tried = 0;
  for (const Occurrence& at : term.at) {
    const std::uint32_t index = r_.sentence_of[at.first_word];
    const Sentence& sentence = r_.sentences[index];
    if (tried >= 8) {
      return;
    }
    const auto begins = std::lower_bound(numbers_.begin(), numbers_.end(), sentence.first_word,
                                         [](const Number& n, std::uint32_t word) { return n.word < word; });
    if (begins == numbers_.end() || begins->word >= sentence.words_end || !stands_alone(sentence)) {
      continue;
    }
    ++tried;
    // The last number of the sentence: those before it set the scene.
    auto number = begins;
    while (number + 1 != numbers_.end() && (number + 1)->word < sentence.words_end) {
      ++number;
    }
    Question q;
    q.type = QuestionType::gap_number;
    q.sentence = index;
    q.answer = std::string(r_.words->written(number->word));
    q.question = worded(r_.language, number->year ? Wording::cloze_year : Wording::cloze_number,
                        with_gap(sentence, r_.words->span(number->word)));
    q.explanation = explanation(sentence);
    q.rank = static_cast<int>(term.score) + 8;
    add(std::move(q), number_distractors(r_, numbers_, *number), out);
  }
}

Question QuestionMaker::unsupported(std::string_view concept_name) const {
  Question q;
  const std::int32_t term = terms_.find(r_, concept_name);
  const bool plural = term >= 0 && terms_.list[static_cast<std::size_t>(term)].at.front().plural;
  q.question = worded(r_.language, plural ? Wording::what_are : Wording::what_is, concept_name);
  std::vector<std::uint32_t> stems;
  const text::Words asked(concept_name, 16);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const std::uint32_t stem = r_.stem_of(asked.folded(i));
    if (stem == no_stem) {
      continue;
    }
    for (const std::uint32_t place : r_.occurrences(stem)) {
      const std::string_view sentence = r_.plain(r_.sentences[r_.sentence_of[place]]);
      if (q.options.size() < distractors_wanted + 1 &&
          std::find(q.options.begin(), q.options.end(), sentence) == q.options.end()) {
        q.options.emplace_back(sentence);
        q.sentence = q.options.size() == 1 ? r_.sentence_of[place] : q.sentence;
      }
    }
  }
  if (q.options.empty() && !r_.sentences.empty()) {
    q.options.emplace_back(r_.plain(r_.sentences.front()));
  }
  q.answer = q.options.empty() ? std::string() : q.options.front();
  q.explanation = r_.sentences.empty() ? std::string() : explanation(r_.sentences[q.sentence]);
  return q;
}

}  // namespace plumb::extract
