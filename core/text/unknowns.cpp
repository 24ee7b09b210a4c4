#include "core/text/unknowns.hpp"

#include <algorithm>
#include <utility>

#include "core/ascii.hpp"
#include "core/text/phrases.hpp"
#include "core/text/utf8.hpp"

namespace plumb::text {
namespace {

constexpr std::size_t evidence_max = 100;

// The lists are sorted.
constexpr std::string_view question_words_list[] = {
    "how", "what", "what's", "when", "where", "where's", "which", "who", "who's", "whom", "whose", "why",
};
// Of these, a relative clause may begin with the others: the firm that ... and which ...
constexpr std::string_view only_question_words_list[] = {"how", "what", "what's", "why"};

constexpr std::string_view auxiliaries_list[] = {
    "are", "can",   "could", "did",   "do",     "does", "had",  "has",  "have",  "is",
    "may", "might", "must",  "shall", "should", "was",  "were", "will", "would",
};

constexpr std::string_view pronouns_list[] = {
    "he", "i", "it", "one", "she", "that", "there", "these", "they", "this", "those", "we", "you",
};

constexpr std::string_view foreign_question_words_list[] = {
    "chi",
    "combien",
    "come",
    "comment",
    "cosa",
    "cu\xC3\xA1l",
    "cu\xC3\xA1ndo",
    "cu\xC3\xA1nto",
    "cu\xC3\xA1ntos",
    "c\xC3\xB3mo",
    "dove",
    "d\xC3\xB3nde",
    "hoe",
    "hoeveel",
    "o\xC3\xB9",
    "perch\xC3\xA9",
    "pourquoi",
    "quais",
    "qual",
    "quale",
    "quand",
    "quando",
    "quanti",
    "quanto",
    "quantos",
    "quel",
    "quelle",
    "quelles",
    "quels",
    "qui",
    "qui\xC3\xA9n",
    "qu\xC3\xA9",
    "waarom",
    "wann",
    "wanneer",
    "warum",
    "was",
    "wat",
    "welche",
    "welcher",
    "welches",
    "welke",
    "wer",
    "weshalb",
    "wie",
    "wieviel",
    "wo",
};
constexpr std::string_view foreign_ands_list[] = {"e", "en", "et", "i", "und", "y"};
constexpr WordList foreign_question_words(foreign_question_words_list);
constexpr WordList foreign_ands(foreign_ands_list);
constexpr WordList question_words(question_words_list);
constexpr WordList only_question_words(only_question_words_list);
constexpr WordList auxiliaries(auxiliaries_list);
constexpr WordList pronouns(pronouns_list);

bool is_question_mark(char32_t c) {
  return c == '?' || c == 0x037E || c == 0x055E || c == 0x061F || c == 0x1367 || c == 0x2047 || c == 0x2048 ||
         c == 0x2049 || c == 0xFF1F;
}

class Judge {
 public:
  explicit Judge(std::string_view text) : text_(text), words_(text) {}

  UnknownsResult run() {
    UnknownsResult result;
    if (words_.size() == 0) {
      result.outcome = Judgement::undecided;
      return result;
    }
    questions();
    for (std::size_t i = 0; i < words_.size(); ++i) {
      joined(i);
    }
    several_things();
    two_things();
    joined_elsewhere();
    bool english = false;
    for (std::size_t i = 0; i < words_.size() && !english; ++i) {
      english = is_function_word(words_.folded(i));
    }
    const bool plain = std::any_of(evidence_.begin(), evidence_.end(), [](const auto& one) { return one.plain; });
    result.outcome = plain                            ? Judgement::broken
                     : !evidence_.empty() || !english ? Judgement::undecided
                                                      : Judgement::holds;
    result.evidence = std::move(evidence_);
    return result;
  }

 private:
  bool is(std::size_t i, std::string_view word) const { return i < words_.size() && words_.folded(i) == word; }
  bool is_question_word(std::size_t i) const { return i < words_.size() && question_words.contains(words_.folded(i)); }
  bool is_auxiliary(std::size_t i) const { return i < words_.size() && auxiliaries.contains(words_.folded(i)); }
  bool is_pronoun(std::size_t i) const { return i < words_.size() && pronouns.contains(words_.folded(i)); }
  // White space, or white space and a comma.
  bool is_near(std::size_t i) const { return i + 1 < words_.size() && ascii::only(words_.gap(i), " ,\t\r\n"); }
  bool has_comma(std::size_t i) const {
    return i + 1 < words_.size() && words_.gap(i).find(',') != std::string_view::npos;
  }
  TextSpan span(std::size_t from, std::size_t to) const { return {words_.span(from).from, words_.span(to).to}; }

  // Keeps the evidence in order of its place; there is little of it.
  void add(TextSpan where, std::string_view what, bool plain) {
    if (evidence_.size() == evidence_max) {
      return;
    }
    evidence_.push_back({where, what, plain});
    for (std::size_t i = evidence_.size() - 1; i > 0 && evidence_[i].where.from < evidence_[i - 1].where.from; --i) {
      std::swap(evidence_[i], evidence_[i - 1]);
    }
  }

  // Question marks: what precedes each, back to the last, is one question.
  void questions() {
    std::size_t count = 0;
    std::size_t full = 0;  // that begin as questions do
    std::size_t from = 0;  // first word of the current piece
    std::size_t word = 0;
    for (std::size_t at = 0; at < text_.size();) {
      const Decoded c = decode(text_.data() + at, text_.data() + text_.size());
      const std::size_t end = at + c.size;
      at = end;
      if (!is_question_mark(c.code_point)) {
        continue;
      }
      while (word < words_.size() && words_.span(word).to < end) {
        ++word;
      }
      // ? inside an address ends nothing, nor does a second mark behind the first.
      const bool inside = c.code_point == '?' && word < words_.size() && words_.span(word).from == end &&
                          !words_.is_single_letter(word);
      if (inside || word == from) {
        continue;
      }
      ++count;
      const bool reads = begins_question(from, word);
      full += reads ? 1 : 0;
      if (count > 1) {
        add({words_.span(from).from, end}, "second question", (reads && full > 1) || !is_ascii(from, word));
      }
      from = word;
    }
  }

  bool is_ascii(std::size_t from, std::size_t to) const {
    for (std::size_t i = from; i < to; ++i) {
      const std::string_view folded = words_.folded(i);
      for (const char c : folded) {
        if (static_cast<unsigned char>(c) >= 0x80) {
          return false;
        }
      }
    }
    return true;
  }

  // Whether the words of a piece read as a question: one of its last sentence's first words is a question word or an
  // auxiliary verb.
  bool begins_question(std::size_t from, std::size_t to) const {
    std::size_t start = from;
    for (std::size_t i = from; i + 1 < to; ++i) {
      const std::string_view gap = words_.gap(i);
      if (gap.find_first_of(".!;:\n") != std::string_view::npos) {
        start = i + 1;
      }
    }
    constexpr std::size_t words_max = 3;  // And in which year ...
    for (std::size_t i = start; i < std::min(to, start + words_max); ++i) {
      if (is_question_word(i) || (is_auxiliary(i) && i + 2 < to)) {
        return true;
      }
    }
    return false;
  }

  // What joins two unknowns at word `i`.
  void joined(std::size_t i) {
    const std::string_view word = words_.folded(i);
    const bool near = is_near(i);
    if (is_question_word(i) && near && has_comma(i) && is_question_word(i + 1)) {
      add(span(i, i + 1), "joined question words", true);  // who, when and where
      return;
    }
    if (word == "plus" && near) {
      add(words_.span(i), "plus", is_question_word(i + 1));
      return;
    }
    if (word == "additionally" || (word == "addition" && i > 0 && is(i - 1, "in") && !is(i + 1, "to"))) {
      add(words_.span(i), "in addition", true);
      return;
    }
    if (word == "as" && is(i + 1, "well") && is(i + 2, "as")) {
      add(span(i, i + 2), "as well as", is_question_word(i + 3));
      return;
    }
    if (word == "also" && !(i > 0 && is(i - 1, "and"))) {
      add(words_.span(i), "also", false);
      return;
    }
    if (word != "and" && word != "or") {
      return;
    }
    const bool slash_or = text_.substr(words_.span(i).to, 3) == "/or";
    if (!near || slash_or) {
      if (slash_or) {
        add(words_.span(i), "and/or", false);
      }
      return;
    }
    if (is_question_word(i + 1)) {
      const bool pair = i > 0 && is_near(i - 1) && is_question_word(i - 1);  // how and why
      const bool asks = only_question_words.contains(words_.folded(i + 1)) ||
                        (is_auxiliary(i + 2) && is_pronoun(i + 3)) ||
                        (has_question_word_before(i) && is_auxiliary(i + 2) && !is(i + 1, "which") &&
                         !is(i + 1, "who") && !is(i + 1, "whose"));
      add(span(i, i + 1), "joined question words", pair || (asks && has_question_word_before(i)));
      return;
    }
    if (word == "or") {
      return;  // a choice
    }
    if (is(i + 1, "also") || is(i + 1, "additionally")) {
      add(span(i, i + 1), "and also", true);
      return;
    }
    if (is(i + 1, "if") && is(i + 2, "so")) {
      add(span(i, i + 2), "and if so", true);
      return;
    }
    if (is_auxiliary(i + 1)) {
      add(span(i, i + 1), "and is it", is_pronoun(i + 2) && has_question_before(i));
      return;
    }
    if (!joins_one_thing(i)) {
      add(words_.span(i), "and", false);
    }
  }

  bool has_question_word_before(std::size_t i) const {
    constexpr std::size_t words_max = 60;
    for (std::size_t j = i; j-- > 0 && i - j <= words_max;) {
      if (is_question_word(j)) {
        return true;
      }
    }
    return false;
  }

  bool has_question_before(std::size_t i) const { return has_question_word_before(i) || is_auxiliary(0); }

  // "and" between two names or numbers, or behind between, both, from.
  bool joins_one_thing(std::size_t i) const {
    if (i == 0 || i + 1 >= words_.size()) {
      return false;
    }
    const auto proper = [&](std::size_t at) {
      const std::string_view written = words_.written(at);
      const Decoded c = decode(written.data(), written.data() + written.size());
      return is_upper_case(c.code_point) || ascii::is_digit(c.code_point);
    };
    if (proper(i - 1) && proper(i + 1) && i > 1) {
      return true;
    }
    constexpr std::size_t words_max = 8;
    for (std::size_t j = i; j-- > 0 && i - j <= words_max;) {
      if (is(j, "between") || is(j, "both")) {
        return true;
      }
    }
    return false;
  }

  // "What are the price, weight and range of ...": two commas or a comma and an "and" between "the" and "of".
  // In other languages: "und wer", "et combien": a question word behind an "and", behind another question word.
  void joined_elsewhere() {
    bool before = false;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const bool asks = foreign_question_words.contains(words_.folded(i));
      if (asks && before && i > 0 && foreign_ands.contains(words_.folded(i - 1))) {
        add(span(i - 1, i), "joined question words", true);
      }
      const std::size_t apostrophe = words_.folded(i).find('\'');
      before = before || asks || (apostrophe != std::string_view::npos && words_.folded(i).starts_with("qu"));
    }
  }

  // "What is the price and the range of ...": two things, each with its article, of one.
  void two_things() {
    for (std::size_t i = 0; i + 6 < words_.size(); ++i) {
      if (!is(i, "what") || !is_auxiliary(i + 1) || !is(i + 2, "the")) {
        continue;
      }
      constexpr std::size_t words_max = 10;
      for (std::size_t j = i + 4; j + 2 < words_.size() && j < i + words_max; ++j) {
        if (is(j, "between") || is(j, "of") || is(j, "for") || is(j, "in")) {
          break;
        }
        if (is(j, "and") && is(j + 1, "the")) {
          add(span(j, j + 2), "two things", true);
          break;
        }
      }
    }
  }

  void several_things() {
    for (std::size_t i = 0; i + 3 < words_.size(); ++i) {
      if (!is(i, "what") && !is(i, "list") && !is(i, "give") && !is(i, "find")) {
        continue;
      }
      std::size_t from = i + 1;
      while (from < words_.size() &&
             (is(from, "is") || is(from, "are") || is(from, "was") || is(from, "were") || is(from, "me"))) {
        ++from;
      }
      if (!is(from, "the") && !is(from, "its") && !is(from, "their")) {
        continue;
      }
      std::size_t commas = 0;
      bool joined_last = false;
      constexpr std::size_t words_max = 16;
      for (std::size_t j = from + 1; j < words_.size() && j < from + words_max; ++j) {
        if (is(j, "of") || is(j, "for") || is(j, "in")) {
          if (commas > 0 && joined_last) {
            add(span(from, j - 1), "several things", true);
          }
          break;
        }
        if (is_question_word(j) || is_auxiliary(j) || is(j, "that") ||
            words_.gap(j - 1).find_first_of(".?!;:") != std::string_view::npos) {
          break;
        }
        commas += has_comma(j) ? 1 : 0;
        joined_last = joined_last || is(j, "and");
      }
    }
  }

  std::string_view text_;
  Words words_;
  std::vector<UnknownsEvidence> evidence_;
};

}  // namespace

UnknownsResult single_unknown(std::string_view question) { return Judge(question).run(); }

}  // namespace plumb::text
