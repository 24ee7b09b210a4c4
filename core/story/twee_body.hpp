// One passage's text taken apart: what it sets, where it leads, and what of it could not be read. Private to reading
// Twee.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/story/book.hpp"

namespace plumb::story {

struct TweeBody {
  std::string text;              // what is shown, without macros and links, entities decoded
  Texts grants, clears;          // set to true or false whatever happens
  std::set<std::string> opaque;  // variables that are set in a way that could not be read
  std::vector<Way> ways;         // `at` counts from the body's first byte
  std::uint64_t unread = 0;      // places that could not be read
  bool doubtful = false;         // there is a way out that could not be read
  std::string unclosed;          // "<<" or "[[" that has no end, and where it begins
  std::uint64_t unclosed_at = 0;
  std::uint64_t last_byte = 0;  // behind the last byte that is no white space
};

// `macros`: the macros are SugarCube's. Else links alone are read, those of a passage with macros as unread.
TweeBody read_body(std::string_view body, bool macros);

}  // namespace plumb::story
