// Canaries: each kind of file gets a break that its tools notice, and a gate is judged by what it noticed.
#include <doctest/doctest.h>

#include <string>

#include "core/workflow/canaries.hpp"

using namespace plumb::workflow;

namespace {

bool holds(const std::optional<std::string>& text, std::string_view part) {
  return text && text->find(part) != std::string::npos;
}

Gate gate_of(std::string name, std::string command, std::string category = {}) {
  Gate out;
  out.name = std::move(name);
  out.command = std::move(command);
  out.category = std::move(category);
  return out;
}

}  // namespace

TEST_CASE("canaries: an assertion is broken in each language, and only where there is one") {
  CHECK(holds(broken(Canary::assertion, "t.py", "def test_x():\n    assert 1 == 1\n"), "    assert not 1 == 1\n"));
  CHECK(holds(broken(Canary::assertion, "t.py", "def test_x():\n    pass\n"), "def test_plumb_canary():"));
  const auto cased =
      broken(Canary::assertion, "t.py", "import unittest\nif __name__ == '__main__':\n    unittest.main()\n");
  REQUIRE(cased);
  CHECK(cased->find("PlumbCanary") < cased->find("unittest.main()"));
  CHECK(holds(broken(Canary::assertion, "t.test.js", "test('x', () => {});"), ");\nthrow new Error("));
  CHECK(holds(broken(Canary::assertion, "x_test.go", "import \"testing\"\nfunc TestX(t *testing.T) {}\n"), "t.Fatal("));
  CHECK(holds(broken(Canary::assertion, "lib.rs", "#[test]\nfn x() {}\n"), "panic!("));
  CHECK(holds(broken(Canary::assertion, "t.cpp", "int main() { return 0; }"), "{ return 70;"));
  CHECK(holds(broken(Canary::assertion, "t.cpp", "  EXPECT_EQ(1, 1);"), "EXPECT_NE(1, 1)"));
  CHECK(holds(broken(Canary::assertion, "T.java", "assertEquals(1, 1);"), "assertNotEquals(1, 1)"));
  CHECK_FALSE(broken(Canary::assertion, "x.go", "package x\n"));
  CHECK_FALSE(broken(Canary::assertion, "x.py", "x = 1\n"));
  CHECK_FALSE(broken(Canary::syntax, "README.md", "# x\n"));
  CHECK_FALSE(broken(Canary::syntax, "x.c", std::string_view("a\0b", 3)));
  CHECK(holds(broken(Canary::syntax, "a/b.rs", "fn x() {}"), "}\n)]}"));
}

TEST_CASE("canaries: a gate that runs tests is proven by a broken assertion alone, another one by either break") {
  const Gate test = gate_of("unit", "python3 -m pytest"), lint = gate_of("lint", "ruff check .");
  CHECK(must_run_tests(test));
  CHECK(must_run_tests(gate_of("x", "go test ./...")));
  CHECK_FALSE(must_run_tests(gate_of("test", "make", "compile")));
  CHECK_FALSE(must_run_tests(lint));
  using A = Answer;
  CHECK(proof_of(test, {true, A::noticed, A::green}) == Proof::proven);
  CHECK(proof_of(test, {true, A::green, A::noticed}) == Proof::hollow);
  CHECK(proof_of(test, {true, A::nothing, A::noticed}) == Proof::proven);
  CHECK(proof_of(lint, {true, A::green, A::noticed}) == Proof::proven);
  CHECK(proof_of(lint, {true, A::green, A::green}) == Proof::hollow);
  CHECK(proof_of(lint, {true, A::nothing, A::nothing}) == Proof::unproven);
  CHECK(proof_of(lint, {true, A::nothing, A::green, true}) == Proof::unproven);
  CHECK(proof_of(lint, {false, A::noticed, A::noticed}) == Proof::fails_now);
}
