#include "core/text/bpe_pieces.hpp"

#include "core/ascii.hpp"
#include "core/text/unicode.hpp"
#include "core/text/utf8.hpp"

namespace plumb::text {

namespace {

std::uint8_t kind_of(char32_t c) {
  std::uint8_t out = is_white_space(c) ? kind_white : 0;
  out |= c == '\r' || c == '\n' ? kind_line_end : 0;
  switch (category(c)) {
    case Category::lu:
    case Category::lt:
      return out | kind_letter | kind_head;
    case Category::ll:
      return out | kind_letter | kind_tail;
    case Category::lm:
    case Category::lo:
      return out | kind_letter | kind_head | kind_tail;
    case Category::mn:
    case Category::mc:
    case Category::me:
      return out | kind_head | kind_tail;
    case Category::nd:
    case Category::nl:
    case Category::no:
      return out | kind_number;
    default:
      return out;
  }
}

class Cutter {
 public:
  Cutter(std::string_view text, const CharacterKinds& kinds) : text_(text), kinds_(kinds) {}

  std::size_t cl100k(std::size_t from) const {
    if (const std::size_t end = contraction(from); end != from) {
      return end;
    }
    const std::size_t letters = behind_prefix(from);
    if (const std::size_t end = run(letters, kind_letter); end != letters) {
      return end;
    }
    return rest(from, false);
  }

  std::size_t o200k(std::size_t from) const {
    // With whatever may precede the word first; without it where that gives no word.
    const std::size_t prefixed = behind_prefix(from);
    for (const bool ends_low : {true, false}) {
      for (std::size_t word = prefixed;; word = from) {
        const std::size_t end = ends_low ? word_low(word) : word_high(word);
        if (end != word) {
          return contraction(end);
        }
        if (word == from) {
          break;
        }
      }
    }
    return rest(from, true);
  }

 private:
  struct Seen {
    std::uint8_t kind = 0;
    std::size_t end = 0;
    char32_t c = 0;
  };
  Seen at(std::size_t from) const {
    const Decoded next = decode(text_.data() + from, text_.data() + text_.size());
    return {kinds_.of(next.code_point), from + next.size, next.code_point};
  }
  bool ended(std::size_t from) const { return from >= text_.size(); }

  std::size_t run(std::size_t from, std::uint8_t kind) const {
    while (!ended(from)) {
      const Seen next = at(from);
      if ((next.kind & kind) == 0) {
        break;
      }
      from = next.end;
    }
    return from;
  }

  // [^\r\n L N]?
  std::size_t behind_prefix(std::size_t from) const {
    const Seen first = at(from);
    return (first.kind & (kind_line_end | kind_letter | kind_number)) == 0 ? first.end : from;
  }

  // [head]*[tail]+: what both may be is given back when no other tail follows.
  std::size_t word_low(std::size_t from) const {
    std::size_t at_end = from;
    std::size_t last_both = from;  // where the last of the head that may be tail too begins
    bool both = false;
    while (!ended(at_end)) {
      const Seen next = at(at_end);
      if ((next.kind & kind_head) == 0) {
        break;
      }
      if ((next.kind & kind_tail) != 0) {
        last_both = at_end;
        both = true;
      }
      at_end = next.end;
    }
    if (const std::size_t end = run(at_end, kind_tail); end != at_end) {
      return end;
    }
    return both ? run(last_both, kind_tail) : from;
  }

  // [head]+[tail]*
  std::size_t word_high(std::size_t from) const {
    const std::size_t head = run(from, kind_head);
    return head == from ? from : run(head, kind_tail);
  }

  // 's 't 're 've 'm 'll 'd in any case; U+017F is an s in another case.
  std::size_t contraction(std::size_t from) const {
    const auto low = [this](std::size_t i) {
      const char c = i < text_.size() ? text_[i] : '\0';
      return ascii::lower(c);
    };
    if (low(from) != '\'') {
      return from;
    }
    const char first = low(from + 1);
    const char second = low(from + 2);
    if (first == 's' || first == 't' || first == 'm' || first == 'd') {
      return from + 2;
    }
    if (((first == 'r' || first == 'v') && second == 'e') || (first == 'l' && second == 'l')) {
      return from + 3;
    }
    return text_.substr(from + 1, 2) == "\xC5\xBF" ? from + 3 : from;
  }

  std::size_t rest(std::size_t from, bool slashes) const {
    const Seen first = at(from);
    if ((first.kind & kind_number) != 0) {
      std::size_t end = first.end;
      for (int i = 1; i < 3 && !ended(end) && (at(end).kind & kind_number) != 0; ++i) {
        end = at(end).end;
      }
      return end;
    }
    const std::size_t marks = text_[from] == ' ' ? first.end : from;
    std::size_t end = marks;
    while (!ended(end) && (at(end).kind & (kind_white | kind_letter | kind_number)) == 0) {
      end = at(end).end;
    }
    if (end != marks) {
      while (!ended(end) && (text_[end] == '\r' || text_[end] == '\n' || (slashes && text_[end] == '/'))) {
        ++end;
      }
      return end;
    }
    return white(from);
  }

  // white*[\r\n]+, else white+ but for its last character where something else follows.
  std::size_t white(std::size_t from) const {
    std::size_t end = from;
    std::size_t last = from;         // where the last character of the run begins
    std::size_t behind_line = from;  // behind the last line end in it
    while (!ended(end)) {
      const Seen next = at(end);
      if ((next.kind & kind_white) == 0) {
        break;
      }
      last = end;
      end = next.end;
      behind_line = (next.kind & kind_line_end) != 0 ? end : behind_line;
    }
    if (behind_line != from) {
      return behind_line;
    }
    return ended(end) || last == from ? end : last;
  }

  std::string_view text_;
  const CharacterKinds& kinds_;
};

}  // namespace

CharacterKinds::CharacterKinds() : table_(0x10000, 0) {
  for (char32_t c = 0; c < 0x10000; ++c) {
    table_[c] = kind_of(c);
  }
}

std::uint8_t CharacterKinds::of_category(char32_t c) { return kind_of(c); }

std::size_t piece_end(std::string_view utf8, std::size_t from, Encoding encoding, const CharacterKinds& kinds) {
  const Cutter cutter(utf8, kinds);
  const std::size_t end = encoding == Encoding::cl100k_base ? cutter.cl100k(from) : cutter.o200k(from);
  return end > from ? end : from + 1;
}

}  // namespace plumb::text
