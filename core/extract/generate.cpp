#include "core/extract/extract.hpp"
#include "core/extract/items.hpp"
#include "core/extract/mindmap.hpp"
#include "core/json/writer.hpp"

namespace plumb::extract {
namespace {

// A source that supports nothing is told by an artifact that breaks its contract: the planned names are asked for all
// the same, and the judge finds them not answerable.
std::string quiz_json(const SourceText& reading, const Terms& terms, const Plan& plan) {
  const QuestionMaker maker(reading, terms);
  Taken taken;
  std::vector<Question> questions = choose_questions(reading, terms, maker, plan.names, plan.count, taken);
  const std::size_t made = questions.size();
  for (std::size_t i = 0; made == 0 && i < plan.names.size() && questions.size() < plan.count; ++i) {
    questions.push_back(maker.unsupported(plan.names[i]));
  }
  std::string out;
  json::Writer writer(out, 2);
  writer.begin_object().key("questions").begin_array();
  for (const Question& question : questions) {
    write_question(writer, question);
  }
  writer.end_array().member("made_by", made_by);
  write_left_out(writer, terms, maker, Kind::quiz, made, made < plan.count ? plan.count : questions_usual, taken);
  writer.end_object();
  return out;
}

std::string flashcards_json(const SourceText& reading, const Terms& terms, const Plan& plan) {
  Taken taken;
  std::vector<Card> cards = choose_cards(reading, terms, plan.names, plan.count, taken);
  const std::size_t made = cards.size();
  for (std::size_t i = 0; made == 0 && i < plan.names.size() && cards.size() < plan.count; ++i) {
    cards.push_back({capitalised(plan.names[i]), {}});
  }
  std::string out;
  json::Writer writer(out, 2);
  writer.begin_object().key("flashcards").begin_array();
  for (const Card& card : cards) {
    write_card(writer, card);
  }
  writer.end_array().member("made_by", made_by);
  write_left_out(writer, terms, QuestionMaker(reading, terms), Kind::flashcards, made,
                 made < plan.count ? plan.count : cards_usual, taken);
  writer.end_object();
  return out;
}

}  // namespace

Result<std::string> generate(Kind kind, std::string_view plan_text, std::span<const Chunk> chunks) {
  const Result<Plan> plan = read_plan(kind, plan_text);
  if (!plan) {
    return plan.error();
  }
  const SourceText reading(chunks);
  const Terms terms = find_terms(reading);
  switch (kind) {
    case Kind::quiz:
      return quiz_json(reading, terms, plan.value());
    case Kind::flashcards:
      return flashcards_json(reading, terms, plan.value());
    case Kind::mindmap:
      return mindmap_json(reading, terms, plan.value());
  }
  return Error{};
}

}  // namespace plumb::extract
