// The roles of a research loop by rule: what the built-in provider answers as intake, planner, researcher and writer,
// and what the loop itself falls back on where an author's words were rejected twice.
//
//   Result<std::string> text = research("research.brain", task);       JSON, as the role's contract wants it
//
// Tasks, and what they read of `task`:
//
//   research.intake      message, answers: ["..."], constraints: ["..."]
//   research.brain       objective, success_criteria, completed: [{question, answered, found}]
//   research.evaluate    objective, question, goal, history: [{query, answer, sources, evidence_delta}], go_on: done is
//                        no decision that is taken
//   research.answer      question, passages: [{n, title, heading, passage}]
//   research.report      evidence: [{n, claim}], success_criteria, met: [true, false]
//
// It finds and quotes, it does not reason: every claim is a sentence of a passage, word for word. English.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json/value.hpp"
#include "core/result.hpp"

namespace plumb::extract {

bool is_research_task(std::string_view name);
Result<std::string> research(std::string_view name, const json::Value& task);

// What a question is about, in its own words.
struct Subject {
  std::string entity;     // a name, a path, a command; else the last thing that is named
  std::string attribute;  // what is asked of it
  std::string scope;      // a date or a version, or empty
};
Subject subject_of(std::string_view question);

// The queries that ask for the subject in other words, best first: natural language, entity, attribute and scope named.
std::vector<std::string> queries_for(const Subject& subject);

// The words of a question that carry it, folded and without endings.
std::vector<std::string> key_words(std::string_view question);
// What percentage of them is in the text.
std::size_t coverage(const std::vector<std::string>& words, std::string_view text);

// A passage that an answer may be taken from.
struct Found {
  std::size_t number = 0;
  std::string_view title;
  std::string_view heading;
  std::string_view text;
};
// The sentence of a passage that answers best, with those as good.
struct Statement {
  std::size_t number = 0;   // of the passage
  std::string_view quote;   // verbatim
  std::string_view head;    // the term or heading in the passage that it is under, where that is near
  std::size_t covered = 0;  // percentage of the question's words, those around it included
};
// `nearest_percent`: how far behind the best one a statement may be.
std::vector<Statement> best_statements(std::string_view question, const std::vector<Found>& passages,
                                       std::size_t count_max, std::size_t nearest_percent = 70);
// The words of what a question is about that no passage has, as they are written; not empty: the passages are about
// something else, whatever other words of the question they have.
std::vector<std::string> unnamed_words(std::string_view question, const std::vector<Found>& passages);

}  // namespace plumb::extract
