#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/workflow/decompose.hpp"

using namespace plumb::workflow;
using Texts = std::vector<std::string>;

namespace {

Task wide() {
  Task out;
  out.id = "T2";
  out.description = "Rename it";
  out.after = {"T1"};
  out.files = {{"a.cpp", Access::write}, {"b.cpp", Access::write}, {"docs/", Access::write}};
  out.acceptance = {{"A1", "a.cpp compiles", ""}, {"A2", "All is renamed", "test"}};
  out.scenarios = {{"S1", "b.cpp", "is built", "it says so", "test"}};
  out.fixes = {"test"};
  return out;
}

std::string answer(const std::string& criteria, const std::string& scenarios, const std::string& files,
                   const std::string& after = "\"a\"") {
  return R"({"parts": [{"part": "a", "description": "First"}, {"part": "b", "description": "Second", "after": [)" +
         after + R"(]}], "criteria": [)" + criteria + R"(], "scenarios": [)" + scenarios + R"(], "files": [)" + files +
         "]}";
}
std::string go(const std::string& name, const std::string& id, const std::string& part) {
  return R"({")" + name + R"(": ")" + id + R"(", "part": ")" + part + "\"}";
}
const std::string criteria = go("id", "A1", "a") + "," + go("id", "A2", "b");
const std::string scenarios = go("id", "S1", "b");
const std::string files = go("path", "a.cpp", "a") + "," + go("path", "b.cpp", "b") + "," + go("path", "docs/", "b");

std::string refused(const std::string& text, std::uint32_t level = 0) {
  const Decomposition read = read_decomposition(text, wide(), level);
  CHECK(read.parts.empty());
  return read.why_not + (read.verdict.findings.empty() ? "" : "|" + read.verdict.findings[0].rule);
}

}  // namespace

TEST_CASE("workflow decompose: an answer that partitions criteria and covers files becomes tasks") {
  const Decomposition read = read_decomposition(answer(criteria, scenarios, files), wide(), 0);
  REQUIRE_MESSAGE(read.parts.size() == 2, read.why_not);
  CHECK(read.parts[0].id == "T2a");
  CHECK(read.parts[0].after == Texts{"T1"});
  CHECK(read.parts[0].written() == Texts{"a.cpp"});
  CHECK(read.parts[1].after == Texts{"T1", "T2a"});
  CHECK(read.parts[1].acceptance[0].text == "All is renamed");
  CHECK(read.parts[1].acceptance[0].id == "A1");
  CHECK(read.parts[1].acceptance[0].check == "test");
  CHECK(read.parts[1].scenarios.size() == 1);
  // The gate that the task is to mend passes when all of it is done.
  CHECK(read.parts[0].fixes.empty());
  CHECK(read.parts[1].fixes == Texts{"test"});
  const Decomposition beside = read_decomposition(answer(criteria, scenarios, files, ""), wide(), 0);
  REQUIRE_MESSAGE(beside.parts.size() == 2, beside.why_not);
  CHECK(beside.parts[0].fixes.empty());
  CHECK(beside.parts[1].fixes == Texts{"test"});
  CHECK(beside.parts[1].after == Texts{"T1", "T2a"});
  CHECK(level_of("T2a", "T2") == 1);
  CHECK(level_of("T2a1", "T2") == 2);
  CHECK(level_of("T2", "T2") == 0);
  Task part = read.parts[0];
  part.acceptance = wide().acceptance;
  part.scenarios = wide().scenarios;
  part.files = wide().files;
  CHECK(read_decomposition(answer(criteria, scenarios, files), part, 1).parts[1].id == "T2a2");
  // Every part is a task by the contract.
  for (const Task& one : read.parts) {
    CHECK(read_task(task_json(one)));
  }
  Task plain = wide();
  plain.scenarios.clear();
  CHECK(read_decomposition(answer(criteria, "", files), plain, 0).parts.size() == 2);
}

TEST_CASE("workflow decompose: a criterion that is lost, doubled or invented is refused, and so is a lost file") {
  CHECK(refused(answer(go("id", "A1", "a"), scenarios, files)).find("|sameSetAs") != std::string::npos);
  CHECK(refused(answer(criteria + "," + go("id", "A1", "b"), scenarios, files)).find("|distinct") != std::string::npos);
  CHECK(refused(answer(criteria + "," + go("id", "A9", "b"), scenarios, files)).find("|sameSetAs") !=
        std::string::npos);
  CHECK(refused(answer(criteria, scenarios, go("path", "a.cpp", "a") + "," + go("path", "b.cpp", "b")))
            .find("|sameSetAs") != std::string::npos);
  CHECK(refused(answer(criteria, scenarios, files + "," + go("path", "x", "c"))).find("|") != std::string::npos);
  CHECK(refused(answer(go("id", "A1", "b") + "," + go("id", "A2", "b"), scenarios, files)) ==
        "Part a has no criterion|empty-part");
  CHECK(refused(answer(criteria, scenarios,
                       go("path", "a.cpp", "b") + "," + go("path", "b.cpp", "b") + "," + go("path", "docs/", "b"))) ==
        "Part a has no file|empty-part");
  CHECK(refused(answer(criteria, scenarios, files, "\"b\"")).find("|acyclic") != std::string::npos);
  CHECK(refused(answer(criteria, scenarios, files), 2).find("at most 2 times") != std::string::npos);
  CHECK(refused("{}").find("does not keep the contract") != std::string::npos);
}

TEST_CASE("workflow decompose: without a model by size, and every criterion is in exactly one part") {
  Task task = wide();
  task.files = {{"**", Access::write}};
  std::vector<SizedFile> sized;
  for (const char* path : {"a.cpp", "b.cpp", "c.cpp", "d.cpp", "e.cpp", "f.cpp"}) {
    sized.push_back({path, 1'000});
  }
  plumb::budget::SizeLimits limits;
  limits.working_memory = 20'000;
  const Decomposition cut = decompose_by_size(task, sized, limits, 0);
  REQUIRE_MESSAGE(cut.parts.size() >= 2, cut.why_not);
  CHECK(cut.parts.size() <= parts_max);
  Texts paths, texts;
  for (const Task& part : cut.parts) {
    CHECK(!part.acceptance.empty());
    CHECK(read_task(task_json(part)));
    for (const TaskFile& file : part.files) {
      paths.push_back(file.path);
      CHECK(file.access == Access::write);
    }
    for (const Criterion& one : part.acceptance) {
      texts.push_back(one.text);
    }
  }
  CHECK(paths == Texts{"a.cpp", "b.cpp", "c.cpp", "d.cpp", "e.cpp", "f.cpp"});
  for (const Criterion& one : task.acceptance) {
    CHECK(std::count(texts.begin(), texts.end(), one.text) == 1);
  }
  CHECK(cut.parts[0].acceptance[0].text == "a.cpp compiles");
  CHECK(cut.parts.back().acceptance[0].text == "All is renamed");
  CHECK(cut.parts[0].scenarios.size() == 1);  // it names b.cpp
  CHECK(cut.parts.back().fixes == Texts{"test"});
  CHECK(decompose_by_size(task, sized, limits, 2).parts.empty());
}

TEST_CASE("workflow decompose: what cannot be cut says why") {
  plumb::budget::SizeLimits limits;
  limits.working_memory = 10'000;
  std::vector<SizedFile> sized = {{"a", 9'000}, {"b", 10}};
  CHECK(decompose_by_size(wide(), sized, limits, 0).why_not ==
        "task T2 cannot be cut: 'a' alone has 9000 tokens, more than fit");
  sized.assign(1, {"a", 10});
  CHECK(decompose_by_size(wide(), sized, limits, 0).why_not ==
        "task T2 cannot be cut: it is not too large by its files");
  sized.clear();
  for (int i = 0; i < 50; ++i) {
    sized.push_back({"f" + std::to_string(i), 10});
  }
  CHECK(decompose_by_size(wide(), sized, limits, 0).why_not.find("at most 8 are made") != std::string::npos);
}

TEST_CASE("workflow decompose: a continuation has what is open, and names what is met") {
  const Task next = continuation_of(wide(), Texts{"A1"}, 1);
  REQUIRE(next.acceptance.size() == 1);
  CHECK(next.acceptance[0].id == "A2");
  CHECK(next.scenarios.size() == 1);
  CHECK(
      next.description.find("(Continuation 1: what was done so far is in the tree. Met already, and to stay so:\n- A1 "
                            "a.cpp compiles)") != std::string::npos);
}
