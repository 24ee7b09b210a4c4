// Reading Twee 3: passages, links and, where the story is of SugarCube, what <<set>> and <<if>> say of variables that
// are compared with values. Each place that is not read and may change where a reader can go is listed in the book
// (`unread`), and what hangs on it is left open: the ways of such a passage may or may not be there, or may lead
// anywhere. A story of another format is never read whole.
//
//   Result<TweeReading> read = read_twee(text);    // refused: no Twee, or more than 64 MB
//
// A passage without a way out ends the story; where passages are tagged `ending`, only these do.
//
// Source: Twee 3 specification (passage headers, escapes, special names); SugarCube 2's links and macros.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/finding.hpp"
#include "core/result.hpp"
#include "core/story/book.hpp"
#include "core/story/findings.hpp"
#include "core/story/script.hpp"

namespace plumb::story {

constexpr std::uint64_t twee_bytes_max = std::uint64_t{64} << 20U;

struct TweeReading {
  Book book;
  Script script;  // where `is_script`: what play walks, in place of the book
  bool is_script = false;
  std::string format;                       // "SugarCube", "Harlowe", or empty
  Places places;                            // of passages, by node id
  std::vector<contract::Finding> findings;  // of the file itself: broken links, what is not closed, what occurs twice
};

Result<TweeReading> read_twee(std::string_view text);

// A condition of SugarCube over variables: `$a and not $b`, `$door is "shut" or ($gold gte 5 && !$c)`, as words that
// are held or not (core/story/twee_expression.hpp). False: it says something else.
bool read_condition(std::string_view text, Condition& into);
// The condition's opposite; false when it would have more than 32 clauses.
bool negate(const Condition& condition, Condition& into);

}  // namespace plumb::story
