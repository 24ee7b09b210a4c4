#include "core/workflow/shell_commands.hpp"

#include <algorithm>

#include "core/ascii.hpp"

namespace plumb::workflow {

namespace {

constexpr std::size_t commands_max = 5'000;
constexpr std::size_t depth_max = 5;  // of `$(...)` in each other

// Words before a command that are no part of it.
constexpr std::string_view keywords[] = {"if", "then", "else", "elif", "do", "while", "until", "!", "{", "(", "time"};

class Reader {
 public:
  explicit Reader(std::string_view text, std::size_t depth = 0) : text_(text), depth_(depth) {}

  std::vector<std::vector<std::string>> run() {
    while (at_ < text_.size() && out_.size() < commands_max) {
      const char c = text_[at_];
      if (c == '#' && !in_word_) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '\\') {
        escaped();
      } else if (c == '\'' || c == '"') {
        quoted(c);
      } else if (c == '$' && next() == '(') {
        substituted();
      } else if (c == '<' || c == '>') {
        redirected();
      } else if (c == '\n') {
        end_command();
        ++at_;
        skip_documents();
      } else if (c == ';' || c == '|' || c == '&' || c == '(' || c == ')' || c == '`') {
        end_command();
        ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        end_word();
        ++at_;
      } else {
        put(c);
        ++at_;
      }
    }
    end_command();
    for (const std::string& one : inner_) {
      if (out_.size() < commands_max && depth_ < depth_max) {
        for (std::vector<std::string>& command : Reader(one, depth_ + 1).run()) {
          out_.push_back(std::move(command));
        }
      }
    }
    return std::move(out_);
  }

 private:
  char next() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0'; }

  void put(char c) {
    word_ += c;
    in_word_ = true;
  }

  void escaped() {
    if (next() != '\n' && at_ + 1 < text_.size()) {
      put(next());
    }
    at_ += 2;
  }

  void quoted(char quote) {
    in_word_ = true;
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size()) {
        put(text_[++at_]);
      } else if (quote == '"' && text_[at_] == '$' && next() == '(') {
        substituted();
        --at_;
      } else {
        put(text_[at_]);
      }
    }
    ++at_;
  }

  // "$(...)" stays in its word, and its text is read as commands too.
  void substituted() {
    const std::size_t from = at_;
    std::size_t depth = 0;
    for (; at_ < text_.size(); ++at_) {
      depth += text_[at_] == '(' ? 1 : 0;
      depth -= text_[at_] == ')' ? 1 : 0;
      if (text_[at_] == ')' && depth == 0) {
        break;
      }
    }
    at_ = std::min(at_ + 1, text_.size());
    const std::string_view whole = text_.substr(from, at_ - from);
    word_ += whole;
    in_word_ = true;
    if (whole.size() > 3) {
      inner_.emplace_back(whole.substr(2, whole.size() - 3));
    }
  }

  void redirected() {
    if (ascii::only(word_, ascii::digits)) {
      word_.clear();
      in_word_ = false;
    }
    end_word();
    const std::string_view rest = text_.substr(at_);
    const bool document = rest.starts_with("<<") && !rest.starts_with("<<<");
    const bool input = rest.starts_with("<") && rest.find_first_of("<>&|-(", 1) != 1;
    at_ = std::min(text_.find_first_not_of("<>&|-", at_), text_.size());
    target_ = document ? Target::document : input ? Target::input : Target::file;
  }

  // The lines of here-documents that the line before began.
  void skip_documents() {
    for (const std::string& end : documents_) {
      while (at_ < text_.size()) {
        const std::size_t line_end = std::min(text_.find('\n', at_), text_.size());
        std::string_view line = text_.substr(at_, line_end - at_);
        at_ = std::min(line_end + 1, text_.size());
        line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
        if (line == end) {
          break;
        }
      }
    }
    documents_.clear();
  }

  void end_word() {
    if (!in_word_) {
      return;
    }
    if (target_ == Target::document) {
      documents_.push_back(word_);
    } else if (target_ == Target::input) {
      command_.push_back(input_mark + word_);
    } else if (target_ == Target::none) {
      const bool leads =
          command_.empty() && std::find(std::begin(keywords), std::end(keywords), word_) != std::end(keywords);
      if (!leads) {
        command_.push_back(word_);
      }
    }
    target_ = Target::none;
    word_.clear();
    in_word_ = false;
  }

  void end_command() {
    end_word();
    target_ = Target::none;
    if (!command_.empty()) {
      out_.push_back(std::move(command_));
    }
    command_.clear();
  }

  enum class Target { none, file, input, document };

  std::string_view text_;
  std::size_t depth_ = 0;
  std::size_t at_ = 0;
  std::string word_;
  bool in_word_ = false;
  Target target_ = Target::none;  // what the next word is
  std::vector<std::string> command_, documents_, inner_;
  std::vector<std::vector<std::string>> out_;
};

}  // namespace

std::vector<std::vector<std::string>> shell_commands(std::string_view text) { return Reader(text).run(); }

}  // namespace plumb::workflow
