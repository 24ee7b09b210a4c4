#include "core/workflow/outline_code.hpp"

#include <algorithm>

#include "core/ascii.hpp"

namespace plumb::workflow {

namespace {

constexpr std::size_t regex_max = 500;  // a longer one is a division

// Goes over the text once and blanks what is no code.
class Blanker {
 public:
  Blanker(std::string_view text, Language language)
      : text_(text), language_(language), out_{std::string(text), std::string(text)} {}

  CodeText run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        line_begins_ = true;
        ++at_;
        continue;
      }
      if (!step(c)) {
        if (c != ' ' && c != '\t' && c != '\r') {
          line_begins_ = false;
          last_ = c;
          last_at_ = at_;
        }
        ++at_;
      }
    }
    return std::move(out_);
  }

 private:
  bool is(Language a, Language b = Language::none, Language c = Language::none) const {
    return language_ == a || language_ == b || language_ == c;
  }
  bool begins(std::string_view with) const { return text_.substr(at_, with.size()) == with; }
  char peek(std::size_t n) const { return at_ + n < text_.size() ? text_[at_ + n] : '\0'; }

  void blank(std::string& in, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < std::min(to, in.size()); ++i) {
      in[i] = in[i] == '\n' ? '\n' : ' ';
    }
  }
  void comment(std::size_t to) {
    blank(out_.code, at_, to);
    blank(out_.shown, at_, to);
    at_ = std::min(to, text_.size());
  }
  // Without the quotes, so that a string still stands there.
  void string(std::size_t quote, std::size_t to) {
    to = std::min(to, text_.size());
    blank(out_.code, at_ + quote, to > at_ + 2 * quote ? to - quote : to);
    last_ = '"';
    line_begins_ = false;
    at_ = to;
    last_at_ = to > 0 ? to - 1 : 0;
  }

  std::size_t end_of_line(std::size_t from) const { return std::min(text_.find('\n', from), text_.size()); }
  std::size_t behind(std::string_view mark, std::size_t from) const {
    const std::size_t found = text_.find(mark, from);
    return found == std::string_view::npos ? text_.size() : found + mark.size();
  }
  std::size_t behind_quote(char quote, std::size_t from, bool lines) const {
    for (std::size_t i = from; i < text_.size(); ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (text_[i] == quote) {
        return i + 1;
      } else if (text_[i] == '\n' && !lines) {
        return i;
      }
    }
    return text_.size();
  }

  bool step(char c) {
    const bool hash_comments = is(Language::python);
    if (hash_comments && c == '#') {
      return comment(end_of_line(at_)), true;
    }
    if (!hash_comments && c == '/' && peek(1) == '/') {
      return comment(end_of_line(at_)), true;
    }
    if (!hash_comments && c == '/' && peek(1) == '*') {
      return comment(language_ == Language::rust ? nested_comment() : behind("*/", at_ + 2)), true;
    }
    if (c == '#' && line_begins_ && is(Language::c, Language::cpp)) {
      return directive(), true;
    }
    if (c == '"' || c == '\'' || c == '`') {
      return quote(c);
    }
    if (c == '/' && is(Language::javascript, Language::typescript) && before_regex()) {
      return string(1, regex_end(at_)), true;
    }
    return false;
  }

  void directive() {
    std::size_t end = end_of_line(at_);
    while (end < text_.size() && end > 0 &&
           (text_[end - 1] == '\\' || (text_[end - 1] == '\r' && end > 1 && text_[end - 2] == '\\'))) {
      end = end_of_line(end + 1);
    }
    comment(end);
  }

  std::size_t nested_comment() const {
    std::size_t depth = 0, i = at_;
    for (; i < text_.size(); ++i) {
      if (text_.substr(i, 2) == "/*") {
        ++depth;
        ++i;
      } else if (text_.substr(i, 2) == "*/") {
        ++i;
        if (--depth == 0) {
          return i + 1;
        }
      }
    }
    return i;
  }

  bool quote(char c) {
    const char before = at_ > 0 ? text_[at_ - 1] : ' ';
    if (is(Language::python) && c != '`') {
      const std::string three(3, c);
      if (begins(three)) {
        std::size_t end = at_ + 3;
        while (end < text_.size() && text_.substr(end, 3) != three) {
          end += text_[end] == '\\' ? 2 : 1;
        }
        return string(3, end + 3), true;
      }
      return string(1, behind_quote(c, at_ + 1, false)), true;
    }
    if (c == '`') {
      if (is(Language::go)) {
        return string(1, behind("`", at_ + 1)), true;
      }
      if (is(Language::javascript, Language::typescript)) {
        return string(1, template_end(at_ + 1, 0)), true;
      }
      return false;
    }
    if (c == '"' && is(Language::cpp) && before == 'R') {
      const std::size_t open = text_.find('(', at_);
      if (open != std::string_view::npos && open - at_ <= 17) {
        return string(1, behind(")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"", open)), true;
      }
    }
    if (c == '"' && is(Language::rust) && (before == 'r' || before == '#')) {
      std::size_t hashes = 0;
      while (hashes < at_ && text_[at_ - 1 - hashes] == '#') {
        ++hashes;
      }
      if (hashes < at_ && text_[at_ - 1 - hashes] == 'r') {
        return string(1, behind("\"" + std::string(hashes, '#'), at_ + 1)), true;
      }
    }
    if (c == '"' && is(Language::java) && begins("\"\"\"")) {
      return string(3, behind("\"\"\"", at_ + 3)), true;
    }
    if (c == '\'' && is(Language::c, Language::cpp) && is_name_byte(before) && is_name_byte(peek(1)) && before >= '0' &&
        before <= '9') {
      return false;  // 1'000
    }
    if (c == '\'' && is(Language::rust) && peek(1) != '\\' && peek(2) != '\'') {
      return false;  // a lifetime
    }
    if (c == '\'' && is(Language::javascript, Language::typescript) && is_name_byte(before) && last_ != 'n') {
      return false;  // an apostrophe between tags
    }
    return string(1, behind_quote(c, at_ + 1, is(Language::rust) && c == '"')), true;
  }

  // Behind the ` that closes a template; what stands in ${...} is skipped with it.
  std::size_t template_end(std::size_t from, int level) const {
    for (std::size_t i = from; i < text_.size(); ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (text_[i] == '`') {
        return i + 1;
      } else if (text_[i] == '$' && i + 1 < text_.size() && text_[i + 1] == '{' && level < 8) {
        int depth = 0;
        for (++i; i < text_.size(); ++i) {
          if (text_[i] == '`') {
            i = template_end(i + 1, level + 1) - 1;
          } else if (text_[i] == '"' || text_[i] == '\'') {
            i = behind_quote(text_[i], i + 1, false) - 1;
          } else if (text_[i] == '/' && i > 0 && (text_[i - 1] == '(' || text_[i - 1] == ' ')) {
            i = regex_end(i) - 1;
          } else if (text_[i] == '{') {
            ++depth;
          } else if (text_[i] == '}' && --depth == 0) {
            break;
          }
        }
      }
    }
    return text_.size();
  }

  // Whether a slash begins a regular expression: behind what no value ends with.
  bool before_regex() const {
    if (last_ == '\0') {
      return true;
    }
    if (is_name_byte(last_)) {
      std::size_t from = last_at_;
      while (from > 0 && is_name_byte(text_[from - 1])) {
        --from;
      }
      const std::string_view word = text_.substr(from, last_at_ - from + 1);
      return word == "return" || word == "typeof" || word == "case" || word == "of" || word == "in";
    }
    return last_ != '<' && last_ != ')' && last_ != ']' && last_ != '}' && last_ != '"';
  }
  std::size_t regex_end(std::size_t from) const {
    bool in_class = false;
    for (std::size_t i = from + 1; i < std::min(text_.size(), from + regex_max); ++i) {
      const char c = text_[i];
      if (c == '\\') {
        ++i;
      } else if (c == '\n') {
        return from + 1;  // it was a division
      } else if (c == '[' || c == ']') {
        in_class = c == '[';
      } else if (c == '/' && !in_class) {
        return i + 1;
      }
    }
    return from + 1;
  }

  std::string_view text_;
  Language language_;
  CodeText out_;
  std::size_t at_ = 0;
  bool line_begins_ = true;
  char last_ = '\0';  // of the code so far
  std::size_t last_at_ = 0;
};

}  // namespace

CodeText code_text(std::string_view text, Language language) { return Blanker(text, language).run(); }

std::string one_line(std::string_view shown) {
  std::string out;
  for (const char c : shown) {
    const bool blank = ascii::is_space(c);
    if (blank && (out.empty() || out.back() == ' ')) {
      continue;
    }
    out += blank ? ' ' : c;
    if (out.size() > outline_line_max) {
      break;
    }
  }
  while (!out.empty() && out.back() == ' ') {
    out.pop_back();
  }
  if (out.size() > outline_line_max) {
    std::size_t end = outline_line_max - 3;
    while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0U) == 0x80U) {
      --end;
    }
    out = out.substr(0, end) + "...";
  }
  return out;
}

std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_name_byte(text[end])) {
    ++end;
  }
  return text.substr(at, end - at);
}

bool has_code_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !is_name_byte(text[at - 1]);
    if (begins && word_at(text, at).size() == word.size()) {
      return true;
    }
  }
  return false;
}

}  // namespace plumb::workflow
