#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/contract/check.hpp"
#include "core/contract/item_label.hpp"
#include "core/json/arena.hpp"
#include "core/json/writer.hpp"
#include "core/judge/judge.hpp"
#include "core/repair/free_fix.hpp"
#include "core/repair/patch.hpp"
#include "core/repair/progress.hpp"
#include "core/run/stamp.hpp"

using namespace plumb;
using contract::Contract;
using json::Value;

namespace {

struct Json {
  json::Arena arena;
  Value value;
  explicit Json(std::string_view text) {
    const Result<Value> read = json::parse(text, arena);
    REQUIRE_MESSAGE(read, text);
    value = read.value();
  }
};

std::string patched(std::string_view document, std::string_view patch, const std::vector<std::string>& scope = {""}) {
  const Json d(document);
  const Json p(patch);
  const Result<std::string> done = repair::apply_patch(d.value, p.value, scope);
  return done ? done.value() : "! " + done.error().message;
}

Contract quiz() {
  Result<Contract> read = Contract::read(contract::built_in_contract("quiz")->text);
  REQUIRE(read);
  return std::move(read).value();
}

}  // namespace

// The examples of RFC 6902, appendix A.
TEST_CASE("patch: the examples of RFC 6902") {
  CHECK(patched(R"({"foo":"bar"})", R"([{"op":"add","path":"/baz","value":"qux"}])") == R"({"foo":"bar","baz":"qux"})");
  CHECK(patched(R"({"foo":["bar","baz"]})", R"([{"op":"add","path":"/foo/1","value":"qux"}])") ==
        R"({"foo":["bar","qux","baz"]})");
  CHECK(patched(R"({"baz":"qux","foo":"bar"})", R"([{"op":"remove","path":"/baz"}])") == R"({"foo":"bar"})");
  CHECK(patched(R"({"foo":["bar","qux","baz"]})", R"([{"op":"remove","path":"/foo/1"}])") ==
        R"({"foo":["bar","baz"]})");
  CHECK(patched(R"({"baz":"qux","foo":"bar"})", R"([{"op":"replace","path":"/baz","value":"boo"}])") ==
        R"({"baz":"boo","foo":"bar"})");
  CHECK(patched(R"({"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}})",
                R"([{"op":"move","from":"/foo/waldo","path":"/qux/thud"}])") ==
        R"({"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}})");
  CHECK(patched(R"({"foo":["all","grass","cows","eat"]})", R"([{"op":"move","from":"/foo/1","path":"/foo/3"}])") ==
        R"({"foo":["all","cows","eat","grass"]})");
  CHECK(patched(R"({"baz":"qux","foo":["a",2,"c"]})",
                R"([{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2.0}])") ==
        R"({"baz":"qux","foo":["a",2,"c"]})");
  CHECK(patched(R"({"baz":"qux"})", R"([{"op":"test","path":"/baz","value":"bar"}])") ==
        "! operation 1 of the patch: the test does not hold");
  CHECK(patched(R"({"foo":"bar"})", R"([{"op":"add","path":"/child","value":{"grandchild":{}}}])") ==
        R"({"foo":"bar","child":{"grandchild":{}}})");
  CHECK(patched(R"({"foo":"bar"})", R"([{"op":"add","path":"/baz/bat","value":"qux"}])") ==
        "! operation 1 of the patch: there is no such place to add to");
  CHECK(patched(R"({"/":9,"~1":10})", R"([{"op":"test","path":"/~01","value":10}])") == R"({"/":9,"~1":10})");
  CHECK(patched(R"({"foo":["bar"]})", R"([{"op":"add","path":"/foo/-","value":["abc","def"]}])") ==
        R"({"foo":["bar",["abc","def"]]})");
  CHECK(patched(R"({"a":1})", R"([{"op":"replace","path":"","value":[1e400]}])") == "[1e400]");
  CHECK(patched(R"({"a":[1]})", R"([{"op":"copy","from":"/a","path":"/b"}])") == R"({"a":[1],"b":[1]})");
}

TEST_CASE("patch: what is no patch, or goes nowhere, is refused as a whole with its number") {
  CHECK(patched("{}", "{}") == "! a JSON Patch is a list of operations");
  CHECK(patched("{}", R"([{"path":""}])") ==
        "! operation 1 of the patch: an operation is an object with `op` and `path`");
  CHECK(patched(R"({"a":1})", R"([{"op":"replace","path":"/a","value":2},{"op":"remove","path":"/b"}])") ==
        "! operation 2 of the patch: there is nothing at this place");
  CHECK(patched(R"({"a":[1]})", R"([{"op":"remove","path":"/a/01"}])") ==
        "! operation 1 of the patch: there is nothing at this place");
  CHECK(patched(R"({"a":{"b":1}})", R"([{"op":"move","from":"/a","path":"/a/b"}])") ==
        "! operation 1 of the patch: a value cannot be moved into itself");
  CHECK(patched("{}", R"([{"op":"erase","path":"/a"}])") ==
        "! operation 1 of the patch: 'erase' is not an operation; the operations are add, remove, replace, move, copy "
        "and test");
  CHECK(patched("{}", R"([{"op":"add","path":"/a"}])") == "! operation 1 of the patch: `value` is missing");
  CHECK(patched("{}", R"([{"op":"add","path":"a","value":1}])") ==
        "! operation 1 of the patch: `path` is not a JSON Pointer");
}

TEST_CASE("patch: only what the scope covers may change") {
  const std::string document = R"({"a":{"x":1},"ab":2,"c":[1,2]})";
  CHECK(patched(document, R"([{"op":"replace","path":"/a/x","value":3}])", {"/a"}) ==
        R"({"a":{"x":3},"ab":2,"c":[1,2]})");
  CHECK(patched(document, R"([{"op":"replace","path":"/ab","value":3}])", {"/a"}) ==
        "! operation 1 of the patch: it changes /ab, which no finding is about");
  CHECK(patched(document, R"([{"op":"move","from":"/ab","path":"/a/y"}])", {"/a"}) ==
        "! operation 1 of the patch: it changes /ab, which no finding is about");
  CHECK(patched(document, R"([{"op":"copy","from":"/ab","path":"/a/y"}])", {"/a"}) ==
        R"({"a":{"x":1,"y":2},"ab":2,"c":[1,2]})");
  CHECK(patched(document, R"([{"op":"add","path":"/c/-","value":3}])", {"/c"}) ==
        R"({"a":{"x":1},"ab":2,"c":[1,2,3]})");
  CHECK(patched(document, R"([{"op":"replace","path":"","value":3}])", {"/c"}) ==
        "! operation 1 of the patch: it changes the whole artifact, which no finding is about");
}

TEST_CASE("patch: the scope is the failing places, what is missing, and what their rules read") {
  const Contract contract = quiz();
  const std::string_view text =
      R"({"questions":[{"question":"Q","options":["a","b","c"],"correct_answer":"x","explanation":"e"},)"
      R"({"question":"R"}]})";
  const contract::Verdict verdict = contract::check_text(contract, text);
  CHECK(repair::repair_scope(contract, verdict.findings) ==
        std::vector<std::string>{"/questions/0/correct_answer", "/questions/0/options", "/questions/1/correct_answer",
                                 "/questions/1/explanation", "/questions/1/options"});
}

TEST_CASE("free fix: one option equal but for case and space, and only one") {
  const Contract contract = quiz();
  const auto fixed = [&](std::string_view options, std::string_view answer) {
    const std::string text = R"({"questions":[{"question":"Q","options":)" + std::string(options) +
                             R"(, "correct_answer": )" + std::string(answer) + R"(,"explanation":"e"}]})";
    const repair::FreeFixes out = repair::free_fixes(contract::check_text(contract, text), text);
    return out.fixes.empty() ? std::string("none")
                             : out.fixes[0].at + " " + out.fixes[0].from + " " + out.fixes[0].to +
                                   (contract::check_text(contract, out.text).valid ? " valid" : " broken");
  };
  CHECK(fixed(R"(["A b","c","d","e"])", R"(" a B\n")") == R"(/questions/0/correct_answer " a B\n" "A b" valid)");
  CHECK(fixed(R"(["A b","a B","d","e"])", R"("a b")") == "none");
  CHECK(fixed(R"(["ab","c","d","e"])", R"("abc")") == "none");
  CHECK(fixed(R"(["ab","c","d","e"])", R"("  ")") == "none");
  CHECK(fixed(R"(["ab","c","d","e"])", "3") == "none");
  CHECK(fixed(R"(["A","c","d","e"])", R"("A")") == "none");
}

TEST_CASE("progress: sound structure first, then fewer errors, then fewer issues where both were judged") {
  using repair::is_better;
  CHECK(is_better({0, false, 0}, {1, true, 0}));
  CHECK(is_better({1, false, 0}, {2, true, 0}));
  CHECK(!is_better({2, true, 0}, {1, true, 9}));
  CHECK(is_better({0, true, 1}, {0, true, 2}));
  CHECK(!is_better({0, true, 2}, {0, true, 2}));
  CHECK(!is_better({0, false, 0}, {0, true, 2}));
}

TEST_CASE("item labels: the label that findings at this place carry, without an engine") {
  const Contract contract = quiz();
  const Json artifact(R"({"questions":[{"options":["a"]},{"options":["b"]}]})");
  CHECK(contract::place_label(contract, artifact.value, "/questions/1").text == "Question 2");
  CHECK(contract::place_label(contract, artifact.value, "/questions/1/options/0").text == "Question 2");
  CHECK(contract::place_label(contract, artifact.value, "/questions/0").prefix == "Question 1");
  CHECK(contract::place_label(contract, artifact.value, "").text.empty());
  CHECK(contract::place_label(contract, artifact.value, "/questions/7").text.empty());
  Result<Contract> mindmap = Contract::read(contract::built_in_contract("mindmap")->text);
  REQUIRE(mindmap);
  const std::string text = R"({"root":{"label":"R","children":[{"label":"A","children":[)"
                           R"({"label":"B","children":[{"label":"","children":[]}]}]}]}})";
  const Json tree(text);
  const contract::Verdict verdict = contract::check_text(mindmap.value(), text);
  REQUIRE(verdict.findings.size() == 1);
  const contract::PlaceLabel label = contract::place_label(mindmap.value(), tree.value, verdict.findings[0].at);
  CHECK(label.text == verdict.findings[0].item);
  CHECK(label.prefix.empty());
}

TEST_CASE("judge: claims are held against the source, and the nearest question takes them") {
  const Contract contract = quiz();
  const std::string text =
      R"({"questions":[{"question":"Q","options":["a","b","c","d"],"correct_answer":"a","explanation":"e"}]})";
  const Json artifact(text);
  const std::vector<std::string> items = {"/questions/0"};
  const std::vector<judge::Question> asked =
      judge::questions(contract, contract::check_text(contract, text), artifact.value, items);
  REQUIRE(asked.size() == 3);
  CHECK(asked[0].rule == "answerable");
  CHECK(asked[0].at == "/questions/0");
  CHECK(asked[0].item == "Question 1");
  CHECK(asked[1].rule == "no-invention");
  CHECK(asked[1].at == "/questions/0");
  const Json answer(R"({"claims":[
    {"rule":"answerable","at":"/questions/0","holds":true,"chunk":1,"quote":"light  is absorbed"},
    {"rule":"no-invention","at":"/questions/0/options/2","holds":false,"reason":"Not in the source: c"},
    {"rule":"answer-correct","at":"/questions/0","holds":true,"quote":"abs"},
    {"rule":"unknown","at":"/questions/0","holds":true},
    {"rule":"answerable","at":"/questions/9","holds":false}]})");
  const std::vector<judge::Claim> claims = judge::read_claims(answer.value);
  const judge::Passage passages[] = {{0, "Here light is absorbed."}, {1, "There it is not."}};
  const judge::Judgement out = judge::settle(asked, claims, passages, artifact.value, text);
  REQUIRE(out.issues.size() == 1);
  CHECK(out.issues[0].finding.message == "Question 1: Not in the source: c");
  CHECK(out.issues[0].finding.at == "/questions/0/options/2");
  CHECK(text.substr(static_cast<std::size_t>(out.issues[0].finding.span.from), 3) == "\"c\"");
  REQUIRE(out.proofs.size() == 1);
  CHECK(out.proofs[0].chunk == 0);
  REQUIRE(out.undecided.size() == 1);
  CHECK(out.undecided[0].rule == "answer-correct");
  CHECK(out.undecided[0].reason == "the judge's quote is too short to prove anything");
  CHECK(out.ignored == 2);
}

TEST_CASE("stamps: milliseconds since 1970 as people read them") {
  CHECK(run::iso_time(0) == "1970-01-01T00:00:00Z");
  CHECK(run::iso_time(1'770'546'600'000) == "2026-02-08T10:30:00Z");
  CHECK(run::iso_time(951'825'599'999) == "2000-02-29T11:59:59Z");
  CHECK(run::iso_time(4'102'444'800'000) == "2100-01-01T00:00:00Z");
  CHECK(run::clock_time(1'770'546'615'123) == "10:30:15");
}
