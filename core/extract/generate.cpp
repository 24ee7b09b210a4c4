#include "core/extract/extract.hpp"
#include "core/extract/items.hpp"
#include "core/extract/mindmap.hpp"
#include "core/json/writer.hpp"

namespace plumb::extract {
namespace {

std::string quiz_json(const Reading& reading, const Terms& terms, const Plan& plan) {
  const QuestionMaker maker(reading, terms);
  Taken taken;
  std::vector<Question> questions = choose_questions(reading, terms, maker, plan.names, plan.count, taken);
  if (questions.size() < enough(plan.count)) {
    for (const std::string& name : plan.names) {
      if (questions.size() < plan.count && !taken.has_text(name)) {
        questions.push_back(maker.unsupported(name));
      }
    }
  }
  std::string out;
  json::Writer writer(out, 2);
  writer.begin_object().key("questions").begin_array();
  for (const Question& question : questions) {
    write_question(writer, question);
  }
  writer.end_array().member("made_by", made_by).end_object();
  return out;
}

std::string flashcards_json(const Reading& reading, const Terms& terms, const Plan& plan) {
  Taken taken;
  std::vector<Card> cards = choose_cards(reading, terms, plan.names, plan.count, taken);
  if (cards.size() < enough(plan.count)) {
    for (const std::string& name : plan.names) {
      if (cards.size() < plan.count && !taken.has_text(name)) {
        taken.add_text(name);
        cards.push_back({capitalised(name), {}});
      }
    }
  }
  std::string out;
  json::Writer writer(out, 2);
  writer.begin_object().key("flashcards").begin_array();
  for (const Card& card : cards) {
    write_card(writer, card);
  }
  writer.end_array().member("made_by", made_by).end_object();
  return out;
}

}  // namespace

Result<std::string> generate(Kind kind, std::string_view plan_text, std::span<const Chunk> chunks) {
  const Result<Plan> plan = read_plan(kind, plan_text);
  if (!plan) {
    return plan.error();
  }
  const Reading reading(chunks);
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
