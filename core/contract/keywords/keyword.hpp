// A keyword as the core knows it: one file each (or one for a family that shares its state), and a
// row in one of the two lists. How to add one: CONTRIBUTING.md.
//
// What a keyword does not need it leaves null. What is asked of every value (lengths, ...) is no pointer here but a
// function of the keyword's own header, called by the engine where it counts. Other rooms (explain, derive, lint,
// sample) have tables of their own by the same Kw; a house test holds that each keyword has its row there, or a reason
// to have none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/contract/compiler.hpp"
#include "core/contract/engine/findings.hpp"
#include "core/contract/keywords/across.hpp"
#include "core/contract/keywords/text_outcome.hpp"

namespace plumb::contract {

struct Engine;

// Whose keyword it is: one of ours, or of a vocabulary of JSON Schema's, which is read where that is switched on. What
// `format` asserts is switched on by the dialect or the caller.
enum class Vocabulary : std::uint8_t { ours, applicator, unevaluated, validation, format };

struct Keyword {
  // Whether a member of its name is certainly ours, by what it holds (our_form.hpp).
  bool (*our_form)(const json::Value& value) = nullptr;
  Vocabulary vocabulary = Vocabulary::ours;
  Dialect since = Dialect::draft4;  // older ones do not know it
  // Reads a member into its schema object, or says what is wrong with it. Null: compile.cpp does, or nobody.
  void (*compile)(Compiler& compiler, Compiler::At& at) = nullptr;
  // Judges a rule that reads other places, when all that it reads has been read.
  void (*judge_across)(Engine& engine, Across& rule) = nullptr;
  // Judges a rule about a text, when it has ended.
  void (*judge_text)(const TextRule& rule, std::string_view text, TextOutcome& outcome) = nullptr;
  // What was there, for the message: null tells the value as it is, and how many parts a list or an object has.
  std::string (*provided)(const Found& found) = nullptr;
  // The message where the contract has none. Null: "Must be ...", with what was there.
  std::string (*message)(const Found& found) = nullptr;
};

// Each in its own file; core/contract/keywords.cpp lists them, and text_list.cpp those that read texts.
extern const Keyword all_of_keyword;
extern const Keyword any_of_keyword;
extern const Keyword one_of_keyword;
extern const Keyword not_keyword;
extern const Keyword if_keyword;
extern const Keyword dependent_schemas_keyword;
extern const Keyword dependencies_keyword;
extern const Keyword type_keyword;
extern const Keyword enum_keyword;
extern const Keyword const_keyword;
extern const Keyword multiple_of_keyword;
extern const Keyword maximum_keyword;
extern const Keyword exclusive_maximum_keyword;
extern const Keyword minimum_keyword;
extern const Keyword exclusive_minimum_keyword;
extern const Keyword min_length_keyword;
extern const Keyword max_length_keyword;
extern const Keyword pattern_keyword;
extern const Keyword format_keyword;
extern const Keyword max_items_keyword;
extern const Keyword min_items_keyword;
extern const Keyword max_properties_keyword;
extern const Keyword min_properties_keyword;
extern const Keyword required_keyword;
extern const Keyword dependent_required_keyword;
extern const Keyword unique_items_keyword;
extern const Keyword distinct_keyword;
extern const Keyword acyclic_keyword;
extern const Keyword prefix_items_keyword;
extern const Keyword items_keyword;
extern const Keyword additional_items_keyword;
extern const Keyword contains_keyword;
extern const Keyword min_contains_keyword;
extern const Keyword max_contains_keyword;
extern const Keyword unevaluated_items_keyword;
extern const Keyword properties_keyword;
extern const Keyword pattern_properties_keyword;
extern const Keyword additional_properties_keyword;
extern const Keyword property_names_keyword;
extern const Keyword unevaluated_properties_keyword;
extern const Keyword member_of_keyword;
extern const Keyword count_of_keyword;
extern const Keyword sum_of_keyword;
extern const Keyword same_set_as_keyword;
extern const Keyword pointers_keyword;
extern const Keyword rules_keyword;
extern const Keyword not_blank_keyword;
extern const Keyword length_keyword;
extern const Keyword max_sentences_keyword;
extern const Keyword avoids_keyword;
extern const Keyword single_unknown_keyword;
extern const Keyword mentions_keyword;
extern const Keyword facts_keyword;
extern const Keyword novel_keyword;
extern const Keyword quoted_from_keyword;

// The keyword, or null where it is not one of these.
const Keyword* keyword_of(Kw kw);
const Keyword* text_keyword_of(Kw kw);

// "Must have at least 2 facts (has 1)".
std::string must_have(const Found& found);
// "Must be ... (is ...)": the message of all that have none of their own.
std::string must_be_shown(const Found& found);
// "Must be ...", without what was there.
std::string must_be(const Found& found);
// What was there, where a keyword has no words of its own for it: "3 items".
std::string provided_value(const Found& found);

}  // namespace plumb::contract
