#include "core/text/command_words.hpp"

#include "core/ascii.hpp"
#include "core/text/utf8.hpp"

namespace plumb::text {

namespace {

class Splitter {
 public:
  explicit Splitter(std::string_view line) : line_(line) {}

  Result<std::vector<std::string>> run() {
    while (at_ < line_.size()) {
      const char c = line_[at_];
      if (ascii::is_blank(c)) {
        flush();
        ++at_;
      } else if (c == '\'' || c == '"') {
        const Error error = quoted(c);
        if (!error.message.empty()) {
          return error;
        }
      } else if (c == '\\' && at_ + 1 < line_.size() && line_[at_ + 1] != '\n') {
        take(at_ + 1, 2);
      } else {
        const std::string_view sign = shell_sign();
        if (!sign.empty()) {
          return for_a_shell(sign);
        }
        take(at_, 1);
      }
      if (words_.size() > command_words_max) {
        return wrong(ErrorCode::limit, "there are more than " + std::to_string(command_words_max) + " words");
      }
    }
    flush();
    if (words_.empty() || words_.front().empty()) {
      return wrong(ErrorCode::invalid_argument, "there is no program in it");
    }
    const std::size_t equals = words_.front().find('=');
    if (equals != std::string::npos && equals > 0) {
      bool name = true;
      for (const char c : std::string_view(words_.front()).substr(0, equals)) {
        name = name && ascii::is_word(c);
      }
      if (name) {
        at_ = 0;
        return wrong(ErrorCode::invalid_argument,
                     "'" + words_.front().substr(0, equals + 1) +
                         "...' before the program sets a variable, which is for a shell: name it in 'env', or add "
                         "'shell: true'");
      }
    }
    return std::move(words_);
  }

 private:
  void take(std::size_t from, std::size_t read) {
    word_ += line_[from];
    open_ = true;
    at_ += read;
  }

  void flush() {
    if (open_) {
      words_.push_back(std::move(word_));
    }
    word_.clear();
    open_ = false;
  }

  Error wrong(ErrorCode code, std::string message) const {
    return {code, std::move(message), "", 0, utf16_length(line_.substr(0, at_)) + 1};
  }

  Error for_a_shell(std::string_view sign) const {
    const std::string shown = sign == "\n" ? "a line end" : "'" + std::string(sign) + "'";
    return wrong(ErrorCode::invalid_argument,
                 shown + " in column " + std::to_string(utf16_length(line_.substr(0, at_)) + 1) +
                     " is for a shell, and none is started: put it in single quotes, write a list of words, or add "
                     "'shell: true'");
  }

  // What a shell would take for more than a character, where one word is open or begins.
  std::string_view shell_sign() const {
    const char c = line_[at_];
    switch (c) {
      case '&':
      case '|':
      case '<':
      case '>':
        return line_.substr(at_, at_ + 1 < line_.size() && line_[at_ + 1] == c ? 2 : 1);
      case '$':
        return dollar();
      case ';':
      case '*':
      case '?':
      case '[':
      case '(':
      case ')':
      case '`':
      case '\n':
      case '\\':
        return line_.substr(at_, 1);
      case '~':
      case '#':
        return open_ ? std::string_view() : line_.substr(at_, 1);
      case '{': {
        const std::size_t end = line_.find('}', at_);
        const std::string_view inside = line_.substr(at_, end == std::string_view::npos ? 1 : end - at_ + 1);
        return inside.find(',') != std::string_view::npos || inside.find("..") != std::string_view::npos
                   ? inside
                   : std::string_view();
      }
      default:
        return {};
    }
  }

  std::string_view dollar() const {
    const char next = at_ + 1 < line_.size() ? line_[at_ + 1] : ' ';
    if (next == '(' || next == '{') {
      return line_.substr(at_, 2);
    }
    std::size_t end = at_ + 1;
    while (end < line_.size() && ascii::is_word(line_[end])) {
      ++end;
    }
    return line_.substr(at_, end - at_);
  }

  Error quoted(char quote) {
    const std::size_t from = at_++;
    open_ = true;
    while (at_ < line_.size() && line_[at_] != quote) {
      const char c = line_[at_];
      const char next = at_ + 1 < line_.size() ? line_[at_ + 1] : '\0';
      if (quote == '"' && c == '\\' && (next == '"' || next == '\\' || next == '$' || next == '`')) {
        take(at_ + 1, 2);
      } else if (quote == '"' && (c == '`' || (c == '$' && dollar().size() > 1))) {
        return for_a_shell(c == '`' ? line_.substr(at_, 1) : dollar());
      } else {
        take(at_, 1);
      }
    }
    if (at_ == line_.size()) {
      at_ = from;
      return wrong(ErrorCode::invalid_argument,
                   "the quote in column " + std::to_string(utf16_length(line_.substr(0, at_)) + 1) + " is not closed");
    }
    ++at_;
    return {ErrorCode::invalid_argument, {}, {}, 0, 0};
  }

  std::string_view line_;
  std::size_t at_ = 0;
  std::string word_;
  bool open_ = false;
  std::vector<std::string> words_;
};

}  // namespace

Result<std::vector<std::string>> command_words(std::string_view line) { return Splitter(line).run(); }

}  // namespace plumb::text
