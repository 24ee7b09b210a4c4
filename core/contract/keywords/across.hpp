// What the keywords that read other places share: how they are read, and what they judge with.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/compiler.hpp"

namespace plumb::contract {

struct Engine;

// A rule at an instance, when all that it reads has been read.
struct Across {
  std::uint32_t evaluation = none32;
  const CrossRule& rule;
  const json::Value& own;  // the instance
  std::uint32_t depth = 0;
  std::vector<const json::Value*> values;  // what `in` reaches, once gathered
  std::string wants_context;               // the pointer into the context that reaches nothing

  bool lacks_context() const { return !wants_context.empty(); }
};

// ---- reading

// The rule that a keyword begins with. False (told) when the value is no object, or has members that are not known.
bool read_object(Compiler& compiler, const Compiler::At& at, std::initializer_list<std::string_view> known);
// The member `in`, which must be there.
bool read_in(Compiler& compiler, const Compiler::At& at, CrossRule& rule);
// The members `fold` and `by`, where they are there.
bool read_fold_member(Compiler& compiler, const Compiler::At& at, CrossRule& rule);
bool read_by(Compiler& compiler, const Compiler::At& at, CrossRule& rule);
// A pointer that leads downwards, from a value or a candidate.
bool read_down(Compiler& compiler, const Compiler::At& at, const json::Value& value, std::uint32_t& out);
// Adds the rule to its schema object, and has remembered what it reads. `whole`: the instance itself, too.
void add_rule(Compiler& compiler, const Compiler::At& at, CrossRule rule, bool whole = false);

// ---- judging

// Whether some list that `in` names is there. Where none is, whatever is missing has its own finding.
bool reads_any_list(const Engine& engine, const Across& call);
// Fills `values` and `wants_context`.
void gather_values(Engine& engine, Across& call);
// Steps for comparing the instance with the values; `reads_texts`: all of each is read. False: there are none left, and
// the rule stays undecided.
bool spend_compared(Engine& engine, const Across& call, bool reads_texts);
// The rule is undecided: the context lacks what it reads.
void without_context(Engine& engine, const Across& call);
// Whether two values are the same for the rule: with its folding, where it has one.
bool same(const CrossRule& rule, const json::Value& x, const json::Value& y);
// What `by` names in a value: the value itself where there is no `by`.
std::vector<const json::Value*> parts_by(const Engine& engine, const CrossRule& rule, const json::Value& value);
// A finding of the rule; to be reported.
std::uint32_t prepare_across(Engine& engine, const Across& call, std::string requirement, FindingClass finding_class);

// ---- our form

bool is_pointer(const json::Value& value);
// A pointer, or a list of them; a literal "text:..." too.
bool is_operands(const json::Value& value);
// An object whose member `in` is so.
bool has_in(const json::Value& value);

}  // namespace plumb::contract
