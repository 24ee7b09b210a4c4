// From an outline to a story that is judged: every phase in order, validation and play. Each phase is a function of the
// graph, so a host that keeps what is done may run them one by one (core/story/grow.hpp) and come to the same.
//
//   Made made = make_story(outline_json);
//   if (made.book && made.verdict.valid) ship(*made.book, ShipFormat::html);
//
// A finding about a node has the place in the outline that the node was made from.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/verdict.hpp"
#include "core/story/book.hpp"
#include "core/story/phase.hpp"
#include "core/story/play.hpp"

namespace plumb::story {

struct Made {
  contract::Verdict verdict;     // of the outline, or of the story where the outline is well
  std::vector<PhaseNote> notes;  // empty where the outline has errors
  Graph graph;
  std::optional<Book> book;  // where GROW came to its end
  PlayOutcome play;
};

Made make_story(std::string_view outline_json);

// Of a story in a file: Twee 3, story.json, our HTML, or an outline as JSON; told by how the text begins.
enum class StoryForm : unsigned char { twee, book, html, outline };
StoryForm form_of(std::string_view text);

struct Checked {
  contract::Verdict verdict;
  std::string format;  // "SugarCube", "Harlowe", "story.json", "outline", ...
  PlayOutcome play;
  std::uint64_t passages = 0, unread = 0;
};
// The error is that of a text that is no story at all.
Result<Checked> check_story(std::string_view text);

}  // namespace plumb::story
