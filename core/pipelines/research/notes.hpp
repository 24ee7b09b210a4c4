// The notes of a research run, as its journal has them: written by its parts, shown by view and log. The note
// question_done is a QuestionResult, question a QuestionNote. Internal to this folder.
#pragma once

#include "core/pipelines/research/records.hpp"

namespace plumb::pipelines::research {

struct Gate {
  std::string role;
  std::string rule;
  std::string title;
  std::string at;
  std::string message;
  std::string provided;
  std::string action;
  std::string
      outcome;  // "rejected", "dropped", "flagged", "downgraded", "stopped", "overridden", "rewritten" (of before)
  std::uint64_t attempt = 0;
  static std::span<const json::Field> fields();
};

struct IntakeDecision {
  std::string type;  // "text_input", "multi_choice_select", "start_research"
  std::string message;
  std::string reasoning;
  std::vector<std::string> options;
  std::string objective;
  std::optional<std::vector<std::string>> criteria;  // with an objective
  bool rewritten = false;
  std::vector<Gate> gates;
  bool starts() const { return type == "start_research"; }
  static std::span<const json::Field> fields();
};

struct IntakeAnswer {
  std::string question;
  std::string answer;
  bool given = false;  // beforehand
  static std::span<const json::Field> fields();
};

// What a person is asked: the request of the effect.
struct PersonQuestion {
  std::string question;
  std::string kind;  // "text" or "choice"
  std::vector<std::string> options;
  std::string reason;
  std::string signal;
  static std::span<const json::Field> fields();
};

struct LookupNote {
  std::string query;
  SearchStatus status = SearchStatus::error;
  std::vector<Page> citations;
  std::string summary;
  std::string error;
  static std::span<const json::Field> fields();
};

struct RoundQuestion {
  std::uint64_t number = 0;
  std::string text;
  std::string why;
  std::string goal;
  std::vector<std::string> flags;  // rules that its description or goal breaks
  static std::span<const json::Field> fields();
};
struct BrainRound {
  std::uint64_t round = 0;
  std::string decision;
  std::string rationale;
  std::vector<RoundQuestion> questions;
  std::vector<std::string> dropped;  // questions that broke a gate to the end
  std::vector<Criterion> criteria;   // where it is done
  bool rewritten = false;
  std::vector<Gate> gates;
  static std::span<const json::Field> fields();
};

// Where a source is found.
struct Place {
  std::string title;
  std::string url;
  std::string file;
  std::uint64_t line = 0;
  static std::span<const json::Field> fields();
};
// Of the sources that are cited.
std::vector<Place> places_of(const Search& search);

struct SearchNote {
  std::string query;
  SearchStatus status = SearchStatus::error;
  std::string provider;
  bool again = false;
  std::uint64_t sources = 0;  // that are cited
  std::uint64_t domains = 0;
  std::uint64_t facts = 0;
  std::uint64_t found = 0;
  std::string error;
  std::uint64_t retry_after_ms = 0;
  std::vector<Place> results;
  static std::span<const json::Field> fields();
};

// A search and what was decided on it; the optional members are of decisions that an author made.
struct CycleNote {
  std::uint64_t question = 0;
  std::uint64_t cycle = 0;
  std::string query;
  SearchStatus status = SearchStatus::error;
  std::string error;
  std::string answer;
  std::string evidence_delta;
  std::string novelty;
  std::string grounding;
  std::uint64_t facts = 0;
  std::uint64_t streak = 0;
  run::Data labels;
  std::vector<Place> sources;
  std::string decision;
  std::string reasoning;
  std::optional<std::string> next;
  run::Data decision_labels;  // as computed
  run::Data own_labels;       // as the author says
  std::vector<Gate> gates;
  std::optional<bool> rewritten;
  std::optional<bool> disagrees;  // the labels do
  static std::span<const json::Field> fields();
};

struct ReportNote {
  std::string ended;
  std::uint64_t claims = 0;
  std::uint64_t citations = 0;
  std::uint64_t nearest = 0;
  std::uint64_t uncited = 0;
  std::uint64_t judge_only = 0;  // criteria
  static std::span<const json::Field> fields();
};

}  // namespace plumb::pipelines::research
