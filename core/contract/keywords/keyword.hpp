// A keyword as the core knows it: one file each (or one for a family that shares its state), and a
// row in one of the two lists below. How to add one: CONTRIBUTING.md.
//
// What a keyword does not need it leaves null. What is asked of every value (lengths, ...) is no pointer here but a
// function of the keyword's own header, called by the engine where it counts. Other rooms (explain, derive, lint,
// sample) have tables of their own by the same Kw; a house test holds that each keyword has its row there, or a reason
// to have none.
#pragma once

#include <cstdint>
#include <span>
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
  // The message where the contract has none. Null: "Must be ...", with what was there.
  std::string (*message)(const Found& found) = nullptr;
};

struct KeywordRow {
  Kw kw = Kw::none;
  const Keyword* keyword = nullptr;
};

// The lists: those that compare values and places (list.cpp), and those that read texts (text_list.cpp).
std::span<const KeywordRow> structural_keywords();
std::span<const KeywordRow> text_keywords();

// The keyword, or null where it is not one of these.
const Keyword* keyword_of(Kw kw);
const Keyword* text_keyword_of(Kw kw);

// "Must have at least 2 facts (has 1)".
std::string must_have(const Found& found);
// "Must be ... (is ...)": the message of all that have none of their own.
std::string must_be_shown(const Found& found);
// "Must be ...", without what was there.
std::string must_be(const Found& found);

}  // namespace plumb::contract
