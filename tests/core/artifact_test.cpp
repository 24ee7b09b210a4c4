#include "core/pipelines/artifact/artifact.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/extract/task.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/pointer.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/pipelines.hpp"
#include "core/pipelines/prompt.hpp"
#include "core/text/quotes.hpp"
#include "example_chapter.hpp"
#include "seed_artifacts.hpp"

using namespace plumb;
using namespace plumb::pipelines;
using run::Data;
using run::Machine;
using run::Reply;
using run::State;
using run::Want;

namespace {

constexpr std::string_view photosynthesis =
    "Photosynthesis is the process by which plants convert light energy into chemical energy stored in glucose "
    "molecules. This occurs in chloroplasts, which contain chlorophyll pigment.";
// Is in it, and has a word of each of the two questions.
constexpr std::string_view proof = "chemical energy stored in glucose molecules. This occurs in chloroplasts";

Reply text_reply(std::string_view text, std::uint64_t input_tokens = 100, std::uint64_t output_tokens = 50) {
  std::string json;
  json::Writer writer(json);
  writer.begin_object().member("text", text).member("finish", "stop").key("usage").begin_object();
  writer.member_uint("input_tokens", input_tokens).member_uint("output_tokens", output_tokens).end_object();
  writer.end_object();
  Reply reply;
  reply.value = Data::written(json);
  return reply;
}

Reply refusing_reply(std::string_view refusal, std::string_view finish) {
  std::string json;
  json::Writer(json).begin_object().member("text", "").member("refusal", refusal).member("finish", finish).end_object();
  Reply reply;
  reply.value = Data::written(json);
  return reply;
}

Reply failed_reply(run::Status status, std::string error, bool retryable = true) {
  Reply reply;
  reply.status = status;
  reply.error = std::move(error);
  reply.value = Data::written(retryable ? R"({"class":"server","retryable":true})"
                                        : R"({"class":"unauthorised","retryable":false})");
  return reply;
}

Reply extract_reply(const Want& want) {
  const Result<std::string> value = extract::reply_to(want.request.value());
  if (!value) {
    return failed_reply(run::Status::failed, value.error().message, false);
  }
  Reply reply;
  reply.value = Data::written(value.value());
  return reply;
}

// A claim of the judge: what fails comes with its reason.
struct Fails {
  std::string rule;
  std::string at;
  std::string reason;
};

// Claims on everything that the prompt asks about: all hold with this quote, but those.
std::string claims(const std::vector<std::string>& places, std::string_view quote, const std::vector<Fails>& fails,
                   const std::vector<std::string>& rules = {"answerable", "no-invention", "answer-correct"}) {
  std::string out;
  json::Writer json(out);
  json.begin_object().key("claims").begin_array();
  for (const std::string& rule : rules) {
    for (const std::string& at : places) {
      const Fails* failed = nullptr;
      for (const Fails& one : fails) {
        failed = one.rule == rule && one.at == at ? &one : failed;
      }
      json.begin_object().member("rule", rule).member("at", at).member_boolean("holds", failed == nullptr);
      json.member_uint("chunk", 0).member("quote", failed == nullptr ? quote : std::string_view());
      json.member("reason", failed == nullptr ? "" : failed->reason).end_object();
    }
  }
  json.end_array().end_object();
  return out;
}

Data request(std::string_view type, std::string_view content, std::string_view more = "") {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("artifact_type", type).member("content", content).end_object();
  if (!more.empty()) {
    out.insert(out.size() - 1, "," + std::string(more));
  }
  return Data::written(out);
}

// A run with a scripted model: the answers of each phase in order; where they end, the last one comes again.
struct Job {
  std::map<std::string, std::vector<Reply>> script;
  std::map<std::string, std::size_t> calls;
  std::vector<Want> asked;
  std::vector<std::string> lines;
  bool extracts = false;
  std::uint64_t now = 1'770'546'600'000;  // 2026-02-08T10:30:00Z

  std::string text;  // its view
  State state = State::waiting;
  std::vector<std::uint64_t> progress;
  std::vector<run::Stored> stored;

  void run(const Data& what, const Texts& texts = {}) {
    const Known* known = known_pipeline("artifact");
    Result<Prepared> prepared = known->prepare(what.value(), texts);
    REQUIRE_MESSAGE(prepared, (prepared ? "" : prepared.error().message));
    Machine machine = Machine::start(known->pipeline, "job456", prepared.value().input, prepared.value().pins, {}, now);
    for (int step = 0; step < 200; ++step) {
      state = machine.step(++now);
      keep(machine);
      note_progress(machine.journal());
      if (state != State::waiting) {
        break;
      }
      for (const Want& want : machine.wanted()) {
        REQUIRE(machine.attempt(want.key, ++now));
        keep(machine);
        asked.push_back(want);
        const std::string phase(want.request.value().find("phase")->str());
        const std::size_t number = calls[phase]++;
        Reply reply;
        if (const auto found = script.find(phase); found != script.end()) {
          reply = found->second[std::min(number, found->second.size() - 1)];
        } else if (extracts) {
          reply = extract_reply(want);
        } else {
          FAIL("no answer for phase " << phase);
        }
        now += 1000;
        REQUIRE(machine.reply(want.key, std::move(reply), now));
        keep(machine);
      }
    }
    text = known->view(machine.journal());
    for (const LogLine& line : known->log(machine.journal(), 0)) {
      lines.push_back(line.text);
    }
  }

  void keep(Machine& machine) {
    for (run::Stored& one : machine.take()) {
      stored.push_back(std::move(one));
    }
  }

  void note_progress(const run::Journal& journal) {
    const Data seen = Data::written(known_pipeline("artifact")->view(journal));
    std::uint64_t percent = std::stoull(std::string(seen.value().find("progress")->str()));
    if (progress.empty() || progress.back() != percent) {
      progress.push_back(percent);
    }
  }

  std::string at(std::string_view pointer) const {
    const Data seen = Data::written(text);
    const json::Value* found = json::resolve(seen.value(), pointer);
    return found == nullptr                ? "(nothing)"
           : found->is(json::Kind::string) ? std::string(found->str())
                                           : json::value_text(*found);
  }

  // The lines are in the log in this order, whatever is between them.
  void check_lines(const std::vector<std::string>& wanted) const {
    std::size_t from = 0;
    for (const std::string& line : wanted) {
      std::size_t i = from;
      while (i < lines.size() && lines[i] != line) {
        ++i;
      }
      CHECK_MESSAGE(i < lines.size(), "missing, or not in order: " << line);
      from = i < lines.size() ? i + 1 : from;
    }
  }
};

constexpr std::string_view quiz_plan = R"({"concepts":["photosynthesis process","chloroplast function"]})";
const std::vector<std::string> two_questions = {"/questions/0", "/questions/1"};

}  // namespace

TEST_CASE("artifact: the seed's first trace, a quiz repaired in one attempt, word for word") {
  Job job;
  job.script["plan"] = {text_reply(quiz_plan)};
  job.script["generate"] = {text_reply(seed_artifacts::quiz_faulty)};
  job.script["judge"] = {
      text_reply(
          claims(two_questions, proof,
                 {{"answer-correct", "/questions/0", R"(Answer "Energy production" is too vague based on content)"},
                  {"answer-correct", "/questions/1", R"("Chloroplasts" not in options list)"}})),
      text_reply(claims(two_questions, proof, {}))};
  job.script["repair"] = {text_reply(seed_artifacts::quiz_repaired)};
  job.run(request("quiz", photosynthesis));
  CHECK(job.state == State::done);
  const std::vector<std::string> expected = {
      "⚙️ Processing job job456 (type=quiz)",
      "📋 Phase 1: Planning quiz structure...",
      "✓ Plan created: 2 concepts",
      "🔨 Phase 2: Generating quiz content...",
      "✓ Generated artifact: 2 questions",
      "✅ Phase 3: Validating quiz...",
      "  → Step 1: Structural validation...",
      "  ✗ 3 violations found",
      "  → Step 2: Semantic validation...",
      "  ✗ 2 issues found",
      "⚠️  Validation failed: 3 structural violations, 2 semantic issues",
      "  → Step 3: Attempting automatic repair...",
      "🔧 Repair attempt 1/2",
      "  → Revalidating structure...",
      "  ✓ Structure valid",
      "  → Revalidating semantics...",
      "  ✓ Semantics valid",
      "✓ Repair successful after 1 attempt(s)",
      "✅ Job job456 completed successfully (progress: 100%)",
  };
  CHECK(job.lines == expected);
  CHECK(job.progress == std::vector<std::uint64_t>{0, 20, 80, 85, 100});
  CHECK(job.at("/status") == "completed");
  CHECK(job.at("/progress") == "100");
  CHECK(job.at("/decision") == "accept");
  CHECK(job.at("/result/questions/1/correct_answer") == "Chloroplasts");
  CHECK(job.at("/created_at") == "2026-02-08T10:30:00Z");

  // The repair prompt has the seed's parts in its order, and nothing else of the model's but between fences.
  const json::Value& messages = *job.asked[3].request.value().find("messages");
  const std::string prompt(messages.array().back().find("content")->str());
  std::size_t at = 0;
  for (const std::string_view part :
       {"Repair this quiz artifact to fix the following violations.", "Original Plan:", "photosynthesis process",
        "Source Content:", "Photosynthesis is the process", "Current Artifact (INVALID):", "\"Water absorption\"",
        "Violations Found:", "Structural Violations:\n", "  - Question 1: Must have at least 4 options (has 3)\n",
        "  - Question 2: Options must be unique (found duplicates)\n",
        "  - Question 2: correct_answer 'Chloroplasts' must be one of the options\n", "Semantic Issues:\n",
        "  - Question 1: Answer \"Energy production\" is too vague based on content\n",
        "  - Question 2: \"Chloroplasts\" not in options list\n", "Rules:\n1. ",
        "CRITICAL: Return the COMPLETE corrected artifact in valid JSON format."}) {
    const std::size_t found = prompt.find(part, at);
    CHECK_MESSAGE(found != std::string::npos, "not in the prompt, or not in order: " << part);
    at = found == std::string::npos ? at : found;
  }
}

TEST_CASE("artifact: the seed's second trace, flashcards repaired in two attempts") {
  const std::string source =
      "Adenosine triphosphate (ATP) is the primary energy molecule of cells. It stores energy in phosphate bonds. "
      "Mitochondria are organelles where cellular respiration produces ATP.";
  const std::vector<std::string> cards = {"/flashcards/0", "/flashcards/1"};
  const std::vector<std::string> rules = {"no-invention", "definition-accurate"};
  const std::string both =
      "It stores energy in phosphate bonds. Mitochondria are organelles where cellular respiration produces ATP";
  Job job;
  job.script["plan"] = {text_reply(R"({"terms":["ATP","Mitochondria"]})")};
  job.script["generate"] = {text_reply(seed_artifacts::flashcards_faulty)};
  job.script["judge"] = {
      text_reply(claims(cards, both, {}, rules)),
      text_reply(claims(cards, both,
                        {{"no-invention", "/flashcards/1", "\"ATP Production\" not found in source chunks"}}, rules)),
      text_reply(claims(cards, both, {}, rules))};
  job.script["repair"] = {text_reply(seed_artifacts::flashcards_repair_1),
                          text_reply(seed_artifacts::flashcards_repair_2)};
  job.run(request("flashcards", source));
  CHECK(job.state == State::done);
  job.check_lines({"✓ Plan created: 2 terms",
                   "✓ Generated artifact: 2 flashcards",
                   "  → Step 1: Structural validation...",
                   "  ✗ 2 violations found",
                   "  → Step 2: Semantic validation...",
                   "  ✓ Semantics valid",
                   "⚠️  Validation failed: 2 structural violations, 0 semantic issues",
                   "  → Step 3: Attempting automatic repair...",
                   "🔧 Repair attempt 1/2",
                   "  → Revalidating structure...",
                   "  ✓ Structure valid",
                   "  → Revalidating semantics...",
                   "  ✗ 1 issue found",
                   "  ✗ Still invalid after repair",
                   "🔧 Repair attempt 2/2",
                   "  → Revalidating structure...",
                   "  ✓ Structure valid",
                   "  → Revalidating semantics...",
                   "  ✓ Semantics valid",
                   "✓ Repair successful after 2 attempt(s)",
                   "✅ Job job456 completed successfully (progress: 100%)"});
  CHECK(job.progress == std::vector<std::uint64_t>{0, 20, 80, 85, 90, 100});
  CHECK(job.at("/result/flashcards/1/front") == "Mitochondria");
}

TEST_CASE("artifact: the seed's third trace, a source that says too little fails with both lists") {
  Job job;
  job.script["plan"] = {text_reply(R"({"concepts":["a","b","c"]})")};
  job.script["generate"] = {text_reply(seed_artifacts::quiz_repaired)};
  job.script["judge"] = {text_reply(claims(two_questions, "Photosynthesis occurs in plants",
                                           {{"answerable", "/questions/0", "Not answerable from source"},
                                            {"no-invention", "/questions/0", "Contains hallucinated facts"},
                                            {"no-invention", "/questions/1", "Contains hallucinated facts"}})),
                         text_reply(claims(two_questions, "Photosynthesis occurs in plants",
                                           {{"answerable", "/questions/0", "Not answerable from source"},
                                            {"no-invention", "/questions/1", "Contains hallucinated facts"}}))};
  std::string simpler(seed_artifacts::quiz_repaired);
  simpler.replace(simpler.find("Mineral uptake"), 14, "Growth of roots");
  job.script["repair"] = {text_reply(simpler)};
  job.run(request("quiz", "Photosynthesis occurs in plants."));
  CHECK(job.state == State::failed);
  CHECK(job.at("/status") == "failed");
  CHECK(job.at("/progress") == "100");
  CHECK(
      job.at("/error") ==
      "Validation failed after 2 repair attempts. Violations: [] Issues: [\"Question 1: Not answerable from source\", "
      "\"Question 2: Contains hallucinated facts\"]");
  CHECK(job.at("/initial_issues") ==
        R"(["Question 1: Not answerable from source","Question 1: Contains hallucinated facts",)"
        R"("Question 2: Contains hallucinated facts"])");
  job.check_lines(
      {"🔧 Repair attempt 1/2", "  ✗ 2 issues found", "  ✗ Still invalid after repair", "🔧 Repair attempt 2/2",
       "✗ Repair failed after 2 attempts", "→ Status: failed (progress: 100%)",
       "→ Error: Validation failed after 2 repair attempts.\n            Violations: []\n            Issues: "
       "[\"Question 1: Not answerable from source\", \"Question 2: Contains hallucinated facts\"]"});
}

TEST_CASE("artifact: with extract, every type of artifact comes from the chapter, and every proof stands in it") {
  for (const std::string_view type : {"quiz", "flashcards", "mindmap"}) {
    CAPTURE(type);
    Job job;
    job.extracts = true;
    job.run(request(type, example_chapter));
    REQUIRE_MESSAGE(job.state == State::done, job.text);
    CHECK(job.at("/status") == "completed");
    CHECK(job.at("/decision") == "accept");
    CHECK(job.at("/tokens_used") == "0");
    const Data seen = Data::written(job.text);
    const auto proofs = seen.value().find("evidence")->array();
    CHECK(proofs.size() >= 3);
    for (const json::Value& one : proofs) {
      CHECK(text::find_quote(one.find("quote")->str(), example_chapter, 4).status == text::QuoteStatus::found);
    }
  }
}

TEST_CASE("artifact: with extract, a source of one sentence fails with both lists, never as a thin quiz") {
  Job job;
  job.extracts = true;
  job.run(request("quiz", "Photosynthesis occurs in plants.", R"("options":{"num_questions":5})"));
  CHECK(job.state == State::failed);
  const std::string error = job.at("/error");
  CAPTURE(error);
  CHECK(error.rfind("Validation failed after 2 repair attempts. Violations: [\"", 0) == 0);
  CHECK(error.find("\"Must have exactly 5 questions (has ") != std::string::npos);
  CHECK(error.find("Issues: [\"Question 1: Not answerable from source\"") != std::string::npos);
}

TEST_CASE("artifact: an answer equal to one option but for case and space is mended without a model") {
  std::string quiz(seed_artifacts::quiz_repaired);
  const std::string right = R"("correct_answer": "Chloroplasts")";
  quiz.replace(quiz.find(right), right.size(), R"("correct_answer": " chloroplasts ")");
  Job job;
  job.script["plan"] = {text_reply(quiz_plan)};
  job.script["generate"] = {text_reply("```json\n" + quiz + "\n```")};
  job.script["judge"] = {text_reply(claims(two_questions, proof, {}))};
  job.run(request("quiz", photosynthesis));
  CHECK(job.state == State::done);
  CHECK(job.at("/result/questions/1/correct_answer") == "Chloroplasts");
  CHECK(job.at("/attempts") == "0");
  CHECK(job.progress == std::vector<std::uint64_t>{0, 20, 80, 100});
  job.check_lines({"  ✗ 1 violation found", "  ✓ Semantics valid",
                   "⚠️  Validation failed: 1 structural violation, 0 semantic issues",
                   "  → Fixed without a model: 1 value put in the spelling of the one that was meant",
                   "✅ Job job456 completed successfully (progress: 100%)"});
}

TEST_CASE("artifact: what fails in the world is tried once more, and what cannot get better is not") {
  Job job;
  job.script["plan"] = {failed_reply(run::Status::timed_out, "no answer in 45 s"), text_reply(quiz_plan)};
  job.script["generate"] = {text_reply(seed_artifacts::quiz_repaired)};
  job.script["judge"] = {text_reply(claims(two_questions, proof, {}))};
  job.run(request("quiz", photosynthesis));
  CHECK(job.state == State::done);
  CHECK(job.calls["plan"] == 2);
  job.check_lines({"⚠️  Plan call failed: timeout - LLM call exceeded time limit; trying once more"});

  Job twice;
  twice.script["plan"] = {failed_reply(run::Status::timed_out, "no answer in 45 s")};
  twice.run(request("quiz", photosynthesis));
  CHECK(twice.state == State::failed);
  CHECK(twice.calls["plan"] == 2);
  CHECK(twice.at("/error") == "timeout - LLM call exceeded time limit");

  Job refused;
  refused.script["plan"] = {failed_reply(run::Status::failed, "the key is not accepted", false)};
  refused.run(request("quiz", photosynthesis));
  CHECK(refused.calls["plan"] == 1);
  CHECK(refused.at("/error") == "provider failed - the key is not accepted");
}

TEST_CASE("artifact: a judge that cannot be reached, or speaks off contract, costs no repair") {
  for (const bool passes : {false, true}) {
    for (const Reply& judge : {failed_reply(run::Status::failed, "503"), text_reply("I think it is fine.")}) {
      Job job;
      job.script["plan"] = {text_reply(quiz_plan)};
      job.script["generate"] = {text_reply(seed_artifacts::quiz_repaired)};
      job.script["judge"] = {judge};
      job.run(request("quiz", photosynthesis, passes ? R"("on_unverified":"pass")" : ""));
      CHECK(job.calls["judge"] == 2);
      CHECK(job.calls["repair"] == 0);
      CHECK(job.at("/status") == (passes ? "completed" : "failed"));
      CHECK(job.at(passes ? "/decision" : "/status") == (passes ? "accept_unverified" : "failed"));
      CHECK(job.at(passes ? "/unverified_reason" : "/error").find(judge.ok() ? "breaks its contract" : "503") !=
            std::string::npos);
      if (passes) {
        job.check_lines({"✅ Job job456 completed successfully (progress: 100%), not verified by a judge"});
      }
    }
  }
}

TEST_CASE("artifact: a claim without a quote that stands in the source proves nothing") {
  Job job;
  job.script["plan"] = {text_reply(quiz_plan)};
  job.script["generate"] = {text_reply(seed_artifacts::quiz_repaired)};
  job.script["judge"] = {text_reply(claims(two_questions, "Plants are green since they like it", {}))};
  job.run(request("quiz", photosynthesis));
  CHECK(job.state == State::failed);
  CHECK(job.at("/error") == "not verified - the judge did not settle 6 questions");
}

TEST_CASE("artifact: a repair that is not better is not kept") {
  Job job;
  job.script["plan"] = {text_reply(quiz_plan)};
  job.script["generate"] = {text_reply(seed_artifacts::quiz_faulty)};
  job.script["judge"] = {text_reply(claims(two_questions, proof, {}))};
  job.script["repair"] = {text_reply("{\"questions\": [{}, {}, {}]}"), text_reply(seed_artifacts::quiz_repaired)};
  job.run(request("quiz", photosynthesis));
  CHECK(job.state == State::done);
  job.check_lines({"  ✗ Repair not kept: it lacks members that are required; the version before stays",
                   "🔧 Repair attempt 2/2", "✓ Repair successful after 2 attempt(s)"});
  // The second attempt works on the best version there is, not on what the first one made of it.
  const std::string prompt(job.asked.at(4).request.value().find("messages")->array().back().find("content")->str());
  CHECK(prompt.find("\"Water absorption\"") != std::string::npos);
}

TEST_CASE("artifact: a patch touches only what is wrong, else the whole is asked for") {
  const std::string patch = R"({"patch":[
    {"op":"add","path":"/questions/0/options/-","value":"Mineral uptake"},
    {"op":"replace","path":"/questions/1/options/1","value":"Chloroplasts"}]})";
  const std::string too_far = R"({"patch":[{"op":"replace","path":"/questions/0/question","value":"Why?"}]})";
  Job job;
  job.script["plan"] = {text_reply(quiz_plan)};
  job.script["generate"] = {text_reply(seed_artifacts::quiz_faulty)};
  job.script["judge"] = {text_reply(claims(two_questions, proof, {}))};
  job.script["repair"] = {text_reply(too_far), text_reply(seed_artifacts::quiz_faulty), text_reply(patch)};
  job.run(request("quiz", photosynthesis, R"("repair":"patch")"));
  CHECK(job.state == State::done);
  CHECK(job.calls["repair"] == 3);
  CHECK(job.at("/result/questions/0/question") == "What is photosynthesis?");
  CHECK(job.at("/result/questions/0/options/3") == "Mineral uptake");
  job.check_lines(
      {"🔧 Repair attempt 1/2",
       "  ⚠️ Patch refused: operation 1 of the patch: it changes /questions/0/question, which no finding is "
       "about; asking for the whole",
       "🔧 Repair attempt 2/2", "  ✓ Patch applied", "✓ Repair successful after 2 attempt(s)"});
}

namespace {

std::string last_message(const Want& want) {
  return std::string(json::text_of(want.request.value().find("messages")->array().back(), "content"));
}
std::uint64_t room_of(const Want& want) { return json::number_of(want.request.value(), "output_tokens_max"); }
bool says(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

TEST_CASE("artifact: a request after an answer that could not be used says what was wrong with it") {
  Job job;
  const std::string good = claims(two_questions, proof, {});
  job.script["plan"] = {text_reply(R"({"concepts":[]})"), text_reply(quiz_plan)};
  job.script["generate"] = {text_reply("Sure! Which questions would you like?"),
                            text_reply(seed_artifacts::quiz_repaired)};
  job.script["judge"] = {text_reply(R"({"claims":[{"rule":"answerable"}]})"), text_reply(good)};
  job.run(request("quiz", photosynthesis));
  CHECK(job.state == State::done);
  REQUIRE(job.asked.size() == 6);
  const std::string plan = last_message(job.asked[1]);
  CHECK(says(plan,
             "Your last answer could not be used. What was wrong with it, by kind:\n* count: 1 issue: keep to the "));
  CHECK(says(plan, R"({"result":"validation_failed","issues":{"invalid":[{"field":"concepts")"));
  // What is fenced is data: what to do stands behind it.
  CHECK(plan.ends_with(">>>\nAnswer again, complete."));
  CHECK(says(last_message(job.asked[3]), "it was prose, not JSON"));
  const std::string judge = last_message(job.asked[5]);
  CHECK(says(judge, R"("missing":[{"field":"claims[0].at")"));
  for (const std::size_t first : {0U, 2U, 4U}) {
    CHECK_FALSE(says(last_message(job.asked[first]), "could not be used"));
  }
  job.check_lines(
      {"⚠️  Generate call failed: the model answered without JSON: Sure! Which questions would you like?; "
       "trying once more"});
}

TEST_CASE("artifact: a refusal is named and costs no repair") {
  struct Refusal {
    Reply reply;
    std::string_view named;
  };
  const std::vector<Refusal> refusals = {
      {refusing_reply("I cannot help with that.", "stop"), "the model refused: I cannot help with that."},
      {refusing_reply("", "refusal"), "the model refused"},
      {refusing_reply("", "content_filter"), "the provider's content filter stopped the answer"},
      {text_reply("I'm sorry, but I can't help with that."),
       "the model answered without JSON: I'm sorry, but I can't help with that."}};
  for (const Refusal& one : refusals) {
    CAPTURE(std::string(one.named));
    {
      Job job;
      job.script["plan"] = {text_reply(quiz_plan)};
      job.script["generate"] = {one.reply};
      job.run(request("quiz", photosynthesis));
      CHECK(job.state == State::failed);
      CHECK(job.at("/error") == std::string(one.named));
      CHECK(job.calls["generate"] == 2);
      CHECK(says(last_message(job.asked.back()), "Your last answer could not be used: "));
    }
    {
      Job job;
      job.script["plan"] = {text_reply(quiz_plan)};
      job.script["generate"] = {text_reply(seed_artifacts::quiz_faulty)};
      job.script["judge"] = {text_reply(claims(two_questions, proof, {}))};
      job.script["repair"] = {one.reply};
      job.run(request("quiz", photosynthesis));
      CHECK(job.state == State::failed);
      CHECK(job.at("/error") == std::string(one.named) + " (while repairing, attempt 1 of 2)");
      CHECK(job.calls["repair"] == 2);
      CHECK(job.at("/attempts") == "0");
    }
    {
      Job job;
      job.script["plan"] = {text_reply(quiz_plan)};
      job.script["generate"] = {text_reply(seed_artifacts::quiz_faulty)};
      job.script["judge"] = {text_reply(claims(two_questions, proof, {}))};
      job.script["repair"] = {one.reply, text_reply(seed_artifacts::quiz_repaired)};
      job.run(request("quiz", photosynthesis));
      CHECK(job.state == State::done);
      CHECK(job.at("/attempts") == "1");
    }
  }
}

TEST_CASE("artifact: a repair that was not kept is told to the next one by the rules that it broke, without its text") {
  Job job;
  job.script["plan"] = {text_reply(quiz_plan)};
  job.script["generate"] = {text_reply(seed_artifacts::quiz_faulty)};
  job.script["judge"] = {text_reply(claims(two_questions, proof, {}))};
  job.script["repair"] = {text_reply(R"({"questions": [{"question":"Zebras?"}, {}, {}]})"),
                          text_reply(seed_artifacts::quiz_repaired)};
  job.run(request("quiz", photosynthesis));
  CHECK(job.state == State::done);
  const std::string first = last_message(job.asked.at(3));
  const std::string second = last_message(job.asked.at(4));
  CHECK_FALSE(says(first, "was not kept"));
  CHECK(says(second,
             "\nThe repair before this one was not kept: it broke `questions/*` (`question`, `options`, "
             "`correct_answer` and `explanation` are there).\n"));
  CHECK_FALSE(says(second, "Zebras"));
  // The shape of the answer, what to do outside of the fences, and the seed's own last line.
  CHECK(says(second, "Answer with one JSON value of this shape"));
  CHECK(says(second, ">>>\nCorrect each of these issues."));
  CHECK(says(second, "\n\nCRITICAL: Return the COMPLETE corrected artifact in valid JSON format."));
}

TEST_CASE("artifact: the room of an answer follows from what is asked, and is doubled after its limit") {
  const auto cut = [](std::string_view text) {
    std::string json;
    json::Writer(json).begin_object().member("text", text).member("finish", "length").end_object();
    Reply reply;
    reply.value = Data::written(json);
    return reply;
  };
  Job job;
  job.script["plan"] = {cut(R"({"concepts":["photosyn)"), text_reply(quiz_plan)};
  job.script["generate"] = {cut(""), text_reply(seed_artifacts::quiz_repaired)};
  job.script["judge"] = {cut(R"({"claims":[{"rule")"), text_reply(claims(two_questions, proof, {}))};
  job.run(request("quiz", photosynthesis, R"("options":{"num_questions":2})"));
  CHECK(job.state == State::done);
  REQUIRE(job.asked.size() == 6);
  for (const std::size_t first : {0U, 2U, 4U}) {
    CAPTURE(first);
    CHECK(room_of(job.asked[first + 1]) == 2 * room_of(job.asked[first]));
    CHECK(says(last_message(job.asked[first + 1]), "Write less: only what was asked for."));
  }
  Job many;
  many.extracts = true;
  many.run(request("quiz", example_chapter, R"("options":{"num_questions":40})"));
  CHECK(room_of(many.asked.front()) == 40 * 80 + 100);
}

TEST_CASE("artifact: a repair of what was cut off is told how much is there") {
  Job job;
  job.script["plan"] = {text_reply(quiz_plan)};
  std::string begun(seed_artifacts::quiz_repaired);
  begun.resize(begun.rfind("\"options\""));
  job.script["generate"] = {text_reply(begun)};
  job.script["judge"] = {text_reply(claims(two_questions, proof, {}))};
  job.script["repair"] = {text_reply(seed_artifacts::quiz_repaired)};
  job.run(request("quiz", photosynthesis, R"("options":{"num_questions":2})"));
  CHECK(job.state == State::done);
  CHECK(says(last_message(job.asked.at(2)), "\n1 question is there.\n"));
}

TEST_CASE("artifact: the token budget holds before each call") {
  Job job;
  job.script["plan"] = {text_reply(quiz_plan, 700, 100)};
  job.run(request("quiz", photosynthesis, R"("token_budget":1200)"));
  CHECK(job.state == State::failed);
  CHECK(job.calls["generate"] == 0);
  CHECK(job.at("/error").substr(0, 47) == "budget_exceeded - job exceeded token budget (12");
  CHECK(job.at("/tokens_used") == "800");

  const Result<Prepared> prepared = known_pipeline("artifact")->prepare(request("quiz", example_chapter).value(), {});
  REQUIRE(prepared);
  const artifact::WorstCase worst = artifact::worst_case(prepared.value());
  CHECK(worst.calls == 10);
  // Nobody gave a budget: it follows from the source, and a run may need less.
  CHECK(worst.budget == std::min(worst.tokens, artifact::usual_token_budget(2'615)));
  CHECK(artifact::usual_token_budget(0) == artifact::token_budget_base);
  CHECK(artifact::usual_token_budget(1'000) == artifact::token_budget_base + 8'000);
  CHECK(artifact::usual_token_budget(100'000) == artifact::token_budget_usual_max);
  const Result<Prepared> given =
      known_pipeline("artifact")->prepare(request("quiz", example_chapter, R"("token_budget":1200)").value(), {});
  REQUIRE(given);
  CHECK(artifact::worst_case(given.value()).budget == 1200);
}

TEST_CASE("artifact: a fourth type is a contract and a prompt, and nothing else") {
  const std::string contract = R"({"$id":"plumb:glossary","type":"object","required":["entries"],"properties":{
    "entries":{"type":"array","minItems":1,"items":{"itemLabel":"Entry {n}","type":"object",
      "required":["word","meaning"],"properties":{"word":{"type":"string","notBlank":true},
      "meaning":{"type":"string","notBlank":true}}}}},
    "rules":[{"id":"no-invention","title":"Nothing invented","each":"/entries/*","ask":"The source says this."}]})";
  const std::string prompt =
      "---\n{\"about\":\"Plans a glossary.\",\"planned\":{\"at\":\"/words/*\",\"one\":\"word\",\"many\":\"words\"},"
      "\"made\":{\"at\":\"/entries/*\",\"one\":\"entry\",\"many\":\"entries\"},"
      "\"answer\":{\"type\":\"object\",\"required\":[\"words\"]}}\n---\nPlan a glossary of {{source}}\n";
  Texts texts;
  texts.contract = [&](std::string_view) -> Result<std::string> { return contract; };
  texts.prompt = [&](std::string_view name) -> Result<std::string> {
    if (name == "artifact-plan-glossary") {
      return prompt;
    }
    return Error{ErrorCode::not_found, "none", "", 0, 0};
  };
  Job job;
  job.script["plan"] = {text_reply(R"({"words":["chloroplast"]})")};
  job.script["generate"] = {text_reply(R"({"entries":[{"word":"chloroplast","meaning":"where it occurs"}]})")};
  job.script["judge"] = {text_reply(claims({"/entries/0"}, "This occurs in chloroplasts", {}, {"no-invention"}))};
  job.run(request("glossary", photosynthesis), texts);
  CHECK(job.state == State::done);
  job.check_lines(
      {"⚙️ Processing job job456 (type=glossary)", "✓ Plan created: 1 word", "✓ Generated artifact: 1 entry"});
}

TEST_CASE("artifact: a request that cannot work is refused with the place and what to do") {
  struct Bad {
    std::string request;
    std::string where;
    std::string message;
  };
  const Bad all[] = {
      {R"([])", "", "a request is a JSON object"},
      {R"({"content":"x"})", "/artifact_type",
       "`artifact_type` is missing: quiz, flashcards, mindmap, or a type of your own"},
      {R"({"artifact_type":"poem","content":"x"})", "/artifact_type",
       "there is no contract for artifacts of type 'poem'; built in are flashcards, mindmap, quiz"},
      {R"({"artifact_type":"quiz"})", "/content",
       "the source is missing: give `content`, a text, or `chunks`, a list of passages"},
      {R"({"artifact_type":"quiz","contents":"x"})", "/contents",
       "there is no member 'contents'; did you mean 'content'?"},
      {R"({"artifact_type":"quiz","content":"x y","options":{"num_question":3}})", "/options/num_question",
       "there is no option 'num_question'; did you mean 'num_questions'?"},
      {R"({"artifact_type":"quiz","content":"x y","options":{"num_questions":0}})", "/options/num_questions",
       "the option 'num_questions' is a whole number from 1 to 50"},
      {R"({"artifact_type":"quiz","content":"x y","options":{"num_questions":51}})", "/options/num_questions",
       "the option 'num_questions' is a whole number from 1 to 50"},
      {R"({"artifact_type":"mindmap","content":"x y","options":{"depth":7}})", "/options/depth",
       "the option 'depth' is a whole number from 2 to 6"},
      {R"({"artifact_type":"quiz","content":"x y","salvage":"yes"})", "/salvage", "`salvage` is true or false"},
      {R"({"artifact_type":"quiz","content":"x y","limits_ms":{"plan":{"idel":1}}})", "/limits_ms/plan/idel",
       "there is no member 'idel'; did you mean 'idle'?"},
      {R"({"artifact_type":"quiz","content":"x y","token_budget":-1})", "/token_budget",
       "`token_budget` is a whole number from 1 to 100000000"},
      {R"({"artifact_type":"quiz","content":"x y","repair":"all"})", "/repair", "`repair` is \"whole\" or \"patch\""},
      {R"({"artifact_type":"quiz","content":"x y","limits_ms":{"plans":1}})", "/limits_ms/plans",
       "there is no phase 'plans'; did you mean 'plan'?"},
  };
  for (const Bad& bad : all) {
    CAPTURE(bad.request);
    const Result<Prepared> prepared = known_pipeline("artifact")->prepare(Data::written(bad.request).value(), {});
    REQUIRE(!prepared);
    CHECK(prepared.error().where == bad.where);
    CHECK(prepared.error().message == bad.message);
  }
}

TEST_CASE("artifact: the same request has the same fingerprint, another source or option another one") {
  const auto fingerprint = [](const Data& what) {
    Result<Prepared> prepared = known_pipeline("artifact")->prepare(what.value(), {});
    REQUIRE(prepared);
    return prepared.value().fingerprint;
  };
  const std::string one = fingerprint(request("quiz", photosynthesis, R"("source_ids":["b","a"])"));
  CHECK(one == fingerprint(request("quiz", photosynthesis, R"("source_ids":["a","b"])")));
  CHECK(one != fingerprint(request("quiz", photosynthesis, R"("source_ids":["a"])")));
  CHECK(one != fingerprint(request("quiz", "Another source.", R"("source_ids":["a","b"])")));
  CHECK(one != fingerprint(request("quiz", photosynthesis, R"("source_ids":["a","b"],"options":{"num_questions":3})")));
}

TEST_CASE("artifact: a stopped generation repairs from its beginning, and says what was not run") {
  const std::string begun = "{\"questions\": [{\"question\": \"What is photosynthesis?\", \"options\": [\"A\"],";
  Reply stopped = text_reply(begun);
  std::string value(stopped.value.text());
  value.insert(value.size() - 1, R"(,"stopped":{"why":"finding","received_bytes":74,"saved_tokens":400})");
  stopped.value = Data::written(value);
  Job job;
  job.script["plan"] = {text_reply(quiz_plan)};
  job.script["generate"] = {stopped};
  job.script["judge"] = {text_reply(claims(two_questions, proof, {}))};
  job.script["repair"] = {text_reply(seed_artifacts::quiz_repaired)};
  job.run(request("quiz", photosynthesis, R"("early_stop":"finding")"));
  CHECK(job.state == State::done);
  CHECK(job.at("/tokens_saved") == "400");
  CHECK(job.asked[1].request.value().find("early_stop")->str() == "finding");
  CHECK(job.calls["judge"] == 1);
  job.check_lines({"⚠️  Generation stopped early (finding): 74 bytes received, about 400 tokens saved",
                   "  → Step 2: Semantic validation...",
                   "  ⚠️ Not run: answerable, no-invention, answer-correct (the artifact is not complete)",
                   "🔧 Repair attempt 1/2", "✓ Repair successful after 1 attempt(s)"});
  const std::string prompt(job.asked.at(2).request.value().find("messages")->array().back().find("content")->str());
  CHECK(prompt.find(begun) != std::string::npos);
  CHECK(prompt.find("The artifact is cut off (finding), and what follows is missing.") != std::string::npos);
}

namespace {

// A quiz of these answers; what is in `broken` has one option only.
std::string quiz_of(const std::vector<std::string>& answers, const std::vector<std::string>& broken = {}) {
  std::string out;
  json::Writer json(out);
  json.begin_object().key("questions").begin_array();
  for (const std::string& answer : answers) {
    const bool bad = std::find(broken.begin(), broken.end(), answer) != broken.end();
    json.begin_object().member("question", "Which part is the " + answer + "?").key("options").begin_array();
    json.string(answer);
    for (const char* other : {"xylem", "phloem", "cuticle"}) {
      bad ? json : json.string(other);
    }
    json.end_array().member("correct_answer", answer).member("explanation", "The source names the " + answer + ".");
    json.end_object();
  }
  json.end_array().end_object();
  return out;
}

const std::vector<std::string> parts = {"stomata", "chloroplast", "pigment", "glucose", "root"};
constexpr std::string_view parts_source =
    "The stomata, the chloroplast, the pigment, the glucose and the root are named here, one after the other.";
constexpr std::string_view parts_plan = R"({"concepts":["stomata","chloroplast","pigment","glucose","root"]})";

std::vector<std::string> places(std::size_t count) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back("/questions/" + std::to_string(i));
  }
  return out;
}

std::string prompt_of(const Want& want) {
  return std::string(want.request.value().find("messages")->array().back().find("content")->str());
}

Job parts_job(const std::string& made, const std::vector<std::string>& repairs, std::size_t judged = 5) {
  Job job;
  job.script["plan"] = {text_reply(parts_plan)};
  job.script["generate"] = {text_reply(made)};
  job.script["judge"] = {text_reply(claims(places(judged), parts_source, {}))};
  for (const std::string& repair : repairs) {
    job.script["repair"].push_back(text_reply(repair));
  }
  return job;
}

}  // namespace

TEST_CASE("artifact: better never prefers less: refusals, empty lists, stubs and lost items replace nothing") {
  const std::string broken = quiz_of(parts, {"root"});
  for (const std::string& rubbish :
       {std::string("I cannot"), std::string(R"({"questions":[]})"), std::string("{}"),
        std::string(R"({"questions":[{"question":"Wh)"), quiz_of({"root"}), quiz_of({"stomata", "pigment"})}) {
    CAPTURE(rubbish);
    Job job = parts_job(broken, {rubbish, quiz_of(parts)});
    job.run(request("quiz", parts_source));
    CHECK(job.state == State::done);
    // What was only left out is put back, and what is no answer is no attempt.
    CHECK(job.at("/attempts") == (rubbish == quiz_of({"root"}) || rubbish == "I cannot" ? "1" : "2"));
    CHECK(job.at("/result/questions/4/correct_answer") == "root");
    CHECK(job.at("/result/questions/0/correct_answer") == "stomata");
  }
}

TEST_CASE("artifact: a repair is held to the items that nothing was wrong with") {
  std::string repaired = quiz_of(parts);
  repaired.replace(repaired.find("Which part is the pigment?"), 26, "What is this?");
  Job job = parts_job(quiz_of(parts, {"root"}), {repaired});
  job.run(request("quiz", parts_source));
  CHECK(job.state == State::done);
  CHECK(job.at("/result/questions/2/question") == "Which part is the pigment?");
  job.check_lines({"🔧 Repair attempt 1/2", "  → Put back: 1 question that nothing was wrong with",
                   "✓ Repair successful after 1 attempt(s)"});
}

TEST_CASE(
    "artifact: a number that was given binds, in schema, prompt and retry; fewer end as failed with what stands") {
  const std::string five = R"("options":{"num_questions":5})";
  Job job = parts_job(quiz_of({"stomata", "pigment"}), {quiz_of({"stomata", "pigment", "root"})});
  job.run(request("quiz", parts_source, five));
  CHECK(job.state == State::failed);
  CHECK(job.at("/status") == "failed");
  CHECK(job.at("/asked") == "5");
  CHECK(job.at("/kept") == "3");
  CHECK(
      job.at("/error") ==
      "Validation failed after 2 repair attempts. Violations: [\"Must have exactly 5 questions (has 3)\"] Issues: []");
  CHECK(prompt_of(job.asked[1]).find("\nWrite exactly 5 questions.\n") != std::string::npos);
  const std::string retry = prompt_of(job.asked[3]);
  CHECK(retry.find("\n2 questions are there.\n") != std::string::npos);
  CHECK(retry.find("`questions`: Exactly 5 items.\n") != std::string::npos);
  CHECK(retry.find("concept 2: chloroplast (nothing is about it)") != std::string::npos);
  CHECK(retry.find("concept 1: stomata\n") != std::string::npos);
  job.check_lines({"  ✗ 1 violation found", "→ Kept: 3 of 5"});

  Job salvaged = parts_job(quiz_of({"stomata", "pigment"}), {"I cannot"});
  salvaged.run(request("quiz", parts_source, five + R"(,"salvage":true)"));
  CHECK(salvaged.state == State::done);
  CHECK(salvaged.at("/status") == "completed_partial");
  CHECK(salvaged.at("/decision") == "completed_partial");
  CHECK(salvaged.at("/asked") == "5");
  CHECK(salvaged.at("/kept") == "2");
  CHECK(salvaged.at("/evidence/0/at") == "/questions/0");
  salvaged.check_lines({"⚠️  Job job456 completed in part: 2 of 5 kept (progress: 100%)"});

  // A repair that adds what is missing is what was asked for.
  Job added = parts_job(quiz_of({"stomata", "pigment"}), {quiz_of(parts)});
  added.run(request("quiz", parts_source, five));
  CHECK(added.state == State::done);
  CHECK(added.at("/decision") == "accept_with_warnings");
  CHECK(added.at("/warnings/0") == "The judge proved all 15 claims by the same quote");
  // One that comes nearer to the number is kept, although it breaks the same rule.
  Job nearer = parts_job(quiz_of({"stomata", "pigment"}), {quiz_of({"stomata", "pigment", "root", "glucose"})});
  nearer.run(request("quiz", parts_source, five + R"(,"salvage":true)"));
  CHECK(nearer.at("/kept") == "4");
  // Without a number one is enough.
  Job few = parts_job(quiz_of({"stomata"}), {"I cannot"});
  few.run(request("quiz", parts_source));
  CHECK(few.state == State::done);
  CHECK(few.at("/decision") == "accept_with_warnings");
  CHECK(few.calls["repair"] == 2);  // asked once more, since it was no answer
  CHECK(few.at("/warnings/0") == "Nothing is about 'chloroplast' (concept 2 of the plan)");
}

TEST_CASE(
    "artifact: items beyond the number are cut before the judge is asked, first those that the plan does not name") {
  Job many = parts_job(quiz_of({"stomata", "leaf", "chloroplast", "pigment", "glucose", "stem", "root"}), {});
  many.run(request("quiz", parts_source));
  CHECK(many.calls["repair"] == 0);
  CHECK(many.at("/result/questions/1/correct_answer") == "chloroplast");
  CHECK(many.at("/result/questions/4/correct_answer") == "root");
  CHECK(many.at("/result/questions/5/correct_answer") == "(nothing)");
  many.check_lines({"✓ Generated artifact: 7 questions", "  → Cut: 2 questions beyond the number asked for"});
  CHECK(prompt_of(many.asked[2]).find("Which part is the stem?") == std::string::npos);
  // A repair that mends the fault and adds an item is kept, and cut.
  Job more =
      parts_job(quiz_of(parts, {"root"}), {quiz_of({"stomata", "chloroplast", "pigment", "glucose", "root", "leaf"})});
  more.run(request("quiz", parts_source));
  CHECK(more.at("/attempts") == "1");
  CHECK(more.at("/result/questions/4/correct_answer") == "root");
  CHECK(more.at("/result/questions/5/correct_answer") == "(nothing)");
}

TEST_CASE("artifact: two items that read alike are an error, two options that do a warning") {
  std::string twice = quiz_of({"stomata", "pigment", "pigment"});
  twice.replace(twice.rfind("Which part is the pigment?"), 26, "WHICH part\u200b is  the pigment");
  Job job = parts_job(twice, {quiz_of({"stomata", "pigment", "root"})}, 3);
  job.run(request("quiz", parts_source));
  CHECK(job.at("/attempts") == "1");
  CHECK(prompt_of(job.asked[3]).find("The question at /questions/2 repeats that at /questions/1") != std::string::npos);
  std::string options = quiz_of({"stomata"});
  options.replace(options.find("\"xylem\",\"phloem\""), 16, "\"x\u00b2\",\"x2\"");
  Job warned = parts_job(options, {"I cannot"}, 1);
  warned.script["plan"] = {text_reply(R"({"concepts":["stomata"]})")};
  warned.run(request("quiz", parts_source));
  CHECK(warned.at("/attempts") == "0");
  CHECK(warned.at("/decision") == "accept_with_warnings");
}

TEST_CASE("artifact: what words alone refute is repaired, whatever the judge says of it") {
  std::string invented = quiz_of({"stomata", "pigment"});
  invented.replace(invented.find("The source names the pigment."), 29, "It was named in 1802.");
  Job job = parts_job(invented, {quiz_of({"stomata", "pigment"})}, 2);
  job.script["plan"] = {text_reply(R"({"concepts":["stomata","pigment"]})")};
  job.run(request("quiz", parts_source));
  CHECK(job.at("/attempts") == "1");
  CHECK(prompt_of(job.asked[3]).find("Question 2: Not in the source: 1802") != std::string::npos);
  // A judge who says that the source does not tell has found something to repair.
  std::string open = claims(places(2), parts_source, {});
  open.replace(open.find("true"), 4, "null");
  Job unsure = parts_job(quiz_of({"stomata", "pigment"}), {quiz_of({"root", "pigment"})}, 2);
  unsure.script["plan"] = {text_reply(R"({"concepts":["pigment"]})")};
  unsure.script["judge"] = {text_reply(open), text_reply(claims(places(2), parts_source, {}))};
  unsure.run(request("quiz", parts_source));
  CHECK(unsure.calls["repair"] == 1);
  CHECK(unsure.state == State::done);
}

TEST_CASE("artifact: places, ellipses and lists are read as judges write them") {
  for (const char* form : {"questions[0]", "$.questions.0", "#/questions/0", "Question 1"}) {
    CAPTURE(form);
    std::string said = claims({"/questions/0"}, "the pigment, ... are named here", {});
    for (std::size_t at = said.find("/questions/0"); at != std::string::npos; at = said.find("\"/questions/0\"")) {
      at = said[at] == '"' ? at + 1 : at;
      said.replace(at, 12, form);
    }
    Job job = parts_job(quiz_of({"pigment"}), {});
    job.script["plan"] = {text_reply(R"({"concepts":["pigment"]})")};
    job.script["judge"] = {text_reply(said.substr(10, said.size() - 11))};  // without {"claims": and }
    job.run(request("quiz", parts_source));
    CHECK(job.calls["judge"] == 1);
    CHECK(job.at("/decision") == "accept");
    CHECK(job.at("/evidence/0/quote") == "the pigment, the glucose and the root are named here");
  }
}

TEST_CASE("artifact: a known error of structure is repaired although the judge is out of reach") {
  Job job = parts_job(quiz_of(parts, {"root"}), {quiz_of(parts)});
  job.script["judge"] = {failed_reply(run::Status::failed, "503")};
  job.run(request("quiz", parts_source, R"("on_unverified":"pass")"));
  CHECK(job.calls["repair"] == 1);
  CHECK(job.at("/decision") == "accept_unverified");
  CHECK(job.at("/attempts") == "1");
}

TEST_CASE("artifact: salvage leaves out what is wrong, and its proofs say where things stand now") {
  Job job = parts_job(quiz_of(parts, {"stomata", "glucose"}), {"I cannot"});
  job.run(request("quiz", parts_source, R"("salvage":true)"));
  CHECK(job.at("/status") == "completed_partial");
  CHECK(job.at("/kept") == "3");
  CHECK(job.at("/result/questions/0/correct_answer") == "chloroplast");
  CHECK(job.at("/result/questions/2/correct_answer") == "root");
  CHECK(job.at("/evidence/0/at") == "/questions/0");
  CHECK(job.at("/evidence").find("/questions/3") == std::string::npos);
}

TEST_CASE("artifact: what the judge left out or misquoted is asked again, only that, once") {
  Job job = parts_job(quiz_of({"stomata", "pigment"}), {});
  // It says nothing of the second question, and proves the first by a word.
  job.script["judge"] = {text_reply(claims({"/questions/0"}, "root", {}, {"answerable"})),
                         text_reply(claims(places(2), parts_source, {}))};
  job.script["plan"] = {text_reply(R"({"concepts":["stomata","pigment"]})")};
  job.run(request("quiz", parts_source));
  CHECK(job.state == State::done);
  CHECK(job.calls["judge"] == 2);
  CHECK(job.at("/decision") == "accept");
  CHECK(prompt_of(job.asked[3]).find("answerable at /questions/0: the judge's quote is too short") !=
        std::string::npos);
  job.check_lines({"  → Asking the judge again: 6 of 6 claims left out, or without proof", "  ✓ Semantics valid"});

  // A quote about something else proves nothing; what stays open is told, by the switch.
  for (const bool passes : {false, true}) {
    Job open = parts_job(quiz_of({"stomata"}), {});
    open.script["plan"] = {text_reply(R"({"concepts":["stomata"]})")};
    open.script["judge"] = {text_reply(claims(places(1), "the glucose and the root are", {}))};
    open.run(request("quiz", parts_source, passes ? R"("on_unverified":"pass")" : ""));
    CHECK(open.calls["judge"] == 2);
    CHECK(open.at("/status") == (passes ? "completed" : "failed"));
    CHECK(open.at("/unverified/0/reason") == "the judge's quote says nothing of what it is to prove");
    if (passes) {
      CHECK(open.at("/decision") == "accept_unverified");
    }
  }
}

TEST_CASE("artifact: an artifact that a repair left as it was is not judged again") {
  const std::string quiz = quiz_of({"stomata", "pigment"});
  Job job = parts_job(quiz, {quiz});
  job.script["plan"] = {text_reply(R"({"concepts":["stomata","pigment"]})")};
  job.script["judge"] = {
      text_reply(claims(places(2), parts_source, {{"answerable", "/questions/0", "Not answerable from source"}}))};
  job.run(request("quiz", parts_source));
  CHECK(job.state == State::failed);
  CHECK(job.calls["judge"] == 1);
  CHECK(job.calls["repair"] == 2);
  job.check_lines({"  ✗ Repair not kept: it was there before, and is not judged again; the version before stays"});
}

TEST_CASE("artifact: an outage while repairing is told as one, and a provider's wait is kept") {
  Job job = parts_job(quiz_of(parts, {"root"}), {});
  job.script["repair"] = {failed_reply(run::Status::failed, "openai/m: The provider answered 500: down")};
  job.run(request("quiz", parts_source));
  CHECK(job.state == State::failed);
  CHECK(job.calls["repair"] == 2);
  CHECK(job.at("/error") ==
        "provider failed - openai/m: The provider answered 500: down (while repairing, attempt 1 of 2)");
  CHECK(job.at("/kept") == "4");

  Reply busy = failed_reply(run::Status::failed, "429");
  busy.value = Data::written(R"({"class":"rate_limited","retryable":true,"status":429,"retry_after_ms":20000})");
  Job waits = parts_job(quiz_of(parts), {});
  waits.script["plan"] = {busy, text_reply(parts_plan)};
  waits.run(request("quiz", parts_source));
  CHECK(waits.state == State::done);
  CHECK(waits.asked[1].request.value().find("wait_ms")->str() == "20000");
  CHECK(waits.asked[1].deadline_ms == waits.asked[0].deadline_ms + 20'000);
  waits.check_lines({"⚠️  Plan call failed: provider failed - 429; trying once more in 20 s"});

  busy.value = Data::written(R"({"class":"rate_limited","retryable":true,"status":429,"retry_after_ms":3600000})");
  Job long_wait = parts_job(quiz_of(parts), {});
  long_wait.script["plan"] = {busy};
  long_wait.run(request("quiz", parts_source));
  CHECK(long_wait.calls["plan"] == 1);
  CHECK(long_wait.at("/error").find("asks to be left alone for 3600 s") != std::string::npos);
}

TEST_CASE("artifact: an answer that is only reasoning, or was cut at its limit, says so") {
  Reply thought = text_reply("");
  thought.value = Data::written(
      R"({"text":"","thinking":"Let me think.","finish":"length","usage":{"input_tokens":9,"output_tokens":600}})");
  Job job = parts_job(quiz_of(parts), {});
  job.script["plan"] = {thought};
  job.run(request("quiz", parts_source));
  CHECK(job.state == State::failed);
  CHECK(job.at("/error").find("the model's answer was only reasoning (600 tokens)") == 0);

  Reply cut = text_reply(quiz_of(parts).substr(0, 300));
  std::string value(cut.value.text());
  value.replace(value.find("\"stop\""), 6, "\"length\"");
  cut.value = Data::written(value);
  Job longer = parts_job("", {quiz_of(parts)});
  longer.script["generate"] = {cut};
  longer.run(request("quiz", parts_source));
  CHECK(longer.state == State::done);
  longer.check_lines({"⚠️  Generation ended at its limit of tokens"});
  CHECK(prompt_of(longer.asked[2]).find("The artifact is cut off (length), and what follows is missing.") !=
        std::string::npos);
}

TEST_CASE("artifact: a patch is asked for as a patch, and a whole artifact once") {
  Job job;
  job.script["plan"] = {text_reply(quiz_plan)};
  job.script["generate"] = {text_reply(seed_artifacts::quiz_faulty)};
  job.script["judge"] = {text_reply(claims(two_questions, proof, {}))};
  job.script["repair"] = {text_reply(R"({"patch":[{"op":"replace","path":"/questions/0/question","value":"Why?"}]})"),
                          text_reply(seed_artifacts::quiz_repaired)};
  job.run(request("quiz", photosynthesis, R"("repair":"patch")"));
  CHECK(job.state == State::done);
  const std::string patch = prompt_of(job.asked.at(3));
  for (const std::string_view whole : {"omplete", "COMPLETE", "EVERY entry", "are there now"}) {
    CAPTURE(std::string(whole));
    CHECK_FALSE(says(patch, whole));
  }
  CHECK(says(patch, ">>>\nCorrect each of these issues."));
  CHECK(says(patch, "`questions`: `questions` is there.") == false);
  CHECK(says(patch, "`question`, `options`, `correct_answer` and `explanation` are there"));
  const std::string whole = prompt_of(job.asked.at(4));
  CHECK(says(whole, "\nDo not write a patch."));
  CHECK(whole.find("COMPLETE") == whole.rfind("COMPLETE"));
  CHECK_FALSE(says(whole, "omplete"));
  // Its rules are in the numbered list alone; the shape has the members.
  CHECK(says(whole, "`questions/*/options`: At least 4 items. No two items are equal, ignoring case"));
  CHECK(says(whole, "    \"options\": [string, ...],\n"));
  CHECK(whole.find("Rules:") == whole.rfind("Rules:"));
}

namespace {

constexpr std::string_view tree_source =
    "The leaf has a blade. The blade has a margin. The root has a hair. Bark covers the stem of a tree.";
constexpr std::string_view tree_plan = R"({"main":"leaf","topics":["blade","root"]})";
std::string node(const std::string& label, const std::string& children = "") {
  return R"({"label":")" + label + R"(","children":[)" + children + "]}";
}
std::string tree_of(const std::string& children) { return R"({"root":)" + node("leaf", children) + "}"; }
Job tree_job(const std::string& made, const std::string& repaired) {
  Job job;
  job.script["plan"] = {text_reply(tree_plan)};
  job.script["generate"] = {text_reply(made)};
  job.script["judge"] = {text_reply(R"({"claims":[{"rule":"no-invention","at":"/root/children/1","holds":false,)"
                                    R"("quote":null,"chunk":null,"reason":"The source says nothing of it."}]})")};
  job.script["repair"] = {text_reply(repaired)};
  return job;
}

}  // namespace

TEST_CASE("artifact: a node that is too deep breaks the form, and the repair says how many levels there may be") {
  const std::string deep = tree_of(node("blade", node("margin")) + "," + node("root"));
  Job job = tree_job(deep, tree_of(node("blade") + "," + node("root")));
  job.run(request("mindmap", tree_source, R"("options":{"depth":2})"));
  const std::string prompt = prompt_of(*std::find_if(
      job.asked.begin(), job.asked.end(), [](const Want& want) { return says(prompt_of(want), "Violations Found:"); }));
  CHECK(says(prompt, "* form: 1 issue: give each field the form that its `requirement` states\n"));
  CHECK(says(prompt, R"("requirement":"at most 2 levels, the root among them")"));
  CHECK(says(prompt, ". At most 2 levels, the root among them.\n"));
  CHECK(says(prompt, "If a node is too deep, move it up, or put what it says into the node above it."));
  CHECK_FALSE(says(prompt, "as many as"));
  // Every node has both members, so neither may be left out.
  CHECK(says(prompt_of(job.asked.at(1)), "\"children\": [node, ...]"));
  CHECK_FALSE(says(prompt_of(job.asked.at(1)), "may be left out"));
}

TEST_CASE("artifact: an issue names its node, and a judge is told of nodes only where there are some") {
  const std::string made = tree_of(node("blade") + "," + node("root"));
  Job job = tree_job(made, made);
  job.run(request("mindmap", tree_source));
  const std::string judge = prompt_of(job.asked.at(2));
  CHECK(says(judge, "For a node with children, a quote with a word of a child also counts."));
  CHECK_FALSE(says(judge, "wrong options"));
  CHECK_FALSE(says(judge, "may be left out"));
  const auto repair = std::find_if(job.asked.begin(), job.asked.end(),
                                   [](const Want& want) { return says(prompt_of(want), "Violations Found:"); });
  REQUIRE(repair != job.asked.end());
  CHECK(says(prompt_of(*repair), "  - 'root': The source says nothing of it.\n"));
  Job quiz = parts_job(quiz_of(parts), {});
  quiz.run(request("quiz", parts_source));
  const std::string asked = prompt_of(quiz.asked.at(2));
  CHECK_FALSE(says(asked, "For a node"));
  CHECK(says(asked, "For `answer-correct`, quote at least half of the words of the correct answer, and all of its"));
  CHECK(says(asked, "Do not judge the wrong options"));
}

TEST_CASE("artifact: a plan says exactly how many where a number binds, and that fewer will do where none does") {
  for (const bool binds : {false, true}) {
    CAPTURE(binds);
    Job job = parts_job(quiz_of(parts), {});
    job.run(request("quiz", parts_source, binds ? R"("options":{"num_questions":1})" : ""));
    const std::string plan = prompt_of(job.asked.at(0));
    CHECK(says(plan, "Plan a quiz of exactly 1 question about this source.") == binds);
    CHECK(says(plan, "Plan fewer if the source explains fewer.") == !binds);
    CHECK(says(plan, "\"chunk\": integer,  // The number of the passage that explains it: 3 for chunk-3"));
    CHECK_FALSE(says(plan, "may be left out"));
  }
}

TEST_CASE("artifact: what nothing is about is asked for as missing, by the words that tell it from the others") {
  // "Which part is the ..." is in every question: only the last word tells the entries apart.
  Job job = parts_job(quiz_of({"stomata", "pigment"}), {quiz_of({"stomata", "pigment", "root"})}, 3);
  job.script["plan"] = {text_reply(R"({"concepts":["part stomata","part pigment","part root"]})")};
  job.run(request("quiz", parts_source));
  const std::string prompt = prompt_of(job.asked.at(3));
  CHECK(says(prompt, "Current Artifact:\n"));
  CHECK(says(prompt, "Violations Found:\nMissing Items:\n"));
  CHECK(says(prompt, "  - Nothing is about 'part root' (concept 3 of the plan)\n"));
  CHECK_FALSE(says(prompt, "Structural Violations"));
  // The question at the end of a quiz that was cut off is about something, too.
  const std::string whole = quiz_of({"stomata", "pigment"});
  Job cut = parts_job(whole.substr(0, whole.find("Which part is the pigment") + 28), {whole}, 2);
  cut.script["plan"] = {text_reply(R"({"concepts":["stomata","pigment","root"]})")};
  cut.run(request("quiz", parts_source));
  const std::string repair = prompt_of(cut.asked.at(2));
  CHECK(says(repair, "concept 2: pigment\n"));
  CHECK(says(repair, "concept 3: root (nothing is about it)\n"));
}

TEST_CASE("artifact: a repair that was not kept is told by what only it broke, or by why") {
  Job job = parts_job(quiz_of(parts, {"root"}), {quiz_of(parts, {"root", "stomata"}), quiz_of(parts)});
  job.run(request("quiz", parts_source));
  CHECK(says(prompt_of(job.asked.back()), "was not kept: the artifact came out as it was in an earlier version.\n") ==
        false);
  Job same = parts_job(quiz_of(parts, {"root"}), {quiz_of(parts, {"root"}), quiz_of(parts)});
  same.run(request("quiz", parts_source));
  CHECK(says(prompt_of(same.asked.at(4)), "was not kept: the artifact came out as it was in an earlier version.\n"));
}

TEST_CASE("artifact: a source that does not fit is read part by part, or what is left out is told") {
  std::string source;
  for (int i = 0; i < 40; ++i) {
    source += "# Section " + std::to_string(i) + "\n\n" + std::string(parts_source) + " It is number " +
              std::to_string(i) + " of many that say the same.\n\n" + std::string(parts_source) + "\n\n";
  }
  Job job = parts_job(quiz_of(parts), {});
  job.run(request("quiz", source, R"("token_budget":9000)"));
  CHECK(job.state == State::done);
  CHECK(job.at("/source/passages") != "(nothing)");
  CHECK(job.at("/source/left_out/0/headings/0").rfind("Section ", 0) == 0);
  CHECK(std::stoull(job.at("/source/read")) < std::stoull(job.at("/source/passages")));
  bool told = false;
  for (const std::string& line : job.lines) {
    told = told || line.find(" passages left out, from 'Section ") != std::string::npos;
  }
  CHECK(told);

  // A model with a small window reads all of it, in parts, each in a call of its own.
  Texts texts;
  texts.providers = {{"plan", "openai/gpt-4"}};
  Job parted = parts_job(quiz_of(parts), {});
  parted.run(request("quiz", source, R"("token_budget":100000)"), texts);
  CHECK(parted.state == State::done);
  if (parted.calls["plan"] > 1) {
    CHECK(parted.at("/source/left_out") == "[]");
    CHECK(parted.at("/source/parts") == std::to_string(parted.calls["plan"]));
  }
}

TEST_CASE("artifact: prompts refuse what they do not know, with line and column") {
  struct Bad {
    std::string text;
    std::size_t line;
    std::size_t column;
    std::string message;
  };
  const Bad all[] = {
      {"Plan.\n", 1, 1, "a prompt begins with a line `---`, a JSON object, and a line `---`"},
      {"---\n{\"about\": \"x\"}\n", 1, 1, "the line `---` behind the JSON object is missing"},
      {"---\n{\"about\": \"x\",\n \"temperatur\": 1}\n---\nHi\n", 3, 2,
       "there is no member 'temperatur'; did you mean 'temperature'?"},
      {"---\n{}\n---\nHi\n", 2, 1, "`about` is missing: one sentence that says what the prompt is for"},
      {"---\n{\"about\": \"x\"}\n---\n<!-- system -->\nHi\n<!-- user -->\nThe {{sorce}}.\n", 7, 5,
       "there is no variable 'sorce'; did you mean 'source'?"},
      {"---\n{\"about\": \"x\"}\n---\n{{#source}}\nThe {{sorce}}.\n{{/source}}\n", 5, 5,
       "there is no variable 'sorce'; did you mean 'source'?"},
      {"---\n{\"about\": \"x\"}\n---\nThe {{source}\n", 4, 5, "this {{ is not closed"},
      {"---\n{\"about\": \"x\"}\n---\n<!-- system -->\nHi\n", 6, 1,
       "a prompt has a user's message: text behind a line `<!-- user -->`"},
  };
  for (const Bad& bad : all) {
    CAPTURE(bad.text);
    const Result<Prompt> prompt = read_prompt("p", bad.text, "p.md", prompt_variables("artifact-plan-quiz"));
    REQUIRE(!prompt);
    CHECK(prompt.error().message == bad.message);
    CHECK(prompt.error().line == bad.line);
    CHECK(prompt.error().column == bad.column);
  }
  for (const BuiltInPrompt& one : built_in_prompts()) {
    const Result<Prompt> prompt = read_prompt(one.name, one.text, one.name, prompt_variables(one.name));
    CHECK_MESSAGE(prompt, one.name << ": " << (prompt ? "" : prompt.error().message));
  }
}
