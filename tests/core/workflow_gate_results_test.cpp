#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/json/arena.hpp"
#include "core/json/writer.hpp"
#include "core/workflow/failure.hpp"
#include "core/workflow/gate_results.hpp"

using namespace plumb::workflow;
using Texts = std::vector<std::string>;

namespace {

Gate gate(std::string name, bool required = true, Texts after = {}) {
  Gate out;
  out.name = std::move(name);
  out.argv = {"x"};
  out.required = required;
  out.after = std::move(after);
  return out;
}

GateResult result(const Gate& of, const std::string& reply, std::optional<std::string_view> report = {},
                  std::string_view status = "ok", std::string_view error = {},
                  plumb::Reason reason = plumb::Reason::none) {
  plumb::json::Arena arena;
  const plumb::json::Value value = plumb::json::parse(reply, arena).value();
  return gate_result(of, {status, &value, error, 0, reason}, report);
}

GateResult ended(const Gate& of, int code, const std::string& output = "") {
  std::string reply;
  plumb::json::Writer json(reply);
  json.begin_object().member("end", "exited").key("exit_code").integer(code);
  json.member("stdout", output).member("stderr", "").member_uint("duration_ms", 1234).end_object();
  return result(of, reply);
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string junit(int tests, int failing = 0, int skipped = 0) {
  std::string out = "<?xml version=\"1.0\"?>\n<testsuites><testsuite name=\"s\" tests=\"999\">";
  for (int i = 0; i < tests; ++i) {
    out += "<testcase classname=\"s\" name=\"t" + std::to_string(i) + "\">";
    out += i < failing ? "<failure message=\"no\">x</failure>" : i < failing + skipped ? "<skipped/>" : "";
    out += "</testcase>";
  }
  return out + "</testsuite></testsuites>";
}

TestCounts counts(const std::string& xml) { return read_junit(xml).value(); }
std::string refused(std::string_view xml) {
  const auto read = read_junit(xml);
  return read ? "read" : read.error().message;
}

}  // namespace

TEST_CASE("junit: counts are those of the test cases, whatever a suite says of itself") {
  const TestCounts read = counts(junit(12, 2, 3));
  CHECK(read.tests == 12);
  CHECK(read.failed == 2);
  CHECK(read.skipped == 3);
  CHECK(read.ran() == 9);
  CHECK(read.failing == Texts{"s.t0", "s.t1"});
}

TEST_CASE("junit: reports of ctest, pytest and gtest are read") {
  // As ctest 3.25 --output-junit wrote it.
  const TestCounts ctest = counts(R"xml(<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="(empty)" tests="3" failures="1" disabled="1" skipped="0" hostname="" time="0">
  <testcase name="good" classname="good" time="0.00254719" status="run">
    <system-out></system-out>
  </testcase>
  <testcase name="bad" classname="bad" time="0.00182796" status="fail">
    <failure message=""/>
    <system-out>a &lt;failure/&gt; in the output, and <![CDATA[</testcase><failure>]]></system-out>
  </testcase>
  <testcase name="off" classname="off" time="0" status="disabled"/>
</testsuite>)xml");
  CHECK(ctest.tests == 3);
  CHECK(ctest.failing == Texts{"bad"});
  CHECK(ctest.skipped == 1);
  const TestCounts pytest =
      counts(R"(<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" errors="1"
 failures="0" skipped="1" tests="3" time="0.031"><testcase classname="test_a" name="test_&quot;x&#39;&#x41;&quot;"
 time="0.001" /><testcase classname="test_a" name="skip" time='0'><skipped type="pytest.skip"
 message="why">a.py:1: why</skipped></testcase>
 <testcase classname="test_a" name="boom"><error message="&amp;">trace</error></testcase></testsuite></testsuites>)");
  CHECK(pytest.tests == 3);
  CHECK(pytest.skipped == 1);
  CHECK(pytest.failing == Texts{"test_a.boom"});
  const TestCounts gtest =
      counts(R"(<testsuites tests="2"><testsuite name="A"><testcase name="x" status="run" result="completed"
    classname="A"/><testcase name="y" status="run" result="skipped" classname="A"><skipped message="m"/></testcase>
    </testsuite></testsuites>)");
  CHECK(gtest.ran() == 1);
}

TEST_CASE("junit: entity bombs, cut reports and what is no report are refused with the line") {
  CHECK(has(
      refused("<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [<!ENTITY lol \"lol\"><!ENTITY a \"&lol;&lol;\">]><x>&a;</x>"),
      "line 2 of the report: a DOCTYPE is not read"));
  CHECK(has(refused("<a>\n<b>"), "line 2 of the report: <b> is not closed: the report is cut off"));
  CHECK(has(refused("<a></b>"), "</b> closes nothing"));
  CHECK(has(refused("hello"), "there is no element"));
  CHECK(has(refused("<a x>"), "has no value"));
  CHECK(has(refused("<a x='1>"), "is not closed"));
  CHECK(has(refused("<![CDATA[x"), "is not closed"));
  std::string deep;
  for (int i = 0; i < 100; ++i) {
    deep += "<a>";
  }
  CHECK(has(refused(deep), "more than 64 deep"));
  const std::string whole = junit(5, 1, 1);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CHECK(!read_junit(std::string_view(whole).substr(0, size)));
  }
}

TEST_CASE("junit: a suite that counts failures fails, though no test case has one") {
  constexpr const char* cases = "<testcase name='a'/><testcase name='b'/></testsuite>";
  CHECK(counts(std::string("<testsuite failures='1' errors='1'>") + cases).failed == 2);
  CHECK(counts(std::string("<testsuite name='s' errors='1'>") + cases).failing == Texts{"s"});
  CHECK(counts(std::string("<testsuites failures='3'><testsuite failures='0'>") + cases + "</testsuites>").failed == 3);
  CHECK(counts(std::string("<testsuite failures='0' errors='many'>") + cases).failed == 0);
  CHECK(counts("<testsuite failures='2'><testcase name='a'><failure/></testcase></testsuite>").failed == 1);
}

TEST_CASE("junit: what got worse is told with both numbers") {
  CHECK(worse_than(counts(junit(12)), counts(junit(11))) == Texts{"11 tests ran, 12 ran before"});
  CHECK(worse_than(counts(junit(12)), counts(junit(12, 0, 1))) ==
        Texts{"11 tests ran, 12 ran before", "1 is skipped, none were before"});
  CHECK(worse_than(counts(junit(3, 0, 1)), counts(junit(5, 0, 2))) == Texts{"2 are skipped, 1 was before"});
  CHECK(worse_than(counts(junit(12)), counts(junit(13))).empty());
  CHECK(worse_than(counts(junit(1)), TestCounts()) == Texts{"no test ran, 1 ran before"});
}

TEST_CASE("failures: two runs of the same failure have one fingerprint") {
  const std::pair<std::string_view, std::string_view> same[] = {
      {"--- FAIL: TestA (0.00s)\n    a_test.go:12: got 3\nFAIL\texample.com/x\t0.004s",
       "--- FAIL: TestA (1.20s)\n    a_test.go:14: got 3\nFAIL\texample.com/x\t1.3s"},
      {"/srv/trees/r1/T1/src/a.cpp:12:5: error: expected ';'", "/srv/trees/r2/T9/src/a.cpp:13:7: error: expected ';'"},
      {"==1234== at 0x4012F6: main", "==99== at 0xdeadbeef: main"},
      {"2024-01-02T10:11:12.345Z failed in 3.21 seconds", "2025-11-22T23:01:00Z failed in 4 seconds"},
      {"pid 1234: port 40123 in use", "pid 77: port 8080 in use"},
      {"\x1B[31mred\x1B[0m  x", "red x\r"},
      {"commit 3f2a9c1d77 is bad", "commit 00aa9c1d00 is bad"},
      {"/usr/bin/ld: /tmp/ccAbC123.o: undefined", "/usr/bin/ld: /tmp/ccXyZ987.o: undefined"},
      {"  File \"/a/b/x.py\", line 12, in f", "  File \"/c/x.py\", line 99, in f"},
      {"Total Test time (real) =   0.01 sec", "Total Test time (real) = 12.5 sec"},
      {"took 1m2.5s", "took 3.1s"},
  };
  for (const auto& pair : same) {
    const std::string_view a = pair.first, b = pair.second;
    const std::string shown = plain_output(a) + "|" + plain_output(b);
    CHECK_MESSAGE(failure_fingerprint("t", 1, a) == failure_fingerprint("t", 1, b), shown);
  }
}

TEST_CASE("failures: others have other fingerprints") {
  const std::pair<std::string_view, std::string_view> other[] = {
      {"expected 3, got 4", "expected 3, got 5"},
      {"a.cpp:1: error: expected ';'", "b.cpp:1: error: expected ';'"},
      {"TestA failed", "TestB failed"},
      {"2 tests failed", "3 tests failed"},
      {"version 1.2", "version 1.3"},
      {"0 of 4 cases", "1 of 4 cases"},
      {"deadline", "feedback"},
  };
  for (const auto& pair : other) {
    const std::string_view a = pair.first, b = pair.second;
    CHECK_MESSAGE(failure_fingerprint("t", 1, a) != failure_fingerprint("t", 1, b), plain_output(a));
  }
  CHECK(failure_fingerprint("t", 1, "x") != failure_fingerprint("t", 2, "x"));
  CHECK(failure_fingerprint("t", 1, "x") != failure_fingerprint("u", 1, "x"));
}

TEST_CASE("failures: equal ones of different trees are counted, and one tree counts once") {
  std::vector<Failure> all = {{"a", "1"}, {"b", "2"}, {"a", "1"}};
  CHECK(equal_failures(all) == 1);
  all.push_back({"a", "3"});
  CHECK(equal_failures(all) == 2);
  all.push_back({"a", "4"});
  CHECK(equal_failures(all) == 3);
  CHECK(equal_failures({}) == 0);
}

TEST_CASE("workflow gates: each way to fail has words of its own") {
  const Gate test = gate("test");
  CHECK(ended(test, 0).passed());
  CHECK(ended(test, 0).words == "gate 'test' passed after 1.2 s");
  CHECK(ended(test, 2).words == "gate 'test' failed with exit code 2 after 1.2 s");
  const GateResult late = result(test, R"({"end": "timed_out", "exit_code": -1, "stdout": "", "stderr": ""})");
  CHECK(late.outcome == GateOutcome::timed_out);
  CHECK(late.words == "gate 'test' was not done in its time of 300.0 s");
  CHECK(gate_result(test, {"timed_out", nullptr, {}, 1500}).words ==
        "gate 'test' was not done in the 1.5 s that were left of the time of all gates (`times: {gates: 30m}`)");
  const GateResult killed = result(test, R"({"end": "signalled", "exit_code": -1, "signal": 9, "duration_ms": 5})");
  CHECK(killed.outcome == GateOutcome::killed);
  CHECK(killed.words == "gate 'test' was killed by signal 9 after 5 ms");
  CHECK(killed.exit_code == -1);
  const std::string no_go = "the command 'test': there is no program 'go' in PATH";
  const GateResult absent = result(test, "{}", {}, "failed", no_go, plumb::Reason::no_program);
  CHECK(absent.outcome == GateOutcome::not_found);
  CHECK(absent.words == "gate 'test': its command is not found: the command 'test': there is no program 'go' in PATH");
  CHECK(result(test, "{}", {}, "failed", no_go).outcome == GateOutcome::not_started);  // words decide nothing
  CHECK(result(test, "{}", {}, "interrupted").outcome == GateOutcome::lost);
  Gate shell = test;
  shell.shell = true;
  CHECK(ended(shell, 127).outcome == GateOutcome::not_found);
  CHECK(ended(test, 127).outcome == GateOutcome::failed);
  CHECK(result(test, R"({"end": "too_much_output"})").outcome == GateOutcome::too_much_output);
}

TEST_CASE("workflow gates: a result is written and read again") {
  Gate test = gate("test");
  test.report = "junit.xml";
  const std::string report = junit(4, 1);
  const GateResult one = result(test, R"({"end": "exited", "exit_code": 8, "stdout": "o", "stderr": "e"})", report);
  CHECK(one.output == "o\ne");
  CHECK(one.words == "gate 'test' failed with exit code 8 after 0 ms: 4 tests ran, 1 failed");
  std::string text;
  plumb::json::Writer json(text);
  write_gate_result(json, one);
  plumb::json::Arena arena;
  const auto again = read_gate_result(plumb::json::parse(text, arena).value());
  REQUIRE(again);
  std::string second;
  plumb::json::Writer writer(second);
  write_gate_result(writer, again.value());
  CHECK(second == text);
}

TEST_CASE("workflow gates: one whose `after` failed is skipped, and one retry is told all that can be told") {
  const Gate build = gate("build"), lint = gate("lint", false), test = gate("test", true, {"build"});
  std::vector<GateResult> results = {ended(build, 1, "a.cpp:1: error ``` here"), ended(lint, 3, "style")};
  CHECK(held_up_by(test, results) == "build");
  results.push_back(skipped_gate(test, "build"));
  const GatesVerdict verdict = judge_gates(results);
  CHECK(!verdict.passed);
  CHECK(verdict.failed == Texts{"build", "test"});
  CHECK(verdict.warnings == Texts{"gate 'lint' failed with exit code 3 after 1.2 s"});
  CHECK(has(verdict.feedback,
            "## gate 'build' failed with exit code 1 after 1.2 s\n\n````\na.cpp:1: error ``` here\n````\n"));
  CHECK(has(verdict.feedback, "gate 'test' was skipped: it comes after 'build'"));
  CHECK(!held_up_by(test, std::vector{ended(build, 0)}));
  CHECK(!held_up_by(test, {}));  // what changed does not call for `build`
}

TEST_CASE("workflow gates: the middle of a long output is left out, with its size, and the complaint stays") {
  std::string output = "first\n";
  for (int i = 0; i < 5'000; ++i) {
    output += "line " + std::to_string(i) + " \xC3\xA4\n";
  }
  const GatesVerdict verdict = judge_gates(std::vector{ended(gate("t"), 1, output + "last words\n")}, 2'000);
  CHECK(verdict.feedback.size() < 2'500);
  CHECK(has(verdict.feedback, "first\n"));
  CHECK(has(verdict.feedback, "bytes left out ...]"));
  CHECK(has(verdict.feedback, "last words\n```"));
}

TEST_CASE("workflow gates: none configured is told, and a lost one counts for nobody") {
  CHECK(judge_gates({}).passed);
  CHECK(judge_gates({}).warnings == Texts{"No gates are configured. Structural validation skipped."});
  const GatesVerdict lost = judge_gates(std::vector{result(gate("t"), "{}", {}, "interrupted")});
  CHECK(!lost.passed);
  CHECK(lost.lost);
  CHECK(lost.failed.empty());
}

TEST_CASE("workflow gates: one that fails before any change refuses the tasks that do not name it") {
  Task task;
  task.id = "T1";
  const std::vector<GateResult> base = {ended(gate("test"), 1), ended(gate("lint", false), 1)};
  const auto why = refused_by_base(task, base, BaseFailures::refuse);
  REQUIRE(why);
  CHECK(*why ==
        "gate 'test' fails before any change (exit code 1): name it in the 'fixes' of task T1, make it optional "
        "(required: false), or let it be with --base-failures warn");
  CHECK(!refused_by_base(task, base, BaseFailures::warn));
  task.fixes = {"test"};
  CHECK(!refused_by_base(task, base, BaseFailures::refuse));
}

TEST_CASE("workflow gates: a report with fewer tests than before fails the gate though it ended with 0") {
  Gate test = gate("test");
  test.report = "junit.xml";
  const std::string good = R"({"end": "exited", "exit_code": 0, "stdout": "", "stderr": ""})";
  const std::string twelve = junit(12), eleven = junit(11);
  const std::vector<GateResult> base = {result(test, good, twelve)};
  const auto now = against_base(Task(), base, {result(test, good, eleven)}, BaseFailures::refuse);
  CHECK(now[0].outcome == GateOutcome::fewer_tests);
  CHECK(now[0].words == "gate 'test' ended with 0, but 11 tests ran, 12 ran before");
  CHECK(!judge_gates(now).passed);
  // Where the task names tests there may be fewer, and the words say so; where nobody knows the base, they say that.
  AgainstBase named(BaseFailures::refuse);
  named.tests_named = named.unknown_told = true;
  const GateResult fewer = against_base(Task(), base, {result(test, good, eleven)}, named)[0];
  CHECK(fewer.passed());
  CHECK(fewer.words.ends_with("; 11 tests ran, 12 ran before, and the task names tests"));
  CHECK(against_base(Task(), {}, {result(test, good, eleven)}, named)[0].words.ends_with(
      "; how many ran before the change is not known"));
  CHECK(against_base(Task(), base, {result(test, good, twelve)}, BaseFailures::refuse)[0].passed());
}

TEST_CASE("workflow gates: a report decides with the exit code, and did not in runs of version 1") {
  Gate test = gate("test");
  test.report = "r.xml";
  const std::string good = R"({"end": "exited", "exit_code": 0, "stdout": "", "stderr": ""})";
  const auto of = [&](std::optional<std::string_view> report, Reports reports = Reports::decide) {
    plumb::json::Arena arena;
    const auto value = plumb::json::parse(good, arena).value();
    return gate_result(test, {"ok", &value}, report, reports);
  };
  const std::string some = junit(3), failed = junit(3, 1), none = "<testsuite/>";
  CHECK(of(some).passed());
  CHECK(of(std::nullopt).words == "gate 'test' ended with 0, but it left no report r.xml");
  CHECK(of(none).words == "gate 'test' ended with 0, but its report r.xml tells of no test that ran");
  CHECK(of(failed).words == "gate 'test' ended with 0, but its report r.xml tells of 1 failed test");
  for (const auto& report : {std::optional<std::string_view>(), std::optional<std::string_view>(none),
                             std::optional<std::string_view>(failed), std::optional<std::string_view>("nothing")}) {
    CHECK(of(report).outcome == GateOutcome::bad_report);
    CHECK(!of(report).fingerprint.empty());
    CHECK(of(report, Reports::told).passed());
  }
}

TEST_CASE("workflow gates: with --base-failures warn nothing may get worse") {
  Gate test = gate("test");
  const std::vector<GateResult> base = {ended(test, 1, "TestA failed (0.1s)")};
  const auto judged = [&](const GateResult& now, Texts fixes = {}) {
    Task task;
    task.fixes = std::move(fixes);
    return judge_gates(against_base(task, base, {now}, BaseFailures::warn)).passed;
  };
  CHECK(judged(ended(test, 1, "TestA failed (0.3s)")));
  CHECK(!judged(ended(test, 1, "TestB failed (0.1s)")));
  CHECK(!judged(ended(test, 1, "TestA failed (0.3s)"), {"test"}));
  // Without a report nobody knows whether what is missing was mended or not run: a failure that says less is another
  // one.
  CHECK(!judged(ended(test, 1, "")));
  test.report = "r.xml";
  const std::string bad = R"({"end": "exited", "exit_code": 1, "stdout": "", "stderr": ""})";
  const std::string two = junit(5, 2), one = junit(5, 1), three = junit(5, 3);
  const std::vector<GateResult> counted = {result(test, bad, two)};
  const auto counted_passes = [&](const std::string& report) {
    return judge_gates(against_base(Task(), counted, {result(test, bad, report)}, BaseFailures::warn)).passed;
  };
  CHECK(counted_passes(one));
  CHECK(counted_passes(two));
  CHECK(!counted_passes(three));
}

TEST_CASE("workflow gates: the next task begins with what was merged before it") {
  Gate test = gate("test");
  test.report = "r.xml";
  const std::string good = R"({"end": "exited", "exit_code": 0, "stdout": "", "stderr": ""})";
  const std::string bad = R"({"end": "exited", "exit_code": 1, "stdout": "", "stderr": ""})";
  const GateResult mended = result(test, good, junit(12)), two = result(test, bad, junit(12, 2)),
                   one = result(test, bad, junit(12, 1)), three = result(test, bad, junit(12, 3)),
                   less = result(test, good, junit(11));
  const auto after = [](const GateResult& before, const GateResult& whole) {
    return base_after(std::vector{before}, std::vector{whole}).front();
  };
  const auto passes = [](const GateResult& base, const GateResult& now) {
    return judge_gates(against_base(Task(), std::vector{base}, {now}, BaseFailures::warn)).passed;
  };
  CHECK(!refused_by_base(Task(), std::vector{after(two, mended)}, BaseFailures::refuse));
  CHECK(!passes(after(two, mended), two));
  CHECK(!passes(after(two, one), two));
  CHECK(passes(after(two, one), one));
  // A person has approved what fails more, or where it passed before: the base stays.
  CHECK(passes(after(two, three), two));
  CHECK(!passes(after(mended, one), one));
  CHECK(after(mended, one).passed());
  // A person has approved that tests went.
  CHECK(passes(after(mended, less), less));
  CHECK(after(two, skipped_gate(test, "build")).outcome == GateOutcome::failed);
  CHECK(base_after(std::vector{two}, {}).size() == 1);
}
