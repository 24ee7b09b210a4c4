// Dates, times and durations of RFC 3339, read to the last character of the text.
#pragma once

#include <string_view>

namespace plumb::text {

// full-date: 2024-02-29. The day exists in the proleptic Gregorian calendar, years 0000 to 9999.
bool is_date(std::string_view text);
// full-time: 08:30:06.25+01:00. Second 60 holds only where the time in UTC is 23:59:60.
bool is_time(std::string_view text);
// date-time. Second 60 holds only at 23:59:60 UTC on the last day of a month (RFC 3339 5.7).
bool is_date_time(std::string_view text);
// duration of appendix A: P3Y6M4DT12H30M5S, P2W, PT36H.
bool is_duration(std::string_view text);

}  // namespace plumb::text
