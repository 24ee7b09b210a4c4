#include "core/text/completeness.hpp"

#include <algorithm>

#include "core/text/fold.hpp"
#include "core/text/phrase_patterns.hpp"
#include "core/text/phrases.hpp"
#include "core/text/utf8.hpp"

namespace plumb::text {
namespace {

constexpr std::size_t evidence_max = 100;

// Sorted.
constexpr std::string_view pronouns_list[] = {
    "he", "her", "hers", "him", "his", "it", "its", "she", "their", "theirs", "them", "these", "they", "this", "those",
};
constexpr WordList pronouns(pronouns_list);

constexpr std::string_view articles_list[] = {
    "das", "der", "die", "el", "il", "la", "las", "le", "les", "los", "my", "our", "the", "their", "your",
};
constexpr WordList articles(articles_list);

bool has_any(std::string_view text, std::string_view characters) {
  return text.find_first_of(characters) != std::string_view::npos;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

bool names_something(const Words& words, std::size_t i) {
  const std::string_view written = words.written(i);
  const Decoded c = decode(written.data(), written.data() + written.size());
  return (i > 0 && is_upper_case(c.code_point) && written != "I") || has_any(written, "0123456789");
}

}  // namespace

CompletenessResult judge_bare_topic(std::string_view text) {
  CompletenessResult result;
  const std::string_view visible = trim(text);
  if (visible.empty()) {
    return result;
  }
  constexpr std::size_t letters_max = 6;
  const Words words(visible, letters_max + 1);
  if (!words.complete() || has_any(visible, "0123456789?") || visible.find("\xEF\xBC\x9F") != std::string_view::npos ||
      visible.find("\xD8\x9F") != std::string_view::npos || visible.find("\xE3\x80\x82") != std::string_view::npos) {
    return result;
  }
  std::size_t letters = 0;
  bool asks = false;
  bool ascii = true;
  for (std::size_t i = 0; i < words.size(); ++i) {
    letters += words.is_single_letter(i) ? 1 : 0;
    asks = asks || is_request_word(words.folded(i));
    ascii = ascii && is_ascii(words.folded(i));
  }
  const std::size_t count = words.size();
  const bool sentence = has_any(visible.substr(visible.size() - 1), ".!");
  const bool one_name = letters > 0 && letters == count;  // of a script without spaces
  if (!one_name && (sentence || count > 4)) {
    return result;
  }
  const bool plain = one_name || count <= 2 || (!asks && (count == 4 ? articles.contains(words.folded(0)) : ascii));
  result.outcome = plain ? Judgement::broken : Judgement::undecided;
  if (result.outcome == Judgement::broken) {
    const auto from = static_cast<std::size_t>(visible.data() - text.data());
    result.where.push_back({from, from + visible.size()});
  }
  return result;
}

CompletenessResult judge_unanchored(const Words& words) {
  CompletenessResult result;
  const std::vector<PhraseHit> phrases = find_patterns(words, PhraseList::unanchored);
  std::size_t phrase = 0;
  std::size_t content = 0;
  bool named = false;
  const auto points = [&](TextSpan where, bool plainly) {
    if (named || content > 2) {
      return;
    }
    if (content == 0 || plainly) {
      result.outcome = Judgement::broken;
    } else if (result.outcome == Judgement::holds) {
      result.outcome = Judgement::undecided;
    }
    if (result.where.size() < evidence_max) {
      result.where.push_back(where);
    }
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words.folded(i);
    if (phrase < phrases.size() && phrases[phrase].where.from <= words.span(i).from) {
      // "the author of sed" says whose.
      std::size_t next = i;
      while (next < words.size() && words.span(next).from < phrases[phrase].where.to) {
        ++next;
      }
      if (next < words.size() && words.folded(next) == "of") {
        ++phrase;
        continue;
      }
      const bool plainly =
          phrases[phrase].phrase.find("mentioned") != std::string_view::npos || word == "aforementioned";
      points(phrases[phrase].where, plainly);
      ++phrase;
      continue;
    }
    if (pronouns.contains(word) && words.written(i) != "IT" && words.written(i) != "US") {
      bool leads = false;  // it takes ... to ...
      for (std::size_t j = i + 1; word == "it" && j < std::min(words.size(), i + 6); ++j) {
        leads = leads || words.folded(j) == "to" || words.folded(j) == "that";
      }
      if (!leads) {
        points(words.span(i), false);
      }
    } else if (names_something(words, i)) {
      named = true;
    } else if (!is_function_word(word) && !is_request_word(word)) {
      ++content;
    }
  }
  return result;
}

}  // namespace plumb::text
