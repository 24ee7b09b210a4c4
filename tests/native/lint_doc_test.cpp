// docs/lint.md lists every rule of lint with its examples, as core/lint/rules.cpp has them: those that tests/core runs.
// PLUMB_REWRITE=1 writes the list.

#include <doctest/doctest.h>

#include <string>

#include "core/contract/verdict.hpp"
#include "core/lint/rules.hpp"
#include "tests/native/generated_page.hpp"
#include "tests/native/wrapped_text.hpp"

using namespace plumb;

namespace {

std::string rules_of_the_page() {
  std::string out;
  for (const lint::LintRule& rule : lint::lint_rules()) {
    out += "\n### " + std::string(rule.id) + "\n\n" + std::string(rule.title) + " (" +
           std::string(contract::severity_name(rule.severity)) + ").\n\n" + test::wrapped(rule.why) + "\n\n";
    out += "```json\n" + std::string(rule.bad) + "\n```\n\nbetter\n\n```json\n" + std::string(rule.good) + "\n```\n";
  }
  return out;
}

}  // namespace

TEST_CASE("docs: the page about lint has every rule with the examples that are run") {
  const std::string text = test::file_text("docs/lint.md");
  const std::string heading = "\n## Rules\n";
  const std::size_t at = text.find(heading);
  REQUIRE(at != std::string::npos);
  test::hold_page("docs/lint.md", text.substr(0, at + heading.size()) + rules_of_the_page());
}
