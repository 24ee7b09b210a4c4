// Questions that a source supports, each with four options from the source and the sentence that proves the answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/extract/distractors.hpp"
#include "core/extract/evidence.hpp"
#include "core/extract/terms.hpp"

namespace plumb::extract {

enum class QuestionType : std::uint8_t { meaning, name, gap_term, gap_number };
inline constexpr std::size_t question_types = 4;

struct Question {
  QuestionType type = QuestionType::meaning;
  std::string question;
  Options options;  // empty for a question that the source does not support
  std::string answer;
  std::string explanation;
  std::uint32_t sentence = 0;
  int rank = 0;
};

class QuestionMaker {
 public:
  QuestionMaker(const SourceText& reading, const Terms& terms);
  // The questions about a term, in no order, at most 24.
  std::vector<Question> about(const Term& term) const;
  // Why there is none: what a person is told of a term that was left out.
  std::string_view why_none(const Term& term) const;
  // What would have to be asked about a concept that the source only mentions. Its options are the source's sentences
  // about it, so that nothing is invented; it is not answerable, and often has too few options.
  Question unsupported(std::string_view concept_name) const;
  // Whether a sentence can stand by itself, apart from its neighbours.
  bool stands_alone(const Sentence& sentence) const;

 private:
  void by_definition(const Term& term, std::vector<Question>& out) const;
  bool reads_as_name(const Occurrence& at) const;
  void by_gap(const Term& term, const Occurrence& at, std::vector<Question>& out) const;
  void by_number(const Term& term, std::vector<Question>& out) const;
  std::string with_gap(const Sentence& sentence, TextSpan hole) const;
  std::string explanation(const Sentence& sentence) const;
  // With three of the options that the source does not say are right, too; the question is dropped where there are
  // fewer, or where no sentence proves its answer.
  void add(Question question, const Options& candidates, std::vector<Question>& out) const;

  const SourceText& r_;
  const Terms& terms_;
  Evidence evidence_;
  std::vector<Number> numbers_;
};

}  // namespace plumb::extract
