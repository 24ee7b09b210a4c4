// Private to SHIP: each export a whole file, and what the two HTML files share.
#pragma once

#include <string>
#include <string_view>

#include "core/story/book.hpp"
#include "core/story/reader_words.hpp"

namespace plumb::story {

std::string ship_twee(const Book& book);
std::string ship_html(const Book& book, const ReaderWords& words, std::string_view theme);
std::string ship_gamebook(const Book& book, const ReaderWords& words);

// A source of the policy: the hash of a script or style that the file holds.
std::string hash_source(std::string_view text);
// All to the end of the title; the head is still open.
std::string html_head(const Book& book, const std::string& policy);
std::string title_page(const Book& book);

}  // namespace plumb::story
