// SHIP: a book as Twee 3 for SugarCube, as one HTML file, as story.json, and as a gamebook to print. The same book
// gives the same bytes. Prose, labels and names are data: whatever they hold is shown as it is and never run.
//
//   Result<std::string> html = ship(book, ShipFormat::html, {.drafts = false});
//
// Refused: a book without passages, and, without `drafts`, one with passages that have no prose: "N passage(s) missing
// prose. Run FILL stage first. Examples: [...]". With `drafts` these show the author's summary and say so.
//
// Every export holds the book without what play shows to be idle (core/story/idle.hpp). The HTML asks for nothing from
// outside; its script, its style and the theme are bound by the hashes in its policy, and where the reader has got to
// is kept in localStorage under the book's hash.
//
// `theme`: a style sheet for the HTML, after the reader's own; at most 64 KB of UTF-8 without `</`. `words`: a file of
// words (core/story/reader_words.hpp) for HTML and gamebook.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/story/book.hpp"

namespace plumb::story {

enum class ShipFormat : std::uint8_t { twee, html, json, gamebook };
std::string_view name_of(ShipFormat format);
std::optional<ShipFormat> ship_format_named(std::string_view name);
std::string_view file_name_of(ShipFormat format);  // "story.twee", "story.html", "story.json", "gamebook.html"

struct ShipOptions {
  bool drafts = false;
  std::string theme = {}, words = {};
};

inline constexpr std::size_t theme_bytes_max = 65'536;
// The error says what a theme may not hold.
Result<bool> check_theme(std::string_view theme);

Result<std::string> ship(const Book& book, ShipFormat format, const ShipOptions& options = {});

// `name` as a variable of SugarCube; different names give different variables.
std::string variable_of(std::string_view name);
// Text as SugarCube shows it, letter for letter; and back.
std::string twee_text(std::string_view text);
std::string plain_text(std::string_view twee);
std::string html_text(std::string_view text);

// The book in our HTML file, from the data it carries.
Result<Book> read_html_book(std::string_view html);

}  // namespace plumb::story
