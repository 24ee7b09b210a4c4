#include "core/extract/items.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "core/json/writer.hpp"
#include "core/text/fold.hpp"
#include "core/text/utf8.hpp"

namespace plumb::extract {
namespace {

class Chooser {
 public:
  Chooser(const Terms& terms, const QuestionMaker& maker, std::size_t count, Taken& taken)
      : terms_(terms), maker_(maker), count_(count), taken_(taken) {}

  void pass(std::span<const std::uint32_t> order) {
    for (const std::uint32_t index : order) {
      if (out_.size() >= count_) {
        return;
      }
      ask_about(terms_.list[index]);
    }
  }

  std::vector<Question> take() { return std::move(out_); }
  bool full() const { return out_.size() >= count_; }

 private:
  void ask_about(const Term& term) {
    std::vector<Question> all = maker_.about(term);
    Question* best = nullptr;
    int best_rank = 0;
    for (Question& question : all) {
      if (std::find(taken_.sentences.begin(), taken_.sentences.end(), question.sentence) != taken_.sentences.end() ||
          taken_.has_text(question.question) || taken_.has_text(question.answer)) {
        continue;
      }
      // A type that was used often yields to one that was not.
      const int rank = question.rank - 14 * static_cast<int>(used_[static_cast<std::size_t>(question.type)]);
      if (best == nullptr || rank > best_rank) {
        best = &question;
        best_rank = rank;
      }
    }
    if (best == nullptr) {
      return;
    }
    ++used_[static_cast<std::size_t>(best->type)];
    taken_.sentences.push_back(best->sentence);
    taken_.add_text(best->question);
    taken_.add_text(best->answer);
    out_.push_back(std::move(*best));
  }

  const Terms& terms_;
  const QuestionMaker& maker_;
  std::size_t count_;
  Taken& taken_;
  std::array<std::size_t, question_types> used_{};
  std::vector<Question> out_;
};

// The terms with these names, in their order, each once.
std::vector<std::uint32_t> terms_named(const Reading& reading, const Terms& terms, std::span<const std::string> names) {
  std::vector<std::uint32_t> out;
  for (const std::string& name : names) {
    const std::int32_t term = terms.find(reading, name);
    if (term >= 0 && std::find(out.begin(), out.end(), static_cast<std::uint32_t>(term)) == out.end()) {
      out.push_back(static_cast<std::uint32_t>(term));
    }
  }
  return out;
}

}  // namespace

bool Taken::has_text(std::string_view text) const {
  return std::find(texts.begin(), texts.end(), text::fold(text, {true, true})) != texts.end();
}

void Taken::add_text(std::string_view text) { texts.push_back(text::fold(text, {true, true})); }

std::vector<Question> choose_questions(const Reading& reading, const Terms& terms, const QuestionMaker& maker,
                                       std::span<const std::string> names, std::size_t count, Taken& taken) {
  Chooser chooser(terms, maker, count, taken);
  const std::vector<std::uint32_t> planned = terms_named(reading, terms, names);
  chooser.pass(planned);
  chooser.pass(planned);
  if (!chooser.full()) {
    std::vector<std::uint32_t> others;
    const std::size_t most = std::min(terms.list.size(), count * 4 + 20);
    for (std::uint32_t i = 0; i < most; ++i) {
      others.push_back(i);
    }
    chooser.pass(others);
    chooser.pass(others);
  }
  return chooser.take();
}

std::string cut_at_sentence(std::string_view text, std::size_t code_points_max) {
  text = text::trim(text);
  if (text::code_points(text) <= code_points_max) {
    return std::string(text);
  }
  const std::string_view start = text::first_code_points(text, code_points_max);
  std::size_t end = 0;
  for (const TextSpan sentence : text::sentences(text)) {
    end = sentence.to <= start.size() ? sentence.to : end;
  }
  // The first sentence is too long by itself: up to a semicolon or a clause that may go.
  for (const std::string_view clause :
       {"; ", ", which ", ", where ", ", while ", ", who ", " \xE2\x80\x93 ", "\xEF\xBC\x9B", "\xEF\xBC\x8C", ", "}) {
    if (end == 0) {
      const std::size_t found = start.rfind(clause);
      end = found != std::string_view::npos && found > 20 ? found : 0;
    }
  }
  return std::string(text::trim(text.substr(0, end)));
}

Card card_of(const Reading& reading, const Terms& terms, const Term& term) {
  Card card;
  card.front = capitalised(term.name);
  if (term.definition >= 0) {
    const Definition& d = terms.definitions[static_cast<std::size_t>(term.definition)];
    card.back = cut_at_sentence(meaning_text(reading, d), back_code_points_max - 1);
    const bool stop = reading.language == Language::chinese;
    if (!card.back.empty() && card.back.back() != '.' && card.back.back() != '!' && card.back.back() != '?') {
      card.back += stop ? "\xE3\x80\x82" : ".";
    }
    return card;
  }
  for (const Occurrence& at : term.at) {
    const Sentence& sentence = reading.sentences[reading.sentence_of[at.first_word]];
    if (sentence.complete && at.first_word <= sentence.first_word + 1 && reading.words_in(sentence) >= 6) {
      card.back = cut_at_sentence(reading.plain(sentence), back_code_points_max);
      return card;
    }
  }
  return card;
}

std::vector<Card> choose_cards(const Reading& reading, const Terms& terms, std::span<const std::string> names,
                               std::size_t count, Taken& taken) {
  const std::vector<std::uint32_t> planned = terms_named(reading, terms, names);
  const auto is_defined = [&terms](std::uint32_t term) { return terms.list[term].definition >= 0; };
  std::vector<std::uint32_t> order;
  std::copy_if(planned.begin(), planned.end(), std::back_inserter(order), is_defined);
  for (std::uint32_t i = 0; i < terms.list.size(); ++i) {
    if (terms.list[i].definition >= 0) {
      order.push_back(i);
    }
  }
  const std::size_t defined = order.size();
  order.insert(order.end(), planned.begin(), planned.end());
  std::vector<Card> out;
  for (std::size_t i = 0; i < order.size() && out.size() < count; ++i) {
    const Term& term = terms.list[order[i]];
    Card card = card_of(reading, terms, term);
    const bool told = !card.back.empty() && text::code_points(card.front) >= 2;
    // A sentence about the term is less than a definition: it serves where there are too few of these.
    const bool spare = i >= defined && out.size() >= enough(count);
    if (!told || spare || taken.has_text(card.front) || taken.has_text(card.back)) {
      continue;
    }
    taken.add_text(card.front);
    taken.add_text(card.back);
    out.push_back(std::move(card));
  }
  return out;
}

void write_question(json::Writer& writer, const Question& question) {
  writer.begin_object().member("question", question.question);
  writer.key("options").begin_array();
  for (const std::string& option : question.options) {
    writer.string(option);
  }
  writer.end_array();
  writer.member("correct_answer", question.answer).member("explanation", question.explanation).end_object();
}

void write_card(json::Writer& writer, const Card& card) {
  writer.begin_object().member("front", card.front).member("back", card.back).end_object();
}

}  // namespace plumb::extract
