// Numbers with their nouns, and lists, as sentences of ours write them.
//
//   counted(1, "finding")                       "1 finding"
//   counted(2, "finding")                       "2 findings"
//   counted(2, "entry is", "entries are")       "2 entries are"
//   joined(names)                               "a, b, c"
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plumb {

std::string counted(std::uint64_t number, std::string_view one, std::string_view many);
// What is counted takes an s where there is not one of it.
std::string counted(std::uint64_t number, std::string_view one);

// The texts of a list, one after another: `between` comes before each but those that nothing comes before.
template <class Texts>
std::string joined(const Texts& texts, std::string_view between = ", ") {
  std::string out;
  for (const auto& one : texts) {
    if (!out.empty()) {
      out += between;
    }
    out += one;
  }
  return out;
}

}  // namespace plumb
