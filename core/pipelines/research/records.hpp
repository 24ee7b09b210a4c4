// What the parts of a research run hand each other, each a record (core/json/record.hpp). Internal to this folder.
#pragma once

#include "core/pipelines/research/searches.hpp"
#include "core/reason.hpp"

namespace plumb::pipelines::research {

// What the intake has come to.
struct Objective {
  std::string text;
  std::vector<std::string> criteria;
  std::string stopped;  // why there is none
  std::string error;
  std::uint64_t tokens = 0;
  static std::span<const json::Field> fields();
};

// A success criterion at the end: "met", "unmet", "undecided", or "judge_only" where the planner says that it is met
// and no quote could be confirmed to state it.
struct Criterion {
  std::string criterion;
  bool met = false;
  std::string state;
  std::string why;
  std::string floor;  // what words tell of one that the planner says is met: "confirmed", "unknown", "contradicted"
  static std::span<const json::Field> fields();
};

// A question of the planner.
struct Question {
  std::string question;
  std::string description;
  std::string goal;
  std::uint64_t number = 0;        // in the run, from 1; 0: it has none yet
  std::uint64_t round = 1;         // no member: it is that of the result that the question stands in
  std::vector<std::string> flags;  // rules that its description or goal breaks
  static std::span<const json::Field> fields();
};

struct QuestionNote {
  std::uint64_t number = 0;
  std::uint64_t round = 0;
  std::string text;
  std::string goal;
  static std::span<const json::Field> fields();
};

struct Round {
  std::string decision;  // "continue", "done", "gates_unmet" where no question is left, or "" where the run stops
  std::string error;
  Reason reason = Reason::none;
  bool cancelled = false;
  std::uint64_t tokens = 0;
  std::vector<Criterion> criteria;
  std::vector<Question> questions;
  static std::span<const json::Field> fields();
};

// How a run has ended: "done", or what ended it early and the error behind that. Of results it is a part.
struct Ended {
  std::string ended;
  std::string error;
  std::uint64_t retry_after_ms = 0;
  static std::span<const json::Field> fields();
};

struct Claim {
  std::string claim;
  std::string quote;
  bool verified = false;         // it is quoted from a passage, which the members below tell
  std::optional<bool> supports;  // the quote has what was asked for
  std::string floor;             // what words tell of it, against its question
  std::optional<std::string> title;
  std::optional<std::string> url;
  std::optional<std::string> file;
  std::optional<std::uint64_t> line;
  std::optional<std::string> heading;
  std::optional<std::string> passage;
  static std::span<const json::Field> fields();
};

// The answer to one question.
struct Answered {
  std::vector<Claim> claims;
  std::uint64_t verified = 0;
  std::uint64_t total = 0;
  // Of the verified. Parts that finished before it was looked at have no such member.
  std::optional<std::uint64_t> supporting;
  std::string confidence;
  std::string missing;
  std::string error;
  Reason reason = Reason::none;
  std::uint64_t tokens = 0;
  // How many of the claims have what was asked for.
  std::uint64_t support() const { return supporting.value_or(verified); }
  static std::span<const json::Field> fields();
};

struct QuestionMetrics {
  std::uint64_t searches = 0;
  std::uint64_t failed = 0;
  std::uint64_t duplicate_queries = 0;
  std::uint64_t duplicates_refused = 0;
  std::uint64_t no_change_streak = 0;
  std::uint64_t facts = 0;
  std::uint64_t sources = 0;
  std::uint64_t domains = 0;
  std::uint64_t rejections = 0;
  std::uint64_t disagreements = 0;
  std::uint64_t ms = 0;
  static std::span<const json::Field> fields();
};

// What a question came to. The note question_done is it without the history.
struct QuestionResult {
  std::uint64_t number = 0;
  std::uint64_t round = 0;
  std::string question;
  std::string goal;
  std::string ended;
  bool answered = false;
  bool found = false;  // sources said something near
  std::vector<Claim> claims;
  std::string confidence;
  std::string missing;
  std::string error;
  std::uint64_t tokens = 0;
  std::uint64_t retry_after_ms = 0;
  QuestionMetrics metrics;
  std::optional<std::vector<Past>> history;
  static std::span<const json::Field> fields();
};

}  // namespace plumb::pipelines::research
