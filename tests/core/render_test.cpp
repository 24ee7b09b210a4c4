#include "core/contract/render.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "core/contract/explain.hpp"
#include "core/contract/render_place.hpp"

using namespace plumb::contract;

namespace {

Finding finding_of(std::string rule, std::string at, std::string message) {
  Finding finding;
  finding.rule = std::move(rule);
  finding.at = std::move(at);
  finding.message = std::move(message);
  finding.schema_location = "/" + finding.rule;
  return finding;
}

// The verdict of design and reference: a quiz whose first question has three options.
Verdict quiz_verdict() {
  Verdict verdict;
  verdict.contract = "quiz";
  verdict.hash = "sha256:00";
  verdict.decision = Decision::revise;
  Finding finding = finding_of("minItems", "/questions/0/options", "Question 1: Must have at least 4 options (has 3)");
  finding.item = "Question 1";
  finding.provided = "3 items";
  finding.requirement = "at least 4 items";
  finding.schema_location = "/properties/questions/items/properties/options/minItems";
  finding.decided_at = 179;
  finding.span = {87, 179, 87, 179, 5, 18, 9, 8};
  verdict.findings.push_back(finding);
  return verdict;
}

// Holds no error: one warning and one info finding, and a shadowed error.
Verdict mixed_verdict() {
  Verdict verdict;
  verdict.contract = "brief";
  verdict.hash = "sha256:01";
  verdict.valid = true;
  verdict.decision = Decision::accept_with_warnings;
  Finding warning = finding_of("avoids", "/goal", "Goal is vague");
  warning.severity = Severity::warning;
  warning.finding_class = FindingClass::meaning;
  warning.action = "Name the screen.";
  warning.span = {10, 20, 10, 20, 2, 3, 2, 13};
  Finding info = finding_of("length", "/note", "Note is short");
  info.severity = Severity::info;
  info.span = {30, 33, 30, 33, 3, 3, 3, 6};
  Finding shadowed = finding_of("minLength", "/goal", "Never shown");
  shadowed.id = 3;
  shadowed.shadowed_by = 1;
  verdict.findings = {warning, info, shadowed};
  return verdict;
}

TextStyle plain() { return {}; }

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("render: a verdict is JSON with the members of the reference in their order") {
  const std::string expected =
      R"({"contract":"quiz","hash":"sha256:00","valid":false,"decision":"revise","findings":[{"rule":"minItems",)"
      R"("severity":"error","at":"/questions/0/options","item":"Question 1",)"
      R"-("message":"Question 1: Must have at least 4 options (has 3)","provided":"3 items",)-"
      R"("requirement":"at least 4 items",)"
      R"("schemaLocation":"/properties/questions/items/properties/options/minItems","decidedAt":179,)"
      R"("span":{"from":87,"to":179,"line":5,"column":18,"utf16From":87,"utf16To":179,"lineTo":9,"columnTo":8}}],)"
      R"("edits":[],"undecided":[],"scorecard":[],"labels":{}})";
  CHECK(verdict_json(quiz_verdict()) == expected);
  CHECK(verdict_json(quiz_verdict(), "a.json") == R"({"file":"a.json",)" + expected.substr(1));
  CHECK(render_jsonl({"a.json", quiz_verdict()}) == R"({"file":"a.json",)" + expected.substr(1) + "\n");
}

TEST_CASE("render: what a finding may carry is written after the members that each has, in camelCase") {
  Finding finding = finding_of("enum", "/a", "m\n\"");
  finding.id = 7;
  finding.finding_class = FindingClass::reference;
  finding.allowed = {"\"x\"", "1e400"};
  finding.property = "p";
  finding.action = "Do this.";
  finding.wants_context = "context:/q";
  finding.blocks = true;
  finding.shadowed_by = 4;
  finding.causes = {finding_of("type", "/a", "c")};
  CHECK(finding_json(finding) ==
        R"({"rule":"enum","severity":"error","at":"/a","message":"m\n\"","schemaLocation":"/enum","decidedAt":0,)"
        R"("span":{"from":0,"to":0,"line":1,"column":1,"utf16From":0,"utf16To":0,"lineTo":1,"columnTo":1},)"
        R"("id":7,"class":"reference","allowed":["x",1e400],"property":"p","action":"Do this.",)"
        R"("wantsContext":"context:/q","blocks":true,"shadowedBy":4,"causes":[)"
        R"({"rule":"type","severity":"error","at":"/a","message":"c","schemaLocation":"/type","decidedAt":0,)"
        R"("span":{"from":0,"to":0,"line":1,"column":1,"utf16From":0,"utf16To":0,"lineTo":1,"columnTo":1}}]})");
}

TEST_CASE("render: a partial finding says so and has no message yet") {
  Finding finding = finding_of("maxLength", "/a", "");
  finding.id = 1;
  finding.partial = true;
  const std::string json = finding_json(finding);
  CHECK(contains(json, R"("id":1,"partial":true})"));
  CHECK_FALSE(contains(json, "message"));
  finding.partial = false;
  CHECK(contains(finding_json(finding), R"("message":"")"));
  CHECK_FALSE(contains(finding_json(finding), "partial"));
}

TEST_CASE("render: causes are written to a bounded depth") {
  Finding finding = finding_of("anyOf", "", "m");
  for (int i = 0; i < 100; ++i) {
    Finding outer = finding_of("anyOf", "", "m");
    outer.causes.push_back(std::move(finding));
    finding = std::move(outer);
  }
  std::size_t written = 0;
  const std::string json = finding_json(finding);
  for (std::size_t at = json.find("\"rule\""); at != std::string::npos; at = json.find("\"rule\"", at + 1)) {
    ++written;
  }
  CHECK(written == 9);
}

TEST_CASE("render: undecided rules, scorecard, labels, signals and counted findings have their place in the JSON") {
  Verdict verdict;
  verdict.contract = "c";
  verdict.decision = Decision::undecided;
  verdict.valid = true;
  verdict.more = {{"type", 12}};
  verdict.undecided = {
      {"query-novel", "/query", "/rules/0", "", "context:/history/*/query", "Nothing to compare with."},
      {"answerable", "/questions/0", "/rules/1", "Can it be answered?", "", ""}};
  verdict.scorecard = {{"one", "One", "/a", Outcome::broken, false, true, "Fix it.", "", 0, 0},
                       {"two", "", "", Outcome::undecided, true, false, "", "", 0, 0}};
  verdict.labels = {{"novelty", "new"}, {"novelty", "duplicate"}, {"a\"b", "x"}};
  verdict.signals = {{"degenerate", "white space", 4096}};
  CHECK(verdict_json(verdict) ==
        R"({"contract":"c","hash":"","valid":true,"decision":"undecided","findings":[],"more":{"type":12},"edits":[],)"
        R"("undecided":[{"rule":"query-novel","at":"/query","schemaLocation":"/rules/0",)"
        R"("wantsContext":"context:/history/*/query","reason":"Nothing to compare with."},)"
        R"({"rule":"answerable","at":"/questions/0","schemaLocation":"/rules/1","ask":"Can it be answered?"}],)"
        R"("scorecard":[{"id":"one","title":"One","at":"/a","outcome":"broken","blocks":true,"action":"Fix it."},)"
        R"({"id":"two","at":"","outcome":"undecided","asks":true}],"labels":{"novelty":"new","a\"b":"x"},)"
        R"("signals":[{"kind":"degenerate","detail":"white space","atByte":4096}]})");
}

TEST_CASE("render: one JSON document holds every verdict on a line of its own and a summary") {
  const std::string one = verdict_json(quiz_verdict(), "a.json");
  const std::string two = verdict_json(mixed_verdict(), "b.json");
  CHECK(render_json({{"a.json", quiz_verdict()}, {"b.json", mixed_verdict()}}) ==
        "{\"verdicts\":[\n" + one + ",\n" + two +
            "\n],\"summary\":{\"artifacts\":2,\"valid\":1,\"invalid\":1,\"undecided\":0,\"errors\":1,\"warnings\":1,"
            "\"infos\":1}}\n");
  CHECK(render_json({}) ==
        "{\"verdicts\":[],\"summary\":{\"artifacts\":0,\"valid\":0,\"invalid\":0,\"undecided\":0,\"errors\":0,"
        "\"warnings\":0,\"infos\":0}}\n");
}

TEST_CASE("render: text has one line a finding with the message first, then place and rule") {
  CHECK(render_text({"quiz.json", quiz_verdict()}, plain()) ==
        "❌ quiz.json (quiz) 1 error → revise\n"
        "  ✗ Question 1: Must have at least 4 options (has 3)  quiz.json:5:18  minItems\n");
}

TEST_CASE("render: text aligns places, leaves shadowed findings out and shows an action below its finding") {
  CHECK(render_text({"b.json", mixed_verdict()}, plain()) ==
        "⚠️  b.json (brief) 1 warning, 1 info → accept_with_warnings\n"
        "  ⚠ Goal is vague  b.json:2:3  avoids\n"
        "    → Name the screen.\n"
        "  ℹ Note is short  b.json:3:3  length\n");
  Verdict verdict = quiz_verdict();
  Finding wide = verdict.findings[0];
  wide.message = "日本";
  verdict.findings.push_back(wide);
  verdict.findings[0].message = "abcdef";
  CHECK(render_text({"q", verdict}, plain()) ==
        "❌ q (quiz) 2 errors → revise\n"
        "  ✗ abcdef  q:5:18  minItems\n"
        "  ✗ 日本    q:5:18  minItems\n");
}

TEST_CASE("render: an accepted artifact is one line of text") {
  Verdict verdict;
  verdict.contract = "quiz";
  verdict.valid = true;
  verdict.decision = Decision::accept;
  verdict.undecided = {{"answerable", "", "/rules/0", "Can it be answered?", "", "Left to a judge."}};
  verdict.scorecard = {{"answerable", "Answerable", "", Outcome::undecided, true, false, "", "", 0, 0}};
  CHECK(render_text({"quiz.json", verdict}, plain()) == "✅ quiz.json (quiz)\n");
  CHECK(render_text({"-", verdict}, plain()) == "✅ stdin (quiz)\n");
}

TEST_CASE("render: text tells counted findings, causes, missing context, signals and the scorecard") {
  Verdict verdict = quiz_verdict();
  Finding any = finding_of("anyOf", "", "Fits no branch");
  for (int i = 0; i < 5; ++i) {
    any.causes.push_back(finding_of("type", "", "cause " + std::to_string(i)));
  }
  any.causes[0].causes = {finding_of("const", "", "deeper")};
  any.blocks = true;
  verdict.decision = Decision::block;
  verdict.findings = {any};
  verdict.more = {{"type", 240}};
  verdict.undecided = {{"novel", "/query", "/rules/0", "", "context:/history/*/query", "There is no history"}};
  verdict.signals = {{"degenerate", "white space without end", 4096}};
  verdict.scorecard = {{"one", "Objective is concrete", "", Outcome::holds, false, false, "", "", 0, 0},
                       {"two", "", "/a", Outcome::broken, false, false, "", "", 0, 0},
                       {"three", "Asked", "", Outcome::undecided, true, false, "", "", 0, 0}};
  CHECK(render_text({"q", verdict}, plain()) ==
        "❌ q (quiz) 1 error, 240 more not listed → block\n"
        "  ✗ Fits no branch  q:1:1  anyOf (blocks)\n"
        "    ↳ cause 0  q:1:1  type\n"
        "      ↳ deeper  q:1:1  const\n"
        "    ↳ cause 1  q:1:1  type\n"
        "    ↳ cause 2  q:1:1  type\n"
        "    … and 2 more causes\n"
        "  … and 240 more type\n"
        "  ? There is no history  wants context:/history/*/query  novel\n"
        "  ⚠ degenerate: white space without end  byte 4096\n"
        "  scorecard: ✓ Objective is concrete · ✗ two /a\n");
}

TEST_CASE("render: colours change nothing but colours") {
  TextStyle colored;
  colored.color = true;
  const std::string text = render_text({"b.json", mixed_verdict()}, colored);
  std::string stripped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = text.find('m', i);
    } else {
      stripped += text[i];
    }
  }
  CHECK(stripped == render_text({"b.json", mixed_verdict()}, plain()));
  CHECK(stripped != text);
  CHECK(contains(text, "\x1b[33m⚠\x1b[0m"));
  CHECK(contains(text, "\x1b[2mb.json:2:3\x1b[0m"));
}

TEST_CASE("render: with ascii nothing outside ASCII is printed, not even from the artifact") {
  TextStyle ascii;
  ascii.ascii = true;
  Verdict verdict = quiz_verdict();
  verdict.findings[0].message = "caf\u00e9 \U0001F600";
  const std::string text = render_text({"caf\u00e9.json", verdict}, ascii);
  CHECK(text ==
        "FAIL caf\\u00e9.json (quiz) 1 error -> revise\n"
        "  x caf\\u00e9 \\u{01f600}  caf\\u00e9.json:5:18  minItems\n");
}

TEST_CASE("render: a message can neither break its line nor command a terminal") {
  Verdict verdict = quiz_verdict();
  verdict.findings[0].message = "a\nb\x1b[31m\r\t\x7f\u202e\u2028\u009b";
  verdict.findings[0].message += "\xff";
  const std::string text = render_text({"a\nb", verdict}, plain());
  CHECK(contains(text, "a\\nb\\u001b[31m\\r\\t\\u007f\\u202e\\u2028\\u009b\xEF\xBF\xBD  a\\nb:5:18"));
  CHECK(std::count(text.begin(), text.end(), '\n') == 2);
}

TEST_CASE("render: the summary counts artifacts and findings of all files") {
  Verdict accepted;
  accepted.valid = true;
  accepted.decision = Decision::accept;
  Verdict open = accepted;
  open.decision = Decision::undecided;
  CHECK(render_text_summary({{"a", quiz_verdict()}, {"b", mixed_verdict()}, {"c", open}}, plain()) ==
        "❌ 1 of 3 artifacts invalid: 1 error, 1 warning, 1 info · 1 undecided\n");
  CHECK(render_text_summary({{"a", accepted}, {"b", accepted}}, plain()) == "✅ 2 artifacts valid\n");
  CHECK(render_text_summary({{"a", accepted}}, plain()) == "✅ 1 artifact valid\n");
  CHECK(render_text_summary({{"c", open}}, plain()) == "⚠️  1 artifact valid · 1 undecided\n");
}

TEST_CASE("render: an artifact on a line of JSON lines has its place in the file") {
  Verdict verdict = quiz_verdict();
  verdict.findings[0].span = {4, 9, 4, 9, 1, 5, 1, 10};
  CHECK(contains(render_text({"a.jsonl:3", verdict}, plain()), "  a.jsonl:3:5  minItems\n"));
  CHECK(contains(render_github({"a.jsonl:3", verdict}), "file=a.jsonl,line=3,col=5,endLine=3,endColumn=10"));
  const std::string sarif = render_sarif({{"a.jsonl:3", verdict}});
  CHECK(contains(sarif, R"("uri":"a.jsonl"},"region":{"startLine":3,"startColumn":5,"endLine":3,"endColumn":10}})"));
  CHECK_FALSE(contains(sarif, "byteOffset"));
  CHECK(place_of("a:b").path == "a:b");
  CHECK(place_of("a:0").path == "a:0");
  CHECK(place_of("a:07").path == "a:07");
  CHECK(place_of(":7").path == ":7");
}

TEST_CASE("render: SARIF tells of inputs that could not be read") {
  Verdict verdict;
  verdict.decision = Decision::undecided;
  Undecided why;
  why.rule = "input";
  why.reason = "permission denied";
  verdict.undecided.push_back(why);
  CHECK(contains(render_sarif({{"a.json", quiz_verdict()}, {"b.json", verdict}}),
                 R"("invocations":[{"executionSuccessful":false,"toolExecutionNotifications":[{"level":"error",)"
                 R"("message":{"text":"permission denied"},"locations":[{"physicalLocation":{"artifactLocation":)"
                 R"({"uri":"b.json"}}}]}]}])"));
}

TEST_CASE("render: a contract's own rule is described in SARIF by its title") {
  Verdict verdict = quiz_verdict();
  verdict.findings[0].rule = "four-options";
  ScorecardLine line;
  line.id = "four-options";
  line.title = "Four options at least";
  verdict.scorecard.push_back(line);
  CHECK(contains(render_sarif({{"a.json", verdict}}),
                 R"({"id":"four-options","shortDescription":{"text":"Four options at least"},"defaultConfiguration")"));
}

TEST_CASE("render: short is one line a finding, as compilers write") {
  CHECK(render_short({"a.jsonl:3", quiz_verdict()}, {}) ==
        "a.jsonl:7:18: error: Question 1: Must have at least 4 options (has 3) [minItems]\n");
  Verdict verdict = quiz_verdict();
  verdict.findings[0].message = "two\nlines \xE2\x9C\x97";
  CHECK(render_short({"-", verdict}, {false, true}) == "stdin:5:18: error: two\\nlines \\u2717 [minItems]\n");
  verdict.findings[0].shadowed_by = 7;
  CHECK(render_short({"-", verdict}, {}).empty());
}

TEST_CASE("render: SARIF has rules, levels, regions and fingerprints") {
  const Explanation& min_items = *explanation_of("minItems");
  CHECK(render_sarif({{"my file.json", quiz_verdict()}}) ==
        "{\"$schema\":\"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json\",\n"
        "\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"plumb\",\"version\":\"" PLUMB_VERSION
        "\",\"rules\":[\n"
        R"({"id":"minItems","shortDescription":{"text":")" +
            std::string(min_items.meaning.substr(0, min_items.meaning.find(". "))) + R"("},"help":{"text":")" +
            std::string(min_items.meaning) + " To fix: " + std::string(min_items.fix) +
            R"("},"defaultConfiguration":{"level":"error"}}]}},)"
            R"("invocations":[{"executionSuccessful":true,"toolExecutionNotifications":[]}],)"
            R"("columnKind":"utf16CodeUnits","results":[)"
            "\n"
            R"({"ruleId":"minItems","ruleIndex":0,"level":"error",)"
            R"-("message":{"text":"Question 1: Must have at least 4 options (has 3)"},)-"
            R"("locations":[{"physicalLocation":{"artifactLocation":{"uri":"my%20file.json"},)"
            R"("region":{"startLine":5,"startColumn":18,"endLine":9,"endColumn":8,"byteOffset":87,"byteLength":92}},)"
            R"("logicalLocations":[{"fullyQualifiedName":"/questions/0/options"}]}],)"
            R"("partialFingerprints":{"plumbFinding/v1":")" +
            fingerprint(std::string("quiz\0minItems\0/questions/0/options\0\0", 36) +
                        "/properties/questions/items/properties/options/minItems") +
            R"(:1"},"properties":{"contract":"quiz",)"
            R"("schemaLocation":"/properties/questions/items/properties/options/minItems","decidedAt":179,)"
            "\"item\":\"Question 1\"}}]}]}\n");
}

TEST_CASE(
    "render: SARIF lists each rule once in the order of ids, maps info to note and leaves shadowed findings out") {
  const std::string sarif =
      render_sarif({{"a.json", quiz_verdict()}, {"b.json", mixed_verdict()}, {"c.json", quiz_verdict()}});
  const std::size_t avoids = sarif.find("{\"id\":\"avoids\"");
  const std::size_t length = sarif.find("{\"id\":\"length\"");
  const std::size_t min_items = sarif.find("{\"id\":\"minItems\"");
  CHECK(avoids < length);
  CHECK(length < min_items);
  CHECK(min_items != std::string::npos);
  CHECK(sarif.find("{\"id\":\"minItems\"", min_items + 1) == std::string::npos);
  CHECK(contains(sarif, R"("ruleId":"length","ruleIndex":1,"level":"note")"));
  CHECK(contains(sarif, R"("ruleId":"avoids","ruleIndex":0,"level":"warning")"));
  CHECK_FALSE(contains(sarif, "Never shown"));
}

TEST_CASE("render: equal findings of one file have different fingerprints, those of two files the same") {
  Verdict verdict = quiz_verdict();
  verdict.findings.push_back(verdict.findings[0]);
  const std::string twice = render_sarif({{"a.json", verdict}});
  CHECK(contains(twice, ":1\"}"));
  CHECK(contains(twice, ":2\"}"));
  const std::string apart = render_sarif({{"a.json", quiz_verdict()}, {"b.json", quiz_verdict()}});
  CHECK_FALSE(contains(apart, ":2\"}"));
  const std::string lines = render_sarif({{"a.jsonl:1", quiz_verdict()}, {"a.jsonl:2", quiz_verdict()}});
  CHECK(contains(lines, ":2\"}"));
}

TEST_CASE("render: a file name is a URI reference in SARIF") {
  CHECK(contains(render_sarif({{"a:b/c%.json", quiz_verdict()}}), R"("uri":"./a:b/c%25.json")"));
  CHECK(contains(render_sarif({{"-", quiz_verdict()}}), R"("uri":"stdin")"));
}

TEST_CASE("render: JUnit maps errors to failures, warnings to skipped, info to output and nothing to a pass") {
  Verdict accepted;
  accepted.contract = "quiz";
  accepted.valid = true;
  accepted.decision = Decision::accept;
  CHECK(render_junit({{"a.json", quiz_verdict()}, {"b.json", mixed_verdict()}, {"c.json", accepted}}) ==
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites name=\"plumb\" tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"1\">\n"
        "  <testsuite name=\"a.json\" tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\">\n"
        "    <testcase classname=\"quiz.minItems\" name=\"Question 1: Must have at least 4 options (has 3)\""
        " file=\"a.json\" line=\"5\"><failure type=\"minItems\""
        " message=\"Question 1: Must have at least 4 options (has 3)\">a.json:5:18 minItems&#10;"
        "at: /questions/0/options&#10;required: at least 4 items&#10;provided: 3 items</failure></testcase>\n"
        "  </testsuite>\n"
        "  <testsuite name=\"b.json\" tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"1\">\n"
        "    <testcase classname=\"brief.avoids\" name=\"Goal is vague\" file=\"b.json\" line=\"2\">"
        "<skipped message=\"Goal is vague (b.json:2:3)\"/></testcase>\n"
        "    <testcase classname=\"brief.length\" name=\"Note is short\" file=\"b.json\" line=\"3\">"
        "<system-out>Note is short&#10;b.json:3:3 length&#10;at: /note</system-out></testcase>\n"
        "  </testsuite>\n"
        "  <testsuite name=\"c.json\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\">\n"
        "    <testcase classname=\"quiz\" name=\"keeps the contract quiz\" file=\"c.json\"/>\n"
        "  </testsuite>\n"
        "</testsuites>\n");
}

TEST_CASE("render: JUnit tells what could not be decided as an error") {
  Verdict limited;
  limited.contract = "c";
  limited.decision = Decision::undecided;
  limited.findings = {finding_of("limit", "", "Deeper than 10 levels")};
  CHECK(contains(render_junit({{"a", limited}}), "errors=\"1\""));
  CHECK(contains(render_junit({{"a", limited}}), "<error type=\"limit\" message=\"Deeper than 10 levels\">"));
  Verdict open;
  open.contract = "c";
  open.decision = Decision::undecided;
  open.undecided = {{"novel", "", "/rules/0", "", "context:/q", "No history"}};
  CHECK(contains(render_junit({{"a", open}}), "tests=\"1\" failures=\"0\" errors=\"1\""));
  CHECK(contains(render_junit({{"a", open}}), "novel: No history (wants context:/q)"));
}

TEST_CASE("render: JUnit stays well-formed whatever a message holds") {
  Verdict verdict = quiz_verdict();
  verdict.findings[0].message = "<a & \"b\">\x01\n\uFFFF";
  verdict.findings[0].message += "\xC3";
  CHECK(contains(render_junit({{"a", verdict}}), "name=\"&lt;a &amp; &quot;b&quot;&gt;\uFFFD&#10;\uFFFD\uFFFD\""));
}

TEST_CASE("render: GitHub annotations escape what would end a command or a property") {
  Verdict verdict = quiz_verdict();
  CHECK(render_github({"a,b:c.json", verdict}) ==
        "::error file=a%2Cb%3Ac.json,line=5,col=18,endLine=9,title=minItems::"
        "Question 1: Must have at least 4 options (has 3)\n");
  verdict.findings[0].message = "100%\r\n::error::x";
  CHECK(contains(render_github({"a", verdict}), "::100%25%0D%0A::error::x\n"));
  CHECK(render_github({"b.json", mixed_verdict()}) ==
        "::warning file=b.json,line=2,col=3,endLine=2,endColumn=13,title=avoids::Goal is vague\n"
        "::notice file=b.json,line=3,col=3,endLine=3,endColumn=6,title=length::Note is short\n");
}

TEST_CASE("render: feedback sorts issues into invalid, missing and unknown, counts them and ends with the action") {
  Verdict verdict = quiz_verdict();
  Finding missing = finding_of("required", "/questions/0", "Question 1: Missing 'explanation' field");
  missing.property = "explanation";
  missing.requirement = "a string";
  Finding unknown = finding_of("additionalProperties", "/colour", "Not allowed");
  unknown.property = "colour";
  Finding deeper = finding_of("unevaluatedProperties", "/a~1b/0", "Not allowed");
  deeper.property = "x y";
  verdict.findings.push_back(missing);
  verdict.findings.push_back(unknown);
  verdict.findings.push_back(deeper);
  CHECK(render_llm(verdict, "submit_quiz", "") ==
        R"({"result":"validation_failed","issues":{"invalid":[{"field":"questions[0].options","provided":"3 items",)"
        R"-("problem":"Question 1: Must have at least 4 options (has 3)","requirement":"at least 4 items"}],)-"
        R"("missing":[{"field":"questions[0].explanation","requirement":"a string"}],)"
        R"("unknown":["colour","[\"a/b\"][0][\"x y\"]"]},"issue_count":4,)"
        R"("action":"Call submit_quiz() with corrected data"})");
}

TEST_CASE("render: feedback shows the value as it was written, and what would be allowed") {
  const std::string text = R"({"questions": ["a", "b"], "answer": "c"})";
  Verdict verdict;
  verdict.decision = Decision::revise;
  Finding few = finding_of("minItems", "/questions", "Must have at least 4 items (has 2)");
  few.provided = "2 items";
  few.span.from = 14;
  few.span.to = 24;
  Finding answer = finding_of("memberOf", "/answer", "'c' is no option");
  answer.provided = "\"c\"";
  answer.allowed = {"\"a\"", "\"b\""};
  answer.span.from = 36;
  answer.span.to = 39;
  verdict.findings = {few, answer};
  const std::string shown = render_llm(verdict, "", "", text);
  CHECK(contains(shown, R"("provided":"[\"a\",\"b\"]")"));
  CHECK(contains(shown, R"("allowed":["a","b"])"));
  CHECK(contains(render_llm(verdict, "", ""), R"("provided":"2 items")"));
  few.span.to = 400;  // of another text
  verdict.findings = {few};
  CHECK(contains(render_llm(verdict, "", "", text), R"("provided":"2 items")"));
}

TEST_CASE("render: feedback names the character that JSON does not allow") {
  const auto named = [](std::string_view text, std::size_t at) {
    Verdict verdict;
    verdict.decision = Decision::revise;
    Finding syntax = finding_of("syntax", "", "Expected a JSON value");
    syntax.span.from = at;
    syntax.span.to = std::min(at + 1, text.size());
    verdict.findings = {syntax};
    const std::string shown = render_llm(verdict, "", "", text);
    const std::size_t from = shown.find("\"provided\":") + 11;
    return shown.substr(from, shown.find(",\"problem\"") - from);
  };
  CHECK(named("[\xC2\xA0]", 1) == R"("a no-break space (U+00A0) behind [")");
  CHECK(named("{\"a\": \xE2\x80\x9Cx", 6) == R"("a typographic quote (U+201C) behind {\"a\": ")");
  CHECK(named("[\"a\nb\"]", 3) == R"("a line break (U+000A) behind [\"a")");
  CHECK(named("x", 0) == R"("'x'")");
  CHECK(named("[\xC3\xA9]", 1) == "\"'\xC3\xA9' (U+00E9) behind [\"");
  CHECK(named("[1", 2) == R"("the end of the text behind [1")");
}

TEST_CASE("render: feedback leaves empty categories out") {
  Verdict verdict = quiz_verdict();
  CHECK_FALSE(contains(render_llm(verdict, "", ""), "missing"));
  CHECK_FALSE(contains(render_llm(verdict, "", ""), "unknown"));
}

TEST_CASE("render: feedback on a valid artifact is success, with warnings or without") {
  CHECK(render_llm(mixed_verdict(), "submit", "x") ==
        R"({"result":"success","action":"The artifact is accepted. Go on with the next step."})");
}

TEST_CASE("render: feedback takes its action from the broken rules, else from the caller, else from the tool") {
  Verdict verdict = quiz_verdict();
  CHECK(contains(render_llm(verdict, "", ""),
                 R"("action":"Return the complete artifact with every issue above corrected."})"));
  CHECK(contains(render_llm(verdict, "submit", "Call it."), R"("action":"Call it."})"));
  verdict.findings[0].action = "Name the screen.";
  verdict.findings.push_back(verdict.findings[0]);
  verdict.findings.push_back(verdict.findings[0]);
  verdict.findings[2].action = "Split it.";
  CHECK(contains(render_llm(verdict, "submit", "Call it."), R"("action":"Name the screen. Split it."})"));
}

TEST_CASE("render: no action of feedback says to try again") {
  Verdict limited = quiz_verdict();
  limited.findings[0].rule = "limit";
  limited.decision = Decision::undecided;
  Verdict open;
  open.valid = true;
  open.decision = Decision::undecided;
  for (const Verdict& verdict : {quiz_verdict(), mixed_verdict(), limited, open}) {
    for (const std::string_view tool : {"", "submit"}) {
      const std::string feedback = render_llm(verdict, tool, "");
      CHECK_FALSE(contains(feedback, "again"));
      CHECK_FALSE(contains(feedback, "try"));
      CHECK_FALSE(contains(feedback, "Try"));
      CHECK(feedback.rfind("\"action\":") > feedback.rfind("\"issue_count\":") + 1);
    }
  }
  CHECK(contains(render_llm(limited, "", ""), R"({"result":"undecided","issues":)"));
  CHECK(contains(render_llm(open, "", ""), R"({"result":"undecided","action":)"));
}

TEST_CASE("render: feedback lists at most 50 issues and counts all of them") {
  Verdict verdict;
  verdict.decision = Decision::revise;
  for (int i = 0; i < 70; ++i) {
    verdict.findings.push_back(finding_of("type", "/" + std::to_string(i), "m"));
  }
  verdict.more = {{"type", 30}};
  const std::string feedback = render_llm(verdict, "", "");
  CHECK(contains(feedback, R"("field":"[49]")"));
  CHECK_FALSE(contains(feedback, R"("field":"[50]")"));
  CHECK(contains(feedback, R"("issue_count":100)"));
}

TEST_CASE("render: a pointer is shown to a model as a path") {
  CHECK(field_path("") == "(root)");
  CHECK(field_path("/title") == "title");
  CHECK(field_path("/questions/0/options/12") == "questions[0].options[12]");
  CHECK(field_path("/a b/~01") == "[\"a b\"][\"~1\"]");
  CHECK(field_path("//x") == "[\"\"].x");
  CHECK(field_path("/01") == "[\"01\"]");
}
