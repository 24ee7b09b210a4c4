#include "core/extract/blocks.hpp"

#include <algorithm>

#include "core/text/fold.hpp"
#include "core/text/utf8.hpp"

namespace plumb::extract {
namespace {

constexpr std::size_t heading_bytes_max = 120;

struct Line {
  TextSpan where;
  std::string_view text;  // trimmed
  std::size_t indent = 0;
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t end = text.find('\n', at);
    end = end == std::string_view::npos ? text.size() : end;
    std::size_t to = end;
    if (to > at && text[to - 1] == '\r') {
      --to;
    }
    Line line{{at, to}, {}, 0};
    while (at + line.indent < to && (text[at + line.indent] == ' ' || text[at + line.indent] == '\t')) {
      line.indent += 1;
    }
    line.text = text::trim(piece(text, line.where));
    lines.push_back(line);
    at = end + 1;
  }
  return lines;
}

bool is_only(std::string_view text, std::string_view of) {
  return !text.empty() && text.find_first_not_of(of) == std::string_view::npos;
}

// Bytes of the mark of a list item, with the spaces behind it; 0 for none.
std::size_t item_mark(std::string_view line) {
  std::size_t to = 0;
  constexpr std::string_view bullet = "\xE2\x80\xA2";
  if (line.substr(0, 1) == "-" || line.substr(0, 1) == "*" || line.substr(0, 1) == "+") {
    to = 1;
  } else if (line.substr(0, bullet.size()) == bullet) {
    to = bullet.size();
  } else {
    while (to < line.size() && to < 3 && line[to] >= '0' && line[to] <= '9') {
      ++to;
    }
    if (to == 0 || to >= line.size() || (line[to] != '.' && line[to] != ')')) {
      return 0;
    }
    ++to;
  }
  const std::size_t mark = to;
  while (to < line.size() && (line[to] == ' ' || line[to] == '\t')) {
    ++to;
  }
  return to > mark && to < line.size() ? to : 0;
}

unsigned heading_mark(std::string_view line) {
  unsigned level = 0;
  while (level < line.size() && line[level] == '#') {
    ++level;
  }
  return level >= 1 && level <= 6 && (level == line.size() || line[level] == ' ' || line[level] == '\t') ? level : 0;
}

std::string_view fence(std::string_view line) {
  return line.substr(0, 3) == "```" || line.substr(0, 3) == "~~~" ? line.substr(0, 3) : std::string_view();
}

class Reader {
 public:
  Reader(std::string_view text, bool in_code) : text_(text), lines_(lines_of(text)) {
    if (in_code) {
      code("");
    } else if (!lines_.empty() && lines_[0].text == "---") {
      front_matter();
    }
    while (at_ < lines_.size()) {
      next();
    }
    if (!marked_headings_) {
      find_plain_headings();
    }
  }

  std::vector<Block> take() { return std::move(blocks_); }

 private:
  TextSpan content_of(std::size_t line, std::size_t mark) const {
    const std::size_t from = static_cast<std::size_t>(lines_[line].text.data() - text_.data()) + mark;
    return {from, static_cast<std::size_t>(lines_[line].text.data() - text_.data()) + lines_[line].text.size()};
  }

  void add(BlockKind kind, std::size_t first, std::size_t last, std::size_t mark = 0, unsigned level = 0) {
    Block block;
    block.kind = kind;
    block.level = level;
    block.where = {lines_[first].where.from, lines_[last].where.to};
    block.content = {content_of(first, mark).from, content_of(last, 0).to};
    blocks_.push_back(block);
  }

  void front_matter() {
    for (std::size_t i = 1; i < lines_.size() && i < 200; ++i) {
      if (lines_[i].text == "---") {
        add(BlockKind::other, 0, i);
        at_ = i + 1;
        return;
      }
    }
  }

  // Fenced code from this line to its end. Without a mark the fence is any.
  void code(std::string_view mark) {
    const std::size_t first = at_;
    at_ += mark.empty() ? 0 : 1;
    while (at_ < lines_.size() && (mark.empty() ? fence(lines_[at_].text).empty() : fence(lines_[at_].text) != mark)) {
      ++at_;
    }
    const bool open = at_ >= lines_.size();
    add(BlockKind::other, first, open ? lines_.size() - 1 : at_);
    blocks_.back().fenced = open;
    at_ += open ? 0 : 1;
  }

  bool begins_block(std::size_t i) const {
    const std::string_view line = lines_[i].text;
    return line.empty() || heading_mark(line) > 0 || !fence(line).empty() || item_mark(line) > 0 || line.front() == '|';
  }

  void next() {
    const Line& line = lines_[at_];
    if (line.text.empty()) {
      ++at_;
    } else if (const std::string_view mark = fence(line.text); !mark.empty()) {
      code(mark);
    } else if (const unsigned level = heading_mark(line.text); level > 0) {
      marked_headings_ = true;
      heading(level);
    } else if (is_only(line.text, "-*_=~ ") && line.text.size() >= 3) {
      add(BlockKind::other, at_, at_);
      ++at_;
    } else if (line.text.front() == '|') {
      add(is_only(line.text, "|-: ") ? BlockKind::other : BlockKind::row, at_, at_);
      ++at_;
    } else if (const std::size_t mark_bytes = item_mark(line.text); mark_bytes > 0) {
      const std::size_t first = at_;
      ++at_;
      while (at_ < lines_.size() && !begins_block(at_)) {
        ++at_;
      }
      add(BlockKind::item, first, at_ - 1, mark_bytes);
    } else if ((line.indent >= 4 || text_[line.where.from] == '\t') && (blocks_.empty() || is_blank_before())) {
      const std::size_t first = at_;
      const bool code_block = blocks_.empty() || blocks_.back().kind != BlockKind::item;
      while (at_ < lines_.size() && !lines_[at_].text.empty() &&
             (lines_[at_].indent >= 4 || text_[lines_[at_].where.from] == '\t')) {
        ++at_;
      }
      add(code_block ? BlockKind::other : BlockKind::paragraph, first, at_ - 1);
    } else {
      paragraph();
    }
  }

  bool is_blank_before() const { return at_ > 0 && lines_[at_ - 1].text.empty(); }

  void heading(unsigned level) {
    add(BlockKind::heading, at_, at_, level, level);
    Block& block = blocks_.back();
    std::string_view title = text::trim(piece(text_, block.content));
    while (!title.empty() && title.back() == '#') {
      title.remove_suffix(1);
    }
    title = text::trim(title);
    const std::size_t from = title.empty() ? block.content.to : static_cast<std::size_t>(title.data() - text_.data());
    block.content = {from, from + title.size()};
    ++at_;
  }

  void paragraph() {
    const std::size_t first = at_;
    ++at_;
    while (at_ < lines_.size() && !begins_block(at_)) {
      if (is_only(lines_[at_].text, "=") || (is_only(lines_[at_].text, "-") && lines_[at_].text.size() >= 2)) {
        const unsigned level = lines_[at_].text.front() == '=' ? 1 : 2;
        add(BlockKind::heading, first, at_, 0, level);
        blocks_.back().content.to = lines_[at_ - 1].where.to;
        marked_headings_ = true;
        ++at_;
        return;
      }
      ++at_;
    }
    const bool html = lines_[first].text.front() == '<' && lines_[first].text.back() == '>';
    add(html ? BlockKind::other : BlockKind::paragraph, first, at_ - 1);
  }

  // A short paragraph of one line without a full stop, before a longer one.
  void find_plain_headings() {
    for (std::size_t i = 0; i + 1 < blocks_.size(); ++i) {
      Block& block = blocks_[i];
      const std::string_view title = piece(text_, block.content);
      if (block.kind != BlockKind::paragraph || title.empty() || title.size() > heading_bytes_max ||
          title.find('\n') != std::string_view::npos) {
        continue;
      }
      constexpr std::string_view ends[] = {
          ".", "!", "?", ":", ";", ",", "\xE3\x80\x82", "\xEF\xBC\x9A", "\xEF\xBC\x9F", "\xEF\xBC\x81", "\""};
      const bool stops = std::any_of(std::begin(ends), std::end(ends), [title](std::string_view end) {
        return title.size() >= end.size() && title.substr(title.size() - end.size()) == end;
      });
      const BlockKind after = blocks_[i + 1].kind;
      if (!stops && (after == BlockKind::paragraph || after == BlockKind::heading)) {
        block.kind = BlockKind::heading;
        block.level = i == 0 ? 1 : 2;
      }
    }
  }

  std::string_view text_;
  std::vector<Line> lines_;
  std::vector<Block> blocks_;
  std::size_t at_ = 0;
  bool marked_headings_ = false;
};

}  // namespace

std::vector<Block> blocks(std::string_view markdown, bool in_code) { return Reader(markdown, in_code).take(); }

}  // namespace plumb::extract
