// Recorded runs, whole, in tests/cases/runs/NAME.ndjson: what every host must be able to read, go on with and make
// again to the same bytes. PLUMB_REWRITE=1 writes the files instead of comparing, so that the diff is the review. The
// package's tests replay the same files in Node and Chromium.

#include <doctest/doctest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/extract/task.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/pipelines.hpp"
#include "core/run/journal_file.hpp"
#include "core/run/machine.hpp"
#include "core/run/replay.hpp"
#include "core/text/tokens.hpp"
#include "native/base/yaml_json.hpp"
#include "research_runs.hpp"
#include "tests/native/recorded_before.hpp"
#include "tests/native/source_dir.hpp"
#include "tests/runs/pipelines.hpp"
#include "tests/runs/workflow_world.hpp"

using namespace plumb;
using namespace plumb::run;

namespace {

constexpr std::uint64_t begun_ms = 1'760'000'000'000;

// A host that does as it is told.
struct Recording {
  const pipelines::Known* known;
  Machine machine;
  std::uint64_t now;
  std::string file;

  Recording(const pipelines::Known* one, const std::string& request, std::uint64_t begun = begun_ms)
      : known(one), machine(begin(*one, "r" + std::string(20, 'a'), request, begun)), now(begun) {}

  static Machine begin(const pipelines::Known& known, std::string id, const std::string& request, std::uint64_t begun) {
    json::Arena arena;
    const Result<json::Value> parsed = json::parse(request, arena);
    REQUIRE(parsed);
    Result<pipelines::Prepared> prepared = known.prepare(parsed.value(), {});
    REQUIRE_MESSAGE(prepared, (prepared ? "" : prepared.error().message));
    return Machine::start(known.pipeline, std::move(id), prepared.value().input, prepared.value().pins, {}, begun);
  }

  void store() {
    for (const Stored& one : machine.take()) {
      append_to_file(file, one);
    }
  }
  State step() {
    const State state = machine.step(now += 3);
    store();
    return state;
  }
  void attempt_all() {
    for (const Want& want : machine.wanted()) {
      CHECK(machine.attempt(want.key, now += 2));
    }
    store();
  }
  void reply(const Want& want, Reply reply) {
    CHECK(machine.reply(want.key, std::move(reply), now += 250));
    store();
  }
  // Until it ends, or nothing more is under way; at most so many replies.
  State go(std::size_t replies_max = 1000, bool last_first = false) {
    for (;;) {
      const State state = step();
      if (state != State::waiting) {
        return state;
      }
      attempt_all();
      const std::vector<Want> wants = machine.under_way();
      if (wants.empty() || replies_max-- == 0) {
        return state;
      }
      const Want& want = last_first ? wants.back() : wants.front();
      reply(want, test::scripted_reply(want));
    }
  }
  // The process ends, and another one takes the run up from what is stored.
  void lose() {
    const Result<JournalFile> read = JournalFile::read(file);
    REQUIRE(read);
    Result<Journal> journal = read.value().journal();
    REQUIRE(journal);
    Result<Machine> again = Machine::resume(known->pipeline, std::move(journal).value(), {}, now += 1000);
    REQUIRE(again);
    machine = std::move(again).value();
    store();
  }
};

std::string signed_story() {
  Recording run(test::run_pipeline("tale"), R"({"title":"Light","chapters":3,"sign":true})");
  CHECK(run.go(1000, true) == State::waiting);
  CHECK(run.machine.signal("sign", Data::written(R"({"by":"\u00e9"})"), run.now += 60'000));
  run.store();
  CHECK(run.go() == State::done);
  return run.file;
}

std::string lost_story() {
  Recording run(test::run_pipeline("tale"), R"({"title":"Lost","chapters":2})");
  run.go(1);   // under way: two chapters
  run.lose();  // they are tried once more
  CHECK(run.step() == State::waiting);
  run.attempt_all();
  run.lose();  // lost again
  CHECK(run.go() == State::done);
  return run.file;
}

std::string cancelled_story() {
  Recording run(test::run_pipeline("tale"), R"({"title":"Enough","chapters":2})");
  run.go(2);
  run.machine.cancel("enough", run.now += 10);
  run.store();
  CHECK(run.go() == State::cancelled);
  return run.file;
}

std::string failed_story() {
  Recording run(test::run_pipeline("tale"), R"({"title":"Broken","chapters":1,"fail":true})");
  run.step();
  run.attempt_all();
  Reply down;
  down.status = Status::failed;
  down.error = "the model is down";
  down.value = Data::written(R"({"class":"overloaded","retryable":true,"status":503})");
  run.reply(run.machine.under_way().front(), down);
  run.step();
  run.attempt_all();
  Reply wrong;
  wrong.value = Data::written(R"({"words":1})");  // not what a model call promises
  run.reply(run.machine.under_way().front(), wrong);
  run.step();
  run.attempt_all();
  Reply late;
  late.status = Status::timed_out;
  late.error = "no reply within 60000 ms";
  run.reply(run.machine.under_way().front(), late);
  CHECK(run.go() == State::failed);
  return run.file;
}

std::string half_story() {
  Recording run(test::run_pipeline("tale"), R"({"title":"Half","chapters":2})");
  run.go(3);
  return run.file;
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

const std::filesystem::path sources = plumb::test::source_dir();

// What a model says: the answers of each phase in order; where they end, the last one comes again.
struct Script {
  std::map<std::string, std::vector<std::string>> answers;
  std::map<std::string, std::size_t> given;
  std::string stopped;  // JSON; of the first generation

  Reply reply(const Want& want) {
    const std::string phase(want.request.value().find("phase")->str());
    const std::vector<std::string>& all = answers[phase];
    REQUIRE_FALSE(all.empty());
    const std::size_t number = given[phase]++;
    const std::string& text = all[std::min(number, all.size() - 1)];
    const std::string_view asked = want.request.value().find("messages")->array().back().find("content")->str();
    std::string value;
    json::Writer json(value);
    json.begin_object().member("text", text).member("finish", "stop");
    json.member("model", "scripted").member("provider", "scripted").key("usage").begin_object();
    json.member_uint("input_tokens", text::estimate_tokens(asked).likely);
    json.member_uint("output_tokens", text::estimate_tokens(text).likely)
        .member_boolean("estimated", true)
        .end_object();
    if (phase == "generate" && number == 0 && !stopped.empty()) {
      json.key("stopped").raw(stopped);
    }
    json.end_object();
    Reply reply;
    reply.value = Data::written(value);
    return reply;
  }
};

// Claims on all that is asked: what is in `fails` does not hold, for that reason.
struct Fails {
  std::string rule;
  std::string at;
  std::string reason;
};
std::string claims(const std::vector<std::string>& rules, const std::string& list, std::string_view quote,
                   const std::vector<Fails>& fails) {
  std::string out;
  json::Writer json(out);
  json.begin_object().key("claims").begin_array();
  for (const std::string& rule : rules) {
    for (const std::string& at : {"/" + list + "/0", "/" + list + "/1"}) {
      const auto failed =
          std::find_if(fails.begin(), fails.end(), [&](const Fails& one) { return one.rule == rule && one.at == at; });
      const bool holds = failed == fails.end();
      json.begin_object().member("rule", rule).member("at", at).member_boolean("holds", holds).member_uint("chunk", 0);
      json.member("quote", holds ? quote : std::string_view());
      json.member("reason", holds ? std::string() : failed->reason).end_object();
    }
  }
  json.end_array().end_object();
  return out;
}

std::string artifact_run(const std::string& request, const std::function<Reply(const Want&)>& answer, State ends) {
  Recording run(pipelines::known_pipeline("artifact"), request, 1'770'546'600'000);  // 2026-02-08T10:30:00Z
  while (run.step() == State::waiting) {
    run.attempt_all();
    const Want want = run.machine.under_way().front();
    run.now += 4'000;
    run.reply(want, answer(want));
  }
  CHECK(run.machine.state() == ends);
  return run.file;
}

std::string request(std::string_view type, std::string_view content) {
  std::string out;
  json::Writer(out).begin_object().member("artifact_type", type).member("content", content).end_object();
  return out;
}

std::string seed(const std::string& name) { return bytes_of(sources / "tests/cases/seed" / (name + ".json")); }

const std::vector<std::string> quiz_rules = {"answerable", "no-invention", "answer-correct"};
constexpr std::string_view photosynthesis =
    "Photosynthesis is the process by which plants convert light energy into chemical energy stored in glucose "
    "molecules. This occurs in chloroplasts, which contain chlorophyll pigment.";
// Is in it, and has a word of each of the two questions.
constexpr std::string_view proof = "chemical energy stored in glucose molecules. This occurs in chloroplasts";

// The seed's three traces.
std::string quiz_repaired_once() {
  Script model;
  model.answers["plan"] = {R"({"concepts":["photosynthesis process","chloroplast function"]})"};
  model.answers["generate"] = {seed("quiz_faulty")};
  model.answers["judge"] = {
      claims(quiz_rules, "questions", proof,
             {{"answer-correct", "/questions/0", R"(Answer "Energy production" is too vague based on content)"},
              {"answer-correct", "/questions/1", R"("Chloroplasts" not in options list)"}}),
      claims(quiz_rules, "questions", proof, {})};
  model.answers["repair"] = {seed("quiz_repaired")};
  return artifact_run(
      request("quiz", photosynthesis), [&](const Want& want) { return model.reply(want); }, State::done);
}

std::string flashcards_repaired_twice() {
  const std::vector<std::string> rules = {"no-invention", "definition-accurate"};
  const std::string_view quote =
      "It stores energy in phosphate bonds. Mitochondria are organelles where cellular respiration produces ATP";
  Script model;
  model.answers["plan"] = {R"({"terms":["ATP","Mitochondria"]})"};
  model.answers["generate"] = {seed("flashcards_faulty")};
  model.answers["judge"] = {
      claims(rules, "flashcards", quote, {}),
      claims(rules, "flashcards", quote,
             {{"no-invention", "/flashcards/1", "\"ATP Production\" not found in source chunks"}}),
      claims(rules, "flashcards", quote, {})};
  model.answers["repair"] = {seed("flashcards_repair_1"), seed("flashcards_repair_2")};
  return artifact_run(
      request("flashcards",
              "Adenosine triphosphate (ATP) is the primary energy molecule of cells. It stores energy in phosphate "
              "bonds. Mitochondria are organelles where cellular respiration produces ATP."),
      [&](const Want& want) { return model.reply(want); }, State::done);
}

std::string quiz_never() {
  Script model;
  model.answers["plan"] = {R"({"concepts":["a","b","c"]})"};
  model.answers["generate"] = {seed("quiz_repaired")};
  const std::string_view quote = "Photosynthesis occurs in plants";
  model.answers["judge"] = {claims(quiz_rules, "questions", quote,
                                   {{"answerable", "/questions/0", "Not answerable from source"},
                                    {"no-invention", "/questions/0", "Contains hallucinated facts"},
                                    {"no-invention", "/questions/1", "Contains hallucinated facts"}}),
                            claims(quiz_rules, "questions", quote,
                                   {{"answerable", "/questions/0", "Not answerable from source"},
                                    {"no-invention", "/questions/1", "Contains hallucinated facts"}})};
  std::string simpler = seed("quiz_repaired");
  simpler.replace(simpler.find("Mineral uptake"), 14, "Growth of roots");
  model.answers["repair"] = {simpler};
  return artifact_run(
      request("quiz", "Photosynthesis occurs in plants."), [&](const Want& want) { return model.reply(want); },
      State::failed);
}

// The stream went on and on with blanks, and was stopped.
std::string quiz_stopped_early() {
  Script model;
  model.answers["plan"] = {R"({"concepts":["photosynthesis process","chloroplast function"]})"};
  model.answers["generate"] = {seed("quiz_repaired").substr(0, 300) + std::string(400, ' ')};
  model.stopped = R"({"why":"degenerate","received_bytes":700,"saved_tokens":1180})";
  model.answers["judge"] = {claims(quiz_rules, "questions", proof, {})};
  model.answers["repair"] = {seed("quiz_repaired")};
  return artifact_run(
      request("quiz", photosynthesis), [&](const Want& want) { return model.reply(want); }, State::done);
}

// The provider without a model, on the example chapter.
std::string chapter_extracted() {
  return artifact_run(
      request("quiz", bytes_of(sources / "docs/examples/chapter.md")),
      [](const Want& want) {
        const Result<std::string> value = extract::reply_to(want.request.value());
        REQUIRE(value);
        Reply reply;
        reply.value = Data::written(value.value());
        return reply;
      },
      State::done);
}

// Authors that break every gate of the roles, and the report that comes of it all the same.
std::string every_gate_recorded() {
  test::ResearchRun run;
  test::every_gate(run);
  CHECK(run.machine().state() == State::done);
  return run.file;
}

// Two questions in one, answered without a model.
std::string research_extracted() {
  test::ResearchRun run;
  run.go(test::two_questions_request);
  CHECK(run.machine().state() == State::done);
  return run.file;
}

// The example of the documentation, grown; and the same with a gate that locks its reader in.
std::string lighthouse(bool broken) {
  std::string text = bytes_of(sources / "docs/examples/lighthouse.yaml");
  const std::string beat = "  - id: keep_oil\n";
  if (broken)
    text.insert(text.find(beat) + beat.size(), "    gate: [brother/hide]\n");
  Recording run(pipelines::known_pipeline("story"), "{\"outline\":" + yaml_json(YAML::Load(text)) + "}");
  CHECK(run.go() == State::done);
  return run.file;
}
std::string lighthouse_grown() { return lighthouse(false); }
std::string lighthouse_broken() { return lighthouse(true); }

// A task that needs two tries and a review, and one whose developer goes beyond its files until a person approves it.
std::string workflow_guarded() {
  test::FileTexts texts = {
      {"src/parser.c", "int lines;\n"}, {"docs/manual.md", "# Manual\n"}, {"tests/t.txt", "test one\n"}};
  test::MemoryWorld world(texts);
  const std::string sop =
      R"([{"path":"docs/sops/todo.md",)"
      R"("text":"# Nothing is left open\n\nNothing MUST be left open.\n",)"
      R"("front_matter":"{\"applies_to\":[\"src/**\"],\"severity\":\"error\"}","line":1,"lines":""}])";
  test::WorkflowRun run(
      test::prepared_workflow(
          R"({"repository":"here","promoted":true,"developer":"model","reviewer":"model",)"
          R"("providers":{"develop":"scripted/d","review":"scripted/r"},)"
          R"("plan":{"title":"The parser tells lines","tasks":[)"
          R"({"id":"T1","description":"Errors carry their line","files":[{"path":"src/parser.c"}],)"
          R"("acceptance":["an error says its line"],)"
          R"("scenarios":[{"given":"a file","when":"it is built","then":"it builds",)"
          R"("check":"build"}]},{"id":"T2","description":"Tell it in the manual","files":[{"path":"docs/manual.md"}],)"
          R"("after":["T1"],"acceptance":["the manual tells of lines"]}]}})",
          R"({"isolation":"partial","gates":)" + std::string(test::world_gates()) + R"(,"sops":)" + sop + "}"),
      "r" + std::string(20, 'a'));
  const auto develops = [](std::string_view path, std::string_view text, std::string_view more) {
    std::string out;
    json::Writer json(out);
    json.begin_object().member("result", "done").member("changes_summary", "It is written.").key("edits").begin_array();
    json.begin_object().member("path", path).member("text", text).end_object();
    if (!more.empty()) {
      json.begin_object().member("path", more).member("text", "test two\n").end_object();
    }
    json.end_array().end_object();
    return out;
  };
  int first = 0;
  int second = 0;
  while (run.step() == State::waiting) {
    const Want want = *run.begin();
    const json::Value& request = want.request.value();
    Reply reply;
    if (want.kind == EffectKind::claim) {
      reply.value = Data::written(R"({"granted":true})");
    } else if (want.kind == EffectKind::person) {
      reply.value = Data::written(R"({"decision":"approve","words":"the test belongs to it","by":"Ada"})");
    } else if (want.kind != EffectKind::model) {
      reply = world.work(want, run.machine());
    } else {
      run.now += 4'000;
      const std::string_view asked = request.find("messages")->array().back().find("content")->str();
      const bool one = asked.find("# Task T1") != std::string_view::npos;
      if (request.find("phase")->str() == "review") {
        const std::string evidence = one ? "int line_of(int error);" : "An error tells its line.";
        reply = test::model_reply(
            R"({"verdict":"approved","rejection_type":null,"sop_review":[)" +
            std::string(
                one ? R"({"sop_id":"source.doc.sops.todo","status":"passed","evidence":"int line_of(int error);"})"
                    : "") +
            R"(],"criteria":[{"criterion":"A1","met":true,"evidence":")" + evidence +
            R"("}],"confidence":0.9,"feedback":"It is as it should be.","patterns":[]})");
      } else if (one) {
        reply = test::model_reply(++first == 1 ? develops("src/parser.c", "int lines;\nBROKEN\n", "")
                                               : develops("src/parser.c", "int lines;\nint line_of(int error);\n", ""));
      } else {
        reply = test::model_reply(
            develops("docs/manual.md", "# Manual\n\nAn error tells its line, try " + std::to_string(++second) + ".\n",
                     "tests/t.txt"));
      }
    }
    run.reply(want, std::move(reply));
  }
  CHECK(run.machine().state() == State::done);
  std::string file;
  for (const Stored& one : run.stored()) {
    append_to_file(file, one);
  }
  return file;
}

const std::filesystem::path folder = std::filesystem::path(plumb::test::source_dir()) / "tests" / "cases" / "runs";

}  // namespace

TEST_CASE("runs: what is recorded is what tests/cases/runs holds, and comes out the same when it is made again") {
  const char* rewrite = std::getenv("PLUMB_REWRITE");
  const std::vector<std::pair<std::string, std::string (*)()>> all = {
      {"tale_signed", signed_story},
      {"tale_lost", lost_story},
      {"tale_cancelled", cancelled_story},
      {"tale_failed", failed_story},
      {"tale_half", half_story},
      {"artifact_repaired", quiz_repaired_once},
      {"artifact_repaired_twice", flashcards_repaired_twice},
      {"artifact_failed", quiz_never},
      {"artifact_stopped", quiz_stopped_early},
      {"artifact_extract", chapter_extracted},
      {"research_gates_standing", every_gate_recorded},
      {"research_extract_standing", research_extracted},
      {"story_lighthouse", lighthouse_grown},
      {"story_trap", lighthouse_broken},
      {"workflow_tolerant", workflow_guarded},
      {"artifact_outcome", quiz_never},
      // Of version 1, when files that gates run were not guarded: it stays as it was, and is replayed.
      {"workflow_reviewed", nullptr},
      // Of rules 2, when a model's answer was read strictly.
      {"workflow_guarded", nullptr}};
  for (const auto& [name, record] : all) {
    const auto& about = name;
    CAPTURE(about);
    // All but one were recorded before an end held what the run came to.
    const std::string made = record == nullptr ? bytes_of(folder / (name + ".ndjson")) : record();
    const std::string got = name == "artifact_outcome" ? made : test::without_outcome(made);
    const bool held = made.find("\"outcome\":{\"came_to\":") != std::string::npos;
    CHECK(held == (record != nullptr && !name.starts_with("tale_")));  // tales are no pipeline of ours
    const std::filesystem::path path = folder / (name + ".ndjson");
    if (rewrite != nullptr && std::string(rewrite) == "1") {
      std::filesystem::create_directories(folder);
      std::ofstream(path, std::ios::binary) << got;
    }
    CHECK_MESSAGE(bytes_of(path) == got, "PLUMB_REWRITE=1 ./dev test native writes it anew");
    const Result<JournalFile> file = JournalFile::read(got);
    REQUIRE(file);
    const std::string pipeline = name.substr(0, name.find('_'));
    const pipelines::Known* known =
        pipeline == "tale" ? test::run_pipeline("tale") : pipelines::known_pipeline(pipeline);
    const Result<Replayed> again = replay(known->pipeline, file.value());
    REQUIRE(again);
    CHECK_MESSAGE(again.value().same, (again.value().stored + "\n" + again.value().now));
    CHECK(again.value().entries == file.value().entries.size());
  }
}

TEST_CASE("replay: runs that were recorded before a pipeline was changed come out the same") {
  for (const char* name : {"research_gates", "research_extract"}) {
    CAPTURE(name);
    const Result<JournalFile> file = JournalFile::read(bytes_of(folder / (std::string(name) + ".ndjson")));
    REQUIRE(file);
    const Result<Replayed> again = replay(pipelines::known_pipeline("research")->pipeline, file.value());
    REQUIRE(again);
    CHECK_MESSAGE(again.value().same, (again.value().stored + "\n" + again.value().now));
    CHECK(again.value().entries == file.value().entries.size());
  }
}

TEST_CASE("replay: any entry that was changed is found, with both lines") {
  const Result<JournalFile> read = JournalFile::read(bytes_of(folder / "tale_signed.ndjson"));
  REQUIRE(read);
  const Pipeline& pipeline = test::run_pipeline("tale")->pipeline;
  std::size_t found = 0;
  for (std::size_t i = 1; i < read.value().entries.size(); ++i) {
    JournalFile changed = read.value();
    std::string& line = changed.entries[i].line;
    // Another word where the pipeline's own words are, another stamp elsewhere.
    const std::size_t word = line.find("progress\":");
    if (word != std::string::npos) {
      line.replace(word + 10, 1, "7");
    } else if (line.find("\"hash\":\"sha256:") != std::string::npos) {
      line.replace(line.find("\"hash\":\"sha256:") + 15, 2, "zz");
    } else {
      continue;
    }
    CAPTURE(i);
    const Result<Replayed> again = replay(pipeline, changed);
    REQUIRE(again);
    CHECK_FALSE(again.value().same);
    CHECK(again.value().entries == i);
    CHECK(again.value().stored == line);
    CHECK(again.value().now == read.value().entries[i].line);
    ++found;
  }
  CHECK(found > 10);
}

TEST_CASE("replay: a run that was cut off at any entry and taken up again comes out the same") {
  const Result<JournalFile> read = JournalFile::read(bytes_of(folder / "tale_signed.ndjson"));
  REQUIRE(read);
  for (std::size_t count = 1; count < read.value().entries.size(); ++count) {
    CAPTURE(count);
    JournalFile cut;
    cut.entries.assign(read.value().entries.begin(), read.value().entries.begin() + static_cast<std::ptrdiff_t>(count));
    Recording run(test::run_pipeline("tale"), R"({"title":"Light","chapters":3,"sign":true})");
    for (const Stored& one : cut.entries) {
      append_to_file(run.file, one);
    }
    run.now = begun_ms + 3'600'000;
    run.lose();
    if (run.go() == State::waiting) {
      CHECK(run.machine.signal("sign", Data::written("1"), run.now += 5));
      run.store();
    }
    CHECK(run.go() == State::done);
    const Result<JournalFile> whole = JournalFile::read(run.file);
    REQUIRE(whole);
    const Result<Replayed> again = replay(test::run_pipeline("tale")->pipeline, whole.value());
    REQUIRE(again);
    CHECK_MESSAGE(again.value().same, (again.value().stored + "\n" + again.value().now));
  }
}

TEST_CASE("runs: what was begun in an earlier way is gone on with from any entry, as it was begun") {
  // An artifact from before counts were bound; a discovery from before order outlived a send-back; a boundary from
  // before a valid item outlived its revisions.
  for (const std::string name : {"artifact", "discovery", "boundary"}) {
    CAPTURE(name);
    const Result<JournalFile> read =
        JournalFile::read(bytes_of(sources / "tests/cases/upgrade" / (name + "_first_way.ndjson")));
    REQUIRE(read);
    const pipelines::Known* known = pipelines::known_pipeline(name);
    for (std::size_t count = 1; count <= read.value().entries.size(); ++count) {
      CAPTURE(count);
      std::string file;
      for (std::size_t i = 0; i < count; ++i) {
        append_to_file(file, read.value().entries[i]);
      }
      const Result<JournalFile> cut = JournalFile::read(file);
      REQUIRE(cut);
      Result<Journal> journal = cut.value().journal();
      REQUIRE(journal);
      Result<Machine> machine = Machine::resume(known->pipeline, std::move(journal).value(), {}, begun_ms);
      REQUIRE_MESSAGE(machine, (machine ? "" : machine.error().message));
      const State state = machine.value().step(begun_ms + 1);
      const std::string view = known->view(machine.value().journal());
      // Waits for what it had asked for, or, with the last reply there, ends as it did then.
      CHECK_MESSAGE((state == State::waiting || state == State::done), view);
      CHECK(view.find("journal_mismatch") == std::string::npos);
    }
  }
}

TEST_CASE("replay: an entry too many, one that is missing and one of another pipeline do not pass") {
  const Result<JournalFile> read = JournalFile::read(bytes_of(folder / "tale_signed.ndjson"));
  REQUIRE(read);
  const Pipeline& pipeline = test::run_pipeline("tale")->pipeline;
  JournalFile longer = read.value();
  const std::string number = std::to_string(longer.entries.size());
  longer.entries.push_back({longer.entries.size(),
                            R"({"n":)" + number + R"(,"at":1770000000000,"kind":"note","key":":9","name":"more"})",
                            {}});
  Result<Replayed> again = replay(pipeline, longer);
  REQUIRE(again);
  CHECK_FALSE(again.value().same);
  CHECK(again.value().now.empty());
  JournalFile twice = read.value();
  twice.entries.push_back({twice.entries.size(), R"({"n":)" + number + R"(,"at":1770000000000,"kind":"cancel"})", {}});
  again = replay(pipeline, twice);
  REQUIRE(again);
  CHECK_FALSE(again.value().same);
  CHECK_FALSE(replay(test::run_pipeline("steps")->pipeline, read.value()));
}
