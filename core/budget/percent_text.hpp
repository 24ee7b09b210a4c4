// Hundredths of a percent as text: 7246 is "72.46", 7250 "72.5", 7000 "70".
#pragma once

#include <cstdint>
#include <string>

namespace plumb::budget {

std::string percent_text(std::uint64_t hundredths);

}  // namespace plumb::budget
