// Boundary: the output of one part of a pipeline is judged by the part that will work with it (seed 000).
//
//   Boundary boundary;  boundary.name = "briefs";  boundary.gate = ...;
//   Crossing crossing = cross_boundary(run, boundary, std::move(items));
//   for (const Crossed& item : crossing.items) ...        // accepted in original order, then warned, then failed
//
// It validates the items, has rejected ones revised, and validates the revisions, at most twice. Items that are still
// rejected pass with a warning. In detail:
//
//   - Rules without a model (`gate`) go first. The model judges only items that they leave open, in as few calls
//     per cycle as `batch_tokens` allows. If no item is open, there is no call.
//   - If a call fails or gives no usable answer, its items are accepted as `unverified`. An item that the answer
//     does not mention is accepted; unknown ids are ignored. A rejection without a known rule and a reason leaves
//     its item unverified. All of these are counted, and the first failure's reason is kept.
//   - Items are identified by `id`. Names may repeat, be missing, or change in a revision (`name_of`).
//   - Each rejected item gets one revision call, in parallel. If the revision cannot be used, or breaks the
//     structure of a valid item in any part, the item stays rejected for the next cycle. The tokens count.
//   - A revision may split an item of the input into at most 5 parts, which replace it and are not split again.
//   - An item whose structure never held (Rejection::structural) is `failed`, and the next stage does not get it.
//
// Each cycle emits the note INPUT_VALIDATION, the end the note `boundary` (boundary_notes.hpp). Every crossing is
// checked against the laws in boundary_laws.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/boundary_item.hpp"
#include "core/run/run.hpp"

namespace plumb::run {

inline constexpr std::size_t boundary_retries_max = 2;
inline constexpr std::size_t boundary_parts_max = 5;
inline constexpr std::size_t boundary_items_max = 100'000;

struct Boundary {
  std::string name;      // letters, digits, - and _
  std::string agent;     // who consumes the items, and so judges them
  std::string producer;  // who made the items, and so revises them
  // No model judges, or revises. Its absence is then not a failed call.
  bool by_rule = false;
  bool revised_by_rule = false;
  bool keeps_valid = true;  // false only in runs of earlier versions
  std::uint64_t batch_tokens = 16'000;
  std::uint64_t validate_ms = 90'000;
  std::uint64_t revise_ms = 60'000;
  std::size_t concurrency = 8;
  std::vector<std::string> rules;  // the rules that a model's rejection may name
  ObservedRules observed;
  std::function<Gate(const BoundaryItem& item)> gate;
  // `cycle`: 0 for the first judgement, then the number of the revision.
  std::function<Data(std::span<const BoundaryItem* const> items, std::size_t cycle)> validate_request;
  // `unusable`: why its last revision was not used, or empty.
  std::function<Data(const BoundaryItem& item, const Rejection& why, std::string_view unusable, std::size_t cycle)>
      revise_request;
  // The name of a revised item. If not set, it keeps its name.
  std::function<std::string(const Data& value)> name_of;
  // Gets each reply, in the part that asked for it. May be empty.
  std::function<void(Run& part, const Reply& reply)> replied;
  // A model's text as strict JSON, or empty if that is impossible. If not set, the text is used as it is.
  std::function<std::string(std::string_view text)> mend, mend_revision;
  // Adds to a revised item what its answer had no place for, unless the gate prefers it without. May be empty.
  std::function<std::string(const json::Value& item, const json::Value& revised)> take_over;
};

enum class Passed : std::uint8_t { accepted, warned, failed };
std::span<const std::string_view> names_of(Passed);
std::string_view passed_name(Passed passed);

struct Crossed {
  std::string id;
  std::string name;
  std::size_t input = 0;     // index of the item that it is, or comes from
  std::string revised_from;  // for a part: the id of the item it comes from
  std::size_t revisions = 0;
  std::size_t rejections = 0;
  bool unverified = false;
  Passed passed = Passed::accepted;
  std::string warning;            // "Rejected after 2 retries: REASON"
  Rejection why;                  // the last one
  std::string revise_error = {};  // why its last revision was not used
  Data value;
  static std::span<const json::Field> fields();  // all but `value`
};

struct BoundaryCycle {
  std::uint64_t judged = 0, accepted = 0, rejected = 0;
  std::uint64_t carried = 0;  // rejected before, without a usable revision
  std::uint64_t revised = 0, skipped = 0, revision_calls = 0;
  std::uint64_t open = 0, batches = 0, calls_failed = 0, too_large = 0;
  std::uint64_t unverified = 0, unmentioned = 0, unknown_ids = 0, unfounded = 0;
  std::uint64_t observed = 0;   // items that a rule would have rejected which is only observed
  std::string call_error = {};  // why the first failed call failed
  static std::span<const json::Field> fields();
};

struct Crossing {
  std::vector<Crossed> items;
  std::vector<BoundaryCycle> cycles;
  std::uint64_t rejections = 0;  // items of the input that were rejected at least once
  std::uint64_t retries = 0;     // revision cycles
  std::uint64_t calls = 0;
  std::uint64_t calls_max = 0;  // the upper bound for this number of items
  std::uint64_t tokens = 0;
  std::uint64_t observed = 0;                    // items of the input that an observed rule would have rejected
  static std::span<const json::Field> fields();  // all but `items`

  std::uint64_t count(Passed passed) const;
  // Why a call of the judge failed; empty if none failed.
  std::string call_error() const;
  std::uint64_t unverified() const;
};

// Sets the ids "1", "2", ... for items without ids.
void give_ids(std::vector<BoundaryItem>& items);

Crossing cross_boundary(Run& run, const Boundary& boundary, const std::vector<BoundaryItem>& items);

// {"validation_rejections", "validation_retries"}, and `count` under the name `produced`.
std::string quality_flags_json(const Crossing& crossing, std::string_view produced, std::uint64_t count);

// A crossing as JSON, and back.
Data crossing_data(const Crossing& crossing);
Crossing crossing_of(const Data& data);

}  // namespace plumb::run
