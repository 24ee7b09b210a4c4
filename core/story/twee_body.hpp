// One passage's text taken apart: its words and ways for the book, and, in SugarCube's notation, the nodes of its
// script. Private to reading Twee.
//
// A way on that could not be read makes it `doubtful`. What a variable holds may be a link, where it is `shown`.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/story/book.hpp"
#include "core/story/script.hpp"

namespace plumb::story {

using TweeNames = std::set<std::string, std::less<>>;

// What is known of the whole story while one of its passages is read.
struct TweeStory {
  TweeNames passages;
  TweeNames asked;    // words of conditions; empty when they are only being collected
  TweeNames widgets;  // likewise
};

struct TweeBody {
  std::string text;          // what is shown, without macros and links, entities decoded
  bool shows = false;        // words or macros, if only under a condition
  Texts grants, clears;      // words, whatever happens
  TweeNames markup;          // variables that may hold links
  TweeNames asked;           // words of conditions
  TweeNames included, used;  // passages and widgets that are shown inside of this one
  std::vector<std::pair<std::string, std::uint64_t>> shown;  // variables whose values are shown
  std::vector<Way> ways;                                     // `at` counts from the body's first byte
  std::vector<Unread> unread;                                // likewise; of other notations than SugarCube's
  bool doubtful = false, sets_anything = false;
  ScriptNodes nodes;  // `at` counts from the body's first byte
  std::map<std::string, ScriptNodes, std::less<>> widgets;
  std::string unclosed;  // "<<" or "[[" that has no end, and where it begins
  std::uint64_t unclosed_at = 0;
  std::vector<std::uint64_t> nowhere;  // links that name no passage
  std::uint64_t last_byte = 0;         // behind the last byte that is no white space
};

// SugarCube's notation.
TweeBody read_body(std::string_view body, const TweeStory& story);
// Any other's: links alone. Where there is more than links and words, any way may lead on.
TweeBody read_foreign_body(std::string_view body, const TweeStory& story);
// Where something stands that only another format than SugarCube takes for code; npos: nothing.
std::size_t foreign_code(std::string_view body);

// Code that changes no variable of the story and leads nowhere. What it defines is not read where it is used.
bool is_inert_code(std::string_view code);

// "text->to", "to<-text", "text|to", "to".
Route link_of(std::string_view inside);
// What a link's target is: a passage, nothing of the story (an address), nothing at all, or what has to be evaluated.
enum class TweeTarget : unsigned char { passage, address, nowhere, expression };
TweeTarget target_of(std::string& to, const TweeStory& story);

}  // namespace plumb::story
