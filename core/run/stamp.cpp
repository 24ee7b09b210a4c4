#include "core/run/stamp.hpp"

namespace plumb::run {

namespace {

void set_two(std::string& text, std::size_t at, std::uint64_t number) {
  text[at] = static_cast<char>('0' + number / 10 % 10);
  text[at + 1] = static_cast<char>('0' + number % 10);
}

void set_clock(std::string& text, std::size_t at, std::uint64_t at_ms) {
  const std::uint64_t seconds = at_ms / 1000 % 86'400;
  set_two(text, at, seconds / 3600);
  set_two(text, at + 3, seconds / 60 % 60);
  set_two(text, at + 6, seconds % 60);
}

}  // namespace

std::string iso_time(std::uint64_t at_ms) {
  // Days to a date of the Gregorian calendar, in eras of 400 years that begin on 1 March.
  const std::uint64_t days = at_ms / 86'400'000 + 719'468;
  const std::uint64_t era = days / 146'097;
  const std::uint64_t day_of_era = days % 146'097;
  const std::uint64_t year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::uint64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::uint64_t month_of_year = (5 * day_of_year + 2) / 153;
  const std::uint64_t day = day_of_year - (153 * month_of_year + 2) / 5 + 1;
  const std::uint64_t month = month_of_year < 10 ? month_of_year + 3 : month_of_year - 9;
  const std::uint64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  std::string text = "0000-00-00T00:00:00Z";
  set_two(text, 0, year / 100);
  set_two(text, 2, year);
  set_two(text, 5, month);
  set_two(text, 8, day);
  set_clock(text, 11, at_ms);
  return text;
}

std::string clock_time(std::uint64_t at_ms) {
  std::string text = "00:00:00";
  set_clock(text, 0, at_ms);
  return text;
}

}  // namespace plumb::run
