// Both texts become a row of letters that know their place: rendered, in lower case, one space between words. The
// search is that of Knuth, Morris and Pratt.
#include "core/text/rendered_quote.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <unordered_set>
#include <utility>

#include "core/ascii.hpp"
#include "core/text/mentions.hpp"
#include "core/text/phrases.hpp"
#include "core/text/plain.hpp"
#include "core/text/unicode.hpp"
#include "core/text/utf8.hpp"

namespace plumb::text {
namespace {

using Letter = RenderedSource::Letter;
using Letters = std::vector<Letter>;

constexpr std::size_t words_min = 2;
constexpr std::size_t letters_min = 6;
constexpr std::size_t entity_bytes_max = 10;

bool is_left_out(char32_t c) {
  return c == 0x00AD || c == 0x200B || c == 0x200C || c == 0x200D || c == 0x2060 || c == 0xFEFF;
}

// Signs whose change would change what is said.
bool is_sign(char32_t c) {
  if (c == '%' || c == 0x2030 || c == 0x00B0 || c == '$') {
    return true;
  }
  if (c == '~' || c == '|' || c == 0x2212) {
    return false;  // marks of Markdown, and a dash among dashes
  }
  const Category kind = category(c);
  return kind == Category::sm || kind == Category::sc;
}

struct Entity {
  std::string_view name;
  char32_t character;
};
constexpr std::array<Entity, 16> entities = {{{"amp", '&'},
                                              {"lt", '<'},
                                              {"gt", '>'},
                                              {"quot", '"'},
                                              {"apos", '\''},
                                              {"nbsp", ' '},
                                              {"ndash", '-'},
                                              {"mdash", '-'},
                                              {"hellip", '.'},
                                              {"deg", 0x00B0},
                                              {"euro", 0x20AC},
                                              {"auml", 0x00E4},
                                              {"ouml", 0x00F6},
                                              {"uuml", 0x00FC},
                                              {"szlig", 0x00DF},
                                              {"eacute", 0x00E9}}};

// The character that "&name;", "&#65;" or "&#x41;" at the beginning of `text` stands for, and its size.
std::optional<std::pair<char32_t, std::size_t>> entity_at(std::string_view text) {
  const std::size_t end = text.substr(0, entity_bytes_max).find(';');
  if (text.empty() || text.front() != '&' || end == std::string_view::npos || end < 2) {
    return std::nullopt;
  }
  const std::string_view name = text.substr(1, end - 1);
  if (name.front() != '#') {
    const auto found =
        std::find_if(entities.begin(), entities.end(), [&](const Entity& one) { return one.name == name; });
    return found == entities.end() ? std::nullopt : std::optional(std::pair(found->character, end + 1));
  }
  const bool hex = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
  char32_t value = 0;
  const std::string_view digits = name.substr(hex ? 2 : 1);
  for (const char c : digits) {
    const int digit = hex || ascii::is_digit(c) ? ascii::hex_value(c) : -1;
    if (digit < 0) {
      return std::nullopt;
    }
    value = value * (hex ? 16U : 10U) + static_cast<char32_t>(digit);
  }
  const bool fine = !digits.empty() && value > 0 && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
  return fine ? std::optional(std::pair(value, end + 1)) : std::nullopt;
}

class Renderer {
 public:
  explicit Renderer(std::string_view raw) : plain_(plain_text(raw.substr(0, std::size_t{1} << 31U))) {}

  Letters run() {
    const std::string_view text = plain_.text;
    out_.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
      const Decoded decoded = decode(text.data() + at, text.data() + text.size());
      std::size_t size = decoded.size;
      char32_t c = decoded.code_point;
      if (const auto entity = entity_at(text.substr(at))) {
        c = entity->first;
        size = entity->second;
      }
      take(c, at, at + size);
      at += size;
    }
    return std::move(out_);
  }

 private:
  std::uint32_t place(std::size_t at) const { return plain_.places[at]; }

  void take(char32_t c, std::size_t from, std::size_t to) {
    const bool between_digits = (c == '.' || c == ',') && !gap_ && !out_.empty() && out_.back().character >= '0' &&
                                out_.back().character <= '9' && to < plain_.text.size() &&
                                ascii::is_digit(plain_.text[to]);
    // Emphasis may begin and end anywhere in scripts without spaces.
    const bool mark = (c == '*' || c == '`' || c == '~') && !out_.empty() && out_.back().wide;
    if (is_left_out(c) || mark) {
      return;
    }
    if (is_white_space(c)) {
      space_ = true;
    } else if (is_word_character(c) || between_digits) {
      put(c, from, to);
    } else if (is_sign(c)) {
      gap_ = true;
      put(c, from, to);
      gap_ = true;
    } else {
      gap_ = true;
    }
  }

  void put(char32_t c, std::size_t from, std::size_t to) {
    const bool wide = is_written_without_spaces(c);
    const bool parted = gap_ || (space_ && !(wide && !out_.empty() && out_.back().wide));
    if (parted && !out_.empty()) {
      out_.push_back({' ', out_.back().to, place(from), false});
    }
    gap_ = space_ = false;
    char32_t lower[2];
    const std::uint32_t count = c == '_' ? 0 : to_lower(c, lower);
    const std::uint32_t end = place(to - 1) + 1;
    if (count == 0) {
      out_.push_back({c, place(from), end, wide});
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      out_.push_back({lower[i], place(from), end, wide});
    }
  }

  Plain plain_;
  Letters out_;
  bool space_ = false;  // white space has come since the last letter
  bool gap_ = false;    // something that parts words has
};

bool is_too_short(const Letters& quote) {
  std::size_t words = quote.empty() || quote.front().wide ? 0 : 1;
  std::size_t wide = 0;
  std::size_t letters = 0;
  for (std::size_t i = 0; i < quote.size(); ++i) {
    letters += quote[i].character == ' ' ? 0 : 1;
    wide += quote[i].wide ? 1 : 0;
    const bool begins = quote[i].character == ' ' && i + 1 < quote.size() && !quote[i + 1].wide;
    words += begins ? 1 : 0;
  }
  return words + wide / 2 < words_min || letters + 2 * wide < letters_min;
}

// Whether letters [from, to) are whole words of `text`.
bool are_whole_words(const Letters& text, std::size_t from, std::size_t to) {
  const bool begins = from == 0 || text[from - 1].character == ' ' || text[from].wide || text[from - 1].wide;
  const bool ends = to == text.size() || text[to].character == ' ' || text[to - 1].wide || text[to].wide;
  return begins && ends;
}

// Marks that belong to what they are next to: the asterisks of emphasis, the bracket and the address of a link.
TextSpan with_marks(std::string_view source, TextSpan where) {
  constexpr std::string_view marks = "*_`~";
  while (where.from > 0 && marks.find(source[where.from - 1]) != std::string_view::npos) {
    --where.from;
  }
  while (where.to < source.size() && marks.find(source[where.to]) != std::string_view::npos) {
    ++where.to;
  }
  const std::string_view inside = piece(source, where);
  const std::size_t closes = inside.find("](");
  const std::size_t opens = inside.find('[');
  if (closes != std::string_view::npos && (opens == std::string_view::npos || opens > closes) && where.from > 0 &&
      source[where.from - 1] == '[') {
    --where.from;
  }
  const bool in_link = where.to + 1 < source.size() && source.substr(where.to, 2) == "](";
  if (in_link) {
    const std::size_t end = source.substr(0, std::min(source.size(), where.to + 600)).find(')', where.to);
    const bool opened = opens != std::string_view::npos || (where.from > 0 && source[where.from - 1] == '[');
    if (end != std::string_view::npos && opened) {
      where.to = end + 1;
      where.from -= opens == std::string_view::npos ? 1 : 0;
    }
  }
  return where;
}

// Words of three letters and more that say nothing, besides the English ones of phrases.hpp.
const std::unordered_set<std::string_view>& empty_words() {
  static const std::unordered_set<std::string_view> words = {
      "aber",  "alle",   "als",   "also",  "auch",   "auf",   "aus",      "avec", "bei",   "beim",   "cette",  "como",
      "dans",  "das",    "dass",  "del",   "dem",    "den",   "der",      "des",  "deze",  "die",    "diese",  "doch",
      "door",  "een",    "ein",   "eine",  "einem",  "einen", "einer",    "elle", "entre", "est",    "esta",   "este",
      "etre",  "für",    "haben", "hatte", "hebben", "het",   "ist",      "jede", "kann",  "kein",   "keine",  "las",
      "les",   "leur",   "los",   "mais",  "meer",   "mehr",  "met",      "mit",  "muss",  "nach",   "nicht",  "noch",
      "nous",  "oder",   "over",  "para",  "plus",   "pour",  "quand",    "que",  "quel",  "quelle", "qui",    "sein",
      "seine", "sich",   "sie",   "sind",  "sobre",  "sont",  "sous",     "sur",  "und",   "une",    "unter",  "van",
      "vom",   "von",    "voor",  "vous",  "waren",  "was",   "welche",   "wenn", "wer",   "werd",   "werden", "wie",
      "wird",  "worden", "wurde", "zijn",  "zum",    "zur",   "zwischen", "être", "über"};
  return words;
}

bool is_content(const Words& words, std::size_t i) {
  const std::string_view folded = words.folded(i);
  if (std::any_of(folded.begin(), folded.end(), ascii::is_digit<char>)) {
    return true;
  }
  const std::string_view written = words.written(i);
  const bool acronym =
      written.size() >= 2 && std::all_of(written.begin(), written.end(), [](char c) { return ascii::is_upper(c); });
  if (acronym) {
    return true;
  }
  const auto letters = static_cast<std::size_t>(std::count_if(
      folded.begin(), folded.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
  return letters >= 3 && !is_function_word(folded) && empty_words().count(folded) == 0;
}

bool same_content(std::string_view a, std::string_view b) {
  constexpr std::size_t beginning = 5;  // "absorption" and "absorbed"
  return same_word(a, b) ||
         (a.size() >= beginning && b.size() >= beginning && a.substr(0, beginning) == b.substr(0, beginning));
}

}  // namespace

RenderedSource::RenderedSource(std::string_view source) : source_(source), letters_(Renderer(source).run()) {}

QuoteResult RenderedSource::find(std::string_view quote) const {
  const Letters wanted = Renderer(quote).run();
  if (is_too_short(wanted)) {
    return {QuoteStatus::too_short, {}};
  }
  return find_letters(wanted);
}

QuoteResult RenderedSource::find_all_of(std::string_view said, std::string_view quote) const {
  const Letters wanted = Renderer(quote).run();
  const Letters all = Renderer(said).run();
  const bool same = wanted.size() == all.size() && !all.empty() &&
                    std::equal(all.begin(), all.end(), wanted.begin(),
                               [](const Letter& a, const Letter& b) { return a.character == b.character; });
  return same ? find_letters(wanted) : QuoteResult{QuoteStatus::too_short, {}};
}

QuoteResult RenderedSource::find_letters(const Letters& wanted) const {
  std::vector<std::uint32_t> border(wanted.size(), 0);
  for (std::size_t i = 1, length = 0; i < wanted.size();) {
    if (wanted[i].character == wanted[length].character) {
      border[i++] = static_cast<std::uint32_t>(++length);
    } else if (length > 0) {
      length = border[length - 1];
    } else {
      ++i;
    }
  }
  std::size_t matched = 0;
  for (std::size_t i = 0; i < letters_.size(); ++i) {
    while (matched > 0 && letters_[i].character != wanted[matched].character) {
      matched = border[matched - 1];
    }
    matched += letters_[i].character == wanted[matched].character ? 1 : 0;
    if (matched < wanted.size()) {
      continue;
    }
    const std::size_t first = i + 1 - matched;
    if (are_whole_words(letters_, first, i + 1)) {
      return {QuoteStatus::found, with_marks(source_, {letters_[first].from, letters_[i].to})};
    }
    matched = border[matched - 1];
  }
  return {QuoteStatus::not_found, {}};
}

QuoteResult find_rendered_quote(std::string_view quote, std::string_view source) {
  return RenderedSource(source).find(quote);
}

bool shares_content_word(std::string_view a, std::string_view b) {
  const std::string plain_a = plain_text(a).text;
  const std::string plain_b = plain_text(b).text;
  const Words words_a(plain_a);
  const Words words_b(plain_b);
  std::unordered_set<std::string> pairs;  // of adjacent letters
  std::vector<std::string_view> content;
  const auto pair = [](const Words& words, std::size_t i) {
    return i + 1 < words.size() && words.is_single_letter(i) && words.is_single_letter(i + 1) && words.gap(i).empty();
  };
  for (std::size_t i = 0; i < words_a.size(); ++i) {
    if (pair(words_a, i)) {
      pairs.insert(std::string(words_a.folded(i)) + std::string(words_a.folded(i + 1)));
    } else if (!words_a.is_single_letter(i) && is_content(words_a, i)) {
      content.push_back(words_a.folded(i));
    }
  }
  for (std::size_t i = 0; i < words_b.size(); ++i) {
    if (pair(words_b, i)) {
      if (pairs.count(std::string(words_b.folded(i)) + std::string(words_b.folded(i + 1))) > 0) {
        return true;
      }
    } else if (!words_b.is_single_letter(i) && is_content(words_b, i)) {
      const std::string_view word = words_b.folded(i);
      if (std::any_of(content.begin(), content.end(), [&](std::string_view one) { return same_content(one, word); })) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace plumb::text
