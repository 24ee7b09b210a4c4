// What a search in a corpus finds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumb::search {

struct Hit {
  std::string path;  // from the folder
  std::string title;
  std::string heading;
  std::string passage;
  std::uint32_t line = 0;  // of the file, from 1
  std::uint32_t line_to = 0;
  std::string quote;  // the piece of the passage that answers best, verbatim
  std::uint32_t quote_line = 0;
  std::uint32_t quote_line_to = 0;
  double score = 0;                // larger fits better
  std::vector<std::size_t> terms;  // of the query, that are in it
};

// One of the things that a query may mean.
struct HitReading {
  std::string reading;  // what it is about, in words of the documents
  std::string word;     // which, added to the query, leaves only this
  std::vector<std::size_t> hits;
};

struct Hits {
  std::vector<Hit> hits;               // best first
  std::vector<std::string> terms;      // what was looked for
  std::vector<std::string> not_found;  // of them: in no document at all
  std::vector<HitReading> readings;    // at least two where the query has several
  std::uint64_t passages = 0;          // in the index
};

}  // namespace plumb::search
