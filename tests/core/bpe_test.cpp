#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/text/bpe.hpp"
#include "core/text/bpe_pieces.hpp"

using namespace plumb::text;

namespace {

struct Cut {
  const char* text;
  const char* o200k;  // the pieces, with | between
  const char* cl100k;
};

// As the patterns of both encodings cut them.
constexpr Cut cuts[] = {
    {"It's DON'T we'LL HTTPServer's camelCaseWord", "It's| DON'T| we'LL| HTTPServer's| camel|Case|Word",
     "It|'s| DON|'T| we|'LL| HTTPServer|'s| camelCaseWord"},
    {"x = (foo_bar-12345) // end\n\n  return;\n", "x| =| (|foo|_bar|-|123|45|)| //| end|\n\n| | return|;\n",
     "x| =| (|foo|_bar|-|123|45|)| //| end|\n\n| | return|;\n"},
    {"  a   b\t\tc  \n   \n\nd   ", " | a|  | b|\t|\tc|  \n   \n\n|d|   ", " | a|  | b|\t|\tc|  \n   \n\n|d|   "},
    {"e\u0301te\u0301 \u0301x \u093f\u0915\u093f 123\u0661\u0662\u0663\u0664",
     "e\u0301te\u0301| \u0301x| \u093f\u0915\u093f| |123|\u0661\u0662\u0663|\u0664",
     "e|\u0301te|\u0301| \u0301|x| \u093f|\u0915|\u093f| |123|\u0661\u0662\u0663|\u0664"},
    {"\u00dcBER\u00dfe \u01c5x \u02b0a \u4eba\u4eba\u30ab\u30bf a\u4ebaB",
     "\u00dcBER\u00dfe| \u01c5x| \u02b0a| \u4eba\u4eba\u30ab\u30bf| a\u4eba|B",
     "\u00dcBER\u00dfe| \u01c5x| \u02b0a| \u4eba\u4eba\u30ab\u30bf| a\u4ebaB"},
    {"...\r\n/\r\n 'tis 'S 've '", "...\r\n/\r\n| '|tis| '|S| '|ve| '", "...\r\n|/\r\n| '|tis| '|S| '|ve| '"},
    {"\U0001f642\U0001f642 \u2028\u00a0x\u3000y", "\U0001f642\U0001f642| \u2028|\u00a0x|\u3000y",
     "\U0001f642\U0001f642| \u2028|\u00a0x|\u3000y"},
    {"ABCdef GHi\u0301J K\u0301\u0301l", "ABCdef| GHi\u0301|J| K\u0301\u0301l",
     "ABCdef| GHi|\u0301J| K|\u0301\u0301|l"},
    {"a\u0301'S\u0301 \u0301'll", "a\u0301'S|\u0301| \u0301'll", "a|\u0301'|S|\u0301| \u0301'|ll"},
};

std::string pieces(std::string_view text, Encoding encoding, const CharacterKinds& kinds) {
  std::string out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = piece_end(text, from, encoding, kinds);
    out += out.empty() && from == 0 ? "" : "|";
    out += text.substr(from, end - from);
    from = end;
  }
  return out;
}

// base64 of up to three bytes.
std::string base64(std::string_view bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    bits = bits << 8U | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
  }
  std::string out;
  for (std::size_t i = 0; i < 4; ++i) {
    out += i <= bytes.size() ? digits[bits >> (18 - 6 * i) & 63U] : '=';
  }
  return out;
}

// Every byte, and then these.
std::string ranks(const std::vector<std::string>& tokens) {
  std::string out;
  std::uint32_t rank = 0;
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    out += base64({&c, 1}) + " " + std::to_string(rank++) + "\n";
  }
  for (const std::string& token : tokens) {
    out += base64(token) + " " + std::to_string(rank++) + "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("bpe: both encodings cut texts as their patterns do") {
  const CharacterKinds kinds;
  for (const Cut& one : cuts) {
    CAPTURE(one.text);
    CHECK(pieces(one.text, Encoding::o200k_base, kinds) == one.o200k);
    CHECK(pieces(one.text, Encoding::cl100k_base, kinds) == one.cl100k);
  }
}

TEST_CASE("bpe: the pair of the lowest rank is joined first, and of equals the left one") {
  const auto bpe = Bpe::read(ranks({"ab", "bc", "abc", "cd"}), Encoding::cl100k_base);
  REQUIRE(static_cast<bool>(bpe));
  CHECK(bpe.value().encode("abcd") == std::vector<std::uint32_t>{258, 'd'});
  CHECK(bpe.value().encode("bcd") == std::vector<std::uint32_t>{257, 'd'});
  CHECK(bpe.value().encode("xcd") == std::vector<std::uint32_t>{'x', 259});
  CHECK(bpe.value().count("abab ab") == 4);  // the blank belongs to the second word
  CHECK(bpe.value().count("") == 0);
}

TEST_CASE("bpe: long pieces are joined as short ones are") {
  const auto bpe = Bpe::read(ranks({"aa", "aaa", "ba", "ab"}), Encoding::o200k_base);
  REQUIRE(static_cast<bool>(bpe));
  for (const char* part : {"a", "aab", "abba", "baaa"}) {
    std::string text;
    while (text.size() < 60) {
      text += part;
    }
    const std::vector<std::uint32_t> is_short = bpe.value().encode(text);
    // What is longer begins with the same tokens, but for the last few, which depend on what follows.
    const std::vector<std::uint32_t> is_long = bpe.value().encode(text + text + text);
    CHECK(std::vector<std::uint32_t>(is_short.begin(), is_short.end() - 4) ==
          std::vector<std::uint32_t>(is_long.begin(), is_long.begin() + static_cast<long>(is_short.size()) - 4));
  }
  CHECK(bpe.value().count(std::string(300'000, 'a')) == 150'000);
}

TEST_CASE("bpe: bytes that are no text are counted as U+FFFD, and a file that is none is refused with its line") {
  const auto bpe = Bpe::read(ranks({}), Encoding::unknown);
  REQUIRE(static_cast<bool>(bpe));
  CHECK(bpe.value().encoding() == Encoding::cl100k_base);
  CHECK(bpe.value().count("\xFF") == 3);
  CHECK(Bpe::read("", Encoding::unknown).error().message.find("no token for byte 0") != std::string::npos);
  CHECK(Bpe::read("AA== 0\nAQ== 1\nAQ== 2\n", Encoding::unknown).error().line == 3);
  CHECK(Bpe::read("AA== 0\r\nAQ==\r\n", Encoding::unknown).error().line == 2);
  CHECK(Bpe::read("A 0\n", Encoding::unknown).error().line == 1);
  CHECK(Bpe::read("AA== 99999999\n", Encoding::unknown).error().line == 1);
}
