#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/workflow/convention.hpp"

using namespace plumb::workflow;
using Texts = std::vector<std::string>;
using What = Noted::What;

namespace {

const NotedPattern table = {"Table-driven tests", "Tests are tables of named cases that one loop runs", {"*_test.go"}};

Texts names(const std::vector<const Convention*>& all) {
  Texts out;
  for (const Convention* one : all) {
    out.push_back(one->name);
  }
  return out;
}

}  // namespace

TEST_CASE("workflow conventions: one reaches reviews after two approved tasks or a person's word") {
  std::vector<Convention> all;
  const Texts paths = {"a_test.go"};
  const Noted first = note_convention(all, "Shop", table, "run1/T1", "qwen3:8b");
  CHECK(first.what == What::fresh);
  CHECK(first.id == "semspec.convention.shop.table-driven-tests");
  CHECK(conventions_for(all, paths).empty());
  // The same task again is no second one.
  CHECK(note_convention(all, "Shop", table, "run1/T1", "x").what == What::again);
  CHECK(conventions_for(all, paths).empty());
  CHECK(note_convention(all, "Shop", {"Tests in tables", "Tests are tables of named cases which one loop runs.", {}},
                        "run1/T2", "x")
            .what == What::again);
  CHECK(names(conventions_for(all, paths)) == Texts{"Table-driven tests"});
  CHECK(conventions_for(all, Texts{"a.go"}).empty());
  CHECK(all.size() == 1);
  CHECK(all[0].approved_by == "qwen3:8b");
  CHECK(
      note_convention(all, "Shop", {"Errors carry context", "Wrap errors with what failed", {}}, "run1/T3", "x").what ==
      What::fresh);
  REQUIRE(confirm_convention(all, "errors-carry-context", "Ada"));
  CHECK(names(conventions_for(all, paths)) == Texts{"Table-driven tests", "Errors carry context"});
  CHECK(!confirm_convention(all, "errors-carry-context", " "));
}

TEST_CASE("workflow conventions: a retired one reaches no review and is not learnt again") {
  std::vector<Convention> all;
  note_convention(all, "p", table, "r/T1", "x");
  note_convention(all, "p", table, "r/T2", "x");
  CHECK(retire_convention(all, "semspec.convention.p.table-driven-tests").value());
  CHECK(conventions_for(all, Texts{"a_test.go"}).empty());
  CHECK(note_convention(all, "p", table, "r/T3", "x").what == What::retired);
  CHECK(all.size() == 1);
  CHECK(conventions_for(all, Texts{"a_test.go"}).empty());
  CHECK(retire_convention(all, "table-driven-test").error().message ==
        "there is no convention 'table-driven-test'; did you mean 'table-driven-tests'?");
}

TEST_CASE("workflow conventions: 200 are kept, of 300 characters, and what is more is told") {
  std::vector<Convention> all;
  const auto unlike = [](int i) {
    std::string out;
    for (int k = 0; k < 6; ++k) {
      out += " ";
      for (int c = 0; c < 5; ++c) {
        out += static_cast<char>('a' + ((i + 1) * (k * 7 + 3) * (c * 11 + 5) + i / (k + 1)) % 26);
      }
    }
    return out + " " + std::to_string(i);
  };
  int made = 0;
  for (int i = 0; all.size() < conventions_max && i < 2'000; ++i, ++made) {
    note_convention(all, "p", {"C" + std::to_string(i), unlike(i), {}}, "r/T1", "x");
  }
  REQUIRE(all.size() == conventions_max);
  const Noted more = note_convention(all, "p", {"Wholly new", "Names of months are written in full", {}}, "r/T1", "x");
  CHECK(more.what == What::full);
  CHECK(more.words.find("there are 200 conventions") == 0);
  std::vector<Convention> none;
  CHECK(note_convention(none, "p", {"Long", std::string(301, 'x'), {}}, "r/T1", "x").what == What::refused);
  CHECK(note_convention(none, "p", {"", "x", {}}, "r/T1", "x").what == What::refused);
  CHECK(none.empty());
  const auto again = read_conventions(conventions_json(all));
  REQUIRE(again);
  CHECK(conventions_json(again.value()) == conventions_json(all));
  CHECK(!read_conventions("[{}]"));
  CHECK(convention_entities(std::vector{all[0]}).find("semspec.convention.name") != std::string::npos);
}

TEST_CASE("workflow conventions: each review is counted once, by what it says of those that it was shown") {
  std::vector<Convention> all;
  (void)note_convention(all, "shop", {"Table-driven tests", "Tests are tables of cases.", {}}, "R/T1", "m");
  (void)note_convention(all, "shop", {"Errors first", "A function returns its errors before its work.", {}}, "R/T1",
                        "m");
  const std::vector<std::string> shown = {all[0].id};
  const auto counts = [&](std::size_t at) {
    return std::vector<std::size_t>{all[at].count(ConventionUse::shown), all[at].count(ConventionUse::cited),
                                    all[at].count(ConventionUse::contradicted)};
  };
  using Counts = std::vector<std::size_t>;
  note_uses(all, shown, {"R/T2/1", "Errors first is kept", true, {}});
  CHECK(counts(0) == Counts{1, 0, 0});
  CHECK(counts(1) == Counts{0, 0, 0});
  note_uses(all, shown, {"R/T2/2", "as table-driven-tests asks", true, {}});
  note_uses(all, shown, {"R/T2/2", "told again", true, {}});
  CHECK(counts(0) == Counts{2, 1, 0});
  const std::vector<NotedPattern> again = {{"Tables in tests", "Tests are tables of cases.", {}}};
  note_uses(all, shown, {"R/T2/3", "fine", true, again});
  CHECK(counts(0) == Counts{3, 2, 0});
  note_uses(all, shown, {"R/T2/4", "This breaks 'Table-driven tests'", false, {}});
  CHECK(counts(0) == Counts{4, 3, 1});
  const auto read = read_conventions(conventions_json(all));
  REQUIRE(read);
  CHECK(read.value()[0].uses.size() == 4);
  for (std::size_t i = 0; i < 2 * uses_max; ++i) {
    note_uses(all, shown, {"R/T3/" + std::to_string(i), "", true, {}});
  }
  CHECK(counts(0) == Counts{uses_max, 0, 0});
}
