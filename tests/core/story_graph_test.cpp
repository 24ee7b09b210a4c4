#include <doctest/doctest.h>

#include <set>
#include <string>

#include "core/story/graph.hpp"
#include "core/story/outline.hpp"
#include "core/story/phase.hpp"
#include "tests/story/seeded_outline.hpp"
#include "tests/story/small_outlines.hpp"

using namespace plumb::story;
using plumb_test::grown;
using plumb_test::small_outline;

namespace {

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string refusal(Graph& graph, const Mutation& mutation, Stage stage) {
  const std::string before = graph.hash();
  const plumb::Result<bool> done = graph.apply(mutation, stage);
  CHECK(graph.hash() == before);
  return done ? "" : done.error().message;
}

Graph with_entities(const std::vector<std::string>& names) {
  Graph graph;
  for (const std::string& name : names) {
    const auto done =
        graph.apply(creation("entity::" + name, {{Field::category, std::string("character")}, {Field::name, name}}, ""),
                    Stage::brainstorm);
    REQUIRE(done);
  }
  return graph;
}

std::vector<std::string> rules_of(const std::string& outline) {
  std::vector<std::string> out;
  for (const auto& one : read_outline(outline).verdict.findings) {
    out.push_back(one.rule);
  }
  return out;
}

}  // namespace

TEST_CASE("ontology: every enumerator has a row, a name of its own, and is found by it") {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < field_count; ++i) {
    CHECK(names.insert(name_of(static_cast<Field>(i))).second);
    CHECK(field_named(name_of(static_cast<Field>(i))) == static_cast<Field>(i));
  }
  for (const NodeRow& row : node_rows()) {
    CHECK(type_named(name_of(row.type)) == row.type);
    CHECK(row.made_by.bits != 0);
    CHECK_FALSE(row.fields.empty());
  }
  for (const EdgeRow& row : edge_rows()) {
    CHECK(edge_named(name_of(row.kind)) == row.kind);
    CHECK(row.from.bits != 0);
    CHECK(row.to.bits != 0);
  }
  CHECK(field_row(NodeType::arc, Field::prose) == nullptr);
}

TEST_CASE("graph: a node that is not there is refused with the near ids and how many there are") {
  Graph graph = with_entities({"mara", "maria", "jonah", "martha"});
  Mutation update;
  update.operation = Operation::update_node;
  update.target = "entity::marra";
  const std::string message = refusal(graph, update, Stage::seed);
  CHECK(has(message, "near it: entity::mara, entity::maria"));
  CHECK(has(message, "there are 4 of its type"));
  std::vector<std::string> many;
  for (int i = 0; i < 30; ++i) {
    many.push_back("x" + std::to_string(100 + i));
  }
  Graph large = with_entities(many);
  update.target = "entity::zzz";
  const std::string listed = refusal(large, update, Stage::seed);
  CHECK(has(listed, "there are 30 of its type"));
  CHECK(has(listed, "x119, and more"));
  CHECK_FALSE(has(listed, "x120"));
  CHECK_FALSE(has(listed, "near it"));
}

TEST_CASE("graph: only the stage that owns a type makes it, and FILL adds details to entities alone") {
  Graph graph = with_entities({"mara"});
  CHECK(has(refusal(graph,
                    creation("entity::new",
                             {{Field::category, std::string("object")}, {Field::name, std::string("New")}}, ""),
                    Stage::fill),
            "brainstorm or seed may"));
  CHECK(has(refusal(graph, creation("path::a__b", {{Field::name, std::string("x")}, {Field::is_canonical, true}}, ""),
                    Stage::grow),
            "seed may"));
  Mutation rename;
  rename.operation = Operation::update_node;
  rename.target = "entity::mara";
  rename.delta = {{Field::name, std::string("Other")}};
  rename.before = {{Field::name, std::string("mara")}};
  CHECK(has(refusal(graph, rename, Stage::fill), "may not change 'name'"));
  rename.delta = {{Field::details, std::string("{}")}};
  rename.before = {{Field::details, FieldValue()}};
  CHECK(graph.apply(rename, Stage::fill));
}

TEST_CASE("graph: unknown fields, wrong kinds, missing and empty required fields are refused") {
  Graph graph;
  CHECK(has(refusal(graph,
                    creation("entity::a",
                             {{Field::category, std::string("object")},
                              {Field::name, std::string("A")},
                              {Field::prose, std::string("x")}},
                             ""),
                    Stage::seed),
            "has no field 'prose'"));
  CHECK(has(refusal(graph, creation("entity::a", {{Field::category, true}, {Field::name, std::string("A")}}, ""),
                    Stage::seed),
            "kind text"));
  CHECK(has(refusal(graph, creation("entity::a", {{Field::category, std::string("object")}}, ""), Stage::seed),
            "'name'"));
  CHECK(has(refusal(graph,
                    creation("entity::a", {{Field::category, std::string("object")}, {Field::name, std::string()}}, ""),
                    Stage::seed),
            "not be empty"));
  CHECK(has(refusal(graph, creation("a", {}, ""), Stage::seed), "is not an id"));
}

TEST_CASE("graph: a mutation without its before, or with another, is refused; so is deleting what has edges") {
  Graph graph = with_entities({"mara"});
  Mutation update;
  update.operation = Operation::update_node;
  update.target = "entity::mara";
  update.delta = {{Field::name, std::string("Other")}};
  CHECK(has(refusal(graph, update, Stage::seed), "before"));
  update.before = {{Field::name, std::string("Someone")}};
  CHECK(has(refusal(graph, update, Stage::seed), "not what is there"));
  REQUIRE(graph.apply(creation("dilemma::d", {{Field::question, std::string("?")}}, ""), Stage::brainstorm));
  REQUIRE(graph.apply(new_edge(EdgeKind::involves, "dilemma::d", "entity::mara", ""), Stage::brainstorm));
  CHECK(has(refusal(graph, inverse(creation("entity::mara", graph.at("entity::mara").fields(), "")), Stage::seed),
            "still has edges"));
  CHECK(has(refusal(graph, new_edge(EdgeKind::involves, "entity::mara", "dilemma::d", ""), Stage::brainstorm),
            "does not lead from"));
}

TEST_CASE("phases: notes fold to the graph, read back from JSON, and unfold to each earlier hash") {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    plumb_test::Grown story = grown(plumb_test::seeded_outline(seed));
    REQUIRE(story.notes.size() > 20);
    std::vector<PhaseNote> read;
    for (const PhaseNote& note : story.notes) {
      const plumb::Result<PhaseNote> back = read_note(note_json(note));
      REQUIRE(back);
      CHECK(back.value().mutations == note.mutations);
      read.push_back(back.value());
    }
    const plumb::Result<Graph> folded = fold(read);
    REQUIRE(folded);
    CHECK(folded.value() == story.graph);
    // Hashed once, at the end: what is kept of earlier hashes changes nothing.
    Graph at_once;
    for (const PhaseNote& note : story.notes) {
      for (const Mutation& one : note.mutations) {
        REQUIRE(at_once.replay(one));
      }
    }
    CHECK(at_once.hash() == story.graph.hash());
    for (std::size_t i = story.notes.size(); i > 1; --i) {
      REQUIRE(unfold(story.graph, story.notes[i - 1]));
      CHECK(story.graph.hash() == story.notes[i - 2].hash);
    }
  }
}

TEST_CASE("phases: a note whose hash is not met is refused") {
  plumb_test::Grown story = grown(plumb_test::seeded_outline(3));
  story.notes[4].hash = story.notes[3].hash;
  CHECK_FALSE(fold(story.notes));
}

TEST_CASE("outline: each rule is broken by one change, and has its place") {
  const std::vector<plumb_test::SmallDilemma> one = {{"a"}};
  const std::vector<plumb_test::SmallBeat> beats = {
      {"start", "", "", ""}, {"left", "a/o1", "a", ""}, {"right", "a/o2", "a", ""}};
  CHECK(rules_of(small_outline(one, beats)).empty());
  const auto with = [&](plumb_test::SmallBeat more) {
    std::vector<plumb_test::SmallBeat> all = beats;
    all.push_back(std::move(more));
    return rules_of(small_outline(one, all));
  };
  CHECK(with({"start", "a/o1", "", ""}) == std::vector<std::string>{"duplicate_id"});
  CHECK(with({"x", "a/o3", "", ""}) == std::vector<std::string>{"reference"});
  CHECK(with({"x", "", "a", ""}) == std::vector<std::string>{"commits_one_path"});
  CHECK(with({"x", "a/o1 a/o2", "a", ""}) == std::vector<std::string>{"commits_one_path"});
  CHECK(with({"x", "", "", ",\"after\":[\"y\"]"}) == std::vector<std::string>{"reference"});
  CHECK(with({"x", "", "", ",\"after\":[\"x\"]"}) == std::vector<std::string>{"cycle"});
  CHECK(with({"Bad id", "", "", ""}) == std::vector<std::string>{"pattern"});
  CHECK(with({"x", "", "", ",\"moood\":\"dark\""}) == std::vector<std::string>{"additionalProperties"});
  CHECK(rules_of(small_outline(one, {beats[0], beats[1], {"right", "a/o2", "", ""}})) ==
        std::vector<std::string>{"path_commits"});
  const OutlineReading read = read_outline(small_outline(one, {beats[0], beats[1], {"right", "a/o4", "a", ""}}));
  REQUIRE(read.verdict.findings.size() == 1);
  CHECK(read.verdict.findings[0].at == "/beats/2/paths/0");
  const std::string wrong = small_outline(one, {beats[0], beats[1], {"right", "a/o4", "a", ""}});
  CHECK(wrong.substr(static_cast<std::size_t>(read.verdict.findings[0].span.from), 6) == "\"a/o4\"");
  CHECK(read.verdict.findings[0].allowed.size() == 2);
  CHECK(read.verdict.findings[0].message == "there is no path 'a/o4'; did you mean 'a/o1'?");
}

TEST_CASE("outline: what stands twice is told by the name and the place that its author knows") {
  const auto told = [](const std::string& text) { return read_outline(text).verdict.findings.at(0).message; };
  const std::vector<plumb_test::SmallBeat> beats = {
      {"start", "", "", ""}, {"left", "a/o1", "a", ""}, {"left", "a/o2", "a", ""}};
  CHECK(told(small_outline({{"a"}}, beats)) == "the id 'left' is taken by beat 2, which is something else");
  std::string answers = small_outline({{"b"}, {"a"}}, beats);
  answers.replace(answers.rfind("\"id\":\"o2\""), 9, "\"id\":\"o1\"");
  CHECK(told(answers) == "the id 'a/o1' is taken by answer 1 of dilemma 2, which is something else");
  CHECK(authors_name("arc::a__o1+b_c__o2") == "a/o1 + b_c/o2");
  CHECK(authors_name("codeword::b_c__o2_committed") == "b_c/o2");
  CHECK(authors_name("passage::meet__heavy_a__o1_committed") == "meet__heavy_a__o1_committed");
}

TEST_CASE("outline: more dilemmas than the size allows are refused with both numbers") {
  std::vector<plumb_test::SmallDilemma> dilemmas;
  std::vector<plumb_test::SmallBeat> beats = {{"start", "", "", ""}};
  for (char c = 'a'; c < 'g'; ++c) {
    const std::string id(1, c);
    dilemmas.push_back({id});
    beats.push_back({id + "1", id + "/o1", id, ""});
    beats.push_back({id + "2", id + "/o2", id, ""});
  }
  const OutlineReading read = read_outline(small_outline(dilemmas, beats));
  REQUIRE(read.verdict.findings.size() == 1);
  CHECK(read.verdict.findings[0].rule == "too_many_dilemmas");
  CHECK(has(read.verdict.findings[0].message, "at most 5 dilemmas, and this one of 6"));
}

TEST_CASE("outline: two beats that wait for each other are told in the order in which they do") {
  const OutlineReading read = read_outline(small_outline(
      {{"a"}}, {{"left", "a/o1", "a", ",\"after\":[\"right\"]"}, {"right", "a/o2", "a", ",\"after\":[\"left\"]"}}));
  REQUIRE(read.verdict.findings.size() == 1);
  CHECK(has(read.verdict.findings[0].message, "left after right after left"));
}
