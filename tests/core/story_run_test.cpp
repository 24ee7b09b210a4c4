// Stories as runs: a phase is a part with one note, the graph their fold, rewinding a fork.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/json/members.hpp"
#include "core/pipelines/story/story.hpp"
#include "core/run/fork.hpp"
#include "core/run/machine.hpp"
#include "core/story/ship.hpp"
#include "tests/story/small_outlines.hpp"

using namespace plumb;
using plumb_test::small_outline;
using run::Data;
using run::Machine;
using run::State;

namespace {

const pipelines::Known& known() { return *pipelines::known_pipeline("story"); }

std::string outline(const std::string& policy = "soft", const std::string& question = "Which?") {
  std::string text = small_outline({{"a", policy}}, {{"start", "", "", ""},
                                                     {"one", "a/o1", "a", ""},
                                                     {"two", "a/o2", "a", ""},
                                                     {"two_more", "a/o2", "", ""},
                                                     {"meet", "", "", ""},
                                                     {"end", "", "", ""}});
  return text.replace(text.find("Which?"), 6, question);
}

Result<pipelines::Prepared> prepared(const std::string& text) {
  const Data request = Data::written("{\"outline\":" + text + "}");
  return known().prepare(request.value(), {});
}

Machine ended(const std::string& text, std::uint64_t now = 1000) {
  Machine machine = Machine::start(known().pipeline, "r1", prepared(text).value().input, {}, {}, now);
  CHECK(machine.step(now + 1) == State::done);
  return machine;
}

Result<run::Forked> rewound(const run::Journal& journal, const std::string& phase, const std::string& text) {
  const Result<pipelines::story::Cut> cut = pipelines::story::cut_at(journal, phase);
  REQUIRE(cut);
  return run::fork(known().pipeline, "r2", prepared(text).value().input, {}, {&journal, cut.value().at}, {}, 5000);
}

std::vector<std::string> hashes(const run::Journal& journal) {
  std::vector<std::string> out;
  const auto phases = pipelines::story::phases_of(journal);
  REQUIRE(phases);
  for (const pipelines::story::StoredPhase& one : phases.value()) {
    out.push_back(one.note.hash);
  }
  return out;
}

}  // namespace

TEST_CASE("story runs: each phase is one note, and the journal alone gives the story that was made") {
  const Machine machine = ended(outline());
  const run::Journal& journal = machine.journal();
  const auto phases = pipelines::story::phases_of(journal);
  REQUIRE(phases);
  CHECK(phases.value().size() == 32);
  const story::Made made = story::make_story(outline());
  REQUIRE(made.notes.size() == 32);
  for (std::size_t i = 0; i < made.notes.size(); ++i) {
    CAPTURE(i);
    CHECK(phases.value()[i].note.hash == made.notes[i].hash);
    CHECK(phases.value()[i].note.mutations == made.notes[i].mutations);
    CHECK(phases.value()[i].at_ms == 1001);
    CHECK(pipelines::story::graph_of(phases.value(), i + 1).value().hash() == made.notes[i].hash);
  }
  const Result<story::Made> told = pipelines::story::story_of(journal);
  REQUIRE(told);
  CHECK(told.value().graph == made.graph);
  CHECK(story::ship(*told.value().book, story::ShipFormat::json).value() ==
        story::ship(*made.book, story::ShipFormat::json).value());
  const json::Value& result = machine.result().value();
  CHECK(json::text_of(result, "decision") == contract::decision_name(made.verdict.decision));
  CHECK(json::flag_of(result, "valid"));
  CHECK(json::text_of(result, "graph") == made.graph.hash());
  CHECK(json::number_of(result, "passages") == made.book->passages.size());
}

TEST_CASE("story runs: rewound and grown with the same outline, it comes to the same graph") {
  const Machine machine = ended(outline());
  for (const std::string phase : {"dream/vision", "seed/analyses", "grow/choices", "fill/given_prose", "grow"}) {
    CAPTURE(phase);
    Result<run::Forked> fork = rewound(machine.journal(), phase, outline());
    REQUIRE(fork);
    CHECK(fork.value().machine.step(6000) == State::done);
    CHECK(fork.value().left.empty());
    CHECK(hashes(fork.value().machine.journal()) == hashes(machine.journal()));
    CHECK(run::forked_from(fork.value().machine.journal()) == "r1");
    CHECK(fork.value().taken + 1 == pipelines::story::cut_at(machine.journal(), phase).value().at);
  }
}

TEST_CASE("story runs: rewound with another outline, what stands before stays and what follows is made of the other") {
  const Machine machine = ended(outline("soft"));
  Result<run::Forked> fork = rewound(machine.journal(), "seed/analyses", outline("hard"));
  REQUIRE(fork);
  CHECK(fork.value().machine.step(6000) == State::done);
  const std::vector<std::string> was = hashes(machine.journal()), now = hashes(fork.value().machine.journal());
  REQUIRE(was.size() == now.size());
  for (std::size_t i = 0; i < was.size(); ++i) {
    CAPTURE(i);
    CHECK((was[i] == now[i]) == (i < 5));
  }
  CHECK(now == hashes(ended(outline("hard")).journal()));
}

TEST_CASE("story runs: an outline that is another one before the cut is refused, with the phase to rewind to") {
  const Machine machine = ended(outline());
  const Result<run::Forked> fork = rewound(machine.journal(), "grow/choices", outline("soft", "Whither?"));
  REQUIRE_FALSE(fork);
  CHECK(fork.error().message.find("brainstorm/dilemmas") != std::string::npos);
}

TEST_CASE("story runs: a phase that is not there is refused with those that are") {
  const Machine machine = ended(outline());
  const Result<pipelines::story::Cut> cut = pipelines::story::cut_at(machine.journal(), "grow/choicse");
  REQUIRE_FALSE(cut);
  CHECK(cut.error().code == ErrorCode::not_found);
  CHECK(cut.error().message.find("did you mean 'grow/choices'?") != std::string::npos);
  CHECK(cut.error().message.find("seed/paths") != std::string::npos);
}

TEST_CASE("story runs: a request without an outline, or with one that has errors, is refused with the place") {
  struct Refusal {
    std::string text, where, says;
  };
  for (const Refusal& one : std::vector<Refusal>{
           {R"({})", "/outline", "`outline` is missing"},
           {R"({"outline":{},"prompt":"x"})", "/prompt", "prompt"},
           {R"({"outline":{"nodes":{},"edges":[]}})", "/outline", "is a graph of an older kind of project"},
           {R"({"outline":{"title":"T"}})", "/outline", "the outline has"}}) {
    CAPTURE(one.text);
    const Data request = Data::written(one.text);
    const Result<pipelines::Prepared> refused = known().prepare(request.value(), {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().where.substr(0, one.where.size()) == one.where);
    CHECK(refused.error().message.find(one.says) != std::string::npos);
  }
}

TEST_CASE("story runs: one that can lock its reader in ends with the decision to revise, and its view has no story") {
  std::string text = outline();
  const std::string beat = "{\"id\":\"two_more\"";
  text.insert(text.find(beat) + beat.size(), ",\"gate\":[\"a/o1\"]");
  const Machine machine = ended(text);
  CHECK(json::text_of(machine.result().value(), "decision") == "revise");
  const Data view = Data::written(known().view(machine.journal()));
  CHECK(view.value().find("story") == nullptr);
  CHECK(json::list_of(view.value(), "phases").size() == 32);
  const Data sound = Data::written(known().view(ended(outline()).journal()));
  CHECK(json::list_of(*sound.value().find("story"), "passages").size() > 4);
  const std::vector<pipelines::LogLine> lines = known().log(machine.journal(), 0);
  CHECK(lines.front().text == "⚙️ Story: Small");
  CHECK(lines.back().text.find("❌") == 0);
}

TEST_CASE("story runs: a note that was tampered with does not pass for the graph") {
  const Machine machine = ended(outline());
  std::vector<story::PhaseNote> notes;
  const auto phases = pipelines::story::phases_of(machine.journal());
  REQUIRE(phases);
  for (const pipelines::story::StoredPhase& one : phases.value()) {
    notes.push_back(one.note);
  }
  notes[4].mutations.pop_back();
  CHECK_FALSE(story::story_from(outline(), notes));
}
