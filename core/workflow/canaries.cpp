#include "core/workflow/canaries.hpp"

#include <algorithm>
#include <array>

namespace plumb::workflow {

namespace {

constexpr std::array<std::string_view, 4> proof_names = {"proven", "hollow", "unproven", "fails_now"};
constexpr std::array<std::string_view, 28> source_endings = {
    ".py", ".js",  ".mjs", ".cjs",  ".jsx", ".ts", ".tsx", ".go", ".rs",  ".c",  ".h",     ".cc", ".cpp",  ".cxx",
    ".hh", ".hpp", ".hxx", ".java", ".kt",  ".rb", ".php", ".cs", ".lua", ".pl", ".swift", ".sh", ".dart", ".scala"};
constexpr std::array<std::string_view, 10> test_programs = {"pytest", "unittest", "ctest", "jest", "vitest",
                                                            "mocha",  "nextest",  "tox",   "nox",  "rspec"};

std::string_view ending_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos || (slash != std::string_view::npos && dot < slash) ? std::string_view()
                                                                                           : path.substr(dot);
}

bool among(std::string_view ending, std::initializer_list<std::string_view> endings) {
  return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// Each `from` in the text becomes `to`; whether there was one.
bool replace_all(std::string& text, std::string_view from, std::string_view to) {
  bool any = false;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
    any = true;
  }
  return any;
}

using Turn = std::pair<std::string_view, std::string_view>;
bool turn_round(std::string& text, std::initializer_list<Turn> turns) {
  bool any = false;
  for (const auto& [from, to] : turns) {
    any = replace_all(text, from, to) || any;
  }
  return any;
}

void add_line(std::string& text, std::string_view more) {
  text += text.empty() || text.back() == '\n' ? "" : "\n";
  text += more;
}

// `assert x` at the beginning of a line, and a test case that fails, before what runs when the file is started.
bool break_python(std::string& text) {
  bool any = turn_round(text, {{"assertEqual(", "assertNotEqual("}, {"assertTrue(", "assertFalse("}});
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t word = text.find_first_not_of(" \t", at);
    if (word != std::string::npos && std::string_view(text).substr(word, 7) == "assert ") {
      text.insert(word + 7, "not ");
      any = true;
    }
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
  }
  constexpr std::string_view plain = "\n\ndef test_plumb_canary():\n    raise AssertionError('canary')\n";
  constexpr std::string_view cased =
      "\n\nclass PlumbCanary(__import__('unittest').TestCase):\n    def test_plumb_canary(self):\n"
      "        self.fail('canary')\n\n\n";
  const std::size_t start = text.find("\nif __name__");
  if (has(text, "unittest")) {
    text.insert(start == std::string::npos ? text.size() : start + 1, cased);
    return true;
  }
  if (has(text, "def test_")) {
    text.insert(start == std::string::npos ? text.size() : start + 1, plain);
    return true;
  }
  return any;
}

bool break_go(std::string& text) {
  if (!has(text, "*testing.T") || !has(text, "\"testing\"")) {
    return false;
  }
  add_line(text, "\nfunc TestPlumbCanary(t *testing.T) {\n\tt.Fatal(\"canary\")\n}\n");
  return true;
}

bool break_rust(std::string& text) {
  if (!has(text, "#[test]")) {
    return false;
  }
  add_line(
      text,
      "\n#[cfg(test)]\nmod plumb_canary {\n    #[test]\n    fn canary() {\n        panic!(\"canary\");\n    }\n}\n");
  return true;
}

bool break_c(std::string& text) {
  bool any = turn_round(text, {{"EXPECT_EQ(", "EXPECT_NE("},
                               {"ASSERT_EQ(", "ASSERT_NE("},
                               {"EXPECT_TRUE(", "EXPECT_FALSE("},
                               {" CHECK(", " CHECK_FALSE("},
                               {" REQUIRE(", " REQUIRE_FALSE("},
                               {" assert(", " assert(!"}});
  for (const std::string_view name : {"int main(", "int main ("}) {
    const std::size_t main = text.find(name);
    const std::size_t opens = main == std::string::npos ? main : text.find('{', main);
    if (opens != std::string::npos) {
      text.insert(opens + 1, " return 70;");
      return true;
    }
  }
  return any;
}

bool break_assertion(std::string_view ending, std::string& text) {
  if (ending == ".py") {
    return break_python(text);
  }
  if (among(ending, {".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx"})) {
    add_line(text, "throw new Error(\"canary\");\n");
    return true;
  }
  if (ending == ".go") {
    return break_go(text);
  }
  if (ending == ".rs") {
    return break_rust(text);
  }
  if (among(ending, {".c", ".cc", ".cpp", ".cxx"})) {
    return break_c(text);
  }
  return ending == ".java" &&
         turn_round(text, {{"assertEquals(", "assertNotEquals("}, {"assertTrue(", "assertFalse("}});
}

}  // namespace

std::string_view canary_name(Canary canary) {
  return canary == Canary::assertion ? "a broken assertion" : "a syntax error";
}

std::string_view proof_name(Proof proof) { return proof_names[static_cast<std::size_t>(proof)]; }
std::span<const std::string_view> names_of(Proof) { return proof_names; }

std::optional<std::string> broken(Canary canary, std::string_view path, std::string_view text) {
  const std::string_view ending = ending_of(path);
  if (std::find(source_endings.begin(), source_endings.end(), ending) == source_endings.end() || has(text, {"\0", 1})) {
    return std::nullopt;
  }
  std::string out(text);
  if (canary == Canary::assertion) {
    return break_assertion(ending, out) ? std::optional(std::move(out)) : std::nullopt;
  }
  add_line(out, ")]} canary: this is no code ((\n");
  return out;
}

bool must_run_tests(const Gate& gate) {
  if (!gate.category.empty()) {
    return gate.category == "test";
  }
  return !gate.report.empty() || gate.name.find("test") != std::string::npos || has(gate.command, "go test") ||
         has(gate.command, "cargo test") || has(gate.command, "npm test") ||
         std::any_of(test_programs.begin(), test_programs.end(),
                     [&](std::string_view program) { return has(gate.command, program); });
}

Proof proof_of(const Gate& gate, const Answers& answers) {
  if (!answers.passes_before) {
    return Proof::fails_now;
  }
  if (must_run_tests(gate) && answers.assertion != Answer::nothing) {
    return answers.assertion == Answer::noticed ? Proof::proven : Proof::hollow;
  }
  if (answers.syntax == Answer::noticed || answers.assertion == Answer::noticed) {
    return Proof::proven;
  }
  // What was built before the break may be all that it reads.
  return answers.syntax == Answer::green && !answers.alone ? Proof::hollow : Proof::unproven;
}

}  // namespace plumb::workflow
