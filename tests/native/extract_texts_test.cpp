#include <doctest/doctest.h>

#include <string>

#include "tests/extract/marked_items.hpp"
#include "tests/native/source_dir.hpp"

using namespace plumb::extract_texts;

TEST_CASE(
    "extract: of all that it shows of forty real texts a teacher keeps nine in ten, and three in four have three") {
  const std::string folder = plumb::test::source_dir() + "/tests/extract";
  const std::vector<Text> texts = items_of(folder);
  REQUIRE(texts.size() == 40);
  const Marks marks = Marks::read(folder + "/marks.txt");
  for (const Text& text : texts) {
    for (const std::string& item : text.items) {
      // PLUMB_REWRITE=1 ./dev bench extract writes it down; read it, and mark it.
      const std::string told = text.name + " shows what nobody has read: " + item;
      CHECK_MESSAGE(marks.of(text.name, item) != "new", told);
    }
  }
  const Counts counts = count(texts, marks);
  CHECK(counts.kept * 10 >= counts.shown * 9);
  CHECK(counts.with_three >= 30);
}

TEST_CASE("extract: an item that nobody has marked counts as not kept") {
  const Text text{"dev/x.md", {"card: A = b.", "card: C = d.", "map: E > F [G]"}, {}};
  const Counts counts = count({text}, Marks());
  CHECK(counts.shown == 3);
  CHECK(counts.kept == 0);
  CHECK(counts.unmarked == 3);
  CHECK(counts.with_three == 0);  // a branch of a map is no question and no card
}
