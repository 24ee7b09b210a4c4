// The tables of docs/story.md: nodes with their stages and fields, edges with their ends, as the graph has them.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "core/story/ontology.hpp"
#include "tests/native/source_dir.hpp"

using namespace plumb::story;

namespace {

std::string listed(const std::string& so_far, std::string_view next, std::string_view around) {
  return so_far + (so_far.empty() ? "" : ", ") + std::string(around) + std::string(next) + std::string(around);
}

std::string stages(Set<Stage> all) {
  std::string out;
  for (std::size_t i = 0; i < stage_count; ++i) {
    const auto stage = static_cast<Stage>(i);
    out = all.has(stage) ? listed(out, name_of(stage), "") : out;
  }
  return out;
}

std::string types(Set<NodeType> all) {
  std::string out;
  for (const NodeRow& row : node_rows()) {
    out = all.has(row.type) ? listed(out, name_of(row.type), "`") : out;
  }
  return out;
}

}  // namespace

TEST_CASE("docs/story.md: the tables of nodes and edges are those of the graph, row by row") {
  std::string wanted = "| node | made by | fields |\n| --- | --- | --- |\n";
  for (const NodeRow& row : node_rows()) {
    std::string fields;
    for (const FieldRow& field : row.fields) {
      fields = listed(fields, name_of(field.field), "`");
    }
    wanted += "| `" + std::string(name_of(row.type)) + "` | " + stages(row.made_by) + " | " + fields + " |\n";
  }
  std::string edges = "| edge | from | to | made by |\n| --- | --- | --- | --- |\n";
  for (const EdgeRow& row : edge_rows()) {
    edges += "| `" + std::string(name_of(row.kind)) + "` | " + types(row.from) + " | " + types(row.to) + " | " +
             stages(row.made_by) + " |\n";
  }
  std::ifstream file(plumb::test::source_dir() + "/docs/story.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t begins = text.find("| node | made by");
  REQUIRE(begins != std::string::npos);
  const std::size_t ends = text.find("\n\n", begins);
  CHECK(text.substr(begins, ends == std::string::npos ? ends : ends + 1 - begins) == wanted);
  const std::size_t more = text.find("| edge | from");
  CHECK((more == std::string::npos ? std::string() : text.substr(more)) == edges);
}
