// Research where people and providers are not as one would wish: quotes that do not have what was asked for, readings
// that nobody names, searches that are down, budgets that end.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/run/journal_file.hpp"
#include "research_runs.hpp"
#include "tests/native/source_dir.hpp"

using namespace plumb;
using test::ResearchRun;

namespace {

std::string text_at(const json::Value& object, std::string_view name) {
  const json::Value* found = object.find(name);
  return found == nullptr ? std::string() : std::string(found->str());
}

std::span<const json::Value> list_at(const json::Value& object, std::string_view name) {
  return json::list_of(object, name);
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

TEST_CASE("research: met only where the quote has what was asked for; else it is not decided, with what is near") {
  // A quote of the right passage that names no option: whatever its author says of it, nothing is met.
  ResearchRun run;
  run.script["answer"] = {R"({"answer":[{"claim":"The option is known.","source":1,)"
                          R"("quote":"The command apt-get handles packages."}],"confidence":"high"})"};
  run.script["brain"] = {
      R"({"decision":"continue","reasoning":"r","questions":[{"question":"Which option of apt-get removes config)"
      R"(uration files?","description":"It gives the objective the name of the option that removes files.",)"
      R"("goal":"The option, with its source."}]})",
      R"({"decision":"done","reasoning":"r","questions":[],"criteria":[{"criterion":0,"met":true,"why":"answered"}]})"};
  run.go(purge);
  REQUIRE(run.machine().state() == run::State::done);
  INFO(run.view());
  CHECK(has(run.gates(), "brain criteria-settled rejected"));
  const json::Value& criterion = list_at(run.result(), "success_criteria")[0];
  CHECK(!criterion.find("met")->boolean);
  CHECK(text_at(criterion, "state") == "undecided");
  CHECK(list_at(run.result(), "citations").empty());
  REQUIRE(!list_at(run.result(), "nearest").empty());
  CHECK(text_at(list_at(run.result(), "nearest")[0], "quote") == "The command apt-get handles packages.");
  CHECK(text_at(run.result(), "report").find("## Nearest passages") != std::string::npos);
  CHECK(text_at(run.result(), "report").find("- not decided: ") != std::string::npos);
  // A planner may say itself that it is open.
  ResearchRun open;
  open.script = run.script;
  open.script["brain"][1] =
      R"({"decision":"done","reasoning":"r","questions":[],"criteria":[{"criterion":0,"met":null,"why":"open"}]})";
  open.go(purge);
  CHECK(!has(open.gates(), "brain criteria-settled rejected"));
  CHECK(text_at(list_at(open.result(), "success_criteria")[0], "state") == "undecided");
}

TEST_CASE("research: two readings that the judge names are asked back, never inferred") {
  ResearchRun run;
  run.script["intake"] = {
      R"([{"tool":"startResearch","arguments":{"objective":"How many kg does Mercury weigh?","reason":"It is clear.",)"
      R"("successCriteria":["The weight in kg is stated with one source."]}}])"};
  run.script["judge"] = {R"({"claims":[{"rule":"ambiguity-resolved","at":"/0/arguments","holds":false,)"
                         R"("reason":"Mercury: planet or metal"}]})"};
  run.go(R"({"question":"How heavy is Mercury?","judge":"model"})");
  CHECK(run.machine().state() == run::State::waiting);
  INFO(run.view());
  const auto decisions = run.notes("intake_decision");
  REQUIRE(decisions.size() == 1);
  CHECK(text_at(*decisions[0], "type") == "multi_choice_select");
  CHECK(run.view().find(R"("question":"Which is meant by Mercury?")") != std::string::npos);
  CHECK(run.view().find(R"("options":["planet","metal"])") != std::string::npos);
  // What is answered is the option's text, also where it was given beforehand.
  ResearchRun given;
  given.script = run.script;
  given.script["judge"] = {run.script["judge"][0], run.script["judge"][0], run.script["judge"][0], R"({"claims":[]})"};
  given.go(R"({"question":"How heavy is Mercury?","judge":"model","answers":["1"]})");
  REQUIRE(!given.notes("intake_answer").empty());
  CHECK(text_at(*given.notes("intake_answer")[0], "answer") == "planet");
  CHECK(given.prompts("intake").find("The user answered: planet") != std::string::npos);
  // Nobody may be asked: it goes on with its best reading.
  ResearchRun never;
  never.script = run.script;
  never.go(R"({"question":"How heavy is Mercury?","judge":"model","ask":"never"})");
  CHECK(never.machine().state() == run::State::done);
}

TEST_CASE("research: the reason of the intake's decision is kept") {
  for (
      const char* call :
      {R"([{"tool":"startResearch","arguments":{"objective":"Which option of apt-get removes configuration files?",)"
       R"("reason":"One tool is named.","successCriteria":["The option is stated with one source."]}}])",
       R"([{"tool":"startResearch","reasoning":"One tool is named.","arguments":{"objective":"Which option of apt-get )"
       R"(removes configuration files?","successCriteria":["The option is stated with one source."]}}])"}) {
    ResearchRun run;
    run.script["intake"] = {call};
    run.go(purge);
    REQUIRE(!run.notes("intake_decision").empty());
    CHECK(text_at(*run.notes("intake_decision")[0], "reasoning") == "One tool is named.");
  }
}

TEST_CASE("research: a search that is down is an outage of the run, which says when it may be asked again") {
  ResearchRun run;
  run.search = [](const json::Value&) {
    run::Reply reply;
    reply.value = run::Data::written(
        R"({"status":"rate_limited","results":[],"error":"too many questions","retry_after_ms":7000})");
    return reply;
  };
  run.go(purge);
  REQUIRE(run.machine().state() == run::State::done);
  INFO(run.view());
  CHECK(text_at(run.result(), "ended") == "search");
  CHECK(text_at(run.result(), "error") == "the search failed: too many questions");
  CHECK(text_at(run.result(), "retry_after_ms") == "7000");
  CHECK(text_at(list_at(run.result(), "success_criteria")[0], "state") == "undecided");
  CHECK(text_at(run.result(), "report").find("It may be asked again after 7 s.") != std::string::npos);
  CHECK(run.searches == 1);        // who said when it may be asked again is not asked before
  CHECK(run.calls("brain") == 1);  // who cannot search has nothing to plan with
}

TEST_CASE("research: a look-up is offered beside a corpus that does not know the term, outside of every fence") {
  ResearchRun run;
  std::vector<std::string> asked;
  run.search = [&](const json::Value& request) {
    std::string providers;
    for (const json::Value& one : list_at(request, "providers"))
      providers += std::string(one.str()) + " ";
    asked.push_back(providers + text_at(request, "query"));
    const bool web = providers.find("searxng") != std::string::npos;
    run::Reply reply;
    reply.value = run::Data::written(web ? R"({"status":"success","provider":"searxng","results":[{"title":"t",)"
                                           R"("uri":"https://t.example/","passage":"zypper-ng is a tool."}]})"
                                         : R"({"status":"no_results","results":[]})");
    return reply;
  };
  run.go(R"({"question":"Which option of zypper-ng removes files?","search":{"providers":["corpus","searxng"],)"
         R"("lookup":["searxng"]}})");
  REQUIRE(!asked.empty());
  CHECK(asked.front() == "corpus zypper-ng");  // the web knows every word, and is not asked
  const std::string prompt = run.prompts("intake");
  const std::size_t offer = prompt.find("quick_web_search {query} may be called once");
  REQUIRE(offer != std::string::npos);
  CHECK(offer < prompt.find("<<<message"));
}

TEST_CASE("research: the model's own labels stand beside those that were computed") {
  ResearchRun run;
  run.script["researcher"] = {
      R"({"decision":"done","reasoning":"It is known.","query":"","evidence_delta":"dead_end","grounding":"uncited",)"
      R"("novelty":"duplicate","specificity":"low"})"};
  run.go(purge);
  const json::Value& cycle = *run.notes("cycle").at(0);
  CHECK(json::value_text(*cycle.find("own_labels")) ==
        R"({"specificity":"low","novelty":"duplicate","evidence_delta":"dead_end","grounding":"uncited"})");
  CHECK(text_at(cycle, "evidence_delta") == "progress");
  CHECK(cycle.find("disagrees")->boolean);
}

TEST_CASE("research: a run that its budget ends says so, wherever it is reached") {
  ResearchRun intake;
  intake.go(R"({"question":"Which option of apt-get removes configuration files?","token_budget":700})");
  REQUIRE(intake.machine().state() == run::State::done);
  CHECK(text_at(intake.result(), "ended") == "tokens");
  ResearchRun later;
  later.tokens_each = 2'000;
  later.script["brain"] = {
      R"({"decision":"continue","reasoning":"r","questions":[{"question":"Which option of apt-get removes config)"
      R"(uration files?","description":"It gives the objective the name of the option that removes files.",)"
      R"("goal":"The option, with its source."}]})"};
  later.script["researcher"] = {R"({"decision":"done","reasoning":")" + std::string(400, 'x') + R"(","query":""})"};
  later.go(R"({"question":"Which option of apt-get removes configuration files?","token_budget":7000})");
  REQUIRE(later.machine().state() == run::State::done);
  CHECK(text_at(later.result(), "ended") == "tokens");
  CHECK(text_at(later.result(), "error").find("budget_exceeded") == 0);
}

TEST_CASE("research: a question that names nothing to search for is refused, also as a rewrite") {
  ResearchRun run;
  const std::string nothing =
      R"({"decision":"continue","reasoning":"r","questions":[{"question":"What is the purpose of How many?",)"
      R"("description":"It gives the objective the option.","goal":"The option, with its source."}]})";
  run.script["brain"] = {nothing, nothing};
  run.go(purge);
  INFO(run.view());
  CHECK(has(run.gates(), "brain question-searches rejected"));
  for (const json::Value* round : run.notes("brain_round")) {
    for (const json::Value& one : list_at(*round, "questions"))
      CHECK(text_at(one, "text").find("How many") == std::string::npos);
  }
}

TEST_CASE("research: a bundled question is judged also where another one breaks a rule") {
  ResearchRun run;
  const std::string both =
      R"({"decision":"continue","reasoning":"r","questions":[{"question":"apt-get AND purge","description":"It gives )"
      R"(the objective the option.","goal":"The option, with its source."},{"question":"Which name and which option )"
      R"(does the remover of apt-get have?","description":"It gives the objective the option that removes.",)"
      R"("goal":"The option, with its source."}]})";
  run.script["brain"] = {both, both};
  run.script["judge"] = {R"({"claims":[]})",
                         R"({"claims":[{"rule":"single-unknown","at":"/questions/1/question","holds":false,)"
                         R"("reason":"it asks for a name and for an option"}]})"};
  run.go(R"({"question":"Which option of apt-get removes configuration files?","judge":"model"})");
  INFO(run.view());
  INFO(joined(run.gates()));
  const auto gates = run.notes("gate");
  const auto fired = [&](const char* rule, const char* at) {
    return std::any_of(gates.begin(), gates.end(), [&](const json::Value* one) {
      return text_at(*one, "rule") == rule && text_at(*one, "at") == at && text_at(*one, "attempt") == "1";
    });
  };
  CHECK(fired("no-search-query", "/questions/0/question"));
  CHECK(fired("single-unknown", "/questions/1/question"));
}

TEST_CASE("research: a run that was begun before its steps were changed goes on from every entry, to the same end") {
  const std::filesystem::path path =
      std::filesystem::path(plumb::test::source_dir()) / "tests" / "cases" / "research" / "begun_before.ndjson";
  std::ifstream in(path, std::ios::binary);
  const std::string journal((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const Result<run::JournalFile> file = run::JournalFile::read(journal);
  REQUIRE(file);
  const std::size_t entries = file.value().entries.size();
  REQUIRE(entries > 40);
  for (std::size_t count = 1; count + 1 < entries; ++count) {
    ResearchRun run;
    run.go_on(journal, count);
    INFO(count, " ", run.machine().error().message, " ", run.machine().error().where);
    REQUIRE(run.machine().state() == run::State::done);
    CHECK(text_at(run.result(), "ended") == "done");
    CHECK(list_at(run.result(), "citations").size() >= 1);
  }
}
