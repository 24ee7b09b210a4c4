#include "core/extract/blocks.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/text/fold.hpp"
#include "core/text/utf8.hpp"

namespace plumb::extract {
namespace {

constexpr std::size_t heading_bytes_max = 120;
constexpr std::size_t tag_bytes_max = 48;

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
    for (; at + line.indent < to && ascii::is_blank(text[at + line.indent]); ++line.indent) {
    }
    line.text = text::trim(piece(text, line.where));
    line.indent = text[std::min(at, text.size() - 1)] == '\t' ? line.indent + 7 : line.indent;
    lines.push_back(line);
    at = end + 1;
  }
  return lines;
}

bool is_only(std::string_view text, std::string_view of) {
  return !text.empty() && text.find_first_not_of(of) == std::string_view::npos;
}

// Ends as a sentence or a clause does, and so names nothing.
bool stops(std::string_view line) {
  static constexpr std::string_view ends[] = {".", "!",  "?",  ":",  ";",  ",",  "\"", "{",
                                              "}", "。", "：", "？", "！", "、", "，"};
  return std::any_of(std::begin(ends), std::end(ends), [line](std::string_view end) { return line.ends_with(end); });
}

// Bytes of the mark of a list item, with the spaces behind it; 0 for none.
std::size_t item_mark(std::string_view line) {
  std::size_t to = 0;
  constexpr std::string_view bullet = "•";
  if (line.starts_with('-') || line.starts_with('*') || line.starts_with('+')) {
    to = 1;
  } else if (line.starts_with(bullet)) {
    to = bullet.size();
  } else {
    while (to < line.size() && to < 3 && ascii::is_digit(line[to])) {
      ++to;
    }
    if (to == 0 || to >= line.size() || (line[to] != '.' && line[to] != ')')) {
      return 0;
    }
    ++to;
  }
  const std::size_t mark = to;
  while (to < line.size() && ascii::is_blank(line[to])) {
    ++to;
  }
  return to > mark && to < line.size() ? to : 0;
}

unsigned heading_mark(std::string_view line) {
  unsigned level = 0;
  while (level < line.size() && line[level] == '#') {
    ++level;
  }
  return level >= 1 && level <= 6 && (level == line.size() || ascii::is_blank(line[level])) ? level : 0;
}

std::string_view fence(std::string_view line) {
  return line.starts_with("```") || line.starts_with("~~~") ? line.substr(0, 3) : std::string_view();
}

// Bytes of "3.1. " and the number's levels; none without a letter behind it.
std::size_t section_number(std::string_view line, unsigned& levels) {
  std::size_t at = 0;
  levels = 0;
  while (at < line.size() && ascii::is_digit(line[at])) {
    for (const std::size_t from = at; at < line.size() && at < from + 3 && ascii::is_digit(line[at]); ++at) {
    }
    ++levels;
    if (at < line.size() && line[at] == '.') {
      ++at;
    }
  }
  const std::size_t number = at;
  while (at < line.size() && line[at] == ' ') {
    ++at;
  }
  const bool pointed = number > 0 && line.substr(0, number).find('.') != std::string_view::npos;
  return pointed && at > number && at < line.size() && !ascii::is_digit(line[at]) ? at : 0;
}

// Of a table of contents: "3.1.  Fixed Header . . . . 3", or a link to a heading of the same page.
bool leads_to_page(std::string_view line) {
  return line.find(" . . .") != std::string_view::npos || line.find(".....") != std::string_view::npos ||
         line.find("](#") != std::string_view::npos;
}

// The line above or below each page: "PASSWD(5)    File Formats    PASSWD(5)", "Doe    Expires 2024    [Page 3]".
bool is_furniture(const Line& line) {
  std::size_t gaps = 0;
  for (std::size_t at = line.text.find("   "); at != std::string_view::npos; at = line.text.find("   ", at)) {
    ++gaps;
    at = line.text.find_first_not_of(' ', at);
  }
  const std::size_t last = line.text.rfind(' ');
  const std::string_view word = line.text.substr(last == std::string_view::npos ? 0 : last + 1);
  const bool page = word.size() > 3 && word.back() == ')' && ascii::is_digit(word[word.size() - 2]) &&
                    word[word.size() - 3] == '(' && ascii::is_upper(word.front());
  return (line.indent == 0 && gaps >= 2 && line.text.front() != '|') || (page && (gaps > 0 || line.indent > 30)) ||
         line.text.find("[Page ") != std::string_view::npos;
}

bool is_drawing(std::string_view line) {
  std::size_t drawn = 0;
  std::size_t all = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    all += line[i] != ' ' ? 1 : 0;
    if (static_cast<unsigned char>(line[i]) == 0xE2 && i + 2 < line.size() &&
        (line[i + 1] == '\x94' || line[i + 1] == '\x95')) {
      return true;
    }
    drawn += std::string_view("+-|=_/\\").find(line[i]) != std::string_view::npos ? 1 : 0;
  }
  return drawn >= 4 && drawn * 2 > all;
}

class BlockReader {
 public:
  BlockReader(std::string_view text, bool in_code) : text_(text), lines_(lines_of(text)) {
    if (in_code) {
      code("");
    } else if (lines_[0].text == "---") {
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

  // Takes the lines from at_ up to `end`.
  void add(BlockKind kind, std::size_t end, std::size_t mark = 0, unsigned level = 0) {
    Block block;
    block.kind = kind;
    block.level = level;
    block.where = {lines_[at_].where.from, lines_[end - 1].where.to};
    block.content = {content_of(at_, mark).from, content_of(end - 1, 0).to};
    blocks_.push_back(block);
    at_ = end;
  }

  void front_matter() {
    for (std::size_t i = 1; i < lines_.size() && i < 200; ++i) {
      if (lines_[i].text == "---") {
        add(BlockKind::other, i + 1);
        return;
      }
    }
  }

  // Fenced code from this line to its end. Without a mark the fence is any.
  void code(std::string_view mark) {
    std::size_t end = at_ + (mark.empty() ? 0 : 1);
    while (end < lines_.size() && (mark.empty() ? fence(lines_[end].text).empty() : fence(lines_[end].text) != mark)) {
      ++end;
    }
    const bool open = end >= lines_.size();
    add(BlockKind::other, open ? lines_.size() : end + 1);
    blocks_.back().fenced = open;
  }

  bool begins_block(std::size_t i) const {
    const std::string_view line = lines_[i].text;
    return line.empty() || heading_mark(line) > 0 || !fence(line).empty() || item_mark(line) > 0 || line.front() == '|';
  }

  bool is_blank(std::size_t i) const { return i >= lines_.size() || lines_[i].text.empty(); }
  bool is_blank_before() const { return at_ == 0 || lines_[at_ - 1].text.empty(); }
  bool is_lone() const { return is_blank_before() && is_blank(at_ + 1); }

  // Behind the last line of what begins here: up to a blank line or another block.
  std::size_t group_end() const {
    std::size_t end = at_ + 1;
    while (end < lines_.size() && !begins_block(end)) {
      ++end;
    }
    return end;
  }

  void next() {
    const Line& line = lines_[at_];
    unsigned levels = 0;
    if (line.text.empty()) {
      ++at_;
    } else if (const std::string_view mark = fence(line.text); !mark.empty()) {
      code(mark);
    } else if (const unsigned level = heading_mark(line.text); level > 0) {
      marked_headings_ = true;
      heading(level);
    } else if (is_drawn_row()) {
      add(BlockKind::row, at_ + 1);
    } else if ((is_only(line.text, "-*_=~ ") && line.text.size() >= 3) || is_furniture(line) || is_drawing(line.text)) {
      add(BlockKind::other, at_ + 1);
    } else if (is_contents()) {
      add(BlockKind::other, group_or_list_end());
    } else if (line.text.front() == '|') {
      const auto drawn = [this](std::size_t i) { return i < lines_.size() && lines_[i].text.starts_with("+-"); };
      const bool header = drawn(at_ + 1) || (at_ > 0 && drawn(at_ - 1)) ||
                          (at_ + 1 < lines_.size() && is_only(lines_[at_ + 1].text, "|-: "));
      add(header || is_only(line.text, "|-: ") ? BlockKind::other : BlockKind::row, at_ + 1);
    } else if (line.indent == 0 && is_lone() && !stops(line.text) && section_number(line.text, levels) > 0 &&
               line.text.size() <= heading_bytes_max) {
      add(BlockKind::heading, at_ + 1, 0, std::min(levels, 6U));
    } else if (line.indent == 0 && is_version(line.text)) {
      add(BlockKind::heading, at_ + 1, 0, 6);
    } else if (const std::size_t mark_bytes = item_mark(line.text); mark_bytes > 0) {
      add(BlockKind::item, group_end(), mark_bytes);
    } else {
      prose();
    }
  }

  // A row of a table with drawn borders, where it has one line.
  bool is_drawn_row() const {
    constexpr std::string_view bar = "│";
    const auto border = [this](std::size_t i) {
      return i < lines_.size() && lines_[i].text.size() > 3 && lines_[i].text.find("──") != std::string_view::npos;
    };
    return lines_[at_].text.starts_with(bar) && (at_ == 0 || border(at_ - 1)) &&
           (at_ + 1 >= lines_.size() || border(at_ + 1));
  }

  // Several lines in a row that lead to pages or sections, and say nothing themselves.
  bool is_contents() const {
    unsigned levels = 0;
    std::size_t numbered = 0;
    const std::size_t end = group_or_list_end();
    for (std::size_t i = at_; i < end; ++i) {
      if (leads_to_page(lines_[i].text)) {
        return true;
      }
      numbered += section_number(lines_[i].text, levels) > 0 && !stops(lines_[i].text) ? 1 : 0;
    }
    return numbered >= 3 && numbered * 4 >= (end - at_) * 3;
  }

  std::size_t group_or_list_end() const {
    std::size_t end = at_ + 1;
    while (end < lines_.size() && !lines_[end].text.empty() && heading_mark(lines_[end].text) == 0) {
      ++end;
    }
    return end;
  }

  void heading(unsigned level) {
    add(BlockKind::heading, at_ + 1, level, level);
    Block& block = blocks_.back();
    std::string_view title = text::trim(piece(text_, block.content));
    while (!title.empty() && title.back() == '#') {
      title.remove_suffix(1);
    }
    title = text::trim(title);
    const std::size_t from = title.empty() ? block.content.to : static_cast<std::size_t>(title.data() - text_.data());
    block.content = {from, from + title.size()};
  }

  void prose() {
    const Line& line = lines_[at_];
    const std::size_t end = group_end();
    const std::size_t deeper = end > at_ + 1 ? lines_[at_ + 1].indent : 0;
    if (end > at_ + 1 && is_only(lines_[at_ + 1].text, "=-") && lines_[at_ + 1].text.size() >= 2) {
      underlined(at_ + 1);
    } else if (line.indent == 0 && deeper >= 3 && is_blank_before() && !stops(line.text) &&
               line.text.size() <= tag_bytes_max) {
      add(BlockKind::heading, at_ + 1, 0, 1);
    } else if (!entry(end)) {
      paragraph(end);
    }
  }

  void underlined(std::size_t rule) {
    const unsigned level = lines_[rule].text.front() == '=' ? 1 : 2;
    add(BlockKind::heading, rule + 1, 0, level);
    blocks_.back().content.to = lines_[rule - 1].where.to;
    marked_headings_ = true;
  }

  // A tag with its explanation indented below it, or behind two blanks.
  bool entry(std::size_t end) {
    const Line& line = lines_[at_];
    if (line.indent == 0 || line.text.find(": ") != std::string_view::npos) {
      return false;
    }
    // A heading within a section of a manual page, or one right above the first tag below it.
    const std::size_t below = at_ + 1 < end ? lines_[at_ + 1].indent : 0;
    const bool tag_below = at_ + 2 < end && lines_[at_ + 1].text.size() <= tag_bytes_max &&
                           !stops(lines_[at_ + 1].text) && lines_[at_ + 2].indent >= below + 2;
    if (below > line.indent && line.text.size() <= tag_bytes_max && !stops(line.text) &&
        (tag_below || (line.indent == 3 && below == 7))) {
      add(BlockKind::heading, at_ + 1, 0, 2);
      return true;
    }
    if (at_ + 1 < end && lines_[at_ + 1].indent >= line.indent + 2 && line.text.size() <= tag_bytes_max &&
        !stops(line.text)) {
      take_entry(line.text.size(), at_ + 1, 0);
      return true;
    }
    const std::size_t tag = line.text.find("  ");
    if (tag > tag_bytes_max / 2 || stops(line.text.substr(0, tag))) {
      return false;
    }
    const std::size_t body = line.text.find_first_not_of(' ', tag);
    const bool aligned = at_ + 1 < end && lines_[at_ + 1].indent == line.indent + body;
    if (!aligned && line.text.front() != '-') {
      return false;
    }
    take_entry(tag, at_, body);
    return true;
  }

  // The explanation begins at `body` of line `first` and goes on while lines are indented as deep.
  void take_entry(std::size_t tag_bytes, std::size_t first, std::size_t body) {
    const std::size_t tag_from = content_of(at_, 0).from;
    const std::size_t indent = first == at_ ? lines_[at_].indent + body : lines_[first].indent;
    const std::size_t from = content_of(first, body).from;
    std::size_t end = first + 1;
    while (end < lines_.size() && !lines_[end].text.empty() && lines_[end].indent >= indent) {
      ++end;
    }
    add(BlockKind::entry, end);
    blocks_.back().tag = {tag_from, tag_from + tag_bytes};
    blocks_.back().content.from = from;
  }

  // "/etc/passwd - the accounts", "xz, unxz, xzcat - compress": indented, and names alone before the dash.
  bool names_by_dash(std::size_t i) const {
    const std::string_view text = lines_[i].text;
    const std::size_t dash = std::min(text.find(" - "), text.find(" — "));
    if (lines_[i].indent == 0 || dash == std::string_view::npos || dash > tag_bytes_max) {
      return false;
    }
    const std::string_view names = text.substr(0, dash);
    return names.find(". ") == std::string_view::npos &&
           std::count(names.begin(), names.end(), ' ') <= std::count(names.begin(), names.end(), ',') + 1;
  }

  void paragraph(std::size_t end) {
    const Line& line = lines_[at_];
    for (std::size_t i = at_ + 1; i < end; ++i) {
      if (is_drawing(lines_[i].text) || is_furniture(lines_[i]) || (names_by_dash(at_) && names_by_dash(i))) {
        end = i;
      } else if (i + 1 < end && is_only(lines_[i + 1].text, "=-") && lines_[i + 1].text.size() >= 2) {
        underlined(i + 1);
        return;
      }
    }
    const std::string_view whole = piece(text_, {line.where.from, lines_[end - 1].where.to});
    const bool html = line.text.front() == '<' && line.text.back() == '>';
    const bool indented = line.indent >= 4 && is_blank_before();
    // "Lamp:  A node that ...", "/etc/passwd - the accounts": an item without a mark.
    const std::size_t colon = line.text.find(":  ");
    const bool named = colon <= tag_bytes_max || names_by_dash(at_);
    add(html || (indented && is_code(whole)) ? BlockKind::other : named ? BlockKind::item : BlockKind::paragraph, end);
  }

  // A short paragraph of one line without a full stop, before a longer one.
  void find_plain_headings() {
    for (std::size_t i = 0; i + 1 < blocks_.size(); ++i) {
      Block& block = blocks_[i];
      const std::string_view title = piece(text_, block.content);
      const BlockKind after = blocks_[i + 1].kind;
      const bool lone = block.kind == BlockKind::paragraph && !title.empty() && title.size() <= heading_bytes_max &&
                        title.find('\n') == std::string_view::npos && block.where.from == block.content.from;
      if (lone && !stops(title) && (after == BlockKind::paragraph || after == BlockKind::heading)) {
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

std::vector<Block> blocks(std::string_view markdown, bool in_code) {
  return markdown.empty() ? std::vector<Block>() : BlockReader(markdown, in_code).take();
}

std::string_view without_number(std::string_view title) {
  for (const std::string_view word : {"Chapter ", "Section ", "Appendix ", "Kapitel ", "Abschnitt ", "Chapitre ",
                                      "Annexe ", "Article ", "Artikel "}) {
    if (title.starts_with(word)) {
      const std::size_t end = title.find_first_of(".: ", word.size());
      const std::size_t rest = title.find_first_not_of(".:- ", end);
      return rest == std::string_view::npos ? std::string_view() : title.substr(rest);
    }
  }
  const std::size_t roman = title.find(". ");
  if (roman != std::string_view::npos && title.substr(0, roman).find_first_not_of("IVX") == std::string_view::npos) {
    return text::trim(title.substr(roman + 1));
  }
  unsigned levels = 0;
  return title.substr(section_number(title, levels));
}

bool is_version(std::string_view title) {
  while (!title.empty() && (title.back() == ':' || title.back() == ' ')) {
    title.remove_suffix(1);
  }
  std::size_t number = std::string_view::npos;
  for (std::size_t i = 0; i + 2 < title.size() && number == std::string_view::npos; ++i) {
    const bool begins = i == 0 || title[i - 1] == ' ' || title[i - 1] == '[' || title[i - 1] == 'v' ||
                        title[i - 1] == '-' || title[i - 1] == '(';
    std::size_t end = i;
    while (end < title.size() && ascii::is_digit(title[end])) {
      ++end;
    }
    number = begins && end > i && end + 1 < title.size() && title[end] == '.' && ascii::is_digit(title[end + 1])
                 ? i
                 : number;
  }
  if (number == std::string_view::npos || title.size() > 80 || stops(title)) {
    return false;
  }
  // "2.1.5" and nothing else; a section has its title there.
  if (ascii::only(title, "0123456789.") && std::count(title.begin(), title.end(), '.') >= 2) {
    return true;
  }
  const std::string lead = text::fold(title.substr(0, number), {true, true});
  const bool said = lead == "v" || lead == "[" || lead.ends_with("version") || lead.ends_with("changes in") ||
                    lead.ends_with("release") || lead.ends_with("changes for");
  const std::string_view rest = title.substr(number);
  std::size_t digits = 0;
  for (std::size_t i = rest.find_first_of("([-:"); i < rest.size(); ++i) {
    digits += ascii::is_digit(rest[i]) ? 1 : 0;
  }
  return said || (digits >= 4 && rest.find_first_of("([-:") != std::string_view::npos);
}

bool is_code(std::string_view text) {
  std::size_t signs = 0;
  std::size_t letters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    letters += ascii::is_letter_or_beyond(c) ? 1 : 0;
    signs += std::string_view("{}[]=;<>$|\\@#&_*%").find(c) != std::string_view::npos ? 2 : 0;
    signs += ascii::is_digit(c) ? 1 : 0;
    signs += text.substr(i, 2) == "()" || text.substr(i, 2) == "::" || text.substr(i, 3) == " --" ? 4 : 0;
  }
  return signs * 6 > letters || text.find("();") != std::string_view::npos;
}

}  // namespace plumb::extract
