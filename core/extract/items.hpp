// The questions and cards that an artifact is made of, and how they are written.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/extract/plan.hpp"
#include "core/extract/questions.hpp"

namespace plumb::json {
class Writer;
}

namespace plumb::extract {

// What artifacts say of their origin.
inline constexpr std::string_view made_by = "extract";

// What is taken already: no sentence is asked about twice, no answer and no question comes twice. Folded.
struct Taken {
  std::vector<std::uint32_t> sentences;
  std::vector<std::string> texts;

  bool has_text(std::string_view text) const;
  void add_text(std::string_view text);
};

// At most `count` supported questions: one for each concept in turn, of changing types, then a second one each, then
// other terms.
std::vector<Question> choose_questions(const SourceText& reading, const Terms& terms, const QuestionMaker& maker,
                                       std::span<const std::string> names, std::size_t count, Taken& taken);

struct Card {
  std::string front;
  std::string back;
};

inline constexpr std::size_t back_code_points_max = 300;

// `text` cut at the end of a sentence, or of a part of one, so that it has at most so many code points; empty where
// that leaves nothing.
std::string cut_at_sentence(std::string_view text, std::size_t code_points_max);

// The card of a term: its meaning. An empty back: the source does not say what it is.
Card card_of(const SourceText& reading, const Terms& terms, const Term& term);
std::vector<Card> choose_cards(const SourceText& reading, const Terms& terms, std::span<const std::string> names,
                               std::size_t count, Taken& taken);

// Where fewer items were made than wanted: how many, and the terms that were left out, each with the reason.
inline constexpr std::size_t left_out_max = 10;
void write_left_out(json::Writer& writer, const Terms& terms, const QuestionMaker& maker, Kind kind, std::size_t made,
                    std::size_t wanted, const Taken& taken);

void write_question(json::Writer& writer, const Question& question);
void write_card(json::Writer& writer, const Card& card);

}  // namespace plumb::extract
