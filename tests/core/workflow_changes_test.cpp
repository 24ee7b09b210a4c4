#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/json/arena.hpp"
#include "core/json/writer.hpp"
#include "core/workflow/changes.hpp"

using namespace plumb::workflow;
using Texts = std::vector<std::string>;

namespace {

// What git 2.39 wrote, word for word.
constexpr std::string_view patch = R"(diff --git a/a.txt b/a.txt
index 3d11c9a..1191247 100644
--- a/a.txt
+++ b/a.txt
@@ -1,4 +1,4 @@ void f()
 one
-two
+two and a half
 three
 four
@@ -10,0 +11,2 @@
+new
+--- a/looks/like/a/head
diff --git a/bin b/bin
new file mode 100644
index 0000000..ce5c7a5
Binary files /dev/null and b/bin differ
diff --git "a/gr\303\274n \"x\".md" "b/gr\303\274n \"x\".md"
deleted file mode 100644
index 0d5fc1e..0000000
--- "a/gr\303\274n \"x\".md"
+++ /dev/null
@@ -1 +0,0 @@
-hello
\ No newline at end of file
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --git a/with blank/x y b/with blank/x y
new file mode 100644
index 0000000..e69de29
)";

Task task(Texts files) {
  Task out;
  out.id = "T1";
  for (std::string& one : files) {
    out.files.push_back({std::move(one), Access::write});
  }
  return out;
}

Texts told(const std::vector<FileFinding>& findings) {
  Texts out;
  for (const FileFinding& one : findings) {
    out.push_back(one.finding.rule + " " + one.path);
  }
  return out;
}

}  // namespace

TEST_CASE("workflow changes: git's patch is read into files, hunks and lines with their numbers") {
  const auto read = read_changes(patch);
  REQUIRE_MESSAGE(read, read.error().message);
  const Changes& changes = read.value();
  CHECK(changes.paths() == Texts{"a.txt", "bin", "gr\xC3\xBCn \"x\".md", "run.sh", "with blank/x y"});
  const Change& text = changes.files[0];
  CHECK(text.kind == ChangeKind::modified);
  CHECK(text.added == 3);
  CHECK(text.removed == 1);
  REQUIRE(text.hunks.size() == 2);
  CHECK(text.hunks[0].lines[1].sign == '-');
  CHECK(text.hunks[0].lines[1].line == 2);
  CHECK(text.hunks[0].lines[2].text == "two and a half");
  CHECK(text.hunks[0].lines[2].line == 2);
  CHECK(text.hunks[1].lines[1].line == 12);
  CHECK(text.hunks[1].lines[1].text == "--- a/looks/like/a/head");
  CHECK(changes.files[1].binary);
  CHECK(changes.files[1].kind == ChangeKind::added);
  CHECK(changes.files[2].kind == ChangeKind::removed);
  CHECK(changes.files[3].mode);
  CHECK(changes.files[4].kind == ChangeKind::added);
}

TEST_CASE("workflow changes: diffs of other tools are read too") {
  const auto read = read_changes(
      "Here is the patch:\n--- src/a.py\t2024-01-01\n+++ src/a.py\t2024-01-02\n@@ -1,2 +1,2 @@\n-x = 1\n+x = 2\n y\n"
      "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+hi\n");
  REQUIRE_MESSAGE(read, read.error().message);
  CHECK(read.value().paths() == Texts{"src/a.py", "new.txt"});
  CHECK(read.value().files[1].kind == ChangeKind::added);
}

TEST_CASE("workflow changes: a patch that contradicts itself is an error with its line") {
  const auto wrong = [](std::string_view text) {
    const auto read = read_changes(text);
    return read ? std::string("taken") : read.error().message;
  };
  CHECK(wrong("diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n x\n") ==
        "line 4 of the patch: the hunk is shorter than its head says");
  CHECK(wrong("diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n-y\n") ==
        "line 6 of the patch: '-y' cannot be in the hunk that begins in line 4");
  CHECK(wrong("@@ -1 +1 @@\n-x\n+y\n") == "line 1 of the patch: a hunk comes before the name of its file");
  CHECK(wrong("diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -99999999999 +1 @@\n").find("is no head of a hunk") !=
        std::string::npos);
  CHECK(wrong("") == "taken");
  CHECK(wrong("no diff at all\n") == "taken");
}

TEST_CASE("workflow changes: no cut or damaged patch makes the reader fail otherwise than by an error") {
  for (std::size_t size = 0; size <= patch.size(); ++size) {
    (void)read_changes(patch.substr(0, size));
    const auto cut = read_changes(patch.substr(0, size), patch.size() - size + 1);
    CHECK_MESSAGE(cut, size);
  }
  std::uint32_t seed = 3;
  for (int round = 0; round < 3000; ++round) {
    std::string text(patch);
    for (int i = 0; i < 4; ++i) {
      seed = seed * 1664525U + 1013904223U;
      text[(seed >> 8U) % text.size()] = "\n+- @\"\\/\x80"[(seed >> 4U) % 9];
    }
    const auto read = read_changes(text);
    if (read) {
      for (const Change& one : read.value().files) {
        CHECK(!one.path.empty());
      }
    }
  }
}

TEST_CASE("workflow changes: of a reply with a cut patch all paths are known") {
  std::string reply;
  plumb::json::Writer json(reply);
  json.begin_object().member("patch", patch.substr(0, 150)).member_uint("cut", patch.size() - 150);
  json.key("changed").raw(R"([{"path": "a.txt", "status": "M", "added": 3, "removed": 1},
    {"path": "z.txt", "status": "A", "added": 9, "removed": 0}])");
  json.end_object();
  plumb::json::Arena arena;
  const auto read = read_diff_reply(plumb::json::parse(reply, arena).value());
  REQUIRE(read);
  CHECK(read.value().paths() == Texts{"a.txt", "z.txt"});
  CHECK(!read.value().files[0].listed);
  CHECK(read.value().files[0].added == 3);
  CHECK(read.value().files[1].listed);
  CHECK(read.value().cut > 0);
  CHECK(changes_summary(read.value()).find("z.txt: added, +9 -0, its lines are not known") != std::string::npos);
}

TEST_CASE("workflow changes: files beyond the task, protected ones and claims without a diff are findings") {
  const Changes changes =
      read_changes(
          "diff --git a/src/a.cpp b/src/a.cpp\n--- a/src/a.cpp\n+++ b/src/a.cpp\n@@ -1 +1 @@\n-a\n+b\n"
          "diff --git a/tests/a_test.cpp b/tests/a_test.cpp\nnew file mode 100644\n"
          "diff --git a/docs/x.md b/docs/x.md\nnew file mode 100644\n")
          .value();
  CHECK(told(beyond_task(task({"src/"}), changes)) == Texts{"scope tests/a_test.cpp", "scope docs/x.md"});
  CHECK(beyond_task(task({"**"}), changes).empty());
  const Texts globs(protected_usual().begin(), protected_usual().end());
  CHECK(told(protected_changes(task({"src/"}), globs, Texts{"docs/"}, changes)) ==
        Texts{"protected tests/a_test.cpp", "do-not-touch docs/x.md"});
  CHECK(told(protected_changes(task({"**"}), globs, {}, changes)) == Texts{"protected tests/a_test.cpp"});
  CHECK(protected_changes(task({"tests/*"}), globs, {}, changes).empty());
  CHECK(told(claims_without_diff(Texts{"src/a.cpp", "./src/b.cpp", "src/b.cpp"}, changes)) ==
        Texts{"no-diff src/b.cpp"});
  CHECK(claims_without_diff({}, Changes())[0].finding.message == "nothing was changed");
  CHECK(claims_without_diff(Texts{"a"}, Changes())[0].finding.message ==
        "nothing was changed, though the developer says it changed a");
}
