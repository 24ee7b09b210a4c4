// Findings on their way: prepared when a keyword breaks, held in a branch or certain at once, completed when their
// value has ended (completing.hpp), told at the end of each piece (telling.hpp).
//
//   std::uint32_t f = prepare(engine, evaluation, Kw::min_items, position, 0);
//   engine.found[f].finding.requirement = "at least 4 items";
//   report(engine, f, decided);
//
// Sink 0 is the verdict, every other one a Branch.
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

// A finding on its way: not yet certain to count, or not yet complete.
struct Found {
  enum class What : std::uint8_t { finding, undecided, score };
  What what = What::finding;
  Finding finding;
  Kw kw = Kw::none;
  std::vector<std::uint64_t> walk;           // its place in a plain walk of the contract
  std::uint32_t walk_of_node = 0;            // how much of it is the schema object's own
  bool stops = false;                        // stopAt of its schema object names it
  const MessageTemplate* message = nullptr;  // errorMessage, or null
  const Node* node = nullptr;
  std::string size;  // for {size}
  std::string limit;
  std::string value;
  bool has_value = false;
  const ScalarPart* members = nullptr;  // for `allowed`
  std::string prefix;                   // item label to put before the message
  std::string rule_message;
  std::uint32_t depth = 0;  // tokens in the pointer of the instance
  std::uint32_t evaluation = none32;
  json::Kind kind = json::Kind::null;  // of the instance, once it has ended
  std::uint64_t size_number = 0;
  bool about_key = false;  // the instance is a key, or what is wrong is the key
  bool placed = false;     // complete: copied from where its instance was
  std::uint32_t refs = 0;
  std::uint32_t next_open = none32;  // of the frame or token that completes it
  bool open = false;                 // its value has not ended
  bool committed = false;
  bool told = false;  // given out by push
  bool told_complete = false;
  bool of_end = false;       // certain only because the text has ended
  bool whole_place = false;  // span.from has its line and column
  bool end_place = false;
  bool size_at_least = false;
  bool limits = false;        // a bound was reached: undecided
  bool asks_judge = false;    // undecided: its rule asks a judge
  bool lacks_target = false;  // undecided: what it compares with is not there, or beyond the limits
  ScorecardLine score;
  std::vector<std::uint32_t> cause_found;  // findings of the closest branch, until this one is complete
  std::vector<std::pair<std::string, std::string>> labels;
  Undecided not_decided;

  // For the line of a rule where one has been before: what is not written anyway.
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

// What has been found in this text, as indices into Engine::found.
struct Findings {
  std::vector<std::uint32_t> touched;    // whose places are looked for at the end of the piece
  std::vector<std::uint32_t> certain;    // committed in this piece
  std::vector<std::uint32_t> completed;  // completed in this piece, told before
  std::vector<std::uint32_t> kept;       // committed and told, for the verdict
  std::vector<std::uint32_t> others;     // committed scores and undecided
  std::vector<std::pair<std::string, std::uint64_t>> more_by_rule;
  std::vector<std::string> line_locations;  // of the scorecard's lines, in the contract
  const Node* asks = nullptr;               // the root, when the lines of its rules are still to be written
  std::uint32_t next_id = 1;
  std::uint64_t repeated = 0;  // findings of distinct so far, for their order
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
// A finding of a keyword, at the instance of an evaluation: all of it but what the keyword itself has to say. `sub` is
// its place among those of the same keyword.
std::uint32_t prepare(Engine& engine, std::uint32_t evaluation, Kw kw, Position position, std::uint64_t sub);
// The place of the instance that is being closed, for what its evaluation may still have to say.
std::uint32_t make_site(Engine& engine, std::uint32_t evaluation);
// A finding about the instance: completed when its value ends (now, where it has).
void report(Engine& engine, std::uint32_t index, std::uint64_t decided, bool breaks = true);
void add(Engine& engine, std::uint32_t sink, std::uint32_t index);
// A keyword that cannot be decided. `lacks_target`: what it compares with is not there, or beyond the limits.
void undecided(Engine& engine, std::uint32_t evaluation, Kw kw, Position position, std::uint64_t sub,
               std::string reason, std::string wants_context, bool lacks_target = false);
// What is wrong with the text, whatever the contract says.
void text_found(Engine& engine, Kw kw, std::string message, std::uint64_t from, std::uint64_t to,
                std::uint64_t decided);
// A bound is reached. One is told.
void limit_found(Engine& engine, std::string message, std::string where, std::uint64_t at, std::uint64_t decided,
                 std::string requirement);

}  // namespace plumb::contract
