#include "core/extract/terms.hpp"

#include <algorithm>

#include "core/extract/term_candidates.hpp"
#include "core/text/unicode.hpp"
#include "core/text/utf8.hpp"

namespace plumb::extract {
namespace {

constexpr std::size_t occurrences_read_max = 2'000;
constexpr std::size_t occurrences_kept_max = 64;

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// Whether a word is plural by its form. English; unknown is singular.
bool is_plural_word(std::string_view folded) {
  static constexpr std::string_view others[] = {"algae",  "bacteria",  "children", "criteria",     "data",
                                                "fungi",  "grana",     "men",      "mitochondria", "nuclei",
                                                "people", "phenomena", "stomata",  "women"};
  return std::find(std::begin(others), std::end(others), folded) != std::end(others) ||
         (stem(folded) != folded && folded.back() == 's' && !ends_with(folded, "'s"));
}

class Builder {
 public:
  explicit Builder(const Reading& reading) : r_(reading), w_(*reading.words) {}

  Terms run() {
    out_.definitions = find_definitions(r_);
    std::vector<Candidate> all = term_candidates(r_, out_.definitions);
    std::sort(all.begin(), all.end(), [this](const Candidate& a, const Candidate& b) {
      const int order = compare(a, b);
      return order != 0 ? order < 0 : a.first_word < b.first_word;
    });
    for (std::size_t i = 0; i < all.size();) {
      std::size_t end = i;
      while (end < all.size() && compare(all[i], all[end]) == 0) {
        ++end;
      }
      group(std::span(all).subspan(i, end - i));
      i = end;
    }
    std::vector<Term>& list = out_.list;
    std::sort(list.begin(), list.end(), [](const Term& a, const Term& b) {
      return a.score != b.score ? a.score > b.score : a.first_word < b.first_word;
    });
    if (list.size() > terms_max) {
      list.resize(terms_max);
    }
    leave_out_covered();
    std::erase_if(list, [](const Term& term) { return term.at.empty(); });
    for (Term& term : list) {
      name(term);
      find_head(term);
    }
    return std::move(out_);
  }

 private:
  // By stems; equal means the same term.
  int compare(const Candidate& a, const Candidate& b) const {
    for (std::uint32_t i = 0;; ++i) {
      const bool a_ends = a.first_word + i >= a.words_end;
      const bool b_ends = b.first_word + i >= b.words_end;
      if (a_ends || b_ends) {
        return static_cast<int>(b_ends) - static_cast<int>(a_ends);
      }
      const std::uint32_t left = r_.stems[a.first_word + i];
      const std::uint32_t right = r_.stems[b.first_word + i];
      if (left != right) {
        return left < right ? -1 : 1;
      }
    }
  }

  void group(std::span<const Candidate> candidates) {
    Term term;
    const Candidate& first = candidates.front();
    for (std::uint32_t i = first.first_word; i < first.words_end; ++i) {
      term.stems.push_back(r_.stems[i]);
    }
    term.first_word = first.first_word;
    bool code = false;
    std::size_t names = 0;
    for (const Candidate& c : candidates) {
      term.bold = term.bold || c.bold;
      term.heading = term.heading || c.heading;
      code = code || c.code;
      names += c.name ? 1 : 0;
      if (c.definition >= 0 && better_definition(c.definition, term.definition)) {
        term.definition = c.definition;
      }
    }
    find_occurrences(term);
    std::size_t prose = 0;
    for (const Occurrence& at : term.at) {
      prose += r_.sentences[r_.sentence_of[at.first_word]].kind != SentenceKind::heading ? 1 : 0;
    }
    if (prose == 0) {
      return;
    }
    term.kind = code                   ? TermKind::code
                : is_acronym(first)    ? TermKind::acronym
                : is_name(term, names) ? TermKind::name
                                       : TermKind::noun;
    if (r_.language == Language::german && !term.bold && term.definition < 0 && !term.heading && term.count < 2) {
      return;
    }
    term.score = (term.bold ? 8U : 0U) + (term.definition >= 0 ? 6U : 0U) + (term.heading ? 3U : 0U) +
                 std::min<std::uint32_t>(term.count, 8) +
                 (term.kind == TermKind::name ? (term.stems.size() > 1 ? 4U : 2U) : 0U) +
                 (term.kind == TermKind::acronym || code ? 2U : 0U);
    out_.list.push_back(std::move(term));
  }

  // A sentence before a list; then the first.
  bool better_definition(std::int32_t a, std::int32_t b) const {
    if (b < 0) {
      return true;
    }
    const Definition& left = out_.definitions[static_cast<std::size_t>(a)];
    const Definition& right = out_.definitions[static_cast<std::size_t>(b)];
    return left.listed != right.listed ? !left.listed : a < b;
  }

  void find_occurrences(Term& term) const {
    std::size_t rarest = 0;
    for (std::size_t i = 1; i < term.stems.size(); ++i) {
      if (r_.occurrences(term.stems[i]).size() < r_.occurrences(term.stems[rarest]).size()) {
        rarest = i;
      }
    }
    std::size_t read = 0;
    for (const std::uint32_t place : r_.occurrences(term.stems[rarest])) {
      if (++read > occurrences_read_max) {
        break;
      }
      if (place < rarest) {
        continue;
      }
      const auto from = static_cast<std::uint32_t>(place - rarest);
      const auto to = static_cast<std::uint32_t>(from + term.stems.size());
      bool same = to <= w_.size() && r_.sentence_of[from] == r_.sentence_of[to - 1];
      for (std::uint32_t i = from; same && i < to; ++i) {
        same = r_.stems[i] == term.stems[i - from] &&
               (i + 1 == to || w_.gap(i).find_first_of(",.;:()") == std::string_view::npos);
      }
      if (!same) {
        continue;
      }
      if (term.count++ == 0) {
        term.first_word = from;
      }
      if (term.at.size() < occurrences_kept_max) {
        term.at.push_back({from, to, is_plural_word(w_.folded(to - 1))});
      }
    }
  }

  bool is_acronym(const Candidate& c) const {
    const std::string_view word = w_.written(c.first_word);
    std::size_t capitals = 0;
    for (const char letter : word) {
      capitals += letter >= 'A' && letter <= 'Z' ? 1U : 0U;
      if (letter >= 'a' && letter <= 'z') {
        return false;
      }
    }
    return c.words_end - c.first_word == 1 && capitals >= 2;
  }

  // Most of the places where its capitals say something have them.
  bool is_name(const Term& term, std::size_t names) const {
    if (names == 0 || r_.language == Language::german) {
      return false;
    }
    std::size_t capital = 0;
    std::size_t telling = 0;
    for (const Occurrence& at : term.at) {
      if (r_.sentences[r_.sentence_of[at.first_word]].kind == SentenceKind::heading) {
        continue;
      }
      if (!r_.begins_sentence(at.first_word) || term.stems.size() > 1) {
        ++telling;
        capital += r_.is_capital(at.first_word) && r_.is_capital(at.words_end - 1) ? 1 : 0;
      }
    }
    return capital * 2 > telling;
  }

  // An occurrence inside one of a longer term is one of that term only.
  void leave_out_covered() {
    std::vector<std::uint8_t> longest(w_.size(), 0);
    for (const Term& term : out_.list) {
      for (const Occurrence& at : term.at) {
        for (std::uint32_t i = at.first_word; i < at.words_end; ++i) {
          longest[i] = std::max(longest[i], static_cast<std::uint8_t>(term.stems.size()));
        }
      }
    }
    for (Term& term : out_.list) {
      const auto size = static_cast<std::uint8_t>(term.stems.size());
      std::erase_if(term.at, [&](const Occurrence& at) {
        for (std::uint32_t i = at.first_word; i < at.words_end; ++i) {
          if (longest[i] > size) {
            return true;
          }
        }
        return false;
      });
    }
  }

  void name(Term& term) const {
    const Occurrence* best = nullptr;
    int best_rank = -1;
    const auto defined = term.definition >= 0 ? out_.definitions[static_cast<std::size_t>(term.definition)].first_word
                                              : static_cast<std::uint32_t>(-1);
    for (const Occurrence& at : term.at) {
      const Sentence& sentence = r_.sentences[r_.sentence_of[at.first_word]];
      const int rank = (at.first_word == defined ? 4 : 0) + (sentence.kind != SentenceKind::heading ? 2 : 0) +
                       (!r_.begins_sentence(at.first_word) ? 1 : 0);
      if (rank > best_rank) {
        best = &at;
        best_rank = rank;
      }
    }
    term.name = std::string(written(r_, *best));
    if (term.kind == TermKind::noun && r_.language != Language::german && r_.is_capital(best->first_word) &&
        stands_in_lower_case(term, *best)) {
      term.name = lower_first(term.name);
    }
    if (defined != static_cast<std::uint32_t>(-1)) {
      mark_number(term);
    }
  }

  // The verb of its definition knows better than the ending: "Stomata are", "Photosynthesis is".
  void mark_number(Term& term) const {
    const Wording wording = out_.definitions[static_cast<std::size_t>(term.definition)].wording;
    const bool plural = wording == Wording::what_are || wording == Wording::what_were;
    if (out_.definitions[static_cast<std::size_t>(term.definition)].listed) {
      return;
    }
    const std::string_view last = w_.folded(out_.definitions[static_cast<std::size_t>(term.definition)].words_end - 1);
    for (Occurrence& at : term.at) {
      if (w_.folded(at.words_end - 1) == last) {
        at.plural = plural;
      }
    }
  }

  // A capital at the beginning of a sentence says nothing; elsewhere the word has its own form.
  bool stands_in_lower_case(const Term& term, const Occurrence& best) const {
    const std::string_view word = w_.written(best.first_word);
    for (std::size_t i = 1; i < word.size(); ++i) {
      if ((word[i] >= 'A' && word[i] <= 'Z') || (word[i] >= '0' && word[i] <= '9')) {
        return false;
      }
    }
    bool elsewhere = false;
    for (const std::uint32_t place : r_.occurrences(term.stems.front())) {
      if (!r_.begins_sentence(place) && r_.sentences[r_.sentence_of[place]].kind != SentenceKind::heading) {
        elsewhere = true;
        if (!r_.is_capital(place)) {
          return true;
        }
      }
    }
    return !elsewhere && term.bold;
  }

  static std::string lower_first(const std::string& text) {
    char32_t lower[2];
    const text::Decoded first = text::decode(text.data(), text.data() + text.size());
    const std::uint32_t count = text::to_lower(first.code_point, lower);
    std::string out;
    for (std::uint32_t i = 0; i < count; ++i) {
      text::append_utf8(out, lower[i]);
    }
    return out + text.substr(first.size);
  }

  // The last content word before the first function word of the meaning: "the green pigment that" -> pigment.
  void find_head(Term& term) const {
    if (term.definition < 0) {
      return;
    }
    const TextSpan meaning = out_.definitions[static_cast<std::size_t>(term.definition)].meaning;
    std::uint32_t word = out_.definitions[static_cast<std::size_t>(term.definition)].first_word;
    const std::uint32_t end = r_.sentences[r_.sentence_of[word]].words_end;
    while (word < end && w_.span(word).from < meaning.from) {
      ++word;
    }
    while (word < end && is_article(r_.language, w_.folded(word))) {
      ++word;
    }
    for (; word < end && w_.span(word).to <= meaning.to; ++word) {
      if (r_.function_word(word) && w_.folded(word) != "and") {
        return;
      }
      term.head = r_.stems[word];
      if (word + 1 < end && w_.gap(word).find_first_of(",;(") != std::string_view::npos) {
        return;
      }
    }
  }

  const Reading& r_;
  const text::Words& w_;
  Terms out_;
};

}  // namespace

Terms find_terms(const Reading& reading) { return Builder(reading).run(); }

std::int32_t Terms::find(const Reading& reading, std::string_view name) const {
  const text::Words words(name, term_words_max * 4);
  std::vector<std::uint32_t> stems;
  for (std::size_t i = 0; i < words.size(); ++i) {
    stems.push_back(reading.stem_of(words.folded(i)));
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].stems == stems) {
      return static_cast<std::int32_t>(i);
    }
  }
  return -1;
}

std::string_view written(const Reading& reading, const Occurrence& occurrence) {
  const text::Words& words = *reading.words;
  return piece(reading.text, {words.span(occurrence.first_word).from, words.span(occurrence.words_end - 1).to});
}

std::string capitalised(std::string_view text) {
  bool lower = true;
  for (const char c : text.substr(0, text.find_first_of(" -"))) {
    lower = lower && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') && c != '_' && c != '.' && c != '(';
  }
  if (!lower || text.empty() || text.front() < 'a' || text.front() > 'z') {
    return std::string(text);
  }
  std::string out(text);
  out.front() = static_cast<char>(out.front() - 0x20);
  return out;
}

std::string_view form(const Reading& reading, const Term& term, bool plural) {
  for (const Occurrence& at : term.at) {
    if (at.plural == plural) {
      return written(reading, at);
    }
  }
  return {};
}

}  // namespace plumb::extract
