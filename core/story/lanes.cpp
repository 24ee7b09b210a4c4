#include "core/story/lanes.hpp"

#include <algorithm>
#include <map>

#include "core/json/writer.hpp"
#include "core/story/weave.hpp"

namespace plumb::story {

namespace {

constexpr std::size_t rows_max = 1000;

struct Row {
  std::size_t level = 0;
  std::string_view id;
  std::vector<std::size_t> arcs;
};

struct Lane {
  std::string_view id, from, to;
  bool back = false;
};

std::vector<Lane> choices_of(const Graph& graph) {
  std::vector<Lane> out;
  for (const std::string_view id : graph.ids(NodeType::choice)) {
    out.push_back({id, graph.only_out(id, EdgeKind::choice_from), graph.only_out(id, EdgeKind::choice_to),
                   graph.at(id).flag(Field::is_return)});
  }
  return out;
}

// The longest way from the start in choices, returns not counted; as many rounds as there are rows, so that a circle
// ends too.
void level(std::vector<Row>& rows, const std::vector<Lane>& ways) {
  std::map<std::string_view, std::size_t> levels;
  for (const Row& row : rows) {
    levels.emplace(row.id, 0);
  }
  bool moved = true;
  for (std::size_t round = 0; moved && round < rows.size(); ++round) {
    moved = false;
    for (const Lane& one : ways) {
      const auto from = levels.find(one.from), to = levels.find(one.to);
      if (!one.back && from != levels.end() && to != levels.end() && to->second < from->second + 1) {
        to->second = from->second + 1;
        moved = true;
      }
    }
  }
  for (Row& row : rows) {
    row.level = levels[row.id];
  }
}

// Of beats their place in the order in which they may happen.
std::vector<Row> beat_rows(const Weave& w) {
  std::vector<Row> out;
  for (std::size_t i = 0; i < w.beats.size(); ++i) {
    Row row{i, w.beats[i], {}};
    for (std::size_t arc = 0; arc < w.arcs.size(); ++arc) {
      const std::vector<std::size_t>& beats = w.arcs[arc].beats;
      if (std::find(beats.begin(), beats.end(), i) != beats.end()) {
        row.arcs.push_back(arc);
      }
    }
    out.push_back(std::move(row));
  }
  return out;
}

std::vector<Row> passage_rows(const Graph& graph, const Weave& w, const std::vector<Lane>& choices) {
  std::vector<Row> out;
  for (const std::string_view id : graph.ids(NodeType::passage)) {
    Row row{0, id, {}};
    const auto number = w.passage_number.find(id);
    for (std::size_t arc = 0; number != w.passage_number.end() && arc < w.arcs.size(); ++arc) {
      if (w.through[number->second].has(arc)) {
        row.arcs.push_back(arc);
      }
    }
    out.push_back(std::move(row));
  }
  level(out, choices);
  std::sort(out.begin(), out.end(), [](const Row& a, const Row& b) {
    return a.level != b.level ? a.level < b.level : a.arcs != b.arcs ? a.arcs < b.arcs : a.id < b.id;
  });
  return out;
}

std::string_view kind_of(const Node& node) {
  if (node.type() == NodeType::beat) {
    return "beat";
  }
  return node.flag(Field::is_start)                                                ? "start"
         : node.flag(Field::is_residue)                                            ? "residue"
         : node.flag(Field::is_ending) && node.flag(Field::is_synthetic)           ? "variant"
         : node.flag(Field::is_ending)                                             ? "ending"
         : node.flag(Field::is_synthetic) || !node.text(Field::from_aside).empty() ? "beside"
                                                                                   : "passage";
}

void write_texts(json::Writer& json, std::string_view name, const Texts& texts) {
  json.key(name).begin_array();
  for (const std::string& one : texts) {
    json.string(raw(one));
  }
  json.end_array();
}

void write_passage(json::Writer& json, const Graph& graph, const Row& row, const std::vector<Lane>& choices) {
  const Node& node = graph.at(row.id);
  const std::string& label = node.text(Field::label);
  if (!label.empty()) {
    json.member("label", label);
  }
  if (node.flag(Field::draft)) {
    json.member_boolean("draft", true);
  }
  if (const std::string& path = node.text(Field::residue_for); !path.empty()) {
    json.member("for", raw(path));
  }
  json.key("grants").begin_array();
  for (const std::string_view word : graph.out(row.id, EdgeKind::grants)) {
    json.string(raw(word));
  }
  json.end_array().key("choices").begin_array();
  for (const Lane& one : choices) {
    if (one.from != row.id) {
      continue;
    }
    const Node& choice = graph.at(one.id);
    json.begin_object().member("to", raw(one.to)).member("label", choice.text(Field::label));
    write_texts(json, "requires", choice.texts(Field::requires_codewords));
    json.member_boolean("routing", choice.flag(Field::is_routing)).member_boolean("back", one.back).end_object();
  }
  json.end_array();
}

}  // namespace

std::string lanes_json(const Graph& graph) {
  const Weave w = weave(graph);
  const std::vector<Lane> choices = choices_of(graph);
  const bool grown = !graph.ids(NodeType::passage).empty();
  const std::vector<Row> rows = grown ? passage_rows(graph, w, choices) : beat_rows(w);
  std::string out;
  json::Writer json(out);
  const Node* vision = graph.find("vision::vision");
  json.begin_object().member("title", vision == nullptr ? std::string() : vision->text(Field::title));
  json.member("of", grown ? "passages" : rows.empty() ? "" : "beats").key("arcs").begin_array();
  for (const WeaveArc& arc : w.arcs) {
    json.begin_object().member("id", raw(arc.id)).member_boolean("spine", arc.spine);
    json.member("policy", graph.at(arc.id).text(Field::convergence_policy)).key("paths").begin_array();
    for (std::size_t path = 0; path < w.paths.size(); ++path) {
      if (arc.paths.has(path)) {
        json.string(raw(w.paths[path]));
      }
    }
    json.end_array().end_object();
  }
  json.end_array().key("rows").begin_array();
  for (std::size_t i = 0; i < std::min(rows.size(), rows_max); ++i) {
    const Row& row = rows[i];
    const Node& node = graph.at(row.id);
    json.begin_object().member("id", raw(row.id)).member("kind", kind_of(node)).member_uint("level", row.level);
    json.key("arcs").begin_array();
    for (const std::size_t arc : row.arcs) {
      json.uint(arc);
    }
    json.end_array().member("summary", node.text(Field::summary));
    if (grown) {
      write_passage(json, graph, row, choices);
    }
    json.end_object();
  }
  json.end_array().member_uint("cut", rows.size() > rows_max ? rows.size() - rows_max : 0).end_object();
  return out;
}

}  // namespace plumb::story
