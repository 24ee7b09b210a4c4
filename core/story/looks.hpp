// Chooses the overlay of each entity, by the codewords that the reader has. An overlay is a sentence, shown as a
// paragraph after the first one that names the entity. A passage that does not name the entity shows no overlay. If no
// passage names it, the overlay is shown at the end of each passage that lists the entity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/story/book.hpp"
#include "core/story/plain_book.hpp"

namespace plumb::story {

struct Look {
  const BookEntity* entity = nullptr;  // has overlays
  std::size_t after = 0;               // the paragraph
};
std::vector<std::vector<Look>> looks_of(const Book& book);  // of each passage

// Of overlays whose codewords are all held the one with the most, of equals the later; nullptr: none.
const BookOverlay* overlay_for(const BookEntity& entity, const Texts& held);
const BookOverlay* overlay_for(const BookEntity& entity, const PlainBook& plain, std::uint64_t held);
// The entity's overlays in the order in which they win: the first whose codewords are all held is overlay_for()'s.
std::vector<const BookOverlay*> overlay_order(const BookEntity& entity);
// "The pilot, counting under his breath."; a text that is a sentence stands as it is.
std::string look_sentence(const BookEntity& entity, const BookOverlay& overlay);

// The paragraphs of a text: an empty line is between two.
std::vector<std::string_view> paragraphs_of(std::string_view text);

// A piece of a text that is all emphasized (`*so*`), or not at all. Nothing else of Markdown is read.
struct Piece {
  std::string_view text;
  bool emphasis = false;
};
std::vector<Piece> pieces_of(std::string_view text);

}  // namespace plumb::story
