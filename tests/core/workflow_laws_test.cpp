#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "core/workflow/laws.hpp"

using namespace plumb::workflow;

namespace {

Record moved(TaskState to, bool unverified = false, const std::string& task = "T1") {
  Record out;
  out.task = task;
  out.state = to;
  out.unverified = unverified;
  return out;
}
Record developed(const std::string& tree, bool retry = false, const std::string& task = "T1") {
  Record out;
  out.kind = RecordKind::developed;
  out.task = task;
  out.tree = tree;
  out.retry = retry;
  out.files = {"a.cpp"};
  return out;
}
Record gated(const std::string& tree, bool passed, const std::string& gate = "test") {
  Record out;
  out.kind = RecordKind::gated;
  out.tree = tree;
  out.passed = passed;
  out.gate = gate;
  return out;
}
Record reviewed(const std::string& tree, bool passed, const std::string& task = "T1") {
  Record out;
  out.kind = RecordKind::reviewed;
  out.task = task;
  out.tree = tree;
  out.passed = passed;
  return out;
}
Record asked(const std::string& key) {
  Record out;
  out.kind = RecordKind::asked;
  out.key = key;
  return out;
}
Record person() {
  Record out;
  out.kind = RecordKind::person;
  out.task = "T1";
  return out;
}

using enum TaskState;

// A task that fails its gate once, and is approved at the second try.
WorkflowRecord good() {
  WorkflowRecord out;
  out.tasks = {"T1"};
  out.declared = {"test", "lint"};
  out.required = {"test"};
  out.waves = {{"T1"}};
  out.records = {moved(ready),          moved(developing),  asked("d1"),          developed("t1"),
                 moved(gating),         gated("t1", false), moved(developing),    asked("d2"),
                 developed("t2", true), moved(gating),      gated("t2", true),    gated("t2", false, "lint"),
                 moved(reviewing),      asked("r1"),        reviewed("t2", true), moved(approved),
                 moved(landed)};
  return out;
}

// The law that breaks when the record is changed so; 0: none.
int breaks(const std::function<void(WorkflowRecord&)>& change) {
  WorkflowRecord record = good();
  change(record);
  const auto broken = broken_laws(record);
  return broken.empty() ? 0 : std::stoi(broken[0].substr(4));
}

}  // namespace

TEST_CASE("workflow laws: a good record breaks none") {
  CHECK(broken_laws(good()).empty());
  CHECK(broken_laws(WorkflowRecord()).empty());
}

TEST_CASE("workflow laws: each law is broken by what it forbids") {
  CHECK(breaks([](auto& r) { r.records.erase(r.records.begin()); }) == 1);
  CHECK(breaks([](auto& r) { r.records.resize(14); }) == 1);  // still reviewing, and the run is over
  CHECK(breaks([](auto& r) { r.records.resize(14), r.ended = false; }) == 0);
  CHECK(breaks([](auto& r) { r.records[8].empty = true; }) == 5);
  CHECK(breaks([](auto& r) { r.records.erase(r.records.begin() + 13, r.records.begin() + 15); }) == 2);
  CHECK(breaks([](auto& r) { r.records[14].passed = false; }) == 2);
  CHECK(breaks([](auto& r) { r.records[14].unverified = true; }) == 2);
  CHECK(breaks([](auto& r) { r.records[14].unverified = r.records[15].unverified = true; }) == 0);
  CHECK(breaks([](auto& r) { r.records[8].retry = false; }) == 3);
  CHECK(breaks([](auto& r) { r.records[3].retry = true; }) == 3);
  CHECK(breaks([](auto& r) { r.records.insert(r.records.begin() + 10, gated("t2", true)); }) == 4);
  CHECK(breaks([](auto& r) {
          r.records.insert(r.records.begin() + 10, gated("t2", true)), r.records[10].lost = true;
        }) == 0);
  CHECK(breaks([](auto& r) { r.records[11].gate = "curl"; }) == 4);
  CHECK(breaks([](auto& r) { r.records[10].passed = false; }) == 5);
  CHECK(breaks([](auto& r) { r.records[14].tree = "t1"; }) == 5);
  CHECK(breaks([](auto& r) { r.records[8].claims_more = true; }) == 7);
  CHECK(breaks([](auto& r) { r.records[8].claims_more = r.records[8].flagged = true; }) == 0);
  CHECK(breaks([](auto& r) { r.records[7].key = "d1"; }) == 8);
}

TEST_CASE("workflow laws: of conversations and of planners") {
  const auto put = [](WorkflowRecord& r, RecordKind kind, const std::string& tree, const std::string& edited = {},
                      const std::string& wrong = {}) {
    Record one;
    one.kind = kind;
    one.task = "T1";
    one.tree = tree;
    one.edited = edited;
    one.wrong = wrong;
    r.records.insert(r.records.begin() + 2, one);
  };
  const auto checkpoints = [&](int count) {
    return [&put, count](WorkflowRecord& r) {
      for (int i = 0; i < count; ++i) {
        put(r, RecordKind::checkpoint, "t1", "t1");
      }
    };
  };
  CHECK(breaks(checkpoints(3)) == 0);
  CHECK(breaks(checkpoints(4)) == 9);
  // Of the next developer run they are counted anew.
  CHECK(breaks([&](auto& r) {
          checkpoints(3)(r), std::rotate(r.records.begin() + 2, r.records.begin() + 5, r.records.begin() + 11);
          checkpoints(3)(r);
        }) == 0);
  CHECK(breaks([&](auto& r) { put(r, RecordKind::checkpoint, "t0", "t1"); }) == 9);
  CHECK(breaks([&](auto& r) { put(r, RecordKind::checkpoint, ""); }) == 9);
  CHECK(breaks([&](auto& r) { put(r, RecordKind::checkpoint, "t0"); }) == 0);  // it has changed nothing yet
  CHECK(breaks([&](auto& r) { put(r, RecordKind::turn, "", "", "it was sent one answer twice"); }) == 8);
  CHECK(breaks([&](auto& r) { put(r, RecordKind::fresh, ""); }) == 0);
  CHECK(breaks([&](auto& r) { put(r, RecordKind::fresh, "", "", "a sentence of the old one"); }) == 10);
  CHECK(breaks([](auto& r) { r.records[3].edited = "t1"; }) == 0);
  CHECK(breaks([](auto& r) { r.records[3].edited = "t0"; }) == 11);
  CHECK(breaks([&](auto& r) { put(r, RecordKind::revised, ""); }) == 0);
  CHECK(breaks([&](auto& r) { put(r, RecordKind::revised, ""), put(r, RecordKind::revised, ""); }) == 12);
  CHECK(breaks([&](auto& r) { put(r, RecordKind::revised, "", "", "its name is another"); }) == 12);
  CHECK(breaks([&](auto& r) { put(r, RecordKind::cut, "", "", "a criterion is lost"); }) == 12);
}

TEST_CASE("workflow laws: nothing more than three retries or reviews before a person has spoken") {
  WorkflowRecord record = good();
  record.records = {moved(ready), moved(developing), developed("t0")};
  for (int i = 1; i <= 4; ++i) {
    record.records.push_back(moved(developing));
    record.records.push_back(developed("t" + std::to_string(i), true));
  }
  record.ended = false;
  REQUIRE(!broken_laws(record).empty());
  CHECK(broken_laws(record)[0].find("law 3") == 0);
  record.records.resize(record.records.size() - 2);
  CHECK(broken_laws(record).empty());
  record.records.insert(record.records.end(), {moved(escalated), moved(developing)});
  CHECK(broken_laws(record)[0].find("no person had spoken") != std::string::npos);
  record.records.insert(record.records.end() - 1, person());
  CHECK(broken_laws(record).empty());
  record.records.push_back(developed("t9", true));
  CHECK(broken_laws(record).empty());
  // A person may approve what no review has.
  record.records.insert(record.records.end(), {moved(escalated), person(), moved(approved)});
  CHECK(broken_laws(record).empty());
}

TEST_CASE("workflow laws: two approved tasks of one wave have no file in common") {
  WorkflowRecord record = good();
  record.tasks = {"T1", "T2"};
  record.waves = {{"T1", "T2"}};
  for (const Record& one : good().records) {
    Record copy = one;
    copy.key += copy.key.empty() ? "" : "-2";
    copy.tree += copy.tree.empty() ? "" : "-2";
    copy.task = copy.task.empty() ? "" : "T2";
    record.records.push_back(copy);
  }
  REQUIRE(broken_laws(record).size() == 1);
  CHECK(broken_laws(record)[0].find("law 6") == 0);
  for (Record& one : record.records) {
    if (one.task == "T2") {
      one.files = {"b.cpp"};
    }
  }
  CHECK(broken_laws(record).empty());
  record.waves = {{"T1"}, {"T2"}};
  CHECK(broken_laws(record).empty());
}
