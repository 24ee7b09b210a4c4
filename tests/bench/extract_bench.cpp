// extract_bench FOLDER [HALF]: every item that extract shows of the texts in FOLDER (tests/extract), with its mark, and
// what was left out with the reason; then how many were kept. HALF is dev, held, fresh-dev or fresh-held.
// PLUMB_REWRITE=1 writes new items into FOLDER/marks.txt, to be marked by hand.
#include <cstdio>
#include <cstdlib>

#include "tests/extract/marked_items.hpp"

using namespace plumb::extract_texts;

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: extract_bench FOLDER [HALF]\n", stderr);
    return 2;
  }
  const std::string folder = argv[1];
  const std::vector<Text> texts = items_of(folder, argc > 2 ? argv[2] : "");
  const Marks marks = Marks::read(folder + "/marks.txt");
  for (const Text& text : texts) {
    std::printf("\n## %s\n", text.name.c_str());
    for (const std::string& item : text.items) {
      std::printf("%s %s\n", marks.of(text.name, item).c_str(), item.c_str());
    }
    for (const std::string& one : text.left_out) {
      std::printf("     left out: %s\n", one.c_str());
    }
  }
  const Counts counts = count(texts, marks);
  std::printf(
      "\n%zu items shown, %zu kept (%zu%%), %zu not read yet; %zu of %zu texts yield three questions or cards or "
      "more\n",
      counts.shown, counts.kept, counts.shown == 0 ? 0 : counts.kept * 100 / counts.shown, counts.unmarked,
      counts.with_three, counts.texts);
  if (const char* rewrite = std::getenv("PLUMB_REWRITE"); rewrite != nullptr && *rewrite == '1') {
    marks.write(folder + "/marks.txt", texts);
  }
  return 0;
}
