#include "core/workflow/guarded.hpp"

#include <doctest/doctest.h>

#include <map>

#include "core/workflow/makefile.hpp"
#include "core/workflow/shell_commands.hpp"

using namespace plumb;
using namespace plumb::workflow;

namespace {

using Texts = std::vector<std::string>;
using Files = std::map<std::string, std::string>;

Gate gate(const std::string& json) {
  const Result<GateList> read = read_gates("[" + json + "]");
  REQUIRE_MESSAGE(read, json);
  return read.value().gates.front();
}
Gate command(const std::string& text) { return gate(R"({"name": "g", "shell": true, "command": ")" + text + "\"}"); }

ReadText reads(const Files& files) {
  return [&files](const std::string& path) {
    const auto found = files.find(path);
    return found == files.end() ? std::nullopt : std::optional(found->second);
  };
}

Texts run_by(const Gate& one, const Files& files = {}) {
  Texts out;
  for (const RunFile& file : files_run_by(one, reads(files))) {
    out.push_back(file.pattern);
  }
  return out;
}
bool runs(const Gate& one, std::string_view path, const Files& files = {}) {
  const std::vector<RunFile> all = files_run_by(one, reads(files));
  return std::any_of(all.begin(), all.end(), [&](const RunFile& file) { return fits(file, path); });
}

Task task(const Texts& files) {
  Task out;
  out.id = "T1";
  for (const std::string& one : files) {
    out.files.push_back({one, Access::write});
  }
  return out;
}

Change change(const std::string& path, ChangeKind kind = ChangeKind::modified, std::uint64_t added = 1,
              std::uint64_t removed = 1) {
  Change out;
  out.path = path;
  out.kind = kind;
  out.added = added;
  out.removed = removed;
  return out;
}

Texts told(const Guarded& found) {
  Texts out;
  for (const FileFinding& one : found.findings) {
    out.push_back(one.finding.rule + " " + one.path);
  }
  return out;
}

}  // namespace

TEST_CASE("guarded files: the commands of a shell text are found behind its words") {
  using Commands = std::vector<Texts>;
  CHECK(shell_commands("cd ci && ./a.sh \"x y\" > log 2>&1; if ! b; then c | d; fi") ==
        Commands{{"cd", "ci"}, {"./a.sh", "x y"}, {"b"}, {"c"}, {"d"}, {"fi"}});
  CHECK(shell_commands("a 'b # c' # d\ne \\\n f") == Commands{{"a", "b # c"}, {"e", "f"}});
  CHECK(shell_commands("x=\"$(sh y.sh)\" z") == Commands{{"x=$(sh y.sh)", "z"}, {"sh", "y.sh"}});
  CHECK(shell_commands("cat <<END\nrm x\nEND\nls") == Commands{{"cat"}, {"ls"}});
  CHECK(shell_commands(std::string(100'000, '(')).empty());
  CHECK(shell_commands("\"" + std::string(10'000, '$')).size() == 1);
}

TEST_CASE("guarded files: recipes are those of the targets that are made") {
  const std::string text =
      "RUN = sh ci/$(NAME).sh\nNAME := t\nall: test\ntest: build\n\t@$(RUN)\nbuild:\n\tcc x.c\n"
      "other:\n\tsh other.sh\n";
  CHECK(recipes_of(text, Texts{"test"}) == "cc x.c\nsh ci/t.sh\n");
  CHECK(recipes_of(text, {}) == "cc x.c\nsh ci/t.sh\n");
  CHECK(recipes_of("a: a\n\tx\n", {}) == "x\n");
  CHECK(included_makefiles("include a.mk b.mk\n-include c.mk\n\tinclude d\n") == Texts{"a.mk", "b.mk", "c.mk"});
}

TEST_CASE("guarded files: each kind of command tells the files that it runs") {
  CHECK(run_by(command("./check.sh")) == Texts{"check.sh"});
  CHECK(run_by(command("sh ci/t.sh")) == Texts{"ci/t.sh"});
  CHECK(run_by(command("bash -c 'sh check.sh'")) == Texts{"check.sh"});
  CHECK(run_by(command("cd ci && ./t.sh")) == Texts{"ci/t.sh"});
  CHECK(run_by(command(". ./env.sh; FOO=1 timeout -k 5 60 python3.11 -W error tools/check.py x")) ==
        Texts{"env.sh", "tools/check.py"});
  CHECK(run_by(command("node --require ./setup.js scripts/run.js")) == Texts{".npmrc", "setup.js", "scripts/run.js"});
  CHECK(run_by(command("node -e 1 x.js")) == Texts{".npmrc"});
  CHECK(run_by(gate(R"({"name": "g", "command": "./t.sh", "dir": "a/b"})")) == Texts{"a/b/t.sh"});
  CHECK(run_by(gate(R"({"name": "g", "command": "true", "report": "out/junit.xml"})")) == Texts{"out/junit.xml"});
  CHECK(run_by(command("/usr/bin/true ../x ~/y")).empty());
  for (const char* module : {"unittest.py", "unittest/__main__.py", "unittest/__init__.py"}) {
    CHECK(runs(command("python3 -m unittest -q test_sum"), module));
  }
  CHECK(runs(command("python3 -m pytest -q"), "pytest.ini"));
  CHECK(runs(command("poetry run pytest"), "sub/conftest.py"));
  CHECK(runs(command("coverage run -m pytest"), "pytest.py"));
  CHECK(runs(command("npx jest"), "packages/a/jest.config.js"));
  CHECK(runs(command("cargo test"), ".cargo/config.toml"));
  CHECK(runs(command("ctest --test-dir build"), "lib/CMakeLists.txt"));
  CHECK(runs(command("cmake -D A=1 -P ci/check.cmake"), "ci/check.cmake"));
  CHECK(runs(command("while read -r one; do x \\\"$one\\\"; done < ci/list.txt"), "ci/list.txt"));
  CHECK(runs(command("xargs -n 1 grep good < ci/list"), "ci/list"));
  CHECK(runs(command("npm test --prefix web/a"), "web/a/package.json"));
  CHECK(runs(command("npm --prefix=web/a test"), "web/a/package.json"));
  CHECK(runs(command("npm test -w a"), "packages/a/package.json"));
  CHECK(!runs(command("npm test"), "packages/a/package.json"));
  CHECK(run_by(command("go test ./...")).empty());
}

TEST_CASE("guarded files: scripts, recipes and scripts of package.json are followed, and circles end") {
  const Files files = {
      {"Makefile", "test:\n\tsh ci/a.sh\nother:\n\tsh ci/other.sh\n"},
      {"ci/a.sh", "#!/bin/sh\ncd \"$(dirname \"$0\")/..\"\n./ci/b.sh\ngrep -q good a.txt\n"},
      {"ci/b.sh", "#!/usr/bin/env bash\npython3 ci/c.py\nsh ci/a.sh\n"},
      {"package.json",
       R"({"scripts": {"pretest": "sh ci/pre.sh", "test": "npm run unit", "unit": "./ci/a.sh", "x": "npm test"}})"},
  };
  CHECK(run_by(command("make test"), files) ==
        Texts{"GNUmakefile", "makefile", "Makefile", "ci/a.sh", "ci/b.sh", "ci/c.py"});
  CHECK(!runs(command("make test"), "ci/other.sh", files));
  CHECK(!runs(command("make test"), "a.txt", files));
  CHECK(run_by(command("make -C sub -f my.mk"), files) == Texts{"sub/my.mk"});
  for (const char* path : {"package.json", ".npmrc", "ci/pre.sh", "ci/a.sh", "ci/b.sh"}) {
    CHECK_MESSAGE(runs(command("npm test"), path, files), path);
  }
  // A file of tests has rules of its own.
  CHECK(run_by(command("sh tests/run.sh")).empty());
  const Files circle = {{"package.json", R"({"scripts": {"test": "npm test && npm test"}})"}};
  CHECK(!run_by(command("npm test"), circle).empty());
}

TEST_CASE("guarded files: a script counts however the text that runs it names it") {
  const auto by = [](const std::string& text, const std::string& path) {
    const Files files = {{"ci/t.sh", text}, {"lib/x.sh", "true\n"}, {"lib/tool", "#!/bin/sh\n"}, {"lib/data", "x\n"}};
    return runs(command("sh ci/t.sh"), path, files);
  };
  for (const char* text : {"sh \"$PWD/lib/x.sh\"",
                           "sh ${PWD}/lib/x.sh",
                           "sh $(pwd)/lib/x.sh",
                           "sh \"$(dirname \"$0\")/../lib/x.sh\"",
                           "cd \"$(dirname \"${BASH_SOURCE[0]}\")\"; . ../lib/x.sh",
                           "H=$(cd \"$(dirname \"$0\")/..\" && pwd)\nsh \"$H/lib/x.sh\"",
                           "sh \"${0%/*}/../lib/x.sh\"",
                           "D=lib; sh $D/x.sh",
                           "export D=lib\nrun ${D}/x.sh",
                           "sh ${D:-lib}/x.sh",
                           "for t in lib/*.sh; do sh $t; done",
                           "for d in a lib; do sh $d/x.sh; done",
                           "for t in $(ls lib/*.sh); do . ./$t; done",
                           "find lib -name '*.sh' | xargs -n 1 sh",
                           "find lib -type f -exec sh {} \\;",
                           "find . | while read t; do sh \"$t\"; done",
                           "eval \"sh lib/x.sh\"",
                           "sh < lib/x.sh",
                           "< lib/x.sh sh -s",
                           "cat lib/x.sh | bash",
                           "echo sh lib/x.sh | sh",
                           "echo 'sh lib/x.sh' | sh",
                           ". <(cat lib/x.sh)",
                           "$(cat lib/x.sh)",
                           "C='sh lib/x.sh'; $C",
                           "docker run -v .:/w a ./lib/x.sh",
                           "sh \"$(git rev-parse --show-toplevel)/lib/x.sh\"",
                           "cp lib/x.sh /tmp/y; sh /tmp/y"}) {
    CHECK_MESSAGE(by(text, "lib/x.sh"), text);
  }
  CHECK(by("run lib/tool", "lib/tool"));
  for (const char* text :
       {"cc lib/data -o x", "cat lib/data", "run lib/data", "shellcheck lib/x.sh", "wc -l < lib/data",
        "for f in lib/*; do cc -c $f; done", "find lib | xargs wc -l", "chmod +x lib/x.sh"}) {
    CHECK_MESSAGE(!by(text, "lib/data"), text);
    CHECK_MESSAGE(!by(text, "lib/x.sh"), text);
  }
  CHECK(runs(command("awk -f lib/x.awk a"), "lib/x.awk"));
  CHECK(runs(command("sed -flib/x.sed a"), "lib/x.sed"));
  CHECK(runs(command("grep --file=words a"), "words"));
  CHECK(!runs(command("grep -n x src/a.c"), "src/a.c"));
}

TEST_CASE("guarded files: a Makefile's includes, shell and folder count") {
  const Files files = {{"Makefile",
                        "M = mk\ninclude $(wildcard $(M)/*.mk)\nSHELL := ./lib/shell\ntest:\n\tsh $(CURDIR)/lib/x.sh\n"
                        "\tfor t in checks/*.sh; do sh $$t; done\n"},
                       {"lib/shell", "#!/bin/sh\n"}};
  for (const char* path : {"mk/a.mk", "lib/shell", "lib/x.sh", "checks/a.sh"}) {
    CHECK_MESSAGE(runs(command("make test"), path, files), path);
  }
}

TEST_CASE("guarded files: what is beyond the bounds is reported, and hostile texts end") {
  std::string many;
  for (std::size_t i = 0; i < 200; ++i) {
    many += "sh lib/" + std::to_string(i) + ".sh\n";
  }
  const Files files = {{"t.sh", many}};
  CHECK(guards_of(std::vector<Gate>{command("sh t.sh")}, {}, reads(files)).gates.at(0).cut);
  CHECK(!guards_of(std::vector<Gate>{command("sh u.sh")}, {}, reads(files)).gates.at(0).cut);
  std::string nested, doubled = "A=aaaaaaaa\n";
  for (std::size_t i = 0; i < 500; ++i) {
    nested += "$(cd ";
    doubled += "A=$A$A\nfor B in $B x y; do sh $A$B$B$B; done\n";
  }
  const Texts hostiles = {nested, doubled, "sh " + std::string(50'000, '$'), "for x in", "sh $(", "sh <"};
  for (const std::string& text : hostiles) {
    const Files hostile = {{"t.sh", text}};
    CHECK(!run_by(command("sh t.sh"), hostile).empty());
  }
}

TEST_CASE("guarded files: of some files only a part counts") {
  const RunFile package{"package.json", Counts::members, {"scripts"}};
  CHECK(!differs(package, R"({"version": "1", "scripts": {"t": "x"}})", R"({"version": "2", "scripts": {"t": "x"}})"));
  CHECK(differs(package, R"({"scripts": {"t": "x"}})", R"({"scripts": {"t": "true"}})"));
  CHECK(differs(package, R"({"scripts": {"t": "x"}})", std::nullopt));
  CHECK(differs(package, R"({"scripts": {"t": "x"}})", "no JSON"));
  const RunFile project{"pyproject.toml", Counts::sections, {"pytest"}};
  CHECK(!differs(project, "[project]\nversion = 1\n[tool.pytest.ini_options]\na = 1\n",
                 "[project]\nversion = 2\n[tool.pytest.ini_options]\na = 1\n"));
  CHECK(differs(project, "[project]\n", "[project]\n[tool.pytest.ini_options]\naddopts = \"-k none\"\n"));
  const RunFile cmake{"**/CMakeLists.txt", Counts::lines, {"test"}};
  CHECK(!differs(cmake, "add_test(a)\n", "add_library(b)\nadd_test(a)\nadd_test(b)\n"));
  CHECK(differs(cmake, "add_test(a)\nadd_test(b)\n", "add_test(b)\n"));
}

TEST_CASE("guarded files: lines that switch tests off count where they are added") {
  const auto changed = [](const char* program, const std::string& path, const std::string& was, const std::string& is) {
    const std::vector<RunFile> all = files_run_by(command(program), reads({}));
    return std::any_of(all.begin(), all.end(),
                       [&](const RunFile& file) { return fits(file, path) && differs(file, was, is); });
  };
  const auto cmake = [&](const std::string& path, const std::string& was, const std::string& is) {
    return changed("ctest --test-dir build", path, was, is) && changed("cmake --build build", path, was, is);
  };
  const std::string lists = "enable_testing()\nadd_subdirectory(checks)\nadd_test(a)\n";
  CHECK(cmake("CMakeLists.txt", lists, lists + "set_tests_properties(a PROPERTIES WILL_FAIL ON)\n"));
  CHECK(cmake("CMakeLists.txt", lists, lists + "set_tests_properties(a PROPERTIES DISABLED TRUE)\n"));
  CHECK(cmake("CMakeLists.txt", lists, "return()\n" + lists));
  CHECK(cmake("CMakeLists.txt", lists, "enable_testing()\nadd_test(a)\n"));
  CHECK(cmake("cmake/flags.cmake", "set(A 1)\n", "set(A 1)\nfunction(add_test)\nendfunction()\n"));
  CHECK(cmake("cmake/fresh.cmake", "", "macro(add_test)\nendmacro()\n"));
  CHECK(cmake("cmake/flags.cmake", "set(F -O1)\n", "set(F \"-O1 -DNDEBUG\")\n"));
  CHECK(!cmake("CMakeLists.txt", lists, lists + "add_library(b b.c)\nadd_subdirectory(b)\nadd_test(b)\n"));
  CHECK(!cmake("cmake/flags.cmake", "set(F -O1)\n", "set(F -O2)\n"));
  const std::string package = "[package]\nversion = \"1\"\n[workspace]\nmembers = [\"a\", \"b\"]\n";
  const auto cargo = [&](const std::string& is) { return changed("cargo test", "core/Cargo.toml", package, is); };
  CHECK(cargo("[package]\nversion = \"1\"\nautotests = false\n[workspace]\nmembers = [\"a\", \"b\"]\n"));
  CHECK(cargo("[package]\nversion = \"1\"\n[workspace]\nmembers = [\"a\"]\n"));
  CHECK(cargo(package + "exclude = [\"b\"]\n"));
  CHECK(cargo(package + "[[test]]\nname = \"a\"\n"));
  CHECK(!cargo("[package]\nversion = \"2\"\n[workspace]\nmembers = [\"a\", \"b\"]\n[dependencies]\nserde = \"1\"\n"));
}

TEST_CASE("tests: conventions of the ecosystems, and what is declared") {
  for (const char* path : {"test_sum.py", "a/sum_test.go", "src/sum.test.js", "src/sum.spec.ts", "tests/data.txt",
                           "test.py", "src/test/java/A.java", "ATest.java", "spec/a_spec.rb", "t/a.t", "a.bats",
                           "src/__tests__/a.js", "conftest.py"}) {
    CHECK_MESSAGE(is_test_file(path), path);
  }
  for (const char* path : {"sum.py", "src/latest.js", "contest.py", "spec/api.yaml", "Testament.java", "attest/a.c"}) {
    CHECK_MESSAGE(!is_test_file(path), path);
  }
  CHECK(is_test_file("qa/a.txt", Texts{"qa/**"}));
  CHECK(!names_test(task({"src/**"}), "src/a.test.js"));
  CHECK(names_test(task({"src/a.test.js"}), "src/a.test.js"));
  CHECK(names_test(task({"src/**/*.test.js"}), "src/b/a.test.js"));
  CHECK(names_test(task({"tests/"}), "tests/a.py"));
  CHECK(!names_test(task({"**"}), "tests/a.py"));
  CHECK(names_tests(task({"src/a.c", "tests/**"})));
  CHECK(!names_tests(task({"src/**", "**"})));
}

TEST_CASE("guarded changes: what decides is found where the task does not name it, and new tests are free") {
  Gate check = gate(R"({"name": "check", "command": "./check.sh"})");
  check.after = {"build"};
  const std::vector<Gate> gates = {
      gate(R"({"name": "build", "command": "cc x.c"})"),
      check,
      gate(R"({"name": "other", "command": "true"})"),
  };
  const Guards guards = guards_of(gates, {}, reads({}));
  const Versions none = [](const std::string&) {
    return std::pair<std::optional<std::string>, std::optional<std::string>>();
  };
  const auto judged = [&](const Texts& files, std::vector<Change> changes) {
    Changes all;
    all.files = std::move(changes);
    return guarded_changes(task(files), guards, all, none, contract::Severity::error);
  };
  const Guarded replaced = judged({"src/**"}, {change("check.sh"), change("src/a.c")});
  CHECK(told(replaced) == Texts{"gate-file check.sh"});
  CHECK(replaced.findings[0].finding.message ==
        "'check.sh' was modified. Gate 'check' runs it, and Task T1 does not name it. Put it back, or have the task "
        "name it.");
  CHECK(gates_again(gates, replaced.again) == std::vector<std::uint32_t>{0, 1});
  CHECK(!replaced.named);
  const Guarded named = judged({"check.sh"}, {change("check.sh")});
  CHECK(named.findings.empty());
  CHECK(named.paths == Texts{"check.sh"});
  CHECK(named.named);
  // A new file that a gate runs goes before others, and is put away to compare.
  CHECK(judged({"src/**"}, {change("check.sh", ChangeKind::added)}).fresh == Texts{"check.sh"});
  CHECK(told(judged({"src/**"}, {change("tests/a.py", ChangeKind::removed)})) == Texts{"test-changed tests/a.py"});
  CHECK(told(judged({"src/**"}, {change("src/a.test.js")})) == Texts{"test-changed src/a.test.js"});
  const Guarded fresh = judged({"src/**"}, {change("tests/a.py", ChangeKind::added)});
  CHECK(fresh.findings.empty());
  CHECK(fresh.again.empty());
  // Lines that are added are no finding, and the gates run with the test as it was.
  const Guarded added = judged({"src/**"}, {change("tests/a.py", ChangeKind::modified, 3, 0)});
  CHECK(added.findings.empty());
  CHECK(added.again.size() == 3);
  CHECK(!added.named);
}

TEST_CASE("guarded changes: a gate that passes only with the change is an error where the task does not name it") {
  Guarded guarded;
  guarded.paths = {"test_a.py"};
  guarded.named = false;
  const Gate test = gate(R"({"name": "test", "command": "true"})");
  const GateResult failed = gate_result(test, {"failed", nullptr, "it cannot be started"});
  const std::vector<FileFinding> found = failures_with_base(guarded, std::vector{failed}, contract::Severity::error);
  REQUIRE(found.size() == 1);
  CHECK(found[0].finding.severity == contract::Severity::error);
  CHECK(found[0].finding.message.starts_with("Gate 'test' passes only with the change of test_a.py."));
  guarded.named = true;
  CHECK(failures_with_base(guarded, std::vector{failed}, contract::Severity::error)[0].finding.severity ==
        contract::Severity::warning);
  GateResult passed = failed;
  passed.outcome = GateOutcome::passed;
  CHECK(failures_with_base(guarded, std::vector{passed}, contract::Severity::error).empty());
}

TEST_CASE("guarded changes: without a reviewer files beyond the task are errors, but for new tests") {
  Changes changes;
  changes.files = {change("src/a.c"), change("docs/a.md"), change("tests/new.py", ChangeKind::added),
                   change("new.py", ChangeKind::added)};
  const std::vector<FileFinding> found = beyond_files(task({"src/**"}), {}, changes, contract::Severity::error);
  REQUIRE(found.size() == 2);
  CHECK(found[0].path == "docs/a.md");
  CHECK(found[0].finding.severity == contract::Severity::error);
  CHECK(found[1].path == "new.py");
  CHECK(beyond_files(task({}), {}, changes, contract::Severity::error).empty());
}
