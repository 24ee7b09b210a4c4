// Findings in the engine. A finding is prepared when a keyword breaks. It is held in a branch or certain at once,
// completed when its value has ended (completing.hpp), and given out at the end of each piece (telling.hpp).
//
//   std::uint32_t f = prepare(engine, evaluation, Kw::min_items, position, 0);
//   engine.found[f].finding.requirement = "at least 4 items";
//   report(engine, f, decided);
//
// Sink 0 is the verdict; every other sink is a Branch.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/contract/program.hpp"
#include "core/contract/verdict.hpp"
#include "core/json/value.hpp"

namespace plumb::contract {

struct Engine;

// A finding, an undecided rule or a line of the scorecard, which may not count yet or not be complete yet.
struct Found {
  enum class What : std::uint8_t { finding, undecided, score };
  What what = What::finding;
  Finding finding;
  Kw kw = Kw::none;
  std::vector<std::uint64_t> walk;           // its place in a walk through the contract
  std::uint32_t walk_of_node = 0;            // how many numbers of it are the schema object's own
  bool stops = false;                        // stopAt of its schema object names its keyword
  const MessageTemplate* message = nullptr;  // the contract's errorMessage, or nullptr
  const Node* node = nullptr;
  std::string size;  // for {size}
  std::string limit;
  std::string value;
  bool has_value = false;
  const ScalarPart* members = nullptr;  // for `allowed`
  std::string prefix;                   // item label that goes before the message
  std::string rule_message;
  std::uint32_t depth = 0;  // tokens in the pointer of the instance
  std::uint32_t evaluation = none32;
  json::Kind kind = json::Kind::null;  // of the instance, once it has ended
  std::uint64_t size_number = 0;
  bool about_key = false;  // the instance is a key, or the key itself is wrong
  bool placed = false;     // complete: the place was copied from a site
  std::uint32_t refs = 0;
  std::uint32_t next_open = none32;  // next finding of the frame or token that completes it
  bool open = false;                 // its value has not ended
  bool committed = false;
  bool told = false;  // push() has returned it
  bool told_complete = false;
  bool of_end = false;       // certain only because the text has ended
  bool whole_place = false;  // the line and column of span.from are set
  bool end_place = false;
  bool size_at_least = false;
  bool limits = false;        // undecided: a bound was reached
  bool asks_judge = false;    // undecided: its rule asks a judge
  bool lacks_target = false;  // undecided: the value to compare with is missing, or beyond the limits
  ScorecardLine score;
  std::vector<std::uint32_t> cause_found;  // findings of the closest branch, until this one is complete
  std::vector<std::pair<std::string, std::string>> labels;
  Undecided not_decided;

  // Resets a line of a rule that was used before. The other members are always written.
  void begin_line() {
    walk.clear();
    refs = 0;
    committed = false;
    asks_judge = false;
    lacks_target = false;
    labels.clear();
    not_decided.ask.clear();
    not_decided.wants_context.clear();
  }
};

// The findings of this text, as indices into Engine::found.
struct Findings {
  std::vector<std::uint32_t> touched;    // findings that need their places at the end of the piece
  std::vector<std::uint32_t> certain;    // committed in this piece
  std::vector<std::uint32_t> completed;  // completed in this piece, given out before
  std::vector<std::uint32_t> kept;       // committed and given out, for the verdict
  std::vector<std::uint32_t> others;     // committed lines of the scorecard and undecided rules
  std::vector<std::pair<std::string, std::uint64_t>> more_by_rule;
  std::vector<std::string> line_locations;  // schema locations of the scorecard's lines
  const Node* asks = nullptr;               // the root, if the lines of its rules must still be written
  std::uint32_t next_id = 1;
  std::uint64_t repeated = 0;  // number of findings of `distinct` so far, which orders them
  bool root_broken = false;
  bool limit_reached = false;
  bool context_missing = false;
  bool any_error = false;
  bool any_block = false;
  bool any_warning = false;

  void reset();
};

std::uint32_t new_found(Engine& engine, Found::What what = Found::What::finding);
void release(Engine& engine, std::uint32_t index);
// Prepares a finding of a keyword, at the instance of an evaluation. The keyword adds its own part. `sub` is the
// finding's number among those of the same keyword.
std::uint32_t prepare(Engine& engine, std::uint32_t evaluation, Kw kw, Position position, std::uint64_t sub);
// Keeps the place of the instance that is closing, for findings that its evaluation may still report.
std::uint32_t make_site(Engine& engine, std::uint32_t evaluation);
// Reports a finding about the instance. It is completed when its value ends, or now if it has ended.
void report(Engine& engine, std::uint32_t index, std::uint64_t decided, bool breaks = true);
void add(Engine& engine, std::uint32_t sink, std::uint32_t index);
// Reports a keyword that cannot be decided. `lacks_target`: the value to compare with is missing, or beyond the
// limits.
void undecided(Engine& engine, std::uint32_t evaluation, Kw kw, Position position, std::uint64_t sub,
               std::string reason, std::string wants_context, bool lacks_target = false);
// Reports a fault of the text itself, whatever the contract says.
void text_found(Engine& engine, Kw kw, std::string message, std::uint64_t from, std::uint64_t to,
                std::uint64_t decided);
// Reports a bound that was reached. Only the first is reported.
void limit_found(Engine& engine, std::string message, std::string where, std::uint64_t at, std::uint64_t decided,
                 std::string requirement);

}  // namespace plumb::contract
