// A proof that every document one contract accepts is accepted by another, keyword by keyword over the compiled
// schemas.
//
// A goal is: whatever keeps all of these schemas (`given`) and is of this sort keeps that one (`wanted`). It follows
// from what the given schemas say of such values (facts.hpp), from goals about members and items, from a list of all
// values that are left, each judged by the engine, or from cases: the alternatives of an anyOf or oneOf that is given,
// and both ways of an `if`. What is never guessed at: what is not shown stays open, with its place.
//
// Schemas that lead back to themselves: a goal that comes again below a member or an item of its own value is taken for
// shown, which is induction over the depth of documents. A goal that comes again at the same value is not.
//
// What has no meaning here but "the same" (not, unevaluated*, rules that read other places, patterns) is shown only
// where both contracts have the same (Sameness), and oneOf where its branches also exclude one another. Bounded by
// ProofLimits; reaching it leaves the rest open and is told.
//
// The idea is that of JSON subschema containment (Habib, Shinnar, Hirzel, Pradel: "Finding Data Compatibility Bugs with
// JSON Subschema Checks", ISSTA 2021), made one-sided: no schema is ever rewritten or negated.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/compare/facts.hpp"
#include "core/compare/schemas.hpp"

namespace plumb::compare {

struct ProofLimits {
  std::uint64_t goals_max = 100'000;
  std::uint32_t depth_max = 400;  // goals within goals
  std::size_t open_max = 100;     // listed; more are counted
};

// A step down into a value: the member or item of that name, or any.
struct Step {
  std::string name;
  bool any = false;
};
using Way = std::vector<Step>;
std::string pointer_of(const Way& way);  // "/items/*/name"

// What could not be shown.
struct OpenGoal {
  std::string at;        // the place in a document
  std::string location;  // of the keyword, in the contract that may refuse
  std::string keyword;
  std::string why;
};

// Where a document may be found that one accepts and the other refuses: for a search, nothing is claimed.
struct Hint {
  Way way;
  json::Kind kind = json::Kind::null;
  std::vector<std::string> values;   // JSON texts to be tried there
  std::vector<const Node*> schemas;  // of the accepting contract, on the way there
  std::vector<const Node*> there;    // those of them at the place itself
};

class Proof {
 public:
  Proof(const Schemas& schemas, const ProofLimits& limits) : schemas_(schemas), same_(schemas), limits_(limits) {}

  // Whether everything that the schema `given` accepts is shown to be accepted by `wanted`.
  bool shows(SchemaId given, SchemaId wanted);
  const std::vector<OpenGoal>& open() const { return open_; }
  std::uint64_t more_open() const { return more_open_; }
  const std::vector<Hint>& hints() const { return hints_; }
  bool gave_up() const { return gave_up_; }

 private:
  using Key = std::vector<std::uint32_t>;
  enum class State : std::uint8_t { under_way, shown, open };
  struct Known {
    State state = State::under_way;
    std::uint32_t level = 0;  // members and items above the value
  };
  struct Marks {
    std::size_t open = 0;
    std::uint64_t more = 0;
    std::size_t hints = 0;
    std::size_t shown = 0;
  };
  // One goal, while it is looked at.
  struct Goal {
    const Given& given;  // closed
    SchemaId wanted = no_schema;
    Sort sort = Sort::null;
  };

  // proof.cpp
  bool every_sort(const Given& given, SchemaId wanted);
  bool goal(const Given& given, SchemaId wanted, Sort sort, const Given& cases);
  bool attempt(const Goal& goal);
  bool by_cases(const Goal& goal, const Given& cases);
  bool below(Step step, const Given& given, SchemaId wanted);
  bool by_values(const Goal& goal, const std::vector<std::string>& values, bool& decided);
  bool goes_on();
  Marks marks() const { return {open_.size(), more_open_, hints_.size(), shown_.size()}; }
  void forget_open(const Marks& marks);
  bool leave(const Goal& goal, Kw kw, std::string_view why, std::vector<std::string> values = {});

  // proof_values.cpp: each tells what it leaves open
  bool own_values(const Goal& goal);
  bool number(const Goal& goal);
  bool string(const Goal& goal);
  bool array(const Goal& goal);
  bool items(const Goal& goal, std::uint64_t max);
  bool contains(const Goal& goal, std::uint64_t min, std::uint64_t max);
  bool object(const Goal& goal);
  bool members(const Goal& goal);
  bool other_members(const Goal& goal);
  bool dependents(const Goal& goal);
  bool names(const Goal& goal);

  // proof_in_place.cpp
  bool in_place(const Goal& goal);
  bool one(const Goal& goal, const InPlace& in);
  bool one_of(const Goal& goal, const InPlace& in);
  bool condition(const Goal& goal, const InPlace& in);
  bool our_rules(const Goal& goal);
  // No value of the sort keeps them all.
  bool impossible(const Given& given, Sort sort, unsigned depth);
  bool impossible_members(const Given& given, unsigned depth);
  bool excludes(const Given& given, SchemaId other, Sort sort);

  const Schemas& schemas_;
  Sameness same_;
  const ProofLimits& limits_;
  std::map<Key, Known> known_;
  std::vector<Key> shown_;  // in the order in which they were, to be taken back with what they rest on
  std::vector<OpenGoal> open_;
  std::vector<Hint> hints_;
  std::uint64_t more_open_ = 0;
  Way way_;
  std::vector<Given> above_;  // what was given at each level
  std::uint64_t goals_ = 0;
  std::uint32_t depth_ = 0;
  bool gave_up_ = false;
};

}  // namespace plumb::compare
