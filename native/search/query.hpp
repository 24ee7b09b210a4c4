// A query in plain words, taken apart: what is looked for, and what only holds the sentence together.
//
//   Query query = read_query("Which option of apt-get removes /etc/apt/sources.list?");
//   query.terms     "option" "apt-get" "removes" "/etc/apt/sources.list"
//
// No character of a query has a meaning of its own: quotes, stars, colons, brackets and words such as AND, OR and NEAR
// are looked for as they are, or not at all. A word that holds points, dashes or slashes is found where its parts
// follow one another. A query of function words only ("the who") keeps them all. At most 32 terms are taken.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumb::search {

struct Term {
  std::string written;  // as in the query, without punctuation at its ends
  std::string folded;   // its first word in lower case: what it is told by in a passage
  std::string match;    // an FTS5 phrase, or several in brackets
  std::string prefix;   // the same as the beginning of a word; empty where it has several
};

struct Query {
  std::vector<Term> terms;
  bool cut = false;  // there were more
};

inline constexpr std::size_t query_terms_max = 32;
inline constexpr std::size_t query_bytes_max = 4096;

Query read_query(std::string_view text);

}  // namespace plumb::search
