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
  std::uint32_t own = 255;  // which script of those whose letters are weighed one by one
};

constexpr std::uint32_t scripts_counted = 32;
constexpr std::uint32_t symbols_counted = 19;
constexpr std::uint32_t emoji_symbol = 14;
constexpr std::uint32_t scripts_of_own_letters = 4;  // Sinhala, Lao, Burmese, Khmer
constexpr std::uint32_t han_script = 31;
constexpr std::uint32_t cyrillic_script = 2;
constexpr std::uint32_t bytes_script = 23;  // what vocabularies have no words of, nor letters: a token for each byte

Place place_of(char32_t c);

}  // namespace plumb::text::features
