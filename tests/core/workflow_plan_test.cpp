#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "core/budget/risk.hpp"
#include "core/json/arena.hpp"
#include "core/workflow/contracts.hpp"
#include "core/workflow/plan.hpp"
#include "core/workflow/task_state.hpp"

using namespace plumb::workflow;

namespace {

std::string task(const std::string& id, const std::string& more = "", const std::string& files = "") {
  return R"({"id": ")" + id + R"(", "description": "Do it", "files": [{"path": ")" +
         (files.empty() ? "src/" + id + ".cpp" : files) + R"("}], "acceptance": ["It is done"])" +
         (more.empty() ? "" : ", " + more) + "}";
}

std::string plan(const std::string& tasks, const std::string& more = "") {
  return R"({"title": "Mend the parser", )" + more + R"("tasks": [)" + tasks + "]}";
}

const plumb::contract::Finding* found(const PlanReading& read, std::string_view rule) {
  const auto at = std::find_if(read.verdict.findings.begin(), read.verdict.findings.end(),
                               [&](const auto& one) { return one.rule == rule; });
  return at == read.verdict.findings.end() ? nullptr : &*at;
}

std::vector<std::vector<std::string>> ids(const Plan& plan, std::size_t at_once) {
  std::vector<std::vector<std::string>> out;
  for (const auto& wave : waves(plan, at_once)) {
    out.emplace_back();
    for (const std::uint32_t i : wave) {
      out.back().push_back(plan.tasks[i].id);
    }
  }
  return out;
}

using Waves = std::vector<std::vector<std::string>>;

}  // namespace

TEST_CASE("workflow plan: what is read is written and read again") {
  const PlanReading read = read_plan(
      plan(
          task("T1", R"("scenarios": [{"given": "a", "when": "b", "then": "c", "check": "test"}], "fixes": ["test"])") +
              "," + task("T2", R"("after": ["T1"])"),
          R"("constraints": {"in": ["x"], "do_not_touch": ["docs/"]}, "mission": "Go", )"),
      {.gates = std::vector<std::string>{"build", "test"}});
  REQUIRE(read.plan);
  CHECK(read.plan->slug == "mend-the-parser");
  CHECK(read.plan->tasks[0].acceptance[0].id == "A1");
  CHECK(read.plan->tasks[0].scenarios[0].id == "S1");
  CHECK(read.plan->tasks[0].scenarios[0].check == "test");
  const PlanReading again = read_plan(plan_json(*read.plan));
  REQUIRE(again.plan);
  CHECK(plan_json(*again.plan) == plan_json(*read.plan));
  const auto one = read_task(task_json(read.plan->tasks[0]));
  REQUIRE(one);
  CHECK(task_json(one.value()) == task_json(read.plan->tasks[0]));
}

TEST_CASE("workflow plan: a circle in `after` is told once, with the tasks that it goes through") {
  const std::string text = plan(task("T1", R"("after": ["T3"])") + "," + task("T2", R"("after": ["T1"])") + "," +
                                task("T3", R"("after": ["T2"])"));
  const PlanReading read = read_plan(text);
  CHECK(!read.plan);
  REQUIRE(found(read, "acyclic") != nullptr);
  CHECK(std::count_if(read.verdict.findings.begin(), read.verdict.findings.end(),
                      [](const auto& one) { return one.rule == "acyclic"; }) == 1);
  const auto& finding = *found(read, "acyclic");
  CHECK(finding.message == "Task T2: it waits for itself: T1 waits for T3 waits for T2 waits for T1");
  CHECK(finding.at == "/tasks/1/after/0");
  CHECK(text.substr(static_cast<std::size_t>(finding.span.from),
                    static_cast<std::size_t>(finding.span.to - finding.span.from)) == "\"T1\"");
}

TEST_CASE("workflow plan: unknown and repeated ids, unknown gates and bad paths are findings with their place") {
  CHECK(found(read_plan(plan(task("T1", R"("after": ["T9"])"))), "memberOf")->at == "/tasks/0/after/0");
  const PlanReading twice = read_plan(plan(task("T1") + "," + task("T1")));
  CHECK(found(twice, "distinct")->message.find("the id 'T1' appears here twice") != std::string::npos);
  const PlanReading gate =
      read_plan(plan(task("T1", R"("fixes": ["tset"])")), {.gates = std::vector<std::string>{"test", "lint"}});
  REQUIRE(found(gate, "unknown-gate") != nullptr);
  CHECK(found(gate, "unknown-gate")->message == "Task T1: 'tset' is no gate; there are: test, lint");
  CHECK(found(gate, "unknown-gate")->allowed[0] == "\"test\"");
  CHECK(read_plan(plan(task("T1", R"("fixes": ["tset"])"))).plan);  // gates that are not known are not judged
  for (const std::string path : {"../x", "a/../b", "/etc/passwd", ".git/config", "a/.GIT/x", "C:/x", "a\\\\b", "~/x"}) {
    const PlanReading read = read_plan(plan(task("T1", "", path)));
    REQUIRE_MESSAGE(found(read, "path") != nullptr, path);
    CHECK(found(read, "path")->at == "/tasks/0/files/0/path");
  }
  for (const std::string path : {".gitignore", "a..b/c", "src/", "**/*.cpp", ".github/x.yml"}) {
    CHECK_MESSAGE(read_plan(plan(task("T1", "", path))).plan, path);
  }
  const PlanReading touched =
      read_plan(plan(task("T1", "", "docs/a.md"), R"("constraints": {"do_not_touch": ["docs/"]}, )"));
  CHECK(found(touched, "do-not-touch") != nullptr);
}

TEST_CASE("workflow plan: 50 tasks are a plan, 51 are none") {
  std::string tasks;
  for (int i = 1; i <= 51; ++i) {
    if (i == 51) {
      CHECK(read_plan(plan(tasks)).plan);
    }
    tasks += (i == 1 ? "" : ",") + task("T" + std::to_string(i));
  }
  CHECK(found(read_plan(plan(tasks)), "maxItems") != nullptr);
}

TEST_CASE("workflow plan: tasks come in waves, and one that writes what another writes waits for it") {
  const PlanReading read = read_plan(plan(task("T1") + "," + task("T2", "", "src/T1.cpp") + "," + task("T3") + "," +
                                          task("T4", R"("after": ["T2"])")));
  REQUIRE(read.plan);
  CHECK(ids(*read.plan, 2) == Waves{{"T1", "T3"}, {"T2"}, {"T4"}});
  CHECK(ids(*read.plan, 1) == Waves{{"T1"}, {"T2"}, {"T3"}, {"T4"}});
  // Two that write the same, of which the earlier waits for the later by its own word: no circle comes of it.
  const PlanReading back =
      read_plan(plan(task("T1", R"("after": ["T2"])", "src/") + "," + task("T2", "", "src/a.cpp")));
  REQUIRE(back.plan);
  CHECK(ids(*back.plan, 2) == Waves{{"T2"}, {"T1"}});
  // Reading what another writes makes nobody wait.
  Plan reads = *back.plan;
  reads.tasks[0].after.clear();
  reads.tasks[0].files[0].access = Access::read;
  CHECK(ids(reads, 2) == Waves{{"T1", "T2"}});
}

TEST_CASE("workflow plan: waves of seeded plans keep `after`, never overlap, and hold every task once") {
  std::uint32_t seed = 7;
  const auto next = [&](std::uint32_t n) {
    seed = seed * 1664525U + 1013904223U;
    return (seed >> 16U) % n;
  };
  for (int round = 0; round < 300; ++round) {
    Plan made;
    const std::uint32_t size = 1 + next(20);
    for (std::uint32_t i = 0; i < size; ++i) {
      Task one;
      one.id = "T" + std::to_string(i);
      one.files.push_back({std::string("src/") + static_cast<char>('a' + next(6)) + ".cpp", Access::write});
      const std::uint32_t other = next(size);  // of a hidden order, so that no circle comes of it
      if (other != i && (other * 7 + 3) % 31 < (i * 7 + 3) % 31) {
        one.after.push_back("T" + std::to_string(other));
      }
      made.tasks.push_back(one);
    }
    std::set<std::string> done;
    for (const auto& wave : waves(made, 3)) {
      CHECK(wave.size() <= 3);
      std::set<std::string> files;
      for (const std::uint32_t i : wave) {
        for (const std::string& id : made.tasks[i].after) {
          CHECK(done.count(id) == 1);
        }
        CHECK(files.insert(made.tasks[i].files[0].path).second);
      }
      for (const std::uint32_t i : wave) {
        CHECK(done.insert(made.tasks[i].id).second);
      }
    }
    CHECK(done.size() == size);
  }
}

TEST_CASE("workflow plan: whether two patterns may have a file in common") {
  CHECK(may_overlap("src/a.cpp", "src/a.cpp"));
  CHECK(may_overlap("src/", "src/a.cpp"));
  CHECK(may_overlap("src/*.cpp", "src/a*"));
  CHECK(may_overlap("**/*.md", "docs/"));
  CHECK(may_overlap("**", "x"));
  CHECK(!may_overlap("src/a.cpp", "src/b.cpp"));
  CHECK(!may_overlap("src/*.cpp", "src/sub/*.cpp"));
  CHECK(!may_overlap("src/*.cpp", "src/*.hpp"));
  CHECK(!may_overlap("src/**", "docs/**"));
}

TEST_CASE("workflow plan: one task from a line of text and globs") {
  const std::vector<std::string> globs = {"src/**", "docs/a.md"};
  const auto one = plan_of_one("Make --version say the version", globs);
  REQUIRE(one);
  CHECK(one.value().slug == "make-version-say-the-version");
  CHECK(one.value().tasks.size() == 1);
  CHECK(one.value().tasks[0].written() == globs);
  CHECK(one.value().tasks[0].acceptance[0].text == "Make --version say the version");
  CHECK(plan_of_one("x", {}).value().tasks[0].written() == std::vector<std::string>{"**"});
  CHECK(!plan_of_one("  ", globs));
  const std::vector<std::string> bad = {"../x"};
  CHECK(plan_of_one("x", bad).error().message == "'../x' has '..': it must not leave the repository");
}

TEST_CASE("workflow contracts: all are read, and the task of a plan is the contract task") {
  const std::set<std::string_view> expected = {"plan",
                                               "task",
                                               "developer-output",
                                               "review",
                                               "plan-review",
                                               "decomposition",
                                               "checkpoint",
                                               "escalation",
                                               "sop",
                                               "convention",
                                               "tool-list-files",
                                               "tool-read-file",
                                               "tool-search",
                                               "tool-edit-files",
                                               "tool-run-gates",
                                               "tool-note-decision",
                                               "tool-note-met",
                                               "tool-submit-work"};
  std::set<std::string_view> names;
  for (const auto& one : workflow_contracts()) {
    names.insert(one.name);
    CHECK_MESSAGE(workflow_contract(one.name).warnings().empty(), one.name);
  }
  CHECK(names == expected);
  plumb::json::Arena arena;
  const auto whole = plumb::json::parse(workflow_contract("plan").text(), arena).value();
  const auto alone = plumb::json::parse(workflow_contract("task").text(), arena).value();
  const auto& within = *whole.find("properties")->find("tasks")->find("items");
  for (const auto& member : alone.find("properties")->object()) {
    if (member.key != "after") {
      CHECK_MESSAGE(plumb::json::equal(member.value, *within.find("properties")->find(member.key)), member.key);
    }
  }
  CHECK(plumb::json::equal(*alone.find("required"), *within.find("required")));
}

TEST_CASE("workflow states: a task moves as this table says and in no other way") {
  std::string drawn;
  for (std::size_t from = 0; from < task_states; ++from) {
    drawn += std::string(state_name(static_cast<TaskState>(from))) + ":";
    for (std::size_t to = 0; to < task_states; ++to) {
      const Move* const move = may_move(static_cast<TaskState>(from), static_cast<TaskState>(to));
      drawn += move != nullptr ? " " + std::string(state_name(static_cast<TaskState>(to))) : "";
    }
    drawn += "\n";
  }
  CHECK(drawn ==
        "draft: ready rejected\n"
        "ready: developing rejected escalated halted failed\n"
        "developing: developing gating rejected escalated halted failed\n"
        "gating: developing reviewing escalated halted failed\n"
        "reviewing: ready developing approved rejected escalated halted failed\n"
        "approved: developing escalated halted landed\n"
        "rejected:\n"
        "escalated: developing approved rejected halted\n"
        "halted: ready\n"
        "failed:\n"
        "landed:\n");
  std::set<std::pair<TaskState, TaskState>> once;
  for (const Move& move : moves()) {
    CHECK(once.insert({move.from, move.to}).second);
    CHECK(!move.when.empty());
  }
  // From every state an end is within reach.
  for (std::size_t from = 0; from < task_states; ++from) {
    std::set<TaskState> reached = {static_cast<TaskState>(from)};
    for (std::size_t before = 0; before != reached.size();) {
      before = reached.size();
      for (const Move& move : moves()) {
        if (reached.count(move.from) != 0) {
          reached.insert(move.to);
        }
      }
    }
    CHECK(std::any_of(reached.begin(), reached.end(), is_over));
  }
  CHECK(state_named("gating") == TaskState::gating);
  CHECK(!state_named("done"));
}

TEST_CASE("path_fits: ** with a slash stands for whole folders") {
  CHECK(plumb::budget::path_fits("**/test_*.py", "a/b/test_x.py"));
  CHECK(plumb::budget::path_fits("**/test_*.py", "test_x.py"));
  CHECK(!plumb::budget::path_fits("**/test_*.py", "a/mytest_x.py"));
  CHECK(!plumb::budget::path_fits("**/x", "abx"));
  CHECK(plumb::budget::path_fits("a/**/b/*.c", "a/x/y/b/z.c"));
  CHECK(plumb::budget::path_fits("src/**", "src/a/b"));
  CHECK(plumb::budget::path_fits("**/*", "a/b"));
}
