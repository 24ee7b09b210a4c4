#include "core/json/scan_simd.hpp"

#include <doctest/doctest.h>

#include <string>

#include "core/ascii.hpp"

using namespace plumb::json;

namespace {

// What the kernels must agree with.
std::size_t plainly(const std::string& text, std::size_t size, bool (*stops)(char)) {
  std::size_t at = 0;
  while (at < size && !stops(text[at])) {
    ++at;
  }
  return at;
}
bool no_space(char c) { return !plumb::ascii::is_space(c); }

// Both ways of search, over a text of `size` bytes and 32 more that a padded search may read and must not heed.
bool agree(const std::string& text, std::size_t size) {
  const char* const from = text.data();
  const char* const space = from + plainly(text, size, no_space);
  const char* const plain = from + plainly(text, size, ends_plain_run);
  return skip_space(from, from + size) == space && skip_space(from, from + size, true) == space &&
         skip_plain(from, from + size) == plain && skip_plain(from, from + size, true) == plain;
}

}  // namespace

TEST_CASE("scan_simd: every byte at every position stops both searches where plain loops stop") {
  for (const char filling : {' ', 'a'}) {
    for (std::size_t size = 0; size <= 50; ++size) {
      const std::string text(size + 32, filling);
      CHECK(agree(text, size));
      for (std::size_t at = 0; at < size; ++at) {
        std::string other = text;
        int disagree = 0;
        for (int byte = 0; byte < 256; ++byte) {
          other[at] = static_cast<char>(byte);
          disagree += agree(other, size) ? 0 : 1;
        }
        CHECK(disagree == 0);
      }
    }
  }
}

TEST_CASE("scan_simd: what is behind the end of a padded text is not heeded") {
  for (std::size_t size = 0; size <= 40; ++size) {
    std::string spaces(size + 32, ' ');
    std::string plain(size + 32, 'a');
    for (std::size_t behind = size; behind < size + 32; ++behind) {
      spaces[behind] = 'x';
      plain[behind] = '"';
    }
    CHECK(skip_space(spaces.data(), spaces.data() + size, true) == spaces.data() + size);
    CHECK(skip_plain(plain.data(), plain.data() + size, true) == plain.data() + size);
  }
}
