// docs/edit-classes.md is written from core/contract/edit.cpp and the cases of tests/cases/edits/classes.case.
// PLUMB_REWRITE=1 writes it.

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include "core/contract/edit.hpp"
#include "tests/native/source_dir.hpp"

using namespace plumb;

namespace {

constexpr std::string_view head = R"(# Edit classes, with examples

See what each class of [edits](edits.md#classes) does to a text. Each example is a test: the artifact, the edits (`?` is
a guess, `offered` was not made) and the text that is checked. This page is generated from the table of classes and its
cases.
)";

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The blocks of the case file by the first word of their title.
std::map<std::string, std::string> cases_by_class() {
  const std::string text = file_text(plumb::test::source_dir() + "/tests/cases/edits/classes.case");
  std::map<std::string, std::string> out;
  for (std::size_t at = text.find("=== "); at != std::string::npos;) {
    const std::size_t next = text.find("\n=== ", at);
    std::string block = text.substr(at, next == std::string::npos ? std::string::npos : next - at);
    block.erase(block.find_last_not_of('\n') + 1);
    out[block.substr(4, block.find_first_of(":, ", 4) - 4)] += "\n```case\n" + block + "\n```\n";
    at = next == std::string::npos ? next : next + 1;
  }
  return out;
}

}  // namespace

TEST_CASE("docs: the page of edit classes is what the table and the cases say") {
  std::map<std::string, std::string> cases = cases_by_class();
  std::string wanted(head);
  for (std::size_t i = 0; i < contract::edit_classes; ++i) {
    const auto one = static_cast<contract::EditClass>(i);
    const std::string name(contract::edit_class_name(one));
    std::string title(contract::edit_class_title(one));
    title[0] = static_cast<char>(title[0] - ('a' - 'A'));
    wanted.append("\n## ").append(name).append("\n\n").append(title).append(".\n").append(cases[name]);
    cases.erase(name);
  }
  CHECK_MESSAGE(cases.empty(), "tests/cases/edits/classes.case has a title that begins with no class");
  const std::string path = plumb::test::source_dir() + "/docs/edit-classes.md";
  const char* rewrite = std::getenv("PLUMB_REWRITE");
  if (rewrite != nullptr && std::string(rewrite) == "1") {
    std::ofstream(path, std::ios::binary) << wanted;
    return;
  }
  CHECK_MESSAGE(file_text(path) == wanted, "docs/edit-classes.md is out of date: PLUMB_REWRITE=1 ./dev test native");
}
