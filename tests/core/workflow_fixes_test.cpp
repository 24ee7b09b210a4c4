#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "core/workflow/fixes.hpp"

using namespace plumb::workflow;
using Texts = std::vector<std::string>;

namespace {

struct Applied {
  std::map<std::string, std::string> files;
  Texts left_out;
};

Gate gate_of(Texts argv, const std::string& dir = "") {
  Gate gate;
  gate.argv = std::move(argv);
  gate.dir = dir;
  return gate;
}

Applied run_fixes(const std::string& output, const std::map<std::string, std::string>& files, Texts allowed = {"**"},
                  const Gate& gate = gate_of({"cmake", "--build", "build"})) {
  Task task;
  task.id = "T1";
  for (std::string& one : allowed) {
    task.files.push_back({std::move(one), Access::write});
  }
  const FixReading read = read_fixes(output, seen_from(gate, "/tree", output));
  const Fixed fixed = apply_fixes(read.fixes, task, [&](const std::string& path) -> std::optional<std::string> {
    const auto at = files.find(path);
    return at == files.end() ? std::nullopt : std::optional(at->second);
  });
  Applied out;
  for (const FixedFile& one : fixed.files) {
    out.files[one.path] = one.text;
  }
  out.left_out = read.left_out;
  out.left_out.insert(out.left_out.end(), fixed.left_out.begin(), fixed.left_out.end());
  return out;
}

}  // namespace

TEST_CASE("workflow fixes: a relative path is seen from a folder that the gate or its output names") {
  const auto path_of = [](const std::string& printed, const Gate& gate, Texts allowed, const std::string& before = "") {
    const Applied applied =
        run_fixes(before + "fix-it:\"" + printed + "\":{1:1-1:2}:\"y\"\n",
                  {{"core/a.c", "x\n"}, {"a.c", "x\n"}, {"sub/a.c", "x\n"}}, std::move(allowed), gate);
    return applied.files.empty() ? applied.left_out.at(0) : applied.files.begin()->first;
  };
  // Of a build folder deep in the tree, as a list of words, in a shell and with make's own words.
  CHECK(path_of("../../../core/a.c", gate_of({"cmake", "--build", "build/cmake/release", "-j2"}), {"**"}) ==
        "core/a.c");
  CHECK(path_of("../../../core/a.c", gate_of({"/bin/sh", "-c", "cd build/x/y&&make"}), {"**"}) == "core/a.c");
  CHECK(path_of("../a.c", gate_of({"ninja", "-C", "/tree/sub/out"}), {"**"}) == "sub/a.c");
  CHECK(path_of("../a.c", gate_of({"/bin/sh", "-c", "make -C sub/out"}), {"sub/*"}) == "sub/a.c");
  CHECK(path_of("a.c", gate_of({"make", "-C", "sub"}), {"sub/**"}) == "sub/a.c");
  CHECK(path_of("a.c", gate_of({"make"}), {"sub/a.c"}, "make: Entering directory '/tree/sub'\n") == "sub/a.c");
  CHECK(path_of("../core/a.c", gate_of({"make"}), {"**"}, "ninja: Entering directory `out'\n") == "core/a.c");
  // It means one file of the task, or nothing.
  CHECK(path_of("a.c", gate_of({"make", "all"}, "sub"), {"**"}) == "sub/a.c");
  CHECK(path_of("a.c", gate_of({"make", "core"}), {"**"}) ==
        "a fix of line 1 is left out: it may be of 'a.c' or of 'core/a.c'");
  CHECK(path_of("a.c", gate_of({"make", "core"}), {"core/**"}) == "core/a.c");
  CHECK(path_of("a.c", gate_of({"make"}), {"**"}) == "a.c");
  CHECK(path_of("../core/a.c", gate_of({"make"}, "sub"), {"**"}) == "core/a.c");
  CHECK(path_of("a.c", gate_of({"make", "-C", "sub"}), {"core/**"}) ==
        "'a.c': its fixes are left out: it is no file of task T1");
  CHECK(path_of("../../a.c", gate_of({"make", "-C", "sub"}), {"**"}) ==
        "a fix of '../../a.c' is left out: it lies beyond the tree");
  CHECK(path_of("/etc/a.c", gate_of({"make"}), {"**"}) == "a fix of '/etc/a.c' is left out: it lies beyond the tree");
}

TEST_CASE("workflow fixes: what g++ 12 and clang 14 print is applied") {
  // -fdiagnostics-parseable-fixits; the second as it comes from a build folder.
  const std::string gcc = R"(/tree/src/a.cpp: In function 'int main()':
/tree/src/a.cpp:2:22: error: expected ';' before '}' token
    2 | int main() { return 0 }
      |                      ^~
      |                      ;
fix-it:"/tree/src/a.cpp":{2:22-2:22}:";"
../src/a.cpp:1:6: error: no type named 'strng' in namespace 'std'; did you mean 'string'?
fix-it:"../src/a.cpp":{1:6-1:11}:"string"
)";
  const Applied applied = run_fixes(gcc, {{"src/a.cpp", "std::strng x;\nint main() { return 0 }\n"}});
  CHECK(applied.files.at("src/a.cpp") == "std::string x;\nint main() { return 0; }\n");
  CHECK(applied.left_out.empty());
  CHECK(edits_json(std::vector{FixedFile{"a", "x\n", 1}}) == R"([{"path":"a","text":"x\n"}])");
  // Escapes, and columns in bytes.
  CHECK(run_fixes("fix-it:\"a \\303\\274.c\":{1:3-1:3}:\"\\\"\\n\\t\"\n", {{"a \xC3\xBC.c", "\xC3\xBC!"}})
            .files.at("a \xC3\xBC.c") == "\xC3\xBC\"\n\t!");
}

TEST_CASE("workflow fixes: the same fix printed twice is one, and lines may go in at one place") {
  const std::string twice =
      "fix-it:\"a.c\":{1:1-1:1}:\"#include <a>\\n\"\nfix-it:\"a.c\":{1:1-1:1}:\"#include <b>\\n\"\n"
      "fix-it:\"a.c\":{1:1-1:1}:\"#include <a>\\n\"\n";
  CHECK(run_fixes(twice, {{"a.c", "x\n"}}).files.at("a.c") == "#include <a>\n#include <b>\nx\n");
}

TEST_CASE("workflow fixes: those that touch the same bytes are refused, both, and the others applied") {
  const Applied applied = run_fixes(
      "fix-it:\"a.c\":{1:1-1:4}:\"xyz\"\nfix-it:\"a.c\":{1:3-1:6}:\"uvw\"\nfix-it:\"a.c\":{2:1-2:2}:\"B\"\n"
      "fix-it:\"a.c\":{3:1-3:1}:\"(\"\nfix-it:\"a.c\":{3:1-3:1}:\"[\"\n",
      {{"a.c", "abcdef\nb\nc\n"}});
  CHECK(applied.files.at("a.c") == "abcdef\nB\nc\n");
  CHECK(applied.left_out == Texts{"'a.c': two fixes touch line 1, 'xyz' and 'uvw': neither is applied",
                                  "'a.c': two fixes touch line 3, '(' and '[': neither is applied"});
}

TEST_CASE(
    "workflow fixes: beyond the task, beyond the tree, and where there is no such place, they are left out by name") {
  const Applied applied = run_fixes(
      "fix-it:\"src/a.c\":{1:1-1:1}:\"x\"\nfix-it:\"/usr/include/b.h\":{1:1-1:1}:\"x\"\nfix-it:\"../../"
      "c.c\":{1:1-1:1}:\"x\"\n"
      "fix-it:\"src/d.c\":{9:1-9:1}:\"x\"\nfix-it:\"src/"
      "gone.c\":{1:1-1:1}:\"x\"\nfix-it:nonsense\nfix-it:\"t.c\":{1:1-1:1}:\"x\"\n",
      {{"src/a.c", "a\n"}, {"src/d.c", "d\n"}, {"t.c", "t\n"}}, {"src/"});
  CHECK(applied.files.size() == 1);
  CHECK(applied.left_out == Texts{"a fix of '/usr/include/b.h' is left out: it lies beyond the tree",
                                  "a fix of '../../c.c' is left out: it lies beyond the tree",
                                  "a line that begins with 'fix-it:' cannot be read",
                                  "'src/d.c': the fix of line 9 is left out: the file has no such place",
                                  "'src/gone.c': its fixes are left out: there is no such file",
                                  "'t.c': its fixes are left out: it is no file of task T1"});
}

TEST_CASE("workflow fixes: SARIF, alone or among other output, in UTF-16 columns") {
  const std::string sarif =
      R"({"version":"2.1.0","runs":[{"originalUriBaseIds":{"PWD":{"uri":"file:///tree/"}},"results":[{"fixes":[)"
      R"({"artifactChanges":[{"artifactLocation":{"uri":"a%20b.js","uriBaseId":"PWD"},"replacements":[)"
      R"({"deletedRegion":{"startLine":1,"startColumn":3,"endColumn":4},"insertedContent":{"text":"Y"}}]}]},)"
      R"({"artifactChanges":[{"artifactLocation":{"uri":"a b.js"},"replacements":[)"
      R"({"deletedRegion":{"startLine":1},"insertedContent":{"text":"alternative"}}]}]}]}]}]})";
  const std::map<std::string, std::string> files = {{"a b.js", "\xF0\x9F\x98\x80x\nz\n"}};
  CHECK(run_fixes(sarif, files).files.at("a b.js") == "\xF0\x9F\x98\x80Y\nz\n");
  CHECK(run_fixes("warning\n" + sarif + "\n1 problem\n", files).files.size() == 1);
  CHECK(run_fixes(
            R"({"runs":[{"results":[{"fixes":[{"artifactChanges":[{"artifactLocation":{"uri":"file:///tree/c.js"},)"
            "\n"
            R"("replacements":[{"deletedRegion":{"startLine":1,"endLine":1},"insertedContent":{"text":""}}]}]}]}]}]})",
            {{"c.js", "gone\nstays\n"}})
            .files.at("c.js") == "stays\n");
}

TEST_CASE("workflow fixes: unified diffs are applied where the file is still what they were made from") {
  const std::string diff =
      "would reformat a.py\n--- a.py\t2024-01-01 10:00:00\n+++ a.py\t2024-01-01 10:00:01\n@@ -1,3 +1,3 @@\n "
      "one\n-two\n+TWO\n three\n"
      "@@ -5,0 +6 @@\n+six\n--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+hello\n1 file would be reformatted\n";
  const Applied applied = run_fixes(diff, {{"a.py", "one\ntwo\nthree\nfour\nfive\n"}});
  CHECK(applied.files.at("a.py") == "one\nTWO\nthree\nfour\nfive\nsix\n");
  CHECK(applied.files.at("new.py") == "hello\n");
  const Applied other = run_fixes(diff, {{"a.py", "one\n2\nthree\nfour\nfive\n"}});
  CHECK(other.left_out ==
        Texts{"'a.py': the fix of line 1 is left out: the file is no longer what the diff was made from"});
  // A last line without its end.
  CHECK(
      run_fixes("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n", {{"a", "x"}}).files.at("a") ==
      "y\n");
}

TEST_CASE("workflow fixes: no output makes the reader fail") {
  std::uint32_t seed = 5;
  const std::string_view pieces[] = {"fix-it:",        "\"a.c\"",       ":{",          "1:1-1:1", "}:", "\"x\"", "\n",
                                     "--- a\n+++ b\n", "@@ -1 +1 @@\n", "{\"runs\":[", "]}",      "\\", "+y\n",  "-x\n",
                                     "99999999999"};
  for (int round = 0; round < 3'000; ++round) {
    std::string text;
    for (int i = 0; i < 14; ++i) {
      seed = seed * 1664525U + 1013904223U;
      text += pieces[(seed >> 16U) % std::size(pieces)];
    }
    const Applied applied = run_fixes(text, {{"a.c", "x\n"}, {"b", "x\n"}});
    CHECK(applied.files.size() <= 2);
  }
}
