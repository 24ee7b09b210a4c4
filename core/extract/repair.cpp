// Item by item: what is sound stays as it is, what can be mended from the source is mended, what cannot is replaced by
// another item that the source supports, and left out only where enough sound items remain.
#include <algorithm>
#include <optional>

#include "core/extract/evidence.hpp"
#include "core/extract/extract.hpp"
#include "core/extract/items.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/text/fold.hpp"
#include "core/text/utf8.hpp"

namespace plumb::extract {
namespace {

constexpr std::size_t options_least = 4;

std::string fold(std::string_view text) { return text::fold(text, {true, true}); }

bool is_about_meaning(std::string_view rule) {
  return rule == "answerable" || rule == "no-invention" || rule == "answer-correct" || rule == "definition-accurate";
}

// Items that a judge refused: what the source does not support is not mended but replaced.
std::vector<std::string> refused_places(const json::Value& verdict) {
  std::vector<std::string> out;
  const json::Value* const findings = verdict.find("findings");
  for (const json::Value& finding : findings != nullptr ? findings->array() : std::span<const json::Value>()) {
    if (is_about_meaning(text_of(finding, "rule")) && !text_of(finding, "at").empty()) {
      out.emplace_back(text_of(finding, "at"));
    }
  }
  return out;
}

class Mender {
 public:
  Mender(const SourceText& reading, const Plan& plan, std::vector<std::string> refused)
      : r_(reading),
        terms_(find_terms(reading)),
        evidence_(reading, terms_),
        maker_(reading, terms_),
        plan_(plan),
        refused_(std::move(refused)) {}

  // Empty: nothing was changed, or nothing can be.
  std::string quiz(const json::Value& root) {
    const json::Value* const list = root.find("questions");
    std::vector<std::optional<Question>> mended;
    std::size_t lost = 0;
    for (std::size_t i = 0; i < list->array().size(); ++i) {
      const json::Value& item = list->array()[i];
      const bool refused = is_refused("/questions/" + json::uint_text(i));
      mended.push_back(refused ? with_other_options(item) : question(item));
      if (mended.back() && taken_.has_text(mended.back()->question)) {
        mended.back().reset();
      }
      if (mended.back()) {
        taken_.add_text(mended.back()->question);
        taken_.add_text(mended.back()->answer);
        leave_sentence(mended.back()->explanation);
      } else {
        ++lost;
      }
    }
    std::vector<Question> others = choose_questions(r_, terms_, maker_, plan_.names, lost, taken_);
    if (!settle(mended, others)) {
      return {};
    }
    std::string out;
    json::Writer writer(out, 2);
    writer.begin_object().key("questions").begin_array();
    for (const std::optional<Question>& question : mended) {
      if (question) {
        write_question(writer, *question);
      }
    }
    end(writer, root, "questions");
    return out;
  }

  std::string flashcards(const json::Value& root) {
    const json::Value* const list = root.find("flashcards");
    std::vector<std::optional<Card>> mended;
    std::size_t lost = 0;
    for (std::size_t i = 0; i < list->array().size(); ++i) {
      const json::Value& item = list->array()[i];
      mended.push_back(card(item, is_refused("/flashcards/" + json::uint_text(i))));
      if (mended.back() && taken_.has_text(mended.back()->front)) {
        mended.back().reset();
        changed_ = true;
      }
      if (mended.back()) {
        taken_.add_text(mended.back()->front);
        taken_.add_text(mended.back()->back);
      } else {
        ++lost;
      }
    }
    std::vector<Card> others = choose_cards(r_, terms_, plan_.names, lost, taken_);
    if (!settle(mended, others)) {
      return {};
    }
    std::string out;
    json::Writer writer(out, 2);
    writer.begin_object().key("flashcards").begin_array();
    for (const std::optional<Card>& card : mended) {
      if (card) {
        write_card(writer, *card);
      }
    }
    end(writer, root, "flashcards");
    return out;
  }

  std::string mindmap(const json::Value& root) {
    const json::Value* const top = root.find("root");
    if (text::is_blank(text_of(*top, "label")) || is_refused("/root")) {
      return {};
    }
    std::string out;
    json::Writer writer(out, 2);
    writer.begin_object().key("root");
    taken_.add_text(text_of(*top, "label"));
    node(writer, *top, "/root", 0);
    for (const json::Member& member : root.object()) {
      if (member.key != "root") {
        writer.key(member.key).value(member.value);
      }
    }
    writer.end_object();
    return changed_ ? out : std::string();
  }

 private:
  bool is_refused(std::string_view at) const {
    return std::find(refused_.begin(), refused_.end(), at) != refused_.end();
  }

  static void end(json::Writer& writer, const json::Value& root, std::string_view list) {
    writer.end_array();
    for (const json::Member& member : root.object()) {
      if (member.key != list) {
        writer.key(member.key).value(member.value);
      }
    }
    writer.end_object();
  }

  // Puts `others` in the places of the lost. False: nothing to change, or too little would remain.
  template <class Item>
  bool settle(std::vector<std::optional<Item>>& items, std::vector<Item>& others) {
    std::size_t next = 0;
    std::size_t sound = 0;
    for (std::optional<Item>& item : items) {
      if (!item) {
        changed_ = true;
        if (next < others.size()) {
          item = std::move(others[next++]);
        }
      }
      sound += item ? 1 : 0;
    }
    return changed_ && sound > 0;
  }

  // A question that is there already is not asked again of the same sentence.
  void leave_sentence(std::string_view explanation) {
    for (std::size_t i = 0; i < r_.sentences.size(); ++i) {
      const std::string_view sentence = r_.plain(r_.sentences[i]);
      if (sentence.size() > 20 && explanation.find(sentence) != std::string_view::npos) {
        taken_.sentences.push_back(static_cast<std::uint32_t>(i));
      }
    }
  }

  std::optional<Question> question(const json::Value& item) {
    Question q;
    q.question = std::string(text_of(item, "question"));
    q.answer = std::string(text_of(item, "correct_answer"));
    q.explanation = std::string(text_of(item, "explanation"));
    const json::Value* const options = item.find("options");
    if (text::is_blank(q.question) || text::is_blank(q.answer) || options == nullptr) {
      return std::nullopt;
    }
    std::vector<std::string> seen;
    for (const json::Value& option : options->array()) {
      std::string key = option.is(json::Kind::string) ? fold(option.str()) : std::string();
      if (key.empty() || std::find(seen.begin(), seen.end(), key) != seen.end()) {
        changed_ = true;
        continue;
      }
      seen.push_back(std::move(key));
      q.options.emplace_back(option.str());
    }
    return with_answer(q) && with_options(q) && with_explanation(q) ? std::optional(std::move(q)) : std::nullopt;
  }

  // A question whose answer is proven and that was refused for a wrong option that is right, too: with another in its
  // place. Nothing where that was not the fault, or the source has no other.
  std::optional<Question> with_other_options(const json::Value& item) {
    std::optional<Question> q = question(item);
    if (!q) {
      return q;
    }
    const Asked asked = evidence_.asked(q->question);
    const std::size_t before = q->options.size();
    std::erase_if(q->options, [&](const std::string& option) {
      return option != q->answer && evidence_.proof(asked, option).certain;
    });
    const bool sound = q->options.size() < before && evidence_.proof(asked, q->answer).certain && with_options(*q);
    return sound ? q : std::nullopt;
  }

  // The answer as its option writes it; one that is no option takes the last place, when it is in the source.
  bool with_answer(Question& q) {
    for (const std::string& option : q.options) {
      if (fold(option) == fold(q.answer)) {
        changed_ = changed_ || option != q.answer;
        q.answer = option;
        return true;
      }
    }
    if (!evidence_.mention(q.answer).certain) {
      return false;
    }
    if (q.options.size() >= options_least) {
      q.options.pop_back();
    }
    q.options.push_back(q.answer);
    changed_ = true;
    return true;
  }

  bool with_options(Question& q) {
    if (q.options.size() >= options_least) {
      return true;
    }
    const std::int32_t index = terms_.find(r_, q.answer);
    Options more;
    if (index >= 0) {
      const Term& term = terms_.list[static_cast<std::size_t>(index)];
      more = term_distractors(r_, terms_, term, term.at.front());
    } else {
      for (const Term& term : terms_.list) {
        if (term.definition >= 0 &&
            fold(meaning_text(r_, terms_.definitions[static_cast<std::size_t>(term.definition)])) == fold(q.answer)) {
          more = meaning_distractors(r_, terms_, term);
          break;
        }
      }
    }
    const Asked asked = evidence_.asked(q.question);
    for (const std::string& option : more) {
      const bool right = evidence_.proof(asked, option).certain;
      const bool there = std::any_of(q.options.begin(), q.options.end(),
                                     [&option](const std::string& other) { return fold(other) == fold(option); });
      if (q.options.size() < options_least && !there && !right) {
        q.options.push_back(option);
      }
    }
    changed_ = true;
    return q.options.size() >= options_least;
  }

  bool with_explanation(Question& q) {
    if (!text::is_blank(q.explanation)) {
      return true;
    }
    const Proof proof = evidence_.proof(evidence_.asked(q.question), q.answer);
    const Proof found = proof.sentence != nullptr ? proof : evidence_.mention(q.answer);
    if (found.sentence == nullptr) {
      return false;
    }
    q.explanation = worded(r_.language, Wording::source_says, r_.plain(*found.sentence));
    changed_ = true;
    return true;
  }

  std::optional<Card> card(const json::Value& item, bool refused) {
    Card card{std::string(text_of(item, "front")), std::string(text_of(item, "back"))};
    if (text::code_points(text::trim(card.front)) < 2) {
      return std::nullopt;
    }
    if (refused || text::is_blank(card.back)) {
      // The term may be sound and its definition not.
      const std::int32_t index = terms_.find(r_, card.front);
      const Card own = index >= 0 ? card_of(r_, terms_, terms_.list[static_cast<std::size_t>(index)]) : Card();
      if (own.back.empty() || fold(own.back) == fold(card.back)) {
        return std::nullopt;
      }
      card.back = own.back;
      changed_ = true;
    }
    if (text::code_points(text::trim(card.back)) > back_code_points_max) {
      card.back = cut_at_sentence(card.back, back_code_points_max);
      changed_ = true;
    }
    return card.back.empty() ? std::nullopt : std::optional(std::move(card));
  }

  void node(json::Writer& writer, const json::Value& node_value, const std::string& at, std::size_t depth) {
    writer.begin_object().member("label", text_of(node_value, "label")).key("children").begin_array();
    const json::Value* const children = node_value.find("children");
    changed_ = changed_ || children == nullptr || !children->is(json::Kind::array);
    for (std::size_t i = 0; children != nullptr && i < children->array().size(); ++i) {
      const json::Value& child = children->array()[i];
      const std::string place = at + "/children/" + json::uint_text(i);
      const std::string_view label = text_of(child, "label");
      if (text::is_blank(label) || taken_.has_text(label) || is_refused(place) || depth > 64) {
        changed_ = true;  // with all that is below it
        continue;
      }
      taken_.add_text(label);
      node(writer, child, place, depth + 1);
    }
    writer.end_array();
    for (const json::Member& member : node_value.object()) {
      if (member.key != "label" && member.key != "children") {
        writer.key(member.key).value(member.value);
      }
    }
    writer.end_object();
  }

  const SourceText& r_;
  Terms terms_;
  Evidence evidence_;
  QuestionMaker maker_;
  const Plan& plan_;
  std::vector<std::string> refused_;
  Taken taken_;
  bool changed_ = false;
};

bool has_items(const json::Value* list) {
  return list != nullptr && list->is(json::Kind::array) && list->size > 0 && list->size <= items_max;
}

}  // namespace

Result<std::string> repair(Kind kind, std::string_view artifact, std::string_view verdict, std::string_view plan_text,
                           std::span<const Chunk> chunks) {
  const Result<Plan> plan = read_plan(kind, plan_text);
  if (!plan) {
    return plan.error();
  }
  json::Arena arena;
  const Result<json::Value> judged = json::parse(verdict, arena);
  if (!judged) {
    Error error = judged.error();
    error.message = "The verdict cannot be read: " + error.message;
    return error;
  }
  const Result<json::Value> read = json::parse(artifact, arena);
  const std::string_view list = kind == Kind::quiz ? "questions" : kind == Kind::flashcards ? "flashcards" : "root";
  const json::Value* const items = read ? read.value().find(list) : nullptr;
  const bool readable = kind == Kind::mindmap ? items != nullptr && items->is(json::Kind::object) : has_items(items);
  if (!readable) {
    return generate(kind, plan_text, chunks);  // nothing there to keep
  }
  const SourceText reading(chunks);
  Mender mender(reading, plan.value(), refused_places(judged.value()));
  std::string mended;
  switch (kind) {
    case Kind::quiz:
      mended = mender.quiz(read.value());
      break;
    case Kind::flashcards:
      mended = mender.flashcards(read.value());
      break;
    case Kind::mindmap:
      mended = mender.mindmap(read.value());
      break;
  }
  return mended.empty() ? std::string(artifact) : mended;
}

}  // namespace plumb::extract
