// The golden cases of budgets. PLUMB_REWRITE=1 writes what is answered into the files, so that the diff is the review.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/budget/operations.hpp"
#include "tests/native/source_dir.hpp"

namespace {

struct BudgetCase {
  std::string title;
  std::string operation;
  std::string request;
  std::string answer;
};

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool begins(const std::string& line, const char* text) { return line.rfind(text, 0) == 0; }

// Each case is handed to `judge`, and the answer that it gives is in the text that comes back.
template <class Judge>
std::string each_case(const std::string& text, bool markdown, const Judge& judge) {
  std::string out;
  BudgetCase now;
  bool inside = !markdown;
  const auto end = [&] {
    if (!now.title.empty())
      out += judge(now) + "\n";
    now = {};
  };
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t line_end = std::min(text.find('\n', from), text.size());
    const std::string line = text.substr(from, line_end - from);
    from = line_end + 1;
    const bool fence = markdown && begins(line, "```");
    if (inside && (fence || begins(line, "=== ")))
      end();
    if (fence)
      inside = !inside && begins(line, "```budget");
    if (inside && !fence) {
      if (begins(line, "=== ")) {
        now.title = line.substr(4);
      } else if (begins(line, "{\"valid\":")) {
        now.answer = line;
        continue;  // judge() gives it anew
      } else if (!now.title.empty() && now.operation.empty()) {
        now.operation = line.substr(0, line.find(' '));
        now.request = line.substr(now.operation.size() + 1);
      } else if (!now.title.empty()) {
        now.request += "\n" + line;
      }
    }
    out += line + "\n";
  }
  end();
  return out;
}

void judge_file(const std::string& path, bool markdown) {
  const bool rewrite = std::getenv("PLUMB_REWRITE") != nullptr;
  std::size_t count = 0;
  const std::string text = read(path);
  const std::string rewritten = each_case(text, markdown, [&](const BudgetCase& one) {
    ++count;
    CAPTURE(path);
    CAPTURE(one.title);
    const plumb::budget::Operation* operation = plumb::budget::operation_named(one.operation);
    REQUIRE(operation != nullptr);
    const std::string answer = plumb::budget::answer(*operation, one.request);
    if (!rewrite)
      CHECK(answer == one.answer);
    return answer;
  });
  CHECK(count > 0);
  if (rewrite && rewritten != text)
    std::ofstream(path, std::ios::binary) << rewritten;
}

}  // namespace

TEST_CASE("budget: every golden case is answered as it is written") {
  const std::string folder = plumb::test::source_dir() + "/tests/cases/budget";
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    judge_file(entry.path().string(), false);
}

TEST_CASE("budget: every example of the documentation is answered as it is written") {
  judge_file(plumb::test::source_dir() + "/docs/budget.md", true);
}
