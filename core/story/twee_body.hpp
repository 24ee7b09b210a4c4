// One passage's text taken apart: what it sets, where it leads, and each place of it that was not read. Private to
// reading Twee.
//
// What is not read is told by what it may do: lead on from here (`doubtful`), set anything (`sets_anything`), set a
// variable (`opaque`), or show what a variable holds (`shown`), which may be a link.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/story/book.hpp"

namespace plumb::story {

using TweeNames = std::set<std::string, std::less<>>;

// What is known of the whole story while one of its passages is read.
struct TweeStory {
  TweeNames passages;
  TweeNames asked;  // words of conditions; empty when they are only being collected
};

struct TweeBody {
  std::string text;                             // what is shown, without macros and links, entities decoded
  bool shows = false;                           // words or macros, if only under a condition
  Texts grants, clears;                         // words, whatever happens
  std::map<std::string, std::uint64_t> opaque;  // variables that are set in a way that was not read, and where
  TweeNames sets, markup;                       // variables that are set; of these, those that may hold links
  TweeNames asked;                              // words of conditions
  TweeNames included;                           // passages that are shown inside of this one
  std::vector<std::pair<std::string, std::uint64_t>> shown;  // variables whose values are shown
  std::vector<Way> ways;                                     // `at` counts from the body's first byte
  std::vector<Unread> unread;                                // likewise
  bool doubtful = false, sets_anything = false;
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

// "text->to", "to<-text", "text|to", "to".
Route link_of(std::string_view inside);
// What a link's target is: a passage, nothing of the story (an address), nothing at all, or what has to be evaluated.
enum class TweeTarget : unsigned char { passage, address, nowhere, expression };
TweeTarget target_of(std::string& to, const TweeStory& story);

}  // namespace plumb::story
