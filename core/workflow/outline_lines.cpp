// Go, Rust, JavaScript and TypeScript: a declaration begins a line with one of a few words, outside all brackets or, of
// a member, within those of its type alone. Python: with a few words, at the margin or at that of a class.
#include <algorithm>

#include "core/workflow/outline_code.hpp"

namespace plumb::workflow {

namespace {

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class Lines {
 public:
  Lines(const CodeText& text, Language language) : code_(text.code), shown_(text.shown), language_(language) {}

  std::vector<OutlineLine> run() {
    for (std::size_t from = 0; from < code_.size() && out_.size() < outline_lines_max;) {
      const std::size_t end = std::min(code_.find('\n', from), code_.size());
      ++number_;
      line(from, end);
      from = end + 1;
    }
    return std::move(out_);
  }

 private:
  void line(std::size_t from, std::size_t end) {
    std::size_t at = from;
    while (at < end && blank(code_[at])) {
      ++at;
    }
    const bool member = member_depth_ != 0 && depth_ == member_depth_;
    const bool group = group_depth_ != 0 && depth_ == group_depth_;
    if (at < end && (depth_ == 0 || member || group)) {
      look(at, depth_ == 0 ? 0 : member ? 1 : 0, group);
    }
    for (std::size_t i = at; i < end; ++i) {
      const char c = code_[i];
      depth_ += c == '{' || c == '(' || c == '[' ? 1 : c == '}' || c == ')' || c == ']' ? -1 : 0;
      depth_ = std::max(depth_, 0);
    }
    if (depth_ < member_depth_) {
      member_depth_ = 0;
    }
    if (depth_ < group_depth_) {
      group_depth_ = 0;
    }
  }

  void look(std::size_t at, std::uint32_t level, bool group) {
    const std::string_view rest = std::string_view(code_).substr(at);
    const bool wanted = group ? is_name_byte(rest.front()) : level == 0 ? declares(rest) : declares_member(rest);
    if (!wanted) {
      return;
    }
    // Up to its body, its value or its end.
    int round = 0;
    std::size_t size = 0;
    for (; size < rest.size(); ++size) {
      const char c = rest[size];
      round += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
      const bool ends = (c == '{' || c == ';' || c == '\n') && round <= 0;
      const bool value = c == '=' && round <= 0 &&
                         (size + 1 == rest.size() || (rest[size + 1] != '=' && rest[size + 1] != '>')) &&
                         !is_alias(rest);
      if (ends || value) {
        break;
      }
    }
    const bool opens = size < rest.size() && rest[size] == '{';
    const bool parenthesised = language_ == Language::go && opens_group(rest);
    if (level == 0 && opens && holds_members(rest.substr(0, size))) {
      member_depth_ = depth_ + 1;
    }
    if (parenthesised) {
      group_depth_ = depth_ + 1;
      return;
    }
    std::string text = one_line(std::string_view(shown_).substr(at, size));
    if (opens && holds_members(rest.substr(0, size))) {
      text += " {";
    }
    out_.push_back({number_, level, std::move(text)});
  }

  static bool opens_group(std::string_view rest) {
    const std::string_view first = word_at(rest, 0);
    std::size_t at = first.size();
    while (at < rest.size() && blank(rest[at])) {
      ++at;
    }
    return one_of(first, {"const", "var", "type"}) && at < rest.size() && rest[at] == '(';
  }

  bool is_alias(std::string_view rest) const {
    const std::string_view first = word_at(rest, 0);
    return first == "type" || (first == "export" && rest.starts_with("export type")) ||
           (first == "pub" && rest.starts_with("pub type"));
  }

  bool holds_members(std::string_view head) const {
    switch (language_) {
      case Language::rust:
        return has_code_word(head, "impl") || has_code_word(head, "trait") || has_code_word(head, "mod");
      case Language::javascript:
      case Language::typescript:
        return has_code_word(head, "class") || has_code_word(head, "interface") || has_code_word(head, "namespace");
      default:
        return false;
    }
  }

  bool declares(std::string_view rest) const {
    std::string_view first = word_at(rest, 0);
    switch (language_) {
      case Language::go:
        return one_of(first, {"func", "type", "var", "const"});
      case Language::rust: {
        while (one_of(first, {"pub", "async", "unsafe", "default", "extern", "const"})) {
          const bool value =
              first == "const" && !has_code_word(rest.substr(0, std::min<std::size_t>(rest.find('\n'), 60)), "fn");
          if (value) {
            return true;
          }
          std::size_t at = first.size();
          if (at < rest.size() && rest[at] == '(') {  // pub(crate)
            at = std::min(rest.find(')', at), rest.size() - 1) + 1;
          }
          while (at < rest.size() && (blank(rest[at]) || rest[at] == '"')) {
            ++at;
          }
          rest = rest.substr(at);
          first = word_at(rest, 0);
        }
        return one_of(first,
                      {"fn", "struct", "enum", "union", "trait", "impl", "mod", "type", "static", "macro_rules"});
      }
      default:
        if (first == "type" || first == "namespace" || first == "module" || first == "declare" || first == "abstract") {
          // A name may be called so.
          const std::size_t at = first.size();
          return language_ == Language::typescript && at + 1 < rest.size() && rest[at] == ' ' &&
                 is_name_byte(rest[at + 1]);
        }
        if (first == "async") {
          return rest.starts_with("async function");
        }
        return one_of(first, {"export", "function", "class", "const", "let", "var", "interface", "enum"});
    }
  }

  bool declares_member(std::string_view rest) const {
    if (language_ == Language::rust) {
      return declares(rest);
    }
    const char c = rest.front();
    return is_name_byte(c) || c == '#' || c == '[' || c == '*' || c == '@' || c == '(';
  }

  const std::string& code_;
  const std::string& shown_;
  Language language_;
  std::uint32_t number_ = 0;
  int depth_ = 0, member_depth_ = 0, group_depth_ = 0;
  std::vector<OutlineLine> out_;
};

}  // namespace

std::vector<OutlineLine> outline_of_lines(const CodeText& text, Language language) {
  return Lines(text, language).run();
}

std::vector<OutlineLine> outline_of_indents(const CodeText& text) {
  std::vector<OutlineLine> out;
  const std::string& code = text.code;
  std::uint32_t number = 0;
  int depth = 0;
  bool in_class = false, continued = false;
  std::size_t member_indent = 0;  // 0: the first line of the class says it
  for (std::size_t from = 0; from < code.size() && out.size() < outline_lines_max;) {
    const std::size_t end = std::min(code.find('\n', from), code.size());
    ++number;
    std::size_t at = from;
    while (at < end && blank(code[at])) {
      ++at;
    }
    if (at < end && depth == 0 && !continued) {
      const std::size_t indent = at - from;
      const std::string_view rest = std::string_view(code).substr(at);
      const std::string_view first = word_at(rest, 0);
      const bool def = first == "def" || rest.starts_with("async def ");
      if (indent == 0) {
        in_class = first == "class";
        member_indent = 0;
      } else if (in_class && member_indent == 0) {
        member_indent = indent;
      }
      const bool member = in_class && indent > 0 && indent == member_indent;
      const std::string_view line = rest.substr(0, end - at);
      const std::size_t equals = line.find('=');
      const bool name =
          indent == 0 && !first.empty() && equals != std::string_view::npos && equals > 0 && !line.starts_with("if") &&
          line.substr(0, equals).find_first_of("(<>!+-*/%&|^.[") == std::string_view::npos &&
          line.substr(equals, 2) != "==" && !one_of(first, {"if", "while", "for", "with", "assert", "return", "del"});
      if ((indent == 0 && (def || first == "class" || name)) || (member && (def || first == "class"))) {
        int round = 0;
        std::size_t size = 0;
        for (; size < rest.size(); ++size) {
          const char c = rest[size];
          round += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
          if (round == 0 && (c == '\n' || (c == ':' && !name) || (c == '=' && name))) {
            break;
          }
        }
        out.push_back({number, member ? 1U : 0U, one_line(std::string_view(text.shown).substr(at, size))});
      }
    }
    for (std::size_t i = from; i < end; ++i) {
      const char c = code[i];
      depth += c == '{' || c == '(' || c == '[' ? 1 : c == '}' || c == ')' || c == ']' ? -1 : 0;
      depth = std::max(depth, 0);
    }
    continued = end > from && code[end - 1] == '\\';
    from = end + 1;
  }
  return out;
}

}  // namespace plumb::workflow
