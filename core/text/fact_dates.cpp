#include <algorithm>

#include "core/ascii.hpp"
#include "core/text/fact_text.hpp"

namespace plumb::text {
namespace {

// Sorted by bytes, as are the lists below.
constexpr std::string_view months_list[] = {
    "abril",       "agosto",
    "ao\xC3\xBBt", "apr",
    "april",       "aprile",
    "aug",         "august",
    "augustus",    "avril",
    "dec",         "december",
    "dez",         "dezember",
    "dezembro",    "dicembre",
    "diciembre",   "d\303\251cembre",
    "ene",         "enero",
    "feb",         "febbraio",
    "febrero",     "februar",
    "februari",    "february",
    "fevereiro",   "f\xC3\xA9vrier",
    "gennaio",     "giugno",
    "jan",         "janeiro",
    "januar",      "januari",
    "january",     "janvier",
    "juillet",     "juin",
    "jul",         "julho",
    "juli",        "julio",
    "july",        "jun",
    "june",        "junho",
    "juni",        "junio",
    "luglio",      "maart",
    "maggio",      "mai",
    "maio",        "mar",
    "march",       "mars",
    "marzo",       "mar\xC3\xA7o",
    "may",         "mayo",
    "mei",         "m\xC3\xA4rz",
    "nov",         "november",
    "novembre",    "novembro",
    "noviembre",   "oct",
    "october",     "octobre",
    "octubre",     "okt",
    "oktober",     "ottobre",
    "outubro",     "sep",
    "sept",        "september",
    "septembre",   "septiembre",
    "setembro",    "settembre",
};

constexpr std::string_view days_list[] = {"friday", "monday", "saturday", "sunday", "thursday", "tuesday", "wednesday"};

// Behind these, four digits are a year, whatever comes next.
constexpr std::string_view before_year_list[] = {
    "after", "anno", "before", "circa", "during", "en",    "fiscal", "im",
    "in",    "jahr", "seit",   "since", "till",   "until", "year",
};

constexpr WordList months(months_list);
constexpr WordList days(days_list);
constexpr WordList before_year(before_year_list);

class DateReader {
 public:
  explicit DateReader(const FactText& text) : t_(text) {}

  std::size_t end(std::size_t i) {
    const std::string_view word = t_.words().folded(i);
    const bool digits = all_digits(word);
    if (is_dotted_date(word)) {
      return i + 1;
    }
    if (word.size() >= 4 && word.size() <= 8 && ascii::is_digit(word[0]) && word.find(':') != std::string_view::npos) {
      return i + 1;  // 14:30
    }
    if (digits && t_.has(i + 1) && t_.has(i + 2) && all_digits(t_.words().folded(i + 1)) &&
        all_digits(t_.words().folded(i + 2)) && t_.words().gap(i) == t_.words().gap(i + 1) &&
        (t_.words().gap(i) == "-" || t_.words().gap(i) == "/")) {
      const std::size_t a = word.size();
      const std::size_t b = t_.words().folded(i + 1).size();
      const std::size_t c = t_.words().folded(i + 2).size();
      if (b <= 2 && ((a == 4 && c <= 2) || (a <= 2 && (c == 4 || c == 2))) &&
          value_of(t_.words().folded(i + 1)) <= 31) {
        return i + 3;
      }
    }
    if (is_year(i) && t_.has(i + 1) && t_.words().gap(i) == "-" && t_.words().folded(i + 1).size() == 2 &&
        all_digits(t_.words().folded(i + 1))) {
      return i + 2;  // 2024-05 or 2023-24
    }
    if (digits && t_.has(i + 1) && t_.words().gap(i).empty() && t_.words().is_single_letter(i + 1)) {
      return east_asian_date(i);
    }
    if (is_day(i)) {
      std::size_t next = i + 1;
      if (t_.has(next) && (t_.words().folded(next) == "of" || t_.words().folded(next) == "de")) {
        ++next;
      }
      if (t_.has(next) && is_month(next) && date_gap(next - 1)) {
        const bool year = t_.has(next + 1) && is_year(next + 1) && date_gap(next);
        const bool of_year = !year && t_.has(next + 2) && t_.words().folded(next + 1) == "de" && is_year(next + 2);
        return next + (year ? 2 : of_year ? 3 : 1);
      }
    }
    if (t_.has(i + 1) && (is_year(i + 1) || is_day(i + 1)) && date_gap(i) && is_month(i)) {
      if (is_year(i + 1)) {
        return i + 2;
      }
      if (is_day(i + 1)) {
        const bool year = t_.has(i + 2) && is_year(i + 2) && date_gap(i + 1);
        return i + (year ? 3 : 2);
      }
    }
    if (const bool fiscal = word == "fy"; fiscal || is_period(word)) {
      const bool year = t_.has(i + 1) && date_gap_or_quote(i) && (is_year(i + 1) || (fiscal && is_day(i + 1)));
      if (year || !fiscal) {
        return i + (year ? 2 : 1);
      }
    }
    if (word.size() == 5 && word[4] == 's' && all_digits(word.substr(0, 4))) {
      return i + 1;  // 1990s
    }
    return is_year(i) && is_year_here(i) ? i + 1 : i;
  }

 private:
  bool is_year(std::size_t i) const {
    const std::string_view word = t_.words().folded(i);
    return word.size() == 4 && all_digits(word) && value_of(word) >= 1000 && value_of(word) < 2200;
  }

  // 1 to 31, perhaps as an ordinal: 5, 05, 5th.
  bool is_day(std::size_t i) const {
    std::string_view word = t_.words().folded(i);
    if (word.size() > 2) {
      const std::string_view ending = word.substr(word.size() - 2);
      if (ending == "st" || ending == "nd" || ending == "rd" || ending == "th") {
        word.remove_suffix(2);
      }
    }
    return word.size() <= 2 && all_digits(word) && value_of(word) >= 1 && value_of(word) <= 31;
  }

  bool is_month(std::size_t i) const { return months.contains(t_.words().folded(i)); }

  // Digits in one word with two points: 01.05.2024 or 2024.05.01.
  static bool is_dotted_date(std::string_view word) {
    const std::size_t first = word.find('.');
    const std::size_t second = first == std::string_view::npos ? first : word.find('.', first + 1);
    if (second == std::string_view::npos) {
      return false;
    }
    const std::string_view a = word.substr(0, first);
    const std::string_view b = word.substr(first + 1, second - first - 1);
    const std::string_view c = word.substr(second + 1);
    if (!all_digits(a) || !all_digits(b) || !all_digits(c) || b.size() > 2 || value_of(b) > 31) {
      return false;
    }
    const bool day_first = a.size() <= 2 && value_of(a) <= 31 && (c.size() == 2 || c.size() == 4);
    return day_first || (a.size() == 4 && c.size() <= 2 && value_of(c) <= 31);
  }

  // Whether two parts of a date are separated by white space, a comma or a point.
  bool date_gap(std::size_t i) const {
    const std::string_view gap = t_.words().gap(i);
    return !gap.empty() && gap.size() <= 3 && ascii::only(gap, " .,-");
  }

  bool date_gap_or_quote(std::size_t i) const {
    return date_gap(i) || t_.words().gap(i) == "/" || t_.words().gap(i) == " '";
  }

  // q3, h1, fy24, fy2024.
  static bool is_period(std::string_view word) {
    if (word.size() == 2 && (word[0] == 'q' || word[0] == 'h')) {
      return word[1] >= '1' && word[1] <= (word[0] == 'q' ? '4' : '2');
    }
    return (word.size() == 4 || word.size() == 6) && word.starts_with("fy") && all_digits(word.substr(2));
  }

  bool is_year_here(std::size_t i) const {
    const int year = value_of(t_.words().folded(i));
    const bool led = i > 0 && before_year.contains(t_.words().folded(i - 1)) && is_blank_gap(t_.words().gap(i - 1));
    if (currency_before(t_.text(), t_.words().span(i).from) > 0 || t_.after(i) == '%' || t_.before(i) == '#') {
      return false;
    }
    if (led || year < 1800 || year >= 2100) {
      return led;
    }
    if (i + 1 >= t_.words().size() || !is_blank_gap(t_.words().gap(i))) {
      return true;
    }
    return !is_unit(t_.words().folded(i + 1)) && !t_.is_plural(i + 1);
  }

  // 2024年5月1日, or a number with a counter: 5社.
  std::size_t east_asian_date(std::size_t i) {
    std::size_t to = i;
    bool date = false;
    while (t_.has(to) && all_digits(t_.words().folded(to)) && t_.has(to + 1) && t_.words().gap(to).empty()) {
      const std::string_view unit = t_.words().written(to + 1);
      if (unit != "\xE5\xB9\xB4" && unit != "\xE6\x9C\x88" && unit != "\xE6\x97\xA5" && unit != "\xEB\x85\x84") {
        break;
      }
      date = true;
      to += 2;
      if (!t_.has(to) || !is_blank_gap(t_.words().gap(to - 1))) {
        break;
      }
    }
    return date ? to : i;
  }

  const FactText& t_;
};

}  // namespace

std::size_t date_end(const FactText& text, std::size_t i) { return DateReader(text).end(i); }

bool is_date_word(std::string_view folded) { return months.contains(folded) || days.contains(folded); }

}  // namespace plumb::text
