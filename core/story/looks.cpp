#include "core/story/looks.hpp"

#include <algorithm>
#include <array>

#include "core/ascii.hpp"
#include "core/text/utf8.hpp"
#include "core/text/words.hpp"

namespace plumb::story {

namespace {

constexpr std::array<std::string_view, 16> articles = {"the", "a",  "an",  "der", "die", "das", "ein", "eine",
                                                       "le",  "la", "les", "un",  "une", "el",  "il",  "los"};

bool is_word_at(std::string_view text, std::size_t at) {  // whether a word has the character that begins there
  return at < text.size() &&
         text::is_word_character(text::decode(text.data() + at, text.data() + text.size()).code_point);
}

bool is_word_before(std::string_view text, std::size_t at) {
  while (at > 0 && text::is_continuation(text[--at])) {
  }
  return is_word_at(text, at);
}

bool has_word(std::string_view text, std::string_view word, bool any_case) {
  for (std::size_t at = 0; at + word.size() <= text.size(); ++at) {
    const std::string_view here = text.substr(at, word.size());
    if ((any_case ? ascii::equal_in_any_case(here, word) : here == word) && (at == 0 || !is_word_before(text, at)) &&
        !is_word_at(text, at + word.size())) {
      return true;
    }
  }
  return false;
}

// By its name without an article, or by a word of it that is written as a name.
bool names(std::string_view paragraph, std::string_view name) {
  const std::size_t blank = name.find(' ');
  const bool article =
      blank != std::string_view::npos && std::any_of(articles.begin(), articles.end(), [&](std::string_view one) {
        return ascii::equal_in_any_case(name.substr(0, blank), one);
      });
  name = article ? name.substr(blank + 1) : name;
  if (has_word(paragraph, name, true)) {
    return true;
  }
  for (std::size_t from = 0; from < name.size();) {
    const std::size_t to = std::min(name.find(' ', from), name.size());
    const std::string_view word = name.substr(from, to - from);
    if (word.size() > 2 && !ascii::is_lower(word.front()) && has_word(paragraph, word, false)) {
      return true;
    }
    from = to + 1;
  }
  return false;
}

// Where the emphasis ends that begins with the asterisk at `at`; npos: it begins none.
std::size_t emphasis_end(std::string_view text, std::size_t at) {
  const bool inner = at > 0 && (text[at - 1] == '*' || is_word_before(text, at));
  const std::size_t end = text.find_first_of("*\n", at + 1);
  const bool closes = !inner && end != std::string_view::npos && text[end] == '*' && end > at + 1 &&
                      !ascii::is_space(text[at + 1]) && !ascii::is_space(text[end - 1]) && !is_word_at(text, end + 1) &&
                      (end + 1 == text.size() || text[end + 1] != '*');
  return closes ? end : std::string_view::npos;
}

}  // namespace

std::vector<std::vector<Look>> looks_of(const Book& book) {
  std::vector<std::vector<Look>> out(book.passages.size());
  for (const BookEntity& entity : book.entities) {
    std::vector<std::pair<std::size_t, Look>> named, unnamed;
    for (std::size_t p = 0; p < book.passages.size() && !entity.overlays.empty(); ++p) {
      const BookPassage& passage = book.passages[p];
      if (std::find(passage.entities.begin(), passage.entities.end(), entity.id) == passage.entities.end()) {
        continue;
      }
      const std::vector<std::string_view> paragraphs = paragraphs_of(passage.text);
      const auto at = std::find_if(paragraphs.begin(), paragraphs.end(),
                                   [&](std::string_view one) { return names(one, entity.name); });
      if (at != paragraphs.end()) {
        named.push_back({p, {&entity, static_cast<std::size_t>(at - paragraphs.begin())}});
      } else {
        unnamed.push_back({p, {&entity, paragraphs.size() - 1}});
      }
    }
    for (const auto& [passage, look] : named.empty() ? unnamed : named) {
      out[passage].push_back(look);
    }
  }
  return out;
}

const BookOverlay* overlay_for(const BookEntity& entity, const Texts& held) {
  for (const BookOverlay* one : overlay_order(entity)) {
    if (std::all_of(one->when.begin(), one->when.end(),
                    [&](const std::string& word) { return std::find(held.begin(), held.end(), word) != held.end(); })) {
      return one;
    }
  }
  return nullptr;
}

const BookOverlay* overlay_for(const BookEntity& entity, const PlainBook& plain, std::uint64_t held) {
  for (const BookOverlay* one : overlay_order(entity)) {
    if (const std::uint64_t when = plain.bits(one->when); (held & when) == when) {
      return one;
    }
  }
  return nullptr;
}

std::vector<const BookOverlay*> overlay_order(const BookEntity& entity) {
  std::vector<const BookOverlay*> out;
  for (auto one = entity.overlays.rbegin(); one != entity.overlays.rend(); ++one) {
    out.push_back(&*one);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const BookOverlay* a, const BookOverlay* b) { return a->when.size() > b->when.size(); });
  return out;
}

std::string look_sentence(const BookEntity& entity, const BookOverlay& overlay) {
  std::string text;
  for (const auto& [name, detail] : overlay.details) {
    text += (text.empty() ? "" : "; ") + detail;
  }
  const bool ends = !text.empty() && std::string_view(".!?").find(text.back()) != std::string_view::npos;
  if (ends && ascii::is_upper(text.front())) {
    return text;
  }
  std::string out = entity.name + ", " + text + (ends ? "" : ".");
  out.front() = ascii::upper(out.front());
  return out;
}

std::vector<std::string_view> paragraphs_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t from = 0;;) {
    const std::size_t to = text.find("\n\n", from);
    out.push_back(text.substr(from, to - from));
    if (to == std::string_view::npos) {
      return out;
    }
    from = to + 2;
  }
}

std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> out;
  std::size_t from = 0;
  const auto plain = [&](std::size_t to) {
    if (to > from) {
      out.push_back({text.substr(from, to - from), false});
    }
  };
  for (std::size_t at = text.find('*'); at != std::string_view::npos; at = text.find('*', at + 1)) {
    const std::size_t end = emphasis_end(text, at);
    if (end == std::string_view::npos) {
      continue;
    }
    plain(at);
    out.push_back({text.substr(at + 1, end - at - 1), true});
    from = end + 1;
    at = end;
  }
  plain(text.size());
  return out;
}

}  // namespace plumb::story
