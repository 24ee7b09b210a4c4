// The source of manual pages: requests begin a line with a point, escapes with a backslash. No macro is carried out;
// the words of those that print something are kept, and everything else that begins with a point is left out.
#include <algorithm>
#include <array>
#include <utility>

#include "core/ascii.hpp"
#include "core/wording.hpp"
#include "native/search/document.hpp"

namespace plumb::search {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

using Pair = std::pair<std::string_view, std::string_view>;
constexpr std::array<Pair, 23> special_characters = {{
    {"Aq", "'"},      {"aq", "'"},      {"bu", "\u2022"}, {"bv", "|"},      {"co", "\u00A9"}, {"cq", "\u2019"},
    {"dq", "\""},     {"em", "\u2014"}, {"en", "\u2013"}, {"ga", "`"},      {"ha", "^"},      {"hy", "-"},
    {"lq", "\u201C"}, {"oq", "\u2018"}, {"pl", "+"},      {"r!", "\u00A1"}, {"rg", "\u00AE"}, {"rq", "\u201D"},
    {"rs", "\\"},     {"sl", "/"},      {"ti", "~"},      {"mu", "\u00D7"}, {"->", "\u2192"},
}};

std::string_view special(std::string_view name) {
  for (const Pair& one : special_characters) {
    if (one.first == name) {
      return one.second;
    }
  }
  return {};
}

// The name behind an escape: X, (XX or [...].
std::string_view escape_name(std::string_view line, std::size_t& at) {
  if (at >= line.size()) {
    return {};
  }
  if (line[at] == '(') {
    const std::string_view name = line.substr(at + 1, 2);
    at += 1 + name.size();
    return name;
  }
  if (line[at] == '[') {
    const std::size_t end = std::min(line.find(']', at), line.size());
    const std::string_view name = line.substr(at + 1, end - at - 1);
    at = std::min(end + 1, line.size());
    return name;
  }
  return line.substr(at++, 1);
}

// Behind \h, \v, \w and their kin: '...'.
void skip_quoted(std::string_view line, std::size_t& at) {
  if (at >= line.size()) {
    return;
  }
  const std::size_t end = line.find(line[at], at + 1);
  at = end == std::string_view::npos ? line.size() : end + 1;
}

void append_text(std::string_view line, std::string& out) {
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] != '\\' || at + 1 >= line.size()) {
      out += line[at++];
      continue;
    }
    const char c = line[at + 1];
    at += 2;
    switch (c) {
      case '"':
      case '#':
        return;  // a comment
      case 'f':
      case 'm':
      case 'F':
        escape_name(line, at);
        break;
      case 's':
        while (at < line.size() && (line[at] == '+' || line[at] == '-' || ascii::is_digit(line[at]))) {
          ++at;
        }
        break;
      case 'h':
      case 'v':
      case 'w':
      case 'l':
      case 'L':
      case 'o':
      case 'X':
        skip_quoted(line, at);
        break;
      case '(':
      case '[': {
        --at;
        out += special(escape_name(line, at));
        break;
      }
      case '*': {
        const std::string_view name = escape_name(line, at);
        out += name == "R" ? "\u00AE" : name == "C`" || name == "C'" ? "\"" : special(name);
        break;
      }
      case 'n':
        escape_name(line, at);
        break;
      case 'e':
      case '\\':
        out += '\\';
        break;
      case '~':
      case ' ':
      case '0':
        out += ' ';
        break;
      case '&':
      case '|':
      case '^':
      case '%':
      case 'c':
      case '/':
      case ',':
      case ':':
      case 'd':
      case 'u':
      case '{':
      case '}':
        break;
      default:
        out += c;
        break;
    }
  }
}

// The words behind a macro; a quoted one may hold blanks.
std::vector<std::string> arguments_of(std::string_view line) {
  std::vector<std::string> out;
  std::size_t at = 0;
  while (at < line.size() && out.size() < 64) {
    while (at < line.size() && is_space(line[at])) {
      ++at;
    }
    if (at >= line.size() || line.substr(at, 2) == "\\\"") {
      break;
    }
    std::string word;
    if (line[at] == '"') {
      for (++at; at < line.size(); ++at) {
        if (line[at] == '"') {
          if (line.substr(at, 2) != "\"\"") {
            break;
          }
          ++at;
        }
        word += line[at];
      }
      ++at;
    } else {
      while (at < line.size() && !is_space(line[at])) {
        if (line[at] == '\\' && at + 1 < line.size()) {
          word += line[at++];
        }
        word += line[at++];
      }
    }
    std::string text;
    append_text(word, text);
    out.push_back(std::move(text));
  }
  return out;
}

template <std::size_t Size>
bool one_of(const std::array<std::string_view, Size>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr std::array<std::string_view, 6> alternating = {"BR", "RB", "IR", "RI", "BI", "IB"};
constexpr std::array<std::string_view, 14> spaced = {"B",  "I",  "SM", "SB", "IP", "TP", "UR",
                                                     "MT", "HP", "OP", "SY", "TQ", "Dl", "D1"};
constexpr std::array<std::string_view, 12> breaks = {"PP", "P",  "LP", "TP", "IP", "HP",
                                                     "Pp", "It", "sp", "br", "TQ", "Bd"};
// What mdoc marks up in a line: its words are in the text.
constexpr std::array<std::string_view, 40> marked = {"Nm", "Nd", "Fl", "Ar", "Pa", "Xr", "Cm", "Op", "Dv", "Ev",
                                                     "Er", "Em", "Sy", "Li", "Ql", "Dq", "Sq", "Pq", "Qq", "Bq",
                                                     "Fn", "Ft", "Fa", "Fd", "In", "Va", "Vt", "Ic", "Ad", "An",
                                                     "St", "Tn", "Ux", "Bx", "Lk", "Mt", "Ns", "It", "Aq", "No"};

class ManReader {
 public:
  Document read(std::string_view source) {
    std::uint32_t number = 0;
    for (std::size_t from = 0; from < source.size();) {
      std::size_t end = source.find('\n', from);
      const std::size_t next = end == std::string_view::npos ? source.size() : end + 1;
      end = end == std::string_view::npos ? source.size() : end;
      line(source.substr(from, end - from), ++number);
      from = next;
    }
    return std::move(document_);
  }

 private:
  void line(std::string_view source, std::uint32_t number) {
    if (!source.empty() && source.back() == '\r') {
      source.remove_suffix(1);
    }
    if (in_definition_) {
      in_definition_ = !ends_definition(source);
    } else if (!source.empty() && (source[0] == '.' || source[0] == '\'')) {
      request(source.substr(1), number);
    } else {
      std::string text;
      append_text(source, text);
      add(text, number, 0);
    }
  }

  // ".." or, where definitions are inside others, ".  ."
  static bool ends_definition(std::string_view source) {
    if (!source.starts_with('.')) {
      return false;
    }
    const std::size_t at = source.find_first_not_of(ascii::blanks, 1);
    return at != std::string_view::npos && source[at] == '.';
  }

  void request(std::string_view rest, std::uint32_t number) {
    while (!rest.empty() && is_space(rest.front())) {
      rest.remove_prefix(1);
    }
    std::size_t end = 0;
    while (end < rest.size() && !is_space(rest[end])) {
      ++end;
    }
    const std::string_view name = rest.substr(0, end);
    rest.remove_prefix(end);
    if (name == "de" || name == "de1" || name == "am" || name == "ig") {
      in_definition_ = true;
    } else if (name == "TH" || name == "Dt") {
      const std::vector<std::string> words = arguments_of(rest);
      if (!words.empty()) {
        document_.title = words[0] + (words.size() > 1 ? "(" + words[1] + ")" : "");
      }
    } else if (name == "SH" || name == "Sh" || name == "SS" || name == "Ss") {
      add(joined(arguments_of(rest), " "), number, name[1] == 'H' || name[1] == 'h' ? 1 : 2);
    } else {
      words_of(name, rest, number);
    }
  }

  void words_of(std::string_view name, std::string_view rest, std::uint32_t number) {
    if (one_of(breaks, name)) {
      add("", number, 0);
    }
    if (one_of(alternating, name)) {
      add(joined(arguments_of(rest), ""), number, 0);
    } else if (name == "Xr") {
      const std::vector<std::string> words = arguments_of(rest);
      add(words.empty() ? "" : words[0] + (words.size() > 1 ? "(" + words[1] + ")" : ""), number, 0);
    } else if (name == "Nm") {
      const std::vector<std::string> words = arguments_of(rest);
      if (!words.empty() && name_.empty()) {
        name_ = words[0];
      }
      add(words.empty() ? name_ : joined(words, " "), number, 0);
    } else if (one_of(spaced, name)) {
      std::vector<std::string> words = arguments_of(rest);
      if ((name == "IP" || name == "TP") && words.size() > (name == "IP" ? 1U : 0U)) {
        words.resize(name == "IP" ? 1U : 0U);  // how far it is indented
      }
      add(joined(words, " "), number, 0);
    } else if (one_of(marked, name)) {
      std::vector<std::string> words = arguments_of(rest);
      std::string text;
      bool flag = name == "Fl";
      for (const std::string& word : words) {
        if (word.size() == 2 && one_of(marked, word)) {
          flag = word == "Fl";
          continue;
        }
        text += (text.empty() ? "" : " ") + std::string(flag ? "-" : "") + word;
        flag = false;
      }
      add(text, number, 0);
    }
  }

  void add(std::string_view text, std::uint32_t number, std::uint32_t heading) {
    if (text.empty() && heading == 0 &&
        (document_.lines.empty() || document_.lines.back().from == document_.lines.back().to)) {
      return;
    }
    const auto from = static_cast<std::uint32_t>(document_.text.size());
    document_.text += text;
    document_.lines.push_back({from, static_cast<std::uint32_t>(document_.text.size()), number, heading});
    document_.text += '\n';
  }

  Document document_;
  std::string name_;
  bool in_definition_ = false;
};

}  // namespace

Document man_document(std::string_view source) { return ManReader().read(source); }

}  // namespace plumb::search
