// Small outlines written in a few words, for tests: `beat("x", "a/1", "commits a")`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/story/grow.hpp"
#include "core/story/outline.hpp"

namespace plumb_test {

// "id: policy salience weight" and an optional residue for both answers, whose ids are 1 and 2 (written o1, o2).
struct SmallDilemma {
  std::string id, policy = "soft", salience = "none", weight = "cosmetic";
  bool residue = false;
};

// `paths` and `commits` with blanks between.
struct SmallBeat {
  std::string id, paths, commits;
  std::string more;  // further members, as JSON with a leading comma
  bool labelled = true;
};

inline std::string list_of(std::string_view words) {
  std::string out = "[";
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    out += (out.size() > 1 ? ",\"" : "\"") + std::string(words.substr(0, end)) + "\"";
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return out + "]";
}

inline std::string small_outline(const std::vector<SmallDilemma>& dilemmas, const std::vector<SmallBeat>& beats,
                                 const std::string& more = "") {
  std::string out = "{\"title\":\"Small\",\"size\":\"long\",\"dilemmas\":[";
  for (const SmallDilemma& one : dilemmas) {
    out += (out.back() == '[' ? "" : ",") + std::string("{\"id\":\"") + one.id +
           "\",\"question\":\"Which?\",\"policy\":\"" + one.policy + "\",\"payoff_budget\":1,\"ending_salience\":\"" +
           one.salience + "\",\"residue_weight\":\"" + one.weight + "\",\"answers\":[";
    for (const std::string_view answer : {"o1", "o2"}) {
      out += std::string(answer == "o1" ? "" : ",") + "{\"id\":\"" + std::string(answer) +
             "\",\"description\":\"Answer " + std::string(answer) + "\"" + (answer == "o1" ? ",\"default\":true" : "") +
             (one.residue ? ",\"residue\":[{\"summary\":\"What remains of " + std::string(answer) + "\"}]" : "") + "}";
    }
    out += "]}";
  }
  out += "],\"beats\":[";
  for (const SmallBeat& one : beats) {
    out += (out.back() == '[' ? "" : ",") + std::string("{\"id\":\"") + one.id + "\"" +
           (one.labelled ? ",\"label\":\"To " + one.id + "\"" : "") + ",\"summary\":\"At " + one.id +
           ".\",\"prose\":\"Prose of " + one.id + ".\"" +
           (one.paths.empty() ? "" : ",\"paths\":" + list_of(one.paths)) +
           (one.commits.empty() ? "" : ",\"commits\":" + list_of(one.commits)) + one.more + "}";
  }
  return out + "]" + more + "}";
}

struct Grown {
  plumb::story::Graph graph;
  std::vector<plumb::story::PhaseNote> notes;

  const plumb::story::PhaseNote& note(std::string_view phase) const {
    for (const plumb::story::PhaseNote& one : notes) {
      if (one.phase == phase) {
        return one;
      }
    }
    return notes.back();
  }
};

// The outline made up to the phase (inclusive), or to the end. An outline with errors gives an empty graph.
inline Grown grown(const std::string& outline, std::string_view last = "") {
  Grown out;
  const plumb::story::OutlineReading read = plumb::story::read_outline(outline);
  if (!read.outline) {
    return out;
  }
  out.notes = plumb::story::seed_phases(*read.outline, out.graph);
  for (const plumb::story::GrowPhase& phase : plumb::story::grow_phases()) {
    out.notes.push_back(plumb::story::run_grow_phase(phase, out.graph));
    if (phase.name == last) {
      return out;
    }
  }
  out.notes.push_back(plumb::story::fill_given_prose(out.graph));
  return out;
}

}  // namespace plumb_test
