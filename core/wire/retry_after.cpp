// Retry-After (RFC 9110, section 10.2.3) and the dates of HTTP (section 5.6.7): three forms, of which the two old ones
// must still be read.
#include <array>
#include <cstddef>

#include "core/ascii.hpp"
#include "core/wire/failure.hpp"

namespace plumb::wire {

namespace {

constexpr std::uint64_t day_ms = 86'400'000;
constexpr std::uint64_t day_s = 86'400;

// Reads the text of a date from left to right.
class DateText {
 public:
  explicit DateText(std::string_view text) : text_(text) {}

  bool take(char c) {
    if (text_.empty() || text_.front() != c) {
      return false;
    }
    text_.remove_prefix(1);
    return true;
  }
  bool take_word(std::size_t size, std::string_view& word) {
    if (text_.size() < size) {
      return false;
    }
    word = text_.substr(0, size);
    text_.remove_prefix(size);
    return true;
  }
  bool take_number(std::size_t digits, std::uint64_t& number) {
    std::string_view word;
    if (!take_word(digits, word)) {
      return false;
    }
    number = 0;
    for (const char c : word) {
      if (!ascii::is_digit(c)) {
        return false;
      }
      number = number * 10 + static_cast<std::uint64_t>(c - '0');
    }
    return true;
  }
  bool take_month(std::uint64_t& month) {
    constexpr std::array<std::string_view, 12> names = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    std::string_view word;
    if (!take_word(3, word)) {
      return false;
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == word) {
        month = i + 1;
        return true;
      }
    }
    return false;
  }
  bool done() const { return text_.empty(); }

 private:
  std::string_view text_;
};

struct Date {
  std::uint64_t year = 0;
  std::uint64_t month = 0;
  std::uint64_t day = 0;
  std::uint64_t second = 0;  // of the day
};

bool take_time(DateText& text, Date& date) {
  std::uint64_t hours = 0;
  std::uint64_t minutes = 0;
  std::uint64_t seconds = 0;
  if (!text.take_number(2, hours) || !text.take(':') || !text.take_number(2, minutes) || !text.take(':') ||
      !text.take_number(2, seconds) || hours > 23 || minutes > 59 || seconds > 60) {
    return false;
  }
  date.second = hours * 3600 + minutes * 60 + seconds;
  return true;
}

bool ends_in_gmt(DateText& text) {
  std::string_view zone;
  return text.take(' ') && text.take_word(3, zone) && zone == "GMT" && text.done();
}

// Days since 1970 in the Gregorian calendar, of a year from 1970 on.
std::uint64_t days_since_1970(const Date& date) {
  const std::uint64_t year = date.month <= 2 ? date.year - 1 : date.year;
  const std::uint64_t shifted = (date.month + 9) % 12;  // March is 0
  const std::uint64_t days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * shifted + 2) / 5 + date.day - 1;
  constexpr std::uint64_t until_1970 = 719'468;
  return days - until_1970;
}

// Sun, 06 Nov 1994 08:49:37 GMT
bool read_fixed(std::string_view value, Date& date) {
  DateText text(value);
  std::string_view weekday;
  return text.take_word(3, weekday) && text.take(',') && text.take(' ') && text.take_number(2, date.day) &&
         text.take(' ') && text.take_month(date.month) && text.take(' ') && text.take_number(4, date.year) &&
         text.take(' ') && take_time(text, date) && ends_in_gmt(text);
}

// Sunday, 06-Nov-94 08:49:37 GMT. A year that seems more than 50 years ahead is in the past.
bool read_rfc850(std::string_view value, std::uint64_t year_now, Date& date) {
  const std::size_t comma = value.find(',');
  DateText text(comma == std::string_view::npos ? std::string_view() : value.substr(comma));
  if (!text.take(',') || !text.take(' ') || !text.take_number(2, date.day) || !text.take('-') ||
      !text.take_month(date.month) || !text.take('-') || !text.take_number(2, date.year) || !text.take(' ') ||
      !take_time(text, date) || !ends_in_gmt(text)) {
    return false;
  }
  date.year += year_now / 100 * 100;
  date.year -= date.year > year_now + 50 ? 100 : 0;
  return true;
}

// Sun Nov  6 08:49:37 1994
bool read_asctime(std::string_view value, Date& date) {
  DateText text(value);
  std::string_view weekday;
  if (!text.take_word(3, weekday) || !text.take(' ') || !text.take_month(date.month) || !text.take(' ')) {
    return false;
  }
  const std::size_t digits = text.take(' ') ? 1 : 2;
  return text.take_number(digits, date.day) && text.take(' ') && take_time(text, date) && text.take(' ') &&
         text.take_number(4, date.year) && text.done();
}

std::optional<std::uint64_t> read_date(std::string_view value, std::uint64_t now_ms) {
  // Close enough to tell centuries apart.
  const std::uint64_t year_now = 1970 + now_ms / 1000 / day_s * 400 / 146'097;
  Date date;
  if (!read_fixed(value, date) && !read_rfc850(value, year_now, date) && !read_asctime(value, date)) {
    return std::nullopt;
  }
  if (date.day == 0 || date.day > 31) {
    return std::nullopt;
  }
  if (date.year < 1970) {
    return 0;
  }
  const std::uint64_t at_ms = (days_since_1970(date) * day_s + date.second) * 1000;
  return at_ms <= now_ms ? 0 : at_ms - now_ms;
}

// Digits, and a fraction that some write, times `unit_ms`.
std::optional<std::uint64_t> read_amount(std::string_view value, std::uint64_t unit_ms) {
  std::uint64_t ms = 0;
  std::size_t at = 0;
  for (; at < value.size() && ascii::is_digit(value[at]); ++at) {
    ms = ms * 10 + static_cast<std::uint64_t>(value[at] - '0') * unit_ms;
    ms = ms > day_ms ? day_ms : ms;
  }
  if (at == 0) {
    return std::nullopt;
  }
  if (at < value.size() && value[at] == '.') {
    std::uint64_t unit = unit_ms;
    for (++at; at < value.size() && ascii::is_digit(value[at]); ++at) {
      unit /= 10;
      ms += static_cast<std::uint64_t>(value[at] - '0') * unit;
    }
  }
  if (at != value.size()) {
    return std::nullopt;
  }
  return ms;
}

std::optional<std::string_view> find_header(std::span<const Header> headers, std::string_view name) {
  for (const Header& header : headers) {
    if (ascii::equal_in_any_case(header.name, name)) {
      return ascii::trim(header.value, ascii::blanks);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> retry_after_ms(std::span<const Header> headers, std::uint64_t now_ms) {
  std::optional<std::uint64_t> wait_ms;
  if (const auto value = find_header(headers, "retry-after-ms")) {
    wait_ms = read_amount(*value, 1);
  }
  if (!wait_ms) {
    if (const auto value = find_header(headers, "retry-after")) {
      wait_ms = read_amount(*value, 1000);
      if (!wait_ms) {
        wait_ms = read_date(*value, now_ms);
      }
    }
  }
  if (wait_ms && *wait_ms > day_ms) {
    wait_ms = day_ms;
  }
  return wait_ms;
}

std::optional<bool> should_retry(std::span<const Header> headers) {
  const auto value = find_header(headers, "x-should-retry");
  if (!value || (*value != "true" && *value != "false")) {
    return std::nullopt;
  }
  return *value == "true";
}

}  // namespace plumb::wire
