// The words are read once and each is given at most one use: address, date, number, name. Quotes are found apart.
#include "core/text/facts.hpp"

#include <algorithm>
#include <iterator>

#include "core/ascii.hpp"
#include "core/stable_sort.hpp"
#include "core/text/character_kinds.hpp"
#include "core/text/fact_text.hpp"
#include "core/text/phrase_patterns.hpp"
#include "core/text/phrases.hpp"
#include "core/text/unicode.hpp"
#include "core/text/utf8.hpp"

namespace plumb::text {
namespace {

constexpr std::size_t facts_max = 10000;

// Sorted by bytes, as are the lists below.
constexpr std::string_view number_words_list[] = {
    "billion",  "dozen",  "eight",     "eighteen", "eighty",   "eleven",  "fifteen", "fifty",
    "five",     "forty",  "four",      "fourteen", "hundred",  "million", "nine",    "nineteen",
    "ninety",   "seven",  "seventeen", "seventy",  "six",      "sixteen", "sixty",   "ten",
    "thirteen", "thirty", "thousand",  "three",    "trillion", "twelve",  "twenty",  "two",
};

// Words that belong to the number before them.
constexpr std::string_view units_list[] = {
    "bbl",    "billion", "bn",       "bps",        "celsius", "cm",         "db",        "degrees",    "dollars",
    "eur",    "euro",    "euros",    "fahrenheit", "ft",      "gb",         "gbp",       "ghz",        "gw",
    "gwh",    "ha",      "hz",       "inches",     "kb",      "kg",         "kilograms", "kilometers", "kilometres",
    "km",     "kw",      "kwh",      "lbs",        "liters",  "litres",     "m",         "mb",         "mbps",
    "meters", "metres",  "mg",       "mhz",        "miles",   "million",    "ml",        "mm",         "mph",
    "ms",     "mw",      "mwh",      "nm",         "percent", "percentage", "points",    "pounds",     "ppm",
    "pt",     "tb",      "thousand", "tonnes",     "tons",    "trillion",   "twh",       "usd",        "volts",
    "watts",  "yen",     "yuan",
};

constexpr std::string_view irregular_plurals_list[] = {
    "analyses", "children", "criteria",  "data",  "employees", "feet",  "indices",
    "men",      "people",   "phenomena", "staff", "teeth",     "women",
};

// Between words with a capital, these are part of a name.
constexpr std::string_view name_links_list[] = {
    "da", "de", "del", "den", "der", "di", "du", "for", "la", "le", "of", "the", "van", "von",
};

constexpr WordList number_words(number_words_list);
constexpr WordList units(units_list);
constexpr WordList irregular_plurals(irregular_plurals_list);
constexpr WordList name_links(name_links_list);

// One space or several, or a hyphen.
bool is_joint_gap(std::string_view gap) { return is_blank_gap(gap) || gap == "-" || gap == "\xE2\x80\x91"; }

struct Shape {
  bool capital = false;   // begins with one
  bool capitals = false;  // two letters or more, all capitals
  bool inner = false;     // a capital behind a small letter: iPhone, OpenAI
};

Shape shape_of(std::string_view written) {
  Shape shape;
  std::size_t letters = 0;
  std::size_t upper = 0;
  bool lower_before = false;
  bool first = true;
  for (std::size_t at = 0; at < written.size();) {
    const char byte = written[at];
    if (ascii::is_lower(byte)) {
      ++letters;
      lower_before = true;
      first = false;
      ++at;
      continue;
    }
    const Decoded c = decode_at(written, at);
    if (c.code_point == '\'' || c.code_point == 0x2019) {
      break;  // what follows is an ending
    }
    const bool is_upper = is_upper_case(c.code_point);
    const bool is_lower = !is_upper && is_lower_case(c.code_point);
    shape.capital = shape.capital || (first && is_upper);
    shape.inner = shape.inner || (is_upper && lower_before);
    letters += is_upper || is_lower ? 1 : 0;
    upper += is_upper ? 1 : 0;
    lower_before = is_lower;
    first = false;
    at += c.size;
  }
  shape.capitals = letters >= 2 && upper == letters;
  return shape;
}

class Extractor : private FactText {
 public:
  Extractor(std::string_view text, FactKinds kinds) : FactText(text), kinds_(kinds) {
    first_of_sentence_.assign(words_.size(), 0);
    std::size_t word = 0;
    for (const TextSpan sentence : sentences(text)) {
      while (word < words_.size() && words_.span(word).from < sentence.from) {
        ++word;
      }
      if (word < words_.size()) {
        first_of_sentence_[word] = 1;
      }
    }
  }

  std::vector<Fact> run() {
    urls();
    for (std::size_t i = 0; i < words_.size();) {
      const std::size_t to = used_[i] != 0 ? i : date_end(*this, i);
      if (to > i) {
        add(FactKind::date, {words_.span(i).from, words_.span(to - 1).to});
        use(i, to);
      }
      i = std::max(to, i + 1);
    }
    for (std::size_t i = 0; i < words_.size();) {
      i = used_[i] != 0 ? i + 1 : number(i);
    }
    if (wants(FactKind::name)) {
      names();
    }
    if (wants(FactKind::quote)) {
      quotes();
    }
    stable_sort(facts_, [](const Fact& a, const Fact& b) {
      if (a.where.from != b.where.from) {
        return a.where.from < b.where.from;
      }
      return a.where.to != b.where.to ? a.where.to < b.where.to : a.kind < b.kind;
    });
    return std::move(facts_);
  }

  // Whether a word may be a name though nothing shows it.
  bool has_possible_names() const { return possible_names_; }

 private:
  bool wants(FactKind kind) const { return (kinds_ & fact_bit(kind)) != 0; }

  void add(FactKind kind, TextSpan where) {
    if (wants(kind) && facts_.size() < facts_max) {
      facts_.push_back({kind, where});
    }
  }

  void use(std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      used_[i] = 1;
    }
  }

  void urls() {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const std::string_view word = words_.folded(i);
      const std::string_view rest = text_.substr(words_.span(i).to);
      const bool scheme = (word == "http" || word == "https" || word == "ftp") && rest.starts_with("://");
      const bool www = word == "www" && rest.starts_with('.');
      const bool doi = word == "doi" && rest.size() > 1 && rest[0] == ':' && ascii::is_digit(rest[1]);
      if (!scheme && !www && !doi) {
        continue;
      }
      std::size_t to = words_.span(i).to + (scheme ? 3 : 1);
      const std::size_t start = to;
      while (to < text_.size()) {
        const Decoded c = decode_at(text_, to);
        if (is_white_space(c.code_point) || c.code_point == '"' || c.code_point == '<' || c.code_point == '>' ||
            (c.code_point >= 0x3000 && c.code_point <= 0x3020) || c.code_point == 0x201D || c.code_point == 0xFF09) {
          break;
        }
        to += c.size;
      }
      while (to > start && std::string_view(".,;:!?)]}'*").find(text_[to - 1]) != std::string_view::npos) {
        --to;
      }
      if (to == start) {
        continue;
      }
      add(FactKind::url, {words_.span(i).from, to});
      std::size_t last = i;
      while (last < words_.size() && words_.span(last).from < to) {
        used_[last++] = 1;
      }
      i = last - 1;
    }
  }

  bool is_number(std::size_t i) const {
    const std::string_view word = words_.folded(i);
    if (word.empty()) {
      return false;
    }
    if (ascii::is_digit(word[0])) {
      return true;
    }
    return static_cast<unsigned char>(word[0]) >= 0x80 && category(decode_at(word, 0).code_point) == Category::nd;
  }

  bool is_number_word(std::size_t i) const { return number_words.contains(words_.folded(i)); }

  // The number of a list item at the beginning of a line, or a citation mark.
  bool is_label(std::size_t i) const {
    const TextSpan span = words_.span(i);
    const char behind = after(i);
    if (before(i) == '[' && behind == ']') {
      return true;
    }
    if (behind != '.' && behind != ')') {
      return false;
    }
    std::size_t at = span.from;
    while (at > 0 && span.from - at < 64 && (text_[at - 1] == ' ' || text_[at - 1] == '\t' || text_[at - 1] == '(')) {
      --at;
    }
    const bool line_start = at == 0 || text_[at - 1] == '\n' || text_[at - 1] == '\r';
    return line_start && span.to + 1 < text_.size() && text_[span.to + 1] == ' ';
  }

  // The 4 of GPT-4.
  bool is_part_of_name(std::size_t i) const {
    return i > 0 && words_.gap(i - 1) == "-" && used_[i - 1] == 0 && shape_of(words_.written(i - 1)).capital;
  }

  // Reads a number and what is counted from word `i` on; the next word to look at.
  std::size_t number(std::size_t i) {
    const bool digits = is_number(i);
    const bool one =
        words_.folded(i) == "one" && i > 0 &&
        (words_.folded(i - 1) == "least" || words_.folded(i - 1) == "exactly" || words_.folded(i - 1) == "minimum");
    if ((!digits && !is_number_word(i) && !one) || (digits && (is_label(i) || is_part_of_name(i)))) {
      return i + 1;
    }
    TextSpan span = words_.span(i);
    if (const std::size_t size = currency_before(text_, span.from); size > 0) {
      span.from -= size;
    }
    std::size_t next = i + 1;
    bool unit = false;
    if (after(next - 1) == '%') {
      span.to += 1;
      unit = true;
    } else if (const std::size_t size = currency_at(text_, span.to); size > 0) {
      span.to += size;
      unit = true;
    }
    while (!unit && has(next) && is_joint_gap(words_.gap(next - 1)) &&
           (is_number_word(next) || (is_unit(words_.folded(next)) && digits))) {
      unit = !is_number_word(next) && words_.folded(next) != "percentage";  // percentage points
      span.to = words_.span(next).to;
      ++next;
    }
    const std::size_t counted = unit ? next : counted_up_to(next, one);
    if (counted > next && wants(FactKind::countable)) {
      add(FactKind::countable, {span.from, words_.span(counted - 1).to});
      use(i, next);
      return counted;
    }
    if (!one) {
      add(FactKind::number, span);
      use(i, next);
    }
    return next;
  }

  // The word behind the noun that is counted, or `next`.
  std::size_t counted_up_to(std::size_t next, bool one) const {
    if (has(next) && words_.is_single_letter(next) && words_.gap(next - 1).empty()) {
      return next + 1;
    }
    if (has(next + 1) && words_.folded(next) == "or" &&
        (words_.folded(next + 1) == "more" || words_.folded(next + 1) == "fewer")) {
      next += 2;
    }
    constexpr std::size_t words_max = 4;
    for (std::size_t to = next; to < next + words_max && has(to); ++to) {
      const std::string_view word = words_.folded(to);
      if (!is_joint_gap(words_.gap(to - 1)) || is_function_word(word) || is_number(to)) {
        break;
      }
      if (is_plural(to) || one) {
        return to + 1;
      }
    }
    return next;
  }

  bool may_be_name(std::size_t i, const Shape& shape) const {
    const std::string_view word = words_.folded(i);
    if (used_[i] != 0 || is_date_word(word)) {
      return false;
    }
    // US, IT and WHO are names in capitals, and so is the AT of AT&T; NOT and AND are only loud.
    const bool acronym = shape.capitals && (word == "us" || word == "it" || word == "who" ||
                                            (i + 1 < words_.size() && words_.gap(i) == "&"));
    return acronym || !is_function_word(word);
  }

  void names() {
    std::size_t in_capitals = 0;
    std::size_t lower = 0;
    std::vector<Shape> shapes;
    shapes.reserve(words_.size());
    for (std::size_t i = 0; i < words_.size(); ++i) {
      shapes.push_back(shape_of(words_.written(i)));
      in_capitals += shapes.back().capitals ? 1 : 0;
      lower += shapes.back().capitals || is_number(i) ? 0 : 1;
      possible_names_ = possible_names_ || words_.is_single_letter(i) || is_without_case(i);
    }
    const bool shouting = in_capitals >= 4 && lower == 0;  // capitals say nothing
    possible_names_ = possible_names_ || shouting;
    const auto is_name_word = [&](std::size_t i) {
      if (i >= words_.size() || !may_be_name(i, shapes[i])) {
        return false;
      }
      const Shape& shape = shapes[i];
      if (shape.inner || (shape.capitals && !shouting)) {
        return true;
      }
      if (!shape.capital || shape.capitals) {
        return false;
      }
      if (first_of_sentence_[i] != 0) {
        possible_names_ = true;
        return false;
      }
      return true;
    };
    // How many words from `to` on belong to the name before it.
    const auto more_of_name = [&](std::size_t to) -> std::size_t {
      if (is_name_word(to) && name_runs_on(to - 1)) {
        return 1;
      }
      if (to + 1 < words_.size() && name_links.contains(words_.written(to)) && is_name_word(to + 1) &&
          is_blank_gap(words_.gap(to - 1)) && is_blank_gap(words_.gap(to))) {
        return 2;
      }
      const bool numbered = to < words_.size() && words_.gap(to - 1) == "-" && is_number(to) && used_[to] == 0;
      return numbered ? 1 : 0;  // GPT-4
    };
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (!is_name_word(i)) {
        continue;
      }
      std::size_t to = i + 1;
      while (const std::size_t more = more_of_name(to)) {
        to += more;
      }
      add(FactKind::name, {words_.span(i).from, words_.span(to - 1).to});
      i = to - 1;
    }
  }

  // Whether a name goes on behind word `i`.
  bool name_runs_on(std::size_t i) const {
    const std::string_view gap = words_.gap(i);
    return is_joint_gap(gap) || gap == " & " || gap == "&" || gap == "'" || gap == "\xE2\x80\x99" ||
           ((gap == ". " || gap == ".") && words_.span(i).to - words_.span(i).from <= 2);
  }

  bool is_without_case(std::size_t i) const {
    if (static_cast<unsigned char>(text_[words_.span(i).from]) < 0xD6) {
      return false;  // before U+0580
    }
    const Decoded c = decode_at(text_, words_.span(i).from);
    return c.code_point >= 0x0590 && is_letter_or_mark(c.code_point) && !is_upper_case(c.code_point) &&
           !is_lower_case(c.code_point);
  }

  // The mark that closes what `c` opens; 0 when it opens nothing.
  static char32_t closing_mark(char32_t c) {
    switch (c) {
      case 0x201C:
        return 0x201D;
      case 0x201E:
        return 0x201C;
      case 0xAB:
        return 0xBB;
      case 0x300C:
        return 0x300D;
      case 0x300E:
        return 0x300F;
      case '"':
        return '"';
      default:
        return 0;
    }
  }

  void quotes() {
    std::size_t open = 0;
    char32_t closing = 0;
    char32_t last = ' ';
    std::size_t word = 0;
    for (std::size_t at = 0; at < text_.size();) {
      const char byte = text_[at];
      if (ascii::is_lower(byte) || byte == ' ') {
        last = last == '\n' && byte == ' ' ? last : static_cast<char32_t>(byte);
        ++at;
        continue;
      }
      const Decoded c = decode_at(text_, at);
      const std::size_t end = at + c.size;
      if (closing != 0 && c.code_point == closing) {
        while (word < words_.size() && words_.span(word).from < open) {
          ++word;
        }
        std::size_t count = 0;
        std::size_t letters = 0;
        for (; word < words_.size() && words_.span(word).from < end; ++word) {
          (words_.is_single_letter(word) ? letters : count) += 1;
        }
        if (count >= 3 || letters >= 6) {
          add(FactKind::quote, {open, end});
        }
        closing = 0;
      } else if (closing == 0 && (c.code_point != '"' || !is_word_character(last))) {
        closing = closing_mark(c.code_point);
        open = at;
      } else if (c.code_point == '\n' && last == '\n') {
        closing = 0;  // no quote runs over a blank line
      }
      last = c.code_point == '\r' || (last == '\n' && ascii::is_blank(c.code_point)) ? last : c.code_point;
      at = end;
    }
  }

  FactKinds kinds_;
  std::vector<char> first_of_sentence_;
  std::vector<Fact> facts_;
  bool possible_names_ = false;
};

struct Found {
  std::vector<Fact> facts;
  bool possible_names = false;
};

Found extract(std::string_view text, FactKinds kinds, std::size_t within) {
  // A fact that only begins within the limit must not be cut into one, so some more is read and left out.
  constexpr std::size_t more = 512;
  const std::size_t limit = first_code_points(text, within).size();
  const std::string_view read = within > whole_text - more ? text : first_code_points(text, within + more);
  Extractor extractor(read, kinds);
  Found found;
  found.facts = extractor.run();
  found.possible_names = extractor.has_possible_names();
  if ((kinds & fact_bit(FactKind::evidence)) != 0) {
    for (const PhraseHit& hit : find_evidence(read)) {
      found.facts.push_back({FactKind::evidence, hit.where});
    }
    stable_sort(found.facts, [](const Fact& a, const Fact& b) { return a.where.from < b.where.from; });
  }
  found.facts.erase(std::remove_if(found.facts.begin(), found.facts.end(),
                                   [limit](const Fact& fact) { return fact.where.to > limit; }),
                    found.facts.end());
  return found;
}

}  // namespace

bool all_digits(std::string_view text) {
  for (const char c : text) {
    if (!ascii::is_digit(c)) {
      return false;
    }
  }
  return !text.empty();
}

int value_of(std::string_view digits) {
  int value = 0;
  for (const char c : digits.substr(0, 6)) {
    value = value * 10 + (c - '0');
  }
  return value;
}

// Bytes of the currency sign at `at`.
std::size_t currency_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) {
    return 0;
  }
  const Decoded c = decode_at(text, at);
  return c.code_point == '$' || c.code_point == 0xA3 || c.code_point == 0xA5 ||
                 (c.code_point >= 0x20A0 && c.code_point <= 0x20CF)
             ? c.size
             : 0;
}

// Bytes of the currency sign that ends at `end`.
std::size_t currency_before(std::string_view text, std::size_t end) {
  for (std::size_t size = 1; size <= 3 && size <= end; ++size) {
    if (currency_at(text, end - size) == size) {
      return size;
    }
  }
  return 0;
}

bool is_blank_gap(std::string_view gap) {
  for (const char c : gap) {
    if (c != ' ' && c != '\t') {
      return false;
    }
  }
  return true;
}

bool is_unit(std::string_view folded) { return units.contains(folded); }

bool FactText::is_plural(std::size_t i) const {
  const std::string_view word = words_.folded(i);
  if (irregular_plurals.contains(word)) {
    return true;
  }
  return word.size() >= 4 && word.back() == 's' && word[word.size() - 2] != 's' && word[word.size() - 2] != '\'' &&
         word.substr(word.size() - 2) != "us" && word.substr(word.size() - 2) != "is" && !is_function_word(word);
}

std::optional<FactKind> fact_kind_named(std::string_view name) {
  for (unsigned i = 0; i < fact_kinds_count; ++i) {
    if (fact_kind_name(static_cast<FactKind>(i)) == name) {
      return static_cast<FactKind>(i);
    }
  }
  return std::nullopt;
}

std::string_view fact_kind_name(FactKind kind) {
  constexpr std::string_view kind_names[fact_kinds_count] = {"number", "date",  "name",    "countable",
                                                             "url",    "quote", "evidence"};
  return kind_names[static_cast<unsigned>(kind)];
}

std::vector<Fact> facts(std::string_view text, FactKinds kinds, std::size_t within) {
  return extract(text, kinds, within).facts;
}

Judgement has_facts(std::string_view text, FactKinds kinds, std::size_t min, std::size_t within, std::size_t* count) {
  const Found found = extract(text, kinds, within);
  if (count != nullptr) {
    *count = found.facts.size();
  }
  if (found.facts.size() >= min) {
    return Judgement::holds;
  }
  const bool names = (kinds & fact_bit(FactKind::name)) != 0;
  const bool evidence = (kinds & fact_bit(FactKind::evidence)) != 0;
  return evidence || (names && found.possible_names) ? Judgement::undecided : Judgement::broken;
}

}  // namespace plumb::text
