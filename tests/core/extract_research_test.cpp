#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/extract/floor.hpp"
#include "core/extract/quoting.hpp"
#include "core/extract/research.hpp"
#include "core/json/arena.hpp"

using namespace plumb;
using namespace plumb::extract;

namespace {

std::vector<std::string> quotes(std::string_view question, const std::vector<std::string_view>& texts) {
  std::vector<Found> passages;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    passages.push_back({i + 1, "Manual", "", texts[i]});
  }
  std::vector<std::string> out;
  for (const Statement& one : best_statements(question, passages, 3)) {
    out.push_back(as_claim(one.quote));
  }
  return out;
}

std::string planned(std::string_view confidence, std::string_view missing = "") {
  const std::string task = R"({"objective":"Which port is used?","success_criteria":["It is stated."],"completed":)"
                           R"([{"question":"Which port is used?","answered":true,"confidence":")" +
                           std::string(confidence) + R"(","missing":")" + std::string(missing) + R"("}]})";
  json::Arena arena;
  return research("research.brain", json::parse(task, arena).value()).value();
}

}  // namespace

TEST_CASE("extract, research: a sentence that points back is quoted with the one that it points to") {
  const std::vector<std::string> said = quotes(
      "Which file mode is overridden?", {"Ada files are installed read-only. This overrides the normal file mode."});
  REQUIRE(said.size() == 1);
  CHECK(said[0] == "Ada files are installed read-only. This overrides the normal file mode.");
  CHECK(points_back("Since these packages stay"));
  CHECK_FALSE(points_back("A package stays as it is"));
}

TEST_CASE("extract, research: where a passage begins in the middle of a sentence its end is not quoted") {
  CHECK(quotes("Which shell scripts are considered?", {"and so on. These considerations apply to shell scripts."}) ==
        std::vector<std::string>{"These considerations apply to shell scripts."});
}

TEST_CASE("extract, research: what is announced is quoted with its announcement") {
  CHECK(quotes("How is a tarball without sources repacked?",
               {"Of a tarball without sources you should either:\n- repack it with them;\n- add a copy of them.\n\n"
                "Something else follows here."}) ==
        std::vector<std::string>{
            "Of a tarball without sources you should either: repack it with them; add a copy of them."});
}

TEST_CASE("extract, research: the same page in two forms is quoted once, options that differ in a word both") {
  CHECK(quotes("Which file must packages contain about changes?",
               {"Packages must contain the file ``changelog`` about what has changed in them.",
                "Packages must contain the file \"changelog\" about what has changed in them."})
            .size() == 1);
  CHECK(says_the_same("Set the days.", "set the days"));
  CHECK_FALSE(says_the_same("Set the days before.", "Set the days after."));
}

TEST_CASE("extract, research: prose goes before an example of JSON that has the same words") {
  const std::vector<std::string> said =
      quotes("How many retries does a boundary make?",
             {R"({"boundary": {"produced": 10, "retries": 2, "makes": [], "items": []}, "decision": "accept"})",
              "A boundary makes two retries at most."});
  REQUIRE(!said.empty());
  CHECK(said[0] == "A boundary makes two retries at most.");
}

TEST_CASE("extract, research: prose that is wrapped before a capital is one sentence") {
  const std::string_view wrapped =
      "The counts of rejected items and of retries are kept for each boundary, and the command `plumb runs show\n"
      "RUN` has them for each boundary and each item of a run, and for the last twenty runs together, and marks the\n"
      "producer whose share of items that were sent back is too high.";
  CHECK(quotes("Which command has the counts of rejected items of a run?", {wrapped}) ==
        std::vector<std::string>{as_line(wrapped)});
}

TEST_CASE("extract, research: a row of a table reads as a sentence") {
  CHECK(as_claim("| `limits` | `{\"rounds\"}` | bounds |") == "`limits`: `{\"rounds\"}`; bounds");
  CHECK(as_claim("- first\n  goes on\n- second") == "first goes on; second");
  CHECK(as_line("| a | b |") == "| a | b |");
}

TEST_CASE("extract, research: a criterion is not met by an answer that has few of the words that were asked for") {
  CHECK(planned("high").find(R"("met":true)") != std::string::npos);
  CHECK(planned("low").find(R"("met":null)") != std::string::npos);
}

TEST_CASE("extract, research: a criterion is not met while something of the answer is missing") {
  CHECK(planned("medium", "the port of the server").find(R"("met":null)") != std::string::npos);
}

TEST_CASE(
    "extract, floor: kind and subject in a quote confirm, something else does not, and nothing of it contradicts") {
  struct Case {
    const char* asked;
    const char* quote;
    const char* title;
    Floor floor;
  };
  const Case cases[] = {
      {"How many steps does the tower have?", "The tower has 214 steps.", "Lamp", Floor::confirmed},
      {"How many windows does the tower have?", "The tower has 214 steps.", "Lamp", Floor::unknown},
      {"How many steps does the tower have?", "The tower is painted red.", "Lamp", Floor::contradicted},
      {"When did the Otter sail?", "The lamp was lit in 1887.", "Lamp", Floor::contradicted},
      {"When did the Otter sail?", "It was lit in 1887.", "Otter", Floor::unknown},
      {"Why was the grease changed?", "The grease was changed because it froze.", "Lamp", Floor::confirmed},
      {"Why was the grease changed?", "The grease was changed in winter.", "Lamp", Floor::unknown},
      {"How is the folder restored?", "The folder is restored with the key.", "Lamp", Floor::confirmed},
      {"How is the folder restored?", "The folder is restored every day.", "Lamp", Floor::unknown},
      {"Where was the ferry built?", "The ferry was built in Gdynia.", "Lamp", Floor::confirmed},
      {"Where was the ferry sunk?", "The ferry was built in Gdynia.", "Lamp", Floor::unknown},
      {"Which command lists every copy?", "The command `a-b` checks every copy.", "Lamp", Floor::unknown},
      {"Which command lists every copy?", "The command `a-b` lists every copy.", "Lamp", Floor::confirmed},
      {"Wie viele Stufen hat der Turm?", "Der Turm hat 142 Stufen.", "Turm", Floor::confirmed},
      {"Wie viele Fenster hat der Turm?", "Der Turm hat 142 Stufen.", "Turm", Floor::unknown},
      {"Wie viele Fenster hat der Turm?", "Der Turm hat 142 Stufen, von der Bucht aus gesehen keine Fenster.", "Turm",
       Floor::unknown},
      {"How many steps does the tower have?", "Der Turm hat 142 Stufen.", "Turm", Floor::unknown},
      {"Pourquoi le phare a-t-il été fermé ?", "Le phare a été fermé parce que le toit fuyait.", "Phare",
       Floor::confirmed},
      {"Pourquoi le phare a-t-il été fermé ?", "Le phare a été fermé en 1863.", "Phare", Floor::unknown},
      {"青石桥建于哪一年？", "青石桥建于1742年。", "青石桥", Floor::confirmed},
      {"青石桥重修于哪一年？", "青石桥建于1742年。", "青石桥", Floor::unknown},
      {"青石桥长多少米？", "青石桥长86米。", "青石桥", Floor::confirmed},
      {"青石桥宽多少米？", "青石桥长86米。", "青石桥", Floor::unknown},
      {"白浜灯台の高さは何メートルですか？", "白浜灯台の高さは31メートルである。", "白浜灯台", Floor::confirmed},
      {"白浜灯台の光達距離は何メートルですか？", "白浜灯台の高さは31メートルである。", "白浜灯台", Floor::unknown}};
  for (const Case& one : cases) {
    CAPTURE(one.asked);
    CAPTURE(one.quote);
    CHECK(floor_name(floor_of(one.asked, {one.quote, one.title, "", one.quote})) == floor_name(one.floor));
  }
}

TEST_CASE("extract, floor: a criterion is held against its own words, and against each question of the objective") {
  const Answering steps{"How many steps does the tower have?",
                        "a",
                        {"The tower has 214 steps.", "Lamp", "", "The tower has 214 steps."},
                        Floor::confirmed};
  Answering other = steps;
  other.source = "b";
  const auto floor = [](const char* criterion, const char* objective, const std::vector<Answering>& all) {
    return std::string(floor_name(floor_of_criterion(criterion, objective, all)));
  };
  const char* asked = "How many steps does the tower have?";
  CHECK(floor("The answer is stated with its source.", asked, {steps}) == "confirmed");
  CHECK(floor("The number of steps is stated.", asked, {steps}) == "confirmed");
  CHECK(floor("The height of the tower is stated in metres.", asked, {steps}) == "unknown");
  CHECK(floor("The year is stated.", asked, {steps}) == "unknown");
  CHECK(floor("At least two sources are cited.", asked, {steps}) == "unknown");
  CHECK(floor("At least two sources are cited.", asked, {steps, other}) == "confirmed");
  CHECK(floor("The answer is stated.", asked, {}) == "unknown");
  CHECK(floor("The answer is stated.", "How many steps does the tower have, and when was it lit?", {steps}) ==
        "unknown");
}
