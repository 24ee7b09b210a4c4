// Twee 3 with SugarCube's macros. Text that SugarCube or Twee would take for markup is written as numeric entities,
// which SugarCube shows as the characters they name. Links are [[label->passage]] where the label can be nothing but
// text (SugarCube evaluates a label that is an expression), else <<link "label" "passage">><</link>>. How entities
// appear by what is held (overlays) stands in paragraphs of their own, never in the prose.
#include <algorithm>
#include <array>

#include "core/ascii.hpp"
#include "core/json/writer.hpp"
#include "core/story/looks.hpp"
#include "core/story/ship.hpp"
#include "core/story/ship_parts.hpp"
#include "core/text/utf8.hpp"

namespace plumb::story {

namespace {

// Two words side by side that are no operators: no expression, whatever stands around them.
bool is_plain_label(std::string_view label) {
  constexpr std::array<std::string_view, 44> operators = {
      "is",    "isnot", "not",  "and",     "or",     "eq",       "neq",    "gt",         "gte",    "lt",    "lte",
      "to",    "def",   "ndef", "new",     "typeof", "void",     "in",     "instanceof", "delete", "async", "await",
      "yield", "let",   "var",  "const",   "class",  "function", "return", "throw",      "if",     "for",   "while",
      "do",    "else",  "case", "default", "break",  "continue", "get",    "set",        "static", "of",    "extends"};
  std::string last, word;
  bool words = false, blank_between = false;
  for (std::size_t i = 0; i <= label.size(); ++i) {
    const char c = i < label.size() ? label[i] : ' ';
    const bool other = static_cast<unsigned char>(c) >= 0x80;
    if (!(ascii::is_letter(c) || ascii::is_digit(c) || other || c == ' ' || c == ',' || c == '.' || c == '!' ||
          c == '?' || c == ';')) {
      return false;
    }
    if (ascii::is_letter(c)) {
      word += c;
      continue;
    }
    if (!word.empty()) {
      const bool is_operator = std::find(operators.begin(), operators.end(), word) != operators.end();
      words = words || (blank_between && !last.empty() && !is_operator);
      last = is_operator ? "" : word;
      word.clear();
      blank_between = true;
    }
    if (c != ' ') {
      last.clear();
    }
  }
  return words && label.front() != ' ' && label.back() != ' ';
}

void entity(std::string& out, char c) {
  out += "&#" + std::to_string(static_cast<unsigned>(static_cast<unsigned char>(c))) + ";";
}

std::string quoted_label(std::string_view label) {
  std::string out;
  for (const char c : label) {
    if (ascii::is_letter(c) || ascii::is_digit(c) || c == ' ' || c == ',' || c == '.' ||
        static_cast<unsigned char>(c) >= 0x80) {
      out += c;
    } else {
      entity(out, c);
    }
  }
  return out;
}

std::string link(const Route& route) {
  return is_plain_label(route.label) ? "[[" + route.label + "->" + route.to + "]]"
                                     : "<<link \"" + quoted_label(route.label) + "\" \"" + route.to + "\">><</link>>";
}

std::string held(const Texts& words) {
  std::string out;
  for (const std::string& word : words) {
    out += (out.empty() ? "$" : " and $") + variable_of(word);
  }
  return out;
}

std::string condition(const Route& route) { return held(route.when.empty() ? Texts() : route.when.front().held); }

// A paragraph where one of the overlays holds, nothing where none does.
void write_look(std::string& out, const BookEntity& entity) {
  bool first = true;
  for (const BookOverlay* one : overlay_order(entity)) {
    const std::string when = held(one->when);
    out += when.empty() ? (first ? "" : "<<else>>") : (first ? "<<if " : "<<elseif ") + when + ">>";
    out += "\n\n" + twee_text(look_sentence(entity, *one));
    first = false;
    if (when.empty()) {
      break;
    }
  }
  out += overlay_order(entity).front()->when.empty() ? "" : "<</if>>";
}

void write_text(std::string& out, const BookPassage& passage, const std::vector<Look>& looks) {
  const std::vector<std::string_view> paragraphs = paragraphs_of(passage.text);
  std::size_t from = 0;  // so that what follows a paragraph without a look is escaped with it
  for (std::size_t i = 0; i < paragraphs.size(); ++i) {
    const bool shown = std::any_of(looks.begin(), looks.end(), [i](const Look& one) { return one.after == i; });
    if (!shown && i + 1 < paragraphs.size()) {
      continue;
    }
    const char* begin = paragraphs[from].data();
    const char* end = paragraphs[i].data() + paragraphs[i].size();
    out += (from == 0 ? "" : "\n\n") + twee_text(std::string_view(begin, static_cast<std::size_t>(end - begin)));
    for (const Look& one : looks) {
      if (one.after == i) {
        write_look(out, *one.entity);
      }
    }
    from = i + 1;
  }
  out += "\n";
}

void write_way(std::string& out, const Way& way) {
  bool first = true;
  for (const Route& route : way.routes) {
    const std::string when = condition(route);
    if (when.empty() && first) {
      out += link(route) + "\n";
      return;
    }
    out += when.empty() ? "<<else>>" : (first ? "<<if " : "<<elseif ") + when + ">>";
    out += link(route);
    first = false;
  }
  out += "<</if>>\n";
}

void write_passage(std::string& out, const BookPassage& passage, const std::vector<Look>& looks) {
  out += "\n:: " + passage.id;
  std::string tags;
  for (const auto& [tag, is] : {std::pair{"ending", passage.ending},
                                {"draft", passage.draft},
                                {"residue", passage.residue},
                                {"fallback", passage.fallback}}) {
    tags += is ? (tags.empty() ? "" : " ") + std::string(tag) : "";
  }
  out += tags.empty() ? "\n" : " [" + tags + "]\n";
  for (const std::string& word : passage.grants) {
    out += "<<set $" + variable_of(word) + " to true>>";
  }
  out += passage.grants.empty() ? "" : "\\\n";
  out += passage.draft ? "(draft) " : "";
  write_text(out, passage, looks);
  if (!passage.ways.empty()) {
    out += "\n";
  }
  for (const Way& way : passage.ways) {
    write_way(out, way);
  }
}

}  // namespace

std::string variable_of(std::string_view name) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string out;
  for (const char c : name) {
    const bool first = out.empty();
    if (ascii::is_lower(c) || (c == '_' && !first) || (ascii::is_digit(c) && !first)) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += 'X';
      out += hex[byte >> 4U];
      out += hex[byte & 15U];
    }
  }
  return out;
}

std::string twee_text(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char before = i > 0 ? text[i - 1] : '\n';
    const char next = i + 1 < text.size() ? text[i + 1] : '\n';
    const bool begins_line = before == '\n';
    const bool always = std::string_view("&<>$[]{}@~^\\|`_\t\r").find(c) != std::string_view::npos;
    const bool doubled = (c == '\'' || c == '=' || c == '-' || c == '"' || c == ':' || c == '%' || c == '/') &&
                         (c == before || c == next);
    const bool comment = (c == '/' && (next == '*' || next == '%')) || (c == '*' && (before == '/' || next == '/')) ||
                         (c == '%' && (before == '/' || next == '/'));
    const bool heads_line = begins_line && (c == '!' || c == '*' || c == '#' || c == ' ' || c == ':');
    const bool ends_text = (i + 1 == text.size() || i == 0) && (c == '\n' || c == ' ');
    if (always || doubled || comment || heads_line || ends_text) {
      entity(out, c);
    } else {
      out += c;
    }
  }
  return out;
}

std::string plain_text(std::string_view twee) {
  std::string out;
  for (std::size_t i = 0; i < twee.size();) {
    const std::size_t end = twee.substr(i, 2) == "&#" ? twee.find(';', i) : std::string_view::npos;
    std::uint32_t code = 0;
    bool number = end != std::string_view::npos && end > i + 2 && end - i < 10;
    for (std::size_t k = i + 2; number && k < end; ++k) {
      number = ascii::is_digit(twee[k]);
      code = code * 10 + static_cast<std::uint32_t>(twee[k] - '0');
    }
    if (number && code > 0 && code <= text::code_point_last && !text::is_surrogate(code)) {
      text::append_utf8(out, code);
      i = end + 1;
    } else {
      out += twee[i++];
    }
  }
  return out;
}

std::string ship_twee(const Book& book) {
  std::string out = ":: StoryTitle\n" + twee_text(book.title) + "\n\n:: StoryData\n";
  json::Writer json(out, 2);
  json.begin_object().member("ifid", book.ifid).member("format", "SugarCube").member("format-version", "2.37.3");
  json.member("start", book.start).end_object();
  out += "\n\n:: StoryGraph [annotation Twine.private]\n" + book.graph_hash + "\n";
  const std::vector<std::vector<Look>> looks = looks_of(book);
  for (std::size_t i = 0; i < looks.size(); ++i) {
    write_passage(out, book.passages[i], looks[i]);
  }
  return out;
}

}  // namespace plumb::story
