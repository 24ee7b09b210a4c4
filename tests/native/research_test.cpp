// The research pipeline: its gates, its bounds, and what becomes of models that do not behave.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/contract/contract.hpp"
#include "core/json/arena.hpp"
#include "core/pipelines/pipelines.hpp"
#include "core/pipelines/research/research.hpp"
#include "core/pipelines/research/search_effect.hpp"
#include "core/run/journal_file.hpp"
#include "core/run/replay.hpp"
#include "research_runs.hpp"

using namespace plumb;
using plumb::test::ResearchRun;

namespace {

std::string text_at(const json::Value& object, std::string_view name) {
  const json::Value* found = object.find(name);
  return found == nullptr ? std::string() : std::string(found->str());
}

std::span<const json::Value> list_at(const json::Value& object, std::string_view name) {
  const json::Value* found = object.find(name);
  REQUIRE(found != nullptr);
  return found->array();
}

bool has(const std::vector<std::string>& list, std::string_view one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

std::string joined(const std::vector<std::string>& list) {
  std::string out;
  for (const std::string& one : list)
    out += one + "\n";
  return out;
}

constexpr const char* purge = R"({"question":"Which option of apt-get removes configuration files?"})";

}  // namespace

TEST_CASE("research: a factual question is answered with a quote from the right file, without a model") {
  ResearchRun run;
  run.go(purge);
  REQUIRE(run.machine().state() == run::State::done);
  const json::Value& result = run.result();
  INFO(run.view());
  CHECK(text_at(result, "ended") == "done");
  REQUIRE(!list_at(result, "citations").empty());
  const json::Value& first = list_at(result, "citations")[0];
  CHECK(text_at(first, "file") == "apt-get.txt");
  CHECK(text_at(first, "quote").find("--purge") != std::string::npos);
  CHECK(text_at(first, "line") == "11");
  CHECK(text_at(list_at(result, "claims")[0], "grounding") == "cited");
  CHECK(list_at(result, "success_criteria")[0].find("met")->boolean);
}

TEST_CASE("research: every gate of the seed fires, and the run still comes to a cited report") {
  ResearchRun run;
  plumb::test::every_gate(run);
  INFO(run.view());
  REQUIRE(run.machine().state() == run::State::done);
  const std::vector<std::string> gates = run.gates();
  INFO(joined(gates));
  const auto fired = [&](const std::string& gate) {
    return std::any_of(gates.begin(), gates.end(), [&](const std::string& one) { return one.find(gate + " ") == 0; });
  };
  // Every rule of the roles that blocks, and what the pipeline itself holds its authors to.
  for (const auto& [role, name] : {std::pair{"intake", "intake"}, std::pair{"brain", "brain-evaluate"},
                                   std::pair{"researcher", "researcher-evaluate"}, std::pair{"search", "search"}}) {
    const std::vector<std::string> rules = plumb::test::blocking_rules(name);
    REQUIRE(!rules.empty());
    const auto& about = role;
    for (const std::string& rule : rules)
      CHECK_MESSAGE(fired(role + (" " + rule)), about << " " << rule);
  }
  for (const char* gate :
       {"brain question-new", "brain criteria-settled", "researcher searches-min", "search not-narrative"})
    CHECK_MESSAGE(fired(gate), gate);
  for (const char* outcome :
       {"intake one-tool-call rejected", "intake one-question overridden", "researcher query-novel dropped",
        "researcher stop-discipline stopped", "researcher searches-min rejected", "search sources-present downgraded"})
    CHECK_MESSAGE(has(gates, outcome), outcome);
  CHECK(text_at(run.result(), "ended") == "done");
  CHECK(!list_at(run.result(), "citations").empty());
}

TEST_CASE("research: a question that is rejected to the end is dropped, and a round without one ends the run") {
  ResearchRun run;
  run.script["brain"] = {R"({"decision":"continue","reasoning":"r","questions":[{"question":"apt-get AND purge",)"
                         R"("description":"d","goal":"More information about it."}]})",
                         R"({"decision":"continue","reasoning":"s","questions":[{"question":"apt-get OR purge",)"
                         R"("description":"d","goal":"More information about it."}]})",
                         R"({"decision":"continue","reasoning":"t","questions":[{"question":"apt-get AND remove",)"
                         R"("description":"d","goal":"More information about it."}]})"};
  run.go(purge);
  REQUIRE(run.machine().state() == run::State::done);
  INFO(run.view());
  const auto rounds = run.notes("brain_round");
  REQUIRE(rounds.size() == 1);
  CHECK(text_at(*rounds[0], "decision") == "gates_unmet");
  CHECK(list_at(*rounds[0], "questions").empty());
  REQUIRE(list_at(*rounds[0], "dropped").size() == 1);
  CHECK(list_at(*rounds[0], "dropped")[0].str() == "apt-get AND remove");
  CHECK(has(run.gates(), "brain no-search-query dropped"));
  CHECK(has(run.gates(), "brain direct-contribution flagged"));
  CHECK(run.calls("brain") == 3);
  CHECK(run.searches == 0);
  CHECK(text_at(run.result(), "ended") == "gates_unmet");
  CHECK(text_at(list_at(run.result(), "success_criteria")[0], "state") == "undecided");
}

TEST_CASE("research: a question of which only the description is broken goes on in its own words, flagged") {
  ResearchRun run;
  run.script["brain"] = {
      R"({"decision":"continue","reasoning":"r","questions":[{"question":"Which option of apt-get removes config)"
      R"(uration files?","description":"d","goal":"The option, with its source.","flags":["mine"]}]})",
      R"({"decision":"continue","reasoning":"r","questions":[{"question":"Which option of apt-get removes config)"
      R"(uration files?","description":"e","goal":"The option, with its source.","flags":["mine"]}]})",
      R"({"decision":"continue","reasoning":"r","questions":[{"question":"Which option of apt-get removes config)"
      R"(uration files?","description":"f","goal":"The option, with its source.","flags":["mine"]}]})",
      R"({"decision":"done","reasoning":"r","questions":[],"criteria":[{"criterion":0,"met":true,"why":"answered"}]})"};
  run.go(purge);
  REQUIRE(run.machine().state() == run::State::done);
  INFO(run.view());
  const json::Value& question = list_at(*run.notes("brain_round")[0], "questions")[0];
  CHECK(text_at(question, "text") == "Which option of apt-get removes configuration files?");
  REQUIRE(list_at(question, "flags").size() == 1);
  CHECK(list_at(question, "flags")[0].str() == "direct-contribution");
  CHECK(text_at(list_at(run.result(), "success_criteria")[0], "state") == "met");
}

TEST_CASE("research: a query that is rejected to the end is not sent, and its question ends") {
  ResearchRun run;
  run.script["researcher"] = {
      R"({"decision":"continue","reasoning":"The one missing evidence piece is: logo colour of apt-get.",)"
      R"("missing":{"entity":"apt-get","attribute":"logo colour"},"query":"apt-get AND logo"})"};
  run.script["answer"] = {R"({"answer":[],"confidence":"low","missing":"The colour."})"};
  run.go(purge);
  REQUIRE(run.machine().state() == run::State::done);
  INFO(run.view());
  CHECK(run.searches == 1);
  CHECK(text_at(*run.notes("cycle")[0], "evidence_delta") == "dead_end");
  CHECK(text_at(*run.notes("cycle")[0], "decision") == "dropped");
  CHECK(text_at(*run.notes("question_done")[0], "ended") == "dead_end");
  CHECK(has(run.gates(), "researcher query-natural dropped"));
}

TEST_CASE("research: what the planner alone calls met is judge_only, and what words contradict is unmet") {
  const auto state = [](const std::string& question, const std::string& quote) {
    ResearchRun run;
    const std::string planned = R"("description":"It gives the objective the history of dpkg and apt-get options.",)"
                                R"("goal":"The year, with its source."}]})";
    run.script["brain"] = {
        R"({"decision":"continue","reasoning":"r","questions":[{"question":")" + question + "\"," + planned,
        R"({"decision":"done","reasoning":"r","questions":[],"criteria":[{"criterion":0,"met":true,"why":"so"}]})"};
    run.script["answer"] = {R"({"answer":[{"claim":")" + quote + R"(","source":1,"quote":")" + quote +
                            R"("}],"confidence":"high","missing":""})"};
    run.go(R"({"question":")" + question + R"("})");
    REQUIRE(run.machine().state() == run::State::done);
    const json::Value& one = list_at(run.result(), "success_criteria")[0];
    CHECK(one.find("met")->boolean == (text_at(one, "state") == "met"));
    return text_at(one, "state") + " " + text_at(one, "floor");
  };
  const std::string written = "The tool dpkg was written by Ian Murdock in 1994.";
  CHECK(state("When was the tool dpkg written?", written) == "met confirmed");
  CHECK(state("When was the tool dpkg renamed?", written) == "judge_only unknown");
  CHECK(state("When was the option purge of apt-get written?", "The command apt-get handles packages.") ==
        "unmet contradicted");
}

TEST_CASE("research: the planner sees what questions came to, never a query nor a passage") {
  ResearchRun run;
  run.script["brain"] = {
      R"({"decision":"continue","reasoning":"r","questions":[{"question":"Which option of apt-get removes config)"
      R"(uration files?",)"
      R"("description":"It gives the objective the name of the option that removes files.","goal":"The option,)"
      R"( with its source."}]})",
      R"({"decision":"done","reasoning":"r","questions":[],"criteria":[{"criterion":0,"met":true,"why":"answered"}]})"};
  run.script["researcher"] = {
      R"({"decision":"continue","reasoning":"The one missing evidence piece is: purge of apt-get.",)"
      R"("missing":{"entity":"apt-get","attribute":"purge"},"query":"Where is the zebra purge of apt-get written)"
      R"( down?"})",
      R"({"decision":"done","reasoning":"It is known.","query":""})"};
  run.go(purge);
  REQUIRE(run.machine().state() == run::State::done);
  const std::string seen = run.prompts("brain");
  INFO(run.view());
  CHECK(seen.find("--purge") != std::string::npos);                       // the answer
  CHECK(seen.find("zebra") == std::string::npos);                         // not the query
  CHECK(seen.find("answers yes to all questions") == std::string::npos);  // not the passage
  CHECK(run.prompts("researcher").find("zebra") != std::string::npos);
}

TEST_CASE("research: two searches without anything new stop the question, and what is missing is said") {
  ResearchRun run;
  run.script["brain"] = {
      R"({"decision":"continue","reasoning":"r","questions":[{"question":"Which colour has the logo of apt-get?",)"
      R"("description":"It gives the objective the colour that configuration files need.","goal":"The colour,)"
      R"( with its source."}]})",
      R"({"decision":"done","reasoning":"r","questions":[],"criteria":[{"criterion":0,"met":false,)"
      R"("why":"nothing was found"}]})"};
  run.script["researcher"] = {
      R"({"decision":"continue","reasoning":"The one missing evidence piece is: logo colour of apt-get.",)"
      R"("missing":{"entity":"apt-get","attribute":"logo colour"},)"
      R"("query":"What logo colour does apt-get print in its banner?"})"};
  run.search = [](const json::Value&) {
    run::Reply reply;
    reply.value = run::Data::written(R"({"status":"no_results","results":[]})");
    return reply;
  };
  run.go(purge);
  REQUIRE(run.machine().state() == run::State::done);
  INFO(run.view());
  const auto done = run.notes("question_done");
  REQUIRE(done.size() == 1);
  CHECK(text_at(*done[0], "ended") == "no_change");
  CHECK(text_at(*done[0], "missing").find("logo colour") != std::string::npos);
  CHECK(run.searches == 4);  // two, each once more because no source came
  CHECK(text_at(run.result(), "report").find("unmet") != std::string::npos);
}

TEST_CASE("research: a search that failed is shown as failed, and two in a row stop the question") {
  ResearchRun run;
  run.search = [](const json::Value&) {
    run::Reply reply;
    reply.value = run::Data::written(R"({"status":"error","results":[],"error":"the index is locked"})");
    return reply;
  };
  run.go(purge);
  REQUIRE(run.machine().state() == run::State::done);
  const auto searches = run.notes("search");
  REQUIRE(searches.size() == 4);
  for (const json::Value* one : searches) {
    CHECK(text_at(*one, "status") == "error");
    CHECK(text_at(*one, "error") == "the index is locked");
  }
  CHECK(text_at(*run.notes("question_done")[0], "ended") == "search_failed");
  CHECK(text_at(run.result(), "ended") == "search");
  CHECK(list_at(run.result(), "citations").empty());
  CHECK(!list_at(run.result(), "success_criteria")[0].find("met")->boolean);
}

TEST_CASE("research: a vague wish is asked about, and the answer to the question resumes the run") {
  ResearchRun run;
  run.go(R"({"question":"Explore apt-get."})");
  CHECK(run.machine().state() == run::State::waiting);
  CHECK(run.view().find("\"status\":\"asking\"") != std::string::npos);
  CHECK(run.view().find("\"signal\":\"answer-1\"") != std::string::npos);
  ResearchRun answered;
  answered.person = {"Which option of apt-get removes configuration files?"};
  answered.go(R"({"question":"Explore apt-get."})");
  REQUIRE(answered.machine().state() == run::State::done);
  CHECK(text_at(answered.result(), "objective") == "Which option of apt-get removes configuration files?");
  ResearchRun given;
  given.go(R"({"question":"Explore apt-get.","answers":["Which option of apt-get removes configuration files?"]})");
  REQUIRE(given.machine().state() == run::State::done);
  CHECK(!list_at(given.result(), "citations").empty());
  ResearchRun never;
  never.go(R"({"question":"Explore apt-get.","ask":"never"})");
  CHECK(never.machine().state() == run::State::done);
}

TEST_CASE("research: a choice may be answered by its number") {
  ResearchRun run;
  run.script["intake"] = {
      R"([{"tool":"multiChoiceSelect","arguments":{"message":"Which one is meant?",)"
      R"("options":[{"label":"the tool"},{"label":"the town"}]}}])",
      R"([{"tool":"startResearch","arguments":{"objective":"Which option of apt-get removes configuration files?)"
      R"(","successCriteria":["The option is stated with one source."]}}])"};
  run.person = {"2"};
  run.go(purge);
  REQUIRE(run.machine().state() == run::State::done);
  CHECK(text_at(*run.notes("intake_answer")[0], "answer") == "the town");
}

TEST_CASE("research: a term that nobody knows may be looked up once, and only then is the tool offered") {
  ResearchRun run;
  run.script["intake"] = {
      R"([{"tool":"quick_web_search","arguments":{"query":"zypper-ng"}}])",
      R"([{"tool":"quick_web_search","arguments":{"query":"zypper-ng again"}}])",
      R"([{"tool":"startResearch","arguments":{"objective":"Which option of zypper-ng removes files?",)"
      R"("successCriteria":["The option is stated with one source."]}}])"};
  run.go(R"({"question":"Which option of zypper-ng removes files?","search":{"providers":["corpus"],)"
         R"("lookup":["searxng"]}})");
  REQUIRE(run.machine().state() == run::State::done);
  CHECK(run.notes("lookup").size() == 1);
  CHECK(has(run.gates(), "intake one-tool-call rejected"));
  // Known to the corpus, or nobody to ask: not offered.
  for (const char* request :
       {R"({"question":"Which option of apt-get removes files?","search":{"lookup":["searxng"]}})", purge}) {
    ResearchRun known;
    known.script["intake"] = run.script["intake"];
    known.go(request);
    CHECK(known.notes("lookup").empty());
    CHECK(known.prompts("intake").find("quick_web_search {query}") == std::string::npos);
  }
}

TEST_CASE("research: a quote that stands in no passage proves nothing") {
  ResearchRun run;
  run.script["answer"] = {
      R"({"answer":[{"claim":"apt-get has the option --purge.","source":9,)"
      R"("quote":"The option --purge of apt-get removes configuration files"},)"
      R"({"claim":"It is fast.","source":1,"quote":"apt-get is the fastest of all tools"}],"confidence":"high"})"};
  run.script["report"] = {R"({"claims":[{"claim":"The option is --purge.","citations":[1,1,7]},)"
                          R"({"claim":"It came in 2042.","citations":[1]},{"claim":"It is fast.","citations":[]}]})"};
  run.go(purge);
  REQUIRE(run.machine().state() == run::State::done);
  INFO(run.view());
  const auto claims = list_at(run.result(), "claims");
  REQUIRE(claims.size() == 3);
  CHECK(text_at(claims[0], "grounding") == "cited");
  CHECK(text_at(claims[1], "grounding") == "weakly_cited");  // the number is in no quote
  CHECK(text_at(claims[2], "grounding") == "uncited");
  CHECK(list_at(run.result(), "citations").size() == 1);
  CHECK(text_at(run.result(), "unknown_citations") == "1");
  CHECK(text_at(run.result(), "report").find("It is fast. (uncited)") != std::string::npos);
  CHECK(text_at(*run.notes("question_done")[0], "confidence") == "medium");  // not all of it is quoted
}

TEST_CASE("research: stop ends the run at its next effect, with a report of what is known") {
  for (const std::string_view role : {"researcher", "brain"}) {
    ResearchRun run;
    bool sent = false;
    run.before = [&](run::Machine& machine, const run::Want& want) {
      const json::Value* asks = want.request.value().find("role");
      if (!sent && asks != nullptr && asks->str() == role) {
        sent = true;
        machine.signal("stop", run::Data::written("null"), 1'760'000'000'500);
      }
    };
    run.go(purge);
    REQUIRE(run.machine().state() == run::State::done);
    CHECK(text_at(run.result(), "ended") == "stopped");
    CHECK(run.calls("report") == 0);
    CHECK(run.calls("answer") == 0);
    CHECK(!list_at(run.result(), "success_criteria")[0].find("met")->boolean);
    if (role == "researcher") {
      CHECK(run.searches == 1);
      CHECK(list_at(run.result(), "citations").size() >= 1);  // what was found is reported, by rule
    } else {
      CHECK(run.searches == 0);
    }
  }
}

TEST_CASE("research: a cancelled run has a last result too") {
  ResearchRun run;
  run.before = [](run::Machine& machine, const run::Want& want) {
    const json::Value* asks = want.request.value().find("role");
    if (asks != nullptr && asks->str() == "researcher")
      machine.cancel("enough", 1'760'000'000'900);
  };
  run.go(purge);
  INFO(run.machine().error().message, run.machine().error().where);
  REQUIRE(run.machine().state() == run::State::cancelled);
  CHECK(text_at(run.result(), "ended") == "cancelled");
  CHECK(run.calls("answer") == 0);
}

TEST_CASE("research: time, rounds and searches end the run, and it says which") {
  ResearchRun slow;
  slow.call_ms = 5 * 60'000;
  slow.go(purge);
  CHECK(text_at(slow.result(), "ended") == "time");
  ResearchRun again;  // a planner that never has enough
  again.script["brain"] = {
      R"({"decision":"continue","reasoning":"r","questions":[{"question":"Which file lists the archives of packages?",)"
      R"("description":"It gives the objective the files.","goal":"The file, with its source."}]})"};
  again.go(R"({"question":"Which option of apt-get removes configuration files?","limits":{"rounds":2}})");
  CHECK(again.machine().state() == run::State::done);
  CHECK(again.notes("brain_round").size() <= 3);
  ResearchRun endless;  // a researcher that always has one more query
  std::vector<std::string> queries;
  for (const char* word : {"first", "second", "third", "fourth", "fifth", "sixth"}) {
    queries.push_back(std::string(R"({"decision":"continue","reasoning":"The one missing evidence piece is: )") + word +
                      R"( use of apt-get.","missing":{"entity":"apt-get","attribute":")" + word +
                      R"( use"},"query":"What is the )" + word + R"( use of apt-get )" + std::string(word) +
                      R"( in practice?"})");
  }
  endless.script["researcher"] = queries;
  std::size_t number = 0;
  endless.search = [&](const json::Value& asked) {
    ++number;
    run::Reply reply;
    const std::string n = std::to_string(1000 + number * 7);
    reply.value = run::Data::written(R"({"status":"success","results":[{"title":"t)" + n + R"(","uri":"file:///)" + n +
                                     R"(","file":"f)" + n + R"(","line":1,"passage":")" +
                                     text_at(asked, "query").substr(0, 40) + R"( is )" + n + R"( packages."}]})");
    return reply;
  };
  endless.go(R"({"question":"Which option of apt-get removes configuration files?","limits":{"searches_max":4}})");
  INFO(endless.view());
  CHECK(text_at(*endless.notes("question_done")[0], "ended") == "searches");
  CHECK(number == 4);
}

TEST_CASE("research: a provider that fails ends the run with what is known, or fails it where nothing is") {
  ResearchRun intake;
  intake.script["intake"] = {"!fail"};
  intake.go(purge);
  CHECK(intake.machine().state() == run::State::failed);
  CHECK(intake.machine().error().message.find("the provider is down") != std::string::npos);
  for (const char* role : {"brain", "researcher", "answer", "report"}) {
    ResearchRun run;
    run.script[role] = {"!fail"};
    run.go(purge);
    REQUIRE(run.machine().state() == run::State::done);
    CHECK_MESSAGE(text_at(run.result(), "ended") == (std::string_view(role) == "answer" ? "done" : "provider"), role);
  }
}

TEST_CASE("research: hostile replies end in a report, never in an endless run nor a claim without a source") {
  const std::vector<std::string> hostile = {
      "",
      "{}",
      "[]",
      "null",
      "```json\n[{\"tool\":\"startResearch\"}]\n```",
      "I would rather not.",
      R"({"decision":{"a":1},"questions":"all of them","reasoning":[]})",
      R"({"decision":"continue","questions":[],"reasoning":"","query":{},"missing":[]})",
      R"({"decision":"done","questions":[{"question":"?","description":"","goal":""}]})",
      R"({"answer":{"claim":"x"},"confidence":"certain","claims":{}})",
      R"({"claims":[{"claim":"All is well.","citations":[0,-1,99,1.5]}],"answer":[{"claim":"x","source":77,)"
      R"("quote":"not there at all"}],"confidence":"high","decision":"done","questions":[],"query":"",)"
      R"("reasoning":"r"})",
      "{\"decision\":\"done\",\"questions\":[],\"criteria\":[{\"criterion\":42,\"met\":true}],\"reasoning\":"
      "\"renamed\"}",
      std::string(200'000, '[')};
  for (std::size_t i = 0; i < hostile.size(); ++i) {
    for (const char* only : {"", "intake", "brain", "researcher", "answer", "report", "judge"}) {
      ResearchRun run;
      for (const char* role : {"intake", "brain", "researcher", "answer", "report", "judge"}) {
        if (*only == '\0' || std::string_view(only) == role)
          run.script[role] = {hostile[i]};
      }
      run.person = {"Which option of apt-get removes configuration files?", "a name", "a number"};
      run.go(R"({"question":"Which option of apt-get removes configuration files?","judge":"model",)"
             R"("limits":{"rounds":3}})");
      INFO(i, " ", only);
      // An empty answer is a provider that failed; all else comes to its end.
      REQUIRE((run.machine().state() == run::State::done || hostile[i].empty()));
      if (run.machine().state() != run::State::done)
        continue;
      for (const json::Value& claim : list_at(run.result(), "claims")) {
        CHECK((!list_at(claim, "citations").empty() || text_at(claim, "grounding") == "uncited"));
      }
      CHECK(run.calls("brain") <= 3U * 4U);
    }
  }
}

TEST_CASE("research: a prompt holds every rule's title and every gate of its role") {
  ResearchRun run;
  run.go(purge);
  for (const auto& [role, name] : {std::pair{"intake", "intake"}, std::pair{"brain", "brain-evaluate"},
                                   std::pair{"researcher", "researcher-evaluate"}}) {
    const std::string prompt = run.prompts(role);
    const Result<contract::Contract> contract = contract::Contract::read(contract::built_in_contract(name)->text);
    REQUIRE(contract);
    const std::vector<std::string> titles = plumb::test::rule_titles(contract.value());
    REQUIRE(titles.size() >= 7);
    const auto& about = role;
    for (const std::string& title : titles)
      CHECK_MESSAGE(prompt.find("- " + title) != std::string::npos, about << ": " << title);
  }
}

TEST_CASE("research: no envelope of a search tells a model to try again") {
  using namespace plumb::pipelines::research;
  for (const SearchStatus status : {SearchStatus::success, SearchStatus::no_results, SearchStatus::rate_limited,
                                    SearchStatus::insufficient_specificity, SearchStatus::error}) {
    SearchReply reply;
    reply.status = status;
    reply.query = "q";
    reply.error = "e";
    reply.readings = {{"a", {}}, {"b", {}}};
    const std::string envelope = search_envelope(reply);
    CHECK(envelope.find("\"result\":\"") == 1);
    const std::size_t action = envelope.rfind("\"action\":");
    REQUIRE(action != std::string::npos);
    CHECK(envelope.find("\":", action + 10) == std::string::npos);  // the last member
    for (const char* word : {"again", "retry", "try", "broader", "once more"})
      CHECK_MESSAGE(envelope.find(word, action) == std::string::npos, word);
  }
}

TEST_CASE("research: the metrics of a run count over all questions what each question counts on its own") {
  ResearchRun run;
  run.call_ms = 100;
  run.script["researcher"] = {
      R"({"decision":"continue","reasoning":"The one missing evidence piece is: history of the package tools.",)"
      R"("missing":{"entity":"package tools","attribute":"history"},)"
      R"("query":"What is the written history of the package tools in Debian?"})",
      R"({"decision":"continue","reasoning":"The one missing evidence piece is: history of the package tools.",)"
      R"("missing":{"entity":"package tools","attribute":"history"},)"
      R"("query":"What is the written history of the package tools in Debian?"})",
      R"({"decision":"done","reasoning":"It is known.","query":""})"};
  run.go(plumb::test::two_questions_request);
  REQUIRE(run.machine().state() == run::State::done);
  INFO(run.view());
  const auto number = [](const json::Value& object, std::string_view name) {
    return std::stoull(text_at(object, name));
  };
  const json::Value& metrics = *run.result().find("metrics");
  std::uint64_t sources = 0, duplicates = 0, searches = 0, ms = 0;
  REQUIRE(list_at(run.result(), "questions").size() == 2);
  for (const json::Value& one : list_at(run.result(), "questions")) {
    const json::Value& own = *one.find("metrics");
    sources += number(own, "sources");
    duplicates += number(own, "duplicate_queries");
    searches += number(own, "searches");
    ms += number(own, "ms");
    CHECK(number(own, "ms") >= 400);  // two searches and what was asked of them
    CHECK(one.find("history") == nullptr);
  }
  CHECK(duplicates == 0);
  CHECK(number(metrics, "duplicate_queries") == 1);  // what the other question had asked
  CHECK(number(metrics, "sources") < sources);
  CHECK(number(metrics, "sources") <= 3);
  CHECK(number(metrics, "searches") == searches);
  CHECK(number(metrics, "ms_to_done") == ms / 2);
  CHECK(number(metrics, "ms") >= number(metrics, "ms_to_done"));
}

TEST_CASE("research: the same journal gives the same bytes") {
  ResearchRun run;
  plumb::test::every_gate(run);
  const Result<run::JournalFile> file = run::JournalFile::read(run.file);
  REQUIRE(file);
  const Result<run::Replayed> replayed = run::replay(pipelines::known_pipeline("research")->pipeline, file.value());
  REQUIRE(replayed);
  INFO(replayed.value().stored, "\n", replayed.value().now);
  CHECK(replayed.value().same);
}

TEST_CASE(
    "research: the most calls of a run follow from its bounds, and those of a provider without a model cost nothing") {
  const auto worst = [](const std::string& more) {
    json::Arena arena;
    const Result<json::Value> value =
        json::parse(R"({"question":"Who wrote dpkg?","search":{"providers":["corpus"]})" + more + "}", arena);
    REQUIRE(value);
    return pipelines::research::worst_case(pipelines::known_pipeline("research")->prepare(value.value(), {}).value());
  };
  // 5 decisions of the intake; of each of 10 rounds one, and of each of 3 questions 14, 2 that were too early and 3
  // answers; the report.
  CHECK(worst(R"(,"judge":"rules")").calls == 5 * 3 + 10 * (3 + 3 * (16 * 3 + 3 * 2)) + 2);
  CHECK(worst(R"(,"judge":"model")").calls == 5 * 6 + 10 * (6 + 3 * (16 * 6 + 3 * 2)) + 2);
  CHECK(worst(R"(,"judge":"model","limits":{"rounds":1,"questions":1,"searches_max":1})").calls == 5 * 6 + 6 + 2 + 2);
  CHECK(worst(R"(,"token_budget":9000)").budget == 9'000);
  const std::string free = R"(,"providers":{"intake":"extract","brain":"extract","researcher":"extract",)"
                           R"("finish":"extract"})";
  CHECK(worst(free).budget == 0);
}

TEST_CASE("research: a request says where it is wrong") {
  const auto refused = [](const std::string& request) {
    json::Arena arena;
    const Result<json::Value> value = json::parse(request, arena);
    REQUIRE(value);
    const Result<pipelines::Prepared> prepared = pipelines::known_pipeline("research")->prepare(value.value(), {});
    REQUIRE(!prepared);
    return prepared.error().where + " " + prepared.error().message;
  };
  CHECK(refused("[]") == " a request is a JSON object");
  CHECK(refused("{}").find("/question `question` is missing") == 0);
  CHECK(refused(R"({"question":"q","limit":3})").find("did you mean 'limits'?") != std::string::npos);
  CHECK(refused(R"({"question":"q","limits":{"rounds":0}})").find("/limits/rounds") == 0);
  CHECK(refused(R"({"question":"q","limits":{"searches_min":9,"searches_max":4}})").find("/limits/searches_min") == 0);
  CHECK(refused(R"({"question":"q","ask":"always"})").find("/ask") == 0);
  CHECK(refused(R"({"question":"q","search":{"providers":"corpus"}})").find("/search/providers") == 0);
}
