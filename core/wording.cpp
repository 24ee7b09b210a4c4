#include "core/wording.hpp"

namespace plumb {

std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
  std::string out = std::to_string(number);
  out += ' ';
  out += number == 1 ? one : many;
  return out;
}

std::string counted(std::uint64_t number, std::string_view one) {
  std::string out = counted(number, one, one);
  if (number != 1) {
    out += 's';
  }
  return out;
}

}  // namespace plumb
