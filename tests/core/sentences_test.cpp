#include "core/text/sentences.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using namespace plumb::text;

namespace {

std::vector<std::string> words_of(std::string_view text) {
  const Words words(text);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    out.emplace_back(words.folded(i));
  }
  return out;
}

std::vector<std::string> sentences_of(std::string_view text) {
  std::vector<std::string> out;
  for (const TextSpan span : sentences(text)) {
    out.emplace_back(piece(text, span));
  }
  return out;
}

using List = std::vector<std::string>;

}  // namespace

TEST_CASE("words: letters, digits and what belongs to them, folded") {
  CHECK(words_of("") == List{});
  CHECK(words_of(" ,.!? ") == List{});
  CHECK(words_of("The Quick_brown fox2") == List{"the", "quick_brown", "fox2"});
  CHECK(words_of("don't firm's FIRM\xE2\x80\x99S we've") == List{"don't", "firm's", "firm's", "we've"});
  CHECK(words_of("l'eau O'Brien dogs'") == List{"l", "eau", "o", "brien", "dogs"});
  CHECK(words_of("3.5 1,000.25 12:30 v1.2 end. 5,") == List{"3.5", "1,000.25", "12:30", "v1.2", "end", "5"});
  CHECK(words_of("C++ C# F# g++ a+b x++y ab#") == List{"c++", "c#", "f#", "g++", "a", "b", "x", "y", "ab"});
  CHECK(words_of("state-of-the-art") == List{"state", "of", "the", "art"});
  CHECK(words_of("\xC3\x9C"
                 "ber \xD0\x9C\xD0\xB8\xD1\x80 \xCE\xA3\xCE\xA9") == List{"\xC3\xBC"
                                                                          "ber",
                                                                          "\xD0\xBC\xD0\xB8\xD1\x80",
                                                                          "\xCF\x83\xCF\x89"});
  CHECK(words_of("so\xC2\xAD"
                 "ft") == List{"soft"});
  CHECK(words_of("a\x80"
                 "b\xFF") == List{"a", "b"});
  CHECK(words_of("\xEF\xBC\x91\xEF\xBC\x92") == List{"\xEF\xBC\x91\xEF\xBC\x92"});
}

TEST_CASE("words: scripts without spaces give a word for each letter with its marks") {
  CHECK(words_of("\xE6\x9D\xB1\xE4\xBA\xAC 2024\xE5\xB9\xB4") ==
        List{"\xE6\x9D\xB1", "\xE4\xBA\xAC", "2024", "\xE5\xB9\xB4"});
  CHECK(words_of("\xE0\xB8\x81\xE0\xB8\xB4\xE0\xB8\x99") == List{"\xE0\xB8\x81\xE0\xB8\xB4", "\xE0\xB8\x99"});
  CHECK(words_of("\xED\x95\x9C\xEA\xB5\xAD \xEC\x96\xB4") == List{"\xED\x95\x9C\xEA\xB5\xAD", "\xEC\x96\xB4"});
  const Words words("a\xE6\x9D\xB1");
  REQUIRE(words.size() == 2);
  CHECK_FALSE(words.is_single_letter(0));
  CHECK(words.is_single_letter(1));
  CHECK(words.gap(0).empty());
}

TEST_CASE("words: spans point into the text, and a bound is told") {
  const std::string_view text = "  One, two\tthree";
  const Words words(text);
  REQUIRE(words.size() == 3);
  CHECK(words.written(0) == "One");
  CHECK(words.span(1) == TextSpan{7, 10});
  CHECK(words.gap(0) == ", ");
  CHECK(words.complete());
  const Words two(text, 2);
  CHECK(two.size() == 2);
  CHECK_FALSE(two.complete());
}

TEST_CASE("sentences: counted as a reader counts them") {
  struct Case {
    std::size_t count;
    std::string_view text;
  };
  const Case cases[] = {
      {0, ""},
      {0, "   \n\n "},
      {0, "..."},
      {0, "?!"},
      {1, "Hello"},
      {1, "Hello."},
      {2, "Hello. World."},
      {2, "Hello! World?"},
      {1, "What?!"},
      {2, "What?! Really."},
      {1, "It costs 3.5 million."},
      {2, "It costs 3.5. That is much."},
      {2, "It costs $5. That is much."},
      {1, "Dr. Smith met Mr. Jones."},
      {1, "We met Prof. Dr. Meyer at 5 p.m. on Monday."},
      {2, "We met at 5 p.m. Then we left."},
      {1, "See e.g. Section 3."},
      {1, "Fruit, i.e. Apples, is good."},
      {1, "As shown in Fig. 3 and Eq. 12, it grows."},
      {1, "Smith et al. (2020) showed it."},
      {2, "It was done by Smith et al. They showed it."},
      {1, "J. R. R. Tolkien wrote it."},
      {1, "The U.S. Government decided."},
      {2, "It was I. Nobody else."},
      {2, "They sell pens, ink, etc. We do not."},
      {1, "Pens, ink, etc. are sold."},
      {1, "Visit www.example.com/a.b?c=D for more"},
      {2, "Visit https://example.com. Then call."},
      {1, "Use file.txt and main.cpp now."},
      {1, "Yahoo! is a company."},
      {1, "\"Why?\" he asked."},
      {2, "He said \"Stop.\" Then he left."},
      {2, "He said \xE2\x80\x9CStop.\xE2\x80\x9D Then he left."},
      {2, "(It rained.) We stayed."},
      {1, "Wait... what"},
      {2, "Wait... What is it"},
      {1, "Wait\xE2\x80\xA6 what"},
      {2, "It ended\xE2\x80\xA6 Nobody knew."},
      {1, "He quoted [...] The rest."},
      {1, "soft\nwrapped line."},
      {2, "First paragraph\n\nSecond paragraph"},
      {2, "First paragraph\r\n\r\nSecond paragraph"},
      {3, "- one\n- two\n- three"},
      {3, "* one\n* two\n* three"},
      {3, "1. one\n2. two\n3. three"},
      {3, "1) one\n2) two\n3) three"},
      {4, "Here:\n- one\n- two\n- three"},
      {2, "# Title\nSome text"},
      {2, "- item that is\n  wrapped\n- other"},
      {1, "1. First"},
      {2, "1. First. Second."},
      {1, "Am 3. Mai war es kalt."},
      {2, "Es waren 3. Dann kamen mehr."},
      {1, "Das ist z.B. Wasser."},
      {2, "\xE4\xBD\xA0\xE5\xA5\xBD\xE3\x80\x82\xE5\x86\x8D\xE8\xA7\x81\xE3\x80\x82"},
      {2, "\xE4\xBD\xA0\xE5\xA5\xBD\xE5\x90\x97\xEF\xBC\x9F\xE5\xA5\xBD\xEF\xBC\x81"},
      {2, "\xE4\xBD\xA0\xE5\xA5\xBD\xE5\x90\x97?\xE5\xA5\xBD!"},
      {2, "\xD9\x85\xD8\xB1\xD8\xAD\xD8\xA8\xD8\x9F \xD9\x86\xD8\xB9\xD9\x85."},
      {2, "\xE0\xA4\xAF\xE0\xA4\xB9\xE0\xA5\xA4 \xE0\xA4\xB5\xE0\xA4\xB9\xE0\xA5\xA4"},
      {1, "Version 2.0.1 was released"},
      {2, "No. It is not."},
      {1, "See No. 5 for that."},
      {1, "In vol. 3 of the series"},
      {2, "\xC2\xBFQu\xC3\xA9 es? \xC2\xA1Nada!"},
      {1, "Find the 2023 revenue of Tesla, Inc. in the U.S."},
      {2, "Find it. Find more."},
      {1, "Find it. find not"},
      {2, "**End.** Then"},
      {2, "It grew 5%. Sales fell."},
      {1, "A hint: use it; then stop, now"},
  };
  for (const Case& one : cases) {
    CAPTURE(std::string(one.text));
    CHECK(count_sentences(one.text) == one.count);
    CHECK(sentences(one.text).size() == one.count);
  }
}

TEST_CASE("sentences: spans run from the first visible character to the last") {
  CHECK(sentences_of("  One is here.  Two (is) \"there.\"  ") == List{"One is here.", "Two (is) \"there.\""});
  CHECK(sentences_of("- a b\n- c\n") == List{"a b", "c"});
  CHECK(sentences_of("## Head\n\n1. First point. More!\n") == List{"Head", "First point.", "More!"});
  CHECK(sentences_of("a\xE3\x80\x82"
                     "b") == List{"a\xE3\x80\x82", "b"});
}

TEST_CASE("sentences: every sentence's words are the text's words, whatever the text") {
  // Small pieces in every order of three: no word is lost, no span runs backwards or overlaps.
  const std::string_view pieces[] = {
      "a",    "B",    ".",  "?",  " ", "\n", "- ", "1. ", "\"", ")", "\xE3\x80\x82", "\xE6\x9D\xB1",
      "\xFF", "e.g.", "# ", "..."};
  for (const std::string_view a : pieces) {
    for (const std::string_view b : pieces) {
      for (const std::string_view c : pieces) {
        for (const std::string_view d : pieces) {
          const std::string text = std::string(a) + std::string(b) + std::string(c) + std::string(d);
          std::size_t last = 0;
          bool sound = true;
          for (const TextSpan span : sentences(text)) {
            sound = sound && span.from >= last && span.to > span.from && span.to <= text.size();
            sound = sound && Words(piece(text, span)).size() > 0;
            last = span.to;
          }
          CAPTURE(text);
          CHECK(sound);
        }
      }
    }
  }
}

TEST_CASE("first_code_points cuts between characters") {
  CHECK(first_code_points("abc", 5) == "abc");
  CHECK(first_code_points("abc", 2) == "ab");
  CHECK(first_code_points("\xC3\xA9\xE6\x9D\xB1x", 2) == "\xC3\xA9\xE6\x9D\xB1");
  CHECK(first_code_points("abc", 0).empty());
  CHECK(first_code_points("", 3).empty());
}
