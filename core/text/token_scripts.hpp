// Which script or kind of symbol a character beyond ASCII is counted with in an estimate of tokens. By blocks of code
// points: what matters is how the vocabularies cut a script, not what its characters are.
#pragma once

#include <cstdint>

namespace plumb::text::features {

enum class Kind : std::uint8_t { latin, letter, mark, han, symbol };

struct Place {
  Kind kind = Kind::symbol;
  std::uint32_t index = 0;  // script, block of Han, or kind of symbol
  bool rare = false;        // a letter that the first languages of its script do not use
};

constexpr std::uint32_t scripts_counted = 32;
constexpr std::uint32_t symbols_counted = 16;
constexpr std::uint32_t han_script = 31;
constexpr std::uint32_t cyrillic_script = 2;

Place place_of(char32_t c);

}  // namespace plumb::text::features
