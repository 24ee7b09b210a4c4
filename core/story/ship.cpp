#include "core/story/ship.hpp"

#include <algorithm>
#include <array>

#include "core/story/idle.hpp"
#include "core/story/ship_parts.hpp"
#include "core/text/markup.hpp"
#include "core/text/utf8.hpp"

namespace plumb::story {

namespace {

constexpr std::array<std::string_view, 4> names = {"twee", "html", "json", "gamebook"};
constexpr std::array<std::string_view, 4> files = {"story.twee", "story.html", "story.json", "gamebook.html"};

// Lines as HTML reads them, so that the policy's hash is that of the style that the browser has.
std::string style_lines(std::string_view css) {
  std::string out;
  css.remove_prefix(css.starts_with("\xEF\xBB\xBF") ? 3 : 0);
  for (std::size_t i = 0; i < css.size(); ++i) {
    if (css[i] != '\r') {
      out += css[i];
    } else if (css.substr(i + 1, 1) != "\n") {
      out += '\n';
    }
  }
  return out;
}

}  // namespace

Result<bool> check_theme(std::string_view theme) {
  const auto wrong = [](std::string message) {
    return Error{ErrorCode::invalid_argument, std::move(message), "", 0, 0};
  };
  if (theme.size() > theme_bytes_max) {
    return wrong("a theme has at most 65,536 bytes; this one has " + std::to_string(theme.size()));
  }
  if (theme.find("</") != std::string_view::npos) {
    return wrong("a theme may not contain '</': it is written into an HTML page. Remove it");
  }
  if (!text::is_utf8(theme) || theme.find('\0') != std::string_view::npos) {
    return wrong("a theme must be CSS in UTF-8");
  }
  return true;
}

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
  const Book shipped = without_idle(book);
  std::vector<std::string> missing;
  for (const BookPassage& passage : shipped.passages) {
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
  const Result<ReaderWords> words = reader_words(book.language, options.words);
  const Result<bool> themed = words ? check_theme(options.theme) : Result<bool>(words.error());
  if (!themed) {
    return themed.error();
  }
  switch (format) {
    case ShipFormat::twee:
      return ship_twee(shipped);
    case ShipFormat::html:
      return ship_html(shipped, words.value(), style_lines(options.theme));
    case ShipFormat::json:
      return book_json(shipped);
    case ShipFormat::gamebook:
      return ship_gamebook(shipped, words.value());
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

}  // namespace plumb::story
