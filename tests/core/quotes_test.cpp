#include "core/text/quotes.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace plumb::text;

namespace {

std::string found(std::string_view quote, std::string_view source, std::size_t min = 1) {
  const QuoteResult result = find_quote(quote, source, min);
  switch (result.status) {
    case QuoteStatus::found:
      return std::string(piece(source, result.where));
    case QuoteStatus::not_found:
      return "(not found)";
    case QuoteStatus::too_short:
      break;
  }
  return "(too short)";
}

}  // namespace

TEST_CASE("quotes: found exactly, with the place in the source") {
  const std::string_view source = "Photosynthesis occurs in plants. Light is needed.";
  CHECK(find_quote("occurs in plants", source).where == TextSpan{15, 31});
  CHECK(found("Photosynthesis occurs in plants. Light is needed.", source) == source);
  CHECK(found("photosynthesis", source) == "(not found)");
  CHECK(found("occurs in animals", source) == "(not found)");
  CHECK(found("plants. Light is needed. More", source) == "(not found)");
  CHECK(find_quote("aab", "aaab").where == TextSpan{1, 4});
  CHECK(find_quote("abab", "abacabab").where == TextSpan{4, 8});
  CHECK(find_quote("a", "ba a").where == TextSpan{1, 2});
}

TEST_CASE("quotes: white space is one space") {
  CHECK(found("occurs in plants", "it occurs\n   in\tplants") == "occurs\n   in\tplants");
  CHECK(found("  occurs \r\n in ", "it occurs in") == "occurs in");
  CHECK(found("a b",
              "a\xC2\xA0"
              "b") ==
        "a\xC2\xA0"
        "b");
  CHECK(found("a b",
              "a\xE3\x80\x80"
              "b") ==
        "a\xE3\x80\x80"
        "b");
  CHECK(found("ab", "a b") == "(not found)");
  CHECK(found("a b", "ab") == "(not found)");
}

TEST_CASE("quotes: typographic quotes, dashes and the ellipsis are folded") {
  CHECK(found("don't", "I don\xE2\x80\x99t") == "don\xE2\x80\x99t");
  CHECK(found("a \"b\" c",
              "a \xE2\x80\x9C"
              "b\xE2\x80\x9D c") ==
        "a \xE2\x80\x9C"
        "b\xE2\x80\x9D c");
  CHECK(found("2010-2020",
              "in 2010\xE2\x80\x93"
              "2020.") ==
        "2010\xE2\x80\x93"
        "2020");
  CHECK(found("x \xE2\x80\x94 y", "x - y") == "x - y");
  CHECK(found("wait...", "wait\xE2\x80\xA6 what") == "wait\xE2\x80\xA6");
  CHECK(found("wait\xE2\x80\xA6", "wait... what") == "wait...");
  CHECK(found("\xE2\x88\x92"
              "5",
              "-5 degrees") == "-5");
  CHECK(found("soft",
              "so\xC2\xAD"
              "ft") ==
        "so\xC2\xAD"
        "ft");
  CHECK(found("co-op", "co\xE2\x80\x91op") == "co\xE2\x80\x91op");
  CHECK(found("\xC2\xAB"
              "oui\xC2\xBB non",
              "\"oui\" non") == "\"oui\" non");
}

TEST_CASE("quotes: marks around the whole quote are not part of it") {
  CHECK(found("\"occurs in plants\"", "it occurs in plants") == "occurs in plants");
  CHECK(found("\xE2\x80\x9Coccurs in plants\xE2\x80\x9D", "it occurs in plants") == "occurs in plants");
  CHECK(found("'occurs'", "it occurs") == "occurs");
  CHECK(found("\" occurs \"", "it occurs") == "occurs");
  CHECK(found("\"a\" or \"b\"", "\"a\" or \"b\"") == "\"a\" or \"b\"");
}

TEST_CASE("quotes: a quote must be long enough to prove something") {
  CHECK(found("", "abc") == "(too short)");
  CHECK(found("  \n", "abc") == "(too short)");
  CHECK(found("\"\"", "abc") == "(too short)");
  CHECK(found("ab", "abc", 3) == "(too short)");
  CHECK(found("abc", "abc", 3) == "abc");
  CHECK(found("\xE6\x9D\xB1\xE4\xBA\xAC", "\xE6\x9D\xB1\xE4\xBA\xAC", 3) == "(too short)");
  CHECK(found("a    b", "a b", 4) == "(too short)");
}

TEST_CASE("quotes: no pieces, no other letters, empty sources") {
  CHECK(found("it [...] plants", "it occurs in plants") == "(not found)");
  CHECK(found("caf\xC3\xA9", "cafe") == "(not found)");
  CHECK(found("a", "") == "(not found)");
  CHECK(found("abc", "ab") == "(not found)");
}

TEST_CASE("quotes: the first place is found in every text of a small alphabet") {
  std::size_t wrong = 0;
  std::string texts[1024];
  std::size_t count = 0;
  for (std::size_t length = 1; length <= 8; ++length) {
    for (std::size_t bits = 0; bits < (std::size_t{1} << length); ++bits) {
      std::string text;
      for (std::size_t i = 0; i < length; ++i) {
        text += (bits >> i & 1U) != 0 ? 'a' : 'b';
      }
      texts[count++] = text;
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < 62; ++j) {  // up to five letters
      const std::size_t expected = texts[i].find(texts[j]);
      const QuoteResult result = find_quote(texts[j], texts[i]);
      const bool same = expected == std::string::npos ? result.status == QuoteStatus::not_found
                                                      : result.where == TextSpan{expected, expected + texts[j].size()};
      wrong += same ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("find_folded: in any case, with or without white space") {
  CHECK(find_folded("C++", "we use c++ here", {true, false}) == TextSpan{7, 10});
  CHECK_FALSE(find_folded("C++", "we use c++ here", {false, false}));
  CHECK(find_folded("\xE6\x9D\xB1\xE4\xBA\xAC", "\xE6\x9D\xB1 \xE4\xBA\xAC", {true, true}) == TextSpan{0, 7});
  CHECK_FALSE(find_folded("", "abc", {true, true}));
  CHECK_FALSE(find_folded(" ", "a c", {true, true}));
}
