#include "core/extract/terms.hpp"

#include <algorithm>
#include <utility>

#include "core/ascii.hpp"
#include "core/extract/term_candidates.hpp"
#include "core/text/fold.hpp"
#include "core/text/unicode.hpp"
#include "core/text/utf8.hpp"

namespace plumb::extract {
namespace {

constexpr std::size_t occurrences_read_max = 2'000;
constexpr std::size_t occurrences_kept_max = 64;

// Whether a word is plural by its form. English; unknown is singular.
bool is_plural_word(std::string_view folded) {
  static constexpr std::string_view others[] = {"algae",  "bacteria",  "children", "criteria",     "data",
                                                "fungi",  "grana",     "men",      "mitochondria", "nuclei",
                                                "people", "phenomena", "stomata",  "women"};
  return std::find(std::begin(others), std::end(others), folded) != std::end(others) ||
         (stem(folded) != folded && folded.back() == 's' && !folded.ends_with("'s"));
}

class Builder {
 public:
  explicit Builder(const SourceText& reading) : r_(reading), w_(*reading.words) {}

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
  // By stems, then by signs; equal means the same term.
  int compare(const Candidate& a, const Candidate& b) const {
    for (std::uint32_t i = 0;; ++i) {
      const bool a_ends = a.first_word + i >= a.words_end;
      const bool b_ends = b.first_word + i >= b.words_end;
      if (a_ends || b_ends) {
        const int order = static_cast<int>(b_ends) - static_cast<int>(a_ends);
        return order != 0 ? order : a.exact.compare(b.exact);
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
    term.exact = std::string(first.exact);
    term.first_word = first.first_word;
    bool code = !first.exact.empty();
    std::size_t names = 0;
    for (const Candidate& c : candidates) {
      term.bold = term.bold || c.bold;
      term.heading = term.heading || c.heading;
      code = code || c.code;
      names += c.name ? 1 : 0;
      if (c.definition >= 0) {
        const Definition& d = out_.definitions[static_cast<std::size_t>(c.definition)];
        if (!d.flaw.empty()) {
          term.flaw = d.flaw;
        } else if (term.definition < 0 || d.shape < out_.definitions[static_cast<std::size_t>(term.definition)].shape) {
          term.definition = c.definition;
        }
      }
    }
    if (!first.exact.empty()) {
      term.at.push_back({first.first_word, first.words_end, false});
      term.count = 1;
    } else {
      find_occurrences(term);
    }
    const bool told = std::any_of(term.at.begin(), term.at.end(), [this](const Occurrence& at) {
      return r_.sentences[r_.sentence_of[at.first_word]].kind != SentenceKind::heading;
    });
    term.kind = code                   ? TermKind::code
                : is_acronym(first)    ? TermKind::acronym
                : is_name(term, names) ? TermKind::name
                                       : TermKind::noun;
    const bool defined = term.definition >= 0 || !term.flaw.empty();
    const bool named = term.kind == TermKind::name && (term.stems.size() > 1 || term.count > 1);
    if (!told || (!defined && !term.bold && !named)) {
      return;  // a heading, code or a capital alone make no term
    }
    term.score = (term.bold ? 8U : 0U) + (term.definition >= 0 ? 6U : 0U) + (term.heading ? 3U : 0U) +
                 std::min<std::uint32_t>(term.count, 8) +
                 (term.kind == TermKind::name ? (term.stems.size() > 1 ? 4U : 2U) : 0U) +
                 (term.kind == TermKind::acronym || code ? 2U : 0U);
    out_.list.push_back(std::move(term));
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
      capitals += ascii::is_upper(letter) ? 1U : 0U;
      if (ascii::is_lower(letter)) {
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
      for (const Occurrence& at : term.exact.empty() ? term.at : std::vector<Occurrence>()) {
        for (std::uint32_t i = at.first_word; i < at.words_end; ++i) {
          longest[i] = std::max(longest[i], static_cast<std::uint8_t>(term.stems.size()));
        }
      }
    }
    for (Term& term : out_.list) {
      if (!term.exact.empty()) {
        continue;
      }
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
    const Definition* const d = out_.definition_of(term);
    if (!term.exact.empty()) {
      term.name = term.exact;
      return;
    }
    const Occurrence* best = nullptr;
    int best_rank = -1;
    const std::uint32_t defined = d != nullptr ? d->first_word : no_stem;
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
    const Sentence& defining = r_.sentences[r_.sentence_of[best->first_word]];
    term.literal = d != nullptr && d->shape != Shape::listed && defining.kind == SentenceKind::prose &&
                   r_.begins_sentence(best->first_word) && ascii::is_lower(term.name.front());
    if (term.kind == TermKind::noun && r_.language != Language::german && r_.is_capital(best->first_word) &&
        occurs_in_lower_case(term, *best)) {
      term.name = lower_first(term.name);
    }
    // The verb of its definition knows better than the ending: "Stomata are", "Photosynthesis is".
    if (d != nullptr && d->shape == Shape::is) {
      const bool plural = d->wording == Wording::what_are || d->wording == Wording::what_were;
      const std::string_view last = w_.folded(d->words_end - 1);
      for (Occurrence& at : term.at) {
        at.plural = w_.folded(at.words_end - 1) == last ? plural : at.plural;
      }
    }
  }

  // A capital at the beginning of a sentence says nothing; elsewhere the word has its own form.
  bool occurs_in_lower_case(const Term& term, const Occurrence& best) const {
    const std::string_view word = w_.written(best.first_word);
    for (std::size_t i = 1; i < word.size(); ++i) {
      if (ascii::is_upper(word[i]) || ascii::is_digit(word[i])) {
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
    const Definition* const d = out_.definition_of(term);
    if (d == nullptr || d->shape == Shape::does) {
      return;
    }
    const TextSpan meaning = d->meaning;
    std::uint32_t word = first_word_from(r_, meaning.from);
    const std::uint32_t end = r_.sentences[d->sentence].words_end;
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

  const SourceText& r_;
  const text::Words& w_;
  Terms out_;
};

}  // namespace

Terms find_terms(const SourceText& reading) { return Builder(reading).run(); }

std::int32_t Terms::find(const SourceText& reading, std::string_view name) const {
  const text::Words words(name, std::size_t{4} * term_words_max);
  std::vector<std::uint32_t> stems;
  for (std::size_t i = 0; i < words.size(); ++i) {
    stems.push_back(reading.stem_of(words.folded(i)));
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].stems == stems && (list[i].exact.empty() || list[i].exact == name)) {
      return static_cast<std::int32_t>(i);
    }
  }
  return -1;
}

std::string_view written(const SourceText& reading, const Occurrence& occurrence) {
  const text::Words& words = *reading.words;
  TextSpan span{words.span(occurrence.first_word).from, words.span(occurrence.words_end - 1).to};
  const std::string_view behind = std::string_view(reading.text).substr(span.to);
  for (const auto& [open, close] : {std::pair<std::string_view, std::string_view>("(", ")"), {"（", "）"}}) {
    const std::string_view text = piece(reading.text, span);
    const std::size_t at = text.rfind(open);
    if (at != std::string_view::npos && text.find(close, at) == std::string_view::npos && behind.starts_with(close)) {
      span.to += close.size();
      break;
    }
  }
  return piece(reading.text, span);
}

std::string capitalised(std::string_view text) {
  bool lower = true;
  for (const char c : text.substr(0, text.find_first_of(" -"))) {
    lower = lower && !ascii::is_upper(c) && !ascii::is_digit(c) && c != '_' && c != '.' && c != '(';
  }
  std::string out(text);
  if (lower && !out.empty() && ascii::is_lower(out.front())) {
    out.front() = static_cast<char>(out.front() - 0x20);
  } else if (lower && out.size() > 1 && out[0] == '\xC3' && out[1] >= '\xA0' && out[1] != '\xB7') {
    out[1] = static_cast<char>(out[1] - 0x20);  // à to þ
  }
  return out;
}

std::string label_of(const Term& term) {
  return term.exact.empty() && !term.literal ? capitalised(term.name) : term.name;
}

std::string_view form(const SourceText& reading, const Term& term, bool plural) {
  for (const Occurrence& at : term.at) {
    if (at.plural == plural) {
      return written(reading, at);
    }
  }
  return {};
}

std::vector<std::string> mentioned(const SourceText& reading, std::size_t most) {
  static constexpr std::string_view before[] = {"the", "a", "an", "of", "in", "by", "from", "for", "with", "and", "or"};
  const text::Words& words = *reading.words;
  std::vector<std::string> out;
  for (std::uint32_t i = 0; i < words.size() && out.size() < most; ++i) {
    const bool noun = reading.begins_sentence(i) ||
                      std::find(std::begin(before), std::end(before), words.folded(i - 1)) != std::end(before);
    if (noun && words.folded(i).size() >= 4 && !reading.function_word(i) &&
        reading.occurrences(reading.stems[i]).front() == i) {
      out.emplace_back(words.written(i));
    }
  }
  return out;
}

}  // namespace plumb::extract
