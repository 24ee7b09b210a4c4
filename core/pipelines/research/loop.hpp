// What the parts of the research pipeline share: an author's decision that passes its gates, and what stops the run.
// Internal to this folder.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/contract/verdict.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/model_call.hpp"
#include "core/pipelines/research/brief.hpp"
#include "core/pipelines/research/members.hpp"
#include "core/pipelines/research/notes.hpp"
#include "core/pipelines/research/research.hpp"

namespace plumb::pipelines::research {

// An author: who is asked, with which prompt, under which contract.
struct Author {
  std::string_view name;      // "brain", also of its prompt
  std::string_view phase;     // who is asked; of the judge: that of the author whose decision it judges
  std::string_view contract;  // a pin
  std::string_view task;      // what the built-in provider calls it
};
const Author& author_named(std::string_view name);

// What an author's prompt says of its contract: the pin told-NAME.
struct Told {
  std::string purpose;
  std::string scorecard;
  std::string gates;
  std::string shape;
  std::string shape_lookup;        // of the intake
  std::vector<std::string> reads;  // what the prompt is built from
  static std::span<const json::Field> fields();
};

// A model call in an author's name.
struct Saying {
  std::string_view author;
  std::string_view phase = {};     // where it is not the author's own
  std::string_view contract = {};  // a pin: what the answer is held to while it comes, where it is not the author's
  bool bolder = false;
  std::vector<std::pair<std::string_view, std::string>> data;  // variables of the prompt
  std::function<void(json::Writer&)> task;
};
Answer say(run::Run& run, const Brief& brief, Spent& spent, const Saying& what);

// The text of an answer as it is judged: what models wrap around JSON is edited away where that is certain.
struct Read {
  std::string text;
  contract::Verdict verdict;
};
Read read_answer(const contract::Contract& contract, const std::string& text, std::string_view context);

// {"novelty": "new", ...}
run::Data labels_of(const contract::Verdict& verdict);

struct Asking {
  std::string_view author;
  std::string context;  // JSON, for the contract
  // What the prompt is built from; only names that the role's contract reads.
  std::vector<std::pair<std::string_view, std::string>> reads;
  // More variables of the prompt, in words of our own: they stand outside of every fence.
  std::vector<std::pair<std::string_view, std::string>> says = {};
  // A pin: the contract of what is written, where it is not the role's own, and the decision in it.
  std::string_view contract = {};
  std::function<std::string(std::string_view text)> unwrap = {};
  std::function<void(json::Writer&)> task;
  // Findings that the contract cannot make.
  std::function<void(const json::Value& decision, std::vector<contract::Finding>& out)> rules = {};
  // A decision that is taken as it is, before any rule.
  std::function<bool(const json::Value& decision)> takes = {};
  // What its author is told before it answers: why its last decision was not taken.
  std::optional<contract::Finding> refused = {};
  // What stands of a decision that broke gates to the end; `last`: the decision, nullptr where it was no JSON.
  std::function<std::string(const json::Value* last, const std::vector<contract::Finding>& broken)> stands;
  // What became of the part of it that a finding is about: "dropped", "flagged", "overridden".
  std::function<std::string_view(const contract::Finding& broken)> outcome;
};

struct Decided {
  run::Data value;    // the decision
  std::string error;  // why there is none
  Reason reason = Reason::none;
  bool cancelled = false;
  std::vector<Gate> gates;  // that fired
  run::Data labels;         // as computed
  std::uint64_t rejections = 0;
  bool stands = false;     // it broke gates to the end: the value is what stands of it
  bool rewritten = false;  // the same, in a run that was begun before
  bool disagrees = false;  // the model's own labels differ
};
// Asks the author until its decision passes, at most rejections_max times more; then what stands of it. Notes `gate`.
Decided decide(run::Run& run, const Brief& brief, Spent& spent, const Asking& what);

// A gate that fired outside of decide().
void note_gate(run::Run& run, std::string_view role, const contract::Finding& finding, std::string_view outcome,
               std::uint64_t attempt);
contract::Finding gate_finding(std::string_view rule, std::string_view title, std::string at, std::string message,
                               std::string action);

// Why nothing more is asked of the world: "stopped", "time", "tokens"; empty: it goes on. That a run is cancelled is
// seen by its replies: what was entered before must be entered again.
std::string stop_reason(const run::Run& run, const Brief& brief, const Spent& spent, std::uint64_t begun_ms);

// What an author's error ends: "cancelled", "tokens" where the budget holds no further call, else "provider"; nothing
// for none.
std::string_view ended_by(std::string_view error, Reason reason, bool cancelled);

Objective take_in(run::Run& run, const Brief& brief, Spent& spent);

// Searches until it is answered or brings nothing new.
QuestionResult research_question(run::Run& run, const Brief& brief, std::string_view objective,
                                 const Question& question, std::uint64_t tokens_left, std::uint64_t begun_ms);

Round plan_round(run::Run& run, const Brief& brief, Spent& spent, const Objective& objective,
                 const std::vector<run::Data>& completed, std::uint64_t round);

// The report; asks nobody where `ended` says that nothing more is to be asked.
run::Data write_report(run::Run& run, const Brief& brief, Spent& spent, const Objective& objective,
                       const std::vector<run::Data>& completed, const std::vector<Criterion>& criteria,
                       const Ended& how, std::uint64_t begun_ms);

}  // namespace plumb::pipelines::research
