#include "native/search/passages.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "core/ascii.hpp"

namespace plumb::search {

namespace {

constexpr std::size_t paragraph_end_from = passage_bytes * 3 / 5;  // from here on the end of a paragraph ends a passage
constexpr std::size_t line_bytes_max = passage_bytes * 4 / 3;
constexpr std::size_t heading_bytes_max = 200;

bool is_blank(std::string_view line) { return ascii::only(line, " \t\r\f\v"); }

class Cutter {
 public:
  explicit Cutter(const Document& document) : document_(document) {}

  std::vector<Passage> cut(bool* left_out) {
    for (const DocumentLine& line : document_.lines) {
      const std::string_view text = document_.line(line);
      if (line.heading != 0) {
        end_passage();
        open(line.heading, text, line.line);
      } else if (is_blank(text)) {
        if (now_.text.size() >= paragraph_end_from) {
          end_passage();
        } else if (!now_.text.empty()) {
          add("", line.line);
        }
      } else {
        add_long(text, line.line);
      }
      if (out_.size() >= passages_max) {
        break;
      }
    }
    end_passage();
    bare_heading();
    if (left_out != nullptr) {
      *left_out = out_.size() > passages_max;
    }
    if (out_.size() > passages_max) {
      out_.resize(passages_max);
    }
    return std::move(out_);
  }

 private:
  void open(std::uint32_t level, std::string_view text, std::uint32_t line) {
    level = std::min<std::uint32_t>(level, static_cast<std::uint32_t>(path_.size()));
    // A heading with nothing under it, and that the next one does not refine, is a passage of its own.
    if (bare_level_ >= level) {
      bare_heading();
    }
    for (std::size_t i = level - 1; i < path_.size(); ++i) {
      path_[i].clear();
    }
    const std::size_t from = std::min(text.find_first_not_of(ascii::blanks), text.size());
    path_[level - 1] = std::string(text.substr(from, heading_bytes_max));
    bare_level_ = level;
    bare_line_ = line;
  }

  void bare_heading() {
    if (bare_level_ == 0) {
      return;
    }
    Passage one;
    one.text = path_[bare_level_ - 1];
    one.heading = heading();
    one.lines = {bare_line_};
    bare_level_ = 0;
    if (!one.text.empty()) {
      out_.push_back(std::move(one));
    }
  }

  std::string heading() const {
    std::string out;
    for (const std::string& one : path_) {
      if (!one.empty()) {
        out += (out.empty() ? "" : " > ") + one;
      }
    }
    return out;
  }

  void add_long(std::string_view text, std::uint32_t line) {
    while (text.size() > line_bytes_max) {
      std::size_t at = passage_bytes;
      const std::size_t sentence = text.rfind(". ", at);
      const std::size_t blank = text.rfind(' ', at);
      if (sentence != std::string_view::npos && sentence > passage_bytes / 2) {
        at = sentence + 1;
      } else if (blank != std::string_view::npos && blank > 0) {
        at = blank;
      } else {
        while (at > 1 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) {
          --at;
        }
      }
      add(text.substr(0, at), line);
      end_passage();
      text.remove_prefix(at);
    }
    add(text, line);
  }

  void add(std::string_view text, std::uint32_t line) {
    if (!now_.text.empty() && now_.text.size() + text.size() > passage_bytes) {
      end_passage();
    }
    if (now_.lines.empty() && text.empty()) {
      return;
    }
    if (!now_.lines.empty()) {
      now_.text += '\n';
    }
    now_.text += text;
    now_.lines.push_back(line);
  }

  void end_passage() {
    while (!now_.text.empty() && now_.text.back() == '\n') {
      now_.text.pop_back();
      now_.lines.pop_back();
    }
    if (!now_.text.empty()) {
      now_.heading = heading();
      out_.push_back(std::move(now_));
      bare_level_ = 0;
    }
    now_ = Passage();
  }

  const Document& document_;
  std::vector<Passage> out_;
  Passage now_;
  std::array<std::string, 6> path_;
  std::uint32_t bare_level_ = 0;  // of a heading behind which no text has come yet
  std::uint32_t bare_line_ = 0;
};

}  // namespace

std::vector<Passage> passages_of(const Document& document, bool* cut) { return Cutter(document).cut(cut); }

std::string lines_text(const std::vector<std::uint32_t>& lines) {
  bool follow = true;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    follow = follow && lines[i] == lines[i - 1] + 1;
  }
  std::string out;
  for (std::size_t i = 0; i < (follow ? std::min<std::size_t>(1, lines.size()) : lines.size()); ++i) {
    out += (i == 0 ? "" : ",") + std::to_string(lines[i]);
  }
  return out;
}

std::uint32_t line_of(std::string_view lines, std::size_t index) {
  std::uint32_t value = 0;
  std::size_t at = 0;
  for (std::size_t i = 0;; ++i) {
    const std::size_t end = std::min(lines.find(',', at), lines.size());
    std::from_chars(lines.data() + at, lines.data() + end, value);
    if (i == index) {
      return value;
    }
    if (end == lines.size()) {
      return i == 0 ? value + static_cast<std::uint32_t>(index) : value;
    }
    at = end + 1;
  }
}

}  // namespace plumb::search
