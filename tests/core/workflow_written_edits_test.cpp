// Edits as models write them: which are read, what they make of files, and what is said of those that do not apply.
#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <string>

#include "core/json/arena.hpp"
#include "core/workflow/written_edits.hpp"

using namespace plumb::workflow;

namespace {

using Files = std::map<std::string, std::string>;

const Files files = {{"src/a.py", "def one():\n    return 1\n\n\ndef two():\n    return 2\n"},
                     {"b.txt", "x\ny\nx\nz"},
                     {"crlf.c", "int a;\r\nint b;\r\n"}};

// "path: text" of each file that is changed, or what is wrong.
std::string made(const WrittenEdits& read) {
  const EditedFiles edited = apply_edits(read.edits, [](const std::string& path) {
    const auto found = files.find(path);
    return found == files.end() ? std::nullopt : std::optional(found->second);
  });
  std::string out;
  for (const std::string& one : edited.wrong) {
    out += "wrong: " + one + "\n";
  }
  for (const auto& [path, text] : edited.files) {
    out += edited.wrong.empty() ? path + ": " + text.value_or("(removed)") + "\n" : "";
  }
  for (const std::string& one : read.left_out) {
    out += "left out: " + one + "\n";
  }
  return out;
}

std::string made(std::string_view answer) { return made(read_edit_blocks(answer)); }

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

const std::string changed = "src/a.py: def one():\n    return 10\n\n\ndef two():\n    return 2\n\n";

}  // namespace

TEST_CASE("written edits: a whole file after its path, however the path is written") {
  const std::string block = "```python\ndef one():\n    return 10\n```\n";
  const std::string wanted = "src/a.py: def one():\n    return 10\n\n";
  for (const char* before : {"src/a.py\n", "`src/a.py`:\n\n", "**src/a.py**\n", "### File: `src/a.py`\n",
                             "File src/a.py:\n", "Here it is.\n\nsrc/a.py\n"}) {
    CHECK(made(before + block) == wanted);
  }
  CHECK(made("```src/a.py\ndef one():\n    return 10\n```") == wanted);
  CHECK(made("```python src/a.py\ndef one():\n    return 10\n```") == wanted);
  CHECK(made("```python:src/a.py\ndef one():\n    return 10\n```") == wanted);
  CHECK(made("docs/x.md\n````md\nA block:\n```sh\nls\n```\n````\n") == "docs/x.md: A block:\n```sh\nls\n```\n\n");
  CHECK(made("It works now. Run\n```sh\nmake test\n```\n").empty());
  CHECK(made("I have done it.").empty());
}

TEST_CASE("written edits: SEARCH/REPLACE blocks, in a fence and outside of one") {
  const std::string block = "<<<<<<< SEARCH\n    return 1\n=======\n    return 10\n>>>>>>> REPLACE\n";
  CHECK(made("src/a.py\n" + block) == changed);
  CHECK(made("src/a.py\n```python\n" + block + "```\n") == changed);
  CHECK(made("```python\nsrc/a.py\n" + block + "```\n") == changed);
  CHECK(made("src/a.py\n<<<<<<< SEARCH\nreturn 1\n=======\nreturn 10\n>>>>>>> REPLACE\n") == changed);
  CHECK(made("src/a.py\n<<<<<<< SEARCH\n  def one():  \n    return 1\n=======\n  def one():\n    return 10\n>>>>>>> "
             "REPLACE\n") == "src/a.py: def one():\n  return 10\n\n\ndef two():\n    return 2\n\n");
  CHECK(made("new.py\n<<<<<<< SEARCH\n=======\nx = 1\n>>>>>>> REPLACE\n") == "new.py: x = 1\n\n");
  CHECK(made("crlf.c\n<<<<<<< SEARCH\nint b;\n=======\nint c;\n>>>>>>> REPLACE\n") == "crlf.c: int a;\r\nint c;\r\n\n");
  CHECK(
      has(made("b.txt\n<<<<<<< SEARCH\nx\n=======\nw\n>>>>>>> REPLACE\n"), "is in the file 2 times: give more lines"));
  CHECK(has(made("src/a.py\n<<<<<<< SEARCH\ndef two():\n    return 3\n=======\n\n>>>>>>> REPLACE\n"),
            "is not in the file; of its lines 'def two():' is line 5"));
  CHECK(has(made("src/c.py\n" + block), "there is no such text file"));
  CHECK(has(made(block), "an edit names no file"));
  CHECK(has(made("src/a.py\n<<<<<<< SEARCH\nx\n"), "has no end"));
}

TEST_CASE("written edits: a unified diff whose numbers and counts are wrong") {
  const std::string head = "--- a/src/a.py\n+++ b/src/a.py\n";
  for (const char* at : {"@@ -1,3 +1,3 @@\n", "@@ -40,9 +77,1 @@ def one():\n", "@@\n", "@@ ... @@\n"}) {
    CHECK(made(head + at + " def one():\n-    return 1\n+    return 10\n \n") == changed);
    CHECK(made("Done:\n```diff\n" + head + at + " def one():\n-    return 1\n+    return 10\n```\n") == changed);
  }
  CHECK(made("src/a.py\n```diff\n@@ -1 +1 @@\n-    return 1\n+    return 10\n```\n") == changed);
  // Context that is not there is left out.
  CHECK(made(head + "@@ -1,3 +1,3 @@\n # A comment\n def one():\n-    return 1\n+    return 10\n \n # Another\n") ==
        changed);
  // Of several places the nearest to the line.
  CHECK(made("--- a/b.txt\n+++ b/b.txt\n@@ -3,1 +3,1 @@\n-x\n+w\n") == "b.txt: x\ny\nw\nz\n");
  CHECK(made("--- a/b.txt\n+++ b/b.txt\n@@ -1,1 +1,1 @@\n-x\n+w\n") == "b.txt: w\ny\nx\nz\n");
  CHECK(made("--- /dev/null\n+++ b/new.py\n@@ -0,0 +1,2 @@\n+x = 1\n+y = 2\n") == "new.py: x = 1\ny = 2\n\n");
  CHECK(made("diff --git a/b.txt b/b.txt\ndeleted file mode 100644\n--- a/b.txt\n+++ /dev/null\n@@ -1,4 +0,0 "
             "@@\n-x\n-y\n") == "b.txt: (removed)\n");
  CHECK(made(head + "@@ -1,2 +1,2 @@\n def one():\n-    return 1\n+    return 10\n--- a/b.txt\n+++ b/b.txt\n@@ -4 +4 "
                    "@@\n-z\n+q\n") == changed + "b.txt: x\ny\nx\nq\n");
  CHECK(has(made(head + "@@ -1,2 +1,2 @@\n-    return 7\n+    return 10\n"),
            "edit 1, of 'src/a.py': what it replaces is not in the file"));
}

TEST_CASE("written edits: JSON edits are read by the same reader") {
  plumb::json::Arena arena;
  const auto read = plumb::json::parse(R"([{"path": "src/a.py", "find": "return 1\n", "replace": "return 10\n"},
    {"path": "src/a.py", "find": "def two():\n  return 2", "replace": "def two():\n  return 20"},
    {"path": "new.py", "text": "x"}, {"path": "b.txt", "delete": true}])",
                                       arena);
  REQUIRE(read);
  const std::vector<WrittenEdit> edits = read_json_edits(read.value());
  REQUIRE(edits.size() == 4);
  CHECK(made(WrittenEdits{edits, {}}) ==
        "src/a.py: def one():\n    return 10\n\n\ndef two():\n  return 20\n\nnew.py: x\nb.txt: (removed)\n");
}
