#include "core/budget/percent_text.hpp"

#include "core/json/number_text.hpp"

namespace plumb::budget {

std::string percent_text(std::uint64_t hundredths) {
  std::string out = json::uint_text(hundredths / 100);
  const std::uint64_t rest = hundredths % 100;
  if (rest != 0) {
    out += '.';
    out += static_cast<char>('0' + rest / 10);
    if (rest % 10 != 0) {
      out += static_cast<char>('0' + rest % 10);
    }
  }
  return out;
}

}  // namespace plumb::budget
