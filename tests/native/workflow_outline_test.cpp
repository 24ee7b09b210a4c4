// Outlines of this product's own sources, against a count by their layout: what clang-format and our style put at the
// margin is a declaration of the file.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "core/workflow/outline.hpp"
#include "tests/native/source_dir.hpp"

namespace fs = std::filesystem;
using namespace plumb::workflow;

namespace {

bool begins(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }

// Lines in which something is declared, seen without brackets: only by what is at the margin.
std::set<std::size_t> at_the_margin(const std::string& ending, const std::string& text) {
  std::set<std::size_t> out;
  std::string raw;  // what ends the raw string that a line is in
  bool prefixed = false, continued = false;
  std::size_t number = 0;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    const std::string line = text.substr(from, end - from);
    from = end + 1;
    ++number;
    if (ending == ".cpp" || ending == ".hpp") {
      if (!raw.empty()) {
        raw = line.find(raw) == std::string::npos ? raw : "";
        continue;
      }
      const bool named = !line.empty() && (std::isalpha(static_cast<unsigned char>(line[0])) != 0 || line[0] == '_' ||
                                           line[0] == '~' || line[0] == '[');
      const bool left_out = begins(line, "namespace") || begins(line, "using namespace") ||
                            begins(line, "static_assert") || begins(line, "inline namespace") ||
                            line == "extern \"C\" {";
      if (named && !continued && !left_out && !prefixed) {
        out.insert(number);
      }
      prefixed = begins(line, "template") && line.back() == '>';
      continued = !line.empty() && line.back() == '\\';
      const std::size_t open = line.find("R\"");
      const std::size_t bracket = open == std::string::npos ? open : line.find('(', open);
      if (bracket != std::string::npos && bracket - open < 18) {
        const std::string close = ")" + line.substr(open + 2, bracket - open - 2) + "\"";
        raw = line.find(close, bracket) == std::string::npos ? close : "";
      }
    } else if (ending == ".py") {
      const bool assigned = !line.empty() &&
                            (std::isalpha(static_cast<unsigned char>(line[0])) != 0 || line[0] == '_') &&
                            line.find_first_of(" ") != std::string::npos && line.find(" = ") == line.find(' ');
      if (begins(line, "def ") || begins(line, "class ") || begins(line, "async def ") || assigned) {
        out.insert(number);
      }
    } else {
      for (const char* word : {"export ", "function ", "async function ", "class ", "const ", "let ", "var ",
                               "interface ", "enum ", "abstract ", "declare "}) {
        if (begins(line, word)) {
          out.insert(number);
        }
      }
    }
  }
  return out;
}

}  // namespace

TEST_CASE("outlines: at least 95 % of the top-level declarations of our own sources, and hardly anything else") {
  struct Count {
    std::size_t declared = 0, missed = 0, more = 0;
  };
  std::map<std::string, Count> counts;
  for (const char* folder : {"core", "native", "wasm", "web/src", "tests"}) {
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator(fs::path(plumb::test::source_dir()) / folder)) {
      const std::string path = entry.path().string(), ending = entry.path().extension().string();
      const bool ours = path.find("node_modules") == std::string::npos && entry.is_regular_file();
      if (!ours || std::set<std::string>{".cpp", ".hpp", ".ts", ".tsx", ".mjs", ".py"}.count(ending) == 0) {
        continue;
      }
      std::ifstream file(entry.path());
      const std::string text((std::istreambuf_iterator<char>(file)), {});
      std::set<std::size_t> outlined;
      for (const OutlineLine& line : outline(path, text)) {
        if (line.level == 0) {
          outlined.insert(line.line);
        }
      }
      const std::set<std::size_t> declared = at_the_margin(ending, text);
      Count& count = counts[ending];
      count.declared += declared.size();
      for (const std::size_t line : declared) {
        count.missed += outlined.count(line) == 0 ? 1 : 0;
      }
      for (const std::size_t line : outlined) {
        count.more += declared.count(line) == 0 ? 1 : 0;
      }
    }
  }
  CHECK(counts[".cpp"].declared > 5'000);
  CHECK(counts[".hpp"].declared > 1'000);
  CHECK(counts[".ts"].declared > 500);
  CHECK(counts[".py"].declared > 300);
  for (const auto& [ending, count] : counts) {
    MESSAGE(ending << ": " << count.declared << " declarations, " << count.missed << " missed, " << count.more
                   << " more");
    CHECK(count.missed * 20 <= count.declared);
    CHECK(count.more * 20 <= count.declared);
  }
}
