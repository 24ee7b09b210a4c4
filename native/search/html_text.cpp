// HTML as a reader sees it. No tree is built: tags are read one after another, what is not text is left out until its
// closing tag comes, and everything that is malformed is text. Time is linear in the page.
#include <algorithm>
#include <array>

#include "core/ascii.hpp"
#include "core/text/utf8.hpp"
#include "native/search/document.hpp"

namespace plumb::search {

namespace {

template <std::size_t Size>
bool one_of(const std::array<std::string_view, Size>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr std::array<std::string_view, 7> raw_tags = {"script", "style", "noscript", "template",
                                                      "svg",    "math",  "select"};
constexpr std::array<std::string_view, 2> menu_tags = {"nav", "button"};
constexpr std::array<std::string_view, 8> menu_marks = {"navigation", "sphinxsidebar", "navheader", "navfooter",
                                                        "related",    "toc",           "sidebar",   "headerlink"};
constexpr std::array<std::string_view, 38> block_tags = {
    "address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd",      "details",
    "div",     "dl",      "dt",    "fieldset",   "form", "h1", "h2",      "h3",     "h4",      "h5",
    "h6",      "header",  "hr",    "li",         "main", "ol", "p",       "pre",    "section", "summary",
    "table",   "tbody",   "thead", "title",      "tr",   "ul", "figure",  "footer"};

constexpr std::size_t tag_bytes_max = 16 << 10;  // a tag that is longer is text
constexpr std::size_t entity_bytes_max = 32;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f'; }

struct Tag {
  std::string name;
  std::string_view inside;  // its attributes, as they are written
  bool closes = false;
  bool empty = false;
  std::size_t end = 0;  // behind its >
};

class HtmlReader {
 public:
  explicit HtmlReader(std::string_view html) : html_(html) { document_.text.reserve(html.size() / 2); }

  Document read() {
    while (at_ < html_.size()) {
      const char c = html_[at_];
      if (c == '<' && markup()) {
        continue;
      }
      if (c == '&' && entity()) {
        continue;
      }
      character(c);
      ++at_;
    }
    end_line();
    while (!document_.title.empty() && is_space(document_.title.back())) {
      document_.title.pop_back();
    }
    return std::move(document_);
  }

 private:
  void skip_to(std::size_t end) {
    end = std::min(end, html_.size());
    line_ += static_cast<std::uint32_t>(std::count(html_.begin() + static_cast<std::ptrdiff_t>(at_),
                                                   html_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at_ = end;
  }

  // A comment, a declaration or a tag; false: it is none.
  bool markup() {
    const std::string_view rest = html_.substr(at_);
    if (rest.starts_with("<!--")) {
      const std::size_t end = html_.find("-->", at_ + 4);
      skip_to(end == std::string_view::npos ? html_.size() : end + 3);
      return true;
    }
    if (rest.size() > 1 && (rest[1] == '!' || rest[1] == '?')) {
      const std::size_t end = html_.find('>', at_);
      skip_to(end == std::string_view::npos ? html_.size() : end + 1);
      return true;
    }
    Tag tag;
    if (!read_tag(tag)) {
      return false;
    }
    const std::size_t end = tag.end;
    if (!tag.closes && !tag.empty && one_of(raw_tags, tag.name)) {
      skip_raw(tag);
      return true;
    }
    if (!skipping_.empty()) {
      if (tag.name == skipping_ && !tag.empty) {
        skipped_depth_ += tag.closes ? -1 : 1;
      }
      if (skipped_depth_ == 0) {
        skipping_.clear();
      }
    } else if (!tag.closes && !tag.empty && is_menu(tag)) {
      skipping_ = tag.name;
      skipped_depth_ = 1;
    } else {
      apply(tag);
    }
    skip_to(end);
    return true;
  }

  bool read_tag(Tag& tag) const {
    std::size_t at = at_ + 1;
    tag.closes = at < html_.size() && html_[at] == '/';
    at += tag.closes ? 1U : 0U;
    if (at >= html_.size() || !ascii::is_letter(html_[at])) {
      return false;
    }
    while (at < html_.size() && tag.name.size() < 32 && (ascii::is_letter(html_[at]) || ascii::is_digit(html_[at]))) {
      tag.name += ascii::lower(html_[at++]);
    }
    const std::size_t inside = at;
    char quote = 0;
    for (; at < html_.size() && at - at_ < tag_bytes_max; ++at) {
      const char c = html_[at];
      if (quote != 0) {
        quote = c == quote ? '\0' : quote;
      } else if ((c == '"' || c == '\'') && html_[at - 1] == '=') {
        quote = c;
      } else if (c == '<') {
        return false;  // so that what is never closed is looked at once
      } else if (c == '>') {
        tag.inside = html_.substr(inside, at - inside);
        tag.empty = !tag.inside.empty() && tag.inside.back() == '/';
        tag.end = at + 1;
        return true;
      }
    }
    return false;
  }

  static bool is_menu(const Tag& tag) {
    if (one_of(menu_tags, tag.name)) {
      return true;
    }
    if (tag.name != "div" && tag.name != "ul" && tag.name != "a" && tag.name != "aside" && tag.name != "section") {
      return false;
    }
    for (const std::string_view attribute : {"class=\"", "role=\""}) {
      const std::size_t at = tag.inside.find(attribute);
      if (at == std::string_view::npos) {
        continue;
      }
      const std::size_t from = at + attribute.size();
      std::string_view value = tag.inside.substr(from, tag.inside.find('"', from) - from);
      while (!value.empty()) {
        const std::size_t space = value.find(' ');
        if (one_of(menu_marks, value.substr(0, space))) {
          return true;
        }
        value = space == std::string_view::npos ? std::string_view() : value.substr(space + 1);
      }
    }
    return false;
  }

  void skip_raw(const Tag& tag) {
    std::size_t at = tag.end;
    for (;;) {
      at = html_.find("</", at);
      if (at == std::string_view::npos) {
        skip_to(html_.size());
        return;
      }
      std::size_t same = 0;
      while (same < tag.name.size() && at + 2 + same < html_.size() &&
             ascii::lower(html_[at + 2 + same]) == tag.name[same]) {
        ++same;
      }
      at += 2;
      if (same == tag.name.size()) {
        const std::size_t end = html_.find('>', at);
        skip_to(end == std::string_view::npos ? html_.size() : end + 1);
        return;
      }
    }
  }

  void apply(const Tag& tag) {
    if (tag.name == "td" || tag.name == "th") {
      if (!tag.closes) {
        space();
      }
      return;
    }
    if (!one_of(block_tags, tag.name)) {
      return;
    }
    end_line();
    if (tag.name == "title") {
      in_title_ = !tag.closes && document_.title.empty();
    } else if (tag.name == "pre") {
      in_pre_ = !tag.closes;
    } else if (tag.name.size() == 2 && tag.name[0] == 'h' && tag.name[1] >= '1' && tag.name[1] <= '6') {
      heading_ = tag.closes ? 0U : static_cast<std::uint32_t>(tag.name[1] - '0');
    } else if (!tag.closes && (tag.name == "p" || tag.name == "li" || tag.name == "dt" || tag.name == "section" ||
                               tag.name == "table")) {
      blank_line();
    }
  }

  bool entity() {
    const std::string_view near = html_.substr(at_ + 1, entity_bytes_max);
    const std::size_t size = near.find(';');
    std::string out;
    if (size == std::string_view::npos || !append_entity(near.substr(0, size), out)) {
      return false;
    }
    for (const char c : out) {
      character(c == '\n' ? ' ' : c);
    }
    at_ += size + 2;
    return true;
  }

  void character(char c) {
    if (c == '\n') {
      if (in_title_ || heading_ != 0) {
        space();
      } else if (skipping_.empty()) {
        end_line(in_pre_);
      }
      ++line_;
    } else if (!skipping_.empty()) {
      return;
    } else if (in_title_) {
      if (is_space(c)) {
        space();
      } else {
        document_.title += c;
      }
    } else if (is_space(c) && !in_pre_) {
      space();
    } else {
      if (!begun_) {
        begun_ = true;
        from_ = document_.text.size();
        from_line_ = line_;
      }
      document_.text += c == '\r' ? ' ' : c;
    }
  }

  void space() {
    if (in_title_) {
      if (!document_.title.empty() && document_.title.back() != ' ') {
        document_.title += ' ';
      }
    } else if (skipping_.empty() && begun_ && document_.text.back() != ' ') {
      document_.text += ' ';
    }
  }

  void end_line(bool keep_empty = false) {
    if (!begun_) {
      if (keep_empty) {
        blank_line();
      }
      return;
    }
    std::size_t to = document_.text.size();
    while (to > from_ && is_space(document_.text[to - 1])) {
      --to;
    }
    if (to > from_) {
      document_.lines.push_back(
          {static_cast<std::uint32_t>(from_), static_cast<std::uint32_t>(to), from_line_, heading_});
    }
    document_.text += '\n';
    begun_ = false;
  }

  // Passages are cut where paragraphs end.
  void blank_line() {
    if (document_.lines.empty() || document_.lines.back().from == document_.lines.back().to) {
      return;
    }
    const auto at = static_cast<std::uint32_t>(document_.text.size());
    document_.lines.push_back({at, at, line_, 0});
    document_.text += '\n';
  }

  std::string_view html_;
  Document document_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::string skipping_;
  int skipped_depth_ = 0;
  bool in_title_ = false;
  bool in_pre_ = false;
  bool begun_ = false;
  std::size_t from_ = 0;
  std::uint32_t from_line_ = 0;
  std::uint32_t heading_ = 0;
};

struct Entity {
  std::string_view name;
  char32_t character;
};
constexpr std::array<Entity, 34> entities = {{
    {"amp", U'&'},     {"apos", U'\''},   {"bull", 0x2022},   {"dagger", 0x2020}, {"emsp", U' '},     {"ensp", U' '},
    {"euro", 0x20AC},  {"ge", 0x2265},    {"gt", U'>'},       {"harr", 0x2194},   {"hellip", 0x2026}, {"larr", 0x2190},
    {"ldquo", 0x201C}, {"le", 0x2264},    {"lsaquo", 0x2039}, {"lsquo", 0x2018},  {"lt", U'<'},       {"mdash", 0x2014},
    {"minus", 0x2212}, {"ndash", 0x2013}, {"ne", 0x2260},     {"OElig", 0x152},   {"oelig", 0x153},   {"quot", U'"'},
    {"rarr", 0x2192},  {"rdquo", 0x201D}, {"rsaquo", 0x203A}, {"rsquo", 0x2019},  {"sbquo", 0x201A},  {"Scaron", 0x160},
    {"scaron", 0x161}, {"thinsp", U' '},  {"trade", 0x2122},  {"zwnj", 0x200C},
}};
// U+00A0 to U+00FF.
constexpr std::array<std::string_view, 96> latin = {
    "nbsp",   "iexcl",  "cent",   "pound",  "curren", "yen",    "brvbar", "sect",   "uml",    "copy",   "ordf",
    "laquo",  "not",    "shy",    "reg",    "macr",   "deg",    "plusmn", "sup2",   "sup3",   "acute",  "micro",
    "para",   "middot", "cedil",  "sup1",   "ordm",   "raquo",  "frac14", "frac12", "frac34", "iquest", "Agrave",
    "Aacute", "Acirc",  "Atilde", "Auml",   "Aring",  "AElig",  "Ccedil", "Egrave", "Eacute", "Ecirc",  "Euml",
    "Igrave", "Iacute", "Icirc",  "Iuml",   "ETH",    "Ntilde", "Ograve", "Oacute", "Ocirc",  "Otilde", "Ouml",
    "times",  "Oslash", "Ugrave", "Uacute", "Ucirc",  "Uuml",   "Yacute", "THORN",  "szlig",  "agrave", "aacute",
    "acirc",  "atilde", "auml",   "aring",  "aelig",  "ccedil", "egrave", "eacute", "ecirc",  "euml",   "igrave",
    "iacute", "icirc",  "iuml",   "eth",    "ntilde", "ograve", "oacute", "ocirc",  "otilde", "ouml",   "divide",
    "oslash", "ugrave", "uacute", "ucirc",  "uuml",   "yacute", "thorn",  "yuml"};

// The number of "#233" or "#xE9", or 0.
char32_t numeric(std::string_view name) {
  const bool hex = name.size() > 2 && (name[1] == 'x' || name[1] == 'X');
  std::uint32_t value = 0;
  for (const char c : name.substr(hex ? 2 : 1)) {
    const char l = ascii::lower(c);
    const bool digit = ascii::is_digit(c);
    if (!digit && !(hex && l >= 'a' && l <= 'f')) {
      return 0;
    }
    value = value * (hex ? 16U : 10U) + static_cast<std::uint32_t>(digit ? c - '0' : l - 'a' + 10);
    if (value > text::code_point_last) {
      return 0;
    }
  }
  return text::is_surrogate(value) ? 0 : value;
}

}  // namespace

bool append_entity(std::string_view name, std::string& out) {
  char32_t c = 0;
  if (name.size() > 1 && name[0] == '#') {
    c = numeric(name);
  } else if (const auto found =
                 std::find_if(entities.begin(), entities.end(), [&](const Entity& e) { return e.name == name; });
             found != entities.end()) {
    c = found->character;
  } else if (const auto at = std::find(latin.begin(), latin.end(), name); at != latin.end()) {
    c = static_cast<char32_t>(0xA0 + (at - latin.begin()));
  }
  if (c == 0) {
    return false;
  }
  if (c == 0xAD) {  // a soft hyphen is no part of its word
    return true;
  }
  text::append_utf8(out, c == 0xA0 ? U' ' : c);
  return true;
}

Document html_document(std::string_view html) { return HtmlReader(html).read(); }

}  // namespace plumb::search
