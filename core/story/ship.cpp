#include "core/story/ship.hpp"

#include <algorithm>
#include <array>

#include "core/text/markup.hpp"

namespace plumb::story {

namespace {

constexpr std::array<std::string_view, 4> names = {"twee", "html", "json", "gamebook"};
constexpr std::array<std::string_view, 4> files = {"story.twee", "story.html", "story.json", "gamebook.html"};

}  // namespace

std::string_view name_of(ShipFormat format) { return names[static_cast<std::size_t>(format)]; }
std::string_view file_name_of(ShipFormat format) { return files[static_cast<std::size_t>(format)]; }

std::optional<ShipFormat> ship_format_named(std::string_view name) {
  const auto at = std::find(names.begin(), names.end(), name);
  return at == names.end() ? std::nullopt : std::optional(static_cast<ShipFormat>(at - names.begin()));
}

Result<std::string> ship(const Book& book, ShipFormat format, const ShipOptions& options) {
  if (book.passages.empty() || book.find(book.start) == nullptr) {
    return Error{ErrorCode::invalid_argument, "the story has no passage to begin with", "", 0, 0};
  }
  std::vector<std::string> missing;
  for (const BookPassage& passage : book.passages) {
    if (passage.draft) {
      missing.push_back(passage.id);
    }
  }
  if (!missing.empty() && !options.drafts) {
    std::string examples;
    for (std::size_t i = 0; i < std::min<std::size_t>(missing.size(), 5); ++i) {
      examples += (i == 0 ? "" : ", ") + missing[i];
    }
    return Error{ErrorCode::invalid_argument,
                 std::to_string(missing.size()) + " passage(s) missing prose. Run FILL stage first. Examples: [" +
                     examples + "]",
                 "", 0, 0};
  }
  switch (format) {
    case ShipFormat::twee:
      return ship_twee(book);
    case ShipFormat::html:
      return ship_html(book);
    case ShipFormat::json:
      return book_json(book);
    case ShipFormat::gamebook:
      return ship_gamebook(book);
  }
  return std::string();
}

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const std::string_view entity = c == '\'' ? "&#39;" : text::markup_entity(static_cast<unsigned char>(c));
    out += entity.empty() ? std::string_view(&c, 1) : entity;
  }
  return out;
}

std::vector<std::size_t> section_numbers(const Book& book) {
  std::vector<std::size_t> order;
  std::size_t start = 0;
  for (std::size_t i = 0; i < book.passages.size(); ++i) {
    start = book.passages[i].id == book.start ? i : start;
    order.push_back(i);
  }
  std::uint64_t state = 0;
  for (const char c : book_hash(book)) {
    state = state * 131 + static_cast<unsigned char>(c);
  }
  std::swap(order[0], order[start]);
  for (std::size_t i = order.size(); i > 2; --i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    std::swap(order[i - 1], order[1 + static_cast<std::size_t>((state >> 33U) % (i - 1))]);
  }
  std::vector<std::size_t> numbers(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    numbers[order[i]] = i + 1;
  }
  return numbers;
}

}  // namespace plumb::story
