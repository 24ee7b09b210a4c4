// A boundary: where what one part of a pipeline produced is judged by the part that will work with it (seed 000).
//
//   Boundary boundary;  boundary.name = "briefs";  boundary.gate = ...;
//   Crossing crossing = cross_boundary(run, boundary, std::move(items));
//   for (const Crossed& item : crossing.items) ...        // accepted in original order, then warned, then failed
//
// Validate, revise what was rejected, validate the revised again, at most twice; what is still rejected passes with a
// warning. In detail:
//
//   - Rules that need no model go first (`gate`); the model is asked of an item only what they leave open, for as many
//     items in a call as `batch_tokens` holds: one call a cycle, or the fewest. Nothing left open: no call.
//   - An answer that is none, or a call that failed, accepts what it was asked of as `unverified`. What it does not
//     mention is accepted, unknown ids are ignored; a rejection without a known rule and a reason leaves its item
//     unverified. All are counted, and why the first call failed is told.
//   - Items are paired by ids of their own: names may repeat, be absent, or change in a revision (`name_of`).
//   - One revision call for each rejected item, side by side. A revision that cannot be used, or that breaks the
//     structure of a valid item in any part, leaves it rejected, for another try in the next cycle; tokens are booked.
//   - A revision may split an item of the input into at most 5 parts. Parts take its place and are not split again.
//   - An item whose structure never held (Rejection::structural) is kept as failed and is not for the next stage.
//
// Notes: INPUT_VALIDATION {boundary, agent, cycle, accepted, rejected, rejected_item_ids, ...} for each cycle, and
// `boundary` with the counts at the end. The laws (core/run/boundary_laws.hpp) are checked on every crossing.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/run.hpp"

namespace plumb::run {

inline constexpr std::size_t boundary_retries_max = 2;
inline constexpr std::size_t boundary_parts_max = 5;
inline constexpr std::size_t boundary_items_max = 100'000;

struct BoundaryItem {
  std::string id;    // of its own: no other item has it
  std::string name;  // for people and models; may be empty, or another item's too
  Data value;
  Data upstream;  // what it was made from, for its revision; null where there is nothing
};

// Why an item is not taken.
struct Rejection {
  std::string rule;
  std::string reason;
  std::string suggestion;
  std::string action;       // the rule's own
  bool structural = false;  // the artifact itself is not what its contract says
  static std::span<const json::Field> fields();
};

// What rules without a model say of an item.
struct Gate {
  bool open = false;  // something is left to the model
  std::optional<Rejection> rejected;
};

struct Boundary {
  std::string name;      // letters, digits, - and _
  std::string agent;     // who consumes, and so judges
  std::string producer;  // who made the items, and so revises
  // No model judges, or revises: that nobody did is no failure of a call.
  bool by_rule = false;
  bool revised_by_rule = false;
  bool keeps_valid = true;  // not so in runs of before
  std::uint64_t batch_tokens = 16'000;
  std::uint64_t validate_ms = 90'000;
  std::uint64_t revise_ms = 60'000;
  std::size_t concurrency = 8;
  std::vector<std::string> rules;  // that a model's rejection may name
  std::function<Gate(const BoundaryItem& item)> gate;
  std::function<Data(std::span<const BoundaryItem* const> items)> validate_request;
  // `unusable`: why its last revision was not taken, or empty.
  std::function<Data(const BoundaryItem& item, const Rejection& why, std::string_view unusable)> revise_request;
  // What a revised item is called. Not given: what it was called before.
  std::function<std::string(const Data& value)> name_of;
  // Told of each reply, in the part that asked for it. Not given: nobody is.
  std::function<void(Run& part, const Reply& reply)> replied;
  // What a model wrote as one strict JSON text, or empty where it is none. Not given: as it is.
  std::function<std::string(std::string_view text)> mend, mend_revision;
  // A revised item with what its answer had no place for, unless the gate likes that less. Not given: as it is.
  std::function<std::string(const json::Value& item, const json::Value& revised)> take_over;
};

enum class Passed : std::uint8_t { accepted, warned, failed };
std::span<const std::string_view> names_of(Passed);
std::string_view passed_name(Passed passed);

struct Crossed {
  std::string id;
  std::string name;
  std::size_t input = 0;     // index of the item that it is, or comes from
  std::string revised_from;  // of a part: the id of that item
  std::size_t revisions = 0;
  std::size_t rejections = 0;
  bool unverified = false;
  Passed passed = Passed::accepted;
  std::string warning;            // "Rejected after 2 retries: REASON"
  Rejection why;                  // the last one
  std::string revise_error = {};  // why its last revision brought nothing
  Data value;
  static std::span<const json::Field> fields();  // but `value`
};

struct BoundaryCycle {
  std::uint64_t judged = 0, accepted = 0, rejected = 0;
  std::uint64_t carried = 0;  // rejected before, and without a revision that could be judged
  std::uint64_t revised = 0, skipped = 0, revision_calls = 0;
  std::uint64_t open = 0, batches = 0, calls_failed = 0, too_large = 0;
  std::uint64_t unverified = 0, unmentioned = 0, unknown_ids = 0, unfounded = 0;
  std::string call_error = {};  // why the first of the failed calls failed
  static std::span<const json::Field> fields();
};

struct Crossing {
  std::vector<Crossed> items;
  std::vector<BoundaryCycle> cycles;
  std::uint64_t rejections = 0;  // distinct items of the input that were rejected at least once
  std::uint64_t retries = 0;     // revision cycles
  std::uint64_t calls = 0;
  std::uint64_t calls_max = 0;  // that there could have been, of so many items
  std::uint64_t tokens = 0;
  static std::span<const json::Field> fields();  // but `items`

  std::uint64_t count(Passed passed) const;
  // Why a call of the judge failed; empty where none did.
  std::string call_error() const;
  std::uint64_t unverified() const;
};

// "1", "2", ... for items that have no id.
void give_ids(std::vector<BoundaryItem>& items);

Crossing cross_boundary(Run& run, const Boundary& boundary, const std::vector<BoundaryItem>& items);

// {"validation_rejections", "validation_retries"} and `produced` under its name.
std::string quality_flags_json(const Crossing& crossing, std::string_view produced, std::uint64_t count);

// As JSON, and back.
Data crossing_data(const Crossing& crossing);
Crossing crossing_of(const Data& data);

}  // namespace plumb::run
