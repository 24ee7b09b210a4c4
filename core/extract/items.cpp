#include "core/extract/items.hpp"

#include <algorithm>
#include <array>

#include "core/json/number_text.hpp"
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
std::vector<std::uint32_t> terms_named(const SourceText& reading, const Terms& terms,
                                       std::span<const std::string> names) {
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

std::vector<Question> choose_questions(const SourceText& reading, const Terms& terms, const QuestionMaker& maker,
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
  for (const std::string_view clause : {"; ", ", which ", ", where ", ", while ", ", who ", " – ", "；", "，", ", "}) {
    if (end == 0) {
      const std::size_t found = start.rfind(clause);
      end = found != std::string_view::npos && found > 20 ? found : 0;
    }
  }
  return std::string(text::trim(text.substr(0, end)));
}

Card card_of(const SourceText& reading, const Terms& terms, const Term& term) {
  Card card;
  card.front = label_of(term);
  const Definition* const d = terms.definition_of(term);
  if (d == nullptr) {
    return card;
  }
  card.back = cut_at_sentence(meaning_text(reading, *d), back_code_points_max - 1);
  constexpr std::string_view stop = "。";
  const bool stopped = card.back.empty() || std::string_view(".!?").find(card.back.back()) != std::string_view::npos;
  if (!stopped) {
    card.back += is_unspaced(reading.language) ? stop : std::string_view(".");
  }
  return card;
}

std::vector<Card> choose_cards(const SourceText& reading, const Terms& terms, std::span<const std::string> names,
                               std::size_t count, Taken& taken) {
  std::vector<std::uint32_t> order = terms_named(reading, terms, names);
  for (std::uint32_t i = 0; i < terms.list.size(); ++i) {
    order.push_back(i);
  }
  std::vector<Card> out;
  for (std::size_t i = 0; i < order.size() && out.size() < count; ++i) {
    Card card = card_of(reading, terms, terms.list[order[i]]);
    if (card.back.empty() || text::code_points(card.front) < 2 || taken.has_text(card.front) ||
        taken.has_text(card.back)) {
      continue;
    }
    taken.add_text(card.front);
    taken.add_text(card.back);
    out.push_back(std::move(card));
  }
  return out;
}

void write_left_out(json::Writer& writer, const Terms& terms, const QuestionMaker& maker, Kind kind, std::size_t made,
                    std::size_t wanted, const Taken& taken) {
  if (made >= wanted) {
    return;
  }
  const std::string_view items = kind == Kind::quiz ? "questions" : "cards";
  writer.member("fewer", json::uint_text(made) + " of " + json::uint_text(wanted) + " " + std::string(items) +
                             ": the source has no more that can be made well");
  writer.key("left_out").begin_array();
  std::size_t told = 0;
  for (const Term& term : terms.list) {
    const std::string name = label_of(term);
    const bool fit = kind == Kind::quiz ? !maker.about(term).empty() : term.definition >= 0;
    const bool meant = term.bold || term.definition >= 0 || !term.flaw.empty();
    if (!meant || told == left_out_max || taken.has_text(name)) {
      continue;
    }
    ++told;
    writer.begin_object().member("name", name);
    writer.member("reason", fit                  ? "all that can be asked about it is asked already"
                            : kind == Kind::quiz ? maker.why_none(term)
                            : !term.flaw.empty() ? term.flaw
                                                 : "the source does not say what it is");
    writer.end_object();
  }
  writer.end_array();
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
