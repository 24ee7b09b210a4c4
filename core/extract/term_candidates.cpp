#include "core/extract/term_candidates.hpp"

#include <algorithm>
#include <initializer_list>

#include "core/ascii.hpp"

namespace plumb::extract {
namespace {

constexpr std::uint32_t unspaced_term_characters_max = 12;

bool is_any_of(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

class Gatherer {
 public:
  Gatherer(const SourceText& reading, const std::vector<Definition>& definitions)
      : r_(reading), w_(*reading.words), definitions_(definitions) {}

  std::vector<Candidate> run() {
    from_marks();
    for (std::size_t i = 0; i < definitions_.size(); ++i) {
      const Definition& d = definitions_[i];
      Candidate c = run_of(d.first_word, d.words_end);
      c.definition = static_cast<std::int32_t>(i);
      const std::string_view term = piece(r_.text, d.term);
      const bool signs = d.code || (d.shape == Shape::listed &&
                                    term.size() != w_.span(d.words_end - 1).to - w_.span(d.first_word).from);
      c.exact = signs ? term : std::string_view();
      signs ? out_.push_back(c) : add(c);
    }
    for (const Sentence& sentence : r_.sentences) {
      if (sentence.kind == SentenceKind::heading) {
        heading(sentence);
      } else if (sentence.kind == SentenceKind::prose && sentence.complete && !sentence.aside &&
                 (r_.language == Language::english || r_.language == Language::french) && !shouts(sentence) &&
                 r_.plain(sentence).find_first_of(":|<>\\") == std::string_view::npos) {
        capitals(sentence);
      }
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
    const std::uint32_t most = is_unspaced(r_.language) ? unspaced_term_characters_max : term_words_max;
    if (c.first_word >= c.words_end || c.words_end - c.first_word > most ||
        (c.words_end - c.first_word == 1 && is_changelog_word(w_.folded(c.first_word)))) {
      return;
    }
    bool content = false;
    for (std::uint32_t i = c.first_word; i < c.words_end; ++i) {
      const char first = w_.written(i).front();
      content = content || (!r_.function_word(i) && !ascii::is_digit(first) && w_.written(i).size() > 1);
    }
    if (content) {
      out_.push_back(c);
    }
  }

  // Whether most of its words are in capitals, as in licences.
  bool shouts(const Sentence& sentence) const {
    std::size_t loud = 0;
    for (std::uint32_t i = sentence.first_word; i < sentence.words_end; ++i) {
      const std::string_view word = w_.written(i);
      loud +=
          word.size() > 1 && std::none_of(word.begin(), word.end(), [](char c) { return ascii::is_lower(c); }) ? 1 : 0;
    }
    return loud * 3 > r_.words_in(sentence);
  }

  void from_marks() {
    std::size_t word = 0;
    for (const Mark& mark : r_.marks) {
      if (mark.kind == MarkKind::italic || mark.kind == MarkKind::quoted) {
        continue;
      }
      while (word < w_.size() && w_.span(word).to <= mark.where.from) {
        ++word;
      }
      std::size_t end = word;
      while (end < w_.size() && w_.span(end).to <= mark.where.to) {
        ++end;
      }
      if (end == word) {
        continue;
      }
      Candidate c = run_of(static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(end));
      const Sentence& sentence = r_.sentences[r_.sentence_of[word]];
      c.bold =
          mark.kind == MarkKind::bold && (sentence.kind == SentenceKind::prose || c.first_word == sentence.first_word);
      c.code = mark.kind == MarkKind::code;
      if (sentence.kind != SentenceKind::heading && !sentence.aside &&
          !(mark.kind == MarkKind::bold && is_stress(c, sentence, mark.where))) {
        add(c);
      }
    }
  }

  // Bold for its weight, not for a term: a whole sentence, a word such as "not", words that only join, a label.
  bool is_stress(const Candidate& c, const Sentence& sentence, TextSpan where) const {
    if (c.first_word == sentence.first_word && c.words_end == sentence.words_end) {
      return true;
    }
    const std::string_view said = piece(r_.text, where);
    for (std::uint32_t i = c.first_word; i < c.words_end; ++i) {
      if (r_.function_word(i) && i > c.first_word && !is_any_of(w_.folded(i), {"of", "de", "des", "du", "la", "der"})) {
        return true;
      }
    }
    return said.back() == ':' || said.back() == '.' || said.back() == '!' ||
           (c.words_end - c.first_word == 1 &&
            (r_.function_word(c.first_word) ||
             is_any_of(w_.folded(c.first_word), {"note", "warning", "tip", "important", "example", "hinweis", "caution",
                                                 "definition", "see", "not", "all", "new", "remarque"})));
  }

  void heading(const Sentence& sentence) {
    const std::string_view title = r_.plain(sentence);
    const std::string_view name = without_number(title);
    Candidate c = run_of(first_word_from(r_, sentence.plain.from + (title.size() - name.size())), sentence.words_end);
    c.heading = true;
    if (name.find_first_of(":,;?!") == std::string_view::npos && c.words_end <= c.first_word + 4) {
      add(c);
    }
  }

  bool is_particle(std::uint32_t word) const {
    return is_any_of(w_.folded(word), {"van", "von", "de", "der", "den", "du", "la", "of", "da", "di", "zu"});
  }

  // Runs of words with a capital that do not begin their sentence.
  void capitals(const Sentence& sentence) {
    for (std::uint32_t i = sentence.first_word; i < sentence.words_end; ++i) {
      if (!r_.is_capital(i) || w_.written(i).size() < 2 || r_.function_word(i)) {
        continue;
      }
      std::uint32_t end = i + 1;
      while (end < sentence.words_end && joins(end - 1)) {
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
      // A word that may owe its capital to its place: "See Platform Notes", but "Lynn Margulis".
      if (i == sentence.first_word && !is_capital_elsewhere(i)) {
        continue;
      }
      if (!(end - i == 1 && (names_no_one(i, sentence) || only_tells_which(i))) &&
          (i != sentence.first_word || end - i > 1)) {
        Candidate c = run_of(i, end);
        c.name = true;
        add(c);
      }
      i = end - 1;
    }
  }

  bool is_capital_elsewhere(std::uint32_t word) const {
    const auto places = r_.occurrences(r_.stems[word]);
    return std::any_of(places.begin(), places.begin() + std::min<std::ptrdiff_t>(std::ssize(places), 64),
                       [this](std::uint32_t at) { return !r_.begins_sentence(at) && r_.is_capital(at); });
  }

  // Alexander I, photosystem II
  bool is_roman(std::uint32_t word) const { return ascii::only(w_.written(word), "IVX"); }

  // Months and days, and adjectives before their noun: March, Austrian territory.
  bool names_no_one(std::uint32_t word, const Sentence& sentence) const {
    const std::string_view text = w_.folded(word);
    static constexpr std::string_view times[] = {
        "april",  "august",   "december", "february", "friday",    "january", "july",     "june",    "march",    "may",
        "monday", "november", "october",  "saturday", "september", "sunday",  "thursday", "tuesday", "wednesday"};
    if (std::find(std::begin(times), std::end(times), text) != std::end(times)) {
      return true;
    }
    const bool adjective = text.ends_with("ian") || text.ends_with("ean") || text.ends_with("ish") ||
                           text.ends_with("ese") || text.ends_with("ic") ||
                           is_any_of(text, {"american", "dutch", "french", "german", "greek", "mexican", "roman"});
    return adjective && word + 1 < sentence.words_end && joins(word) && !r_.function_word(word + 1);
  }

  // "the Willing packet", "a CMake file": what precedes a noun anywhere is no name by itself; nor is C99.
  bool only_tells_which(std::uint32_t word) const {
    const std::string_view written = w_.written(word);
    if (std::any_of(written.begin(), written.end(),
                    [](char c) { return ascii::is_digit(c) || c == '_' || c == '+'; })) {
      return true;
    }
    const auto places = r_.occurrences(r_.stems[word]);
    return std::any_of(places.begin(), places.begin() + std::min<std::ptrdiff_t>(std::ssize(places), 64),
                       [this](std::uint32_t at) {
                         return at + 1 < w_.size() && r_.sentence_of[at] == r_.sentence_of[at + 1] && joins(at) &&
                                !r_.is_capital(at + 1) && !r_.function_word(at + 1) && w_.folded(at + 1).size() > 3 &&
                                !w_.folded(at + 1).ends_with("ed") && !w_.folded(at + 1).ends_with("ly");
                       });
  }

  bool joins(std::uint32_t word) const {
    const std::string_view between = w_.gap(word);
    return between == " " || between == "-";
  }

  const SourceText& r_;
  const text::Words& w_;
  const std::vector<Definition>& definitions_;
  std::vector<Candidate> out_;
};

}  // namespace

std::vector<Candidate> term_candidates(const SourceText& reading, const std::vector<Definition>& definitions) {
  return Gatherer(reading, definitions).run();
}

}  // namespace plumb::extract
