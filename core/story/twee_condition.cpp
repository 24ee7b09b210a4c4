// Conditions: a recursive descent that yields any-of clauses at once; `not` turns a part into its opposite.
#include <algorithm>
#include <array>
#include <optional>

#include "core/ascii.hpp"
#include "core/story/twee.hpp"
#include "core/story/twee_expression.hpp"

namespace plumb::story {

namespace {

constexpr std::size_t clauses_max = 32;
constexpr int depth_max = 32;

bool word_character(char c) { return ascii::is_word(c) || c == '$'; }

// Both hold: every clause of one with every clause of the other; what contradicts itself is dropped.
bool both(const Condition& a, const Condition& b, Condition& into) {
  Condition out;
  for (const Clause& x : a) {
    for (const Clause& y : b) {
      Clause one = x;
      one.held.insert(one.held.end(), y.held.begin(), y.held.end());
      one.lacking.insert(one.lacking.end(), y.lacking.begin(), y.lacking.end());
      for (Texts* texts : {&one.held, &one.lacking}) {
        std::sort(texts->begin(), texts->end());
        texts->erase(std::unique(texts->begin(), texts->end()), texts->end());
      }
      const bool contradicts = std::any_of(one.held.begin(), one.held.end(), [&](const std::string& word) {
        return std::binary_search(one.lacking.begin(), one.lacking.end(), word);
      });
      if (!contradicts) {
        out.push_back(std::move(one));
      }
      if (out.size() > clauses_max) {
        return false;
      }
    }
  }
  into = std::move(out);
  return true;
}

class ConditionReader {
 public:
  explicit ConditionReader(std::string_view text) : text_(text) {}

  bool read(Condition& into) { return either(into, 0) && (blanks(), at_ == text_.size()) && !into.empty(); }

 private:
  void blanks() {
    while (at_ < text_.size() && (ascii::is_space(text_[at_]))) {
      ++at_;
    }
  }
  bool word(std::string_view wanted) {
    blanks();
    if (text_.substr(at_, wanted.size()) != wanted) {
      return false;
    }
    const std::size_t end = at_ + wanted.size();
    if (word_character(wanted.back()) && end < text_.size() && word_character(text_[end])) {
      return false;
    }
    at_ = end;
    return true;
  }
  bool either(Condition& into, int depth) {
    if (depth > depth_max || !all(into, depth)) {
      return false;
    }
    while (word("or") || word("||")) {
      Condition more;
      if (!all(more, depth)) {
        return false;
      }
      into.insert(into.end(), more.begin(), more.end());
      if (into.size() > clauses_max) {
        return false;
      }
    }
    return true;
  }
  bool all(Condition& into, int depth) {
    if (!one(into, depth)) {
      return false;
    }
    while (word("and") || word("&&")) {
      Condition more;
      if (!one(more, depth) || !both(into, more, into)) {
        return false;
      }
    }
    return true;
  }
  bool one(Condition& into, int depth) {
    if (depth > depth_max) {
      return false;
    }
    if (word("not") || (text_.substr(at_, 2) != "!=" && word("!"))) {
      Condition inner;
      return one(inner, depth + 1) && negate(inner, into);
    }
    if (word("(")) {
      return either(into, depth + 1) && word(")");
    }
    if (word("def")) {
      return defined(true, into);
    }
    if (word("ndef")) {
      return defined(false, into);
    }
    return variable(into);
  }
  bool variable(Condition& into) {
    blanks();
    if (at_ >= text_.size() || text_[at_] != '$') {
      return false;
    }
    const std::size_t from = ++at_;
    while (at_ < text_.size() && word_character(text_[at_])) {
      ++at_;
    }
    if (at_ == from || (at_ < text_.size() && (text_[at_] == '.' || text_[at_] == '['))) {
      return false;
    }
    const std::string name(text_.substr(from, at_ - from));
    struct Sign {
      std::string_view written, word;
      bool opposite;
    };
    constexpr std::array<Sign, 16> signs = {{{"isnot", "is", true},
                                             {"is", "is", false},
                                             {"neq", "eq", true},
                                             {"eq", "eq", false},
                                             {"gte", "gte", false},
                                             {"gt", "gt", false},
                                             {"lte", "lte", false},
                                             {"lt", "lt", false},
                                             {"!==", "is", true},
                                             {"===", "is", false},
                                             {"!=", "eq", true},
                                             {"==", "eq", false},
                                             {">=", "gte", false},
                                             {">", "gt", false},
                                             {"<=", "lte", false},
                                             {"<", "lt", false}}};
    for (const Sign& sign : signs) {
      if (word(sign.written)) {
        return compared(name, sign.word, sign.opposite != (sign.written == "is" && word("not")), into);
      }
    }
    into = {{{name}, {}}};
    return true;
  }
  // What it is compared with: a value as it is written.
  bool compared(const std::string& name, std::string_view sign, bool opposite, Condition& into) {
    blanks();
    const std::size_t from = at_;
    if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) {
      for (++at_; at_ < text_.size() && text_[at_] != text_[from]; ++at_) {
        at_ += text_[at_] == '\\' ? 1U : 0U;
      }
      at_ = std::min(at_ + 1, text_.size());
    } else {
      while (at_ < text_.size() && (word_character(text_[at_]) || text_[at_] == '.' || text_[at_] == '-')) {
        ++at_;
      }
    }
    const std::string_view written = text_.substr(from, at_ - from);
    const std::optional<TweeValue> value = read_value(written);
    if (!value) {
      return false;
    }
    std::string asked = name + " " + std::string(sign) + " ";
    asked += value->kind != TweeValue::Kind::text || written[0] == '"' || value->text.find('"') != std::string::npos
                 ? std::string(written)
                 : "\"" + std::string(written.substr(1, written.size() - 2)) + "\"";
    into = opposite ? Condition{{{}, {asked}}} : Condition{{{asked}, {}}};
    return true;
  }
  bool defined(bool yes, Condition& into) {
    Condition inner;
    if (!variable(inner) || inner.size() != 1 || inner[0].held.size() != 1 ||
        inner[0].held[0].find(' ') != std::string::npos) {
      return false;
    }
    const std::string asked = inner[0].held[0] + " def";
    into = yes ? Condition{{{asked}, {}}} : Condition{{{}, {asked}}};
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

bool read_condition(std::string_view text, Condition& into) { return ConditionReader(text).read(into); }

bool negate(const Condition& condition, Condition& into) {
  Condition out = {{}};
  for (const Clause& clause : condition) {
    Condition opposite;
    for (const std::string& word : clause.held) {
      opposite.push_back({{}, {word}});
    }
    for (const std::string& word : clause.lacking) {
      opposite.push_back({{word}, {}});
    }
    if (!both(out, opposite, out)) {
      return false;
    }
  }
  into = std::move(out);
  return true;
}

}  // namespace plumb::story
