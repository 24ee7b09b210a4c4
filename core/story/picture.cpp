#include "core/story/picture.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "core/ascii.hpp"
#include "core/json/writer.hpp"
#include "core/story/findings.hpp"
#include "core/story/ship.hpp"
#include "core/story/validate.hpp"

namespace plumb::story {

namespace {

constexpr std::size_t svg_passages_max = 500;

std::string dot_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    out += c == '"' || c == '\\' ? std::string{'\\', c} : c == '\n' || c == '\r' ? std::string(" ") : std::string(1, c);
  }
  return out + "\"";
}

// Mermaid shows numeric entities written with #.
std::string mermaid_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const bool plain =
        ascii::is_alphanumeric(c) || c == ' ' || c == '.' || c == ',' || static_cast<unsigned char>(c) >= 0x80;
    out += plain       ? std::string(1, c)
           : c == '\n' ? std::string(" ")
                       : "#" + std::to_string(static_cast<unsigned>(static_cast<unsigned char>(c))) + ";";
  }
  return out + "\"";
}

struct Drawn {
  std::string_view id, from, to;
  std::string label;
  bool routing, back;
};

std::vector<Drawn> choices_of(const Graph& graph) {
  std::vector<Drawn> out;
  for (const std::string_view id : graph.ids(NodeType::choice)) {
    const Node& node = graph.at(id);
    std::string label = node.text(Field::label);
    for (const std::string& word : node.texts(Field::requires_codewords)) {
      label += " [" + authors_name(word) + "]";
    }
    out.push_back({id, graph.only_out(id, EdgeKind::choice_from), graph.only_out(id, EdgeKind::choice_to),
                   std::move(label), node.flag(Field::is_routing), node.flag(Field::is_return)});
  }
  return out;
}

std::string named(const Graph& graph, std::string_view of) {
  return std::string(of) + (of.empty() ? "graph " : ", graph ") + graph.hash();
}

std::string_view kind_of(const Node& passage) {
  return passage.flag(Field::is_start)       ? "start"
         : passage.flag(Field::is_ending)    ? "ending"
         : passage.flag(Field::is_residue)   ? "residue"
         : passage.flag(Field::is_synthetic) ? "beside"
                                             : "passage";
}

// How many choices a passage is from the start at most, returns not counted; bounded where there are circles.
std::map<std::string_view, std::size_t> rows_of(const Graph& graph, const std::vector<Drawn>& choices) {
  std::map<std::string_view, std::size_t> rows;
  for (const std::string_view id : graph.ids(NodeType::passage)) {
    rows.emplace(id, 0);
  }
  bool moved = true;
  for (std::size_t round = 0; moved && round < rows.size(); ++round) {
    moved = false;
    for (const Drawn& one : choices) {
      if (!one.back && rows[one.to] < rows[one.from] + 1) {
        rows[one.to] = rows[one.from] + 1;
        moved = true;
      }
    }
  }
  return rows;
}

}  // namespace

std::string story_dot(const Graph& graph, std::string_view of) {
  std::string out =
      "digraph story {\n  // " + named(graph, of) + "\n  rankdir=TB;\n  node [shape=box, style=rounded];\n";
  for (const std::string_view id : graph.ids(NodeType::passage)) {
    const std::string_view kind = kind_of(graph.at(id));
    out += "  " + dot_text(raw(id));
    out += kind == "ending"                        ? " [peripheries=2]"
           : kind == "residue" || kind == "beside" ? " [style=\"rounded,dashed\"]"
           : kind == "start"                       ? " [style=\"rounded,bold\"]"
                                                   : "";
    out += ";\n";
  }
  for (const Drawn& one : choices_of(graph)) {
    out += "  " + dot_text(raw(one.from)) + " -> " + dot_text(raw(one.to)) + " [label=" + dot_text(one.label) +
           (one.routing ? ", style=dashed" : "") + (one.back ? ", style=dotted, constraint=false" : "") + "];\n";
  }
  return out + "}\n";
}

std::string story_mermaid(const Graph& graph, std::string_view of) {
  std::string out = "flowchart TD\n  %% " + named(graph, of) + "\n";
  std::map<std::string_view, std::string> names;
  for (const std::string_view id : graph.ids(NodeType::passage)) {
    const std::string name = "p" + std::to_string(names.size());
    names.emplace(id, name);
    const bool ending = graph.at(id).flag(Field::is_ending);
    out += "  " + name + (ending ? "([" : "[") + mermaid_text(raw(id)) + (ending ? "])" : "]") + "\n";
  }
  for (const Drawn& one : choices_of(graph)) {
    out += "  " + names[one.from] + (one.routing || one.back ? " -.->|" : " -->|") + mermaid_text(one.label) + "| " +
           names[one.to] + "\n";
  }
  return out;
}

std::string story_svg(const Graph& graph, std::string_view of) {
  constexpr std::size_t wide = 190, high = 34, gap_x = 24, gap_y = 40;
  const std::vector<Drawn> choices = choices_of(graph);
  std::vector<std::pair<std::size_t, std::string_view>> ordered;
  for (const auto& [id, row] : rows_of(graph, choices)) {
    ordered.emplace_back(row, id);
  }
  std::sort(ordered.begin(), ordered.end());
  const bool cut = ordered.size() > svg_passages_max;
  ordered.resize(std::min(ordered.size(), svg_passages_max));
  std::map<std::string_view, std::pair<std::size_t, std::size_t>> places;
  std::map<std::size_t, std::size_t> used;
  std::size_t width = 0, height = 0;
  for (const auto& [row, id] : ordered) {
    const std::size_t x = gap_x + used[row]++ * (wide + gap_x), y = gap_y + row * (high + gap_y);
    places.emplace(id, std::pair(x, y));
    width = std::max(width, x + wide + gap_x);
    height = std::max(height, y + high + gap_y);
  }
  const auto number = [](std::size_t n) { return std::to_string(n); };
  std::string boxes, lines;
  for (const auto& [id, at] : places) {
    const std::string_view kind = kind_of(graph.at(id));
    boxes += "<g><title>" + html_text(graph.at(id).text(Field::summary)) + "</title><rect x=\"" + number(at.first) +
             "\" y=\"" + number(at.second) + "\" width=\"" + number(wide) + "\" height=\"" + number(high) +
             "\" rx=\"6\" fill=\"" +
             (kind == "ending"    ? "#fde9c8"
              : kind == "start"   ? "#d9ecff"
              : kind == "residue" ? "#eee6f7"
                                  : "#ffffff") +
             "\" stroke=\"#444\"/><text x=\"" + number(at.first + 8) + "\" y=\"" + number(at.second + 21) + "\">" +
             html_text(raw(id).size() > 26 ? std::string(raw(id).substr(0, 25)) + "…" : std::string(raw(id))) +
             "</text></g>\n";
  }
  for (const Drawn& one : choices) {
    const auto a = places.find(one.from), b = places.find(one.to);
    if (a != places.end() && b != places.end()) {
      lines += "<line x1=\"" + number(a->second.first + wide / 2) + "\" y1=\"" + number(a->second.second + high) +
               "\" x2=\"" + number(b->second.first + wide / 2) + "\" y2=\"" + number(b->second.second) +
               "\" stroke=\"#888\"" + (one.routing || one.back ? " stroke-dasharray=\"4 3\"" : "") + "><title>" +
               html_text(one.label) + "</title></line>\n";
    }
  }
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(width) + "\" height=\"" + number(height) +
         "\" font-family=\"sans-serif\" font-size=\"12\">\n<title>" +
         html_text(graph.at("vision::vision").text(Field::title)) + (cut ? " (the first 500 passages)" : "") +
         "</title>\n<desc>" + named(graph, of) + "</desc>\n" + lines + boxes + "</svg>\n";
}

namespace {

void write_branching(json::Writer& json, const Graph& graph) {
  std::size_t meaningful = 0, onward = 0, gated = 0, free_forward = 0, routing = 0;
  std::map<std::string_view, std::size_t> ways;
  const std::vector<Drawn> choices = choices_of(graph);
  for (const Drawn& one : choices) {
    ways[one.from] += one.routing ? 0U : 1U;
  }
  std::map<std::string, std::size_t> used;
  for (const Drawn& one : choices) {
    const Texts& gate = graph.at(one.id).texts(Field::requires_codewords);
    routing += one.routing ? 1U : 0U;
    gated += gate.empty() ? 0U : 1U;
    free_forward += gate.empty() && !one.back ? 1U : 0U;
    meaningful += !one.routing && !one.back && ways[one.from] > 1 ? 1U : 0U;
    onward += !one.routing && !one.back && ways[one.from] == 1 ? 1U : 0U;
    for (const std::string& word : gate) {
      ++used[std::string(raw(word))];
    }
  }
  json.key("branching")
      .begin_object()
      .member_uint("choices", choices.size())
      .member_uint("where_one_chooses", meaningful);
  json.member_uint("continue", onward).member_uint("gated", gated).member_uint("forward_without_gate", free_forward);
  json.member_uint("routing", routing).member_uint("routing_sets", graph.ids(NodeType::routing_set).size());
  json.key("gates_by_codeword").begin_object();
  for (const std::string_view word : graph.ids(NodeType::codeword)) {
    json.member_uint(raw(word), used[std::string(raw(word))]);
  }
  json.end_object().end_object();
}

void write_policies(json::Writer& json, const Made& made) {
  const bool some = std::any_of(made.verdict.findings.begin(), made.verdict.findings.end(),
                                [](const auto& one) { return one.rule == "convergence_policy_compliance"; });
  const std::set<std::string_view> against = some ? dilemmas_against_policy(made.graph) : std::set<std::string_view>();
  json.key("dilemmas").begin_array();
  for (const std::string_view id : made.graph.ids(NodeType::dilemma)) {
    const Node& node = made.graph.at(id);
    const bool broken = against.find(id) != against.end();
    json.begin_object().member("id", raw(id)).member("policy", node.text(Field::convergence_policy));
    json.member_uint("payoff_budget", static_cast<std::uint64_t>(node.number(Field::payoff_budget)));
    json.member("residue_weight", node.text(Field::residue_weight))
        .member("ending_salience", node.text(Field::ending_salience));
    json.member_boolean("complies", !broken);
    json.key("explored").begin_array();
    for (const std::string& answer : node.texts(Field::explored)) {
      json.string(answer);
    }
    json.end_array().end_object();
  }
  json.end_array();
}

void write_prose(json::Writer& json, const Graph& graph) {
  std::uint64_t words = 0, with = 0;
  for (const std::string_view id : graph.ids(NodeType::passage)) {
    const std::string& prose = graph.at(id).text(Field::prose);
    bool in_word = false;
    for (const char c : prose) {
      const bool blank = c == ' ' || c == '\n' || c == '\t';
      words += !blank && !in_word ? 1U : 0U;
      in_word = !blank;
    }
    with += prose.empty() ? 0U : 1U;
  }
  json.key("prose").begin_object().member_uint("passages_with_prose", with).member_uint("words", words).end_object();
}

}  // namespace

std::string inspect_json(const Made& made, std::string_view run, std::uint64_t entry) {
  std::string out;
  json::Writer json(out, 2);
  json.begin_object();
  if (!run.empty()) {
    json.member("run", run).member_uint("entry", entry);
  }
  json.member("graph", made.graph.hash()).member_boolean("valid", made.verdict.valid);
  json.key("counts").begin_object();
  for (const NodeRow& row : node_rows()) {
    const std::size_t count = made.graph.ids(row.type).size();
    if (count > 0) {
      json.member_uint(name_of(row.type), count);
    }
  }
  json.member_uint("edges", made.graph.edge_count()).end_object();
  write_prose(json, made.graph);
  write_branching(json, made.graph);
  write_policies(json, made);
  json.key("left_out").begin_object();
  for (const PhaseNote& note : made.notes) {
    for (const auto& [kind, count] : note.left_out) {
      json.member_uint(kind, count);
    }
  }
  json.end_object()
      .key("play")
      .begin_object()
      .member_boolean("complete", made.play.complete)
      .member_uint("states", made.play.states);
  json.member_uint("endings", made.play.endings).member_uint("endings_reached", made.play.endings_reached);
  json.member_uint("traps", made.play.traps.size()).end_object();
  json.key("findings").begin_array();
  for (const contract::Finding& one : made.verdict.findings) {
    json.begin_object().member("rule", one.rule).member("severity", contract::severity_name(one.severity));
    json.member("node", one.item).member("stage", one.schema_location).member("message", one.message).end_object();
  }
  json.end_array().key("phases").begin_array();
  for (const PhaseNote& note : made.notes) {
    json.begin_object()
        .member("stage", name_of(note.stage))
        .member("phase", note.phase)
        .member("status", name_of(note.status));
    json.member_uint("mutations", note.mutations.size()).member("detail", note.detail);
    json.key("warnings").begin_array();
    for (const std::string& warning : note.warnings) {
      json.string(warning);
    }
    json.end_array().member("hash", note.hash).end_object();
  }
  json.end_array().end_object();
  return out + "\n";
}

}  // namespace plumb::story
