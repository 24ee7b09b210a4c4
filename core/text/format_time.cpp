#include "core/text/format_time.hpp"

#include <cstddef>

#include "core/ascii.hpp"

namespace plumb::text {
namespace {

constexpr int minutes_a_day = 24 * 60;

// Letters of ABNF are read in either case.
bool is_letter(char c, char upper) { return c == upper || c == static_cast<char>(upper + ('a' - 'A')); }

// Reads from the front of a text; after a failure nothing more is read.
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : text_(text) {}

  bool done() const { return at_ == text_.size(); }
  bool literal(char c) { return !done() && text_[at_] == c && advance(); }
  bool letter(char upper) { return !done() && is_letter(text_[at_], upper) && advance(); }
  // Exactly `count` digits.
  bool number(int count, int& value) {
    value = 0;
    for (int i = 0; i < count; ++i) {
      if (done() || !ascii::is_digit(text_[at_])) {
        return false;
      }
      value = value * 10 + (text_[at_] - '0');
      ++at_;
    }
    return true;
  }
  // One digit or more, of any value.
  bool digits() {
    const std::size_t from = at_;
    while (!done() && ascii::is_digit(text_[at_])) {
      ++at_;
    }
    return at_ > from;
  }

 private:
  bool advance() {
    ++at_;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

struct Date {
  int year = 0;
  int month = 0;
  int day = 0;
};

struct Time {
  int hour = 0;
  int minute = 0;
  int second = 0;
  int offset_minutes = 0;
};

bool is_leap_year(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int days_in_month(int year, int month) {
  constexpr int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap_year(year) ? 29 : days[month - 1];
}

bool read_date(TimeReader& reader, Date& date) {
  return reader.number(4, date.year) && reader.literal('-') && reader.number(2, date.month) && reader.literal('-') &&
         reader.number(2, date.day) && date.month >= 1 && date.month <= 12 && date.day >= 1 &&
         date.day <= days_in_month(date.year, date.month);
}

bool read_offset(TimeReader& reader, int& offset_minutes) {
  if (reader.letter('Z')) {
    offset_minutes = 0;
    return true;
  }
  int sign = 0;
  if (reader.literal('+')) {
    sign = 1;
  } else if (reader.literal('-')) {
    sign = -1;
  } else {
    return false;
  }
  int hour = 0;
  int minute = 0;
  if (!reader.number(2, hour) || !reader.literal(':') || !reader.number(2, minute) || hour > 23 || minute > 59) {
    return false;
  }
  offset_minutes = sign * (hour * 60 + minute);
  return true;
}

// The minute in UTC, possibly below 0 or beyond the day.
int utc_minute(const Time& time) { return time.hour * 60 + time.minute - time.offset_minutes; }

bool read_time(TimeReader& reader, Time& time) {
  if (!reader.number(2, time.hour) || !reader.literal(':') || !reader.number(2, time.minute) || !reader.literal(':') ||
      !reader.number(2, time.second) || time.hour > 23 || time.minute > 59 || time.second > 60) {
    return false;
  }
  if (reader.literal('.') && !reader.digits()) {
    return false;
  }
  if (!read_offset(reader, time.offset_minutes)) {
    return false;
  }
  const int minute = (utc_minute(time) + minutes_a_day) % minutes_a_day;
  return time.second < 60 || minute == minutes_a_day - 1;
}

// Whether a leap second can occur then: UTC, whose day may be the one before or after, is at the end of a month.
bool at_month_end(const Date& date, const Time& time) {
  const int minute = utc_minute(time);
  if (minute < 0) {
    return date.day == 1;
  }
  if (minute >= minutes_a_day) {
    return date.day + 1 == days_in_month(date.year, date.month);
  }
  return date.day == days_in_month(date.year, date.month);
}

// Numbers with units, in the order of `units`: they may begin and end with any unit, but skip none.
bool read_units(TimeReader& reader, std::string_view units) {
  bool any = false;
  std::size_t next = 0;
  while (reader.digits()) {
    std::size_t unit = 0;
    while (unit < units.size() && !reader.letter(units[unit])) {
      ++unit;
    }
    if (unit == units.size() || (any && unit != next)) {
      return false;
    }
    any = true;
    next = unit + 1;
  }
  return any;
}

}  // namespace

bool is_date(std::string_view text) {
  TimeReader reader(text);
  Date date;
  return read_date(reader, date) && reader.done();
}

bool is_time(std::string_view text) {
  TimeReader reader(text);
  Time time;
  return read_time(reader, time) && reader.done();
}

bool is_date_time(std::string_view text) {
  TimeReader reader(text);
  Date date;
  Time time;
  return read_date(reader, date) && reader.letter('T') && read_time(reader, time) && reader.done() &&
         (time.second < 60 || at_month_end(date, time));
}

bool is_duration(std::string_view text) {
  TimeReader reader(text);
  if (!reader.letter('P')) {
    return false;
  }
  TimeReader weeks = reader;
  if (weeks.digits() && weeks.letter('W')) {
    return weeks.done();  // dur-week comes alone
  }
  if (reader.letter('T')) {
    return read_units(reader, "HMS") && reader.done();
  }
  if (!read_units(reader, "YMD")) {
    return false;
  }
  return reader.done() || (reader.letter('T') && read_units(reader, "HMS") && reader.done());
}

}  // namespace plumb::text
