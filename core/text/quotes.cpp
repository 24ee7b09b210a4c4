// Both texts are folded to code points that know their place in the text; the search is that of Knuth, Morris and
// Pratt.
#include "core/text/quotes.hpp"

#include <algorithm>
#include <vector>

#include "core/text/unicode.hpp"
#include "core/text/utf8.hpp"

namespace plumb::text {
namespace {

// A folded text: characters, and where each begins and ends. Four bytes for a place: texts are read up to 2 GB.
struct Folded {
  std::vector<char32_t> characters;
  std::vector<std::uint32_t> from;
  std::vector<std::uint32_t> to;

  void append(char32_t c, std::size_t begin, std::size_t end) {
    characters.push_back(c);
    from.push_back(static_cast<std::uint32_t>(begin));
    to.push_back(static_cast<std::uint32_t>(end));
  }
};

bool is_left_out(char32_t c) {
  return c == 0x00AD || c == 0x200B || c == 0x200C || c == 0x200D || c == 0x2060 || c == 0xFEFF;
}

char32_t fold_typography(char32_t c) {
  switch (c) {
    case 0x2018:
    case 0x2019:
    case 0x201A:
    case 0x201B:
    case 0x2032:
    case 0x2039:
    case 0x203A:
    case 0x02BC:
    case 0x00B4:
    case 0x0060:
      return '\'';
    case 0x201C:
    case 0x201D:
    case 0x201E:
    case 0x201F:
    case 0x2033:
    case 0x00AB:
    case 0x00BB:
      return '"';
    case 0x2010:
    case 0x2011:
    case 0x2012:
    case 0x2013:
    case 0x2014:
    case 0x2015:
    case 0x2212:
    case 0xFE58:
    case 0xFE63:
    case 0xFF0D:
      return '-';
    default:
      return c;
  }
}

Folded folded(std::string_view text, Comparison how) {
  text = text.substr(0, std::size_t{1} << 31U);
  Folded out;
  out.characters.reserve(text.size());
  out.from.reserve(text.size());
  out.to.reserve(text.size());
  bool space = false;
  std::size_t space_from = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Decoded c = decode(text.data() + at, text.data() + text.size());
    const std::size_t end = at + c.size;
    if (is_white_space(c.code_point)) {
      space_from = space ? space_from : at;
      space = true;
    } else if (!is_left_out(c.code_point)) {
      if (space && !out.characters.empty() && !how.without_spaces) {
        out.append(' ', space_from, at);
      }
      space = false;
      if (c.code_point == 0x2026) {
        for (int i = 0; i < 3; ++i) {
          out.append('.', at, end);
        }
      } else if (how.lowercase) {
        char32_t lower[2];
        const std::uint32_t count = to_lower(fold_typography(c.code_point), lower);
        for (std::uint32_t i = 0; i < count; ++i) {
          out.append(lower[i], at, end);
        }
      } else {
        out.append(fold_typography(c.code_point), at, end);
      }
    }
    at = end;
  }
  return out;
}

// The quote without marks around it.
std::vector<char32_t> without_marks(const std::vector<char32_t>& characters) {
  std::size_t from = 0;
  std::size_t to = characters.size();
  while (to - from >= 2 && characters[from] == characters[to - 1] &&
         (characters[from] == '"' || characters[from] == '\'')) {
    const auto first = characters.begin() + static_cast<std::ptrdiff_t>(from);
    const auto last = characters.begin() + static_cast<std::ptrdiff_t>(to);
    if (characters[from] == '"' && std::count(first, last, U'"') > 2) {
      break;  // "a" or "b" is not one quote in marks
    }
    ++from;
    --to;
    while (from < to && characters[from] == ' ') {
      ++from;
    }
    while (from < to && characters[to - 1] == ' ') {
      --to;
    }
  }
  return {characters.begin() + static_cast<std::ptrdiff_t>(from), characters.begin() + static_cast<std::ptrdiff_t>(to)};
}

constexpr std::size_t none = static_cast<std::size_t>(-1);

// The first place of `wanted`, which is not empty, in `text`.
std::size_t find(const std::vector<char32_t>& text, const std::vector<char32_t>& wanted) {
  std::vector<std::uint32_t> border(wanted.size(), 0);
  for (std::size_t i = 1, length = 0; i < wanted.size();) {
    if (wanted[i] == wanted[length]) {
      border[i++] = static_cast<std::uint32_t>(++length);
    } else if (length > 0) {
      length = border[length - 1];
    } else {
      border[i++] = 0;
    }
  }
  std::size_t matched = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    while (matched > 0 && text[i] != wanted[matched]) {
      matched = border[matched - 1];
    }
    matched += text[i] == wanted[matched] ? 1 : 0;
    if (matched == wanted.size()) {
      return i + 1 - matched;
    }
  }
  return none;
}

}  // namespace

QuoteResult find_quote(std::string_view quote, std::string_view source, std::size_t code_points_min) {
  const std::vector<char32_t> wanted = without_marks(folded(quote, {}).characters);
  if (wanted.empty() || wanted.size() < code_points_min) {
    return {QuoteStatus::too_short, {}};
  }
  const Folded text = folded(source, {});
  const std::size_t first = find(text.characters, wanted);
  if (first == none) {
    return {QuoteStatus::not_found, {}};
  }
  return {QuoteStatus::found, {text.from[first], text.to[first + wanted.size() - 1]}};
}

std::optional<TextSpan> find_folded(std::string_view wanted, std::string_view text, Comparison how) {
  const std::vector<char32_t> characters = folded(wanted, how).characters;
  if (characters.empty()) {
    return std::nullopt;
  }
  const Folded there = folded(text, how);
  const std::size_t first = find(there.characters, characters);
  if (first == none) {
    return std::nullopt;
  }
  return TextSpan{there.from[first], there.to[first + characters.size() - 1]};
}

}  // namespace plumb::text
