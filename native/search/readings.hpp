// Whether a short query has several readings, and the word that would separate them.
//
//   readings_of("mercury")      "mercury: planet" in astronomy.md, "mercury: metal" in chemistry.md
//
// Only a query of one or two terms is looked at: a question says enough. Where the documents that answer best are
// titled with the very words of the query, they are the readings (crontab(1), crontab(5)), unless there is one alone,
// which is then what was meant. Else the passages are grouped by the words they share; groups that share hardly any,
// are in different documents and answer about as well are readings, and each is named by the word that is frequent in
// it and in no other. Where no such word is found there is one reading.
#pragma once

#include <cstddef>
#include <vector>

#include "native/search/hit.hpp"
#include "native/search/query.hpp"

namespace plumb::search {

inline constexpr std::size_t readings_terms_max = 2;
inline constexpr std::size_t readings_max = 4;

// Takes the hits in the order of their rank, and leaves in `hits` the ones that the readings name, at most `limit`
// (but one of each). Empty, and `hits` as it was: there is one reading.
std::vector<HitReading> readings_of(const Query& query, std::vector<Hit>& hits, std::size_t limit);

}  // namespace plumb::search
