// Checks a judge's "met" by words alone: does the quote contain the kind of answer that was asked for, and do the
// quote, its heading or the document's title name the subject of the question?
//
//   floor_of("How many steps has the tower?", {"The tower has 214 steps.", "Tower", "", passage})     confirmed
//   floor_of("How many windows has the tower?", {"The tower has 214 steps.", ...})                    unknown
//   floor_of("How many steps has the tower?", {"The tower is red.", ...})                             contradicted
//
// confirmed: the quote has that kind of answer, and every content word of the question, or a synonym, is in the quote,
// its heading or the title. contradicted: question and quote are English, and the quote has no such answer or its
// passage names no subject of the question. unknown: anything else, such as a question and a quote in two languages.
// Supported languages: English, German, French, Chinese and Japanese.
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

// A quote and its context.
struct Quoted {
  std::string_view quote;
  std::string_view title;
  std::string_view heading;
  std::string_view passage;
};
// `shared`: the topic of the whole collection, from shared_subject().
Floor floor_of(std::string_view asked, const Quoted& quoted, std::string_view shared = {});

// Returns whether the quote contains the kind of answer asked for. A number also counts if `claim`, the author's
// statement of what the quote proves, names its unit.
bool has_kind(std::string_view asked, std::string_view quote, std::string_view claim = {});

// Returns the words that a passage need not repeat: words shared by the titles of several documents, and the place in
// the question that a passage names.
std::string shared_subject(std::string_view question, const std::vector<Found>& passages);
// Returns the text around a quote that names its subject: title, headings, the preceding term, and the preceding
// sentence if the quote refers back to it.
std::string around_quote(const Quoted& quoted, std::string_view term);

// A quote of a run, with the question that it answers.
struct Answering {
  std::string_view question;
  std::string_view source;  // its address
  Quoted quoted;
  Floor floor = Floor::unknown;  // against that question
};
// Compares the quotes with the words of a success criterion. A criterion that only asks for an answer with its source
// has no words of its own; then every question in the objective counts.
Floor floor_of_criterion(std::string_view criterion, std::string_view objective, std::span<const Answering> all);

// Splits an objective into its questions: "Who founded Zalando, and when did it go public?" has two.
std::vector<std::string> questions_in(std::string_view objective);

}  // namespace plumb::extract
