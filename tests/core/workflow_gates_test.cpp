#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/text/command_words.hpp"
#include "core/workflow/gates.hpp"

using namespace plumb::workflow;
using Words = std::vector<std::string>;

namespace {

Words words(std::string_view line) {
  const auto read = plumb::text::command_words(line);
  return read ? read.value() : Words{"error: " + read.error().message};
}

std::string refused(std::string_view json) {
  const auto read = read_gates(json);
  return read ? "taken" : read.error().where + ": " + read.error().message;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

Words names(const std::vector<Gate>& gates) {
  Words out;
  for (const Gate& one : gates) {
    out.push_back(one.name);
  }
  return out;
}

}  // namespace

TEST_CASE("command words: a line is taken apart at blanks outside quotes") {
  CHECK(words("go build ./...") == Words{"go", "build", "./..."});
  CHECK(words("  ctest   --test-dir 'my build' ") == Words{"ctest", "--test-dir", "my build"});
  CHECK(words(R"(grep "a \"b\" $" x)") == Words{"grep", "a \"b\" $", "x"});
  CHECK(words(R"(a\ b c)") == Words{"a b", "c"});
  CHECK(words("x '' \"\"") == Words{"x", "", ""});
  CHECK(words("a'b'\"c\"d") == Words{"abcd"});
  CHECK(words("agent {task_file} --x=a#b~") == Words{"agent", "{task_file}", "--x=a#b~"});
  CHECK(words("grep '*.cpp && $(x) | >' y") == Words{"grep", "*.cpp && $(x) | >", "y"});
}

TEST_CASE("command words: what only a shell knows is an error with its column and what to do") {
  const std::pair<const char*, const char*> cases[] = {
      {"make && make test", "'&&' in column 6"},
      {"ls | wc", "'|' in column 4"},
      {"ls > x", "'>'"},
      {"ls >> x", "'>>'"},
      {"cat < x", "'<'"},
      {"echo $(date)", "'$('"},
      {"echo $HOME", "'$HOME'"},
      {"echo \"$HOME\"", "'$HOME'"},
      {"echo `date`", "'`'"},
      {"rm *.o", "'*' in column 4"},
      {"a; b", "';'"},
      {"ls ~/x", "'~'"},
      {"x # y", "'#'"},
      {"cp {a,b} c", "'{a,b}'"},
      {"ls [a]", "'['"},
      {"a\nb", "a line end"},
      {"ls a?", "'?'"},
      {"echo ${X}", "'${'"},
      {"x &", "'&'"},
  };
  for (const auto& one : cases) {
    const std::string_view line = one.first, expected = one.second;
    const std::string told = words(line)[0];
    CHECK_MESSAGE(has(told, expected), told);
    CHECK_MESSAGE(has(told, "shell: true"), told);
  }
  CHECK(has(words("CI=1 make")[0], "sets a variable, which is for a shell: name it in 'env'"));
  CHECK(has(words("echo 'a")[0], "the quote in column 6 is not closed"));
  CHECK(has(words("  ")[0], "no program"));
  CHECK(plumb::text::command_words("make && x").error().column == 6);
}

TEST_CASE("workflow gates: one form, with every member, which is written and read again") {
  const auto read = read_gates(R"([
    {"name": "build", "command": "go build ./..."},
    {"name": "test", "command": ["go", "test", "a b"], "after": ["build"], "required": false, "category": "test",
     "trigger": ["*.go"], "dir": "src", "timeout_ms": 1000, "env": ["CI"], "network": true, "writable": ["~/.cache/x"],
     "report": "out/junit.xml", "repeatable": false, "caches": ["build"]},
    {"name": "count", "command": "ls | wc -l", "shell": true}])");
  REQUIRE_MESSAGE(read, read.error().message);
  const std::vector<Gate>& gates = read.value().gates;
  CHECK(gates[0].required);
  CHECK(gates[0].repeatable);
  CHECK(gates[0].timeout_ms == 300'000);
  CHECK(gates[1].argv == Words{"go", "test", "a b"});
  CHECK(!gates[1].required);
  CHECK(gates[2].argv == Words{"/bin/sh", "-c", "ls | wc -l"});
  const auto again = read_gates(gates_json(gates));
  REQUIRE(again);
  CHECK(gates_json(again.value().gates) == gates_json(gates));
}

TEST_CASE("workflow gates: what is wrong is refused with its place and the remedy") {
  CHECK(has(refused(R"([{"name": "a", "command": "make && x"}])"),
            "/0/command: gate 'a': 'make && x': '&&' in column 6 is for a shell"));
  CHECK(has(refused(R"([{"name": "a", "command": "x", "requierd": true}])"), "did you mean 'required'?"));
  CHECK(has(refused(R"([{"name": "a", "command": "x"}, {"name": "a", "command": "y"}])"),
            "/1/name: the gate 'a' is there twice"));
  CHECK(has(refused(R"([{"name": "a", "command": "x", "after": ["b"]}, {"name": "b", "command": "y"}])"),
            "/0/after: gate 'a': 'b' does not come before it"));
  CHECK(has(refused(R"([{"name": "bild", "command": "x"}, {"name": "t", "command": "y", "after": ["build"]}])"),
            "did you mean 'bild'?"));
  CHECK(has(refused(R"([{"command": "x"}])"), "a gate needs a 'name'"));
  CHECK(has(refused(R"([{"name": "a"}])"), "/0/command: gate 'a': a gate needs a 'command'"));
  CHECK(has(refused(R"([{"name": "a", "command": "x", "timeout_ms": 0}])"), "from 1 to"));
  CHECK(has(refused(R"([{"name": "a", "command": "x", "dir": "../b"}])"), "has '..'"));
  CHECK(has(refused(R"([{"name": "a", "command": "x", "env": ["A=1"]}])"), "is not a variable name"));
  CHECK(has(refused(R"([{"name": "a", "command": ["x"], "shell": true}])"), "one text"));
  CHECK(has(refused(R"([{"name": "a b", "command": "x"}])"), "is not a name"));
  CHECK(has(refused(R"("make")"), "gates are a list"));
  CHECK(has(refused("[1]"), "/0: a gate is an object"));
  CHECK(has(refused(R"({"preset": "rust"})"), "is no preset; there are: go, cmake"));
}

TEST_CASE("workflow gates: a preset, with overrides and additional gates") {
  const auto read = read_gates(R"({"preset": "go", "overrides": [{"name": "lint", "required": true}],
    "additional": [{"name": "e2e", "command": "make e2e", "after": ["test"]}]})");
  REQUIRE_MESSAGE(read, read.error().message);
  CHECK(names(read.value().gates) == Words{"build", "vet", "test", "lint", "e2e"});
  CHECK(read.value().gates[3].required);
  for (const std::string_view preset : preset_names()) {
    CHECK(read_gates(gates_json(*preset_gates(preset))));
  }
  CHECK(has(refused(R"({"preset": "go", "overrides": [{"name": "cover", "required": true}]})"),
            "has build, vet, test, lint"));
}

TEST_CASE("workflow gates: a trigger is tried on path and base name, and without changed files all run") {
  const auto gates =
      read_gates(R"([{"name": "go", "command": "x", "trigger": ["*.go"]}, {"name": "all", "command": "x"},
    {"name": "docs", "command": "x", "trigger": ["docs/**"]}])");
  REQUIRE(gates);
  using Indices = std::vector<std::uint32_t>;
  CHECK(gates_for(gates.value().gates, Words{"a/b.go"}) == Indices{0, 1});
  CHECK(gates_for(gates.value().gates, Words{"docs/a/b.md"}) == Indices{1, 2});
  CHECK(gates_for(gates.value().gates, {}) == Indices{0, 1, 2});
}

TEST_CASE("workflow gates: {files} stands for the changed files that a gate is about") {
  const auto gates = read_gates(R"([{"name": "lint", "command": "lint --strict {files}", "trigger": "*.js",
    "exclude": ["old/**", "*.min.js"], "fix": "lint --fix {files}"},
    {"name": "sub", "command": "x {files}", "dir": "./sub"}, {"name": "not", "command": "x", "exclude": "docs/**"}])");
  REQUIRE_MESSAGE(gates, gates.error().message);
  const std::vector<Gate>& all = gates.value().gates;
  CHECK(all[0].argv == Words{"lint", "--strict", "{files}"});
  CHECK(all[0].fix_argv == Words{"lint", "--fix", "{files}"});
  const Words changed = {"a b.js", "-rf.js", "@x.js", "old/b.js", "x.min.js", "sub/c.js", "docs/a.md"};
  CHECK(files_of(all[0], changed) == Words{"a b.js", "./-rf.js", "./@x.js", "sub/c.js"});
  CHECK(files_of(all[1], changed) == Words{"c.js"});
  using Indices = std::vector<std::uint32_t>;
  CHECK(gates_for(all, changed) == Indices{0, 1, 2});
  CHECK(gates_for(all, Words{"docs/a.md", "old/b.js"}) == Indices{2});
  CHECK(gates_for(all, Words{"docs/a.md"}).empty());
  CHECK(gates_for(all, {}) == Indices{2});
  // A submodule that moved may have changed any file below it.
  const auto about = read_gates(R"([{"name": "a", "command": "x", "trigger": "lib/**"},
    {"name": "b", "command": "x", "trigger": ["*.py"]}, {"name": "c", "command": "x", "trigger": "src/**"},
    {"name": "d", "command": "x", "trigger": "lib/**", "exclude": "lib/**"}, {"name": "e", "command": "x {files}"}])");
  REQUIRE(about);
  CHECK(gates_for(about.value().gates, Words{"lib/"}) == Indices{0, 1});
  const auto again = read_gates(gates_json(all));
  REQUIRE(again);
  CHECK(gates_json(again.value().gates) == gates_json(all));
  const auto shell =
      read_gates(R"([{"name": "s", "command": "lint {files} | sort", "shell": true, "fix": "x {files}"}])");
  REQUIRE(shell);
  CHECK(shell.value().gates[0].argv == Words{"/bin/sh", "-c", "lint \"$@\" | sort", "sh", "{files}"});
  CHECK(gates_json(read_gates(gates_json(shell.value().gates)).value().gates) == gates_json(shell.value().gates));
  for (const char* bad : {"lint --files={files}", "{files}", "a {files} {files}"}) {
    CHECK(has(refused(R"([{"name": "a", "command": ")" + std::string(bad) + R"("}])"),
              "{files} must be a word of its own"));
  }
  for (const char* bad : {"sh -c 'lint {files}'", R"(lint \"{files}\")", "a {files} {files}"}) {
    CHECK(has(refused(R"([{"name": "a", "shell": true, "command": ")" + std::string(bad) + R"("}])"),
              "{files} must be outside quotes"));
  }
  CHECK(has(refused(R"([{"name": "a", "command": "t {files}", "report": "r.xml"}])"), "no report can count its tests"));
  CHECK(has(refused(R"([{"name": "a", "command": "t", "glob": "*.js"}])"), "'glob' is called 'trigger' here"));
}
