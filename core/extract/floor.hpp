// What words alone can tell of a judge's "met": whether a quote has the kind of thing that was asked for, and whether
// quote, heading or title name what it was asked of.
//
//   floor_of("How many steps has the tower?", {"The tower has 214 steps.", "Tower", "", passage})     confirmed
//   floor_of("How many windows has the tower?", {"The tower has 214 steps.", ...})                    unknown
//   floor_of("How many steps has the tower?", {"The tower is red.", ...})                             contradicted
//
// Confirmed: the kind stands in the quote, and every word that carries the question stands in quote, heading or title,
// or one that means the same. Contradicted: an English quote has nothing of that kind, or its passage names nothing of
// what an English question names. Else unknown: words cannot tell, as where question and quote are in two languages.
// English, German, French, Chinese and Japanese are read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/extract/research.hpp"

namespace plumb::extract {

enum class Floor : std::uint8_t { unknown, confirmed, contradicted };
std::string_view floor_name(Floor floor);  // "unknown", ...
Floor floor_named(std::string_view name);

// A quote and where it stands.
struct Quoted {
  std::string_view quote;
  std::string_view title;
  std::string_view heading;
  std::string_view passage;
};
// `shared`: what all that was read is about, as shared_subject() says it.
Floor floor_of(std::string_view asked, const Quoted& quoted, std::string_view shared = {});

// Whether the quote has the kind of thing that is asked for; a number counts as one of that thing also where the
// claim, what its author says that it proves, says so.
bool has_kind(std::string_view asked, std::string_view quote, std::string_view claim = {});

// What need not be said again in each passage: words of the titles of several documents, and the place of which the
// question asks and that a passage names.
std::string shared_subject(std::string_view question, const std::vector<Found>& passages);
// What is around a quote and says what it is about: title, headings, the term before it, and the sentence before it
// where the quote points back.
std::string around_quote(const Quoted& quoted, std::string_view term);

// A quote of a run, for the question that it was found for.
struct Answering {
  std::string_view question;
  std::string_view source;  // its address
  Quoted quoted;
  Floor floor = Floor::unknown;  // against that question
};
// A success criterion by its own words; where it has none but "the answer is stated with its source", by those of the
// objective, each of its questions.
Floor floor_of_criterion(std::string_view criterion, std::string_view objective, std::span<const Answering> all);

// The questions that an objective consists of: "Who founded Zalando, and when did it go public?" has two.
std::vector<std::string> questions_in(std::string_view objective);

}  // namespace plumb::extract
