// Plain text and Markdown: the bytes stay as they are, only headings are found.
#include <algorithm>
#include <cctype>
#include <utility>

#include "core/ascii.hpp"
#include "native/search/document.hpp"

namespace plumb::search {

namespace {

constexpr std::size_t heading_bytes_max = 120;
constexpr std::uint32_t pages_max = 100'000;  // what comes after is in the last

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && is_space(line.front())) {
    line.remove_prefix(1);
  }
  while (!line.empty() && is_space(line.back())) {
    line.remove_suffix(1);
  }
  return line;
}

std::vector<DocumentLine> lines_of(std::string_view text) {
  std::vector<DocumentLine> lines;
  lines.reserve(text.size() / 40 + 1);
  std::uint32_t number = 0;
  for (std::size_t from = 0; from < text.size();) {
    std::size_t end = text.find('\n', from);
    const std::size_t next = end == std::string_view::npos ? text.size() : end + 1;
    end = end == std::string_view::npos ? text.size() : end;
    while (end > from && text[end - 1] == '\r') {
      --end;
    }
    ++number;
    // Of blank lines one is enough: it ends a paragraph.
    if (end > from || lines.empty() || lines.back().to > lines.back().from) {
      lines.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(end), number, 0});
    }
    from = next;
  }
  return lines;
}

// The character that underlines, or 0: "====", "----", "~~~~".
char underline(std::string_view line) {
  const std::string_view t = trimmed(line);
  if (t.size() < 3 || std::string_view("=-~^*#\"").find(t.front()) == std::string_view::npos) {
    return 0;
  }
  return std::all_of(t.begin(), t.end(), [&](char c) { return c == t.front(); }) ? t.front() : '\0';
}

// "3.", "3.2", "A.1": how many parts the number at the beginning has, or 0.
std::uint32_t numbered(std::string_view line) {
  std::size_t at = 0;
  std::uint32_t parts = 0;
  while (at < line.size()) {
    const std::size_t begin = at;
    while (at < line.size() && ascii::is_digit(line[at])) {
      ++at;
    }
    if (at == begin || at - begin > 3) {
      return 0;
    }
    ++parts;
    if (at < line.size() && line[at] == '.') {
      ++at;
      if (at < line.size() && ascii::is_digit(line[at])) {
        continue;
      }
    } else if (parts == 1) {
      return 0;  // "12 apples"
    }
    break;
  }
  while (at < line.size() && is_space(line[at])) {
    ++at;
  }
  return parts > 0 && at < line.size() && ascii::is_upper(line[at]) ? parts : 0;
}

bool in_capitals(std::string_view line) {
  const auto upper = std::count_if(line.begin(), line.end(), ascii::is_upper<char>);
  return upper >= 3 && std::none_of(line.begin(), line.end(), ascii::is_lower<char>);
}

bool ends_a_sentence(std::string_view line) {
  return std::string_view(".,;:").find(line.back()) != std::string_view::npos;
}

// The level that the underlining character has got in this document: in the order in which they come.
std::uint32_t level_of(char mark, std::string& marks) {
  std::size_t at = marks.find(mark);
  if (at == std::string::npos) {
    at = marks.size();
    marks += mark;
  }
  return static_cast<std::uint32_t>(std::min<std::size_t>(at + 1, 6));
}

// Marks line i as a heading where the next one underlines it; the underline becomes an empty line.
bool take_underlined(Document& document, std::size_t i, std::string& marks) {
  if (i + 1 >= document.lines.size()) {
    return false;
  }
  const std::string_view line = trimmed(document.line(document.lines[i]));
  DocumentLine& below = document.lines[i + 1];
  const char mark = underline(document.line(below));
  if (mark == 0 || line.empty() || line.size() > heading_bytes_max || underline(line) != 0 ||
      trimmed(document.line(below)).size() + 2 < line.size()) {
    return false;
  }
  document.lines[i].heading = level_of(mark, marks);
  below.to = below.from;
  return true;
}

bool blank(const Document& document, std::size_t i) {
  return i >= document.lines.size() || trimmed(document.line(document.lines[i])).empty();
}

void take_title(Document& document) {
  for (const DocumentLine& line : document.lines) {
    if (line.heading != 0) {
      document.title = std::string(trimmed(document.line(line)));
      return;
    }
  }
}

}  // namespace

Document plain_document(std::string text) {
  Document document;
  document.text = std::move(text);
  document.lines = lines_of(document.text);
  std::string marks;
  for (std::size_t i = 0; i < document.lines.size(); ++i) {
    DocumentLine& one = document.lines[i];
    const std::string_view whole = document.line(one);
    const std::string_view line = trimmed(whole);
    if (line.empty() || line.size() > heading_bytes_max) {
      continue;
    }
    if (take_underlined(document, i, marks)) {
      ++i;
      continue;
    }
    if ((i > 0 && !blank(document, i - 1)) || !blank(document, i + 1) || ends_a_sentence(line) || is_space(whole[0])) {
      continue;
    }
    if (const std::uint32_t parts = numbered(line); parts > 0) {
      one.heading = std::min(parts, 6U);
    } else if (in_capitals(line)) {
      one.heading = 1;
    }
  }
  // Without marks a heading is guessed: one that has a number, or comes late, is that of a chapter.
  take_title(document);
  constexpr std::size_t title_lines = 20;
  const auto titled = std::find_if(document.lines.begin(), document.lines.end(),
                                   [](const DocumentLine& line) { return line.heading != 0; });
  if (titled - document.lines.begin() > static_cast<std::ptrdiff_t>(title_lines) || numbered(document.title) > 0) {
    document.title.clear();
  }
  return document;
}

Document markdown_document(std::string text) {
  Document document;
  document.text = std::move(text);
  document.lines = lines_of(document.text);
  std::string marks = "=-";
  char fence = 0;
  for (std::size_t i = 0; i < document.lines.size(); ++i) {
    DocumentLine& one = document.lines[i];
    const std::string_view line = trimmed(document.line(one));
    if (line.starts_with("```") || line.starts_with("~~~")) {
      fence = fence == 0 ? line[0] : fence == line[0] ? '\0' : fence;
      continue;
    }
    if (fence != 0 || line.empty()) {
      continue;
    }
    std::size_t level = 0;
    while (level < line.size() && line[level] == '#') {
      ++level;
    }
    if (level > 0 && level <= 6 && level < line.size() && is_space(line[level])) {
      one.heading = static_cast<std::uint32_t>(level);
      std::string_view words = trimmed(line.substr(level));
      while (!words.empty() && (words.back() == '#' || is_space(words.back()))) {
        words.remove_suffix(1);
      }
      one.from = static_cast<std::uint32_t>(words.data() - document.text.data());
      one.to = one.from + static_cast<std::uint32_t>(words.size());
    } else if (line[0] != '-' && line[0] != '|' && line[0] != '>' && (i == 0 || blank(document, i - 1)) &&
               i + 1 < document.lines.size() &&
               std::string_view("=-").find(underline(document.line(document.lines[i + 1]))) != std::string_view::npos &&
               take_underlined(document, i, marks)) {
      ++i;
    }
  }
  take_title(document);
  return document;
}

Document paged_document(std::string text) {
  Document document;
  std::uint32_t page = 1;
  auto add_page = [&](std::uint32_t line) {
    if (page > pages_max) {
      return;
    }
    const auto from = static_cast<std::uint32_t>(document.text.size());
    document.text += "page " + std::to_string(page++);
    document.lines.push_back({from, static_cast<std::uint32_t>(document.text.size()), line, 1});
    document.text += '\n';
  };
  add_page(1);
  std::uint32_t number = 1;
  for (std::size_t from = 0; from < text.size(); ++number) {
    std::size_t end = text.find('\n', from);
    const std::size_t next = end == std::string::npos ? text.size() : end + 1;
    end = end == std::string::npos ? text.size() : end;
    while (from < end && text[from] == '\f') {
      ++from;
      if (from < text.size()) {
        add_page(number);
      }
    }
    const auto begin = static_cast<std::uint32_t>(document.text.size());
    document.text.append(text, from, end - from);
    document.lines.push_back({begin, static_cast<std::uint32_t>(document.text.size()), number, 0});
    document.text += '\n';
    from = next;
  }
  for (const DocumentLine& line : document.lines) {
    const std::string_view words = trimmed(document.line(line));
    if (line.heading == 0 && !words.empty()) {
      document.title = std::string(words.substr(0, heading_bytes_max));
      break;
    }
  }
  return document;
}

}  // namespace plumb::search
