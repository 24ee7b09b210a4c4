#include "core/contract/degenerate.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

using plumb::contract::DegenerateWatch;

struct Said {
  std::string what;
  std::uint64_t at = 0;
  bool operator==(const Said& o) const { return what == o.what && at == o.at; }
};

// What the watch says of a text in pieces of `size` bytes, the first of which has `first`.
Said said(DegenerateWatch& watch, std::string_view text, std::size_t first, std::size_t size) {
  for (std::size_t from = 0, next = first; from < text.size(); from += next, next = size) {
    next = std::min(next, text.size() - from);
    if (const char* what = watch.next(text.substr(from, next))) {
      return {what, watch.at()};
    }
  }
  return {};
}

// Text in which nothing repeats.
std::string prose(std::size_t size) {
  std::string out;
  for (std::uint32_t i = 1; out.size() < size; ++i) {
    out += "w" + std::to_string(i * 2654435761U);
    out += i % 7 == 0 ? "\n  " : " ";
  }
  out.resize(size);
  out.back() = 'x';
  return out;
}

std::string repeated(std::string_view one, std::size_t size) {
  std::string out;
  while (out.size() < size) {
    out += one;
  }
  return out;
}

void check_all_splits(const std::string& text, const Said& expected) {
  DegenerateWatch whole;
  const char* const what = whole.next(text, true);
  CHECK(Said{what == nullptr ? "" : what, what == nullptr ? 0 : whole.at()} == expected);
  DegenerateWatch watch;  // used again and again, as a check is
  for (const std::size_t size : {1U, 7U, 20U, 64U, 255U, 256U, 257U, 1000U, 1024U, 3000U, 4095U, 4096U, 4097U, 9000U}) {
    for (const std::size_t first : {1U, 13U, 256U, 1500U, 4096U, 6000U}) {
      CAPTURE(size);
      CAPTURE(first);
      CHECK(said(watch, text, first, size) == expected);
      watch.reset();
    }
  }
}

}  // namespace

TEST_CASE("degenerate: prose is fine, however it is split") { check_all_splits(prose(20000), {}); }

TEST_CASE("degenerate: 1,024 bytes of white space are told at the next 256 bytes, however they are split") {
  check_all_splits(prose(10000) + std::string(3000, ' '), {"white space without end", 11264});
  check_all_splits(repeated(" \n\t\r", 2000), {"white space without end", 1024});
  check_all_splits(prose(4000) + std::string(1300, '\n') + prose(500), {"white space without end", 5120});
  check_all_splits(prose(4300) + std::string(1000, ' ') + prose(5000), {});
}

TEST_CASE("degenerate: 1,024 digits are told at the next 256 bytes, however they are split") {
  check_all_splits(prose(5000) + repeated("0123456789", 2000), {"digits without end", 6144});
  check_all_splits(prose(5000) + repeated("01234 56789", 900) + prose(3000), {});
}

TEST_CASE("degenerate: what is repeated is told when it fills 4,096 bytes, however it is split") {
  check_all_splits(prose(5000) + repeated("the same, ", 9000), {"the same text again and again", 12288});
  check_all_splits(repeated(prose(256), 9000), {"the same text again and again", 4096});
  check_all_splits(repeated(prose(257), 20000), {});
}

TEST_CASE("degenerate: it is said once") {
  DegenerateWatch watch;
  const std::string text(2048, ' ');
  CHECK(watch.next(text) != nullptr);
  CHECK(watch.next(text) == nullptr);
  CHECK(watch.at() == 1024);
}
