// C, C++ and Java: what stands between ; { and } at the top of the file, of a namespace or of a type is a statement,
// and most of these are declarations.
#include <algorithm>
#include <array>

#include "core/ascii.hpp"
#include "core/workflow/outline_code.hpp"

namespace plumb::workflow {

namespace {

constexpr std::size_t head_max = 4'000;  // of a statement before its brace; beyond, it is taken for a value

enum class Scope : std::uint8_t { open, type, body };  // open: declarations of the file's own level stand in it

class Statements {
 public:
  Statements(const CodeText& text, Language language)
      : code_(text.code), shown_(text.shown), java_(language == Language::java) {}

  std::vector<OutlineLine> run() {
    scopes_.push_back(Scope::open);
    for (at_ = 0; at_ < code_.size() && out_.size() < outline_lines_max; ++at_) {
      const char c = code_[at_];
      if (c == '\n') {
        ++line_;
      }
      if (scopes_.back() == Scope::body) {
        in_body(c);
      } else {
        outside(c);
      }
    }
    return std::move(out_);
  }

 private:
  void in_body(char c) {
    if (c == '{') {
      ++braces_;
    } else if (c == '}' && --braces_ == 0) {
      scopes_.pop_back();
      // A value in braces is followed by more of its statement; a body ends it.
      if (!value_) {
        begin_anew();
      }
      value_ = false;
    }
  }

  void outside(char c) {
    if (!begun_) {
      if (ascii::is_space(c) || c == ';') {
        return;
      }
      begun_ = c != '}';
      from_ = at_;
      first_line_ = line_;
    }
    switch (c) {
      case '(':
      case '[':
        ++round_;
        break;
      case ')':
      case ']':
        round_ -= round_ > 0 ? 1 : 0;
        break;
      case ';':
        if (round_ == 0) {
          emit(false);
          begin_anew();
        }
        break;
      case ':':
        if (round_ == 0 && !java_ && is_label()) {
          begin_anew();
        }
        break;
      case '{':
        open_brace();
        break;
      case '}':
        if (scopes_.size() > 1) {
          scopes_.pop_back();
        }
        begin_anew();
        // What follows a type up to its ; are names, or nothing.
        if (closed_type_.size() > scopes_.size() && closed_type_[scopes_.size()] && !java_) {
          skip_names();
        }
        break;
      default:
        break;
    }
  }

  void begin_anew() {
    begun_ = false;
    round_ = 0;
  }

  void skip_names() {
    const std::size_t end = code_.find(';', at_ + 1);
    const std::size_t stop = std::min(code_.find_first_of("{}", at_ + 1), code_.size());
    if (end != std::string::npos && end < stop) {
      line_ += static_cast<std::uint32_t>(std::count(code_.begin() + static_cast<std::ptrdiff_t>(at_) + 1,
                                                     code_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
      at_ = end;
    }
  }

  bool is_label() const {
    const std::string_view head = this->head();
    return head == "public" || head == "private" || head == "protected";
  }

  std::string_view head() const {
    std::string_view out = std::string_view(code_).substr(from_, at_ - from_);
    out = ascii::trim_back(out);
    return out;
  }

  void open_brace() {
    if (at_ - from_ > head_max) {
      return enter_value();
    }
    const std::string_view whole = head();
    const std::string_view head = without_prefixes(whole);
    if (round_ > 0) {
      return enter_value();
    }
    const std::string_view first = word_at(head, 0);
    if (!java_ && (first == "namespace" || (first == "inline" && has_code_word(head, "namespace")) ||
                   (head.starts_with("extern \"") && head.back() == '"'))) {
      scopes_.push_back(Scope::open);
      mark_type(false);
      return begin_anew();
    }
    const bool has_round = head.find('(') != std::string_view::npos;
    const bool equals = has_equals(head);
    if (is_type(head) && !equals && (!has_round || java_ || only_attributes(head))) {
      emit(true);
      const bool values = has_code_word(head, "enum");
      scopes_.push_back(Scope::type);
      mark_type(true);
      begin_anew();
      if (values && !java_) {  // enumerators are no members
        skip_enumerators();
      }
      return;
    }
    if (java_ && scopes_.back() == Scope::type && !has_round) {
      scopes_.push_back(Scope::body);  // static {, or constants of an enum
      braces_ = 1;
      return;
    }
    if (equals || !has_round || is_member_value(head)) {
      return enter_value();
    }
    emit(true);
    enter_body(false);
  }

  void enter_value() { enter_body(true); }
  void enter_body(bool value) {
    scopes_.push_back(Scope::body);
    braces_ = 1;
    value_ = value;
  }
  void mark_type(bool type) {
    closed_type_.resize(std::max(closed_type_.size(), scopes_.size()));
    closed_type_[scopes_.size() - 1] = type;
  }

  void skip_enumerators() {
    const std::size_t end = std::min(code_.find('}', at_), code_.size());
    line_ += static_cast<std::uint32_t>(std::count(code_.begin() + static_cast<std::ptrdiff_t>(at_),
                                                   code_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at_ = end - (end > 0 ? 1 : 0);
  }

  // Behind template<...>, [[...]], and words that say nothing of what is declared.
  std::string_view without_prefixes(std::string_view head) const {
    for (;;) {
      head = ascii::trim_front(head);
      const std::string_view word = word_at(head, 0);
      constexpr std::array<std::string_view, 14> words = {"typedef",   "static",  "constexpr", "export",   "public",
                                                          "protected", "private", "final",     "abstract", "sealed",
                                                          "friend",    "const",   "strictfp",  "volatile"};
      if (word == "template" || (word == "requires" && head.find('(') == std::string_view::npos)) {
        const std::size_t end = angle_end(head, word.size());
        if (end == 0) {
          return head;
        }
        head.remove_prefix(end);
      } else if (head.starts_with("[[")) {
        const std::size_t end = head.find("]]");
        if (end == std::string_view::npos) {
          return head;
        }
        head.remove_prefix(end + 2);
      } else if (java_ && !head.empty() && head.front() == '@' && !head.starts_with("@interface")) {
        std::size_t end = 1 + word_at(head, 1).size();
        while (end < head.size() && head[end] == '.') {
          end += 1 + word_at(head, end + 1).size();
        }
        if (end < head.size() && head[end] == '(') {
          end = std::min(head.find(')', end), head.size() - 1) + 1;
        }
        head.remove_prefix(end);
      } else if (std::find(words.begin(), words.end(), word) != words.end()) {
        head.remove_prefix(word.size());
      } else {
        return head;
      }
    }
  }

  static std::size_t angle_end(std::string_view head, std::size_t from) {
    int depth = 0;
    for (std::size_t i = from; i < head.size(); ++i) {
      depth += head[i] == '<' ? 1 : head[i] == '>' && (i == 0 || head[i - 1] != '-') ? -1 : 0;
      if (depth == 0 && head[i] == '>') {
        return i + 1;
      }
    }
    return 0;
  }

  bool is_type(std::string_view head) const {
    const std::string_view first = word_at(head, 0);
    if (java_) {
      return first == "class" || first == "interface" || first == "enum" || first == "record" ||
             head.starts_with("@interface");
    }
    return first == "class" || first == "struct" || first == "union" || first == "enum";
  }

  static bool only_attributes(std::string_view head) {
    const std::size_t open = head.find('(');
    const std::string_view before = head.substr(0, open);
    return has_code_word(before, "alignas") || has_code_word(before, "__attribute__") ||
           has_code_word(before, "__declspec");
  }

  // An = outside brackets that is no part of a comparison or an operator's name.
  static bool has_equals(std::string_view head) {
    int depth = 0;
    for (std::size_t i = 0; i < head.size(); ++i) {
      const char c = head[i];
      depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
      if (c != '=' || depth != 0) {
        continue;
      }
      const char before = i > 0 ? head[i - 1] : ' ', after = i + 1 < head.size() ? head[i + 1] : ' ';
      const std::size_t named = head.substr(0, i).rfind("operator");
      const bool name = named != std::string_view::npos && head.find('(', named) > i;
      if (!name && after != '=' && before != '=' && before != '<' && before != '>' && before != '!') {
        return true;
      }
    }
    return false;
  }

  // `A() : x_{` and `A() : x_(1), y_{`: braces of a member, not of the body.
  static bool is_member_value(std::string_view head) {
    if (head.empty() || !(is_name_byte(head.back()) || head.back() == '>')) {
      return false;
    }
    int depth = 0;
    bool closed = false;
    for (std::size_t i = 0; i < head.size(); ++i) {
      const char c = head[i];
      depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
      closed = closed || (c == ')' && depth == 0);
      const bool single =
          c == ':' && depth == 0 && closed && (i + 1 == head.size() || head[i + 1] != ':') && head[i - 1] != ':';
      if (single) {
        return true;
      }
    }
    return false;
  }

  void emit(bool with_body) {
    const std::string_view head = this->head().substr(0, head_max);
    const std::string_view plain = without_prefixes(head);
    const std::string_view first = word_at(plain, 0);
    if (plain.empty() ||
        !(is_name_byte(plain.front()) || plain.front() == '~' || plain.front() == '@' || plain.front() == ':')) {
      return;
    }
    if (first == "static_assert" || first == "import" || first == "package" || first == "return" ||
        (first == "using" && has_code_word(plain, "namespace"))) {
      return;
    }
    std::uint32_t level = 0;
    for (const Scope scope : scopes_) {
      level += scope == Scope::type ? 1 : 0;
    }
    if (level > 1) {
      return;
    }
    // A value is not shown.
    std::string_view shown = std::string_view(shown_).substr(from_, at_ - from_);
    if (!with_body) {
      int depth = 0;
      for (std::size_t i = 0; i < head.size() && has_equals(head) && first != "using"; ++i) {
        depth += head[i] == '(' || head[i] == '[' || head[i] == '<'   ? 1
                 : head[i] == ')' || head[i] == ']' || head[i] == '>' ? -1
                                                                      : 0;
        if (depth == 0 && head[i] == '=' && i > 0) {
          shown = shown.substr(0, i);
          break;
        }
      }
    }
    std::string text = one_line(shown);
    text += with_body && is_type(plain) ? " {" : ";";
    out_.push_back({first_line_, level, std::move(text)});
  }

  const std::string& code_;
  const std::string& shown_;
  bool java_;
  std::size_t at_ = 0, from_ = 0;
  std::uint32_t line_ = 1, first_line_ = 1;
  bool begun_ = false, value_ = false;
  int round_ = 0, braces_ = 0;
  std::vector<Scope> scopes_;
  std::vector<bool> closed_type_;
  std::vector<OutlineLine> out_;
};

}  // namespace

std::vector<OutlineLine> outline_of_statements(const CodeText& text, Language language) {
  return Statements(text, language).run();
}

}  // namespace plumb::workflow
