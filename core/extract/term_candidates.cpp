#include "core/extract/term_candidates.hpp"

#include <algorithm>
#include <utility>

namespace plumb::extract {
namespace {

constexpr std::uint32_t chinese_term_characters_max = 12;
constexpr std::size_t short_source_words = 200;  // below it a word is a term though it stands there once

bool is_any_of(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

class Gatherer {
 public:
  Gatherer(const Reading& reading, const std::vector<Definition>& definitions)
      : r_(reading), w_(*reading.words), definitions_(definitions), often_(w_.size() < short_source_words ? 1 : 3) {}

  std::vector<Candidate> run() {
    from_marks();
    for (std::size_t i = 0; i < definitions_.size(); ++i) {
      Candidate c = run_of(definitions_[i].first_word, definitions_[i].words_end);
      c.definition = static_cast<std::int32_t>(i);
      add(c);
    }
    for (const Sentence& sentence : r_.sentences) {
      if (sentence.kind == SentenceKind::heading) {
        heading(sentence);
      } else if (sentence.kind != SentenceKind::row && r_.language != Language::chinese) {
        capitals(sentence);
      }
    }
    if (r_.language == Language::english) {
      frequent_words();
      frequent_pairs();
    }
    return std::move(out_);
  }

 private:
  static Candidate run_of(std::uint32_t from, std::uint32_t to) {
    Candidate c;
    c.first_word = from;
    c.words_end = to;
    return c;
  }

  void add(Candidate c) {
    while (c.first_word < c.words_end && is_article(r_.language, w_.folded(c.first_word))) {
      ++c.first_word;
    }
    const std::uint32_t most = r_.language == Language::chinese ? chinese_term_characters_max : term_words_max;
    if (c.first_word >= c.words_end || c.words_end - c.first_word > most) {
      return;
    }
    bool content = false;
    for (std::uint32_t i = c.first_word; i < c.words_end; ++i) {
      const char first = w_.written(i).front();
      content = content || (!r_.function_word(i) && !(first >= '0' && first <= '9') && w_.written(i).size() > 1);
    }
    if (content) {
      out_.push_back(c);
    }
  }

  void from_marks() {
    std::size_t word = 0;
    for (const Mark& mark : r_.marks) {
      if (mark.kind == MarkKind::italic) {
        continue;
      }
      while (word < w_.size() && w_.span(word).to <= mark.where.from) {
        ++word;
      }
      std::size_t end = word;
      while (end < w_.size() && w_.span(end).to <= mark.where.to) {
        ++end;
      }
      Candidate c = run_of(static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(end));
      c.bold = mark.kind == MarkKind::bold;
      c.code = mark.kind == MarkKind::code;
      if (end > word && r_.sentences[r_.sentence_of[word]].kind != SentenceKind::heading &&
          !(end - word == 1 && is_any_of(w_.folded(word), {"note", "warning", "tip", "important", "example", "hinweis",
                                                           "caution", "definition", "see", "not", "all"}))) {
        add(c);
      }
    }
  }

  void heading(const Sentence& sentence) {
    std::uint32_t from = sentence.first_word;
    while (from < sentence.words_end && w_.written(from).front() >= '0' && w_.written(from).front() <= '9') {
      ++from;
    }
    Candidate c = run_of(from, sentence.words_end);
    c.heading = true;
    const std::string_view title = r_.plain(sentence);
    if (title.find_first_of(":,;?!") != std::string_view::npos || c.words_end - c.first_word > 4) {
      return;
    }
    for (std::uint32_t i = c.first_word + (c.first_word < c.words_end ? 1 : 0); i < c.words_end; ++i) {
      if (r_.function_word(i)) {
        return;
      }
    }
    add(c);
  }

  bool is_particle(std::uint32_t word) const {
    return is_any_of(w_.folded(word), {"van", "von", "de", "der", "den", "du", "la", "of", "the", "da", "di", "zu"});
  }

  // Runs of words with a capital that do not begin their sentence.
  void capitals(const Sentence& sentence) {
    const bool german = r_.language == Language::german;
    for (std::uint32_t i = sentence.first_word; i < sentence.words_end; ++i) {
      if (!r_.is_capital(i) || w_.written(i).size() < 2 || r_.function_word(i)) {
        continue;
      }
      std::uint32_t end = i + 1;
      while (!german && end < sentence.words_end && joins(end - 1)) {
        if ((r_.is_capital(end) && !r_.function_word(end)) || is_roman(end)) {
          ++end;
          continue;
        }
        std::uint32_t past = end;
        while (past < sentence.words_end && past < end + 2 && is_particle(past) && joins(past)) {
          ++past;
        }
        if (past == end || past >= sentence.words_end || !r_.is_capital(past) || r_.function_word(past)) {
          break;
        }
        end = past + 1;
      }
      if (end - i == 1 && !german && names_no_one(i, sentence)) {
        continue;
      }
      // A word that may owe its capital to its place needs another one behind it.
      if (i != sentence.first_word || end - i > 1) {
        Candidate c = run_of(i, end);
        c.name = !german;
        add(c);
      }
      i = end - 1;
    }
  }

  // Alexander I, photosystem II
  bool is_roman(std::uint32_t word) const {
    return w_.written(word).find_first_not_of("IVX") == std::string_view::npos;
  }

  // Months and days, and adjectives before their noun: March, Austrian territory.
  bool names_no_one(std::uint32_t word, const Sentence& sentence) const {
    const std::string_view text = w_.folded(word);
    static constexpr std::string_view times[] = {
        "april",  "august",   "december", "february", "friday",    "january", "july",     "june",    "march",    "may",
        "monday", "november", "october",  "saturday", "september", "sunday",  "thursday", "tuesday", "wednesday"};
    if (std::find(std::begin(times), std::end(times), text) != std::end(times)) {
      return true;
    }
    const bool adjective = ends_with(text, "ian") || ends_with(text, "ean") || ends_with(text, "ish") ||
                           ends_with(text, "ese") || ends_with(text, "ic") ||
                           is_any_of(text, {"american", "dutch", "french", "german", "greek", "mexican", "roman"});
    return adjective && word + 1 < sentence.words_end && joins(word) && !r_.function_word(word + 1);
  }

  bool joins(std::uint32_t word) const {
    const std::string_view between = w_.gap(word);
    return between == " " || between == "-";
  }

  // Stands behind a word that a noun follows.
  bool as_noun(std::uint32_t word) const {
    if (r_.begins_sentence(word)) {
      return true;
    }
    return is_any_of(w_.folded(word - 1), {"the",     "a",       "an",  "of",    "in",   "into", "by",    "from", "for",
                                           "with",    "between", "its", "their", "each", "this", "these", "and",  "or",
                                           "through", "on",      "as",  "than",  "more", "less", "no"});
  }

  bool is_content(std::uint32_t word) const {
    const std::string_view text = w_.folded(word);
    const char first = text.front();
    return text.size() >= 4 && first >= 'a' && first <= 'z' && !r_.function_word(word) && !ends_with(text, "ly") &&
           !ends_with(text, "ed");
  }

  // "natural or legal", "chemical energy": stands before what it describes.
  bool as_adjective(std::uint32_t word) const {
    const std::string_view text = w_.folded(word);
    const bool form = ends_with(text, "al") || ends_with(text, "ous") || ends_with(text, "ive") ||
                      ends_with(text, "ic") || ends_with(text, "ful") || ends_with(text, "able") ||
                      ends_with(text, "ible") || ends_with(text, "less") || ends_with(text, "ing");
    const Sentence& sentence = r_.sentences[r_.sentence_of[word]];
    return form && word + 1 < sentence.words_end && joins(word) &&
           (!r_.function_word(word + 1) || is_any_of(w_.folded(word + 1), {"or", "and"}));
  }

  void frequent_words() {
    for (std::uint32_t word = 0; word < w_.size(); ++word) {
      const auto places = r_.occurrences(r_.stems[word]);
      if (places.size() < often_ || places.front() != word || !is_content(word)) {
        continue;
      }
      std::size_t nouns = 0;
      std::size_t adjectives = 0;
      const std::size_t seen = std::min<std::size_t>(places.size(), 200);
      for (std::size_t i = 0; i < seen; ++i) {
        nouns += as_noun(places[i]) ? 1 : 0;
        adjectives += as_adjective(places[i]) ? 1 : 0;
      }
      if (nouns * 2 >= seen && adjectives == 0) {
        add(run_of(word, word + 1));
      }
    }
  }

  void frequent_pairs() {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> pairs;
    for (std::uint32_t i = 0; i + 1 < w_.size(); ++i) {
      if (r_.sentence_of[i] == r_.sentence_of[i + 1] && w_.gap(i) == " " && is_content(i) && is_content(i + 1)) {
        pairs.emplace_back(std::uint64_t{r_.stems[i]} << 32U | r_.stems[i + 1], i);
      }
    }
    std::sort(pairs.begin(), pairs.end());
    for (std::size_t i = 0; i < pairs.size();) {
      std::size_t end = i;
      std::size_t nouns = 0;
      while (end < pairs.size() && pairs[end].first == pairs[i].first) {
        nouns += as_noun(pairs[end++].second) ? 1 : 0;
      }
      const std::size_t both = std::min(r_.occurrences(r_.stems[pairs[i].second]).size(),
                                        r_.occurrences(r_.stems[pairs[i].second + 1]).size());
      if (end - i >= std::max<std::size_t>(often_, 2) && nouns * 2 >= end - i && (end - i) * 2 >= both) {
        add(run_of(pairs[i].second, pairs[i].second + 2));
      }
      i = end;
    }
  }

  const Reading& r_;
  const text::Words& w_;
  const std::vector<Definition>& definitions_;
  std::size_t often_;
  std::vector<Candidate> out_;
};

}  // namespace

std::vector<Candidate> term_candidates(const Reading& reading, const std::vector<Definition>& definitions) {
  return Gatherer(reading, definitions).run();
}

}  // namespace plumb::extract
