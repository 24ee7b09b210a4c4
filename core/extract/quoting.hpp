// How a sentence of a passage is quoted so that it can be read alone, and how a quote reads as a claim.
#pragma once

#include <string>
#include <string_view>

namespace plumb::extract {

// Whether what it refers to is in the sentence before it: "This overrides the normal mode."
bool points_back(std::string_view sentence);
// Whether it says something of what was named before: "The default is 60 seconds."
bool points_at_subject(std::string_view sentence);
// Whether it only announces what comes: "you should either:"
bool points_on(std::string_view sentence);
// Whether it is an example of JSON or of code, whose words are names and no statement.
bool is_notation(std::string_view text);
// Whether it is a row of a table: "| name | meaning |"
bool is_table_row(std::string_view line);
// Whether one has what the other says in it, but for a word or two: pages that exist in several forms differ in
// mark-up.
bool says_the_same(std::string_view one, std::string_view other);

// A quote on one line, without the mark of a list before it.
std::string as_line(std::string_view quote);
// A quote as a sentence: one line, items of a list behind semicolons, a row of a table as "name: meaning".
std::string as_claim(std::string_view quote);

}  // namespace plumb::extract
