// Inline marks, read from left to right in one pass: a mark opens where its own closes later in the same text.
#include "core/text/plain.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/text/unicode.hpp"
#include "core/text/utf8.hpp"

namespace plumb::text {
namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);
constexpr std::size_t link_bytes_max = 600;

bool is_letter_or_digit(char c) { return ascii::is_alphanumeric(c) || static_cast<unsigned char>(c) >= 0x80; }

class Stripper {
 public:
  explicit Stripper(std::string_view raw) : raw_(raw) {}

  Plain run() {
    out_.text.reserve(raw_.size());
    out_.places.reserve(raw_.size());
    bool line_begins = true;
    while (at_ < raw_.size()) {
      const char c = raw_[at_];
      if (line_begins && c == '>') {
        ++at_;
        continue;
      }
      const Decoded here = decode(raw_.data() + at_, raw_.data() + raw_.size());
      if (is_white_space(here.code_point)) {
        line_begins = line_begins || c == '\n';
        space_ = true;
        at_ += here.size;
        continue;
      }
      line_begins = false;
      if (const std::size_t broken = line_break_in_word(); broken > 0) {
        at_ += broken;
        continue;
      }
      if (!mark(c)) {
        put(here.size);
      }
    }
    std::stable_sort(out_.marks.begin(), out_.marks.end(),
                     [](const Mark& a, const Mark& b) { return a.where.from < b.where.from; });
    return std::move(out_);
  }

 private:
  char behind(std::size_t offset) const { return at_ + offset < raw_.size() ? raw_[at_ + offset] : ' '; }
  char before() const { return at_ > 0 ? raw_[at_ - 1] : ' '; }

  // A word that the formatter of manual pages divided at the end of a line: a hyphen (U+2010), and where it goes on.
  std::size_t line_break_in_word() const {
    constexpr std::string_view hyphen = "\xE2\x80\x90";
    if (raw_.substr(at_, hyphen.size()) != hyphen || !is_letter_or_digit(before())) {
      return 0;
    }
    const std::size_t next = raw_.find_first_not_of(" \n", at_ + hyphen.size());
    const bool divided =
        next != std::string_view::npos && raw_[at_ + hyphen.size()] == '\n' && ascii::is_lower(raw_[next]);
    return divided ? next - at_ : 0;
  }

  void put(std::size_t size) {
    if (space_ && !out_.text.empty()) {
      // Scripts without spaces have none at a line's end either.
      const bool wide = static_cast<unsigned char>(raw_[at_]) >= 0xE2 &&
                        static_cast<unsigned char>(out_.text.back()) >= 0x80 &&
                        is_written_without_spaces(decode(raw_.data() + at_, raw_.data() + raw_.size()).code_point);
      if (!wide) {
        out_.text.push_back(' ');
        out_.places.push_back(static_cast<std::uint32_t>(at_));
      }
    }
    space_ = false;
    if (pending_open_) {
      *pending_open_ = out_.text.size();
      pending_open_ = nullptr;
    }
    for (std::size_t i = 0; i < size; ++i) {
      out_.text.push_back(raw_[at_]);
      out_.places.push_back(static_cast<std::uint32_t>(at_));
      ++at_;
    }
  }

  void close(MarkKind kind, std::size_t from) {
    if (from < out_.text.size()) {
      out_.marks.push_back({kind, {from, out_.text.size()}});
    }
  }

  // Steps over a mark; false when there is none here.
  bool mark(char c) {
    switch (c) {
      case '\\':
        if (at_ + 1 < raw_.size() &&
            std::string_view("\\`*_{}[]()#+-.!|<>~").find(behind(1)) != std::string_view::npos) {
          ++at_;
          put(1);
          return true;
        }
        return false;
      case '*':
      case '_':
        return emphasis(c);
      case '`':
        return code();
      case '!':
        return behind(1) == '[' && link(1, true);
      case '[':
        return link(0, false);
      case ']':
        if (at_ == link_close_) {
          at_ = link_end_;
          link_close_ = none;
          return true;
        }
        return false;
      case '<':
        return tag();
      default:
        return false;
    }
  }

  bool emphasis(char c) {
    const bool two = behind(1) == c;
    const std::size_t size = two ? 2 : 1;
    std::size_t& open = two ? bold_ : italic_;
    bool& is_open = two ? bold_open_ : italic_open_;
    if (is_open && (two ? bold_mark_ : italic_mark_) == c && before() != ' ' &&
        (c == '*' || !is_letter_or_digit(behind(size)))) {
      is_open = false;
      close(two ? MarkKind::bold : MarkKind::italic, open);
      at_ += size;
      return true;
    }
    const char next = behind(size);
    if (is_open || is_letter_or_digit(before()) || next == ' ' || next == '\n' || next == '\t' || next == c) {
      return false;
    }
    // It is a mark only when it is closed in this text.
    if (raw_.find(raw_.substr(at_, size), at_ + size) == std::string_view::npos) {
      return false;
    }
    is_open = true;
    (two ? bold_mark_ : italic_mark_) = c;
    open = out_.text.size();
    pending_open_ = &open;
    at_ += size;
    return true;
  }

  bool code() {
    std::size_t ticks = 1;
    while (behind(ticks) == '`') {
      ++ticks;
    }
    const std::size_t end = raw_.find(raw_.substr(at_, ticks), at_ + ticks);
    if (end == std::string_view::npos || ticks > 2) {
      return false;
    }
    at_ += ticks;
    std::size_t from = none;
    while (at_ < end) {
      const Decoded here = decode(raw_.data() + at_, raw_.data() + raw_.size());
      if (is_white_space(here.code_point)) {
        space_ = true;
        at_ += here.size;
        continue;
      }
      const bool first = from == none;
      put(here.size);
      from = first ? out_.text.size() - here.size : from;
    }
    if (from != none) {
      close(MarkKind::code, from);
    }
    at_ = end + ticks;
    return true;
  }

  // [words](address), [words][reference], [^note], [12]; with `skip` (an image) nothing of it is kept.
  bool link(std::size_t prefix, bool skip) {
    const std::size_t open = at_ + prefix;
    const std::size_t close_at = raw_.substr(0, std::min(raw_.size(), open + link_bytes_max)).find(']', open);
    if (close_at == std::string_view::npos) {
      return false;
    }
    const std::string_view inside = raw_.substr(open + 1, close_at - open - 1);
    if (!inside.empty() && (inside.front() == '^' || ascii::only(inside, "0123456789, -"))) {
      at_ = close_at + 1;
      return true;
    }
    const char after = close_at + 1 < raw_.size() ? raw_[close_at + 1] : ' ';
    std::size_t end = close_at + 1;
    if (after == '(' || after == '[') {
      const std::size_t found =
          raw_.substr(0, std::min(raw_.size(), end + link_bytes_max)).find(after == '(' ? ')' : ']', end);
      end = found == std::string_view::npos ? end : found + 1;
    } else if (!skip) {
      return false;
    }
    if (skip) {
      at_ = end;
    } else {
      link_close_ = close_at;
      link_end_ = end;
      ++at_;
    }
    return true;
  }

  bool tag() {
    const char next = behind(1);
    if (!(ascii::is_letter(next) || next == '/' || next == '!')) {
      return false;
    }
    const std::size_t end = raw_.substr(0, std::min(raw_.size(), at_ + link_bytes_max)).find('>', at_);
    if (end == std::string_view::npos) {
      return false;
    }
    // What ends a line or a block parts words; what is within a line does not.
    std::size_t from = at_ + (next == '/' ? 2 : 1);
    std::string name;
    while (from < end && is_letter_or_digit(raw_[from])) {
      name += static_cast<char>(raw_[from++] | 0x20);
    }
    for (const std::string_view block : {"br", "p",  "div", "li", "ul", "ol", "td", "th", "tr",         "table", "h1",
                                         "h2", "h3", "h4",  "h5", "h6", "hr", "dt", "dd", "blockquote", "pre"}) {
      space_ = space_ || name == block;
    }
    at_ = end + 1;
    return true;
  }

  std::string_view raw_;
  Plain out_;
  std::size_t at_ = 0;
  bool space_ = false;
  std::size_t* pending_open_ = nullptr;
  std::size_t bold_ = 0;
  std::size_t italic_ = 0;
  bool bold_open_ = false;
  bool italic_open_ = false;
  char bold_mark_ = 0;
  char italic_mark_ = 0;
  std::size_t link_close_ = none;
  std::size_t link_end_ = none;
};

}  // namespace

Plain plain_text(std::string_view raw) { return Stripper(raw).run(); }

}  // namespace plumb::text
