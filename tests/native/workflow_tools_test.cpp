// What workflows read of other tools, from the tools themselves: git's patches, hints of g++, diffs of `diff`, reports
// of ctest, through the gates of a preset.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "core/json/arena.hpp"
#include "core/json/writer.hpp"
#include "core/reason.hpp"
#include "core/workflow/fixes.hpp"
#include "core/workflow/gate_results.hpp"
#include "core/workflow/project.hpp"
#include "native/process/command.hpp"

using namespace plumb;
using namespace plumb::workflow;
namespace fs = std::filesystem;

TEST_SUITE_BEGIN("native");

namespace {

struct Folder {
  Folder() {
    std::string name = (fs::temp_directory_path() / "plumb-tools-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    top = name;
  }
  ~Folder() { fs::remove_all(top); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((top / path).parent_path());
    std::ofstream(top / path, std::ios::binary) << text;
  }
  std::optional<std::string> read(const std::string& path) const {
    std::ifstream file(top / path, std::ios::binary);
    return file ? std::optional(std::string(std::istreambuf_iterator<char>(file), {})) : std::nullopt;
  }
  Result<process::Outcome> run(std::vector<std::string> words) const {
    process::Command command;
    command.argv = std::move(words);
    command.folder = top.string();
    command.environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"HOME", top.string()}, {"LC_ALL", "C"}};
    command.most = process::Isolation::partial;
    command.writable = {top.string(), "/tmp"};
    return process::run(command);
  }
  std::string output(std::vector<std::string> words, bool may_fail = false) const {
    const Result<process::Outcome> done = run(std::move(words));
    REQUIRE(done);
    REQUIRE_MESSAGE((may_fail || done.value().ok()), done.value().err.text());
    return done.value().out.text() + done.value().err.text();
  }
  // A gate as the `command` effect would tell of it.
  GateResult gate(const Gate& gate) const {
    const Result<process::Outcome> done = run(gate.argv);
    std::string text = "{}";
    if (done) {
      text.clear();
      json::Writer json(text);
      json.begin_object().member("end", process::end_name(done.value().end)).key("exit_code");
      json.integer(done.value().exit_code).member("stdout", done.value().out.text());
      json.member("stderr", done.value().err.text()).member_uint("duration_ms", done.value().duration_ms).end_object();
    }
    json::Arena arena;
    const json::Value value = json::parse(text, arena).value();
    const std::optional<std::string> report = gate.report.empty() ? std::nullopt : read(gate.report);
    const std::string error = done ? "" : done.error().message;
    return gate_result(gate, {done ? "ok" : "failed", &value, error, 0, done ? Reason::none : done.error().reason},
                       report);
  }

  fs::path top;
};

Task task_of(std::vector<TaskFile> files) {
  Task out;
  out.id = "T1";
  out.files = std::move(files);
  return out;
}

}  // namespace

TEST_CASE("workflow tools: git's patches are read as git counts them, whatever files are called") {
  const Folder folder;
  const auto git = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"git", "-c", "user.name=x", "-c", "user.email=x@example.org"});
    return folder.output(std::move(words));
  };
  git({"init", "-q", "-b", "main"});
  folder.write("a.txt", "one\ntwo\nthree\n");
  folder.write("gone.txt", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n");
  folder.write("mode.sh", "echo\n");
  git({"add", "-A"});
  git({"commit", "-q", "-m", "first"});
  folder.write("a.txt", "one\n-- two\n++ two\nthree");
  folder.write("with \"quotes\" and\ttab.txt", "x\n");
  folder.write("gr\xC3\xBCn/\xE6\x96\x87.md", "x\n\ny\r\n");
  folder.write("bytes.bin", std::string("\0\1\2", 3));
  folder.write("empty", "");
  fs::remove(folder.top / "gone.txt");
  fs::permissions(folder.top / "mode.sh", fs::perms::owner_all);
  git({"add", "-A"});
  git({"commit", "-q", "-m", "second"});
  const Result<Changes> read = read_changes(git({"diff-tree", "-r", "-p", "--no-renames", "--no-ext-diff",
                                                 "--no-textconv", "--no-color", "--full-index", "HEAD~1", "HEAD"}));
  REQUIRE_MESSAGE(read, read.error().message);
  std::string ours;
  for (const Change& one : read.value().files) {
    ours += one.binary ? "-\t-" : std::to_string(one.added) + "\t" + std::to_string(one.removed);
    ours += "\t" + one.path + std::string(1, '\0');
  }
  CHECK(read.value().files.size() == 7);
  CHECK(ours == git({"diff-tree", "-r", "-z", "--numstat", "--no-renames", "HEAD~1", "HEAD"}));
}

TEST_CASE("workflow tools: what g++ prints as hints mends the file, and `diff` gives it back") {
  const Folder folder;
  const std::string broken =
      "#include <vector>\nstruct Box {\n  int size() const { return 3; }\n};\nint main() {\n  Box box;\n"
      "  std::string text;\n  return box.siz();\n}\n";
  folder.write("src/main.cpp", broken);
  const std::vector<std::string> compile = {"g++", "-std=c++20", "-fdiagnostics-parseable-fixits", "-c", "src/main.cpp",
                                            "-o",  "main.o"};
  const Task task = task_of({{"src/", Access::write}});
  const auto reader = [&](const std::string& path) { return folder.read(path); };
  const SeenFrom from = seen_from(Gate(), folder.top.string(), {});
  // One round may uncover more: a few are enough.
  bool compiles = false;
  for (int round = 0; round < 3 && !compiles; ++round) {
    const Result<process::Outcome> done = folder.run(compile);
    REQUIRE(done);
    compiles = done.value().ok();
    const Fixed fixed = apply_fixes(read_fixes(done.value().err.text(), from).fixes, task, reader);
    CHECK((compiles || !fixed.files.empty()));
    for (const FixedFile& file : fixed.files) {
      folder.write(file.path, file.text);
    }
  }
  CHECK(compiles);
  // The same from the difference that `diff -u` shows.
  const std::string mended = *folder.read("src/main.cpp");
  folder.write("before.cpp", broken);
  const std::string diff = folder.output(
      {"diff", "-u", "--label", "a/src/main.cpp", "--label", "b/src/main.cpp", "before.cpp", "src/main.cpp"}, true);
  folder.write("src/main.cpp", broken);
  const Fixed again = apply_fixes(read_fixes(diff, {}).fixes, task, reader);
  REQUIRE(again.files.size() == 1);
  CHECK(again.files[0].text == mended);
}

TEST_CASE("workflow tools: the cmake preset builds and tests, and a test that was taken out is missed") {
  const Folder folder;
  const std::string head = "cmake_minimum_required(VERSION 3.20)\nproject(small NONE)\nenable_testing()\n";
  const auto test = [](const std::string& name, const std::string& command) {
    return "add_test(NAME " + name + " COMMAND ${CMAKE_COMMAND} -E " + command + ")\n";
  };
  folder.write("CMakeLists.txt", head + test("one", "true") + test("two", "true"));
  const std::vector<std::string> paths = {"CMakeLists.txt"};
  const std::vector<Detected> found = detect_gates(paths);
  REQUIRE(found.size() == 1);
  const std::vector<Gate>& gates = found[0].gates;
  const auto all = [&] {
    std::vector<GateResult> out;
    for (const Gate& one : gates) {
      const auto held = held_up_by(one, out);
      out.push_back(held ? skipped_gate(one, *held) : folder.gate(one));
    }
    return out;
  };
  const std::vector<GateResult> base = all();
  CHECK_MESSAGE(judge_gates(base).passed, judge_gates(base).feedback);
  REQUIRE(base[2].tests);
  CHECK(base[2].tests->ran() == 2);

  folder.write("CMakeLists.txt", head + test("one", "true"));
  const std::vector<GateResult> fewer = against_base(Task(), base, all(), BaseFailures::refuse);
  CHECK(fewer[2].outcome == GateOutcome::fewer_tests);
  CHECK(fewer[2].words == "gate 'test' ended with 0, but 1 test ran, 2 ran before");

  folder.write("CMakeLists.txt", head + test("one", "false") + test("two", "true"));
  const std::vector<GateResult> failed = all(), failed_again = all();
  CHECK(failed[2].outcome == GateOutcome::failed);
  REQUIRE(failed[2].tests);
  CHECK(failed[2].tests->failing == std::vector<std::string>{"one"});
  CHECK(failed[2].fingerprint == failed_again[2].fingerprint);
  CHECK(judge_gates(failed).feedback.find("Failing tests: one") != std::string::npos);

  folder.write("CMakeLists.txt", "this is no cmake(\n");
  const std::vector<GateResult> broken = all();
  CHECK(broken[0].outcome == GateOutcome::failed);
  CHECK(broken[1].outcome == GateOutcome::skipped);
  CHECK(broken[2].outcome == GateOutcome::skipped);

  Gate absent = gates[0];
  absent.argv = {"there-is-no-such-program"};
  CHECK(folder.gate(absent).outcome == GateOutcome::not_found);
}

TEST_SUITE_END();
