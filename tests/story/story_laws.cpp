#include "tests/story/story_laws.hpp"

#include <set>

#include "core/story/idle.hpp"
#include "core/story/make.hpp"
#include "core/story/reading.hpp"
#include "core/story/routing.hpp"
#include "core/story/ship.hpp"
#include "core/story/twee.hpp"
#include "tests/story/seeded_outline.hpp"

namespace plumb_test {

namespace {

using namespace plumb::story;

// What of a book Twee holds.
std::string in_twee(Book book) {
  book.codewords.clear();
  book.entities.clear();
  book.language = "";
  for (BookPassage& passage : book.passages) {
    passage.entities.clear();
  }
  return book_json(book);
}

std::string routing_law(const std::vector<PhaseNote>& notes) {
  Graph graph;
  for (const PhaseNote& note : notes) {
    RoutingPlan plan;
    const bool routes = note.phase == "apply_routing";
    if (routes) {
      plan = compute_routing_plan(graph);
    }
    std::size_t variants = 0, made = 0;
    for (const RoutingOperation& one : plan.operations) {
      variants += one.variants.size();
    }
    for (const Mutation& one : note.mutations) {
      made += one.operation == Operation::create_node && type_of(one.target) == NodeType::passage ? 1U : 0U;
      if (!graph.apply(one, note.stage)) {
        return "a mutation is refused: " + one.target;
      }
    }
    if (routes && made != variants) {
      return "routing made " + std::to_string(made) + " passages, the plan counts " + std::to_string(variants);
    }
    if (graph.hash() != note.hash) {
      return "the hash after " + note.phase + " is not met";
    }
  }
  for (std::size_t i = notes.size(); i > 1; --i) {
    if (!unfold(graph, notes[i - 1]) || graph.hash() != notes[i - 2].hash) {
      return "taking back " + notes[i - 1].phase + " does not give the hash before it";
    }
  }
  return "";
}

// Where readers can go on to, as they see it.
std::vector<std::pair<std::string, std::string>> seen_ways(const Book& book, const ReaderPlace& at) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [way, route] : open_ways(book, at)) {
    const Route& one = book.find(at.passage)->ways[way].routes[route];
    out.emplace_back(one.label, one.to);
  }
  return out;
}

// Without what is idle a reader has the same ways, and sees the same looks, in every state.
std::string idle_law(const Book& book, const Book& exported) {
  std::set<std::pair<std::string, Texts>> seen;
  std::vector<ReaderPlace> open = {begin_reading(book)};
  while (!open.empty()) {
    const ReaderPlace at = std::move(open.back());
    open.pop_back();
    if (!seen.emplace(at.passage, at.held).second) {
      continue;
    }
    if (exported.find(at.passage) == nullptr || seen_ways(book, at) != seen_ways(exported, at)) {
      return "the exported book has other ways at " + at.passage;
    }
    for (const auto& [way, route] : open_ways(book, at)) {
      open.push_back(take_way(book, at, way, route));
    }
  }
  return "";
}

std::string export_law(const Book& whole) {
  const Book book = without_idle(whole);
  if (const std::string idle = idle_law(whole, book); !idle.empty()) {
    return idle;
  }
  const plumb::Result<Book> json = read_book(ship(book, ShipFormat::json, {true}).value());
  const plumb::Result<Book> html = read_html_book(ship(book, ShipFormat::html, {true}).value());
  const plumb::Result<TweeReading> twee = read_twee(ship(book, ShipFormat::twee, {true}).value());
  if (!json || book_json(json.value()) != book_json(book)) {
    return "story.json does not read back";
  }
  if (!html || book_json(html.value()) != book_json(book)) {
    return "the HTML does not read back";
  }
  if (!twee || !twee.value().findings.empty() || in_twee(twee.value().book) != in_twee(book)) {
    return "the Twee does not read back";
  }
  return "";
}

}  // namespace

std::string broken_law(std::uint64_t seed) {
  const Made made = make_story(seeded_outline(seed));
  if (!made.book || !made.verdict.valid || !made.play.complete) {
    return "the story is not sound" +
           (made.verdict.findings.empty() ? std::string() : ": " + made.verdict.findings.front().message);
  }
  if (made.play.endings_reached < 1 || made.play.endings_reached != made.play.endings) {
    return "not every ending is reached";
  }
  const std::string routing = routing_law(made.notes);
  return routing.empty() ? export_law(*made.book) : routing;
}

}  // namespace plumb_test
