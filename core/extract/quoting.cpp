#include "core/extract/quoting.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "core/ascii.hpp"
#include "core/text/sentences.hpp"

namespace plumb::extract {

namespace {

constexpr std::array<std::string_view, 20> back_words = {
    "this",    "these",        "those",     "it",         "its",      "they",      "them",
    "their",   "such",         "therefore", "thus",       "although", "otherwise", "likewise",
    "instead", "nevertheless", "both",      "conversely", "moreover", "he"};
constexpr std::string_view list_marks = "-*+";

std::set<std::string> word_set(std::string_view text) {
  const text::Words words(text, 400);
  std::set<std::string> out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    out.emplace(words.folded(i));
  }
  return out;
}

std::string row_as_sentence(std::string_view row) {
  std::string out;
  std::size_t cells = 0;
  for (std::size_t from = 1; from < row.size();) {
    // "\|" is a bar in a cell.
    std::size_t bar = row.find('|', from);
    while (bar != std::string_view::npos && row[bar - 1] == '\\') {
      bar = row.find('|', bar + 1);
    }
    const std::size_t to = std::min(bar, row.size());
    if (const std::string_view cell = ascii::trim(row.substr(from, to - from)); !cell.empty()) {
      out += cells == 0 ? "" : cells == 1 ? ": " : "; ";
      out += cell;
      ++cells;
    }
    from = to + 1;
  }
  return out;
}

// Where a line begins with the mark of a list: how many bytes the mark and the blanks around it take.
std::size_t mark_size(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && ascii::is_blank(text[at])) {
    ++at;
  }
  const bool mark = at + 1 < text.size() && list_marks.find(text[at]) != std::string_view::npos && text[at + 1] == ' ';
  return mark ? at + 2 : 0;
}

}  // namespace

bool points_back(std::string_view sentence) {
  const text::Words words(sentence, 2);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (std::find(back_words.begin(), back_words.end(), words.folded(i)) != back_words.end()) {
      return true;
    }
  }
  return false;
}

bool points_at_subject(std::string_view sentence) {
  constexpr std::size_t words_most = 8;
  constexpr std::array<std::string_view, 4> said = {"specified", "set", "given", "used"};
  const text::Words words(sentence, words_most + 1);
  if (words.size() < 2) {
    return false;
  }
  const std::string_view first = words.folded(0);
  const std::string_view second = words.folded(1);
  const bool is_short = words.size() <= words_most;
  // "If not specified", "If this option is not set"
  bool unless = false;
  for (std::size_t i = 1; i + 1 < words.size() && first == "if"; ++i) {
    unless =
        unless || (words.folded(i) == "not" && std::find(said.begin(), said.end(), words.folded(i + 1)) != said.end());
  }
  return unless || (is_short && ((first == "the" && second == "default") || (first == "default" && second == "is") ||
                                 (first == "defaults" && second == "to")));
}

bool points_on(std::string_view sentence) {
  sentence = ascii::trim(sentence);
  return !sentence.empty() && sentence.back() == ':';
}

bool is_notation(std::string_view text) {
  const auto signs = static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return std::string_view("{}[]\"=;<>").find(c) != std::string_view::npos;
  }));
  return text.find("```") != std::string_view::npos ||
         (text.find('{') != std::string_view::npos ? signs * 12 : signs * 6) > text.size();
}

bool is_table_row(std::string_view line) {
  line = ascii::trim(line);
  return line.size() > 2 && line.front() == '|' && line.back() == '|' && line.find('\n') == std::string_view::npos;
}

bool says_the_same(std::string_view one, std::string_view other) {
  constexpr std::size_t words_min = 8;
  const std::set<std::string> a = word_set(one);
  const std::set<std::string> b = word_set(other);
  const auto common = static_cast<std::size_t>(
      std::count_if(a.begin(), a.end(), [&](const std::string& word) { return b.count(word) > 0; }));
  // Two short options may differ in one word and say another thing.
  const std::size_t smaller = std::min(a.size(), b.size());
  return smaller < words_min ? a == b : common * 100 >= smaller * 85;
}

std::string as_line(std::string_view quote) {
  std::string out;
  for (const char c : quote) {
    const bool space = ascii::is_space(c);
    if (!space || (!out.empty() && out.back() != ' ')) {
      out += space ? ' ' : c;
    }
  }
  while (!out.empty() && out.back() == ' ') {
    out.pop_back();
  }
  std::size_t from = 0;
  while (from < out.size() && std::string_view("-*+#> ").find(out[from]) != std::string_view::npos &&
         (out[from] == ' ' || out[from] == '#' || (from + 1 < out.size() && out[from + 1] == ' '))) {
    ++from;
  }
  return from < out.size() ? out.substr(from) : out;
}

std::string as_claim(std::string_view quote) {
  if (is_table_row(quote)) {
    if (std::string row = row_as_sentence(ascii::trim(quote)); !row.empty()) {
      return row;
    }
  }
  std::string flat;
  for (std::size_t at = 0; at < quote.size(); ++at) {
    const std::size_t mark = quote[at] == '\n' ? mark_size(quote.substr(at + 1)) : 0;
    if (mark > 0) {
      flat.resize(ascii::trim_back(flat).size());
      const bool joined = flat.empty() || std::string_view(":;,.").find(flat.back()) != std::string_view::npos;
      flat += joined ? " " : "; ";
      at += mark;
    } else {
      flat += quote[at];
    }
  }
  return as_line(flat);
}

}  // namespace plumb::extract
