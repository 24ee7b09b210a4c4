#include "core/text/mentions.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/text/fold.hpp"
#include "core/text/phrases.hpp"
#include "core/text/quotes.hpp"

namespace plumb::text {
namespace {

constexpr std::size_t term_words_max = 64;
constexpr std::size_t words_between_max = 3;
constexpr std::size_t none = static_cast<std::size_t>(-1);

// Written in capitals of ASCII, two letters or more.
bool is_in_capitals(std::string_view written) {
  std::size_t letters = 0;
  for (const char c : written) {
    if (c < 'A' || c > 'Z') {
      return false;
    }
    ++letters;
  }
  return letters >= 2;
}

// Korean writes its particles behind the word, without a space: up to three letters more, of three bytes.
bool has_particle(std::string_view word, std::string_view stem) {
  constexpr std::size_t particle_bytes_max = 9;
  if (stem.empty() || word.size() <= stem.size() || word.size() > stem.size() + particle_bytes_max ||
      !word.starts_with(stem)) {
    return false;
  }
  const auto next = static_cast<unsigned char>(word[stem.size()]);
  return next >= 0xEA && next <= 0xED;  // Hangul begins with these
}

struct TermWord {
  std::string_view stem;
  bool capitals = false;  // must be written in capitals
};

std::vector<TermWord> words_of_term(const Words& words) {
  std::vector<TermWord> content;
  std::vector<TermWord> all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool function = is_function_word(words.folded(i));
    const TermWord word{without_ending(words.folded(i)), function && is_in_capitals(words.written(i))};
    all.push_back(word);
    if (!function || word.capitals) {
      content.push_back(word);
    }
  }
  return content.empty() ? all : content;
}

}  // namespace

std::string_view without_ending(std::string_view folded) {
  std::string_view word = folded;
  if (word.ends_with("'s")) {
    word.remove_suffix(2);
  }
  if (word.size() < 3) {
    return word;
  }
  if (word.size() == 3) {
    constexpr std::string_view no_plural = "sauiy";
    if (word.back() == 's' && no_plural.find(word[1]) == std::string_view::npos) {
      word.remove_suffix(1);
    }
    return word;
  }
  if (word.back() == 's' && !word.ends_with("ss")) {
    word.remove_suffix(1);
  }
  // What is left is the singular, or the singular with an e. Both forms lose the same, so that they meet.
  if (word.size() >= 4 && word.ends_with("ie")) {
    word.remove_suffix(2);
  } else if (word.size() >= 4 && word.back() == 'y') {
    word.remove_suffix(1);
  } else if (word.size() >= 4) {
    for (const std::string_view ending : {"xe", "ze", "che", "she", "se", "oe"}) {
      if (word.ends_with(ending)) {
        word.remove_suffix(1);
        if (word.size() >= 4 && word.back() == 's' && !word.ends_with("ss")) {
          word.remove_suffix(1);
        }
        break;
      }
    }
  }
  return word;
}

bool same_word(std::string_view a, std::string_view b) { return a == b || without_ending(a) == without_ending(b); }

MentionResult find_mention(std::string_view text, std::string_view term) {
  if (is_blank(term)) {
    return {Judgement::undecided, {}};
  }
  const Words term_words(term, term_words_max);
  bool single_letters = false;
  for (std::size_t i = 0; i < term_words.size(); ++i) {
    single_letters = single_letters || term_words.is_single_letter(i);
  }
  if (term_words.size() == 0 || single_letters) {
    const std::optional<TextSpan> where = find_folded(term, text, {true, single_letters});
    return where ? MentionResult{Judgement::holds, *where} : MentionResult{Judgement::broken, {}};
  }
  const std::vector<TermWord> wanted = words_of_term(term_words);

  // For each word of the term: the mention that leads up to it so far. The latest one is always the best.
  struct Place {
    std::size_t at = none;
    std::size_t start = 0;
  };
  std::vector<Place> places(wanted.size());
  const Words words(text);
  std::vector<TextSpan> spans;  // of the sentences, read when first needed
  const auto in_one_sentence = [&](std::size_t a, std::size_t b) {
    if (spans.empty()) {
      spans = sentences(text);
    }
    const std::size_t from = words.span(a).from;
    const auto behind = std::upper_bound(spans.begin(), spans.end(), from,
                                         [](std::size_t value, const TextSpan& span) { return value < span.to; });
    return behind == spans.end() || words.span(b).to <= behind->to;
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view stem = without_ending(words.folded(i));
    for (std::size_t j = wanted.size(); j-- > 0;) {
      if ((stem != wanted[j].stem && !has_particle(stem, wanted[j].stem)) ||
          (wanted[j].capitals && !is_in_capitals(words.written(i)))) {
        continue;
      }
      if (j == 0) {
        places[0] = {i, i};
      } else {
        const Place& before = places[j - 1];
        if (before.at == none || i - before.at > words_between_max + 1 || !in_one_sentence(before.at, i)) {
          continue;
        }
        places[j] = {i, before.start};
      }
      if (j + 1 == wanted.size()) {
        return {Judgement::holds, {words.span(places[j].start).from, words.span(i).to}};
      }
    }
  }
  return {Judgement::broken, {}};
}

}  // namespace plumb::text
