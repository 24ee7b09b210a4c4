#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "core/story/reader_words.hpp"
#include "core/story/routing.hpp"
#include "core/story/validate.hpp"
#include "core/story/weave.hpp"
#include "tests/story/seeded_outline.hpp"
#include "tests/story/small_outlines.hpp"

using namespace plumb::story;
using plumb_test::grown;
using plumb_test::Grown;
using plumb_test::small_outline;
using plumb_test::SmallBeat;
using plumb_test::SmallDilemma;

namespace {

std::size_t count_of(const Graph& graph, std::string_view rule) {
  const auto all = validate(graph);
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [&](const auto& one) { return one.rule == rule; }));
}

std::size_t errors_of(const Graph& graph) {
  const auto all = validate(graph);
  return static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(), [](const auto& one) { return one.severity == plumb::contract::Severity::error; }));
}

// One dilemma whose branches meet.
std::string one_meeting(const SmallDilemma& dilemma, std::size_t beats = 1) {
  std::vector<SmallBeat> all = {{"start", "", "", ""}};
  for (const std::string answer : {"o1", "o2"}) {
    for (std::size_t i = 0; i < beats; ++i) {
      all.push_back({answer + "b" + std::to_string(i), "a/" + answer, i == 0 ? "a" : "", ""});
    }
  }
  all.push_back({"meet", "", "", ""});
  all.push_back({"end", "", "", ""});
  return small_outline({dilemma}, all);
}

// Two dilemmas whose branches meet at one passage, which goes on or ends the story.
std::string two_meetings(const SmallDilemma& a, const SmallDilemma& b, bool goes_on) {
  std::vector<SmallBeat> all = {{"start", "", "", ""}, {"a1", "a/o1", "a", ""}, {"a2", "a/o2", "a", ""}};
  for (const std::string x : {"1", "2"}) {
    for (const std::string y : {"1", "2"}) {
      all.push_back({"b" + x + y, "a/o" + x + " b/o" + y, "b", ""});
    }
  }
  all.push_back({"meet", "", "", ""});
  if (goes_on) {
    all.push_back({"end", "", "", ""});
  }
  return small_outline({a, b}, all);
}

std::vector<RoutingOperation> at(const RoutingPlan& plan, std::string_view base) {
  std::vector<RoutingOperation> out;
  std::copy_if(plan.operations.begin(), plan.operations.end(), std::back_inserter(out),
               [&](const auto& one) { return one.base == base; });
  return out;
}

std::size_t phase_number(std::string_view name) {
  const auto all = grow_phases();
  return static_cast<std::size_t>(
      std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; }) - all.begin());
}

}  // namespace

TEST_CASE("ADR-017 bug 1: the codewords of heavy dilemmas are in the scope that routing is validated by") {
  const Grown story = grown(one_meeting({"a", "soft", "none", "heavy"}));
  const Weave w = weave(story.graph);
  CHECK(codewords_in(story.graph, w, CodewordScope::ending).none());
  CHECK(codewords_in(story.graph, w, CodewordScope::routing).count() == 2);
  CHECK(codewords_in(story.graph, w, CodewordScope::all).count() == 2);
  REQUIRE(story.graph.ids(NodeType::routing_set).size() == 1);
  CHECK(count_of(story.graph, "routing_coverage_ce") == 0);
}

TEST_CASE("ADR-017 bug 2: the fallback of every routing set is marked as routing and counted") {
  const Grown story = grown(one_meeting({"a", "soft", "none", "heavy"}));
  std::size_t fallbacks = 0;
  for (const std::string_view choice : story.graph.in("passage::meet", EdgeKind::choice_to)) {
    const std::string_view from = story.graph.only_out(choice, EdgeKind::choice_from);
    if (!story.graph.at(from).flag(Field::is_residue)) {
      CHECK(story.graph.at(choice).flag(Field::is_routing));
      CHECK(story.graph.at(choice).text(Field::base) == "meet");
      ++fallbacks;
    }
  }
  CHECK(fallbacks == 2);
}

TEST_CASE("ADR-017 bug 3: what is routed is the passage that is led to, not where one comes from") {
  CHECK(count_of(grown(one_meeting({"a", "soft", "none", "heavy"})).graph, "prose_neutrality") == 0);
  // Before routing the same passage, and no other, is found.
  const Grown before = grown(one_meeting({"a", "soft", "none", "heavy"}), "mark_endings");
  const auto all = validate(before.graph);
  const auto found =
      std::find_if(all.begin(), all.end(), [](const auto& one) { return one.rule == "prose_neutrality"; });
  REQUIRE(found != all.end());
  CHECK(found->item == "passage::meet");
}

TEST_CASE("ADR-017 bug 4: residue is proposed when choices and hubs stand, and so comes about") {
  CHECK(phase_number("residue_proposals") > phase_number("choices"));
  CHECK(phase_number("residue_proposals") > phase_number("hub_spokes"));
  CHECK(phase_number("residue_proposals") > phase_number("mark_endings"));
  const Grown story = grown(one_meeting({"a", "soft", "none", "light", true}));
  CHECK(story.note("residue_proposals").mutations.size() == 1);
  std::size_t residues = 0;
  for (const std::string_view passage : story.graph.ids(NodeType::passage)) {
    residues += story.graph.at(passage).flag(Field::is_residue) ? 1U : 0U;
    if (story.graph.at(passage).flag(Field::is_residue)) {
      CHECK(story.graph.in(passage, EdgeKind::choice_to).size() == 1);
    }
  }
  CHECK(residues == 2);
}

TEST_CASE("ADR-017 bug 5: of two dilemmas that meet at one passage neither is dropped") {
  const Grown story =
      grown(two_meetings({"a", "soft", "none", "heavy"}, {"b", "soft", "none", "heavy"}, true), "residue_proposals");
  const RoutingPlan plan = compute_routing_plan(story.graph);
  const auto found = at(plan, "passage::meet");
  REQUIRE(found.size() == 2);
  CHECK(found[0].dilemmas == Texts{"dilemma::a"});
  CHECK(found[1].dilemmas == Texts{"dilemma::b"});
  CHECK(plan.conflicts.empty());
}

TEST_CASE("ADR-017 bug 6: one phase routes, and passages are folded only behind it") {
  CHECK(phase_number("collapse_passages") == phase_number("apply_routing") + 1);
  const Grown story = grown(two_meetings({"a", "soft", "high", "heavy"}, {"b", "soft", "none", "light", true}, true));
  for (const PhaseNote& note : story.notes) {
    const bool routes = std::any_of(note.mutations.begin(), note.mutations.end(), [](const Mutation& one) {
      return std::any_of(one.delta.begin(), one.delta.end(),
                         [](const auto& field) { return field.first == Field::is_routing; });
    });
    CHECK(routes == (note.phase == "apply_routing"));
  }
  for (const std::string_view set : story.graph.ids(NodeType::routing_set)) {
    CHECK(story.graph.find("passage::" + story.graph.at(set).text(Field::base)) != nullptr);
  }
}

TEST_CASE("ADR-017 bug 7: an ending that is split has the residue of another dilemma before its variants") {
  const Grown planned = grown(two_meetings({"a", "soft", "none", "heavy"}, {"b", "soft", "high", "cosmetic"}, false),
                              "residue_proposals");
  const auto found = at(compute_routing_plan(planned.graph), "passage::meet");
  REQUIRE(found.size() == 2);
  CHECK(found[0].kind == RoutingKind::heavy_residue);
  CHECK(found[0].dilemmas == Texts{"dilemma::a"});
  CHECK(found[1].kind == RoutingKind::ending_split);
  const Grown story = grown(two_meetings({"a", "soft", "none", "heavy"}, {"b", "soft", "high", "cosmetic"}, false));
  std::size_t ways = 0;
  for (const std::string_view choice : story.graph.in("passage::meet__heavy_a__o1_committed", EdgeKind::choice_from)) {
    const std::string_view to = story.graph.only_out(choice, EdgeKind::choice_to);
    ways += story.graph.at(to).flag(Field::is_ending) ? 1U : 0U;
  }
  CHECK(ways == 2);
  CHECK(errors_of(story.graph) == 0);
}

TEST_CASE("ADR-017 bug 8: a heavy dilemma that is proposed too is routed once, and what gave way is recorded") {
  Grown story = grown(one_meeting({"a", "soft", "none", "heavy", true}), "mark_endings");
  Phase phase(story.graph, Stage::grow, "residue_proposals");
  phase.create("meta::residue_proposals",
               {{Field::value, std::string("[{\"passage\":\"passage::meet\",\"dilemma\":\"dilemma::a\",\"paths\":["
                                           "\"path::a__o1\",\"path::a__o2\"]}]")}},
               "as a model might");
  const RoutingPlan plan = compute_routing_plan(story.graph);
  REQUIRE(plan.operations.size() == 1);
  CHECK(plan.operations[0].kind == RoutingKind::heavy_residue);
  REQUIRE(plan.conflicts.size() == 1);
  CHECK(plan.conflicts[0].winner == RoutingKind::heavy_residue);
  CHECK(plan.conflicts[0].loser == RoutingKind::residue);
}

TEST_CASE("routing: where an ending is split and its dilemma would have residue too, the ending wins") {
  const Grown story = grown(two_meetings({"a", "soft", "high", "heavy"}, {"b", "soft", "none", "cosmetic"}, false),
                            "residue_proposals");
  const RoutingPlan plan = compute_routing_plan(story.graph);
  // Branches of a meet at once at b's beats, and at the ending again.
  const auto found = at(plan, "passage::meet");
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == RoutingKind::ending_split);
  REQUIRE(plan.conflicts.size() == 1);
  CHECK(plan.conflicts[0].base == "passage::meet");
  CHECK(plan.conflicts[0].loser == RoutingKind::heavy_residue);
}

TEST_CASE("routing: the plan is pure, and applying it changes exactly what it lists") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Grown before = grown(plumb_test::seeded_outline(seed), "residue_proposals");
    const std::string hash = before.graph.hash();
    const RoutingPlan plan = compute_routing_plan(before.graph);
    CHECK(before.graph.hash() == hash);
    Grown after = before;
    for (const GrowPhase& phase : grow_phases()) {
      if (phase.name == "apply_routing") {
        after.notes.push_back(run_grow_phase(phase, after.graph));
      }
    }
    std::set<std::string> wanted, made;
    for (const RoutingOperation& one : plan.operations) {
      for (const RoutingVariant& variant : one.variants) {
        wanted.insert(variant.passage);
      }
    }
    for (const std::string_view passage : after.graph.ids(NodeType::passage)) {
      if (before.graph.find(passage) == nullptr) {
        made.emplace(passage);
      }
    }
    CHECK(made == wanted);
    CHECK(after.graph.ids(NodeType::routing_set).size() == plan.operations.size());
    // Nothing that was there is gone.
    for (const auto& [id, node] : before.graph.nodes()) {
      CHECK(after.graph.find(id) != nullptr);
    }
  }
}

// ADR-018: the number counted in another way. A heavy dilemma's meetings, from the beats alone: a beat of both paths
// that on some arc comes directly after one of a single path.
TEST_CASE("routing: heavy residues are as many as the meetings counted from the beats of arcs") {
  std::size_t compared = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Grown story = grown(plumb_test::seeded_outline(seed, {0, 2, 1, true}), "residue_proposals");
    std::size_t expected = 0;
    for (const std::string_view dilemma : story.graph.ids(NodeType::dilemma)) {
      const Node& node = story.graph.at(dilemma);
      if (node.text(Field::residue_weight) != "heavy" && node.text(Field::ending_salience) != "high") {
        continue;
      }
      std::map<std::string, std::set<std::string>> paths_at, before;
      for (const std::string_view arc : story.graph.ids(NodeType::arc)) {
        std::string path;
        for (const std::string& one : story.graph.at(arc).texts(Field::paths)) {
          path = one.rfind(std::string(raw(dilemma)) + "__", 0) == 0 ? one : path;
        }
        std::string last;
        for (const std::string& beat : story.graph.at(arc).texts(Field::sequence)) {
          paths_at[beat].insert(path);
          if (!last.empty()) {
            before[beat].insert(last);
          }
          last = beat;
        }
      }
      for (const auto& [beat, paths] : paths_at) {
        const bool meets =
            paths.size() > 1 && std::any_of(before[beat].begin(), before[beat].end(),
                                            [&](const std::string& one) { return paths_at[one].size() == 1; });
        const bool ends = story.graph.find("passage::" + beat) != nullptr &&
                          story.graph.at("passage::" + beat).flag(Field::is_ending);
        expected += meets && !(ends && node.text(Field::ending_salience) == "high") ? 1U : 0U;
      }
    }
    const RoutingPlan plan = compute_routing_plan(story.graph);
    const auto heavy = std::count_if(plan.operations.begin(), plan.operations.end(),
                                     [](const auto& one) { return one.kind == RoutingKind::heavy_residue; });
    CHECK(static_cast<std::size_t>(heavy) == expected);
    compared += expected;
  }
  CHECK(compared > 20);
}

TEST_CASE("ADR-018: nothing where heavy branches meet is a warning with both numbers") {
  // The branches meet before either is committed to, so nobody can be told apart.
  const std::string outline = small_outline({{"a", "flavor", "none", "heavy"}}, {{"start", "", "", ""},
                                                                                 {"l", "a/o1", "", ""},
                                                                                 {"r", "a/o2", "", ""},
                                                                                 {"meet", "", "", ""},
                                                                                 {"l2", "a/o1", "a", ""},
                                                                                 {"r2", "a/o2", "a", ""}});
  const Grown story = grown(outline);
  REQUIRE(story.note("apply_routing").warnings.size() == 1);
  CHECK(story.note("apply_routing").warnings[0] ==
        "0 heavy residues for 1 heavy dilemmas, whose branches meet at 1 passages");
}

TEST_CASE("policies: every combination of two dilemmas keeps what its policies say") {
  for (const std::string first : {"hard", "soft", "flavor"}) {
    for (const std::string second : {"hard", "soft", "flavor"}) {
      const std::string b_both = "b/o1 b/o2";
      const Grown story =
          grown(small_outline({{"a", first}, {"b", second}}, {{"start", "", "", ""},
                                                              {"a1", "a/o1", "a", ""},
                                                              {"a2", "a/o2", "a", ""},
                                                              {"between", first == "hard" ? b_both : "", "", ""},
                                                              {"b1", "b/o1", "b", ""},
                                                              {"b2", "b/o2", "b", ""},
                                                              {"a1x", "a/o1", "", ""},
                                                              {"a2x", "a/o2", "", ""}}));
      CAPTURE(first + " " + second);
      CHECK(errors_of(story.graph) == 0);
      for (const std::string_view arc : story.graph.ids(NodeType::arc)) {
        const Node& node = story.graph.at(arc);
        const Texts& paths = node.texts(Field::paths);
        const bool by_a = paths[0] == "a__o2";
        const bool by_b = paths[1] == "b__o2";
        const auto strict = [&](std::string_view policy) {
          return (by_a && first == policy) || (by_b && second == policy);
        };
        const std::string wanted = strict("hard") ? "hard" : strict("soft") ? "soft" : "flavor";
        CHECK(node.text(Field::convergence_policy) == wanted);
        if (wanted == "hard" || !(by_a || by_b)) {
          CHECK(story.graph.out(arc, EdgeKind::converges_at).empty());
        }
      }
      // The branch's content behind a passage that both come through is entered through its own codeword.
      for (const std::string_view choice : story.graph.in("passage::a1x", EdgeKind::choice_to)) {
        CHECK(story.graph.at(choice).texts(Field::requires_codewords) == Texts{"codeword::a__o1_committed"});
      }
    }
  }
}

TEST_CASE("policies: a hard dilemma whose branches share a beat of its own is an error at that beat") {
  const Grown story = grown(one_meeting({"a", "hard"}));
  const auto all = validate(story.graph);
  const auto found =
      std::find_if(all.begin(), all.end(), [](const auto& one) { return one.rule == "convergence_policy_compliance"; });
  REQUIRE(found != all.end());
  CHECK(found->item == "beat::meet");
  CHECK(found->severity == plumb::contract::Severity::error);
}

TEST_CASE("gates: a choice never asks for what the passage itself grants, and a single way on has none") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Grown story = grown(plumb_test::seeded_outline(seed), "choices");
    std::map<std::string, std::size_t> ways;
    for (const std::string_view choice : story.graph.ids(NodeType::choice)) {
      ++ways[std::string(story.graph.only_out(choice, EdgeKind::choice_from))];
    }
    for (const std::string_view choice : story.graph.ids(NodeType::choice)) {
      const std::string to(story.graph.only_out(choice, EdgeKind::choice_to));
      const Texts& gate = story.graph.at(choice).texts(Field::requires_codewords);
      for (const std::string& word : gate) {
        CHECK_FALSE(story.graph.has_edge(EdgeKind::grants, to, word));
      }
      if (ways[std::string(story.graph.only_out(choice, EdgeKind::choice_from))] == 1) {
        CHECK(gate.empty());
      }
    }
  }
}

TEST_CASE("grow: linear beats without a label of their own share a passage, with all their prose") {
  const Grown story = grown(small_outline(
      {{"a"}}, {{"start", "", "", ""}, {"more", "", "", "", false}, {"l", "a/o1", "a", ""}, {"r", "a/o2", "a", ""}}));
  REQUIRE(story.graph.find("passage::start") != nullptr);
  CHECK(story.graph.find("passage::more") == nullptr);
  CHECK(story.graph.at("passage::start").texts(Field::merged_from) == Texts{"more"});
  CHECK(story.graph.at("passage::start").text(Field::prose) == "Prose of start.\n\nProse of more.");
}

TEST_CASE("grow: seeded stories end with no fatal finding and at least two endings or variants") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Grown story = grown(plumb_test::seeded_outline(seed));
    CAPTURE(seed);
    CHECK(errors_of(story.graph) == 0);
    CHECK(story.notes.back().phase == "given_prose");
  }
}

TEST_CASE("grow: without labels, a choice shows the answer that it gives, and no label is shown twice on one way") {
  const std::vector<SmallBeat> beats = {
      {"start", "", "",
       R"(,"spokes":[{"summary":"A lamp.","prose":"It burns."},{"summary":"Moss.","label":"Look down"}])", false},
      {"l", "a/o1", "a", "", false},
      {"r", "a/o2", "a", "", false},
      {"meet", "", "", R"(,"label":"Into the hall")", false},
      {"more", "", "", R"(,"location":"elsewhere")", false}};
  const Grown story = grown(small_outline({{"a", "soft", "none", "heavy", true}}, beats));
  Texts seen;
  for (const std::string_view choice : story.graph.ids(NodeType::choice)) {
    const Node& node = story.graph.at(choice);
    seen.push_back(std::string(raw(story.graph.only_out(choice, EdgeKind::choice_from))) + ": " +
                   node.text(Field::label));
  }
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  std::string all;
  for (const std::string& one : seen) {
    all += one + "\n";
  }
  CHECK(all ==
        "l: Into the hall\n"
        "meet: Continue\n"
        "meet__heavy_a__o1_committed: Continue\n"
        "meet__heavy_a__o2_committed: Continue\n"
        "r: Into the hall\n"
        "spoke_start_0: Go back\n"
        "spoke_start_1: Go back\n"
        "start: A lamp.\n"
        "start: Answer o1\n"
        "start: Answer o2\n"
        "start: Look down\n");
}

TEST_CASE("grow: what no label says is said in the story's language, and by a sign in other languages") {
  CHECK(way_words("de-AT").go_on == "Weiter");
  CHECK(way_words("en").go_back == "Go back");
  CHECK(way_words("ja").go_on == "…");
}
