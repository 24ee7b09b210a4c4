#include "core/text/suggest.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

using namespace plumb::text;

namespace {

// The distance by its definition, without a band: optimal string alignment.
std::uint32_t plain_distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::uint32_t>> d(a.size() + 1, std::vector<std::uint32_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = static_cast<std::uint32_t>(i + j);
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

TEST_CASE("suggest: the distance in a band is the distance by definition, for all short texts") {
  std::vector<std::string> texts = {""};
  for (std::size_t from = 0, length = 0; length < 4; ++length) {
    const std::size_t to = texts.size();
    for (; from < to; ++from) {
      for (const char c : {'a', 'b', 'c'}) {
        texts.push_back(texts[from] + c);
      }
    }
  }
  REQUIRE(texts.size() == 121);
  std::size_t wrong = 0;
  for (const std::string& a : texts) {
    for (const std::string& b : texts) {
      for (std::uint32_t max = 0; max <= 5; ++max) {
        wrong += edit_distance(a, b, max) != std::min(plain_distance(a, b), max + 1) ? 1 : 0;
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("suggest: characters count, not bytes") {
  CHECK(edit_distance("caf\xC3\xA9", "cafe", 3) == 1);
  CHECK(edit_distance("\xE6\x9D\xB1\xE4\xBA\xAC", "\xE4\xBA\xAC\xE6\x9D\xB1", 3) == 1);
  CHECK(edit_distance("kitten", "sitting", 5) == 3);
  CHECK(edit_distance("", "abc", 5) == 3);
}

TEST_CASE("suggest: what is near depends on the length") {
  CHECK(near_miss("type", "tpye") == 2);
  CHECK(near_miss("minItem", "minItems") == 2);
  CHECK(near_miss("minitems", "minItems") == 1);
  CHECK(near_miss("requried", "required") == 2);
  CHECK(near_miss("correctAnswer", "correct_answer") == 1);
  CHECK(near_miss("answer_correct", "correct_answer") == 1);
  CHECK(near_miss("proprties", "properties") == 2);
  CHECK(near_miss("same", "same") == 0);
  CHECK(near_miss("distinkt", "distinct") == 2);
  CHECK(near_miss("explanaton", "explanation") == 2);
  CHECK_FALSE(near_miss("if", "is"));
  CHECK(near_miss("IF", "if") == 1);
  CHECK_FALSE(near_miss("cat", "dog"));
  CHECK_FALSE(near_miss("abcd", "abef"));
  CHECK_FALSE(near_miss("properties", "items"));
  CHECK_FALSE(near_miss("", "a"));
  CHECK(near_miss("", "") == 0);
  CHECK_FALSE(near_miss("easy", "medium"));
}

TEST_CASE("suggest: the nearest is the first of the nearest") {
  const std::vector<std::string_view> names = {"minItems", "maxItems", "items", "minItem"};
  CHECK(nearest("minItems", names) == 0);
  CHECK(nearest("minitem", names) == 3);
  CHECK(nearest("manItems", names) == 0);
  CHECK_FALSE(nearest("properties", names));
  CHECK_FALSE(nearest("x", {}));
}

TEST_CASE("suggest: allowed values come with near misses first, the others in their order, bounded") {
  const std::vector<std::string_view> values = {"low", "medium", "high", "mediun", "Medium"};
  CHECK(near_misses_first("mediu", values) == std::vector<std::size_t>{1, 3, 4, 0, 2});
  CHECK(near_misses_first("medium", values) == std::vector<std::size_t>{1, 4, 3, 0, 2});
  CHECK(near_misses_first("zzz", values) == std::vector<std::size_t>{0, 1, 2, 3, 4});
  CHECK(near_misses_first("mediu", values, 2) == std::vector<std::size_t>{1, 3});
  CHECK(near_misses_first("x", values, 0).empty());
  std::vector<std::string> many;
  for (int i = 0; i < 100; ++i) {
    many.push_back("value number " + std::to_string(i));
  }
  std::vector<std::string_view> views(many.begin(), many.end());
  views.push_back("wanted");
  const std::vector<std::size_t> first = near_misses_first("wantde", views);
  CHECK(first.size() == 20);
  CHECK(first[0] == 100);
  CHECK(first[1] == 0);
}

TEST_CASE("suggest: long values are near nothing but themselves") {
  const std::string a(300, 'a');
  const std::string b = a + "b";
  CHECK(near_miss(a, a) == 0);
  CHECK_FALSE(near_miss(a, b));
  CHECK(edit_distance(a, b, 3) == 4);
  const std::string huge(1000000, 'x');
  CHECK_FALSE(near_miss(huge, "x"));
}
