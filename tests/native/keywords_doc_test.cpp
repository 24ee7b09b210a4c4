// docs/keywords.md is written from core/contract/explain.cpp and the cases of tests/cases/vocabulary/reference.case.
// PLUMB_REWRITE=1 writes it.

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <string_view>

#include "core/contract/explain.hpp"
#include "tests/native/generated_page.hpp"
#include "tests/native/wrapped_text.hpp"

using namespace plumb;

namespace {

constexpr std::string_view head = R"(# Keywords

Look up a keyword: what it means, at which byte it decides, and how to fix a value that breaks it.
`plumb explain KEYWORD` prints the same.

```console
$ plumb explain minItems
minItems  JSON Schema, arrays
...
fix       Add items.
...
```

The [contract reference](contract-reference.md) explains pointers, rules, verdicts and limits, and lists the members of
each Plumbline keyword. The examples are tests, in the form of [cases](contract-reference.md#cases). This page is
generated from the tables of the code.
)";

// The blocks of the case file by the first word of their title.
std::map<std::string, std::string> cases_by_keyword() {
  const std::string text = test::file_text("tests/cases/vocabulary/reference.case");
  std::map<std::string, std::string> out;
  for (std::size_t at = text.find("=== "); at != std::string::npos;) {
    const std::size_t next = text.find("\n=== ", at);
    std::string block = text.substr(at, next == std::string::npos ? std::string::npos : next - at);
    block.erase(block.find_last_not_of('\n') + 1);
    const std::string keyword = block.substr(4, block.find_first_of(":, ", 4) - 4);
    out[keyword] += "\n```case\n" + block + "\n```\n";
    at = next == std::string::npos ? next : next + 1;
  }
  return out;
}

std::string example_of(const contract::Explanation& one) {
  if (one.contract.empty()) {
    return "";
  }
  return "`" + std::string(one.contract) + "` " + (one.breaks ? "refuses" : "accepts") + " `" +
         std::string(one.artifact) + "`";
}

std::string section_of(const contract::Explanation& one, const std::map<std::string, std::string>& cases) {
  std::string out = "\n### " + std::string(one.rule) + "\n\n" + test::wrapped(one.meaning) + "\n";
  if (!one.decides.empty()) {
    out += "\n- Decides: " + std::string(one.decides) + "\n- Fix: " + std::string(one.fix) + "\n";
  }
  const auto found = cases.find(std::string(one.rule));
  return out + (found != cases.end() ? found->second : "\nExample: " + example_of(one) + ".\n");
}

std::string row_of(const contract::Explanation& one) {
  return "| `" + std::string(one.rule) + "` | " + std::string(one.meaning) + " | " + std::string(one.decides) + " | " +
         std::string(one.fix) + " | " + example_of(one) + " |\n";
}

bool has_sections(contract::RuleKind kind) {
  return kind == contract::RuleKind::vocabulary || kind == contract::RuleKind::text;
}

std::string keywords_page() {
  const std::map<std::string, std::string> cases = cases_by_keyword();
  std::string out(head);
  std::string_view kind;
  for (const contract::Explanation& one : contract::explanations()) {
    if (contract::kind_title(one.kind) != kind) {
      kind = contract::kind_title(one.kind);
      out += "\n## " + std::string(kind) + "\n";
      out += has_sections(one.kind)
                 ? ""
                 : "\n| keyword | meaning | decides | fix | example |\n| --- | --- | --- | --- | --- |\n";
    }
    out += has_sections(one.kind) ? section_of(one, cases) : row_of(one);
  }
  return out;
}

}  // namespace

TEST_CASE("docs: the page of keywords is what the tables say") { test::hold_page("docs/keywords.md", keywords_page()); }

TEST_CASE("docs: every case of the reference belongs to a keyword, and no example breaks a table") {
  for (const auto& row : cases_by_keyword()) {
    const std::string& keyword = row.first;
    CAPTURE(keyword);
    const contract::Explanation* one = contract::explanation_of(keyword);
    REQUIRE(one != nullptr);
    CHECK(has_sections(one->kind));
  }
  for (const contract::Explanation& one : contract::explanations()) {
    CAPTURE(one.rule);
    CHECK(std::string(one.contract).find('|') == std::string::npos);
    CHECK(std::string(one.meaning).find('|') == std::string::npos);
    CHECK(std::string(one.decides).find('|') == std::string::npos);
  }
}
